// The stages on planes make the same compact heightfield as their plain twins on spans.
#include "core/levels.h"
#include "core/voxel/voxels.h"
#include "tests/check.h"

#include <string.h>

#ifndef LEVEL
#define LEVEL NAV_LEVEL_BASE
#endif

static nav_arena arena;
static uint32_t state;

static void setup(void)
{
    nav_arena_init(&arena, 0);
    state = 4711;
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

// 0 to n - 1.
static int32_t below(int32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (int32_t)((uint64_t)(state >> 8) * (uint64_t)n >> 24);
}

typedef struct trial {
    nav_config cfg;
    nav_bit_columns bits;
    nav_volume volumes[3];
    nav_settings settings;
    nav_tile_source source;
} trial;

static void fill(trial *t, int32_t x, int32_t z, int32_t bottom, int32_t top, int32_t area)
{
    int32_t low = t->bits.base, high = low + 64 * t->bits.words - 1;
    bottom = bottom < low ? low : bottom;
    top = top > high ? high : top;
    if (bottom >= top) return;
    uint64_t *tops = t->bits.area_count > 0 && area >= 0 ? t->bits.tops[area % t->bits.area_count] : NULL;
    nav_bit_columns_fill(&t->bits, z * t->cfg.width + x, 1, bottom, top, tops);
}

// Ground, and over it slabs of some columns' extent, as storeys, kerbs and roofs are; and in some trials noise.
static void fill_columns(trial *t, int32_t slabs, int32_t noise)
{
    int32_t w = t->cfg.width, heights = 64 * t->bits.words - 1, base = t->bits.base;
    int32_t slope_x = below(7) - 3, slope_z = below(3), start = below(heights);
    for (int32_t z = 0; z < w && below(8); z++)
        for (int32_t x = 0; x < w; x++) {
            int32_t top = base + (start + (x * slope_x + z * slope_z) / 4 + below(2)) % heights;
            fill(t, x, z, top - 1 - below(3), top + 1, below(50) == 0 ? -1 : below(3));
        }
    for (int32_t k = 0; k < slabs; k++) {
        int32_t x0 = below(w), z0 = below(w), x1 = x0 + 1 + below(20), z1 = z0 + 1 + below(20);
        int32_t bottom = base + below(heights), thick = 1 + below(k % 3 == 0 ? 40 : 4), area = below(5) - 1;
        for (int32_t z = z0; z < z1 && z < w; z++)
            for (int32_t x = x0; x < x1 && x < w; x++) {
                int32_t y = bottom + (k % 4 == 0 ? x - x0 : 0);
                fill(t, x, z, y, y + thick, area);
            }
    }
    for (int32_t k = 0; k < noise; k++) {
        int32_t bottom = base + below(heights);
        fill(t, below(w), below(w), bottom, bottom + 1 + below(9), below(5) - 1);
    }
}

static nav_volume random_volume(const trial *t, uint8_t area)
{
    float x = (float)below(t->cfg.width), z = (float)below(t->cfg.width), s = (float)(1 + below(30));
    float points[8] = {x, z, x + s, z, x + s, z + s, x, z + s};
    nav_volume v = {.point_count = 4, .area = area, .min_y = -1000, .max_y = below(2) ? 1000 : 10};
    memcpy(v.points, points, sizeof points);
    return v;
}

static void begin_trial(trial *t, int k)
{
    static const int32_t widths[] = {1, 2, 3, 17, 58, 58, 58, 63, 64, 65, 66, 100, 127, 128, 129, 130};
    memset(t, 0, sizeof *t);
    nav_settings_default(&t->settings);
    t->cfg.width = widths[k % 16];
    t->cfg.border = 0;
    t->cfg.cell_size_m = t->cfg.cell_height_m = 1;
    t->cfg.walkable_areas = ~UINT64_C(0);
    t->cfg.height_vx = k % 13 == 12 ? 63 : 1 + below(12);
    t->cfg.climb_vx = below(t->cfg.height_vx + (k % 11 == 0 ? 9 : 1));
    t->cfg.radius_columns = k % 5;
    uint64_t areas = k % 3 == 0 ? UINT64_C(1) << 63 : k % 7 == 1 ? 0 : UINT64_C(1) << 63 | 1u << 5 | 1u << 9 | 1u << 2;
    int32_t bottom = below(1000) - 500, top = bottom + 1 + below(k % 4 == 0 ? 511 : k % 4 == 1 ? 63 : 120);
    ck_assert_int_eq(nav_bit_columns_init(&t->bits, t->cfg.width, bottom, top, areas, &arena), NAV_OK);
    fill_columns(t, k % 6 * t->cfg.width / 3, k % 8 < 6 ? 0 : below(9) * t->cfg.width * t->cfg.width);
    t->volumes[0] = random_volume(t, NAV_AREA_NONE);
    t->volumes[1] = random_volume(t, 7);
    t->volumes[2] = random_volume(t, 63);
    t->source = (nav_tile_source){.settings = &t->settings, .volumes = t->volumes + k % 2};
    t->source.volume_count = k % 4 == 3 ? 0 : (uint32_t)(3 - k % 2);
}

static nav_voxels run(trial *t, bool plain, nav_compact_heightfield *field)
{
    t->cfg.plain = plain;
    nav_voxels f = {.bits = t->bits, .solid = {.width = t->cfg.width}};
    ck_assert_int_eq(nav_voxels_filter(&f, &t->cfg, &arena), NAV_OK);
    ck_assert_int_eq(nav_voxels_connect(&f, &t->cfg, &arena, field), NAV_OK);
    ck_assert_int_eq(nav_voxels_erode(&f, &t->source, &t->cfg, &arena, field), NAV_OK);
    return f;
}

static void compare_rows(const nav_compact_rows *a, const nav_compact_rows *b, int32_t width)
{
    ck_assert_int_eq(a->ranks, b->ranks);
    if (a->ranks == 0) return;
    ck_assert_int_eq(a->words, b->words);
    ck_assert_int_eq(a->one_area, b->one_area);
    size_t bytes = (size_t)a->words * (size_t)width * sizeof(uint64_t);
    for (int r = 0; r < a->ranks; r++) {
        ck_assert_mem_eq(a->has[r], b->has[r], bytes);
        for (int q = 0; q < a->ranks; q++) {
            ck_assert_mem_eq(a->x_connected[r][q], b->x_connected[r][q], bytes);
            ck_assert_mem_eq(a->z_connected[r][q], b->z_connected[r][q], bytes);
            ck_assert_mem_eq(a->x_same[r][q], b->x_same[r][q], bytes);
            ck_assert_mem_eq(a->z_same[r][q], b->z_same[r][q], bytes);
        }
    }
}

START_TEST(planes_and_spans_give_the_same_field)
{
    long spans = 0, connections = 0, crowded = 0, areas = 0, eroded = 0, in_planes = 0, in_spans = 0;
    for (int k = 0; k < 800; k++) {
        trial t;
        nav_compact_heightfield a, b;
        begin_trial(&t, k);
        nav_voxels plain = run(&t, true, &a), planes = run(&t, false, &b);
        ck_assert(!plain.in_planes);
        if (!planes.in_planes) in_spans++;
        in_planes += planes.in_planes;
        ck_assert_int_eq(plain.solid_count, planes.solid_count);
        ck_assert_int_eq(plain.open_count, planes.open_count);
        ck_assert_int_eq(a.width, b.width);
        ck_assert_int_eq(a.border, b.border);
        ck_assert_msg(a.span_count == b.span_count, "trial %d: %d spans, not %d", k, b.span_count, a.span_count);
        size_t columns = (size_t)a.width * (size_t)a.width, n = (size_t)a.span_count;
        ck_assert_mem_eq(a.column_first, b.column_first, (columns + 1) * sizeof(int32_t));
        ck_assert_mem_eq(a.column, b.column, n * sizeof(int32_t));
        ck_assert_mem_eq(a.floor, b.floor, n * sizeof(int32_t));
        ck_assert_mem_eq(a.area, b.area, n);
        for (int d = 0; d < 4; d++)
            for (size_t i = 0; i < n; i++) {
                ck_assert_msg(a.connection[d][i] == b.connection[d][i],
                              "trial %d: connection %d of span %zu: %d, not %d", k, d, i, b.connection[d][i],
                              a.connection[d][i]);
                connections += a.connection[d][i] != NAV_NOT_CONNECTED;
            }
        compare_rows(&a.rows, &b.rows, a.width);
        spans += a.span_count;
        crowded += a.rows.ranks > 1;
        areas += a.rows.ranks > 0 && !a.rows.one_area;
        eroded += plain.open_count - a.span_count;
        nav_arena_reset(&arena);
    }
    ck_assert_int_gt(spans, 100000);
    ck_assert_int_gt(connections, 100000);
    ck_assert_int_gt(eroded, 100000);
    ck_assert_int_gt(crowded, 100);
    ck_assert_int_gt(areas, 100);
    ck_assert_int_gt(in_planes, 500);
    ck_assert_int_gt(in_spans, 25);
}
END_TEST

int main(void)
{
    if (!nav_build_at(LEVEL)) return 77; // this machine is not of that level
    Suite *s = suite_create("planes");
    TCase *t = tcase_create("planes");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, planes_and_spans_give_the_same_field);
    return run_suite(s);
}
