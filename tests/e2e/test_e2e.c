// The main job, for real: a daemon, a scene pushed over its socket, tiles that come back, edits that touch a few of
// them.
#include "core/tile/tile_format.h"
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static daemon_process navd;

static void start(void)
{
    daemon_start(&navd, NULL);
}

static void stop(void)
{
    ck_assert_int_eq(daemon_stop(&navd), 0);
}

static outcome push_yard(void)
{
    outcome r = run_navctl("push", yard(), "--world", "yard", "--connect", navd.socket, "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    return r;
}

static navd_client *connect_client(void)
{
    navd_client *c;
    char why[256] = "";
    ck_assert_msg(navd_connect(navd.socket, "e2e", PATIENCE_MS, &c, why, sizeof why) == NAVD_OK, "%s", why);
    navd_set_timeout(c, PATIENCE_MS);
    return c;
}

#define EXPECT_OK(c, call)                                                                                             \
    do {                                                                                                               \
        navd_status s_ = (call);                                                                                       \
        ck_assert_msg(s_ == NAVD_OK, "%s: %s", #call, navd_error_text(c));                                             \
    } while (0)

// What a subscriber knows: the newest state of every tile, and how many notifications brought it.
enum { GRID = 8 };
typedef struct known {
    navd_tile_status status[GRID][GRID]; // [z][x]
    navd_key key[GRID][GRID];
    uint64_t revision[GRID][GRID];
    bool seen[GRID][GRID];
    int notes, made, cached;
} known;

static void learn(void *user, const navd_tile *t)
{
    known *k = user;
    ck_assert_msg(t->x >= -1 && t->x < GRID - 1 && t->z >= -1 && t->z < GRID - 1, "tile %d,%d", t->x, t->z);
    int x = t->x + 1, z = t->z + 1;
    ck_assert_uint_ge(t->revision, k->revision[z][x]); // never back
    ck_assert(t->status != NAVD_TILE_FAILED);
    k->status[z][x] = t->status;
    k->key[z][x] = t->key;
    k->revision[z][x] = t->revision;
    k->seen[z][x] = true;
    k->notes++;
    k->made += t->made_us > 0;
    k->cached += t->made_us == 0;
    if (t->status != NAVD_TILE_OK) return;
    nav_tile_view v;
    char why[256];
    ck_assert_msg(nav_tile_open(t->data, t->size, &v, why, sizeof why) == NAV_OK, "tile %d,%d: %s", t->x, t->z, why);
    ck_assert_int_eq(v.tile_x, t->x);
    ck_assert_int_eq(v.tile_z, t->z);
    nav_key key = nav_key_load(t->key.bytes);
    ck_assert(nav_key_equal(v.content_key, key));
}

static navd_world open_yard(navd_client *c)
{
    navd_world world;
    EXPECT_OK(c, navd_world_open(c, "yard", false, NULL, NULL, 0, &world));
    return world;
}

static void subscribe(navd_client *c, const navd_world *world, known *k)
{
    navd_subscription_options wanted = {.profile = world->profiles[0].name};
    *k = (known){0};
    navd_on_tile(c, learn, k);
    EXPECT_OK(c, navd_subscribe(c, world->id, &wanted, NULL));
    EXPECT_OK(c, navd_wait(c, world->id, NULL, NULL));
}

// The id that navctl gives to the instance of this name.
static uint64_t id_of(const char *name)
{
    return nav_key_of(name, strlen(name)).low;
}

static navd_operation move_to(const char *name, float x, float y, float z)
{
    navd_operation op = {.kind = NAVD_MOVE_INSTANCE, .id = id_of(name)};
    const float transform[12] = {1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z};
    memcpy(op.u.instance.transform, transform, sizeof transform);
    return op;
}

START_TEST(a_pushed_scene_comes_back_as_the_very_tiles_that_build_makes)
{
    static const char *const endings[] = {"bin", "navd"};
    const char *scene = temp_path("aside.obj"); // it begins nowhere near a tile's corner
    write_text(scene, "v 7.3 1.15 -5.2\nv 7.3 1.15 41.7\nv 55.9 2.4 41.7\nv 55.9 2.4 -5.2\nf 1 2 3 4\n");
    for (int i = 0; i < 2; i++) {
        char pushed[64], built[64];
        size_t n, m;
        snprintf(pushed, sizeof pushed, "pushed.%s", endings[i]);
        snprintf(built, sizeof built, "built.%s", endings[i]);
        const char *a = temp_path(pushed), *b = temp_path(built);
        outcome r = run_navctl("push", scene, "-w", "aside", "-c", navd.socket, "-o", a, NULL);
        ck_assert_msg(r.code == 0, "%s", r.err);
        r = run_navctl("build", scene, "-o", b, NULL);
        ck_assert_msg(r.code == 0, "%s", r.err);
        uint8_t *x = read_file(a, &n), *y = read_file(b, &m);
        ck_assert_uint_eq(n, m);
        if (i == 0) ck_assert_mem_eq(x, y, n); // a navd tile carries its revision, Detour's does not
        free(x);
        free(y);
    }
}
END_TEST

START_TEST(seeds_give_the_very_tiles_that_build_makes_with_them_and_change_live)
{
    size_t n, m;
    const char *a = temp_path("pushed-seeds.bin"), *b = temp_path("built-seeds.bin"), *c = temp_path("whole.bin");
    outcome r = run_navctl("push", yard(), "-w", "yard", "-c", navd.socket, "-o", a, "--seed", "2,0,2", "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_double_gt(json_value(r.out, "unreachable_parts"), 0);
    outcome built = run_navctl("build", yard(), "--seed", "2,0,2", "-o", b, NULL);
    ck_assert_msg(built.code == 0, "%s", built.err);
    uint8_t *x = read_file(a, &n), *y = read_file(b, &m);
    ck_assert_uint_eq(n, m);
    ck_assert_mem_eq(x, y, n);
    free(x);
    free(y);

    // The roof is flagged instead, and a seed in the air is named; then nobody looks any more.
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--json", "--unreachable", "flag", "--seed", "2,0,2",
                   "--seed", "5,40,5", NULL);
    ck_assert_int_eq(r.code, 1); // the edit stands
    ck_assert(strstr(r.err, "seed 5,40,5 found no ground nearby") != NULL);
    const char *last = strstr(r.out, "\"dirty_tiles\"");
    ck_assert_ptr_nonnull(last);
    ck_assert_double_ge(json_value(last, "tiles"), 1);
    ck_assert_double_eq(json_value(last, "seeds"), 2);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--unreachable", "flag", "--seed", "2,0,2", "--seed",
                   "5,40,5", "--allow-lost-seeds", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--unreachable", "keep", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("push", yard(), "-w", "yard", "-c", navd.socket, "-o", c, NULL);
    built = run_navctl("build", yard(), "-o", b, NULL);
    x = read_file(c, &n);
    y = read_file(b, &m);
    ck_assert_uint_eq(n, m);
    ck_assert_mem_eq(x, y, n);
    free(x);
    free(y);
}
END_TEST

START_TEST(the_graph_of_a_world_is_that_of_its_scene)
{
    push_yard();
    static outcome world, scene;
    static const char *const kinds[] = {"cells", "edges"};
    for (int i = 0; i < 2; i++) {
        world = run_navctl("graph", "-w", "yard", "--nodes", kinds[i], "-c", navd.socket, NULL);
        scene = run_navctl("graph", yard(), "--nodes", kinds[i], NULL);
        ck_assert_msg(world.code == 0 && scene.code == 0, "%s%s", world.err, scene.err);
        ck_assert(strstr(world.out, "\"name\": \"yard\"") != NULL);
        ck_assert_str_eq(strstr(world.out, "\"nodes\""), strstr(scene.out, "\"nodes\""));
    }
}
END_TEST

START_TEST(a_tile_of_a_world_is_that_of_its_scene)
{
    push_yard();
    static outcome world, scene;
    static const char *const encodings[] = {"navd", "detour"};
    for (int i = 0; i < 2; i++) {
        world =
            run_navctl("tile", "-w", "yard", "1", "1", "--json", "--encoding", encodings[i], "-c", navd.socket, NULL);
        scene = run_navctl("tile", yard(), "1", "1", "--json", "--encoding", encodings[i], NULL);
        ck_assert_msg(world.code == 0 && scene.code == 0, "%s%s", world.err, scene.err);
        ck_assert_str_eq(strstr(world.out, "\"mesh\""), strstr(scene.out, "\"mesh\""));
    }
    world = run_navctl("tile", "-w", "yard", "40", "1", "-c", navd.socket, NULL);
    expect_error(&world, 1, "tile 40,1");
    world = run_navctl("tile", "-w", "nowhere", "1", "1", "-c", navd.socket, NULL);
    ck_assert_msg(world.code == 1 && strstr(world.err, "nowhere"), "%d: %s", world.code, world.err);
    world = run_navctl("tile", "-w", "yard", "1", "1", "2", "-c", navd.socket, NULL);
    expect_error(&world, 2, "either SOURCE or --world NAME");
    // The file that dump writes is a source as well.
    const char *file = temp_path("court.navdworld");
    ck_assert_int_eq(run_navctl("tile", "dump", "yard", "1", "1", "-o", file, "-c", navd.socket, NULL).code, 0);
    world = run_navctl("tile", file, "1", "1", "--json", "--encoding", "detour", NULL);
    ck_assert_msg(world.code == 0, "%s", world.err);
    ck_assert_str_eq(strstr(world.out, "\"mesh\""), strstr(scene.out, "\"mesh\""));
}
END_TEST

START_TEST(a_second_push_sends_no_mesh_again)
{
    outcome first = push_yard(), second = push_yard();
    ck_assert_double_eq(json_value(first.out, "meshes_sent"), 4);
    ck_assert_double_eq(json_value(second.out, "meshes_sent"), 0);
    ck_assert_double_eq(json_value(second.out, "tiles"), json_value(first.out, "tiles"));
    ck_assert_double_eq(json_value(first.out, "failed_tiles"), 0);
}
END_TEST

START_TEST(a_move_sends_only_the_tiles_it_touches_and_an_undo_comes_from_the_cache)
{
    push_yard();
    navd_client *c = connect_client();
    navd_world world = open_yard(c);
    known before, k;
    navd_edit_result result;
    subscribe(c, &world, &before);
    ck_assert_int_ge(before.notes, 9);
    k = before;
    k.notes = k.made = k.cached = 0;
    navd_on_tile(c, learn, &k);

    navd_operation op = move_to("crate", 1, 0, 0.5f); // inside of tile 0,0: 10..13, 10..12.5
    EXPECT_OK(c, navd_edit(c, world.id, NULL, &op, 1, &result));
    EXPECT_OK(c, navd_wait(c, world.id, &result.revision, NULL));
    ck_assert_uint_eq(result.revision, world.revision + 1);
    ck_assert_int_ge(k.notes, 1);
    ck_assert_int_le(k.notes, 4); // the crate's tile, and those whose padding it reaches
    ck_assert_uint_le((unsigned)k.notes, result.dirty_tiles);
    ck_assert(memcmp(&k.key[1][1], &before.key[1][1], sizeof k.key[1][1]) != 0);
    ck_assert_mem_eq(&k.key[3][3], &before.key[3][3], sizeof k.key[3][3]);
    int moved = k.notes;

    k.notes = k.made = k.cached = 0;
    op = move_to("crate", 0, 0, 0);
    EXPECT_OK(c, navd_edit(c, world.id, NULL, &op, 1, &result));
    EXPECT_OK(c, navd_wait(c, world.id, &result.revision, NULL));
    ck_assert_int_eq(k.notes, moved);
    ck_assert_int_eq(k.made, 0);
    ck_assert_mem_eq(k.key, before.key, sizeof k.key);
    navd_close(c);
    navd_world_free(&world);
}
END_TEST

START_TEST(every_watcher_ends_up_with_the_same_tiles)
{
    push_yard();
    navd_client *a = connect_client(), *b = connect_client(), *editor = connect_client();
    navd_world world = open_yard(a);
    known from_a, from_b, late;
    subscribe(a, &world, &from_a);
    subscribe(b, &world, &from_b);
    navd_edit_result result = {0};
    for (int i = 0; i < 20; i++) {
        navd_operation ops[2] = {move_to("crate", (float)(i % 5), 0, (float)(i % 7)),
                                 move_to("shed", 0, 0, (float)i * 0.5f)};
        EXPECT_OK(editor, navd_edit(editor, world.id, NULL, ops, 2, &result));
    }
    EXPECT_OK(a, navd_wait(a, world.id, &result.revision, NULL));
    EXPECT_OK(b, navd_wait(b, world.id, &result.revision, NULL));
    subscribe(editor, &world, &late); // comes last and gets all at once
    ck_assert_mem_eq(from_a.key, from_b.key, sizeof from_a.key);
    ck_assert_mem_eq(from_a.key, late.key, sizeof from_a.key);
    navd_close(a);
    navd_close(b);
    navd_close(editor);
    navd_world_free(&world);
}
END_TEST

START_TEST(an_edit_with_one_wrong_operation_changes_nothing)
{
    push_yard();
    navd_client *c = connect_client();
    navd_world world = open_yard(c), again;
    known k;
    subscribe(c, &world, &k);
    int notes = k.notes;
    navd_operation ops[2] = {move_to("crate", 3, 0, 0), {.kind = NAVD_REMOVE_INSTANCE, .id = 12345}};
    ck_assert_int_eq(navd_edit(c, world.id, NULL, ops, 2, NULL), NAVD_ERR_NOT_FOUND);
    ck_assert_int_eq(navd_error_operation(c), 1);
    uint64_t stale = world.revision - 1;
    ck_assert_int_eq(navd_edit(c, world.id, &stale, ops, 1, NULL), NAVD_ERR_STATE);
    EXPECT_OK(c, navd_wait(c, world.id, NULL, NULL));
    EXPECT_OK(c, navd_world_open(c, "yard", false, NULL, NULL, 0, &again));
    ck_assert_uint_eq(again.revision, world.revision);
    ck_assert_int_eq(k.notes, notes);
    navd_close(c);
    navd_world_free(&world);
    navd_world_free(&again);
}
END_TEST

START_TEST(volumes_block_and_links_appear)
{
    push_yard();
    outcome r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--json", "--volume",
                           "7=0,-1,4,1,16,8,16,8,28,1,28", "--link", "9=2,0,2,38,0,28,0.5", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_double_ge(json_value(r.out, "tiles"), 2);
    const char *mesh = temp_path("edited.navd");
    r = run_navctl("watch", "-w", "yard", "-c", navd.socket, "--once", "-o", mesh, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    outcome info = run_navctl("info", "--json", mesh, NULL), plain = run_navctl("build", yard(), "--json", NULL);
    ck_assert_double_eq(json_value(info.out, "links"), 1);
    ck_assert_double_lt(json_value(info.out, "area_m2"), json_value(plain.out, "area_m2") - 80);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--remove-volume", "7", "--remove-link", "9", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--remove", "nobody", NULL);
    ck_assert_int_eq(r.code, 1);
    ck_assert_msg(
        strstr(r.err,
               "--remove nobody: there is no instance nobody in world yard (navctl world objects yard lists all"),
        "%s", r.err);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--move", "crat=1,2,3", NULL);
    ck_assert_int_eq(r.code, 1);
    ck_assert_msg(strstr(r.err, "there is no instance crat in world yard; near it: crate (navctl"), "%s", r.err);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--move", "SHED=1,2,3", NULL);
    ck_assert_msg(strstr(r.err, "; near it: shed (navctl"), "%s", r.err);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--remove", "foolr", NULL); // two slips
    ck_assert_msg(strstr(r.err, "; near it: floor (navctl"), "%s", r.err);
}
END_TEST

START_TEST(the_objects_of_a_world_are_listed_and_can_be_named_as_they_are)
{
    outcome r = run_navctl("push", yard(), "-w", "yard", "-c", navd.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--move", "crate=3,0,1", "--volume",
                   "7=0,-1,3,12,20,12,26,20,26", "--link", "9=1,0,1,30,0,25", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("world", "objects", "yard", "-c", navd.socket, "--scene", yard(), NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    const char *crate = strstr(r.out, "  crate"), *at = strstr(r.out, " at 3,0,1  mesh ");
    ck_assert_msg(crate && at && at < crate && !memchr(at, '\n', (size_t)(crate - at)), "%s", r.out);
    ck_assert_msg(strstr(r.out, "  floor") && strstr(r.out, "  shed") && strstr(r.out, "  step"), "%s", r.out);
    ck_assert_msg(strstr(r.out, "volume   7 ") && strstr(r.out, "link     9 "), "%s", r.out);
    char put[300];
    snprintf(put, sizeof put, "tree=%s@1,0,1", yard());
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--put", put, NULL); // stores no name
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--move", "tree=2,0,2", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    r = run_navctl("world", "objects", "yard", "-c", navd.socket, "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_msg(strstr(r.out, "\"name\": null") && strstr(r.out, "\"name\": \"crate\"") &&
                      strstr(r.out, "\"place\": [3, 0, 1]") && strstr(r.out, "\"place\": [2, 0, 2]"),
                  "%s", r.out);
    const char *id = strstr(r.out, "\"id\": \"@");
    ck_assert_ptr_nonnull(id);
    char number[64];
    ck_assert_int_eq(sscanf(id, "\"id\": \"%40[@0-9]", number), 1);
    r = run_navctl("edit", "-w", "yard", "-c", navd.socket, "--remove", number, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
}
END_TEST

START_TEST(a_world_that_is_not_there_is_named)
{
    static const char *const commands[] = {"watch", "edit"};
    for (int i = 0; i < 2; i++) {
        outcome r = run_navctl(commands[i], "-w", "nowhere", "-c", navd.socket, i ? "--remove" : "--once",
                               i ? "x" : NULL, NULL);
        ck_assert_int_eq(r.code, 1);
        ck_assert_msg(strstr(r.err, "no world nowhere") != NULL, "%s", r.err);
    }
}
END_TEST

START_TEST(a_world_keeps_its_settings_and_takes_further_profiles)
{
    push_yard();
    outcome r = run_navctl("push", yard(), "-w", "yard", "-c", navd.socket, "--cell-size", "0.2", NULL);
    ck_assert_int_eq(r.code, 1);
    ck_assert_msg(strstr(r.err, "other settings") != NULL, "%s", r.err);
    r = run_navctl("push", yard(), "-w", "yard", "-c", navd.socket, "--cell-size", "0.2", "--profile", "fine", "--json",
                   NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_double_ge(json_value(r.out, "tiles"), 16); // tiles of 9.6 m
    r = run_navctl("watch", "-w", "yard", "-c", navd.socket, "--once", "--profile", "fine", NULL);
    ck_assert_int_eq(r.code, 0);
    r = run_navctl("watch", "-w", "yard", "-c", navd.socket, "--once", "--profile", "coarse", NULL);
    ck_assert_int_eq(r.code, 1);
    ck_assert_msg(strstr(r.err, "no agent profile coarse") != NULL, "%s", r.err);
}
END_TEST

START_TEST(watch_keeps_a_folder_of_tiles)
{
    push_yard();
    const char *folder = temp_path("tiles");
    outcome r =
        run_navctl("watch", "-w", "yard", "-c", navd.socket, "--once", "--encoding", "detour", "-o", folder, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    char tile[256];
    snprintf(tile, sizeof tile, "%s/tile_1_1.bin", folder);
    r = run_navctl("info", "--json", tile, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert(strstr(r.out, "Detour tile") != NULL);
    r = run_navctl("watch", "-w", "yard", "-c", navd.socket, "--count", "3", "--json", NULL);
    ck_assert_int_eq(r.code, 0);
    int lines = 0;
    for (const char *p = r.out; *p; p++) lines += *p == '\n';
    ck_assert_int_eq(lines, 3);
}
END_TEST

START_TEST(the_same_over_tcp)
{
    char address[64];
    snprintf(address, sizeof address, "127.0.0.1:%d", navd.port);
    outcome r = run_navctl("push", yard(), "-w", "tcp", "-c", address, "--json", NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_double_ge(json_value(r.out, "tiles"), 9);
    r = run_navctl("world", "list", "-c", address, "--json", NULL);
    ck_assert(strstr(r.out, "\"name\": \"tcp\"") != NULL);
    r = run_navctl("stats", "-c", address, "--json", NULL);
    ck_assert_double_eq(json_value(r.out, "worlds"), 1);
    ck_assert_ptr_null(strstr(r.out, "protocol_errors")); // whoever comes over TCP is an editor here
    r = run_navctl("stats", "-c", navd.socket, "--json", NULL);
    ck_assert_double_eq(json_value(r.out, "protocol_errors"), 0);
}
END_TEST

START_TEST(stateless_building_gives_the_tiles_of_the_geometry_that_came_along)
{
    static const float verts[] = {0, 0, 0, 20, 0, 0, 20, 0, 20, 0, 0, 20};
    static const uint32_t tris[] = {0, 3, 2, 0, 2, 1};
    navd_client *c = connect_client();
    known k = {0};
    navd_build_request request = {.encoding = NAVD_ENCODING_NAVD,
                                  .last = {1, 1},
                                  .mesh = {verts, 4, tris, 2, NULL, NULL},
                                  .area = NAVD_AREA_DEFAULT};
    navd_settings_default(&request.settings);
    EXPECT_OK(c, navd_tiles_build(c, &request, learn, &k));
    ck_assert_int_eq(k.notes, 4);
    ck_assert_int_eq(k.status[1][1], NAVD_TILE_OK);
    navd_close(c);
}
END_TEST

START_TEST(tiles_can_be_asked_for_by_place)
{
    push_yard();
    navd_client *c = connect_client();
    navd_world world = open_yard(c);
    known k = {0};
    const int32_t places[3][2] = {{0, 0}, {2, 1}, {-1, -1}};
    EXPECT_OK(c, navd_tiles_get(c, world.id, world.profiles[0].name, NAVD_ENCODING_NAVD, places, 3, learn, &k));
    ck_assert_int_eq(k.notes, 3);
    ck_assert_int_eq(k.status[1][1], NAVD_TILE_OK);
    ck_assert_int_eq(k.status[2][3], NAVD_TILE_OK);
    ck_assert_int_ne(k.status[0][0], NAVD_TILE_OK);
    navd_close(c);
    navd_world_free(&world);
}
END_TEST

START_TEST(when_the_daemon_dies_its_clients_are_told_and_a_new_one_takes_its_place)
{
    daemon_process d;
    daemon_start(&d, NULL);
    navd_client *c;
    char why[256];
    ck_assert_int_eq(navd_connect(d.socket, "e2e", PATIENCE_MS, &c, why, sizeof why), NAVD_OK);
    daemon_kill(&d);
    ck_assert_int_eq(navd_world_close(c, 1), NAVD_ERR_CLOSED);
    navd_close(c);
    outcome r = run_navctl("stats", "-c", d.socket, NULL);
    ck_assert_int_eq(r.code, 3);
    ck_assert(strstr(r.err, d.socket) != NULL && strstr(r.err, "start navd") != NULL);
    daemon_start(&d, NULL); // on the socket that the dead one left behind
    r = run_navctl("stats", "-c", d.socket, NULL);
    ck_assert_msg(r.code == 0, "%s", r.err);
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("e2e");
    TCase *t = tcase_create("with a daemon"), *alone = tcase_create("alone");
    tcase_set_timeout(t, TEST_S);
    tcase_set_timeout(alone, TEST_S);
    tcase_add_checked_fixture(t, start, stop);
    suite_add_tcase(s, t);
    suite_add_tcase(s, alone);
    tcase_add_test(t, a_pushed_scene_comes_back_as_the_very_tiles_that_build_makes);
    tcase_add_test(t, seeds_give_the_very_tiles_that_build_makes_with_them_and_change_live);
    tcase_add_test(t, the_graph_of_a_world_is_that_of_its_scene);
    tcase_add_test(t, a_tile_of_a_world_is_that_of_its_scene);
    tcase_add_test(t, a_second_push_sends_no_mesh_again);
    tcase_add_test(t, a_move_sends_only_the_tiles_it_touches_and_an_undo_comes_from_the_cache);
    tcase_add_test(t, every_watcher_ends_up_with_the_same_tiles);
    tcase_add_test(t, an_edit_with_one_wrong_operation_changes_nothing);
    tcase_add_test(t, volumes_block_and_links_appear);
    tcase_add_test(t, the_objects_of_a_world_are_listed_and_can_be_named_as_they_are);
    tcase_add_test(t, a_world_that_is_not_there_is_named);
    tcase_add_test(t, a_world_keeps_its_settings_and_takes_further_profiles);
    tcase_add_test(t, watch_keeps_a_folder_of_tiles);
    tcase_add_test(t, the_same_over_tcp);
    tcase_add_test(t, stateless_building_gives_the_tiles_of_the_geometry_that_came_along);
    tcase_add_test(t, tiles_can_be_asked_for_by_place);
    tcase_add_test(alone, when_the_daemon_dies_its_clients_are_told_and_a_new_one_takes_its_place);
    return run_suite_in_folder(s);
}
