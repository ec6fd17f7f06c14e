// The ways of rasterising (core/voxel/raster/raster.h) agree, span by span.
#include "core/levels.h"
#include "core/voxel/raster/raster.h"
#include "tests/check.h"
#include "tests/core/scene.h"

#include <math.h>
#include <string.h>

#ifndef LEVEL
#define LEVEL NAV_LEVEL_BASE
#endif

enum { MAX_TRIANGLES = 400 };

static nav_arena arena;
static float verts[9 * MAX_TRIANGLES];
static uint8_t areas[MAX_TRIANGLES];
static nav_triangles soup;
static nav_config cfg;
static uint32_t seed;

static void forget(void)
{
    soup = (nav_triangles){.verts = verts, .areas = areas, .min_y = INFINITY, .max_y = -INFINITY};
}

static void setup(void)
{
    nav_settings settings;
    nav_settings_default(&settings);
    nav_config_init(&cfg, &settings, 0, 0);
    nav_arena_init(&arena, 0);
    forget();
    seed = 3;
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

static float between(float low, float high)
{
    return scene_random_between(&seed, low, high);
}

static void add(const float v[9], uint8_t area)
{
    ck_assert_uint_lt(soup.count, MAX_TRIANGLES);
    memcpy(verts + 9 * (size_t)soup.count, v, 9 * sizeof(float));
    areas[soup.count++] = area;
    for (int c = 0; c < 3; c++) {
        soup.min_y = fminf(soup.min_y, v[3 * c + 1]);
        soup.max_y = fmaxf(soup.max_y, v[3 * c + 1]);
    }
    soup.area_types |= area ? UINT64_C(1) << area : 0;
}

static const unsigned ways[] = {
    NAV_RASTER_BITS,
    NAV_RASTER_LANES,
    NAV_RASTER_BITS | NAV_RASTER_LANES,
};

// Rasterises the soup in every way and forgets it. Returns the spans there were.
static int32_t compare_ways(void)
{
    nav_heightfield plain, other;
    ck_assert_int_eq(nav_heightfield_build_by(NAV_RASTER_PLAIN, &soup, &cfg, &arena, &plain), NAV_OK);
    int32_t columns = cfg.width * cfg.width, n = plain.span_count;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        ck_assert_int_eq(nav_heightfield_build_by(ways[k], &soup, &cfg, &arena, &other), NAV_OK);
        ck_assert_int_eq(other.width, cfg.width);
        for (int32_t c = 0; c <= columns; c++)
            ck_assert_msg(plain.column_first[c] == other.column_first[c],
                          "ways %u: first span of column %d: %d, not %d", ways[k], c, other.column_first[c],
                          plain.column_first[c]);
        ck_assert_int_eq(other.span_count, n);
        for (int32_t s = 0; s < n; s++)
            ck_assert_msg(plain.bottom[s] == other.bottom[s] && plain.top[s] == other.top[s] &&
                              plain.area[s] == other.area[s],
                          "ways %u: span %d: %d to %d of area %u, not %d to %d of area %u", ways[k], s, other.bottom[s],
                          other.top[s], other.area[s], plain.bottom[s], plain.top[s], plain.area[s]);
    }
    nav_arena_reset(&arena);
    forget();
    return n;
}

START_TEST(random_triangles_of_all_sizes)
{
    long spans = 0;
    for (int trial = 0; trial < 60; trial++) {
        float size = trial % 4 == 0 ? 0.2f : trial % 4 == 1 ? 1.5f : trial % 4 == 2 ? 8 : 60;
        float tall = trial % 3 == 0 ? 0.3f : trial % 3 == 1 ? 4 : 40;
        for (int i = 0; i < 30; i++) {
            float v[9], at[3] = {between(-3, 17), between(-5, 5), between(-3, 17)};
            for (int k = 0; k < 9; k++) v[k] = at[k % 3] + (k % 3 == 1 ? between(-tall, tall) : between(-size, size));
            add(v, (uint8_t)(i % 2 ? 63 : i % 3));
        }
        spans += compare_ways();
    }
    ck_assert_int_gt(spans, 20000);
}
END_TEST

START_TEST(crowds_of_small_long_and_thin_triangles)
{
    long spans = 0;
    for (int trial = 0; trial < 60; trial++) {
        // Within a cell, a few cells, one row or column; some go through the border between two words of voxels.
        float size = 0.05f * (float)(1 + trial % 12), long_x = trial % 5 == 1 ? 6 : size,
              long_z = trial % 5 == 2 ? 6 : size;
        float tall = trial % 3 == 0 ? 0.05f : trial % 3 == 1 ? 0.6f : 6;
        for (int i = 0; i < 395; i++) {
            float v[9], at[3] = {between(-3, 17), between(-9, 9), between(-3, 17)};
            for (int k = 0; k < 9; k++) v[k] = at[k % 3];
            for (int c = 0; c < 3; c++) {
                v[3 * c] += between(-long_x, long_x);
                v[3 * c + 1] += between(-tall, tall);
                v[3 * c + 2] += between(-long_z, long_z);
            }
            if (i % 11 == 0) v[4] = v[7] = v[1];
            if (i % 7 == 0) v[6] = v[0], v[8] = v[2];
            add(v, (uint8_t)(i % 2 ? 63 : i % 3));
        }
        spans += compare_ways();
    }
    ck_assert_int_gt(spans, 50000);
}
END_TEST

START_TEST(triangles_on_grid_lines_and_heights)
{
    long spans = 0;
    for (int trial = 0; trial < 60; trial++) {
        for (int i = 0; i < 60; i++) {
            float v[9];
            int step = trial % 3 == 0 ? 1 : 3; // corners on lines, some on the same
            for (int k = 0; k < 9; k++) {
                int at = (int)(scene_random(&seed) % 60) - 6;
                v[k] = k % 3 == 1 ? 0.2f * (float)(at / 4) : 0.3f * (float)(at / step * step);
            }
            if (trial % 2 == 0) v[3] = v[0];
            if (trial % 5 == 0) v[7] = v[4] = v[1];
            if (trial % 7 == 0) v[6] = v[0], v[8] = v[2];
            add(v, (uint8_t)(i % 4));
        }
        spans += compare_ways();
    }
    ck_assert_int_gt(spans, 20000);
}
END_TEST

START_TEST(walls_and_slivers_at_all_angles)
{
    long spans = 0;
    for (int trial = 0; trial < 40; trial++) {
        for (int i = 0; i < 40; i++) {
            float x = between(-2, 16), z = between(-2, 16), dx = between(-6, 6), dz = between(-6, 6);
            float off = i % 4 == 0 ? 0 : i % 4 == 1 ? 1e-6f : i % 4 == 2 ? 1e-3f : 0.05f;
            const float v[9] = {
                x,      between(0, 2), z,     x + dx * between(0, 1) + off, between(0, 9), z + dz * between(0, 1),
                x + dx, between(0, 2), z + dz};
            const float wall[9] = {x, 0, z, x + dx, between(0, 20), z + dz, x + off, 2, z};
            add(i % 2 ? v : wall, i % 3 == 0 ? 63 : NAV_AREA_NONE);
        }
        spans += compare_ways();
    }
    ck_assert_int_gt(spans, 10000);
}
END_TEST

START_TEST(towers_through_many_words_and_beyond)
{
    for (int trial = 0; trial < 15; trial++) {
        float tall = trial % 3 == 0 ? 10 : trial % 3 == 1 ? 50 : 400; // 50, 250 and 2,000 voxels
        for (int i = 0; i < 60; i++) {
            float x = between(-2, 16), z = between(-2, 16), y = between(-tall, tall), top = between(y, tall);
            const float floor_a[9] = {x, y, z, x, y, z + 3, x + 3, y, z};
            const float side[9] = {x, y, z, x, top, z + 2, x + 2, y, z};
            add(i % 3 ? floor_a : side, (uint8_t)(i % 3 ? 63 : i % 2));
        }
        cfg.climb_vx = trial % 5 == 0 ? 100 : trial % 5;
        ck_assert_int_gt(compare_ways(), 0);
    }
}
END_TEST

START_TEST(more_area_types_than_there_are_planes)
{
    for (int kinds = 1; kinds < 8; kinds++) {
        for (int i = 0; i < 100; i++) {
            float x = between(-2, 16), z = between(-2, 16), y = between(0, 3);
            const float v[9] = {x, y, z, x, y, z + 5, x + 5, y, z};
            add(v, (uint8_t)(63 - i % kinds * 9));
        }
        ck_assert_int_gt(compare_ways(), 0);
    }
}
END_TEST

START_TEST(huge_coordinates_and_huge_triangles)
{
    for (int trial = 0; trial < 15; trial++) {
        float far = trial % 2 ? 1e4f : 1e8f;
        for (int i = 0; i < 20; i++) {
            float v[9];
            for (int k = 0; k < 9; k++) v[k] = between(-far, far);
            if (trial % 3) v[1] = v[4] = v[7] = between(0, 3);
            add(v, 63);
        }
        (void)compare_ways();
    }
}
END_TEST

// Where the lowest corner is just above a grid line and just at a voxel's bottom, what is worked out at the line may
// come out below that voxel, where the field has no bits.
START_TEST(rounding_goes_nowhere_below_a_triangle)
{
    nav_settings settings;
    nav_settings_default(&settings);
    settings.cell_size_m = settings.cell_height_m = 1;
    settings.tile_cells = 8;
    settings.agent_radius_m = 0;
    settings.origin_m[1] = 1e-4;
    for (int trial = 0; trial < 40000; trial++) {
        float v[9];
        int lowest = 3 * (trial % 3);
        for (int k = 0; k < 9; k++) v[k] = k % 3 == 1 ? between(0, 0.7f) : between(0, 6);
        v[lowest + 1] = 0;
        double z = v[lowest + 2], line = (double)(int)z;
        settings.origin_m[2] = z - nextafter(line, trial % 2 ? -1 : 100);
        nav_config_init(&cfg, &settings, 0, 0);
        add(v, 63);
        (void)compare_ways();
    }
}
END_TEST

// Triangles of a few cells are walked together, as many rows as the tallest has. (It takes AddressSanitizer to see what
// else is touched: the field is so large that its bits fill a block of the arena.)
START_TEST(small_triangles_in_the_last_row)
{
    nav_settings settings;
    nav_settings_default(&settings);
    settings.tile_cells = 200;
    nav_config_init(&cfg, &settings, 0, 0);
    float first = (float)cfg.first_column_x * 0.3f, last = (float)(cfg.first_column_x + cfg.width - 1) * 0.3f;
    for (int cells = 1; cells < 4; cells++) {
        float size = 0.3f * (float)cells;
        const float tall[9] = {first + 3.1f, 0.1f,         first + 3.1f, first + 3.1f + size, 0.5f,
                               first + 3.2f, first + 3.2f, 0.9f,         first + 3.1f + size};
        const float flat[9] = {last - size, 0.1f,        last + 0.05f, last + 0.1f, 0.6f,
                               last + 0.1f, last - size, 0.9f,         last + 0.2f};
        add(tall, 63);
        add(flat, 63);
        ck_assert_int_gt(compare_ways(), 0);
    }
}
END_TEST

// Corners that floats put a little beside a grid line, far from the origin.
START_TEST(triangles_with_corners_beside_grid_lines)
{
    static const float found[][9] = {
        {0x1.e5fa18p-1f, 0x1.8f672cp+1f, -0x1.4f93p+9f, -0x1.b4c2c2p+0f, 0x1.666666p+0f, -0x1.5p+9f, 0x1.333334p+0f,
         -0x1.d9c102p-40f, -0x1.480cccp+9f},
        {0x1.e582acp+1f, 0x1.fcba38p+1f, -0x1.4efe1ep+9f, 0x1.5cb068p+1f, 0x1.0ddf88p+1f, -0x1.507d4p+9f,
         0x1.29999ap+3f, 0x1.ae7718p+1f, -0x1.498cccp+9f},
    };
    nav_settings settings;
    nav_settings_default(&settings);
    settings.tile_cells = 320;
    nav_config_init(&cfg, &settings, 0, -7);
    for (int k = 0; k < 2; k++) {
        add(found[k], 1);
        ck_assert_int_gt(compare_ways(), 50);
    }
}
END_TEST

START_TEST(no_triangle_at_all)
{
    ck_assert_int_eq(compare_ways(), 0);
}
END_TEST

int main(void)
{
    if (!nav_build_at(LEVEL)) return 77; // this machine is not of that level
    Suite *s = suite_create("raster");
    TCase *t = tcase_create("raster");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, random_triangles_of_all_sizes);
    tcase_add_test(t, crowds_of_small_long_and_thin_triangles);
    tcase_add_test(t, triangles_on_grid_lines_and_heights);
    tcase_add_test(t, walls_and_slivers_at_all_angles);
    tcase_add_test(t, towers_through_many_words_and_beyond);
    tcase_add_test(t, more_area_types_than_there_are_planes);
    tcase_add_test(t, huge_coordinates_and_huge_triangles);
    tcase_add_test(t, rounding_goes_nowhere_below_a_triangle);
    tcase_add_test(t, small_triangles_in_the_last_row);
    tcase_add_test(t, triangles_with_corners_beside_grid_lines);
    tcase_add_test(t, no_triangle_at_all);
    return run_suite(s);
}
