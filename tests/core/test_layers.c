// Layers on random fields: what they promise, each promise asked span by span.
#include "core/partition/layers_work.h"
#include "core/partition/regions.h"
#include "core/voxel/spans/heightfield.h"
#include "tests/check.h"
#include "tests/core/random_field.h"

#include <stdlib.h>
#include <string.h>

enum { TRIALS = 180, CLIMB = 2 };

static nav_arena arena;
static nav_config cfg;

static void setup(void)
{
    nav_arena_init(&arena, 0);
    cfg = (nav_config){.climb_vx = CLIMB, .region_min_spans = 30, .edge_max_error = 1.3};
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

static nav_compact_heightfield field_of(int trial)
{
    uint32_t seed = 1000u + (uint32_t)trial;
    random_field_shape shape = random_field_trial(trial);
    nav_arena_reset(&arena);
    return random_field(&shape, CLIMB, &seed, &arena);
}

static nav_regions layers_of(const nav_compact_heightfield *f, bool by_contacts)
{
    nav_regions r;
    ck_assert_int_eq(nav_regions_layers_by(by_contacts, f, &cfg, &arena, &r), NAV_OK);
    return r;
}

static bool is_own(const nav_compact_heightfield *f, int32_t span)
{
    int32_t x = f->column[span] % f->width, z = f->column[span] / f->width;
    return x >= f->border && z >= f->border && x < f->width - f->border && z < f->width - f->border;
}

// Floods from every own span over connections that `goes` allows; mark: per span, the number of its flood, from 1; the
// rest 0.
static int32_t flood_all(const nav_compact_heightfield *f,
                         bool (*goes)(const nav_compact_heightfield *, const int32_t *, int32_t, int32_t),
                         const int32_t *id, int32_t *mark)
{
    int32_t *stack = malloc(((size_t)f->span_count + 1) * sizeof *stack), count = 0;
    memset(mark, 0, (size_t)f->span_count * sizeof *mark);
    for (int32_t i = 0; i < f->span_count; i++) {
        if (mark[i] || !is_own(f, i) || f->area[i] == NAV_AREA_NONE) continue;
        int32_t depth = 0;
        mark[i] = ++count;
        stack[depth++] = i;
        while (depth) {
            int32_t s = stack[--depth];
            for (int d = 0; d < 4; d++) {
                int32_t n = f->connection[d][s];
                if (n == NAV_NOT_CONNECTED || mark[n] || !is_own(f, n) || !goes(f, id, s, n)) continue;
                mark[n] = count;
                stack[depth++] = n;
            }
        }
    }
    free(stack);
    return count;
}

static bool anywhere(const nav_compact_heightfield *f, const int32_t *id, int32_t a, int32_t b)
{
    (void)f, (void)id, (void)a, (void)b;
    return true;
}

static bool within_area(const nav_compact_heightfield *f, const int32_t *id, int32_t a, int32_t b)
{
    (void)id;
    return f->area[a] == f->area[b];
}

static bool within_layer(const nav_compact_heightfield *f, const int32_t *id, int32_t a, int32_t b)
{
    return id[a] == id[b] && f->area[a] == f->area[b];
}

static int32_t *take_spans(const nav_compact_heightfield *f)
{
    int32_t *p = calloc((size_t)f->span_count + 1, sizeof *p);
    ck_assert_ptr_nonnull(p);
    return p;
}

START_TEST(layers_are_connected_floor_of_one_area_numbered_by_their_first_spans)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        nav_compact_heightfield f = field_of(trial);
        nav_regions r = layers_of(&f, false);
        int32_t *mark = take_spans(&f), *flood = take_spans(&f), highest = 0;
        (void)flood_all(&f, within_layer, r.id, mark);
        for (int32_t i = 0; i < f.span_count; i++) {
            if (f.area[i] == NAV_AREA_NONE) {
                ck_assert_int_eq(r.id[i], NAV_REGION_NONE);
            } else if (!is_own(&f, i)) {
                ck_assert_int_eq(r.id[i], NAV_REGION_OUTSIDE);
            } else if (r.id[i] != NAV_REGION_NONE) {
                ck_assert_int_le(r.id[i], highest + 1);
                if (r.id[i] > highest) flood[highest = r.id[i]] = mark[i];
                ck_assert_int_eq(flood[r.id[i]], mark[i]); // one flood meets all of it
            }
        }
        ck_assert_int_eq(highest, r.count);
        free(mark);
        free(flood);
    }
}
END_TEST

// Per pair of layers a * (count + 1) + b: do they share a column?
static uint8_t *shared_columns(const nav_compact_heightfield *f, const nav_regions *r)
{
    size_t n = (size_t)r->count + 1;
    uint8_t *shared = calloc(n * n, 1);
    ck_assert_ptr_nonnull(shared);
    for (int32_t c = 0; c < f->width * f->width; c++)
        for (int32_t a = f->column_first[c]; a < f->column_first[c + 1]; a++)
            for (int32_t b = f->column_first[c]; b < f->column_first[c + 1]; b++)
                if (a != b && r->id[a] > 0 && r->id[b] > 0) shared[(size_t)r->id[a] * n + (size_t)r->id[b]] = 1;
    return shared;
}

START_TEST(no_layer_lies_above_itself_and_those_that_touch_would)
{
    long cut = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        nav_compact_heightfield f = field_of(trial);
        nav_regions r = layers_of(&f, false);
        uint8_t *shared = shared_columns(&f, &r);
        size_t n = (size_t)r.count + 1;
        for (size_t k = 1; k < n; k++) ck_assert_int_eq(shared[k * n + k], 0);
        for (int32_t i = 0; i < f.span_count; i++)
            for (int d = 0; d < 4; d++) {
                int32_t s = f.connection[d][i];
                if (r.id[i] <= 0 || s == NAV_NOT_CONNECTED || r.id[s] <= 0 || r.id[s] == r.id[i] ||
                    f.area[s] != f.area[i])
                    continue;
                ck_assert_int_eq(shared[(size_t)r.id[i] * n + (size_t)r.id[s]], 1);
                cut++;
            }
        free(shared);
    }
    ck_assert_int_gt(cut, 1000);
}
END_TEST

START_TEST(only_small_floor_goes_that_is_connected_to_nothing_and_not_to_the_padding)
{
    long gone = 0, kept_by_border = 0, kept_by_neighbours = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        nav_compact_heightfield f = field_of(trial);
        nav_regions r = layers_of(&f, false);
        int32_t *mark = take_spans(&f), *size = take_spans(&f), *border = take_spans(&f), *layer = take_spans(&f);
        (void)flood_all(&f, anywhere, NULL, mark);
        for (int32_t i = 0; i < f.span_count; i++) {
            size[mark[i]]++;
            if (r.id[i] > 0) layer[r.id[i]]++;
            for (int d = 0; d < 4 && mark[i]; d++)
                border[mark[i]] |= f.connection[d][i] != NAV_NOT_CONNECTED && !is_own(&f, f.connection[d][i]);
        }
        for (int32_t i = 0; i < f.span_count; i++) {
            if (!mark[i]) continue;
            bool goes = size[mark[i]] < cfg.region_min_spans && !border[mark[i]];
            ck_assert_int_eq(r.id[i] == NAV_REGION_NONE, goes);
            gone += goes;
            kept_by_border += size[mark[i]] < cfg.region_min_spans && !goes;
            kept_by_neighbours += !goes && layer[r.id[i]] < cfg.region_min_spans && !border[mark[i]];
        }
        free(mark), free(size), free(border), free(layer);
    }
    ck_assert_int_gt(gone, 100);
    ck_assert_int_gt(kept_by_border, 100);
    ck_assert_int_gt(kept_by_neighbours, 100);
}
END_TEST

// Is span b, met `gap` columns after span a with no layer between, where a fold puts it?
static bool is_fold(const nav_compact_heightfield *f, const nav_regions *r, int32_t a, int32_t b, int32_t gap)
{
    int32_t near = 2 * (3 + (int32_t)cfg.edge_max_error);
    return r->id[a] == r->id[b] && gap > 1 && gap <= near && abs(f->floor[b] - f->floor[a]) > CLIMB + gap;
}

START_TEST(folded_layers_are_those_with_a_drop_between_two_parts_close_by)
{
    long folded = 0, flat = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        nav_compact_heightfield f = field_of(trial);
        nav_regions r = layers_of(&f, false);
        uint8_t *expected = calloc((size_t)r.count + 1, 1);
        for (int along = 0; along < 2; along++) {
            int32_t step = along == 0 ? 1 : f.width;
            for (int32_t line = f.border; line < f.width - f.border; line++) {
                int32_t before = -1, before_at = 0;
                for (int32_t k = f.border; k < f.width - f.border; k++) {
                    int32_t c = line * (along == 0 ? f.width : 1) + k * step;
                    for (int32_t s = f.column_first[c]; s < f.column_first[c + 1]; s++) {
                        if (r.id[s] <= 0) continue;
                        if (before >= 0 && is_fold(&f, &r, before, s, k - before_at)) expected[r.id[s]] = 1;
                        before = s;
                        before_at = k;
                    }
                }
            }
        }
        for (int32_t k = 1; k <= r.count; k++) {
            ck_assert_int_eq(r.folded[k], expected[k]);
            *(expected[k] ? &folded : &flat) += 1;
        }
        free(expected);
    }
    ck_assert_int_gt(folded, 10);
    ck_assert_int_gt(flat, 100);
}
END_TEST

// Two ways to the same layers, where no floor lies above itself.
START_TEST(floors_and_contacts_agree)
{
    int agreed = 0, cut = 0, crowded = 0, areas = 0, wide = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        nav_compact_heightfield f = field_of(trial);
        nav_regions a = layers_of(&f, false), b = layers_of(&f, true);
        int32_t *mark = take_spans(&f);
        (void)flood_all(&f, within_area, NULL, mark);
        bool above = false, stacked = false;
        for (int32_t i = 1; i < f.span_count; i++)
            for (int32_t k = f.column_first[f.column[i]]; k < i && mark[i]; k++) {
                above |= mark[k] == mark[i];
                stacked |= mark[k] != 0;
            }
        ck_assert_int_eq(a.count, b.count);
        ck_assert_mem_eq(a.id, b.id, (size_t)f.span_count * sizeof *a.id);
        ck_assert_mem_eq(a.folded + 1, b.folded + 1, (size_t)a.count);
        agreed += !above && f.rows.ranks > 0;
        crowded += !above && stacked && f.rows.ranks > 0;
        areas += !above && stacked && f.rows.ranks > 0 && !f.rows.one_area;
        wide += !above && stacked && f.rows.words > 1;
        cut += above;
        free(mark);
    }
    ck_assert_int_gt(agreed, 20);
    ck_assert_int_gt(crowded, 10);
    ck_assert_int_gt(areas, 5);
    ck_assert_int_gt(wide, 5);
    ck_assert_int_gt(cut, 10);
}
END_TEST

START_TEST(floors_and_contacts_agree_on_small_and_much_broken_fields)
{
    for (int k = 0; k < 6000; k++) {
        uint32_t seed = 5000u + (uint32_t)k;
        random_field_shape shape = {.width = 14 + k % 5,
                                    .border = 3,
                                    .floors = 2 + k % 4,
                                    .areas = 1 + k % 2,
                                    .relief = (float)(10 + k % 30),
                                    .holes = 0.3f};
        nav_arena_reset(&arena);
        nav_compact_heightfield f = random_field(&shape, CLIMB, &seed, &arena);
        nav_regions a = layers_of(&f, false), b = layers_of(&f, true);
        ck_assert_int_eq(a.count, b.count);
        ck_assert_mem_eq(a.id, b.id, (size_t)f.span_count * sizeof *a.id);
    }
}
END_TEST

enum { WIDE = 130, PIT = -1000 };

// One floor, 130 columns wide: rows of three words. floor: per column; PIT where there is no span.
static nav_compact_heightfield wide_field(const int32_t *floor, const uint8_t *area)
{
    nav_arena_reset(&arena);
    random_field_shape flat = {.width = WIDE, .border = 3, .floors = 1, .areas = 1};
    uint32_t seed = 1;
    nav_compact_heightfield f = random_field(&flat, CLIMB, &seed, &arena);
    ck_assert_int_eq(f.span_count, WIDE * WIDE);
    for (int32_t c = 0; c < WIDE * WIDE; c++) {
        f.floor[c] = floor[c];
        f.area[c] = floor[c] == PIT ? NAV_AREA_NONE : area[c];
    }
    for (int32_t c = 0; c < WIDE * WIDE; c++)
        for (int d = 0; d < 4; d++) {
            int32_t n = f.connection[d][c];
            bool goes =
                n != NAV_NOT_CONNECTED && floor[c] != PIT && floor[n] != PIT && abs(floor[n] - floor[c]) <= CLIMB;
            if (!goes) f.connection[d][c] = NAV_NOT_CONNECTED;
        }
    ck_assert_int_eq(nav_compact_finish(&f, &arena), NAV_OK);
    return f;
}

// A floor rises at one end from one half to the other; elsewhere a trench is between them, at any column.
START_TEST(folds_are_seen_across_words)
{
    static int32_t floor[WIDE * WIDE];
    static uint8_t area[WIDE * WIDE];
    memset(area, NAV_AREA_DEFAULT, sizeof area);
    for (int turned = 0; turned < 2; turned++) {
        for (int32_t from = 58; from < 70; from++) {
            for (int32_t end = from; end < from + 12; end++) {
                for (int32_t x = 0; x < WIDE; x++)
                    for (int32_t z = 0; z < WIDE; z++) {
                        int32_t high = x < from ? 0 : 20, ramp = x < 50 ? 0 : x > 90 ? 20 : (x - 50) / 2;
                        int32_t at = z > 110 ? ramp : x >= from && x < end ? PIT : high;
                        floor[turned ? x * WIDE + z : z * WIDE + x] = at;
                    }
                nav_compact_heightfield f = wide_field(floor, area);
                nav_regions r = layers_of(&f, false);
                ck_assert_int_eq(r.count, 1);
                int32_t gap = end - from + 1;
                ck_assert_int_eq(r.folded[1], gap > 1 && gap <= 2 * (3 + (int32_t)cfg.edge_max_error));
            }
        }
    }
}
END_TEST

// Few columns of another area, with pits on all sides but one.
START_TEST(a_small_area_is_kept_by_floor_beside_it_at_any_column)
{
    static int32_t floor[WIDE * WIDE];
    static uint8_t area[WIDE * WIDE];
    for (int d = 0; d < 4; d++) {
        for (int32_t at = 60; at < 68; at++) {
            memset(area, NAV_AREA_DEFAULT, sizeof area);
            for (int32_t z = 0; z < WIDE; z++)
                for (int32_t x = 0; x < WIDE; x++) {
                    bool inside = x >= at && x < at + 3 && z >= at && z < at + 3;
                    bool around = x >= at - 1 && x < at + 4 && z >= at - 1 && z < at + 4;
                    bool open = x == at + 1 + 2 * nav_dir_x[d] && z == at + 1 + 2 * nav_dir_z[d];
                    floor[z * WIDE + x] = around && !inside && !open ? PIT : 0;
                    if (inside) area[z * WIDE + x] = 5;
                }
            nav_compact_heightfield f = wide_field(floor, area);
            ck_assert_int_eq(layers_of(&f, false).count, 2);
        }
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("layers");
    TCase *t = tcase_create("layers");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, layers_are_connected_floor_of_one_area_numbered_by_their_first_spans);
    tcase_add_test(t, no_layer_lies_above_itself_and_those_that_touch_would);
    tcase_add_test(t, only_small_floor_goes_that_is_connected_to_nothing_and_not_to_the_padding);
    tcase_add_test(t, folded_layers_are_those_with_a_drop_between_two_parts_close_by);
    tcase_add_test(t, floors_and_contacts_agree);
    tcase_add_test(t, floors_and_contacts_agree_on_small_and_much_broken_fields);
    tcase_add_test(t, folds_are_seen_across_words);
    tcase_add_test(t, a_small_area_is_kept_by_floor_beside_it_at_any_column);
    return run_suite(s);
}
