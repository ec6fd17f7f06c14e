// The fast paths of core/voxel behind rasterising do what their plain twins do.
#include "core/voxel/spans/heightfield.h"
#include "tests/check.h"
#include "tests/core/scene.h"

#include <stdlib.h>
#include <string.h>

static nav_arena arena;
static nav_settings settings;
static nav_config cfg;
static uint32_t seed;

static void setup(void)
{
    nav_settings_default(&settings);
    nav_arena_init(&arena, 0);
    seed = 17;
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

static float between(float low, float high)
{
    return scene_random_between(&seed, low, high);
}

// Ground, boxes that stand in each other, storeys and loose triangles; some trials have all of them, some just ground.
static nav_heightfield random_field(int trial)
{
    scene s = {0};
    if (trial % 4 != 3) scene_hills(&s, 40, 0.5f, trial % 3 == 0 ? 0.5f : 4);
    for (int i = 0; i < trial % 5 * 12; i++) {
        float x = between(-2, 16), z = between(-2, 16), y = between(-2, 4), side = between(0.2f, 4);
        scene_box(&s, x, y, z, x + side, y + between(0.1f, 3), z + side, 0.8f, 0.6f);
    }
    for (int i = 0; i < trial % 7 * 5; i++) {
        float v[9];
        for (int k = 0; k < 9; k++) v[k] = k % 3 == 1 ? between(-1, 5) : between(-2, 16);
        scene_triangle(&s, v, v + 3, v + 6);
    }
    nav_mesh *m = scene_mesh(&s);
    nav_instance in = {m, NAV_TRANSFORM_IDENTITY, 63};
    nav_tile_source src = {.settings = &settings, .instances = &in, .instance_count = 1};
    nav_config_init(&cfg, &settings, 0, 0);
    nav_triangles t;
    nav_heightfield f;
    ck_assert_int_eq(nav_triangles_gather(&src, &cfg, &arena, &t), NAV_OK);
    ck_assert_int_eq(nav_heightfield_build(&t, &cfg, &arena, &f), NAV_OK);
    nav_mesh_destroy(m);
    scene_free(&s);
    return f;
}

// A copy of count elements in the arena.
static void *copy_of(const void *p, int32_t count, size_t size)
{
    void *q = nav_arena_take(&arena, (size_t)count, size);
    ck_assert_ptr_nonnull(q);
    memcpy(q, p, (size_t)count * size);
    return q;
}

START_TEST(erosion)
{
    long taken = 0;
    for (int trial = 0; trial < 60; trial++) {
        nav_heightfield solid = random_field(trial);
        nav_filter_low_obstacles(&solid, &cfg);
        if (trial % 2) nav_filter_ledges(&solid, &cfg);
        nav_filter_low_ceilings(&solid, &cfg);
        nav_compact_heightfield f, plain;
        ck_assert_int_eq(nav_compact_build(&solid, &cfg, &arena, &f), NAV_OK);
        plain = f;
        plain.area = copy_of(f.area, f.span_count, 1);
        for (int d = 0; d < 4; d++) plain.connection[d] = copy_of(f.connection[d], f.span_count, sizeof(int32_t));
        cfg.radius_columns = 1 + trial % 3;
        cfg.plain = false;
        ck_assert_int_eq(nav_compact_erode(&f, &cfg, &arena), NAV_OK);
        cfg.plain = true;
        ck_assert_int_eq(nav_compact_erode(&plain, &cfg, &arena), NAV_OK);
        for (int32_t i = 0; i < f.span_count; i++) {
            ck_assert_msg(f.area[i] == plain.area[i], "trial %d: span %d of %d: area %u, not %u", trial, i,
                          f.span_count, f.area[i], plain.area[i]);
            for (int d = 0; d < 4; d++) ck_assert_int_eq(f.connection[d][i], plain.connection[d][i]);
            taken += f.area[i] == NAV_AREA_NONE;
        }
        nav_arena_reset(&arena);
    }
    ck_assert_int_gt(taken, 10000);
}
END_TEST

static bool has_bit(const nav_compact_rows *r, const uint64_t *rows, int32_t width, int32_t c)
{
    return rows[c / width * r->words + (c % width >> 6)] >> (c % width & 63) & 1;
}

// Bits of the pair of ranks (r, q) on the side d of column c against the connections of the column's span of rank r.
static void check_connections(const nav_compact_heightfield *f, int32_t c, int r, int d, int q)
{
    const nav_compact_rows *rows = &f->rows;
    int32_t i = f->column_first[c] + r, beside = d == 2 ? c + 1 : c + f->width;
    int32_t n = i < f->column_first[c + 1] ? f->connection[d][i] : NAV_NOT_CONNECTED;
    bool connected = n != NAV_NOT_CONNECTED && n == f->column_first[beside] + q;
    const uint64_t *connections = d == 2 ? rows->x_connected[r][q] : rows->z_connected[r][q];
    const uint64_t *same = d == 2 ? rows->x_same[r][q] : rows->z_same[r][q];
    ck_assert_int_eq(has_bit(rows, connections, f->width, c), connected);
    ck_assert_int_eq(has_bit(rows, same, f->width, c), connected && f->area[n] == f->area[i]);
}

START_TEST(rows_of_a_finished_field_say_what_its_connections_say)
{
    long connected = 0, crowded = 0, areas = 0;
    for (int trial = 0; trial < 60; trial++) {
        settings.tile_cells = trial % 3 == 0 ? 16 + trial : 48;
        nav_heightfield solid = random_field(trial);
        nav_filter_low_obstacles(&solid, &cfg);
        nav_filter_ledges(&solid, &cfg);
        nav_filter_low_ceilings(&solid, &cfg);
        nav_compact_heightfield f;
        ck_assert_int_eq(nav_compact_build(&solid, &cfg, &arena, &f), NAV_OK);
        ck_assert_int_eq(nav_compact_erode(&f, &cfg, &arena), NAV_OK);
        for (int32_t i = 0; i < f.span_count && trial % 4 == 0; i++)
            if (f.area[i] != NAV_AREA_NONE) f.area[i] = (uint8_t)(1 + f.floor[i] % 2);
        nav_compact_heightfield whole = f;
        whole.area = copy_of(f.area, f.span_count, 1);
        whole.column = copy_of(f.column, f.span_count, sizeof(int32_t));
        whole.floor = copy_of(f.floor, f.span_count, sizeof(int32_t));
        ck_assert_int_eq(nav_compact_finish(&f, &arena), NAV_OK);
        int32_t at = 0;
        for (int32_t i = 0; i < whole.span_count; i++) {
            if (whole.area[i] == NAV_AREA_NONE) continue;
            ck_assert_int_lt(at, f.span_count);
            ck_assert_int_eq(f.floor[at], whole.floor[i]);
            ck_assert_int_eq(f.column[at], whole.column[i]);
            ck_assert_int_eq(f.area[at++], whole.area[i]);
        }
        ck_assert_int_eq(at, f.span_count);
        ck_assert_int_ge(f.rows.ranks, 1);
        for (int32_t c = 0; c < f.width * f.width; c++)
            for (int r = 0; r < f.rows.ranks; r++) {
                bool there = f.column_first[c] + r < f.column_first[c + 1];
                ck_assert_int_eq(has_bit(&f.rows, f.rows.has[r], f.width, c), there);
                crowded += there && r > 0;
                for (int q = 0; q < f.rows.ranks; q++) {
                    check_connections(&f, c, r, 2, q);
                    check_connections(&f, c, r, 1, q);
                }
            }
        for (int32_t i = 0; i < f.span_count; i++) connected += f.connection[1][i] != NAV_NOT_CONNECTED;
        areas += !f.rows.one_area;
        nav_arena_reset(&arena);
    }
    ck_assert_int_gt(connected, 10000);
    ck_assert_int_gt(crowded, 100);
    ck_assert_int_gt(areas, 5);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("twins");
    TCase *t = tcase_create("twins");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, erosion);
    tcase_add_test(t, rows_of_a_finished_field_say_what_its_connections_say);
    return run_suite(s);
}
