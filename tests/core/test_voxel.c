#include "tests/check.h"
#include "tests/core/voxel_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The exact answer by clipping the triangle to the cell: Sutherland and Hodgman, one half-plane after the other.
static bool clip_to_cell(const double tri[3][3], double x0, double z0, double *low, double *high)
{
    double p[16][3], q[16][3];
    int n = 3;
    memcpy(p, tri, 9 * sizeof(double));
    for (int side = 0; side < 4; side++) {
        int m = 0;
        for (int i = 0; i < n; i++) {
            const double *a = p[i], *b = p[(i + 1) % n];
            double da = side == 0 ? a[0] - x0 : side == 1 ? x0 + 1 - a[0] : side == 2 ? a[2] - z0 : z0 + 1 - a[2];
            double db = side == 0 ? b[0] - x0 : side == 1 ? x0 + 1 - b[0] : side == 2 ? b[2] - z0 : z0 + 1 - b[2];
            if (da >= 0) memcpy(q[m++], a, sizeof q[0]);
            if ((da < 0) != (db < 0)) {
                double t = da / (da - db);
                for (int k = 0; k < 3; k++) q[m][k] = a[k] + (b[k] - a[k]) * t;
                m++;
            }
        }
        n = m;
        memcpy(p, q, sizeof p);
    }
    if (n == 0) return false;
    double min_x = 1e30, max_x = -1e30, min_z = 1e30, max_z = -1e30;
    *low = 1e30, *high = -1e30;
    for (int i = 0; i < n; i++) {
        *low = fmin(*low, p[i][1]), *high = fmax(*high, p[i][1]);
        min_x = fmin(min_x, p[i][0]), max_x = fmax(max_x, p[i][0]);
        min_z = fmin(min_z, p[i][2]), max_z = fmax(max_z, p[i][2]);
    }
    return max_x - min_x > 1e-3 && max_z - min_z > 1e-3; // a mere touch is nobody's
}

START_TEST(a_span_is_exactly_the_part_of_the_triangle_over_the_cell)
{
    uint32_t seed = 11;
    long cells = 0, wrong = 0;
    for (int trial = 0; trial < 300; trial++) {
        scene s = {0};
        float size = trial % 3 == 0 ? 0.4f : trial % 3 == 1 ? 3 : 30, v[3][3];
        float at[3] = {scene_random_between(&seed, 0, 14), 5, scene_random_between(&seed, 0, 14)};
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) v[c][k] = at[k] + scene_random_between(&seed, -size, size);
        scene_triangle(&s, v[0], v[1], v[2]);
        nav_mesh *m = scene_mesh(&s);
        nav_heightfield f = rasterize(m, 0, 0);
        nav_config c = config(0, 0);
        double tri[3][3];
        for (int k = 0; k < 3; k++) {
            tri[k][0] = (double)v[k][0] / c.cell_size_m - (double)c.first_column_x;
            tri[k][1] = (double)v[k][1] / c.cell_height_m;
            tri[k][2] = (double)v[k][2] / c.cell_size_m - (double)c.first_column_z;
        }
        for (int z = 0; z < c.width; z++)
            for (int x = 0; x < c.width; x++) {
                double low, high;
                int32_t i = f.column_first[z * c.width + x], n = f.column_first[z * c.width + x + 1] - i;
                bool met = clip_to_cell(tri, x, z, &low, &high);
                if (!met) continue; // cells that are only touched may go either way
                cells++;
                ck_assert_int_eq(n, 1);
                double bottom = floor(low), top = fmax(ceil(high), bottom + 1);
                // Within rounding of a voxel either one is right.
                bool close = fabs(low - round(low)) < 1e-3 || fabs(high - round(high)) < 1e-3;
                if (!close && (f.bottom[i] != (int32_t)bottom || f.top[i] != (int32_t)top)) wrong++;
            }
        nav_arena_reset(&arena);
        nav_mesh_destroy(m);
        scene_free(&s);
    }
    ck_assert_int_gt(cells, 20000);
    ck_assert_int_eq(wrong, 0);
}
END_TEST

static void add_clutter(scene *s, uint32_t *seed)
{
    scene_floor(s, -20, -20, 40, 40, 0);
    for (int i = 0; i < 60; i++) {
        float x = scene_random_between(seed, -2, 18), z = scene_random_between(seed, -2, 18);
        float w = scene_random_between(seed, 0.2f, 3), y = scene_random_between(seed, -1, 4);
        scene_box(s, x, y, z, x + w, y + scene_random_between(seed, 0.1f, 3), z + w, 0.8f, 0.6f);
    }
}

START_TEST(walls_on_grid_lines_are_not_lost)
{
    for (int k = 0; k < 40; k++) { // in floats, some lie a hair below their line, some above; the first wall faces x+
        float at = (float)k * 0.3f;
        scene s = {0};
        const float a[3] = {at, 0, 1}, b[3] = {at, 2, 1}, c[3] = {at, 0, 9}, d[3] = {1, 0, at}, e[3] = {1, 2, at};
        const float f[3] = {9, 0, at};
        scene_triangle(&s, a, b, c);
        scene_triangle(&s, d, e, f);
        nav_mesh *m = scene_mesh(&s);
        nav_heightfield field = rasterize(m, 0, 0);
        nav_config cfg = config(0, 0);
        int32_t along_z = 0, along_x = 0;
        for (int j = 0; j < cfg.width; j++) {
            int32_t column = j * cfg.width + k - 1 + cfg.border, row = (k + cfg.border) * cfg.width + j;
            along_z += field.column_first[column + 1] - field.column_first[column];
            along_x += field.column_first[row + 1] - field.column_first[row];
        }
        ck_assert_int_ge(along_z, 27);
        ck_assert_int_ge(along_x, 27);
        nav_mesh_destroy(m);
        scene_free(&s);
    }
}
END_TEST

START_TEST(a_box_from_line_to_line_fills_the_cells_between)
{
    for (int k = 0; k < 36; k++) {
        float low = (float)k * 0.3f, high = (float)(k + 4) * 0.3f;
        scene s = {0};
        scene_box(&s, low, 0, low, high, 2, high, 1, 0);
        nav_mesh *m = scene_mesh(&s);
        nav_heightfield f = rasterize(m, 0, 0);
        nav_config c = config(0, 0);
        for (int z = 0; z < c.width; z++)
            for (int x = 0; x < c.width; x++) {
                int i = z * c.width + x, u = x - c.border, v = z - c.border;
                bool solid = u >= k && u < k + 4 && v >= k && v < k + 4;
                ck_assert_msg((f.column_first[i + 1] > f.column_first[i]) == solid, "box at %d, cell %d,%d", k, u, v);
            }
        nav_mesh_destroy(m);
        scene_free(&s);
    }
}
END_TEST

START_TEST(the_order_of_triangles_does_not_matter)
{
    scene s = {0};
    uint32_t seed = 5;
    add_clutter(&s, &seed);
    nav_mesh *m = scene_mesh(&s);
    nav_instance in = {m, NAV_TRANSFORM_IDENTITY, 63};
    nav_tile_source src = {.settings = &settings, .instances = &in, .instance_count = 1};
    nav_config c = config(0, 0);
    nav_triangles t;
    nav_heightfield a, b;
    ck_assert_int_eq(nav_triangles_gather(&src, &c, &arena, &t), NAV_OK);
    ck_assert_int_eq(nav_heightfield_build(&t, &c, &arena, &a), NAV_OK);
    for (int round = 0; round < 5; round++) {
        for (uint32_t i = t.count - 1; i > 0; i--) { // Fisher and Yates
            uint32_t j = scene_random(&seed) % (i + 1);
            float v[9];
            memcpy(v, t.verts + 9 * i, sizeof v);
            memcpy(t.verts + 9 * i, t.verts + 9 * j, sizeof v);
            memcpy(t.verts + 9 * j, v, sizeof v);
            uint8_t area = t.areas[i];
            t.areas[i] = t.areas[j];
            t.areas[j] = area;
        }
        ck_assert_int_eq(nav_heightfield_build(&t, &c, &arena, &b), NAV_OK);
        ck_assert_int_eq(a.span_count, b.span_count);
        ck_assert_mem_eq(a.bottom, b.bottom, (size_t)a.span_count * 4);
        ck_assert_mem_eq(a.top, b.top, (size_t)a.span_count * 4);
        ck_assert_mem_eq(a.area, b.area, (size_t)a.span_count);
    }
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(neighbouring_tiles_have_the_same_spans_in_shared_columns)
{
    scene s = {0};
    uint32_t seed = 9;
    add_clutter(&s, &seed);
    for (int i = 0; i < 4000; i++) { // and slivers at all angles around the border
        float v[3][3];
        for (int c = 0; c < 3; c++) {
            v[c][0] = scene_random_between(&seed, 10, 19);
            v[c][1] = scene_random_between(&seed, 0, 5);
            v[c][2] = scene_random_between(&seed, 0, 14);
        }
        if (i % 20 == 0) scene_triangle(&s, v[0], v[1], v[2]);
    }
    nav_mesh *m = scene_mesh(&s);
    nav_heightfield a = rasterize(m, 0, 0), b = rasterize(m, 1, 0);
    nav_config c = config(0, 0);
    long spans = 0;
    for (int z = 0; z < c.width; z++)
        for (int x = 0; x < 2 * c.border; x++) { // the last columns of one are the first of the other
            int32_t i = z * c.width + c.tile_columns + x, j = z * c.width + x;
            int32_t n = a.column_first[i + 1] - a.column_first[i];
            ck_assert_int_eq(n, b.column_first[j + 1] - b.column_first[j]);
            ck_assert_mem_eq(a.bottom + a.column_first[i], b.bottom + b.column_first[j], (size_t)n * 4);
            ck_assert_mem_eq(a.top + a.column_first[i], b.top + b.column_first[j], (size_t)n * 4);
            ck_assert_mem_eq(a.area + a.column_first[i], b.area + b.column_first[j], (size_t)n);
            spans += n;
        }
    ck_assert_int_gt(spans, 1000);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(a_world_five_kilometres_tall_keeps_its_heights)
{
    settings.cell_height_m = 0.05f;
    scene s = {0};
    scene_floor(&s, 0, 0, 14, 14, -2499.99f);
    scene_floor(&s, 0, 0, 14, 14, 2500.01f);
    nav_mesh *m = scene_mesh(&s);
    nav_heightfield f = rasterize(m, 0, 0);
    nav_config c = config(0, 0);
    int32_t i = f.column_first[20 * c.width + 20];
    ck_assert_int_eq(f.column_first[20 * c.width + 21] - i, 2);
    ck_assert_int_eq(f.top[i], (int32_t)ceil(-2499.99 / (double)0.05f));
    ck_assert_int_eq(f.top[i + 1], (int32_t)ceil(2500.01 / (double)0.05f));
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(a_floor_on_a_grid_line_does_not_fill_the_voxel_above)
{
    scene s = {0};
    scene_floor(&s, 0, 0, 14, 14, 0.6f); // 3 voxels of 0.2 m, which floats cannot say exactly
    nav_mesh *m = scene_mesh(&s);
    nav_heightfield f = rasterize(m, 0, 0);
    nav_config c = config(0, 0);
    int32_t i = f.column_first[20 * c.width + 20];
    ck_assert_int_eq(f.bottom[i], 3);
    ck_assert_int_eq(f.top[i], 4);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

static int32_t column_at(const nav_config *c, float x, float z)
{
    return ((int32_t)(z / 0.3f) + c->border) * c->width + (int32_t)(x / 0.3f) + c->border;
}

START_TEST(kerbs_are_walkable_walls_and_ledges_are_not)
{
    scene s = {0};
    scene_floor(&s, -5, -5, 20, 20, 0);
    scene_box(&s, 3, 0, 3, 6, 0.6f, 6, 1, 0);     // a step within climb: 0.6 m
    scene_box(&s, 8, 0, 3, 11, 1.5f, 6, 1, 0);    // too high to climb: its rim is a ledge
    scene_box(&s, 3, 1.0f, 9, 6, 1.2f, 12, 1, 0); // a table: too low to go under
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = compact_heightfield(m, 0, 0);
    nav_config c = config(0, 0);
    int32_t step = column_at(&c, 3.1f, 4.5f), rim = column_at(&c, 7.9f, 4.5f), top = column_at(&c, 9.5f, 4.5f);
    int32_t under = column_at(&c, 4.5f, 10.5f);
    ck_assert_int_eq(f.column_first[step + 1] - f.column_first[step], 1);
    ck_assert_int_eq(f.floor[f.column_first[step]], 4);
    ck_assert_int_eq(f.column_first[rim + 1] - f.column_first[rim], 0);
    ck_assert_int_eq(f.column_first[top + 1] - f.column_first[top], 1);
    ck_assert_int_eq(f.column_first[under + 1] - f.column_first[under], 1); // the table's top alone
    ck_assert_int_eq(f.floor[f.column_first[under]], 7);
    // Up the step there is a connection, and back.
    int32_t i = f.column_first[step], j = f.connection[0][i];
    ck_assert_int_ne(j, NAV_NOT_CONNECTED);
    ck_assert_int_eq(f.floor[j], 1);
    ck_assert_int_eq(f.connection[2][j], i);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

// A field of 5 by 5 columns, one span each, that stand on voxel 0; the middle row's heights are given.
typedef struct small_field {
    int32_t first[26], bottom[25], top[25];
    uint8_t area[25];
    nav_heightfield solid;
} small_field;

static void make_small_field(small_field *s, int32_t other, const int32_t middle[5])
{
    for (int i = 0; i <= 25; i++) s->first[i] = i;
    for (int i = 0; i < 25; i++) {
        s->bottom[i] = 0;
        s->top[i] = i / 5 == 2 ? middle[i % 5] : other;
        s->area[i] = NAV_AREA_DEFAULT;
    }
    s->solid = (nav_heightfield){5, 25, s->first, s->bottom, s->top, s->area, NULL, 0};
}

START_TEST(a_slope_across_a_cell_is_walkable_up_to_climb)
{
    nav_config c = config(0, 0);
    ck_assert_int_eq(c.climb_vx, 4);
    small_field s;
    make_small_field(&s, 20, (const int32_t[5]){18, 18, 20, 22, 22}); // 4 from side to side
    nav_filter_ledges(&s.solid, &c);
    ck_assert_int_eq(s.area[12], NAV_AREA_DEFAULT);
    make_small_field(&s, 20, (const int32_t[5]){18, 18, 20, 23, 23}); // 5, in steps that are each allowed
    nav_filter_ledges(&s.solid, &c);
    ck_assert_int_eq(s.area[12], NAV_AREA_NONE);
    make_small_field(&s, 20, (const int32_t[5]){15, 15, 20, 20, 20}); // a drop of 5
    nav_filter_ledges(&s.solid, &c);
    ck_assert_int_eq(s.area[12], NAV_AREA_NONE);
}
END_TEST

START_TEST(one_low_obstacle_can_be_stepped_on_a_stack_of_them_cannot)
{
    nav_config c = config(0, 0);
    int32_t first[2] = {0, 3}, bottom[3] = {0, 2, 4}, top[3] = {1, 3, 5};
    uint8_t area[3] = {7, NAV_AREA_NONE, NAV_AREA_NONE};
    int32_t crowded[1] = {0};
    nav_heightfield column = {1, 3, first, bottom, top, area, crowded, 1};
    nav_filter_low_obstacles(&column, &c);
    ck_assert_int_eq(area[1], 7);
    ck_assert_int_eq(area[2], NAV_AREA_NONE);
}
END_TEST

START_TEST(steps_up_and_down_are_connected_up_to_climb)
{
    nav_config c = config(0, 0);
    for (int32_t step = -6; step <= 6; step++) {
        small_field s;
        nav_compact_heightfield f;
        make_small_field(&s, 20, (const int32_t[5]){20, 20, 20, 20 + step, 20 + step});
        ck_assert_int_eq(nav_compact_build(&s.solid, &c, &arena, &f), NAV_OK);
        bool connected = step >= -c.climb_vx && step <= c.climb_vx;
        ck_assert_int_eq(f.connection[2][12], connected ? 13 : NAV_NOT_CONNECTED);
        ck_assert_int_eq(f.connection[0][13], connected ? 12 : NAV_NOT_CONNECTED);
    }
}
END_TEST

START_TEST(connections_are_symmetric_and_lead_to_neighbours)
{
    scene s = {0};
    uint32_t seed = 21;
    add_clutter(&s, &seed);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = compact_heightfield(m, 0, 0);
    nav_config c = config(0, 0);
    ck_assert_int_eq(nav_compact_erode(&f, &c, &arena), NAV_OK);
    long connections = 0;
    for (int32_t i = 0; i < f.span_count; i++)
        for (int d = 0; d < 4; d++) {
            int32_t n = f.connection[d][i];
            if (n == NAV_NOT_CONNECTED) continue;
            connections++;
            ck_assert_int_eq(f.connection[(d + 2) & 3][n], i);
            ck_assert_int_eq(f.column[n], f.column[i] + nav_dir_x[d] + nav_dir_z[d] * f.width);
            ck_assert_int_le(abs(f.floor[n] - f.floor[i]), c.climb_vx);
            ck_assert_uint_ne(f.area[i], NAV_AREA_NONE);
            ck_assert_uint_ne(f.area[n], NAV_AREA_NONE);
        }
    ck_assert_int_gt(connections, 1000);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(erosion_keeps_the_radius_from_walls)
{
    scene s = {0};
    scene_floor(&s, -10, -10, 30, 30, 0);
    scene_box(&s, 6, 0, -10, 6.9f, 3, 30, 1, 0);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = compact_heightfield(m, 0, 0);
    nav_config c = config(0, 0);
    ck_assert_int_eq(nav_compact_erode(&f, &c, &arena), NAV_OK);
    int32_t row = (20 + c.border) * c.width + c.border;
    // The wall fills cells 20 to 22, two cells beside it are lost to the
    // radius of 0.6 m, the third is free.
    for (int x = 15; x < 35; x++) {
        int32_t i = f.column_first[row + x], n = f.column_first[row + x + 1] - i;
        bool walkable = false;
        for (int32_t k = i; k < i + n; k++) walkable |= f.area[k] != NAV_AREA_NONE && f.floor[k] < 5;
        ck_assert_msg(walkable == (x < 18 || x > 24), "cell %d", x);
    }
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(volumes_block_with_the_radius_and_set_areas_without)
{
    scene s = {0};
    scene_floor(&s, -10, -10, 30, 30, 0);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = compact_heightfield(m, 0, 0);
    nav_config c = config(0, 0);
    nav_volume v[3] = {
        {.point_count = 4, .points = {3, 3, 3, 6, 6, 6, 6, 3}, .min_y = -1, .max_y = 1, .area = NAV_AREA_NONE},
        {.point_count = 4, .points = {9, 3, 9, 6, 12, 6, 12, 3}, .min_y = -1, .max_y = 1, .area = 7},
        {.point_count = 4, .points = {3, 9, 3, 12, 6, 12, 6, 9}, .min_y = 5, .max_y = 9, .area = 7},
    };
    ck_assert_int_eq(nav_volumes_apply(&f, v, 3, true, &c, &arena), NAV_OK);
    ck_assert_int_eq(nav_compact_erode(&f, &c, &arena), NAV_OK);
    ck_assert_int_eq(nav_volumes_apply(&f, v, 3, false, &c, &arena), NAV_OK);
    ck_assert_uint_eq(f.area[f.column_first[column_at(&c, 4.5f, 4.5f)]], NAV_AREA_NONE);
    ck_assert_uint_eq(f.area[f.column_first[column_at(&c, 2.6f, 4.5f)]], NAV_AREA_NONE); // radius
    ck_assert_uint_eq(f.area[f.column_first[column_at(&c, 1.9f, 4.5f)]], 63);
    ck_assert_uint_eq(f.area[f.column_first[column_at(&c, 9.2f, 4.5f)]], 7);
    ck_assert_uint_eq(f.area[f.column_first[column_at(&c, 8.8f, 4.5f)]], 63);
    ck_assert_uint_eq(f.area[f.column_first[column_at(&c, 4.5f, 10.5f)]], 63); // too high up
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(corners_have_one_height_whoever_asks)
{
    scene s = {0};
    scene_hills(&s, 40, 0.7f, 3);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = compact_heightfield(m, 0, 0);
    nav_config c = config(0, 0);
    ck_assert_int_eq(nav_compact_erode(&f, &c, &arena), NAV_OK);
    long compared = 0;
    for (int32_t i = 0; i < f.span_count; i++)
        for (int d = 0; d < 4; d++) {
            int32_t n = f.connection[d][i];
            if (n == NAV_NOT_CONNECTED) continue;
            // The corner between d and d + 1 of i is that between d + 1 and d + 2 of the neighbour in direction d.
            ck_assert_int_eq(nav_corner_height(&f, i, d), nav_corner_height(&f, n, (d + 1) & 3));
            ck_assert_int_ge(nav_corner_height(&f, i, d), f.floor[i]);
            compared++;
        }
    ck_assert_int_gt(compared, 1000);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

// All points of a column's closed square that are a quarter of its side apart.
START_TEST(points_have_the_height_of_their_corner_side_or_column)
{
    static const int8_t corner[5][5] = {[0] = {[0] = 3, [4] = 0}, [4] = {[0] = 2, [4] = 1}}; // [x][z]
    scene s = {0};
    scene_hills(&s, 40, 0.7f, 3);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = compact_heightfield(m, 0, 0);
    nav_config c = config(0, 0);
    ck_assert_int_eq(nav_compact_erode(&f, &c, &arena), NAV_OK);
    long sides = 0;
    for (int32_t i = 0; i < f.span_count; i++) {
        int32_t x0 = 4 * (f.column[i] % f.width - f.border), z0 = 4 * (f.column[i] / f.width - f.border);
        for (int32_t x = 0; x <= 4; x++)
            for (int32_t z = 0; z <= 4; z++) {
                int32_t height = nav_point_height(&f, i, x0 + x, z0 + z, 2), n = NAV_NOT_CONNECTED;
                bool on_x = x % 4 == 0, on_z = z % 4 == 0;
                if (on_x && on_z) {
                    ck_assert_int_eq(height, nav_corner_height(&f, i, corner[x][z]));
                    continue;
                }
                if (on_x || on_z) n = f.connection[on_x ? (x ? 2 : 0) : (z ? 1 : 3)][i];
                if (n == NAV_NOT_CONNECTED) {
                    ck_assert_int_eq(height, f.floor[i]);
                    continue;
                }
                ck_assert_int_eq(height, f.floor[i] > f.floor[n] ? f.floor[i] : f.floor[n]);
                ck_assert_int_eq(height, nav_point_height(&f, n, x0 + x, z0 + z, 2));
                sides++;
            }
    }
    ck_assert_int_gt(sides, 1000);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(distance_grows_from_the_edges)
{
    scene s = {0};
    scene_floor(&s, 0, 0, 6, 6, 0);
    nav_mesh *m = scene_mesh(&s);
    nav_compact_heightfield f = compact_heightfield(m, 0, 0);
    nav_config c = config(0, 0);
    settings.agent_radius_m = 0;
    ck_assert_int_eq(nav_compact_measure(&f, &arena), NAV_OK);
    // The rim of the 20 x 20 cells is a ledge; of the 18 x 18 left the rim has distance 0, the middle 2 x 8.
    ck_assert_int_eq(f.max_distance, 16);
    ck_assert_uint_eq(f.distance[f.column_first[column_at(&c, 0.45f, 3)]], 0);
    ck_assert_uint_ge(f.distance[f.column_first[column_at(&c, 3, 3)]], 14);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(an_arena_over_budget_is_an_error_not_a_crash)
{
    scene s = {0};
    uint32_t seed = 5;
    add_clutter(&s, &seed);
    nav_mesh *m = scene_mesh(&s);
    nav_instance in = {m, NAV_TRANSFORM_IDENTITY, 63};
    nav_tile_source src = {.settings = &settings, .instances = &in, .instance_count = 1};
    nav_config c = config(0, 0);
    int limits = 0;
    for (size_t budget = 1000; budget < 2000000; budget = budget * 5 / 4) {
        nav_arena small;
        nav_arena_init(&small, budget);
        nav_triangles t;
        nav_heightfield f;
        nav_compact_heightfield o;
        nav_status st = nav_triangles_gather(&src, &c, &small, &t);
        if (st == NAV_OK) st = nav_heightfield_build(&t, &c, &small, &f);
        if (st == NAV_OK) st = nav_compact_build(&f, &c, &small, &o);
        ck_assert(st == NAV_OK || st == NAV_ERR_LIMIT);
        limits += st == NAV_ERR_LIMIT;
        nav_arena_deinit(&small);
    }
    ck_assert_int_gt(limits, 3);
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

START_TEST(a_crowded_column_is_sorted_like_any_other)
{
    enum { FLOORS = 3000 };
    scene s = {0};
    uint32_t seed = 5;
    for (int i = 0; i < FLOORS; i++) { // every height once, in a scattered order
        float x = scene_random_between(&seed, 0.02f, 0.2f), z = scene_random_between(&seed, 0.02f, 0.2f);
        float y = 1.0f * (float)(i * 1009 % FLOORS) + 0.5f;
        scene_floor(&s, x, z, x + 0.05f, z + 0.05f, y);
    }
    nav_mesh *m = scene_mesh(&s);
    nav_heightfield f = rasterize(m, 0, 0);
    nav_config c = config(0, 0);
    int32_t first = f.column_first[c.border * f.width + c.border];
    ck_assert_int_eq(f.span_count, FLOORS);
    ck_assert_int_eq(f.column_first[c.border * f.width + c.border + 1] - first, FLOORS);
    for (int32_t i = 0; i < FLOORS; i++) {
        ck_assert_int_eq(f.bottom[first + i], 5 * i + 2);
        ck_assert_int_eq(f.top[first + i], 5 * i + 3);
    }
    nav_mesh_destroy(m);
    scene_free(&s);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("voxel");
    TCase *t = tcase_create("voxel");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_crowded_column_is_sorted_like_any_other);
    tcase_add_test(t, a_span_is_exactly_the_part_of_the_triangle_over_the_cell);
    tcase_add_test(t, walls_on_grid_lines_are_not_lost);
    tcase_add_test(t, a_box_from_line_to_line_fills_the_cells_between);
    tcase_add_test(t, the_order_of_triangles_does_not_matter);
    tcase_add_test(t, neighbouring_tiles_have_the_same_spans_in_shared_columns);
    tcase_add_test(t, a_world_five_kilometres_tall_keeps_its_heights);
    tcase_add_test(t, a_floor_on_a_grid_line_does_not_fill_the_voxel_above);
    tcase_add_test(t, kerbs_are_walkable_walls_and_ledges_are_not);
    tcase_add_test(t, a_slope_across_a_cell_is_walkable_up_to_climb);
    tcase_add_test(t, one_low_obstacle_can_be_stepped_on_a_stack_of_them_cannot);
    tcase_add_test(t, steps_up_and_down_are_connected_up_to_climb);
    tcase_add_test(t, connections_are_symmetric_and_lead_to_neighbours);
    tcase_add_test(t, erosion_keeps_the_radius_from_walls);
    tcase_add_test(t, volumes_block_with_the_radius_and_set_areas_without);
    tcase_add_test(t, corners_have_one_height_whoever_asks);
    tcase_add_test(t, points_have_the_height_of_their_corner_side_or_column);
    tcase_add_test(t, distance_grows_from_the_edges);
    tcase_add_test(t, an_arena_over_budget_is_an_error_not_a_crash);
    return run_suite(s);
}
