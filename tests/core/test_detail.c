#include "tests/check.h"
#include "tests/core/detail_fixture.h"

#include "core/detail/patch.h"

#include <math.h>
#include <stdlib.h>

static int32_t flat_floor(int storey, int32_t x, int32_t z, uint32_t seed)
{
    (void)x, (void)z, (void)seed;
    return storey == 0 ? 40 : NO_FLOOR;
}

// A cone in the middle of a tile of 48.
static int32_t hill_floor(int storey, int32_t x, int32_t z, uint32_t seed)
{
    (void)seed;
    double away = sqrt((x - 24.0) * (x - 24.0) + (z - 24.0) * (z - 24.0));
    return storey == 0 ? (away < 20 ? (int32_t)(20 - away) : 0) : NO_FLOOR;
}

// Waves whose lengths and heights depend on the seed.
static int32_t wave_floor(int storey, int32_t x, int32_t z, uint32_t seed)
{
    double a = 5 + seed % 13, b = 7 + seed / 13 % 11, high = 2 + seed / 143 % 17;
    return storey == 0 ? (int32_t)floor(high * (sin(x / a) + sin(z / b) + sin((x + z) / (a + b))) + 100) : NO_FLOOR;
}

static uint32_t hash_of(int32_t x, int32_t z, uint32_t seed)
{
    uint32_t h = seed ^ (uint32_t)x * 0x9E3779B1u ^ (uint32_t)z * 0x85EBCA77u;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    return h ^ h >> 12;
}

// No two columns agree.
static int32_t rubble_floor(int storey, int32_t x, int32_t z, uint32_t seed)
{
    return storey == 0 ? (int32_t)(hash_of(x, z, seed) % 90) : NO_FLOOR;
}

// A flat ground floor below a wavy first floor.
static int32_t two_floors(int storey, int32_t x, int32_t z, uint32_t seed)
{
    if (storey == 0) return 3;
    return storey == 1 ? wave_floor(0, x, z, seed) + 60 : NO_FLOOR;
}

START_TEST(flat_polygon_has_no_extra_points)
{
    fixture f;
    fixture_init(&f, flat_floor, 0, 48, 0, 0);
    fixture_begin_polygons(&f, 16);
    fixture_rectangle(&f, 0, 0, 0, 20, 48, 1);
    fixture_rectangle(&f, 0, 20, 0, 48, 48, 1);
    fixture_end_polygons(&f);
    fixture_build(&f);
    ck_assert_int_eq(f.detail.vert_count, 0);
    ck_assert_int_eq(f.detail.tri_count, 4);
    ck_assert_int_gt(f.detail.sampled, 32);
    fixture_deinit(&f);
}
END_TEST

START_TEST(no_detail_means_only_the_corners_triangles)
{
    fixture f;
    fixture_init(&f, hill_floor, 0, 48, 0, 0);
    f.cfg.detail_sample = 0;
    fixture_jittered_grid(&f, 12, 1);
    fixture_build(&f);
    ck_assert_int_eq(f.detail.vert_count, 0);
    ck_assert_int_eq(f.detail.sampled, 0);
    fixture_deinit(&f);
}
END_TEST

START_TEST(hill_is_followed_within_the_error_at_every_sample)
{
    for (int32_t sample = 1; sample <= 8; sample++) {
        fixture f;
        fixture_init(&f, hill_floor, 0, 48, 0, 0);
        f.cfg.detail_sample = sample;
        fixture_begin_polygons(&f, 8);
        fixture_rectangle(&f, 0, 0, 0, 48, 48, 1);
        fixture_end_polygons(&f);
        fixture_build(&f);
        ck_assert_int_gt(f.detail.vert_count, 0);
        fixture_check_followed(&f, 0);
        fixture_deinit(&f);
    }
}
END_TEST

static int32_t ramp_floor(int storey, int32_t x, int32_t z, uint32_t seed)
{
    (void)z, (void)seed;
    return storey == 0 ? x : NO_FLOOR;
}

START_TEST(ramp_needs_no_extra_points)
{
    fixture f;
    fixture_init(&f, ramp_floor, 0, 48, 0, 0);
    fixture_jittered_grid(&f, 16, 3);
    fixture_build(&f);
    ck_assert_int_eq(f.detail.vert_count, 0);
    ck_assert_int_gt(f.detail.sampled, 0);
    fixture_deinit(&f);
}
END_TEST

// The highest of the four floors around a cell corner, where every column has one storey.
static int32_t top_around(const fixture *f, int32_t x, int32_t z)
{
    int32_t top = NO_FLOOR;
    for (int k = 0; k < 4; k++) {
        int32_t c = (z - (k >> 1) + f->field.border) * f->field.width + x - (k & 1) + f->field.border;
        int32_t y = f->field.floor[f->field.column_first[c]];
        if (y > top) top = y;
    }
    return top;
}

// Height of the only polygon's boundary at a point of the side x = at, from the points on it.
static double side_height(const fixture *f, double at, double z)
{
    double low = -1, high = 1000, low_y = 0, high_y = 0;
    for (int32_t i = 0; i < 4 + f->detail.vert_count; i++) {
        int32_t v = f->polys.vert[i < 4 ? i : 0];
        double px = i < 4 ? f->polys.x[v] : f->detail.x[i - 4], pz = i < 4 ? f->polys.z[v] : f->detail.z[i - 4];
        double py = i < 4 ? f->polys.y[v] : f->detail.y[i - 4];
        if (px != at) continue;
        if (pz <= z && pz > low) low = pz, low_y = py;
        if (pz >= z && pz < high) high = pz, high_y = py;
    }
    return high == low ? low_y : low_y + (high_y - low_y) * (z - low) / (high - low);
}

START_TEST(edges_follow_the_ground_between_their_corners)
{
    for (uint32_t seed = 0; seed < 2000; seed += 13) {
        fixture f;
        fixture_init(&f, seed % 2 ? rubble_floor : wave_floor, seed, 48, 0, 0);
        f.cfg.detail_sample = 2;
        fixture_begin_polygons(&f, 8);
        fixture_rectangle(&f, 0, 20, 4, 28, 40, 1); // no portal: the sides are walls
        fixture_end_polygons(&f);
        fixture_build(&f);
        ck_assert_int_eq(f.polys.count, 1);
        for (int32_t z = 6; z < 40; z += 2) {
            double off = fabs(side_height(&f, 20, z) - top_around(&f, 20, z));
            if (off > f.cfg.detail_max_error + 1e-6) ck_abort_msg("seed %u: %f off at z = %d", seed, off, z);
        }
        fixture_deinit(&f);
    }
}
END_TEST

START_TEST(collinear_corners_are_no_trouble)
{
    static const int32_t corners[6][2] = {{0, 0}, {0, 20}, {0, 48}, {48, 48}, {48, 30}, {48, 0}};
    fixture f;
    fixture_init(&f, wave_floor, 77, 48, 0, 0);
    fixture_begin_polygons(&f, 8);
    int32_t v[6];
    for (int i = 0; i < 6; i++) v[i] = fixture_vertex(&f, 0, corners[i][0], corners[i][1]);
    fixture_polygon(&f, 6, v, 1);
    fixture_end_polygons(&f);
    fixture_build(&f);
    fixture_check_followed(&f, 0);
    fixture_deinit(&f);
}
END_TEST

START_TEST(two_storeys_do_not_mix)
{
    for (int known = 0; known < 2; known++) { // 0: the region of the polygons is not known, the ground is flooded
        fixture f;
        fixture_init(&f, two_floors, 123, 48, 0, 0);
        fixture_begin_polygons(&f, 8);
        fixture_rectangle(&f, 0, 0, 0, 48, 48, known ? 1 : 0);
        fixture_end_polygons(&f);
        fixture_build(&f);
        ck_assert_int_eq(f.detail.vert_count, 0);
        fixture_check_followed(&f, 0);

        fixture_begin_polygons(&f, 8);
        fixture_rectangle(&f, 1, 0, 0, 48, 48, known ? 2 : 0);
        fixture_end_polygons(&f);
        fixture_build(&f);
        ck_assert_int_gt(f.detail.vert_count, 0);
        for (int32_t i = 0; i < f.detail.vert_count; i++) ck_assert_double_gt(f.detail.y[i], 60);
        fixture_check_followed(&f, 1);
        fixture_deinit(&f);
    }
}
END_TEST

typedef struct profile {
    int count;
    double at[512], y[512];
} profile;

static int compare_doubles(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return (p[0] > q[0]) - (p[0] < q[0]);
}

// Extra vertices on a border line, in order along it. axis 0: the line x = at, 1: z = at.
static profile border_profile(const fixture *f, int axis, double at)
{
    double pairs[512][2];
    profile p = {0};
    for (int32_t i = 0; i < f->detail.vert_count; i++) {
        double across = axis == 0 ? f->detail.x[i] : f->detail.z[i];
        if (across != at) continue;
        pairs[p.count][0] = axis == 0 ? f->detail.z[i] : f->detail.x[i];
        pairs[p.count++][1] = f->detail.y[i];
    }
    qsort(pairs, (size_t)p.count, sizeof *pairs, compare_doubles);
    for (int i = 0; i < p.count; i++) {
        p.at[i] = pairs[i][0];
        p.y[i] = pairs[i][1];
    }
    return p;
}

static void check_same_profile(const fixture *a, double at_a, const fixture *b, double at_b, int axis)
{
    profile p = border_profile(a, axis, at_a), q = border_profile(b, axis, at_b);
    ck_assert_int_gt(p.count, 0);
    ck_assert_int_eq(p.count, q.count);
    for (int i = 0; i < p.count; i++) {
        ck_assert_double_eq(p.at[i], q.at[i]);
        ck_assert_double_eq(p.y[i], q.y[i]);
    }
}

// Moves the ends of the polygons along an axis off the corners of columns.
static void move_ends(fixture *f, int axis)
{
    int32_t *along = axis == 0 ? f->polys.z : f->polys.x, last = f->cfg.tile_units;
    for (int32_t v = 0; v < f->polys.vert_count; v++) along[v] = along[v] == last ? last - 21 : 37;
}

START_TEST(both_tiles_of_a_border_find_the_same_points_on_it)
{
    int32_t unit = _i ? 16 : 1;
    for (uint32_t seed = 0; seed < 20; seed++)
        for (int axis = 0; axis < 2; axis++) {
            fixture f[2];
            for (int side = 0; side < 2; side++) {
                fixture_init(&f[side], seed % 2 ? rubble_floor : wave_floor, 2200 + seed, 48, axis == 0 ? side - 1 : 0,
                             axis == 1 ? side - 1 : 0);
                fixture_begin_polygons(&f[side], 16);
                // One polygon on one side, two of different regions would do on the other: the portal is the same.
                fixture_rectangle(&f[side], 0, 0, 0, 48, 48, side);
                fixture_end_polygons(&f[side]);
                fixture_set_unit(&f[side], unit);
                if (unit > 1) move_ends(&f[side], axis);
                fixture_build(&f[side]);
            }
            check_same_profile(&f[0], 48 * unit, &f[1], 0, axis);
            profile p = border_profile(&f[1], axis, 0);
            for (int i = 0; i < p.count; i++) {
                int32_t at = (int32_t)p.at[i] / unit, top = top_around(&f[1], axis ? at : 0, axis ? 0 : at);
                ck_assert_double_eq(p.at[i], at * unit);
                ck_assert_double_eq(p.y[i], top);
            }
            for (int side = 0; side < 2; side++) fixture_deinit(&f[side]);
        }
}
END_TEST

START_TEST(border_profile_belongs_to_the_storey_of_the_portal)
{
    fixture f;
    fixture_init(&f, two_floors, 99, 48, 0, 0);
    fixture_begin_polygons(&f, 16);
    fixture_rectangle(&f, 0, 0, 0, 48, 48, 1);
    fixture_rectangle(&f, 1, 0, 0, 48, 48, 2);
    fixture_end_polygons(&f);
    fixture_set_unit(&f, _i ? 16 : 1);
    if (_i) move_ends(&f, 0);
    fixture_build(&f);
    ck_assert_int_eq(f.detail.vert_first[1], 0);
    profile p = border_profile(&f, 0, 48 * f.cfg.unit);
    ck_assert_int_gt(p.count, 0);
    for (int i = 0; i < p.count; i++) ck_assert_double_gt(p.y[i], 60);
    fixture_deinit(&f);
}
END_TEST

START_TEST(detail_that_does_not_fit_splits_polygons_and_loses_nothing)
{
    fixture f;
    fixture_init(&f, rubble_floor, 5, 48, 0, 0);
    f.cfg.detail_sample = 1;
    fixture_begin_polygons(&f, 16);
    fixture_rectangle(&f, 0, 0, 0, 30, 48, 1);
    fixture_rectangle(&f, 0, 30, 0, 48, 48, 1);
    fixture_end_polygons(&f);
    fixture_build(&f);
    ck_assert_int_eq(f.detail.split_polygons, 2);
    ck_assert_int_eq(f.detail.coarsened, 0);
    ck_assert_int_gt(f.polys.count, 8);
    ck_assert_int_eq(f.polys.cell_count, 2);
    ck_assert_int_eq(f.polys.cell_poly[0], 0);
    ck_assert_int_eq(f.polys.cell_poly[2], f.polys.count);
    double area = 0;
    for (int32_t p = 0; p < f.polys.count; p++) {
        const int32_t *v = f.polys.vert + f.polys.first[p];
        ck_assert_int_eq(f.polys.area[p], NAV_AREA_DEFAULT);
        ck_assert_int_eq(f.polys.region[p], 1);
        for (int32_t i = 0; i < f.polys.first[p + 1] - f.polys.first[p]; i++) {
            bool left = p < f.polys.cell_poly[1]; // a cell's polygons stand together
            ck_assert(left ? f.polys.x[v[i]] <= 30 : f.polys.x[v[i]] >= 30);
        }
        for (int32_t i = 1; i + 1 < f.polys.first[p + 1] - f.polys.first[p]; i++)
            area += (double)nav_area2(f.polys.x[v[0]], f.polys.z[v[0]], f.polys.x[v[i]], f.polys.z[v[i]],
                                      f.polys.x[v[i + 1]], f.polys.z[v[i + 1]]);
    }
    ck_assert_double_eq(area, 2.0 * 48 * 48);
    fixture_check_followed(&f, 0);
    fixture_deinit(&f);
}
END_TEST

START_TEST(edge_that_alone_needs_too_many_points_is_counted)
{
    fixture f;
    fixture_init(&f, rubble_floor, 5, 120, 0, 0);
    f.cfg.detail_sample = 1;
    f.cfg.detail_max_error = 0.5;
    fixture_begin_polygons(&f, 8);
    fixture_rectangle(&f, 0, 0, 0, 120, 120, 1);
    fixture_end_polygons(&f);
    fixture_build(&f);
    ck_assert_int_gt(f.detail.coarsened, 0);
    fixture_check_followed(&f, 0); // the inside is followed all the same
    fixture_deinit(&f);
}
END_TEST

// A table whose middle is left out of the region, under a sample.
static int32_t table_floor(int storey, int32_t x, int32_t z, uint32_t seed)
{
    (void)seed;
    return storey == 0 ? (abs(x - 21) <= 2 && abs(z - 27) <= 2 ? 50 : 40) : NO_FLOOR;
}

START_TEST(sample_over_a_gap_takes_the_nearest_floor)
{
    fixture f;
    fixture_init(&f, table_floor, 0, 48, 0, 0);
    int32_t gap = f.field.column_first[(27 + f.field.border) * f.field.width + 21 + f.field.border];
    f.regions.id[gap] = NAV_REGION_NONE;
    f.field.floor[gap] = 900;
    fixture_begin_polygons(&f, 8);
    fixture_rectangle(&f, 0, 0, 0, 48, 48, 1);
    fixture_end_polygons(&f);
    fixture_build(&f);
    bool found = false;
    for (int32_t i = 0; i < f.detail.vert_count; i++) {
        found |= f.detail.x[i] == 21.5f && f.detail.z[i] == 27.5f && f.detail.y[i] == 50;
        ck_assert_double_le(f.detail.y[i], 50);
    }
    ck_assert(found);
    fixture_deinit(&f);
}
END_TEST

START_TEST(samples_without_ground_are_left_out)
{
    fixture f;
    fixture_init(&f, hill_floor, 0, 48, 0, 0);
    for (int32_t s = 0; s < f.field.span_count; s++) f.regions.id[s] = NAV_REGION_NONE;
    fixture_begin_polygons(&f, 8);
    fixture_rectangle(&f, 0, 1, 1, 47, 47, 1);
    fixture_end_polygons(&f);
    fixture_build(&f);
    ck_assert_int_eq(f.detail.vert_count, 0);
    fixture_deinit(&f);
}
END_TEST

START_TEST(field_of_thousands_of_cells_is_followed)
{
    fixture f;
    fixture_init(&f, wave_floor, 0, 1200, 0, 0);
    fixture_begin_polygons(&f, 8);
    fixture_rectangle(&f, 0, 0, 0, 1200, 1200, 1);
    fixture_end_polygons(&f);
    fixture_build(&f);
    ck_assert_int_eq(f.detail.split_polygons, 1);
    fixture_check_followed(&f, 0);
    fixture_deinit(&f);
}
END_TEST

START_TEST(budget_is_a_limit_and_no_crash)
{
    for (size_t budget = 1000; budget < 400000; budget += 7777) {
        fixture f;
        fixture_init(&f, rubble_floor, 5, 48, 0, 0);
        f.cfg.detail_sample = 2;
        fixture_begin_polygons(&f, 8);
        fixture_rectangle(&f, 0, 0, 0, 48, 48, 1);
        fixture_end_polygons(&f);
        nav_arena small;
        nav_arena_init(&small, budget);
        nav_status s = nav_detail_build(&f.field, &f.regions, &f.cfg, &small, &f.polys, &f.detail);
        ck_assert(s == NAV_OK || s == NAV_ERR_LIMIT);
        nav_arena_deinit(&small);
        fixture_deinit(&f);
    }
}
END_TEST

START_TEST(any_convex_polygons_on_any_ground_are_covered_and_followed)
{
    for (uint32_t seed = 1; seed <= 300; seed++) {
        uint32_t r = seed * 7919;
        int32_t step = 6 + (int32_t)(fixture_random(&r) % 19);
        fixture f;
        fixture_init(&f, seed % 3 ? wave_floor : rubble_floor, fixture_random(&r), 48, 0, 0);
        f.cfg.detail_sample = 1 + (int32_t)(fixture_random(&r) % 7);
        f.cfg.detail_max_error = 0.25 * (fixture_random(&r) % 12);
        fixture_jittered_grid(&f, step, seed);
        fixture_set_unit(&f, _i ? 128 : 1);
        fixture_build(&f);
        fixture_check_followed(&f, 0);
        fixture_deinit(&f);
    }
}
END_TEST

// In doubles, with room for their rounding: is d well inside the circle through a, b and c?
static bool well_in_circle(const nav_patch *p, int a, int b, int c, int d)
{
    double ax = p->x[a] - p->x[d], az = p->z[a] - p->z[d], bx = p->x[b] - p->x[d], bz = p->z[b] - p->z[d];
    double cx = p->x[c] - p->x[d], cz = p->z[c] - p->z[d];
    double al = ax * ax + az * az, bl = bx * bx + bz * bz, cl = cx * cx + cz * cz;
    double det = al * (bz * cx - bx * cz) + bl * (cz * ax - cx * az) + cl * (az * bx - ax * bz);
    return det > 1e-9 * (al + bl + cl) * (al + bl + cl);
}

START_TEST(patch_is_a_delaunay_triangulation_that_follows_its_samples)
{
    static nav_patch p;
    nav_arena arena;
    nav_arena_init(&arena, 0);
    p.sample_capacity = 0;
    for (uint32_t seed = 1; seed <= 300; seed++) {
        uint32_t r = seed;
        int32_t x[4] = {0, 0, 4000, 4000}, z[4] = {0, 4000, 4000, 0}, y[4] = {0, 3, 5, 7};
        ck_assert(nav_patch_begin(&p, 4, x, z, y));
        for (int i = 0; i < 100; i++) {
            int32_t sx = 1 + (int32_t)(fixture_random(&r) % 3999), sz = 1 + (int32_t)(fixture_random(&r) % 3999);
            ck_assert_int_eq(nav_patch_add_sample(&p, &arena, sx, sz, (int32_t)(fixture_random(&r) % 40)), NAV_OK);
        }
        if (!nav_patch_refine(&p, 2)) ck_abort_msg("seed %u: 100 samples do not fit", seed);
        for (int t = 0; t < p.tri_count; t++) {
            ck_assert_double_le(p.error[t], 2);
            for (int i = 0; i < 3; i++) {
                int u = p.near[t][i];
                for (int k = 0; u != NAV_PATCH_OUTSIDE && k < 3; k++)
                    if (well_in_circle(&p, p.vert[t][0], p.vert[t][1], p.vert[t][2], p.vert[u][k]))
                        ck_abort_msg("seed %u: triangles %d and %d are not Delaunay", seed, t, u);
            }
        }
    }
    nav_arena_deinit(&arena);
}
END_TEST

// 3 to 6 corners of a ring, of which some lie in line, stretched along both axes.
static int32_t random_convex(uint32_t *r, int32_t x[6], int32_t z[6])
{
    static const int8_t ring[14][2] = {{0, 4},   {0, 10}, {2, 14}, {6, 18}, {10, 20}, {16, 20}, {20, 18},
                                       {22, 14}, {22, 8}, {22, 2}, {18, 0}, {12, 0},  {6, 0},   {2, 2}};
    int32_t n = 0, wide = 1 + (int32_t)(fixture_random(r) % 4), high = 1 + (int32_t)(fixture_random(r) % 4);
    for (int k = 0; k < 14 && n < 6; k++) {
        if (fixture_random(r) % 5 < 3) continue;
        x[n] = ring[k][0] * wide;
        z[n++] = ring[k][1] * high;
    }
    return n;
}

static void check_same_triangles(const nav_patch *p, const nav_patch *q, uint32_t seed)
{
    ck_assert_int_eq(p->tri_count, q->tri_count);
    for (int32_t t = 0; t < p->tri_count; t++)
        for (int i = 0; i < 3; i++)
            if (p->vert[t][i] != q->vert[t][i] || p->near[t][i] != q->near[t][i])
                ck_abort_msg("seed %u: triangle %d of %d is another", seed, t, p->tri_count);
}

START_TEST(corners_that_all_turn_are_cut_as_any_others)
{
    static nav_patch p, plain;
    int32_t flipped = 0;
    for (uint32_t seed = 1; seed <= 20000; seed++) {
        uint32_t r = seed;
        int32_t x[6], z[6], y[6] = {0}, n = random_convex(&r, x, z);
        if (n < 3) continue;
        ck_assert_int_eq(nav_patch_begin(&p, n, x, z, y), nav_patch_begin_by(true, &plain, n, x, z, y));
        check_same_triangles(&p, &plain, seed);
        flipped += n > 3 && p.vert[0][0] != n - 1;
    }
    ck_assert_int_gt(flipped, 1000);
}
END_TEST

// Scaled by a power of two, places keep their few bits; by an odd number they have as many as fit.
START_TEST(circles_are_the_same_in_few_bits_and_in_many)
{
    static nav_patch few, many;
    for (uint32_t seed = 1; seed <= 20000; seed++) {
        uint32_t r = seed;
        int32_t x[6], z[6], y[6] = {0}, n = random_convex(&r, x, z), large_x[6], large_z[6];
        if (n < 3) continue;
        for (int32_t i = 0; i < n; i++) {
            large_x[i] = x[i] * ((1 << 17) - 1);
            large_z[i] = z[i] * ((1 << 17) - 1);
            x[i] *= 1 << 17;
            z[i] *= 1 << 17;
        }
        bool whole = nav_patch_begin(&few, n, x, z, y);
        ck_assert_int_eq(whole, nav_patch_begin(&many, n, large_x, large_z, y));
        check_same_triangles(&few, &many, seed);
    }
}
END_TEST

START_TEST(patch_keeps_every_triangle_positive_on_slivers)
{
    static nav_patch p;
    nav_arena arena;
    nav_arena_init(&arena, 0);
    for (uint32_t seed = 1; seed <= 2000; seed++) {
        uint32_t r = seed;
        int32_t unit = 1 << 10;
        int32_t x[3] = {0, (int32_t)(fixture_random(&r) % 4), 0}, z[3] = {0, 4000, 3999}, y[3] = {0, 0, 0};
        x[2] = x[1] + 1 + (int32_t)(fixture_random(&r) % 3);
        for (int i = 0; i < 3; i++) {
            x[i] *= unit;
            z[i] *= unit;
        }
        p.sample_capacity = 0;
        if (!nav_patch_begin(&p, 3, x, z, y)) continue;
        nav_patch_point points[60];
        int count = 0, from = (int)(seed % 3), to = (from + 1) % 3;
        for (int32_t k = 1; k < 60; k++) {
            int32_t dx = (x[to] - x[from]) / unit, dz = (z[to] - z[from]) / unit;
            points[count++] = (nav_patch_point){x[from] + dx * k * 17, z[from] + dz * k * 17, k};
        }
        ck_assert(nav_patch_insert_edge(&p, from, to, points, count, 1));
        for (int32_t t = 0; t < p.tri_count; t++) {
            const int16_t *v = p.vert[t];
            if (nav_area2(p.x[v[0]], p.z[v[0]], p.x[v[1]], p.z[v[1]], p.x[v[2]], p.z[v[2]]) <= 0)
                ck_abort_msg("triangle %d has no area, seed %u", t, seed);
        }
    }
    nav_arena_deinit(&arena);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("detail");
    TCase *t = tcase_create("detail");
    tcase_set_timeout(t, 900);
    suite_add_tcase(s, t);
    tcase_add_test(t, corners_that_all_turn_are_cut_as_any_others);
    tcase_add_test(t, circles_are_the_same_in_few_bits_and_in_many);
    tcase_add_test(t, flat_polygon_has_no_extra_points);
    tcase_add_test(t, no_detail_means_only_the_corners_triangles);
    tcase_add_test(t, hill_is_followed_within_the_error_at_every_sample);
    tcase_add_test(t, ramp_needs_no_extra_points);
    tcase_add_test(t, edges_follow_the_ground_between_their_corners);
    tcase_add_test(t, collinear_corners_are_no_trouble);
    tcase_add_test(t, two_storeys_do_not_mix);
    tcase_add_loop_test(t, both_tiles_of_a_border_find_the_same_points_on_it, 0, 2); // in columns, in outline units
    tcase_add_loop_test(t, border_profile_belongs_to_the_storey_of_the_portal, 0, 2);
    tcase_add_test(t, detail_that_does_not_fit_splits_polygons_and_loses_nothing);
    tcase_add_test(t, edge_that_alone_needs_too_many_points_is_counted);
    tcase_add_test(t, sample_over_a_gap_takes_the_nearest_floor);
    tcase_add_test(t, samples_without_ground_are_left_out);
    tcase_add_test(t, field_of_thousands_of_cells_is_followed);
    tcase_add_test(t, budget_is_a_limit_and_no_crash);
    tcase_add_loop_test(t, any_convex_polygons_on_any_ground_are_covered_and_followed, 0, 2);
    tcase_add_test(t, patch_is_a_delaunay_triangulation_that_follows_its_samples);
    tcase_add_test(t, patch_keeps_every_triangle_positive_on_slivers);
    return run_suite(s);
}
