// Portals: which there are, and how much room they leave.
#include "core/polygon/portals.h"
#include "tests/check.h"
#include "tests/core/tile_fixture.h"
#include "tests/golden/worlds.h"

#include <math.h>
#include <stdlib.h>

static fixture fix;
static nav_arena arena;

static void setup(void)
{
    nav_arena_init(&arena, 0);
    fixture_init(&fix, 0, 0);
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

static nav_portals portals_of(const nav_polygons *p, int32_t most)
{
    nav_portals out;
    ck_assert_int_eq(nav_portals_build(p, 1, most, &arena, &out), NAV_OK);
    return out;
}

static int32_t vert(int32_t x, int32_t z)
{
    return fixture_vert(&fix, x, 0, z);
}

static void quad(int32_t a, int32_t b, int32_t c, int32_t d)
{
    fixture_poly(&fix, 63, 4, (int32_t[]){a, b, c, d});
}

// Index of the portal between two cells; there is to be exactly one.
static int32_t between(const nav_portals *p, int32_t cell, int32_t behind)
{
    int32_t found = -1;
    for (int32_t i = 0; i < p->count; i++) {
        if (p->cell[i] != cell || p->behind[i] != behind) continue;
        ck_assert_int_eq(found, -1);
        found = i;
    }
    ck_assert_int_ge(found, 0);
    return found;
}

static void expect_clearance(const nav_portals *p, int32_t i, double cells)
{
    ck_assert_msg(p->clearance[i] <= cells + 1e-9 && p->clearance[i] > cells - 1.0 / NAV_CLEARANCE_PARTS,
                  "portal %d has clearance %g, not %g", i, p->clearance[i], cells);
}

//   z 12 +----+    +----+     Two rooms and a passage of 4 by 4 cells between them.
//        |    g----h    |
//        | 0  | 1  |  2 |
//        |    e----f    |
//      2 +----+    +----+
//        1    5    9    13 x
START_TEST(a_door_has_its_width_and_half_of_it_as_clearance)
{
    int32_t a = vert(1, 2), b = vert(1, 12), c = vert(5, 12), g = vert(5, 9), e = vert(5, 5), d = vert(5, 2);
    int32_t f = vert(9, 5), h = vert(9, 9), i = vert(9, 12), j = vert(13, 12), k = vert(13, 2), l = vert(9, 2);
    fixture_poly(&fix, 63, 6, (int32_t[]){a, b, c, g, e, d});
    quad(e, g, h, f);
    fixture_poly(&fix, 63, 6, (int32_t[]){l, f, h, i, j, k});
    fixture_finish(&fix);
    nav_portals p = portals_of(&fix.tile.polygons, 16);
    ck_assert_int_eq(p.count, 2);
    int32_t left = between(&p, 0, 1), right = between(&p, 1, 2);
    ck_assert_double_eq(p.width[left], 4);
    ck_assert_int_eq(p.from[left], g);
    ck_assert_int_eq(p.to[left], e);
    ck_assert_int_eq(p.from[right], h);
    ck_assert_int_eq(p.to[right], f);
    expect_clearance(&p, left, 2);
    expect_clearance(&p, right, 2);
}
END_TEST

START_TEST(an_edge_with_vertices_on_it_is_one_portal)
{
    int32_t a = vert(1, 1), b = vert(1, 9), c = vert(5, 9), m = vert(5, 6), n = vert(5, 2), d = vert(5, 1);
    int32_t e = vert(9, 9), f = vert(9, 1);
    fixture_poly(&fix, 63, 6, (int32_t[]){n, d, a, b, c, m}); // the run goes on over the first corner
    fixture_poly(&fix, 63, 6, (int32_t[]){d, n, m, c, e, f});
    fixture_finish(&fix);
    nav_portals p = portals_of(&fix.tile.polygons, 16);
    ck_assert_int_eq(p.count, 1);
    ck_assert_int_eq(p.from[0], c);
    ck_assert_int_eq(p.to[0], d);
    ck_assert_double_eq(p.width[0], 8);
    expect_clearance(&p, 0, 4);
}
END_TEST

START_TEST(two_neighbours_with_a_corner_between_have_two_portals)
{
    // Cell 1 has its corner m between the two edges to cell 0, which is no straight way.
    int32_t a = vert(1, 1), b = vert(1, 9), c = vert(5, 9), m = vert(4, 5), d = vert(5, 1), e = vert(9, 9),
            f = vert(9, 1);
    fixture_poly(&fix, 63, 5, (int32_t[]){a, b, c, m, d});
    fixture_poly(&fix, 63, 5, (int32_t[]){d, m, c, e, f});
    fixture_finish(&fix);
    nav_portals p = portals_of(&fix.tile.polygons, 16);
    ck_assert_int_eq(p.count, 2);
    ck_assert_int_eq(p.cell[0] + p.cell[1], 0);
    ck_assert_int_eq(p.to[0], p.from[1]);
    ck_assert_int_eq(p.to[0], m);
}
END_TEST

START_TEST(a_tile_without_walls_has_the_most_clearance_there_is)
{
    fixture_floor(&fix, 0, 0, 0);
    nav_portals p = portals_of(&fix.tile.polygons, 16);
    ck_assert_int_eq(p.count, 12); // 4 inside, 8 over the borders
    for (int32_t i = 0; i < p.count; i++) ck_assert_double_eq(p.clearance[i], 16);
    for (int32_t i = 0; i < p.count; i++) ck_assert_double_eq(p.width[i], 8);
}
END_TEST

// A floor of two cells over the whole tile, x = 0 to 8 and 8 to 16; its portal runs from z = 16 to 0.
static void open_floor(void)
{
    int32_t a = vert(0, 0), b = vert(0, 16), c = vert(8, 16), d = vert(8, 0), e = vert(16, 16), f = vert(16, 0);
    quad(a, b, c, d);
    quad(d, c, e, f);
}

START_TEST(walls_of_another_floor_do_not_count)
{
    open_floor();
    for (int k = 0; k < 2; k++) { // a balcony over the middle of the portal, nowhere linked with it
        int32_t x = 6 + 2 * k;
        quad(fixture_vert(&fix, x, 20, 6), fixture_vert(&fix, x, 20, 10), fixture_vert(&fix, x + 2, 20, 10),
             fixture_vert(&fix, x + 2, 20, 6));
    }
    fixture_finish(&fix);
    nav_portals p = portals_of(&fix.tile.polygons, 16);
    ck_assert_double_eq(p.clearance[between(&p, 0, 1)], 16);
}
END_TEST

//   z 8 e-----d        Cells 0 and 1 share the portal d-c. Cell 2 hangs on the right edge of cell 1, 4 cells away from
//       |  0  |        the portal, and folds back over it: a wall of cell 2 lies straight over the portal, but a disc
//     4 f--c--d ..     meets it only when it is larger than 4.
START_TEST(a_wall_counts_from_the_distance_of_the_way_to_it)
{
    int32_t a = vert(0, 0), b = vert(0, 16), c = vert(8, 16), d = vert(8, 0), e = vert(12, 16), f = vert(12, 0);
    quad(a, b, c, d);
    quad(d, c, e, f);
    int32_t g = fixture_vert(&fix, 16, 0, 16), h = fixture_vert(&fix, 16, 0, 0);
    quad(f, e, g, h);
    fixture_finish(&fix);
    // The right border is the way up: what lies behind it is another cell over the portal.
    fix.x[g] = fix.x[h] = 8;
    fix.y[g] = fix.y[h] = 20;
    for (int32_t k = fix.cell_first[2]; k < fix.cell_first[3]; k++)
        if (fix.cell_behind[k] < 0) fix.cell_behind[k] = NAV_EDGE_WALL;
    nav_portals p = portals_of(&fix.tile.polygons, 16);
    expect_clearance(&p, between(&p, 0, 1), 4);
    expect_clearance(&p, between(&p, 1, 2), 4); // its own cell's wall runs 4 cells beside it
}
END_TEST

START_TEST(a_near_edge_behind_a_far_one_is_no_shorter_way)
{
    // Cell 2 folds back as above, and cell 3 goes on from it: its edge with cell 2 lies on the portal, its end 2
    // beside.
    open_floor();
    fix.x[4] = fix.x[5] = 12;
    int32_t e = 4, f = 5, g = vert(13, 16), h = vert(13, 0), i = vert(15, 16), j = vert(15, 0);
    quad(f, e, g, h);
    quad(h, g, i, j);
    fixture_finish(&fix);
    fix.x[g] = fix.x[h] = 8;
    fix.x[i] = fix.x[j] = 6;
    for (int32_t k = fix.cell_first[2]; k < fix.cell_first[4]; k++)
        if (fix.cell_behind[k] < 0) fix.cell_behind[k] = NAV_EDGE_WALL;
    nav_portals p = portals_of(&fix.tile.polygons, 16);
    expect_clearance(&p, between(&p, 0, 1), 4);
}
END_TEST

START_TEST(the_disc_may_stand_anywhere_on_the_portal)
{
    open_floor();
    fixture_finish(&fix);
    // The border at z = 16 becomes a wall; the portal runs up to it, and away from it to z = 0.
    for (int32_t k = fix.cell_first[0]; k < fix.cell_first[1]; k++)
        if (fix.cell_behind[k] == NAV_EDGE_PORTAL_ZMAX) fix.cell_behind[k] = NAV_EDGE_WALL;
    nav_portals p = portals_of(&fix.tile.polygons, 32);
    expect_clearance(&p, between(&p, 0, 1), 16);
}
END_TEST

// The definition, word for word and slowly: sampled centres, all walls, bottlenecks by relaxation until nothing
// changes.
static double distance2(double x, double z, const double a[2], const double b[2])
{
    double ex = b[0] - a[0], ez = b[1] - a[1], t = ((x - a[0]) * ex + (z - a[1]) * ez) / (ex * ex + ez * ez);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double dx = a[0] + t * ex - x, dz = a[1] + t * ez - z;
    return dx * dx + dz * dz;
}

static void edge_ends(const nav_polygons *p, int32_t cell, int32_t k, double a[2], double b[2])
{
    int32_t u = p->cell_vert[k], v = p->cell_vert[k + 1 < p->cell_first[cell + 1] ? k + 1 : p->cell_first[cell]];
    a[0] = p->x[u], a[1] = p->z[u], b[0] = p->x[v], b[1] = p->z[v];
}

static double segments2(const double a[2], const double b[2], const double c[2], const double d[2])
{
    double least = INFINITY;
    for (int i = 0; i <= 256; i++) { // sampled, and the ends of the other one
        double t = i / 256.0;
        least = fmin(least, distance2(a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), c, d));
    }
    return fmin(least, fmin(distance2(c[0], c[1], a, b), distance2(d[0], d[1], a, b)));
}

static double slow_clearance(const nav_polygons *p, const nav_portals *all, int32_t i, double most)
{
    enum { SAMPLES = 512 };
    const double a[2] = {p->x[all->from[i]], p->z[all->from[i]]}, b[2] = {p->x[all->to[i]], p->z[all->to[i]]};
    double *key = malloc(sizeof *key * (size_t)p->cell_count), at[SAMPLES + 1], best = 0;
    for (int32_t c = 0; c < p->cell_count; c++) key[c] = c == all->cell[i] || c == all->behind[i] ? 0 : INFINITY;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t c = 0; c < p->cell_count; c++) {
            for (int32_t k = p->cell_first[c]; k < p->cell_first[c + 1]; k++) {
                double u[2], v[2];
                if (p->cell_behind[k] < 0 || key[c] == INFINITY) continue;
                edge_ends(p, c, k, u, v);
                double reach = fmax(key[c], segments2(a, b, u, v));
                if (reach >= key[p->cell_behind[k]]) continue;
                key[p->cell_behind[k]] = reach;
                changed = true;
            }
        }
    }
    for (int s = 0; s <= SAMPLES; s++) at[s] = most * most;
    for (int32_t c = 0; c < p->cell_count; c++) {
        for (int32_t k = p->cell_first[c]; k < p->cell_first[c + 1]; k++) {
            double u[2], v[2];
            if (p->cell_behind[k] != NAV_EDGE_WALL) continue;
            edge_ends(p, c, k, u, v);
            for (int s = 0; s <= SAMPLES; s++) {
                double t = s / (double)SAMPLES;
                at[s] = fmin(at[s], fmax(key[c], distance2(a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), u, v)));
            }
        }
    }
    for (int s = 0; s <= SAMPLES; s++) best = fmax(best, at[s]);
    free(key);
    return sqrt(best);
}

START_TEST(clearances_of_built_tiles_are_those_of_the_definition)
{
    golden_world w;
    golden_world_init(&w, _i);
    nav_arena a;
    nav_arena_init(&a, 0);
    int32_t compared = 0;
    for (int32_t z = 0; z < w.tiles_z; z++) {
        for (int32_t x = 0; x < w.tiles_x; x++) {
            nav_tile t;
            nav_arena_reset(&a);
            nav_tile_source src = golden_world_source(&w, x, z);
            ck_assert_int_eq(nav_build_tile(&src, NULL, &(nav_hooks){.unit = w.unit}, &a, &t), NAV_OK);
            int32_t most = nav_clearance_most(t.config.tile_units, t.config.unit);
            nav_portals p;
            ck_assert_int_eq(nav_portals_build(&t.polygons, t.config.unit, most, &a, &p), NAV_OK);
            for (int32_t i = 0; i < p.count; i++, compared++) {
                double slow = slow_clearance(&t.polygons, &p, i, most), spacing = p.width[i] / 512;
                double room = 0.02 * t.config.unit, exact = (double)t.config.unit / NAV_CLEARANCE_PARTS;
                ck_assert_msg(p.clearance[i] <= slow + spacing + room && p.clearance[i] > slow - room - exact,
                              "tile %d,%d: portal %d of width %g has clearance %g, slowly %g", x, z, i, p.width[i],
                              p.clearance[i], slow);
            }
        }
    }
    ck_assert_int_gt(compared, 20);
    nav_arena_deinit(&a);
    golden_world_deinit(&w);
}
END_TEST

START_TEST(a_small_budget_is_an_error)
{
    fixture_floor(&fix, 0, 0, 0);
    nav_arena small;
    nav_portals p;
    nav_arena_init(&small, 64);
    ck_assert_int_eq(nav_portals_build(&fix.tile.polygons, 1, 16, &small, &p), NAV_ERR_LIMIT);
    nav_arena_deinit(&small);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("portals");
    TCase *t = tcase_create("portals");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_door_has_its_width_and_half_of_it_as_clearance);
    tcase_add_test(t, an_edge_with_vertices_on_it_is_one_portal);
    tcase_add_test(t, two_neighbours_with_a_corner_between_have_two_portals);
    tcase_add_test(t, a_tile_without_walls_has_the_most_clearance_there_is);
    tcase_add_test(t, walls_of_another_floor_do_not_count);
    tcase_add_test(t, a_wall_counts_from_the_distance_of_the_way_to_it);
    tcase_add_test(t, a_near_edge_behind_a_far_one_is_no_shorter_way);
    tcase_add_test(t, the_disc_may_stand_anywhere_on_the_portal);
    tcase_add_loop_test(t, clearances_of_built_tiles_are_those_of_the_definition, 0, GOLDEN_BUILD_COUNT);
    tcase_add_test(t, a_small_budget_is_an_error);
    suite_add_tcase(s, t);
    return run_suite(s);
}
