// Erosion on real triangles: how far the agent is kept from what ends the floor.
#include "tests/check.h"
#include "tests/core/voxel_fixture.h"

#include <math.h>

static nav_compact_heightfield eroded(const scene *s, int32_t x, int32_t z)
{
    nav_mesh *m = scene_mesh(s);
    nav_compact_heightfield f = compact_heightfield(m, x, z);
    nav_config c = config(x, z);
    ck_assert_int_eq(nav_compact_erode(&f, &c, &arena), NAV_OK);
    nav_mesh_destroy(m);
    return f;
}

static bool walkable(const nav_compact_heightfield *f, int32_t column)
{
    for (int32_t i = f->column_first[column]; i < f->column_first[column + 1]; i++)
        if (f->area[i] != NAV_AREA_NONE) return true;
    return false;
}

// The first walkable column of the middle row, from cell `from` on, in the tile's own cells.
static int32_t first_walkable(const nav_compact_heightfield *f, int32_t from)
{
    int32_t row = f->width / 2 * f->width, x = from + f->border;
    while (x < f->width && !walkable(f, row + x)) x++;
    return x - f->border;
}

// A wall of one triangle, both of whose ends are far outside of the tile. It faces the left of its direction.
static void add_wall(scene *s, float x0, float z0, float x1, float z1)
{
    const float a[3] = {x0, -1, z0}, b[3] = {x1, -1, z1}, c[3] = {(x0 + x1) / 2, 60, (z0 + z1) / 2};
    scene_triangle(s, a, b, c);
}

START_TEST(radii_are_rounded_up_to_cells)
{
    static const struct {
        float radius_m;
        int32_t cells;
    } cases[] = {{0, 0}, {0.1f, 1}, {0.3f, 1}, {0.31f, 2}, {0.5f, 2}, {0.6f, 2}, {0.7f, 3}, {0.9f, 3}, {1.2f, 4}};
    for (int k = 0; k < (int)(sizeof cases / sizeof *cases); k++) {
        settings.agent_radius_m = cases[k].radius_m;
        scene wall = {0}, ledge = {0};
        scene_floor(&wall, -20, -20, 40, 40, 0);
        add_wall(&wall, 3.15f, -60, 3.15f, 60); // in the middle of cell 10
        scene_floor(&ledge, 3.15f, -20, 40, 40, 0);
        nav_compact_heightfield a = eroded(&wall, 0, 0), b = eroded(&ledge, 0, 0);
        ck_assert_msg(first_walkable(&a, 10) == 11 + cases[k].cells, "radius %g: wall: %d", (double)cases[k].radius_m,
                      first_walkable(&a, 10));
        // The cell at the ledge itself is nothing to stand on.
        ck_assert_msg(first_walkable(&b, 0) == 11 + cases[k].cells, "radius %g: ledge: %d", (double)cases[k].radius_m,
                      first_walkable(&b, 0));
        nav_arena_reset(&arena);
        scene_free(&wall);
        scene_free(&ledge);
    }
}
END_TEST

START_TEST(a_wall_without_thickness_parts_the_floor_at_any_angle)
{
    uint32_t seed = 5;
    long compared = 0;
    for (int trial = 0; trial < 40; trial++) {
        double x = (double)scene_random_between(&seed, 5, 10), z = (double)scene_random_between(&seed, 5, 10);
        double dx = (double)scene_random_between(&seed, -1, 1), dz = (double)scene_random_between(&seed, -1, 1);
        double length = sqrt(dx * dx + dz * dz);
        dx /= length;
        dz /= length;
        scene s = {0};
        scene_floor(&s, -20, -20, 40, 40, 0);
        add_wall(&s, (float)(x - 100 * dx), (float)(z - 100 * dz), (float)(x + 100 * dx), (float)(z + 100 * dz));
        nav_compact_heightfield f = eroded(&s, 0, 0);
        nav_config c = config(0, 0);
        for (int32_t i = 0; i < f.span_count; i++) {
            if (f.area[i] == NAV_AREA_NONE || f.floor[i] > 5) continue;
            double px = ((double)(c.first_column_x + f.column[i] % f.width) + 0.5) * c.cell_size_m - x;
            double pz = ((double)(c.first_column_z + f.column[i] / f.width) + 0.5) * c.cell_size_m - z;
            double away = fabs(px * dz - pz * dx);
            ck_assert_msg(away >= (double)settings.agent_radius_m, "trial %d: a span's centre is %g m from the wall",
                          trial, away);
            compared++;
        }
        nav_arena_reset(&arena);
        scene_free(&s);
    }
    ck_assert_int_gt(compared, 40000);
}
END_TEST

START_TEST(both_sides_of_a_border_erode_alike)
{
    static const float radii_m[] = {0.3f, 0.5f, 0.6f, 1.3f};
    uint32_t seed = 31;
    long taken = 0, kept = 0;
    for (int k = 0; k < 4; k++) {
        settings.agent_radius_m = radii_m[k];
        float border_m = 48 * settings.cell_size_m;
        scene s = {0};
        scene_floor(&s, -20, -20, 50, 40, 0);
        for (int i = 0; i < 25; i++) {
            float x = border_m + scene_random_between(&seed, -4, 4), z = scene_random_between(&seed, -2, 16);
            float side = scene_random_between(&seed, 0.2f, 1.5f), y = scene_random_between(&seed, -1, 2);
            scene_box(&s, x, y, z, x + side, y + 2, z + side, 0.8f, 0.6f);
        }
        nav_compact_heightfield a = eroded(&s, 0, 0), b = eroded(&s, 1, 0);
        nav_config c = config(0, 0);
        // The last two columns of one and the first two of the other: each needs those of the other.
        for (int32_t z = c.border - 1; z <= c.width - c.border; z++)
            for (int32_t x = c.border - 1; x <= c.border; x++) {
                int32_t column_a = z * c.width + c.tile_columns + x, column_b = z * c.width + x;
                int32_t i = a.column_first[column_a], j = b.column_first[column_b];
                int32_t n = a.column_first[column_a + 1] - i;
                ck_assert_int_eq(n, b.column_first[column_b + 1] - j);
                for (; n > 0; n--, i++, j++) {
                    ck_assert_int_eq(a.floor[i], b.floor[j]);
                    ck_assert_msg(a.area[i] == b.area[j], "radius %g: cell (%d, %d): %u and %u", (double)radii_m[k],
                                  x - c.border, z - c.border, a.area[i], b.area[j]);
                    taken += a.area[i] == NAV_AREA_NONE;
                    kept += a.area[i] != NAV_AREA_NONE;
                }
            }
        nav_arena_reset(&arena);
        scene_free(&s);
    }
    ck_assert_int_gt(taken, 50);
    ck_assert_int_gt(kept, 50);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("erosion");
    TCase *t = tcase_create("erosion");
    suite_add_tcase(s, t);
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, radii_are_rounded_up_to_cells);
    tcase_add_test(t, a_wall_without_thickness_parts_the_floor_at_any_angle);
    tcase_add_test(t, both_sides_of_a_border_erode_alike);
    return run_suite(s);
}
