// Terrain in a daemon: pushed as a height map, sculpted, killed, exported. Its tiles are those of the map as it is now,
// pushed whole to another daemon.
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"
#include "tests/e2e/daemon_pair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 161, STROKE = 40 };

static uint16_t map[SIDE * SIDE];

static void make_map(void)
{
    for (int i = 0; i < SIDE * SIDE; i++)
        map[i] = (uint16_t)(2000 + 300 * sin(i % SIDE * 0.06) * cos(i / SIDE * 0.045));
}

static void write_map(const char *name, const uint16_t *samples, size_t count)
{
    uint8_t *bytes = malloc(2 * count);
    for (size_t i = 0; i < count; i++)
        bytes[2 * i] = (uint8_t)samples[i], bytes[2 * i + 1] = (uint8_t)(samples[i] >> 8);
    write_file(temp_path(name), bytes, 2 * count);
    free(bytes);
}

static void push_map(const daemon_process *d, const char *file)
{
    outcome r = run_navctl("push", temp_path(file), "--world", "land", "--source", "land", "--heights-spacing", "0.5",
                           "-c", d->socket, NULL);
    EXPECT_CODE(r, 0);
}

// All tiles in one file.
static uint8_t *tiles_of(const daemon_process *d, size_t *count)
{
    const char *path = temp_path("tiles.navd");
    EXPECT_CODE(run_navctl("watch", "--world", "land", "--once", "-o", path, "-c", d->socket, NULL), 0);
    return read_file(path, count);
}

static void expect_same_tiles(const daemon_process *a, const daemon_process *b)
{
    size_t a_count, b_count;
    uint8_t *x = tiles_of(a, &a_count), *y = tiles_of(b, &b_count);
    ck_assert_uint_gt(a_count, 1000);
    ck_assert_uint_eq(a_count, b_count);
    ck_assert_mem_eq(x, y, a_count);
    free(x);
    free(y);
}

// A hill on the rectangle, in the map and as a file of its own.
static void raise(const char *file, int column, int row)
{
    static uint16_t rect[STROKE * STROKE];
    for (int r = 0; r < STROKE; r++)
        for (int c = 0; c < STROKE; c++) {
            uint16_t *sample = &map[(row + r) * SIDE + column + c];
            *sample = (uint16_t)(*sample + 2 * (STROKE - abs(2 * r - STROKE)) + STROKE - abs(2 * c - STROKE));
            rect[r * STROKE + c] = *sample;
        }
    write_map(file, rect, STROKE * STROKE);
}

static outcome stroke(const daemon_process *d, const char *terrain, const char *file, int column, int row)
{
    char step[512];
    snprintf(step, sizeof step, "%s=%s@%d,%d", terrain, temp_path(file), column, row);
    return run_navctl("edit", "--world", "land", "--json", "--patch-heights", step, "-c", d->socket, NULL);
}

static const char *last_line(const char *text)
{
    const char *last = text;
    for (const char *p = text; *p; p++)
        if (*p == '\n' && p[1]) last = p + 1;
    return last;
}

START_TEST(strokes_that_were_acknowledged_survive_kill_9_and_make_the_tiles_of_the_map)
{
    static const int places[][2] = {{0, 0}, {50, 50}, {100, 3}, {121, 121}, {44, 90}}; // in one block, and over four
    daemon_process d;
    char state[PATH_BYTES], socket[PATH_BYTES];
    const daemon_options options = {.state = path_into(state, "land.state"), .socket = path_into(socket, "land.sock")};
    make_map();
    write_map("land.r16", map, SIDE * SIDE);
    daemon_launch(&d, &options);
    push_map(&d, "land.r16");
    for (int i = 0; i < 5; i++) {
        raise("stroke.r16", places[i][0], places[i][1]);
        outcome r = stroke(&d, "land", "stroke.r16", places[i][0], places[i][1]);
        EXPECT_CODE(r, 0);
        ck_assert_double_gt(json_value(last_line(r.out), "dirty_tiles"), 0);
        daemon_kill(&d);
        daemon_launch(&d, &options);
    }
    write_map("land.r16", map, SIDE * SIDE);
    push_map(&second, "land.r16");
    expect_same_tiles(&d, &second);
    // And once more through a file.
    EXPECT_CODE(run_navctl("world", "export", "land", "-o", temp_path("land.navdworld"), "-c", d.socket, NULL), 0);
    EXPECT_CODE(run_navctl("world", "import", temp_path("land.navdworld"), "-c", first.socket, NULL), 0);
    expect_same_tiles(&first, &second);
    ck_assert_int_eq(daemon_stop(&d), 0);
}
END_TEST

START_TEST(a_stroke_makes_only_what_it_touches_and_its_undo_is_from_the_cache)
{
    make_map();
    write_map("land.r16", map, SIDE * SIDE);
    push_map(&first, "land.r16");
    uint16_t before[STROKE * STROKE];
    for (int r = 0; r < STROKE; r++) memcpy(before + r * STROKE, map + (50 + r) * SIDE + 50, STROKE * sizeof *before);
    raise("stroke.r16", 50, 50);
    outcome r = stroke(&first, "land", "stroke.r16", 50, 50);
    EXPECT_CODE(r, 0);
    const double dirty = json_value(last_line(r.out), "dirty_tiles");
    ck_assert_double_gt(dirty, 3);
    ck_assert_double_le(dirty, 16); // of 36: 20 m, and a padding of 1.5 m around tiles of 14.4 m
    r = stroke(&first, "land", "stroke.r16", 50, 50);
    EXPECT_CODE(r, 0);
    ck_assert_double_eq(json_value(last_line(r.out), "dirty_tiles"), 0); // nothing differs
    const uint64_t hits = daemon_stat(&first, "cache_hits"), jobs = daemon_stat(&first, "jobs_built");
    write_map("undo.r16", before, STROKE * STROKE);
    r = stroke(&first, "land", "undo.r16", 50, 50);
    EXPECT_CODE(r, 0);
    ck_assert_double_eq(json_value(last_line(r.out), "dirty_tiles"), dirty);
    ck_assert_uint_eq(daemon_stat(&first, "cache_hits") - hits, (uint64_t)dirty);
    ck_assert_uint_eq(daemon_stat(&first, "jobs_built"), jobs);
}
END_TEST

START_TEST(what_is_wrong_with_a_stroke_is_said_and_nothing_of_it_stays)
{
    make_map();
    write_map("land.r16", map, SIDE * SIDE);
    push_map(&first, "land.r16");
    write_map("stroke.r16", map, STROKE * STROKE);
    outcome r = stroke(&first, "land", "stroke.r16", 150, 0);
    expect_error(&r, 1, "40 by 40 samples from column 150, row 0 are not within the terrain's 161 by 161");
    r = stroke(&first, "sea", "stroke.r16", 0, 0);
    expect_error(&r, 1, "there is no instance");
    r = run_navctl("push", yard(), "--world", "land", "--source", "yard", "-c", first.socket, NULL);
    EXPECT_CODE(r, 0);
    r = stroke(&first, "floor", "stroke.r16", 0, 0);
    expect_error(&r, 1, "no height grid is instance");

    navd_client *c;
    navd_world world;
    char why[200];
    ck_assert_int_eq(navd_connect(first.socket, "test", 10000, &c, why, sizeof why), NAVD_OK);
    ck_assert_int_eq(navd_world_open(c, "land", false, NULL, NULL, 0, &world), NAVD_OK);
    navd_objects objects;
    uint64_t block = 0, other = 0;
    ck_assert_int_eq(navd_world_objects(c, world.id, NULL, 0, &objects), NAVD_OK);
    for (size_t i = 0; i < objects.count; i++)
        *(strcmp(objects.objects[i].source, "land") ? &other : &block) = objects.objects[i].id;
    navd_objects_free(&objects);
    const uint64_t meshes = daemon_stat(&first, "meshes");
    const uint8_t bad_areas[1] = {99};
    const navd_operation good = {
        .kind = NAVD_PATCH_HEIGHTS,
        .id = block,
        .u.patch = {.columns = 2, .rows = 2, .bits = 16, .samples = (const uint16_t[]){1, 2, 3, 4}},
    };
    const struct {
        navd_operation op;
        const char *words;
    } wrong[] = {
        {{.kind = NAVD_PATCH_HEIGHTS, .id = other, .u = good.u}, "has a mesh of triangles, not a height grid"},
        {{.kind = NAVD_PATCH_HEIGHTS, .id = 12345, .u = good.u}, "there is no instance 12345"},
        {{.kind = NAVD_PATCH_HEIGHTS, .id = block, .u.patch = {64, 0, 2, 2, 16, good.u.patch.samples, NULL}},
         "columns 64 to 65 and rows 0 to 1 are not within the grid's"},
        {{.kind = NAVD_PATCH_HEIGHTS, .id = block, .u.patch = {0, 0, 2, 2, 16, good.u.patch.samples, bad_areas}},
         "the area of cell 0 (column 0, row 0) is 99"},
        {{.kind = NAVD_PATCH_HEIGHTS, .id = block, .u.patch = {0, 0, 2, 1, 32, good.u.patch.samples, NULL}},
         "samples: 8 bytes, expected 4: the grid has samples of 2 bytes"},
        {{.kind = NAVD_PATCH_HEIGHTS, .id = block, .u.patch = {0, 0, 0, 1, 16, good.u.patch.samples, NULL}},
         "columns, rows: 0 and 1 samples, expected 1 to 1025"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const navd_operation both[] = {good, wrong[i].op};
        navd_edit_result result;
        ck_assert_int_ne(navd_edit(c, world.id, NULL, both, 2, &result), NAVD_OK);
        ck_assert_msg(strstr(navd_error_text(c), wrong[i].words) != NULL, "%s", navd_error_text(c));
        ck_assert_int_eq(navd_error_operation(c), 1);
        ck_assert_uint_eq(daemon_stat(&first, "meshes"), meshes);
    }
    navd_world_free(&world);
    navd_close(c);
    // All as it was.
    push_map(&second, "land.r16");
    EXPECT_CODE(run_navctl("push", yard(), "--world", "land", "--source", "yard", "-c", second.socket, NULL), 0);
    expect_same_tiles(&first, &second);
}
END_TEST

START_TEST(a_height_map_in_png_is_built_as_its_samples_and_what_is_none_is_refused)
{
    make_map();
    write_map("land.r16", map, SIDE * SIDE);
    EXPECT_CODE(
        run_navctl("build", temp_path("land.r16"), "--heights-spacing", "0.5", "-o", temp_path("raw.bin"), NULL), 0);
    write_map("odd.r16", map, SIDE);
    outcome r = run_navctl("build", temp_path("odd.r16"), NULL);
    expect_error(&r, 4, "its 161 samples of 16 bits are no square: give --heights-size");
    r = run_navctl("build", temp_path("odd.r16"), "--heights-size", "23x8", NULL);
    expect_error(&r, 4, "it has 322 bytes, expected 368 for 23 by 8 samples");
    EXPECT_CODE(run_navctl("build", temp_path("odd.r16"), "--heights-size", "23x7", NULL), 0);
    write_text(temp_path("no.png"), "this is no picture");
    r = run_navctl("build", temp_path("no.png"), NULL);
    expect_error(&r, 4, "it is no PNG, whatever its name says");
    EXPECT_CODE(run_navctl("build", yard(), "--picture", temp_path("yard.png"), NULL), 0);
    r = run_navctl("build", temp_path("yard.png"), NULL);
    expect_error(&r, 4, "a height map is grey");
    r = run_navctl("build", temp_path("land.r16"), "--up", "z", NULL);
    expect_error(&r, 2, "--up is for scene files");
    r = run_navctl("build", yard(), "--heights-scale", "2", NULL);
    expect_error(&r, 2, "--heights-scale is for height maps");
    r = run_navctl("build", temp_path("land.r16"), "--heights-spacing", "-1", NULL);
    expect_error(&r, 2, "--heights-spacing -1: expected metres from 0.001 to 10000");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("terrain");
    TCase *t = tcase_create("terrain");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, TEST_S);
    tcase_add_checked_fixture(t, pair_start, pair_stop);
    tcase_add_test(t, strokes_that_were_acknowledged_survive_kill_9_and_make_the_tiles_of_the_map);
    tcase_add_test(t, a_stroke_makes_only_what_it_touches_and_its_undo_is_from_the_cache);
    tcase_add_test(t, what_is_wrong_with_a_stroke_is_said_and_nothing_of_it_stays);
    tcase_add_test(t, a_height_map_in_png_is_built_as_its_samples_and_what_is_none_is_refused);
    return run_suite_in_folder(s);
}
