// A world whose agent stands on walls and ceilings, with the real programs: what a subscriber has is, to the byte, what
// navctl makes of the same scene without a daemon, after a push, an edit, kill -9 and a restart, and an import.
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The inside of a room of 8 by 6 by 10 m, and a crate of 2 m in it.
static const char room[] = "o room\n"
                           "v 0 0 0\nv 8 0 0\nv 8 0 10\nv 0 0 10\nv 0 6 0\nv 8 6 0\nv 8 6 10\nv 0 6 10\n"
                           "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 3 4 8 7\nf 2 3 7 6\nf 4 1 5 8\n"
                           "o crate\n"
                           "v 3 0 3\nv 5 0 3\nv 5 0 5\nv 3 0 5\nv 3 2 3\nv 5 2 3\nv 5 2 5\nv 3 2 5\n"
                           "f 9 10 11 12\nf 16 15 14 13\nf 13 14 10 9\nf 15 16 12 11\nf 14 15 11 10\nf 16 13 9 12\n";

static daemon_process navd;
static daemon_options with_state;

static void launch(void)
{
    static char state[256];
    snprintf(state, sizeof state, "%s", temp_path("state"));
    with_state.state = state;
    daemon_launch(&navd, &with_state);
}

static void setup(void)
{
    write_text(temp_path("room.obj"), room);
    launch();
}

static void teardown(void)
{
    ck_assert_int_eq(daemon_stop(&navd), 0);
}

static void push(const char *world)
{
    const outcome r =
        run_navctl("push", temp_path("room.obj"), "--world", world, "--sheets", "all", "--agent-radius", "0.3",
                   "--agent-height", "1", "--cell-size", "0.1", "--tile", "32", "--connect", navd.socket, NULL);
    EXPECT_CODE(r, 0);
}

static void move_crate(const char *to)
{
    char step[64];
    snprintf(step, sizeof step, "crate=%s", to);
    const outcome r = run_navctl("edit", "--world", "hull", "--move", step, "--connect", navd.socket, NULL);
    EXPECT_CODE(r, 0);
}

// The tiles of the world as a subscriber has them, in one file.
static uint8_t *watched(const char *world, size_t *count)
{
    const char *file = temp_path("watched.navd");
    const outcome r = run_navctl("watch", "--world", world, "--once", "-o", file, "--connect", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    return read_file(file, count);
}

// Those that navctl makes of what the world exports.
static uint8_t *built(const char *world, size_t *count)
{
    const char *file = temp_path("built.navd"), *exported = temp_path("exported.navdworld");
    outcome r = run_navctl("world", "export", world, "-o", exported, "--connect", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("build", exported, "-o", file, NULL);
    EXPECT_CODE(r, 0);
    for (int sheet = 0; sheet < 6; sheet++) {
        static const char *const lines[] = {"\n  up ", "\n  down ", "\n  x+ ", "\n  x- ", "\n  z+ ", "\n  z- "};
        ck_assert_msg(strstr(r.out, lines[sheet]), "nothing of%s:\n%s", lines[sheet], r.out);
    }
    return read_file(file, count);
}

static void must_be_equal(const char *world)
{
    size_t watched_count, built_count;
    uint8_t *of_world = watched(world, &watched_count), *of_file = built(world, &built_count);
    ck_assert_uint_gt(built_count, 1000);
    ck_assert_uint_eq(watched_count, built_count);
    ck_assert_mem_eq(of_world, of_file, built_count);
    free(of_world);
    free(of_file);
}

START_TEST(a_subscriber_has_what_navctl_builds_whatever_happens)
{
    push("hull");
    must_be_equal("hull");
    move_crate("1,0,2");
    must_be_equal("hull");
    size_t before_count, after_count;
    uint8_t *before = watched("hull", &before_count);
    daemon_kill(&navd);
    launch();
    uint8_t *after = watched("hull", &after_count);
    ck_assert_uint_eq(before_count, after_count);
    ck_assert_mem_eq(before, after, before_count);
    free(before);
    free(after);
    move_crate("0,0,0");
    must_be_equal("hull");
}
END_TEST

// One tile of a wall, as navctl gets it from the world and from the file of all.
START_TEST(a_tile_of_a_wall_is_that_of_the_file)
{
    push("hull");
    size_t count, one_count, same_count;
    free(watched("hull", &count));
    const char *one = temp_path("one.tile"), *same = temp_path("same.tile");
    outcome r =
        run_navctl("tile", "--world", "hull", "0", "0", "--sheet", "z-", "-o", one, "--connect", navd.socket, NULL);
    if (r.code == 1) // which place has ground depends on the frame
        r = run_navctl("tile", "--world", "hull", "0", "-1", "--sheet", "z-", "-o", one, "--connect", navd.socket,
                       NULL);
    const char *z = strstr(r.out, "tile 0,-1") ? "-1" : "0";
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, "of sheet z-"), "%s", r.out);
    r = run_navctl("tile", temp_path("watched.navd"), "0", z, "--sheet", "z-", "-o", same, NULL);
    EXPECT_CODE(r, 0);
    uint8_t *a = read_file(one, &one_count), *b = read_file(same, &same_count);
    ck_assert_uint_eq(one_count, same_count);
    ck_assert_mem_eq(a, b, one_count);
    free(a);
    free(b);
}
END_TEST

START_TEST(an_exported_world_is_imported_with_its_sheets)
{
    push("hull");
    move_crate("1.5,2,0");
    outcome r =
        run_navctl("world", "export", "hull", "-o", temp_path("hull.navdworld"), "--connect", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    r = run_navctl("world", "import", temp_path("hull.navdworld"), "--world", "copy", "--connect", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    must_be_equal("copy");
    size_t first_count, second_count;
    uint8_t *first = watched("hull", &first_count), *second = watched("copy", &second_count);
    ck_assert_uint_eq(first_count, second_count);
    ck_assert_mem_eq(first, second, first_count);
    free(first);
    free(second);
}
END_TEST

// Of each sheet there are tiles with ground here, in the sheet's frame.
static const struct {
    const char *sheet, *x, *z;
} tiles[] = {{"up", "0", "0"}, {"down", "0", "-3"}, {"x+", "-2", "0"},
             {"x-", "0", "0"}, {"z+", "0", "-2"},   {"z-", "0", "0"}};

START_TEST(a_tile_of_each_sheet_is_dumped_looked_at_and_explained)
{
    const char *sheet = tiles[_i].sheet, *x = tiles[_i].x, *z = tiles[_i].z, *file = temp_path("tile.navdworld");
    char name[16];
    push("hull");
    move_crate("1,0,2");
    outcome r = run_navctl("tile", "dump", "hull", x, z, "--sheet", sheet, "-o", file, "--connect", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    snprintf(name, sizeof name, "sheet %s", sheet);
    ck_assert_msg(strcmp(sheet, "up") == 0 || strstr(r.out, name), "%s", r.out);
    ck_assert_msg(strstr(r.out, "the file builds to the daemon's tile: "), "%s", r.out);
    ck_assert_msg(!strstr(r.out, "an empty tile"), "%s", r.out);
    r = run_navctl("why", "hull", x, z, "--sheet", sheet, "--connect", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    ck_assert_msg(strstr(r.out, ": ok at revision "), "%s", r.out);
    r = run_navctl("tile", "--world", "hull", x, z, "--sheet", sheet, "--json", "--connect", navd.socket, NULL);
    EXPECT_CODE(r, 0);
    snprintf(name, sizeof name, "\"%s\"", sheet);
    ck_assert_msg(strcmp(sheet, "up") == 0 || strstr(r.out, name), "%s", r.out);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("walls");
    TCase *t = tcase_create("walls");
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, setup, teardown);
    suite_add_tcase(s, t);
    tcase_add_test(t, a_subscriber_has_what_navctl_builds_whatever_happens);
    tcase_add_test(t, a_tile_of_a_wall_is_that_of_the_file);
    tcase_add_loop_test(t, a_tile_of_each_sheet_is_dumped_looked_at_and_explained, 0, 6);
    tcase_add_test(t, an_exported_world_is_imported_with_its_sheets);
    return run_suite_in_folder(s);
}
