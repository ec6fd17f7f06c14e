// The same ground in every format gives the same paths: navd's tiles, Detour's, and the text of polygon meshes.
#include "core/base/endian.h"
#include "core/tile/detour.h"
#include "navcore/tile.h"
#include "tests/check.h"
#include "tests/core/path_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static path_world world;
static nav_path_finder *finder;
static nav_path_set *other; // the same ground in another format
static uint32_t seed;
static char why[256];

static void setup(void)
{
    ck_assert_int_eq(nav_path_finder_create(&finder), NAV_OK);
    ck_assert_int_eq(nav_path_set_create(&other), NAV_OK);
    seed = 7;
}

static void teardown(void)
{
    nav_path_finder_destroy(finder);
    nav_path_set_destroy(other);
    path_world_free(&world);
    world = (path_world){0};
}

static nav_path ask(const nav_path_set *set, double ax, double az, double bx, double bz, double y)
{
    nav_path_query q = {.from = {ax, y, az}, .to = {bx, y, bz}, .near_m = 0.3}; // less than to a roof
    nav_path path;
    ck_assert_int_eq(nav_path_find(finder, set, &q, &path), NAV_OK);
    return path;
}

static void build_boxes(float size, int boxes, int32_t tile_cells, float radius_m)
{
    scene s = {0};
    const nav_settings settings = path_world_settings(tile_cells, radius_m);
    path_world_boxes(&s, &seed, size, boxes, 0);
    path_world_build(&world, &s, &settings);
    scene_free(&s);
}

// Pairs at random: both sets say the same of each. Returns how many were found.
static int compare(const nav_path_set *a, const nav_path_set *b, int queries, float size, double y, double tolerance)
{
    int found = 0;
    for (int i = 0; i < queries; i++) {
        double at[4];
        for (int k = 0; k < 4; k++) at[k] = (double)scene_random_between(&seed, 0, size);
        nav_path p = ask(a, at[0], at[1], at[2], at[3], y);
        if (p.status == NAV_PATH_FOUND) { // grids may differ: from where it began, and to where it ended
            const float *end = &p.points[3 * (p.point_count - 1)];
            for (int k = 0; k < 2; k++) {
                at[k] = (double)p.points[2 * k];
                at[2 + k] = (double)end[2 * k];
            }
        }
        nav_path q = ask(b, at[0], at[1], at[2], at[3], y);
        ck_assert_msg(p.status == q.status, "%.9g, %.9g to %.9g, %.9g: %d, not %d", at[0], at[1], at[2], at[3],
                      (int)q.status, (int)p.status);
        if (p.status != NAV_PATH_FOUND) continue; // of the nearest ground there may be two
        found++;
        ck_assert_msg(fabs(p.length_m - q.length_m) < tolerance, "%.9g, %.9g to %.9g, %.9g: %.9g m and %.9g m", at[0],
                      at[1], at[2], at[3], p.length_m, q.length_m);
    }
    return found;
}

// --- Detour's tiles ---

static nav_detour_params params_of(const nav_settings *s)
{
    nav_detour_params p;
    ck_assert_int_eq(nav_detour_params_init(&p, s, PATH_WORLD_TILES, 0, why, sizeof why), NAV_OK);
    return p;
}

static void put_detour(nav_path_set *set, const nav_buffer *tile)
{
    nav_detour_params p = params_of(&world.settings);
    if (!tile->size) return;
    nav_status s = nav_path_set_put_detour(set, &p, tile->data, tile->size, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
}

START_TEST(detours_tiles_give_the_same_lengths)
{
    static const struct {
        float size, radius;
        int boxes;
        int32_t tile_cells;
    } kinds[] = {{12, 0, 6, 16}, {18, 0.3f, 14, 24}, {24, 0.3f, 20, 16}, {20, 0, 24, 64}, {15, 0.6f, 3, 12}};
    build_boxes(kinds[_i].size, kinds[_i].boxes, kinds[_i].tile_cells, kinds[_i].radius);
    for (uint32_t i = 0; i < world.count; i++) put_detour(other, &world.detour[i]);
    ck_assert_int_eq(nav_path_set_join(other), NAV_OK);
    ck_assert_uint_eq(nav_path_set_left_out(other), 0);
    ck_assert_int_gt(compare(world.set, other, 100, kinds[_i].size, 0.2, 1e-4), 30);
}
END_TEST

// Tiles that come and go one by one make the same set as all at once.
START_TEST(detours_tiles_come_and_go)
{
    nav_path_set *again;
    build_boxes(18, 14, 16, 0.3f);
    for (uint32_t i = 0; i < world.count; i++) put_detour(other, &world.detour[i]);
    ck_assert_int_eq(nav_path_set_join(other), NAV_OK);
    ck_assert_int_eq(nav_path_set_create(&again), NAV_OK);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = world.count; i-- > 0;) {
            nav_detour_view v;
            put_detour(again, &world.detour[i]);
            if ((i + round) % 2) ck_assert_int_eq(nav_path_set_join(again), NAV_OK);
            if (round == 0 && i % 3 == 0 && world.detour[i].size) {
                ck_assert_int_eq(nav_detour_open(world.detour[i].data, world.detour[i].size, &v, NULL, 0), NAV_OK);
                nav_path_set_drop(again, v.header.x, v.header.z);
            }
        }
    ck_assert_int_eq(nav_path_set_join(again), NAV_OK);
    ck_assert_uint_eq(nav_path_set_tiles(again), nav_path_set_tiles(other));
    for (int i = 0; i < 100; i++) {
        double at[4];
        for (int k = 0; k < 4; k++) at[k] = (double)scene_random_between(&seed, 0, 18);
        nav_path p = ask(other, at[0], at[1], at[2], at[3], 0.2);
        float *points = malloc(12 * (size_t)p.point_count + 1);
        if (p.point_count) memcpy(points, p.points, 12 * (size_t)p.point_count);
        nav_path q = ask(again, at[0], at[1], at[2], at[3], 0.2);
        ck_assert(p.status == q.status && p.length_m == q.length_m && p.surface_m == q.surface_m);
        ck_assert_uint_eq(p.point_count, q.point_count);
        if (p.point_count) ck_assert_mem_eq(points, q.points, 12 * (size_t)p.point_count);
        free(points);
    }
    nav_path_set_destroy(again);
}
END_TEST

enum { LAYER_AT = 16 }; // in a Detour tile

// Two floors, each in a layer of its own: on each the paths are as over it alone.
START_TEST(layers_are_floors_of_their_own)
{
    nav_path_set *alone[2];
    nav_settings settings;
    nav_settings_default(&settings);
    settings.tile_cells = 24;
    for (int floor = 0; floor < 2; floor++) {
        scene s = {0};
        path_world_free(&world);
        path_world_boxes(&s, &seed, 14, 6, 5 * (float)floor);
        path_world_build(&world, &s, &settings);
        scene_free(&s);
        ck_assert_int_eq(nav_path_set_create(&alone[floor]), NAV_OK);
        for (uint32_t i = 0; i < world.count; i++) {
            nav_buffer *tile = &world.detour[i];
            if (tile->size) nav_store_i32(tile->data + LAYER_AT, 3 - floor);
            put_detour(alone[floor], tile);
            put_detour(other, tile);
        }
        ck_assert_int_eq(nav_path_set_join(alone[floor]), NAV_OK);
    }
    ck_assert_int_eq(nav_path_set_join(other), NAV_OK);
    ck_assert_uint_eq(nav_path_set_tiles(other), nav_path_set_tiles(alone[0]) + nav_path_set_tiles(alone[1]));
    ck_assert_int_gt(compare(alone[0], other, 60, 14, 0.2, 1e-9), 15);
    ck_assert_int_gt(compare(alone[1], other, 60, 14, 5.2, 1e-9), 15);
    nav_path_set_drop_layer(other, 0, 0, 3); // of the lower floor
    nav_path_set_drop_layer(other, 0, 0, 9); // there is none
    ck_assert_int_eq(nav_path_set_join(other), NAV_OK);
    ck_assert_int_eq(ask(other, 2, 2, 3, 3, 0.2).status, NAV_PATH_NO_START);
    ck_assert_int_gt(compare(alone[1], other, 60, 14, 5.2, 1e-9), 15);
    for (int floor = 0; floor < 2; floor++) nav_path_set_destroy(alone[floor]);
}
END_TEST

START_TEST(what_does_not_fit_is_refused)
{
    nav_detour_params p;
    build_boxes(12, 3, 16, 0.3f);
    p = params_of(&world.settings);
    uint32_t some = 0;
    while (!world.detour[some].size) some++;
    const nav_buffer *navd = &world.tiles[some], *detour = &world.detour[some];
    ck_assert_int_ne(nav_path_set_put(other, detour->data, detour->size, why, sizeof why), NAV_OK);
    ck_assert_int_eq(nav_path_set_put_detour(other, &p, navd->data, navd->size, why, sizeof why), NAV_ERR_FORMAT);
    put_detour(other, detour);
    ck_assert_int_eq(nav_path_set_put(other, navd->data, navd->size, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "another format"));
    p.tile_width_m = p.tile_height_m = 4;
    ck_assert_int_eq(nav_path_set_put_detour(other, &p, detour->data, detour->size, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(why, "4 m") && strstr(why, "4.8"), "%s", why);
    p = params_of(&world.settings);
    p.origin_m[0] = NAN;
    ck_assert_int_eq(nav_path_set_put_detour(other, &p, detour->data, detour->size, why, sizeof why), NAV_ERR_ARGUMENT);
    p.origin_m[0] = 1;
    ck_assert_int_eq(nav_path_set_put_detour(other, &p, detour->data, detour->size, why, sizeof why), NAV_ERR_ARGUMENT);
    for (size_t size = 0; size < detour->size; size += 1 + size / 40) {
        uint8_t *part = malloc(size ? size : 1); // exactly sized, so that a read behind the end is seen
        memcpy(part, detour->data, size);
        p = params_of(&world.settings);
        ck_assert_int_ne(nav_path_set_put_detour(other, &p, part, size, why, sizeof why), NAV_OK);
        free(part);
    }
    ck_assert_uint_eq(nav_path_set_tiles(other), 1);
}
END_TEST

// --- Polygon meshes ---

// Is a cell not on a roof?
static bool is_low(const nav_tile_view *v, uint32_t c)
{
    nav_tile_cell cell;
    nav_tile_corner corner;
    float at[3];
    nav_tile_get_cell(v, c, &cell);
    nav_tile_get_corner(v, cell.first_corner, &corner);
    nav_tile_get_place(v, corner.vert, at);
    return at[1] < 1;
}

// The floor of a tile as text, in metres.
static char *mesh_of(const nav_buffer *tile, size_t *bytes)
{
    nav_tile_view v;
    char *text;
    FILE *f = open_memstream(&text, bytes);
    ck_assert_int_eq(nav_tile_open(tile->data, tile->size, &v, NULL, 0), NAV_OK);
    int *number = malloc(sizeof *number * ((size_t)v.cell_count + 1)), count = 0;
    for (uint32_t c = 0; c < v.cell_count; c++) number[c] = is_low(&v, c) ? count++ : -1;
    fprintf(f, "mesh\n2\n%u %d\n", v.vert_count, count);
    for (uint32_t i = 0; i < v.vert_count; i++) {
        float at[3];
        nav_tile_get_place(&v, i, at);
        fprintf(f, "%.9g %.9g 0\n", (double)at[0], (double)at[2]);
    }
    for (uint32_t c = 0; c < v.cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_corner corner;
        if (number[c] < 0) continue;
        nav_tile_get_cell(&v, c, &cell);
        fprintf(f, "%u", cell.corner_count);
        for (uint32_t k = cell.corner_count; k-- > 0;) {
            nav_tile_get_corner(&v, cell.first_corner + k, &corner);
            fprintf(f, " %u", corner.vert);
        }
        for (uint32_t k = cell.corner_count; k-- > 0;) {
            nav_tile_get_corner(&v, cell.first_corner + k, &corner);
            fprintf(f, " %d", corner.behind < 0 ? -1 : number[corner.behind]);
        }
        fputc('\n', f);
    }
    fclose(f);
    free(number);
    return text;
}

START_TEST(a_mesh_gives_the_same_lengths)
{
    size_t bytes;
    seed = (uint32_t)(_i + 1);
    build_boxes(18, 10, 128, _i % 2 ? 0.3f : 0);
    for (int32_t k = -2; k <= 0; k++) // but for the tile at 0, 0
        for (int32_t x = -2; x <= 0; x++)
            if (x || k) nav_path_set_drop(world.set, x, k);
    ck_assert_int_eq(nav_path_set_join(world.set), NAV_OK);
    ck_assert_uint_eq(nav_path_set_tiles(world.set), 1);
    const nav_buffer *tile = &world.tiles[world.count - 1];
    char *text = mesh_of(tile, &bytes);
    nav_status s = nav_path_set_put_mesh(other, text, bytes, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
    ck_assert_int_eq(nav_path_set_join(other), NAV_OK);
    ck_assert_int_gt(compare(world.set, other, 200, 18, 0, 1e-4), 60);
    ck_assert_int_eq(nav_path_set_put_mesh(other, text, bytes, why, sizeof why), NAV_ERR_ARGUMENT);
    free(text);
}
END_TEST

// Where outlines are kept to the column they are the same in every tiling.
START_TEST(the_size_of_tiles_does_not_matter)
{
    static const int32_t sizes[] = {16, 20, 33, 48};
    scene s = {0};
    nav_settings settings;
    nav_settings_default(&settings);
    settings.agent_radius_m = 0;
    settings.edge_max_error_cells = 0;
    settings.region_min_cells = 0; // islands at borders are kept
    settings.tile_cells = 128;
    scene_floor(&s, 0, 0, 18, 18, 0);
    for (int i = 0; i < 8; i++) {
        float column = settings.cell_size_m, x = 3 + (float)(scene_random(&seed) % 40),
              z = 3 + (float)(scene_random(&seed) % 40), w = 3 + (float)(scene_random(&seed) % 15),
              d = 3 + (float)(scene_random(&seed) % 15);
        scene_box(&s, x * column, 0, z * column, (x + w) * column, 3, (z + d) * column, 1, 0);
    }
    path_world_build(&world, &s, &settings);
    for (int k = 0; k < 4; k++) {
        path_world tiled;
        settings.tile_cells = sizes[k];
        path_world_build(&tiled, &s, &settings);
        ck_assert_int_gt(compare(world.set, tiled.set, 60, 18, 0.2, 1e-3), 20);
        path_world_free(&tiled);
    }
    scene_free(&s);
}
END_TEST

static const char ring[] = "mesh\n2\n8 4\n"
                           "0 0 2 0 3\n10 0 2 0 1\n10 10 2 1 2\n0 10 2 2 3\n"
                           "3 3 3 -1 0 3\n7 3 3 -1 0 1\n7 7 3 -1 1 2\n3 7 3 -1 2 3\n"
                           "4 0 1 5 4 3 -1 1 -1\n4 1 2 6 5 0 -1 2 -1\n4 2 3 7 6 1 -1 3 -1\n4 3 0 4 7 2 -1 0 -1\n";

static nav_status put_text(const char *text, size_t bytes)
{
    char *copy = malloc(bytes ? bytes : 1); // exactly sized
    memcpy(copy, text, bytes);
    why[0] = '\0';
    nav_status s = nav_path_set_put_mesh(other, copy, bytes, why, sizeof why);
    free(copy);
    return s;
}

START_TEST(damaged_meshes_are_refused_with_line_and_value)
{
    static const struct {
        const char *from, *to, *expected;
    } damages[] = {
        {"mesh", "mash", "line 1: not a polygon mesh: it begins with 'mash'"},
        {"\n2\n8", "\n1\n8", "line 2: version 1 of the format, not 2"},
        {"8 4", "8 4000", "line 3: the number of polygons is 4000"},
        {"8 4", "2 4", "line 3: the number of vertices is 2, not 3 to"},
        {"10 10 2", "10 1O 2", "line 6: y of a vertex is '1O', not a number"},
        {"10 10 2", "10 1e99 2", "line 6: y of a vertex is '1e99', not a number up to 1e9"},
        {"10 10 2", "10 nan 2", "line 6: y of a vertex is 'nan'"},
        {"10 10 2 1 2", "10 10 2 1 4", "line 6: a polygon around a vertex is 4, not -1 to 3"},
        {"4 1 2 6 5", "4 1 8 6 5", "line 13: a vertex of a polygon is 8, not 0 to 7"},
        {"4 1 2 6 5", "2 1 2 6 5", "line 13: the number of corners of a polygon is 2, not 3 to"},
        {"4 1 2 6 5 0", "4 1 2 6 5 9", "line 13: a polygon beside a polygon is 9, not -1 to 3"},
        {"4 1 2 6 5 0", "4 1 2 6 5 3",
         "line 12: polygon 0 has polygon 1 behind the edge from vertex 1 to 5, which has another"},
        {"4 1 2 6 5 0 -1 2 -1", "4 5 6 2 1 -1 2 -1 0", "has no such edge"},
        {"10 10 2", "0 0 2", "line 13: polygon 1 is clockwise"},
        {"10 10 2", "10 0 2", "line 13: polygon 1 has its vertices 1 and 2 at the same place"},
        {"0 10 2 2", "0 900000 2 2", "the mesh is 900000 wide; the most is 131"},
        {"2 -1 0 -1\n", "2 -1 0 -1\n5", "line 16: '5' behind the last polygon"},
        {"2 -1 0 -1\n", "2 -1 0", "line 15: the file ends where a polygon beside a polygon should be"},
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char text[sizeof ring + 32];
        const char *at = strstr(ring, damages[i].from);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - ring), ring, damages[i].to, at + strlen(damages[i].from));
        ck_assert_int_ne(put_text(text, strlen(text)), NAV_OK);
        ck_assert_msg(strstr(why, damages[i].expected), "'%s' for '%s': %s", damages[i].to, damages[i].from, why);
    }
    for (size_t size = 0; size + 1 < sizeof ring - 1; size++) ck_assert_int_ne(put_text(ring, size), NAV_OK);
    ck_assert_int_eq(put_text(ring, sizeof ring - 1), NAV_OK);
}
END_TEST

// White space does not matter, nor how a number is written; dents are cut.
START_TEST(numbers_are_read_as_they_are_meant)
{
    static const char text[] = "mesh 2 5 1\t+0 -0.0e0 0\r\n40e-1 0.00 0 4.000000000000000000000 0.4E+1 0 2 1 0 0 4 0"
                               " 5 0 1 2 3 4 -1 -1 -1 -1 -1";
    ck_assert_msg(put_text(text, sizeof text - 1) == NAV_OK, "%s", why);
    ck_assert_int_eq(nav_path_set_join(other), NAV_OK);
    nav_path p = ask(other, 0.1, 3.7, 3.9, 3.7, 0);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(p.length_m, 2 * hypot(1.9, 2.7), 1e-5);
    ck_assert_uint_eq(p.point_count, 3);
}
END_TEST

// A strip of squares, thousands of units from the origin.
START_TEST(large_meshes_keep_their_places)
{
    enum { SQUARES = 30000 };
    char *text;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);
    fprintf(f, "mesh\n2\n%d %d\n", 2 * SQUARES + 2, SQUARES);
    for (int i = 0; i <= SQUARES; i++) fprintf(f, "%.6f 7000.25 0\n%.6f 7000.75 0\n", 5000 + i * 0.3, 5000 + i * 0.3);
    for (int i = 0; i < SQUARES; i++)
        fprintf(f, "4 %d %d %d %d %d -1 %d -1\n", 2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1, i - 1,
                i + 1 < SQUARES ? i + 1 : -1);
    fclose(f);
    nav_status s = nav_path_set_put_mesh(other, text, bytes, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
    ck_assert_int_eq(nav_path_set_join(other), NAV_OK);
    nav_path p = ask(other, 5000.1, 7000.3, 13999.9, 7000.7, 0);
    ck_assert_int_eq(p.status, NAV_PATH_FOUND);
    ck_assert_double_eq_tol(p.length_m, hypot(8999.8, 0.4), 2e-4);
    ck_assert_uint_eq(p.point_count, 2);
    free(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("path_formats");
    TCase *t = tcase_create("path_formats");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_loop_test(t, detours_tiles_give_the_same_lengths, 0, 5);
    tcase_add_test(t, detours_tiles_come_and_go);
    tcase_add_test(t, layers_are_floors_of_their_own);
    tcase_add_test(t, what_does_not_fit_is_refused);
    tcase_add_loop_test(t, a_mesh_gives_the_same_lengths, 0, 4);
    tcase_add_test(t, the_size_of_tiles_does_not_matter);
    tcase_add_test(t, damaged_meshes_are_refused_with_line_and_value);
    tcase_add_test(t, numbers_are_read_as_they_are_meant);
    tcase_add_test(t, large_meshes_keep_their_places);
    suite_add_tcase(s, t);
    return run_suite(s);
}
