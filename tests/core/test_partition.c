#include "core/partition/regions.h"
#include "tests/check.h"
#include "tests/core/voxel_fixture.h"

#include <stdlib.h>
#include <string.h>

typedef nav_status (*partition_fn)(const nav_compact_heightfield *, const nav_config *, nav_arena *, nav_regions *);
static const partition_fn partitions[] = {nav_regions_watershed, nav_regions_monotone, nav_regions_layers};
enum { LAYERS = 2, PARTITIONS = 3 };

// The first tile's field as a partition gets it; v may be NULL.
static nav_compact_heightfield measured(const nav_mesh *m, const nav_volume *v)
{
    nav_compact_heightfield f = compact_heightfield(m, 0, 0);
    nav_config c = config(0, 0);
    ck_assert_int_eq(nav_compact_erode(&f, &c, &arena), NAV_OK);
    ck_assert_int_eq(nav_volumes_apply(&f, v, v != NULL, false, &c, &arena), NAV_OK);
    ck_assert_int_eq(nav_compact_measure(&f, &arena), NAV_OK);
    return f;
}

static nav_regions run(int which, const nav_compact_heightfield *f)
{
    nav_config c = config(0, 0);
    nav_regions r;
    ck_assert_int_eq(partitions[which](f, &c, &arena, &r), NAV_OK);
    return r;
}

// What every partition promises, whatever the field.
static void check_promises(const nav_compact_heightfield *f, const nav_regions *r)
{
    int32_t w = f->width, used = 0;
    int32_t *size = calloc((size_t)r->count + 1, sizeof *size),
            *parent = calloc((size_t)f->span_count + 1, sizeof *parent);
    for (int32_t i = 0; i < f->span_count; i++) {
        int32_t x = f->column[i] % w, z = f->column[i] / w, id = r->id[i];
        bool outside = x < f->border || z < f->border || x >= w - f->border || z >= w - f->border;
        ck_assert_int_le(id, r->count);
        if (f->area[i] == NAV_AREA_NONE) ck_assert_int_eq(id, NAV_REGION_NONE);
        if (outside) ck_assert(id == NAV_REGION_OUTSIDE || id == NAV_REGION_NONE);
        if (!outside) ck_assert_int_ge(id, 0);
        for (int32_t k = f->column_first[f->column[i]]; k < i; k++) // no region twice in a column
            if (id > 0) ck_assert_int_ne(r->id[k], id);
        if (id > 0) size[id]++;
        for (int d = 0; d < 4 && id == NAV_REGION_NONE && f->area[i] != NAV_AREA_NONE; d++)
            if (f->connection[d][i] != NAV_NOT_CONNECTED) // what is removed was not open to another tile
                ck_assert_int_ne(r->id[f->connection[d][i]], NAV_REGION_OUTSIDE);
    }
    for (int32_t id = 1; id <= r->count; id++) used += size[id] > 0;
    ck_assert_int_eq(used, r->count);
    // Connected: a flood from the first span of each region meets all of it.
    int32_t *stack = malloc(((size_t)f->span_count + 1) * sizeof *stack);
    for (int32_t i = 0; i < f->span_count; i++) {
        int32_t id = r->id[i];
        if (id <= 0 || size[id] == 0) continue;
        int32_t depth = 0, met = 0;
        stack[depth++] = i;
        parent[i] = 1;
        while (depth) {
            int32_t s = stack[--depth];
            met++;
            for (int d = 0; d < 4; d++) {
                int32_t n = f->connection[d][s];
                if (n == NAV_NOT_CONNECTED || r->id[n] != id || parent[n]) continue;
                ck_assert_uint_eq(f->area[n], f->area[s]);
                parent[n] = 1;
                stack[depth++] = n;
            }
        }
        ck_assert_int_eq(met, size[id]);
        size[id] = 0;
    }
    free(stack);
    free(parent);
    free(size);
}

START_TEST(random_clutter_is_parted_into_connected_regions_without_overlap)
{
    uint32_t seed = 77;
    for (int round = 0; round < 25; round++) {
        scene s = {0};
        scene_floor(&s, -20, -20, 40, 40, 0);
        if (round & 1) scene_hills(&s, 30, 0.8f, 4);
        for (int i = 0; i < 40; i++) {
            float x = scene_random_between(&seed, -2, 18), z = scene_random_between(&seed, -2, 18);
            float w = scene_random_between(&seed, 0.2f, 4), y = scene_random_between(&seed, -1, 6);
            scene_box(&s, x, y, z, x + w, y + scene_random_between(&seed, 0.1f, 1), z + w, 0.6f, 0.8f);
        }
        nav_mesh *m = scene_mesh(&s);
        nav_volume v = {.point_count = 3, .points = {2, 2, 2, 9, 9, 9}, .min_y = -9, .max_y = 9, .area = 4};
        nav_compact_heightfield f = measured(m, &v);
        for (int p = 0; p < PARTITIONS; p++) {
            nav_regions r = run(p, &f);
            ck_assert_int_gt(r.count, 0);
            check_promises(&f, &r);
        }
        nav_arena_reset(&arena);
        nav_mesh_destroy(m);
        scene_free(&s);
    }
}
END_TEST

START_TEST(a_spiral_ramp_never_overlaps_itself)
{
    scene s = {0};
    // Two and a half turns of a ramp, 3 m a turn, as short flat steps.
    static const float turn[8][2] = {{1, 0},  {0.707f, 0.707f},   {0, 1},  {-0.707f, 0.707f},
                                     {-1, 0}, {-0.707f, -0.707f}, {0, -1}, {0.707f, -0.707f}};
    for (int i = 0; i < 40; i++) {
        float f = (float)(i & 1) * 0.5f;
        const float *a = turn[i / 2 % 8], *b = turn[(i / 2 + 1) % 8];
        float dx = a[0] + (b[0] - a[0]) * f, dz = a[1] + (b[1] - a[1]) * f;
        float x = 7 + 4 * dx, z = 7 + 4 * dz, y = 0.1875f * (float)i;
        scene_floor(&s, x - 1.6f, z - 1.6f, x + 1.6f, z + 1.6f, y);
    }
    nav_mesh *m = scene_mesh(&s);
    settings.agent_radius_m = 0;
    settings.region_min_cells = 0;
    settings.region_merge_cells = 60; // greedy merging: only the overlap may stop it
    nav_compact_heightfield f = measured(m, NULL);
    int32_t double_columns = 0;
    for (int32_t c = 0; c < f.width * f.width; c++) double_columns += f.column_first[c + 1] - f.column_first[c] > 1;
    ck_assert_int_gt(double_columns, 100);
    for (int p = 0; p < PARTITIONS; p++) {
        nav_regions r = run(p, &f);
        check_promises(&f, &r);
        ck_assert_int_ge(r.count, 2);
    }
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(small_islands_go_unless_they_touch_the_border)
{
    scene s = {0};
    scene_floor(&s, 5, 5, 8, 8, 0);          // 6 x 6 cells are left after the radius: under 8 x 8
    scene_floor(&s, -3, 10, 1.2f, 12.5f, 0); // as small, but it goes on in the next tile
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = measured(m, NULL);
    for (int p = 0; p < PARTITIONS; p++) {
        nav_regions r = run(p, &f);
        check_promises(&f, &r);
        ck_assert_int_eq(r.count, 1);
        for (int32_t i = 0; i < f.span_count; i++)
            if (r.id[i] > 0) ck_assert_int_lt(f.column[i] % f.width, 12);
    }
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(two_halls_and_a_door_become_few_regions)
{
    scene s = {0};
    scene_floor(&s, 0, 0, 14.4f, 14.4f, 0);
    scene_box(&s, 7, 0, -1, 7.4f, 3, 6, 1, 0);
    scene_box(&s, 7, 0, 8.5f, 7.4f, 3, 15, 1, 0);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = measured(m, NULL);
    nav_regions r = run(0, &f);
    check_promises(&f, &r);
    ck_assert_int_ge(r.count, 2);
    ck_assert_int_le(r.count, 3);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(an_open_plane_is_one_region)
{
    scene s = {0};
    scene_floor(&s, -20, -20, 40, 40, 0);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = measured(m, NULL);
    for (int p = 0; p < PARTITIONS; p++) {
        nav_regions r = run(p, &f);
        ck_assert_int_eq(r.count, 1);
    }
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(a_tower_has_one_region_a_floor_however_many_floors)
{
    scene s = {0};
    settings.tile_cells = 16;
    enum { FLOORS = 2500 }; // squared, times the columns: beyond 32 bits
    for (int i = 0; i < FLOORS; i++) scene_floor(&s, -3, -3, 10, 10, 3.0f * (float)i);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = measured(m, NULL);
    for (int p = 1; p < PARTITIONS; p++) {
        nav_regions r = run(p, &f);
        ck_assert_int_eq(r.count, FLOORS);
        for (int32_t c = 0; c < f.width * f.width; c++)
            for (int32_t i = f.column_first[c] + 1; i < f.column_first[c + 1]; i++)
                if (r.id[i] > 0) ck_assert_int_ne(r.id[i], r.id[i - 1]);
    }
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

// Stairs lead from the ground floor through a hole to the floor above: they belong to the ground floor, since there is
// no floor below them, and the upper floor begins where it would be above the lower one.
START_TEST(stairs_are_of_one_layer_with_the_floor_they_start_on)
{
    scene s = {0};
    scene_floor(&s, 0, 0, 14.4f, 14.4f, 0);
    scene_floor(&s, 0, 7, 14.4f, 14.4f, 3);
    for (int i = 0; i < 10; i++) // from z = 1 up to the edge of the upper floor
        scene_box(&s, 6, -0.3f, 1 + 0.6f * (float)i, 9, 0.3f * (float)(i + 1), 7.1f, 1, 0);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = measured(m, NULL);
    nav_regions r = run(LAYERS, &f);
    check_promises(&f, &r);
    ck_assert_int_eq(r.count, 2);
    int32_t below = 0, above = 0, step = 0;
    for (int32_t i = 0; i < f.span_count; i++) {
        int32_t x = f.column[i] % f.width - f.border, z = f.column[i] / f.width - f.border;
        if (r.id[i] <= 0) continue;
        if (x == 10 && z == 40) *(f.floor[i] < 5 ? &below : &above) = r.id[i];
        if (x == 25 && z == 13) step = r.id[i];
    }
    ck_assert_int_gt(below, 0);
    ck_assert_int_gt(above, 0);
    ck_assert_int_ne(below, above);
    ck_assert_int_eq(step, below);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

// A ramp climbs along the floor it started on, with a drop between the two.
START_TEST(a_layer_that_comes_back_beside_itself_is_folded)
{
    for (int ramp = 0; ramp < 2; ramp++) {
        scene s = {0};
        scene_floor(&s, 0, 0, 6, 14.4f, 0);
        scene_floor(&s, 6, 0, 12, 3, 0);
        if (ramp)
            for (int i = 0; i < 18; i++)
                scene_box(&s, 6, -0.3f, 3 + 0.6f * (float)i, 10, 0.3f * (float)(i + 1), 14, 1, 0);
        nav_mesh *m = scene_mesh(&s);
        nav_compact_heightfield f = measured(m, NULL);
        nav_regions r = run(LAYERS, &f);
        ck_assert_int_eq(r.count, 1);
        ck_assert_int_eq(r.folded[1], ramp);
        nav_mesh_destroy(m);
        scene_free(&s);
        nav_arena_reset(&arena);
    }
}
END_TEST

START_TEST(a_floor_with_many_obstacles_is_one_layer)
{
    scene s = {0};
    scene_floor(&s, -2, -2, 16, 16, 0);
    for (int i = 0; i < 16; i++)
        scene_box(&s, 2.2f + 3.2f * (float)(i % 4), 0, 2.2f + 3.2f * (float)(i / 4), 2.6f + 3.2f * (float)(i % 4), 2,
                  2.6f + 3.2f * (float)(i / 4), 0.9f, 0.3f);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = measured(m, NULL);
    ck_assert_int_eq(run(LAYERS, &f).count, 1);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("partition");
    TCase *t = tcase_create("partition");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, random_clutter_is_parted_into_connected_regions_without_overlap);
    tcase_add_test(t, a_spiral_ramp_never_overlaps_itself);
    tcase_add_test(t, small_islands_go_unless_they_touch_the_border);
    tcase_add_test(t, two_halls_and_a_door_become_few_regions);
    tcase_add_test(t, an_open_plane_is_one_region);
    tcase_add_test(t, a_tower_has_one_region_a_floor_however_many_floors);
    tcase_add_test(t, stairs_are_of_one_layer_with_the_floor_they_start_on);
    tcase_add_test(t, a_layer_that_comes_back_beside_itself_is_folded);
    tcase_add_test(t, a_floor_with_many_obstacles_is_one_layer);
    return run_suite(s);
}
