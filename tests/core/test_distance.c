// Distances on random fields are those of the textbook's two sweeps, step by step, and their blur is a mean of nine.
#include "core/voxel/spans/heightfield.h"
#include "tests/check.h"
#include "tests/core/random_field.h"

#include <string.h>

enum { TRIALS = 90, CLIMB = 2, UNREACHED = UINT16_MAX - 8 };

static nav_arena arena;

static void setup(void)
{
    nav_arena_init(&arena, 0);
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

static uint16_t pulled(const nav_compact_heightfield *f, const uint16_t *dist, int32_t i, int d, int turn)
{
    int32_t n = f->connection[d][i], best = dist[i];
    if (n == NAV_NOT_CONNECTED) return dist[i];
    if (dist[n] + 2 < best) best = dist[n] + 2;
    n = f->connection[turn][n];
    return (uint16_t)(n != NAV_NOT_CONNECTED && dist[n] + 3 < best ? dist[n] + 3 : best);
}

static void sweep(const nav_compact_heightfield *f, uint16_t *dist)
{
    for (int32_t i = 0; i < f->span_count; i++) {
        dist[i] = pulled(f, dist, i, 0, 3);
        dist[i] = pulled(f, dist, i, 3, 2);
    }
    for (int32_t i = f->span_count - 1; i >= 0; i--) {
        dist[i] = pulled(f, dist, i, 2, 1);
        dist[i] = pulled(f, dist, i, 1, 0);
    }
}

static uint16_t blurred(const nav_compact_heightfield *f, const uint16_t *dist, int32_t i)
{
    unsigned sum = dist[i];
    if (sum <= 2) return (uint16_t)sum;
    for (int d = 0; d < 4; d++) {
        int32_t n = f->connection[d][i], beyond = n == NAV_NOT_CONNECTED ? n : f->connection[(d + 1) & 3][n];
        sum += n == NAV_NOT_CONNECTED ? dist[i] : dist[n];
        sum += beyond == NAV_NOT_CONNECTED ? dist[i] : dist[beyond];
    }
    return (uint16_t)((sum + 5) / 9);
}

START_TEST(distances_are_those_of_two_sweeps)
{
    int32_t farthest = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        uint32_t seed = 300u + (uint32_t)trial;
        random_field_shape shape = random_field_trial(trial);
        nav_arena_reset(&arena);
        nav_compact_heightfield f = random_field(&shape, CLIMB, &seed, &arena);
        uint16_t *dist = NAV_TAKE(&arena, uint16_t, f.span_count), max = 0;
        ck_assert_ptr_nonnull(dist);
        for (int32_t i = 0; i < f.span_count; i++) {
            int sides = 0;
            for (int d = 0; d < 4; d++)
                sides += f.connection[d][i] != NAV_NOT_CONNECTED && f.area[f.connection[d][i]] == f.area[i];
            dist[i] = sides == 4 ? UNREACHED : 0;
        }
        sweep(&f, dist);
        ck_assert_int_eq(nav_compact_measure(&f, &arena), NAV_OK);
        for (int32_t i = 0; i < f.span_count; i++) {
            ck_assert_int_eq(f.distance[i], blurred(&f, dist, i));
            max = dist[i] > max ? dist[i] : max;
        }
        ck_assert_int_eq(f.max_distance, max);
        farthest = max > farthest ? max : farthest;
    }
    ck_assert_int_gt(farthest, 40);
}
END_TEST

START_TEST(erosion_by_distance_takes_what_the_sweeps_reach)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        uint32_t seed = 300u + (uint32_t)trial;
        random_field_shape shape = random_field_trial(trial);
        nav_config cfg = {.radius_columns = 3 + trial % 3};
        nav_arena_reset(&arena);
        nav_compact_heightfield f = random_field(&shape, CLIMB, &seed, &arena);
        uint16_t *dist = NAV_TAKE(&arena, uint16_t, f.span_count);
        uint8_t *area = NAV_TAKE(&arena, uint8_t, f.span_count);
        ck_assert(dist && area);
        for (int32_t i = 0; i < f.span_count; i++) {
            bool inside = true;
            for (int d = 0; d < 4; d++) inside &= f.connection[d][i] != NAV_NOT_CONNECTED;
            dist[i] = inside ? UNREACHED : 0;
        }
        sweep(&f, dist);
        memcpy(area, f.area, (size_t)f.span_count);
        ck_assert_int_eq(nav_compact_erode(&f, &cfg, &arena), NAV_OK);
        for (int32_t i = 0; i < f.span_count; i++)
            ck_assert_int_eq(f.area[i], dist[i] < 2 * cfg.radius_columns ? NAV_AREA_NONE : area[i]);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("distance");
    TCase *t = tcase_create("distance");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, distances_are_those_of_two_sweeps);
    tcase_add_test(t, erosion_by_distance_takes_what_the_sweeps_reach);
    return run_suite(s);
}
