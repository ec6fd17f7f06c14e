// A world out of one daemon and into another, through a file: the same objects, and so the same tiles.
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon_pair.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// All tiles of a world in one file.
static uint8_t *tiles_of(const daemon_process *d, const char *world, size_t *count)
{
    const char *path = temp_path("tiles.navd");
    outcome r = run_navctl("watch", "--world", world, "--once", "-o", path, "-c", d->socket, NULL);
    EXPECT_CODE(r, 0);
    return read_file(path, count);
}

START_TEST(a_world_that_is_exported_and_imported_elsewhere_has_the_same_tiles)
{
    const char *file = temp_path("yard.navdworld");
    push_yard();
    outcome r = run_navctl("world", "export", "yard", "-o", file, "--json", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "\"objects\": 6,") != NULL, "%s", r.out);
    r = run_navctl("world", "import", file, "--world", "copy", "--json", "-c", second.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "\"objects\": 6,") != NULL, "%s", r.out);
    size_t a_count, b_count;
    uint8_t *a = tiles_of(&first, "yard", &a_count), *b = tiles_of(&second, "copy", &b_count);
    ck_assert_uint_eq(a_count, b_count);
    ck_assert_mem_eq(a, b, a_count);
    free(a);
    free(b);
    ck_assert_int_eq(count_files("yard.navdworld"), 1); // nothing half-written beside it
}
END_TEST

// Materials with areas, objects of a source and of nobody, a table, two agents, a goal.
static void push_lane(void)
{
    static const char text[] = "v 0 0 0\nv 20 0 0\nv 20 0 20\nv 0 0 20\nv 40 0 0\nv 40 0 20\nv 60 0 0\nv 60 0 20\n"
                               "o lawn\nusemtl grass\nf 1 4 3 2\nusemtl water_deep\nf 2 3 6 5\n"
                               "o street\nusemtl road\nf 5 6 8 7\n";
    write_text(temp_path("lane.obj"), text);
    outcome r = run_navctl("push", temp_path("lane.obj"), "--world", "lane", "--source", "level", "--area", "water*=7",
                           "--area", "street=2", "--walkable-areas", "1-9,63", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("world", "profile", "lane", "boat", "--agent-radius", "0.3", "--area-flags", "7=8", "-c",
                   first.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("world", "areas", "lane", "--set", "7,name=water,cost=10,flags=6,color=3366cc", "--set",
                   "5,name=mud,cost=2.5", "--set", "2,walkable=no", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("edit", "--world", "lane", "--volume", "1=5,-1,3,2,2,2,8,8,8,8,2", "--link", "7=1,0,1,30,0,15",
                   "--seed", "2,0,2", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
}

START_TEST(an_import_is_exported_as_the_same_file)
{
    size_t a_count, b_count;
    const char *file = temp_path("a.navdworld"), *again = temp_path("b.navdworld");
    push_lane();
    EXPECT_CODE(run_navctl("world", "export", "lane", "-o", file, "-c", first.socket, NULL), 0);
    EXPECT_CODE(run_navctl("world", "import", file, "-c", second.socket, NULL), 0);
    EXPECT_CODE(run_navctl("world", "export", "lane", "-o", again, "-c", second.socket, NULL), 0);
    uint8_t *a = read_file(file, &a_count), *b = read_file(again, &b_count);
    ck_assert_uint_eq(a_count, b_count);
    ck_assert_mem_eq(a, b, a_count);
    free(a);
    free(b);
    // And what both hold is what was pushed.
    static outcome table, objects, world;
    table = run_navctl("world", "areas", "lane", "-c", second.socket, NULL);
    ck_assert_str_eq(table.out, " 2                       cost 1, not walkable\n"
                                " 5  mud                  cost 2.5\n"
                                " 7  water                cost 10, flags 0x6, color 3366cc\n");
    objects = run_navctl("world", "objects", "lane", "--json", "-c", second.socket, NULL);
    world = run_navctl("world", "objects", "lane", "--json", "-c", first.socket, NULL);
    EXPECT_CODE(objects, 0);
    ck_assert_msg(strstr(objects.out, "\"source\": \"level\"") != NULL, "%s", objects.out);
    ck_assert_str_eq(objects.out, world.out);
}
END_TEST

START_TEST(tiles_of_an_import_are_those_of_its_agents_with_the_table)
{
    static const char *const profiles[] = {"default", "boat"};
    push_lane();
    EXPECT_CODE(run_navctl("world", "export", "--all", temp_path("all"), "-c", first.socket, NULL), 0);
    EXPECT_CODE(run_navctl("world", "import", "--all", temp_path("all"), "-c", second.socket, NULL), 0);
    for (int i = 0; i < 2; i++) {
        const char *path[3] = {temp_path("first.bin"), temp_path("second.bin"), temp_path("built.bin")};
        size_t count[3];
        uint8_t *bytes[3];
        for (int d = 0; d < 2; d++) {
            outcome r = run_navctl("watch", "--world", "lane", "--profile", profiles[i], "--encoding", "detour",
                                   "--once", "-o", path[d], "-c", d ? second.socket : first.socket, NULL);
            EXPECT_CODE(r, 0);
        }
        EXPECT_CODE(run_navctl("build", temp_path("all/lane.navdworld"), "--profile", profiles[i], "-o", path[2], NULL),
                    0);
        for (int k = 0; k < 3; k++) bytes[k] = read_file(path[k], &count[k]);
        for (int k = 1; k < 3; k++) {
            ck_assert_uint_eq(count[k], count[0]);
            ck_assert_mem_eq(bytes[k], bytes[0], count[0]);
        }
        for (int k = 0; k < 3; k++) free(bytes[k]);
    }
    // Without the table there are others: the test can fail.
    EXPECT_CODE(run_navctl("build", temp_path("all/lane.navdworld"), "--area-type", "2,walkable=yes", "-o",
                           temp_path("other.bin"), NULL),
                0);
    size_t with, without;
    uint8_t *a = read_file(temp_path("other.bin"), &without);
    EXPECT_CODE(run_navctl("build", temp_path("all/lane.navdworld"), "-o", temp_path("same.bin"), NULL), 0);
    uint8_t *b = read_file(temp_path("same.bin"), &with);
    ck_assert_uint_gt(without, with);
    free(a);
    free(b);
}
END_TEST

START_TEST(a_world_that_is_built_where_it_is_watched_stays_one)
{
    navd_client *c;
    navd_world world;
    char why[256];
    navd_operation op = {.kind = NAVD_SET_BUILD, .u.build = {NAVD_BUILD_WATCHED, 12.5}};
    push_lane();
    ck_assert_int_eq(navd_connect(first.socket, "test", PATIENCE_MS, &c, why, sizeof why), NAVD_OK);
    ck_assert_int_eq(navd_world_open(c, "lane", false, NULL, NULL, 0, &world), NAVD_OK);
    ck_assert_int_eq(navd_edit(c, world.id, NULL, &op, 1, NULL), NAVD_OK);
    navd_world_free(&world);
    navd_close(c);
    EXPECT_CODE(run_navctl("world", "export", "lane", "-o", temp_path("w"), "-c", first.socket, NULL), 0);
    EXPECT_CODE(run_navctl("world", "import", temp_path("w"), "-c", second.socket, NULL), 0);
    ck_assert_int_eq(navd_connect(second.socket, "test", PATIENCE_MS, &c, why, sizeof why), NAVD_OK);
    ck_assert_int_eq(navd_world_open(c, "lane", false, NULL, NULL, 0, &world), NAVD_OK);
    ck_assert(world.build == NAVD_BUILD_WATCHED && world.margin_m == 12.5);
    navd_world_free(&world);
    navd_close(c);
}
END_TEST

START_TEST(a_live_world_is_drawn_with_its_objects)
{
    const char *before = temp_path("before.svg"), *after = temp_path("after.svg");
    push_yard();
    outcome r = run_navctl("world", "picture", "yard", "-o", before, "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    // A volume far above all ground changes no tile.
    r = run_navctl("edit", "--world", "yard", "--volume", "2=0,50,60,2,2,4,2,4,4", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("world", "picture", "yard", "-o", after, "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    size_t a_count, b_count;
    uint8_t *a = read_file(before, &a_count), *b = read_file(after, &b_count);
    ck_assert(a_count != b_count || memcmp(a, b, a_count) != 0);
    free(a);
    free(b);
    // Ground in the colour of the table.
    r = run_navctl("world", "areas", "yard", "--set", "63,name=lawn,color=ff0000", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("world", "picture", "yard", "-o", after, "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    b = read_file(after, &b_count);
    ck_assert(memmem(b, b_count, "rgb(100%,0%,0%)", strlen("rgb(100%,0%,0%)")) != NULL);
    free(b);
    r = run_navctl("world", "picture", "nobody", "-o", temp_path("none.png"), "-c", first.socket, NULL);
    EXPECT_CODE(r, 1);
    ck_assert(!file_exists(temp_path("none.png")));
    r = run_navctl("world", "picture", "yard", "-c", first.socket, NULL);
    EXPECT_CODE(r, 2);
}
END_TEST

START_TEST(all_worlds_go_to_a_folder_and_come_back)
{
    const char *folder = temp_path("backup");
    push_yard();
    outcome r = run_navctl("push", temp_path("yard.obj"), "--world", ".odd/50%", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("world", "export", "--all", folder, "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert(file_exists(temp_path("backup/yard.navdworld")));
    ck_assert(file_exists(temp_path("backup/%2Eodd%2F50%25.navdworld")));
    r = run_navctl("world", "export", "--all", folder, "-c", first.socket, NULL);
    expect_error(&r, 1, "holds 2 worlds already, such as ");

    r = run_navctl("world", "import", "--all", folder, "-c", second.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("world", "list", "-c", second.socket, NULL);
    ck_assert_msg(strstr(r.out, "yard ") && strstr(r.out, ".odd/50% "), "%s", r.out);
    size_t a_count, b_count;
    uint8_t *a = tiles_of(&first, "yard", &a_count), *b = tiles_of(&second, "yard", &b_count);
    ck_assert_uint_eq(a_count, b_count);
    ck_assert_mem_eq(a, b, a_count);
    free(a);
    free(b);

    // What is there already is refused by itself: the others come.
    r = run_navctl("world", "delete", "yard", "--yes", "-c", second.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("world", "import", "--all", folder, "--json", "-c", second.socket, NULL);
    EXPECT_CODE(r, 1);
    ck_assert_msg(strstr(r.out, "\"world\": \"yard\"") && !strstr(r.out, "odd"), "%s", r.out);
    r = run_navctl("world", "export", "yard", "--all", folder, NULL);
    expect_error(&r, 2, "--all takes no further name");
    r = run_navctl("world", "import", NULL);
    expect_error(&r, 2, "name it, or give --all FOLDER");
    r = run_navctl("world", "import", "--all", temp_path("nowhere"), "-c", second.socket, NULL);
    expect_error(&r, 4, "nowhere: No such file");
}
END_TEST

START_TEST(an_admin_is_told_of_worlds_in_other_namespaces)
{
    outcome r = run_navctl("world", "list", "-c", first.socket, NULL);
    ck_assert_str_eq(r.err, "navctl: no worlds (create one with navctl push)\n");
    write_text(temp_path("yard.obj"), YARD_OBJ);
    for (int i = 0; i < 2; i++) {
        r = run_navctl("push", temp_path("yard.obj"), "--world", i ? "b" : "a", "--namespace", "red", "-c",
                       first.socket, NULL);
        EXPECT_CODE(r, 0);
    }
    r = run_navctl("world", "list", "-c", first.socket, NULL);
    ck_assert_msg(strstr(r.err, "2 more worlds in 1 other namespace; navctl namespaces lists them"), "%s", r.err);
    r = run_navctl("world", "list", "--namespace", "red", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_str_eq(r.err, ""); // all are here
    r = run_navctl("world", "list", "--json", "-c", first.socket, NULL);
    ck_assert_str_eq(r.err, "");
}
END_TEST

START_TEST(an_import_never_touches_a_world_that_exists)
{
    const char *file = temp_path("yard.navdworld");
    push_yard();
    EXPECT_CODE(run_navctl("world", "export", "yard", "-o", file, "-c", first.socket, NULL), 0);
    uint64_t edits = daemon_stat(&first, "edits");
    outcome r = run_navctl("world", "import", file, "-c", first.socket, NULL);
    EXPECT_CODE(r, 1);
    ck_assert_msg(strstr(r.err, "world yard exists already") != NULL, "%s", r.err);
    ck_assert_uint_eq(daemon_stat(&first, "edits"), edits);
}
END_TEST

START_TEST(a_world_is_deleted_when_it_is_said_so_twice)
{
    push_yard();
    outcome r = run_navctl("world", "delete", "yard", "-c", first.socket, NULL);
    EXPECT_CODE(r, 2);
    ck_assert_msg(strstr(r.err, "4 instances") && strstr(r.err, "--yes"), "%s", r.err);
    ck_assert_uint_eq(daemon_stat(&first, "worlds"), 1);
    EXPECT_CODE(run_navctl("world", "delete", "yard", "--yes", "-c", first.socket, NULL), 0);
    ck_assert_uint_eq(daemon_stat(&first, "worlds"), 0);
    r = run_navctl("world", "delete", "yard", "--yes", "-c", first.socket, NULL);
    EXPECT_CODE(r, 1);
    ck_assert_msg(strstr(r.err, "no world yard"), "%s", r.err);
    r = run_navctl("world", "export", "yard", "-o", temp_path("none"), "-c", first.socket, NULL);
    EXPECT_CODE(r, 1);
    ck_assert_msg(strstr(r.err, "no world yard"), "%s", r.err);
    r = run_navctl("world", "list", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_str_eq(r.out, ""); // for programs
    ck_assert_msg(strstr(r.err, "no worlds"), "%s", r.err);
}
END_TEST

START_TEST(a_world_that_came_back_from_disk_is_exported_as_it_was)
{
    daemon_process third;
    daemon_options at = {.socket = temp_path("third.sock"), .no_tcp = true, .state = temp_path("state")};
    size_t a_count, b_count;
    push_yard();
    EXPECT_CODE(run_navctl("world", "export", "yard", "-o", temp_path("a"), "-c", first.socket, NULL), 0);
    daemon_launch(&third, &at);
    EXPECT_CODE(run_navctl("world", "import", temp_path("a"), "-c", third.socket, NULL), 0);
    ck_assert_int_eq(daemon_stop(&third), 0);
    daemon_launch(&third, &at);
    EXPECT_CODE(run_navctl("world", "export", "yard", "-o", temp_path("b"), "-c", third.socket, NULL), 0);
    EXPECT_CODE(run_navctl("world", "import", temp_path("b"), "--world", "again", "-c", second.socket, NULL), 0);
    uint8_t *a = tiles_of(&first, "yard", &a_count), *b = tiles_of(&second, "again", &b_count);
    ck_assert_uint_eq(a_count, b_count);
    ck_assert_mem_eq(a, b, a_count);
    free(a);
    free(b);
    ck_assert_int_eq(daemon_stop(&third), 0);
}
END_TEST

enum { VOLUMES = 6000 }; // more than the first page has

static navd_operation volume(uint64_t id, float top)
{
    return (navd_operation){.kind = NAVD_PUT_VOLUME,
                            .id = id,
                            .u.volume = {.point_count = 3, .points = {0, 0, 1, 0, 0, 1}, .max_y = top, .area = 3}};
}

typedef struct busy {
    navd_client *client;
    uint64_t world;
    atomic_bool stop;
    atomic_uint edits; // answered
} busy;

// Both ends of the list change in one edit, over and over.
static void *edit_on(void *user)
{
    busy *b = user;
    for (float top = 3; !atomic_load(&b->stop); top++) {
        navd_operation ops[2] = {volume(0, top), volume(VOLUMES - 1, top)};
        ck_assert_int_eq(navd_edit(b->client, b->world, NULL, ops, 2, NULL), NAVD_OK);
        atomic_fetch_add(&b->edits, 1);
    }
    return NULL;
}

START_TEST(an_export_of_a_world_that_is_edited_all_the_time_is_of_one_revision)
{
    busy b = {.client = NULL};
    navd_world world, copy;
    navd_objects all;
    pthread_t thread;
    char why[256] = "";
    navd_operation *ops = calloc(VOLUMES, sizeof *ops);
    for (uint64_t i = 0; i < VOLUMES; i++) ops[i] = volume(i, 2);
    ck_assert_msg(navd_connect(first.socket, "busy", PATIENCE_MS, &b.client, why, sizeof why) == NAVD_OK, "%s", why);
    navd_set_timeout(b.client, PATIENCE_MS);
    ck_assert_int_eq(navd_world_open(b.client, "busy", true, NULL, NULL, 0, &world), NAVD_OK);
    ck_assert_int_eq(navd_edit(b.client, world.id, NULL, ops, VOLUMES, NULL), NAVD_OK);
    b.world = world.id;
    ck_assert_int_eq(pthread_create(&thread, NULL, edit_on, &b), 0);
    while (!atomic_load(&b.edits)) sched_yield();
    outcome r = run_navctl("world", "export", "busy", "-o", temp_path("busy"), "-c", first.socket, NULL);
    atomic_store(&b.stop, true);
    pthread_join(thread, NULL);
    EXPECT_CODE(r, 0);
    navd_close(b.client);

    EXPECT_CODE(run_navctl("world", "import", temp_path("busy"), "-c", second.socket, NULL), 0);
    ck_assert_msg(navd_connect(second.socket, "check", PATIENCE_MS, &b.client, why, sizeof why) == NAVD_OK, "%s", why);
    ck_assert_int_eq(navd_world_open(b.client, "busy", false, NULL, NULL, 0, &copy), NAVD_OK);
    ck_assert_int_eq(navd_world_objects(b.client, copy.id, NULL, 16384, &all), NAVD_OK);
    ck_assert_uint_eq(all.count, VOLUMES);
    float tops[2] = {0, 0};
    for (size_t i = 0; i < all.count; i++) {
        if (all.objects[i].id == 0) tops[0] = all.objects[i].u.volume.max_y;
        if (all.objects[i].id == VOLUMES - 1) tops[1] = all.objects[i].u.volume.max_y;
    }
    ck_assert_float_gt(tops[0], 0);
    ck_assert_float_eq(tops[0], tops[1]);
    navd_objects_free(&all);
    navd_world_free(&world);
    navd_world_free(&copy);
    navd_close(b.client);
    free(ops);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("world_copy");
    TCase *t = tcase_create("world_copy");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, NULL, remove_temp_folder);
    tcase_add_checked_fixture(t, pair_start, pair_stop);
    tcase_add_test(t, a_world_that_is_exported_and_imported_elsewhere_has_the_same_tiles);
    tcase_add_test(t, an_import_is_exported_as_the_same_file);
    tcase_add_test(t, tiles_of_an_import_are_those_of_its_agents_with_the_table);
    tcase_add_test(t, a_world_that_is_built_where_it_is_watched_stays_one);
    tcase_add_test(t, a_live_world_is_drawn_with_its_objects);
    tcase_add_test(t, all_worlds_go_to_a_folder_and_come_back);
    tcase_add_test(t, an_admin_is_told_of_worlds_in_other_namespaces);
    tcase_add_test(t, an_import_never_touches_a_world_that_exists);
    tcase_add_test(t, a_world_is_deleted_when_it_is_said_so_twice);
    tcase_add_test(t, a_world_that_came_back_from_disk_is_exported_as_it_was);
    tcase_add_test(t, an_export_of_a_world_that_is_edited_all_the_time_is_of_one_revision);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
