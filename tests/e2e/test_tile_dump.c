// One tile's input out of a daemon, as a file (navctl tile dump): it builds to the daemon's bytes anywhere, with and
// without a daemon.
#include "core/levels.h"
#include "core/tile/tile_format.h"
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon_pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static navd_client *client;
static navd_world world;

enum { SIDE = 3 }; // tiles of the world along x and z, from (0, 0)

static void start(void)
{
    char why[256];
    pair_start();
    ck_assert_msg(navd_connect(first.socket, "test", 60000, &client, why, sizeof why) == NAVD_OK, "%s", why);
}

static void stop(void)
{
    navd_close(client);
    navd_world_free(&world);
    pair_stop();
}

#define EXPECT_OK(call) ck_assert_msg((call) == NAVD_OK, #call ": %s", navd_error_text(client))

// A floor in small squares, so that a tile needs a part of it only, and a box.
enum { SQUARES = 44 };
static float floor_verts[3 * (SQUARES + 1) * (SQUARES + 1)];
static uint32_t floor_tris[6 * SQUARES * SQUARES];
static const float box_verts[24] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1, -1, 2, -1, 1, 2, -1, 1, 2, 1, -1, 2, 1};
static const uint32_t box_tris[30] = {0, 4, 5, 0, 5, 1, 1, 5, 6, 1, 6, 2, 2, 6, 7,
                                      2, 7, 3, 3, 7, 4, 3, 4, 0, 4, 7, 6, 4, 6, 5};

static navd_mesh make_floor(void)
{
    uint32_t *t = floor_tris;
    for (int z = 0; z <= SQUARES; z++)
        for (int x = 0; x <= SQUARES; x++) {
            float *v = floor_verts + 3 * (z * (SQUARES + 1) + x);
            v[0] = (float)x;
            v[1] = 0.02f * (float)((x * 7 + z * 3) % 11);
            v[2] = (float)z;
        }
    for (uint32_t z = 0; z < SQUARES; z++)
        for (uint32_t x = 0; x < SQUARES; x++) {
            uint32_t a = z * (SQUARES + 1) + x, b = a + 1, c = a + SQUARES + 1, d = c + 1;
            const uint32_t square[6] = {a, c, d, a, d, b};
            memcpy(t, square, sizeof square);
            t += 6;
        }
    return (navd_mesh){floor_verts, (SQUARES + 1) * (SQUARES + 1), floor_tris, 2 * SQUARES * SQUARES, NULL, NULL};
}

static navd_operation instance(uint64_t id, navd_key mesh, float x, float y, float z, float cosine, uint8_t area)
{
    float sine = cosine < 1 ? 0.6f : 0;
    navd_operation o = {.kind = NAVD_PUT_INSTANCE, .id = id};
    const float t[12] = {cosine, 0, sine, x, 0, 1, 0, y, -sine, 0, cosine, z};
    o.u.instance.mesh = mesh;
    o.u.instance.area = area;
    memcpy(o.u.instance.transform, t, sizeof t);
    return o;
}

static navd_operation volume(uint64_t id, float x, float z, float side, uint8_t area)
{
    navd_operation o = {.kind = NAVD_PUT_VOLUME, .id = id};
    const float points[8] = {x, z, x, z + side, x + side, z + side, x + side, z};
    o.u.volume.point_count = 4;
    memcpy(o.u.volume.points, points, sizeof points);
    o.u.volume.min_y = -1;
    o.u.volume.max_y = 3;
    o.u.volume.area = area;
    return o;
}

// Ground with boxes of three area types, volumes that block and that set an area, links, and two profiles. A wall of
// volumes shuts a corner of tile (1, 1) in, so that a seed elsewhere does not reach it.
static void make_world(const navd_reach *reach)
{
    navd_profile profiles[2] = {{.name = "walker"}, {.name = "child"}};
    const navd_mesh ground = make_floor(), box = {box_verts, 8, box_tris, 10, NULL, NULL};
    navd_key keys[2] = {navd_mesh_hash(&ground), navd_mesh_hash(&box)};
    navd_operation ops[16];
    size_t n = 0;
    navd_edit_result result;
    for (int i = 0; i < 2; i++) navd_settings_default(&profiles[i].settings);
    profiles[1].settings.agent_radius_m = 0.3f;
    profiles[1].settings.relaxation_m = 0.5f;
    profiles[1].settings.area_flags[9] = 6;
    const double origin[3] = {-0.5, 0.25, 0};
    EXPECT_OK(navd_mesh_put(client, &ground, NULL, NULL, NULL));
    EXPECT_OK(navd_mesh_put(client, &box, NULL, NULL, NULL));
    EXPECT_OK(navd_world_open(client, "yard", true, origin, profiles, 2, &world));
    if (reach) ops[n++] = (navd_operation){.kind = NAVD_SET_REACH, .u.reach = *reach};
    ops[n++] = instance(1, keys[0], 0, 0, 0, 1, 63);
    ops[n++] = instance(2, keys[1], 7, 0, 7, 0.8f, 63);
    ops[n++] = instance(3, keys[1], 20, -1.6f, 19, 1, 9);
    ops[n++] = instance(4, keys[1], 24, -1.5f, 17, 0.8f, 0);
    ops[n++] = instance(5, keys[0], 0, 5, 20, 1, 12);
    ops[n++] = volume(1, 16, 24, 3, 5);
    ops[n++] = volume(2, 30, 4, 5, 0);
    ops[n++] = volume(3, 15.5f, 15.5f, 0.6f, 0);
    navd_operation wall = volume(4, 14, 20, 1, 0);
    const float along[8] = {14, 20, 14, 21, 22, 21, 22, 20}, across[8] = {22, 14, 22, 21, 23, 21, 23, 14};
    memcpy(wall.u.volume.points, along, sizeof along);
    ops[n++] = wall;
    memcpy(wall.u.volume.points, across, sizeof across);
    wall.id = 5;
    ops[n++] = wall;
    memcpy(wall.u.volume.points, (const float[8]){13, 13, 13, 14, 23, 14, 23, 13}, sizeof along);
    wall.id = 6;
    ops[n++] = wall;
    memcpy(wall.u.volume.points, (const float[8]){13, 13, 13, 21, 14, 21, 14, 13}, sizeof along);
    wall.id = 7;
    ops[n++] = wall;
    navd_operation link = {.kind = NAVD_PUT_LINK, .id = 7};
    memcpy(link.u.link.start, (const float[3]){26, 0, 26}, sizeof link.u.link.start);
    memcpy(link.u.link.end, (const float[3]){26, 5, 28}, sizeof link.u.link.end);
    link.u.link.radius_m = 0.6f;
    link.u.link.area = 3;
    link.u.link.flags = 2;
    ops[n++] = link;
    EXPECT_OK(navd_edit(client, world.id, NULL, ops, n, &result));
    EXPECT_OK(navd_wait(client, world.id, NULL, NULL));
}

// A tile of a daemon at revision 0; the caller frees.
typedef struct tile_bytes {
    uint8_t *data;
    size_t size;
} tile_bytes;

static void keep_tile(void *user, const navd_tile *t)
{
    tile_bytes *b = user;
    ck_assert_msg(t->status == NAVD_TILE_OK || t->status == NAVD_TILE_EMPTY, "tile %d,%d: %s", t->x, t->z,
                  navd_tile_status_name(t->status));
    b->data = malloc(t->size + 1);
    ck_assert_ptr_nonnull(b->data);
    b->size = t->size;
    if (!t->size) return;
    memcpy(b->data, t->data, t->size);
    ck_assert_int_eq(nav_tile_set_revision(b->data, b->size, 0), NAV_OK);
}

static tile_bytes tile_of(navd_client *c, uint64_t of, const char *profile, int x, int z)
{
    const int32_t at[1][2] = {{x, z}};
    tile_bytes b = {NULL, 0};
    navd_status s = navd_tiles_get(c, of, profile, NAVD_ENCODING_NAVD, at, 1, keep_tile, &b);
    ck_assert_msg(s == NAVD_OK, "%s", navd_error_text(c));
    ck_assert_ptr_nonnull(b.data);
    return b;
}

// What navctl build makes of a file, without a daemon.
static tile_bytes built_tile(const char *file, const char *profile, int x, int z)
{
    char place[40], xs[16], zs[16];
    snprintf(place, sizeof place, "%d,%d", x, z);
    snprintf(xs, sizeof xs, "%d", x);
    snprintf(zs, sizeof zs, "%d", z);
    const char *tiles = temp_path("built.navd"), *tile = temp_path("built.tile");
    outcome r = run_navctl("build", file, "--only-tile", place, "--profile", profile, "-o", tiles, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("tile", tiles, xs, zs, "-o", tile, NULL);
    tile_bytes b = {NULL, 0};
    if (strstr(r.err, "no tile at")) return (tile_bytes){calloc(1, 1), 0};
    EXPECT_CODE(r, 0);
    b.data = read_file(tile, &b.size);
    return b;
}

static void expect_same(tile_bytes *mine, const tile_bytes *wanted, const char *what, int x, int z)
{
    ck_assert_msg(mine->size == wanted->size && !memcmp(mine->data, wanted->data, wanted->size),
                  "%s: tile %d,%d differs: %zu bytes, the daemon has %zu", what, x, z, mine->size, wanted->size);
    free(mine->data);
}

// The file into the other daemon, as a world of its own; its tile there.
static tile_bytes imported_tile(const char *file, const char *profile, int x, int z)
{
    navd_client *c;
    navd_world copy;
    char why[256];
    EXPECT_CODE(run_navctl("world", "import", file, "--world", "copy", "-c", second.socket, NULL), 0);
    ck_assert_msg(navd_connect(second.socket, "test", 60000, &c, why, sizeof why) == NAVD_OK, "%s", why);
    ck_assert_int_eq(navd_world_open(c, "copy", false, NULL, NULL, 0, &copy), NAVD_OK);
    ck_assert_int_eq(navd_wait(c, copy.id, NULL, NULL), NAVD_OK);
    tile_bytes b = tile_of(c, copy.id, profile, x, z);
    ck_assert_int_eq(navd_world_delete(c, copy.id), NAVD_OK);
    navd_world_free(&copy);
    navd_close(c);
    return b;
}

// Every tile of the world, with cut and with whole meshes, here and in another daemon. How many hold something.
static int dump_all(const char *profile)
{
    int filled = 0;
    for (int x = 0; x < SIDE; x++)
        for (int z = 0; z < SIDE; z++) {
            char xs[16], zs[16];
            const char *cut = temp_path("cut.navdworld"), *whole = temp_path("whole.navdworld");
            snprintf(xs, sizeof xs, "%d", x);
            snprintf(zs, sizeof zs, "%d", z);
            outcome r = run_navctl("tile", "dump", "yard", xs, zs, "--profile", profile, "-o", cut, "--json", "-c",
                                   first.socket, NULL);
            EXPECT_CODE(r, 0);
            ck_assert_msg(strstr(r.out, "\"compared\": \"same\"") != NULL, "%s", r.out);
            r = run_navctl("tile", "dump", "yard", xs, zs, "--profile", profile, "-o", whole, "--whole-meshes", "-c",
                           first.socket, NULL);
            EXPECT_CODE(r, 0);
            tile_bytes wanted = tile_of(client, world.id, profile, x, z);
            tile_bytes of_cut = built_tile(cut, profile, x, z), of_whole = built_tile(whole, profile, x, z);
            filled += wanted.size > 0;
            expect_same(&of_cut, &wanted, "cut meshes", x, z);
            expect_same(&of_whole, &wanted, "whole meshes", x, z);
            if (x == z) {
                tile_bytes imported = imported_tile(cut, profile, x, z);
                expect_same(&imported, &wanted, "another daemon", x, z);
            }
            free(wanted.data);
        }
    return filled;
}

START_TEST(a_dumped_tile_builds_to_the_same_bytes_elsewhere)
{
    make_world(NULL);
    ck_assert_int_eq(dump_all("walker"), SIDE * SIDE);
    ck_assert_int_eq(dump_all("child"), SIDE * SIDE);
}
END_TEST

START_TEST(the_table_of_areas_goes_with_a_tile)
{
    navd_area_type types[2];
    navd_areas after;
    make_world(NULL);
    for (int i = 0; i < 2; i++) navd_area_default(&types[i], i ? 9 : 12);
    types[0].walkable = false;
    types[1].cost = 4;
    EXPECT_OK(navd_world_areas(client, world.id, types, 2, false, &after));
    ck_assert_uint_gt(after.dirty_tiles, 0);
    EXPECT_OK(navd_wait(client, world.id, NULL, NULL));
    dump_all("walker");
}
END_TEST

static const float gate[1][3] = {{2, 0, 2}}, nowhere[1][3] = {{2000, 0, 2}};
static const navd_reach goals[] = {
    {.unreachable = NAVD_UNREACHABLE_DROP, .seeds = gate, .seed_count = 1},
    {.unreachable = NAVD_UNREACHABLE_FLAG, .seeds = gate, .seed_count = 1},
    {.unreachable = NAVD_UNREACHABLE_DROP, .island_min_area_m2 = 60},
    {.unreachable = NAVD_UNREACHABLE_FLAG, .island_min_area_m2 = 60},
    {.unreachable = NAVD_UNREACHABLE_FLAG, .seeds = nowhere, .seed_count = 1},
    {.unreachable = NAVD_UNREACHABLE_DROP, .seeds = nowhere, .seed_count = 1},
};

START_TEST(what_the_world_reaches_of_a_tile_is_in_the_file)
{
    make_world(&goals[_i]);
    navd_reach_report *r;
    EXPECT_OK(navd_world_reach(client, world.id, &r));
    ck_assert_uint_gt(r->profiles[0].unreachable_parts, 0); // else this shows nothing
    navd_reach_report_free(r);
    dump_all("walker");
}
END_TEST

START_TEST(a_whole_world_builds_from_its_file_to_the_tiles_of_the_daemon)
{
    const char *file = temp_path("yard.navdworld"), *built = temp_path("all.navd");
    make_world(&goals[0]);
    EXPECT_CODE(run_navctl("world", "export", "yard", "-o", file, "-c", first.socket, NULL), 0);
    EXPECT_CODE(run_navctl("build", file, "--profile", "child", "-o", built, NULL), 0);
    for (int x = 0; x < SIDE; x++)
        for (int z = 0; z < SIDE; z++) {
            char xs[16], zs[16];
            tile_bytes wanted = tile_of(client, world.id, "child", x, z), mine;
            snprintf(xs, sizeof xs, "%d", x);
            snprintf(zs, sizeof zs, "%d", z);
            EXPECT_CODE(run_navctl("tile", built, xs, zs, "-o", temp_path("one"), NULL), 0);
            mine.data = read_file(temp_path("one"), &mine.size);
            expect_same(&mine, &wanted, "the whole world", x, z);
            free(wanted.data);
        }
}
END_TEST

START_TEST(a_dump_holds_only_what_the_tile_needs)
{
    make_world(NULL);
    outcome r = run_navctl("tile", "dump", "yard", "2", "0", "-o", temp_path("d"), "--json", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    // Of the first floor a ninth and the padding, none of the boxes and of the upper floor; one volume of seven.
    ck_assert_msg(strstr(r.out, "\"instances\": 1,") && strstr(r.out, "\"meshes\": 1,") &&
                      strstr(r.out, "\"all_triangles\": 3872,") && strstr(r.out, "\"volumes\": 1,") &&
                      strstr(r.out, "\"links\": 0,"),
                  "%s", r.out);
    const char *kept = strstr(r.out, "\"triangles\": ");
    ck_assert_ptr_nonnull(kept);
    int triangles = atoi(kept + 13);
    ck_assert_msg(triangles > 300 && triangles < 1300, "%d triangles are kept", triangles);
    r = run_navctl("tile", "dump", "yard", "1", "1", "-o", temp_path("d"), "--json", "-c", first.socket, NULL);
    ck_assert_msg(strstr(r.out, "\"links\": 1,") && strstr(r.out, "\"instances\": 4,"), "%s", r.out);
}
END_TEST

START_TEST(a_daemon_at_the_lowest_level_makes_the_same_tiles)
{
    static const char *const lowest[] = {"--level", "base", NULL};
    daemon_options at = {.socket = temp_path("third.sock"), .no_tcp = true, .arguments = lowest};
    const char *file = temp_path("yard.navdworld");
    daemon_process third;
    navd_client *c;
    navd_world copy;
    char why[256];
    make_world(NULL);
    EXPECT_CODE(run_navctl("world", "export", "yard", "-o", file, "-c", first.socket, NULL), 0);
    daemon_launch(&third, &at);
    EXPECT_CODE(run_navctl("world", "import", file, "-c", third.socket, NULL), 0);
    ck_assert_msg(navd_connect(third.socket, "test", 60000, &c, why, sizeof why) == NAVD_OK, "%s", why);
    ck_assert_int_eq(navd_world_open(c, "yard", false, NULL, NULL, 0, &copy), NAVD_OK);
    ck_assert_int_eq(navd_wait(c, copy.id, NULL, NULL), NAVD_OK);
    for (int x = 0; x < SIDE; x++) {
        tile_bytes wanted = tile_of(client, world.id, "child", x, 1), mine = tile_of(c, copy.id, "child", x, 1);
        expect_same(&mine, &wanted, "level base", x, 1);
        free(wanted.data);
    }
    navd_world_free(&copy);
    navd_close(c);
    ck_assert_int_eq(daemon_stop(&third), 0);
}
END_TEST

START_TEST(a_level_that_the_machine_does_not_have_is_refused_with_those_that_it_has)
{
    char text[1024];
    for (nav_level l = 0; l < NAV_LEVEL_COUNT; l++) {
        const char *const level[] = {"--level", nav_level_name(l), NULL};
        daemon_options at = {.socket = temp_path("refused.sock"), .no_tcp = true, .arguments = level};
        if (nav_build_at(l)) continue;
        ck_assert_int_ne(daemon_refused(&at, text, sizeof text), 0);
        ck_assert_msg(strstr(text, nav_level_name(l)) && strstr(text, "this machine has base"), "%s", text);
    }
    static const char *const unknown[] = {"--level", "v9", NULL};
    daemon_options at = {.socket = temp_path("refused.sock"), .no_tcp = true, .arguments = unknown};
    ck_assert_int_ne(daemon_refused(&at, text, sizeof text), 0);
    ck_assert_msg(strstr(text, "best, base, v3") || strstr(text, "best base v3"), "%s", text);
}
END_TEST

START_TEST(what_cannot_be_dumped_or_built_is_said)
{
    const char *file = temp_path("d.navdworld");
    make_world(NULL);
    outcome r = run_navctl("tile", "dump", "yard", "one", "0", "-c", first.socket, NULL);
    EXPECT_CODE(r, 2);
    ck_assert_msg(strstr(r.err, "X one") != NULL, "%s", r.err);
    r = run_navctl("tile", "dump", "nowhere", "0", "0", "-c", first.socket, NULL);
    EXPECT_CODE(r, 1);
    ck_assert_msg(strstr(r.err, "no world nowhere") != NULL, "%s", r.err);
    r = run_navctl("tile", "dump", "yard", "0", "0", "--profile", "giant", "-c", first.socket, NULL);
    EXPECT_CODE(r, 1);
    ck_assert_msg(strstr(r.err, "giant") != NULL, "%s", r.err);
    // A place where the world has nothing is no error: that may be what is wrong.
    r = run_navctl("tile", "dump", "yard", "70", "-70", "-o", file, "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "the daemon has no tile") != NULL, "%s", r.out);
    EXPECT_CODE(run_navctl("build", file, "--only-tile", "70,-70", NULL), 0);
    r = run_navctl("build", file, NULL);
    EXPECT_CODE(r, 4);
    ck_assert_msg(strstr(r.err, "holds no triangles") != NULL, "%s", r.err);
    r = run_navctl("build", file, "--only-tile", "70", NULL);
    EXPECT_CODE(r, 2);
    ck_assert_msg(strstr(r.err, "X,Z") != NULL, "%s", r.err);
    r = run_navctl("build", file, "--only-tile", "70,-70", "--profile", "giant", NULL);
    EXPECT_CODE(r, 1);
    ck_assert_msg(strstr(r.err, "giant") != NULL, "%s", r.err);
    write_text(temp_path("yard.obj"), YARD_OBJ);
    r = run_navctl("build", temp_path("yard.obj"), "--profile", "walker", NULL);
    EXPECT_CODE(r, 2);
    ck_assert_msg(strstr(r.err, "only those have profiles") != NULL, "%s", r.err);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tile_dump");
    TCase *t = tcase_create("tile_dump");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, start, stop);
    tcase_add_test(t, a_dumped_tile_builds_to_the_same_bytes_elsewhere);
    tcase_add_test(t, the_table_of_areas_goes_with_a_tile);
    tcase_add_loop_test(t, what_the_world_reaches_of_a_tile_is_in_the_file, 0, sizeof goals / sizeof *goals);
    tcase_add_test(t, a_whole_world_builds_from_its_file_to_the_tiles_of_the_daemon);
    tcase_add_test(t, a_dump_holds_only_what_the_tile_needs);
    tcase_add_test(t, a_daemon_at_the_lowest_level_makes_the_same_tiles);
    tcase_add_test(t, a_level_that_the_machine_does_not_have_is_refused_with_those_that_it_has);
    tcase_add_test(t, what_cannot_be_dumped_or_built_is_said);
    return run_suite_in_folder(s);
}
