// Flat sides of things are one face each, whatever triangles they are made of and whichever tile looks.
#include "core/outline/faces.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static nav_arena arena;
static nav_config cfg;
static nav_triangles triangles;
static float verts[9 * MOST];
static uint8_t areas[MOST];

static void setup(void)
{
    nav_settings set;
    nav_settings_default(&set);
    set.outlines = NAV_OUTLINES_TRUE;
    nav_config_init(&cfg, &set, 0, 0);
    nav_arena_init(&arena, 0);
    triangles = (nav_triangles){.verts = verts, .areas = areas};
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

static void add(const float a[3], const float b[3], const float c[3], uint8_t area)
{
    float *v = verts + 9 * (size_t)triangles.count;
    memcpy(v, a, 3 * sizeof *v);
    memcpy(v + 3, b, 3 * sizeof *v);
    memcpy(v + 6, c, 3 * sizeof *v);
    areas[triangles.count++] = area;
}

static void add_quad(const float a[3], const float b[3], const float c[3], const float d[3], uint8_t area)
{
    add(a, b, c, area);
    add(a, c, d, area);
}

static nav_faces build(void)
{
    nav_faces f;
    ck_assert_int_eq(nav_faces_build(&triangles, &cfg, cfg.unit, &arena, &f), NAV_OK);
    return f;
}

static int32_t count_of(const nav_faces *f, int list)
{
    int32_t n = 0;
    for (int32_t i = 0; i < f->count; i++) n += (f->face[i].lists & list) != 0;
    return n;
}

// The first face of the regions.
static const nav_face *first_of(const nav_faces *f)
{
    for (int32_t i = 0; i < f->count; i++)
        if (f->face[i].lists & NAV_FACE_OF_REGIONS) return &f->face[i];
    return NULL;
}

// Of all faces of a list, whatever their order and that of their corners.
static uint64_t sum_of(const nav_faces *f, int list)
{
    uint64_t sum = 0;
    for (int32_t i = 0; i < f->count; i++) {
        if (!(f->face[i].lists & list)) continue;
        uint64_t face = f->face[i].walkable;
        for (int32_t k = 0; k < f->face[i].count; k++) {
            uint32_t bits[3];
            memcpy(bits, nav_face_corner(f, &triangles, i, k), sizeof bits);
            uint64_t h = ((uint64_t)bits[0] << 32 | bits[1]) * UINT64_C(0x9e3779b97f4a7c15);
            face += (h ^ h >> 32 ^ bits[2]) * UINT64_C(0xbf58476d1ce4e5b9);
        }
        sum += (face ^ face >> 31) * UINT64_C(0x94d049bb133111eb);
    }
    return sum;
}

static void shuffle(uint32_t seed)
{
    for (uint32_t i = triangles.count; i-- > 1;) {
        seed = seed * 1664525 + 1013904223;
        const uint32_t k = (seed >> 8) % (i + 1);
        float keep[9];
        memcpy(keep, verts + 9 * (size_t)i, sizeof keep);
        memcpy(verts + 9 * (size_t)i, verts + 9 * (size_t)k, sizeof keep);
        memcpy(verts + 9 * (size_t)k, keep, sizeof keep);
        const uint8_t area = areas[i];
        areas[i] = areas[k];
        areas[k] = area;
    }
}

START_TEST(two_triangles_of_a_turned_quad_are_one_face)
{
    const float c = cosf(0.3f * (float)_i), s = sinf(0.3f * (float)_i);
    const float a[3] = {5 - c, 1, 5 - s}, b[3] = {5 + c, 1, 5 + s}, d[3] = {5 - c - 2 * s, 1, 5 - s + 2 * c};
    const float e[3] = {5 + c - 2 * s, 1, 5 + s + 2 * c};
    add_quad(a, b, e, d, 1);
    const nav_faces f = build();
    ck_assert_int_eq(count_of(&f, NAV_FACE_OF_REGIONS), 1);
    ck_assert_int_eq(first_of(&f)->count, 4);
    ck_assert(first_of(&f)->walkable);
}
END_TEST

START_TEST(what_is_walked_on_and_what_is_not_stay_apart)
{
    const float a[3] = {1, 0, 1}, b[3] = {3, 0, 1}, c[3] = {3, 0, 3}, d[3] = {1, 0, 3};
    add(a, b, c, NAV_AREA_NONE);
    add(a, c, d, 5);
    const nav_faces f = build();
    ck_assert_int_eq(count_of(&f, NAV_FACE_OF_REGIONS), 2);
}
END_TEST

START_TEST(a_fold_stays)
{
    const float a[3] = {1, 0, 1}, b[3] = {3, 0, 1}, c[3] = {3, 0.002f, 3}, d[3] = {1, 0, 3};
    add_quad(a, b, c, d, 1);
    const nav_faces f = build();
    ck_assert_int_eq(count_of(&f, NAV_FACE_OF_REGIONS), 2);
}
END_TEST

START_TEST(a_row_of_quads_is_one_face_of_four_corners)
{
    for (int i = 0; i < 10; i++) { // along a line that no float is on exactly
        const float x = 1 + 0.7f * (float)i, z = 2 + 0.3f * (float)i, x1 = 1 + 0.7f * (float)(i + 1);
        const float z1 = 2 + 0.3f * (float)(i + 1);
        const float a[3] = {x, 0, z}, b[3] = {x1, 0, z1}, c[3] = {x1, 3, z1}, d[3] = {x, 3, z};
        add_quad(a, b, c, d, NAV_AREA_NONE);
    }
    shuffle(9);
    const nav_faces f = build();
    ck_assert_int_eq(count_of(&f, NAV_FACE_OF_REGIONS), 1);
    ck_assert_int_eq(first_of(&f)->count, 4);
}
END_TEST

START_TEST(an_l_stays_convex_pieces)
{
    static const float at[3][2] = {{0, 0}, {1, 0}, {0, 1}};
    for (int i = 0; i < 3; i++) {
        const float x = 3 + at[i][0], z = 3 + at[i][1];
        const float a[3] = {x, 0, z}, b[3] = {x + 1, 0, z}, c[3] = {x + 1, 0, z + 1}, d[3] = {x, 0, z + 1};
        add_quad(a, b, c, d, 1);
    }
    const nav_faces f = build();
    ck_assert_int_eq(count_of(&f, NAV_FACE_OF_REGIONS), 2);
}
END_TEST

START_TEST(both_sides_of_a_quad_are_one_face)
{
    const float a[3] = {1, 0, 1}, b[3] = {3, 0, 1}, c[3] = {3, 2, 1}, d[3] = {1, 2, 1};
    add_quad(a, b, c, d, NAV_AREA_NONE);
    add_quad(a, d, c, b, NAV_AREA_NONE);
    const nav_faces f = build();
    ck_assert_int_eq(count_of(&f, NAV_FACE_OF_REGIONS), 1);
}
END_TEST

// Uneven ground of flat patches, boxes and loose triangles all over the place.
static void add_clutter(uint32_t seed)
{
    for (int i = 0; i < 400; i++) {
        float r[8];
        for (int k = 0; k < 8; k++) {
            seed = seed * 1664525 + 1013904223;
            r[k] = (float)(seed >> 8) / 16777216.0f;
        }
        const float x = 40 * r[0] - 10, z = 40 * r[1] - 10, u = 6 * r[2], v = 6 * r[3], y = 2 * r[4];
        const float a[3] = {x, y, z}, b[3] = {x + u, y, z + v}, c[3] = {x + u - v, y, z + v + u};
        const float d[3] = {x - v, y, z + u}, e[3] = {x + u, y + 1, z + v}, g[3] = {x, y + 1, z};
        add_quad(a, b, c, d, r[5] < 0.5f ? 1 : NAV_AREA_NONE);
        add_quad(a, b, e, g, NAV_AREA_NONE);
        add(d, c, e, NAV_AREA_NONE);
        if (r[6] < 0.3f) add(a, b, d, NAV_AREA_NONE); // more than two have the edge, or lie upon each other
        if (r[7] < 0.3f) add(a, c, e, 1);
    }
}

START_TEST(order_of_triangles_does_not_matter)
{
    add_clutter((uint32_t)_i);
    nav_faces f = build();
    const uint64_t sum = sum_of(&f, NAV_FACE_OF_REGIONS);
    shuffle((uint32_t)_i + 77);
    f = build();
    ck_assert_uint_eq(sum_of(&f, NAV_FACE_OF_REGIONS), sum);
}
END_TEST

// Leaves the triangles that a tile gathers.
static void keep_those_of_tile(void)
{
    const double cell = cfg.cell_size_m, pad = cfg.border * cell;
    const double x = (double)cfg.tile_x * cfg.tile_columns * cell, z = (double)cfg.tile_z * cfg.tile_columns * cell;
    const double low[2] = {x - pad, z - pad};
    const double high[2] = {x + cfg.tile_columns * cell + pad, z + cfg.tile_columns * cell + pad};
    uint32_t kept = 0;
    for (uint32_t t = 0; t < triangles.count; t++) {
        bool in = true;
        for (int k = 0; k < 2; k++) {
            bool below = true, above = true;
            for (int c = 0; c < 3; c++) {
                const double at = (double)verts[9 * t + 3 * (uint32_t)c + 2 * (uint32_t)k];
                below = below && at < low[k];
                above = above && at > high[k];
            }
            in = in && !below && !above;
        }
        if (!in) continue;
        memmove(verts + 9 * (size_t)kept, verts + 9 * (size_t)t, 9 * sizeof *verts);
        areas[kept++] = areas[t];
    }
    triangles.count = kept;
}

START_TEST(both_tiles_of_a_border_have_the_same_faces_there)
{
    for (int side = 0; side < 2; side++) { // to the tile at x + 1, and at z + 1
        uint64_t sum[2];
        int32_t count[2];
        for (int tile = 0; tile < 2; tile++) {
            nav_settings set;
            nav_settings_default(&set);
            set.outlines = NAV_OUTLINES_TRUE;
            nav_config_init(&cfg, &set, side == 0 ? tile : 0, side == 0 ? 0 : tile);
            triangles.count = 0;
            add_clutter((uint32_t)_i);
            if (tile == 1) shuffle(3);
            keep_those_of_tile();
            const nav_faces f = build();
            const int list = side == 0 ? (tile == 0 ? 1 << 2 : 1 << 0) : (tile == 0 ? 1 << 1 : 1 << 3);
            sum[tile] = sum_of(&f, list);
            count[tile] = count_of(&f, list);
        }
        ck_assert_int_ge(count[0], 50);
        ck_assert_int_eq(count[0], count[1]);
        ck_assert_uint_eq(sum[0], sum[1]);
    }
}
END_TEST

START_TEST(every_place_of_a_triangle_is_in_one_face_of_its_plane)
{
    add_clutter((uint32_t)_i);
    const nav_faces f = build();
    double area[2] = {0};
    for (uint32_t t = 0; t < triangles.count; t++) {
        const float *v = verts + 9 * (size_t)t;
        area[0] += fabs((double)(v[3] - v[0]) * (double)(v[8] - v[2]) - (double)(v[5] - v[2]) * (double)(v[6] - v[0]));
    }
    for (int32_t i = 0; i < f.count; i++) {
        if (!(f.face[i].lists & NAV_FACE_OF_REGIONS)) continue;
        const float *a = nav_face_corner(&f, &triangles, i, 0);
        for (int32_t k = 1; k + 1 < f.face[i].count; k++) {
            const float *b = nav_face_corner(&f, &triangles, i, k), *c = nav_face_corner(&f, &triangles, i, k + 1);
            area[1] +=
                fabs((double)(b[0] - a[0]) * (double)(c[2] - a[2]) - (double)(b[2] - a[2]) * (double)(c[0] - a[0]));
        }
    }
    ck_assert_double_eq_tol(area[0], area[1], 1e-3 * area[0]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("outline_faces");
    TCase *c = tcase_create("faces");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, two_triangles_of_a_turned_quad_are_one_face, 0, 20);
    tcase_add_test(c, what_is_walked_on_and_what_is_not_stay_apart);
    tcase_add_test(c, a_fold_stays);
    tcase_add_test(c, a_row_of_quads_is_one_face_of_four_corners);
    tcase_add_test(c, an_l_stays_convex_pieces);
    tcase_add_test(c, both_sides_of_a_quad_are_one_face);
    tcase_add_loop_test(c, order_of_triangles_does_not_matter, 0, 20);
    tcase_add_loop_test(c, both_tiles_of_a_border_have_the_same_faces_there, 0, 20);
    tcase_add_loop_test(c, every_place_of_a_triangle_is_in_one_face_of_its_plane, 0, 5);
    suite_add_tcase(s, c);
    return run_suite(s);
}
