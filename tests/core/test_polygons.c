#include "core/polygon/polygons.h"
#include "tests/check.h"
#include "tests/core/fixture.h"

#include <stdlib.h>
#include <string.h>

static fixture_world world;
static fixture fx;
static nav_contours contours;
static nav_polygons polys;

static void build_from(fixture *f, nav_contours *o, nav_polygons *p)
{
    ck_assert_int_eq(nav_contours_build(&f->field, &f->regions, &f->cfg, &f->arena, o), NAV_OK);
    ck_assert_int_eq(nav_polygons_build(o, &f->cfg, &f->arena, p), NAV_OK);
}

static void build(const char *const *rows, const char *const *regions, int32_t tile_cells)
{
    fixture_world_draw(&world, rows);
    fixture_init(&fx, &world, 0, 0, tile_cells, 2);
    if (regions) fixture_regions_draw(&fx, regions);
    build_from(&fx, &contours, &polys);
}

static int64_t right(const nav_polygons *p, int32_t a, int32_t b, int32_t c)
{
    return (int64_t)(p->x[c] - p->x[a]) * (p->z[b] - p->z[a]) - (int64_t)(p->x[b] - p->x[a]) * (p->z[c] - p->z[a]);
}

static int64_t contour_area2(const nav_contours *o)
{
    int64_t sum = 0;
    for (int32_t l = 0; l < o->loop_count; l++) {
        for (int32_t i = o->loop_first[l]; i < o->loop_first[l + 1]; i++) {
            int32_t j = i + 1 < o->loop_first[l + 1] ? i + 1 : o->loop_first[l];
            sum -= (int64_t)o->x[i] * o->z[j] - (int64_t)o->x[j] * o->z[i];
        }
    }
    return sum;
}

// Rings are convex, wound to the right, not longer than max, and linked both ways. Returns twice their area.
static int64_t check_rings(const nav_polygons *p, int32_t count, const int32_t *first, const int32_t *vert,
                           const int32_t *behind, int32_t max, uint32_t seed)
{
    int64_t total = 0;
    for (int32_t i = 0; i < count; i++) {
        int32_t n = first[i + 1] - first[i];
        const int32_t *v = vert + first[i];
        ck_assert_int_ge(n, 3);
        ck_assert_int_le(n, max);
        int64_t area = 0;
        for (int32_t k = 0; k < n; k++) {
            int32_t a = v[k], b = v[(k + 1) % n], c = v[(k + 2) % n];
            ck_assert_msg(right(p, a, b, c) >= 0, "seed %u ring %d is not convex", seed, i);
            ck_assert_int_lt(a, p->vert_count);
            if (k >= 2) area += right(p, v[0], v[k - 1], v[k]);
            int32_t o = behind[first[i] + k];
            ck_assert_int_ge(o, NAV_EDGE_PORTAL_ZMIN);
            if (o < 0) continue;
            ck_assert_int_lt(o, count);
            ck_assert_int_ne(o, i);
            int32_t back = 0, m = first[o + 1] - first[o];
            for (int32_t j = 0; j < m; j++)
                back += vert[first[o] + j] == b && vert[first[o] + (j + 1) % m] == a && behind[first[o] + j] == i;
            ck_assert_msg(back == 1, "seed %u ring %d edge %d: neighbour %d does not link back", seed, i, k, o);
        }
        ck_assert_int_gt(area, 0);
        total += area;
    }
    return total;
}

static void check_polygons(const nav_contours *o, const nav_polygons *p, uint32_t seed)
{
    ck_assert_msg(p->failed_loops == 0, "seed %u: %d failed loops", seed, p->failed_loops);
    int64_t area = check_rings(p, p->count, p->first, p->vert, p->behind, 6, seed);
    int64_t cells = check_rings(p, p->cell_count, p->cell_first, p->cell_vert, p->cell_behind, 255, seed);
    ck_assert_msg(area == contour_area2(o), "seed %u: area %ld, contours have %ld", seed, (long)area,
                  (long)contour_area2(o));
    ck_assert_int_eq(cells, area);
    ck_assert_int_eq(p->cell_poly[0], 0);
    ck_assert_int_eq(p->cell_poly[p->cell_count], p->count);
    for (int32_t c = 0; c < p->cell_count; c++) {
        int64_t of_polys = 0, of_cell = 0;
        ck_assert_int_lt(p->cell_poly[c], p->cell_poly[c + 1]);
        for (int32_t i = p->cell_poly[c]; i < p->cell_poly[c + 1]; i++) {
            ck_assert_int_eq(p->area[i], p->area[p->cell_poly[c]]);
            for (int32_t k = p->first[i] + 2; k < p->first[i + 1]; k++)
                of_polys += right(p, p->vert[p->first[i]], p->vert[k - 1], p->vert[k]);
        }
        for (int32_t k = p->cell_first[c] + 2; k < p->cell_first[c + 1]; k++)
            of_cell += right(p, p->cell_vert[p->cell_first[c]], p->cell_vert[k - 1], p->cell_vert[k]);
        ck_assert_msg(of_polys == of_cell, "seed %u cell %d does not cover its polygons", seed, c);
    }
}

START_TEST(square_room_is_one_polygon)
{
    static const char *const rows[] = {"........", ".00000..", ".00000..", ".00000..", ".00000..", "........", 0};
    build(rows, NULL, 8);
    check_polygons(&contours, &polys, 0);
    ck_assert_int_eq(polys.count, 1);
    ck_assert_int_eq(polys.first[1], 4);
    ck_assert_int_eq(polys.cell_count, 1);
    ck_assert_int_eq(polys.area[0], NAV_AREA_DEFAULT);
    ck_assert_int_eq(polys.region[0], 1);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(two_regions_are_neighbours)
{
    static const char *const rows[] = {
        "..........", ".00000000.", ".00000000.", ".00000000.", ".00000000.", "..........", 0};
    static const char *const ids[] = {"..........", ".AAAABBBB.", ".AAAABBBB.", ".AAAABBBB.", ".AAAABBBB.",
                                      "..........", "..........", "..........", "..........", ".........."};
    build(rows, ids, 10);
    check_polygons(&contours, &polys, 0);
    ck_assert_int_eq(polys.cell_count, 1);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(different_areas_are_never_joined)
{
    static const char *const rows[] = {
        "..........", ".0000aaaa.", ".0000aaaa.", ".0000aaaa.", ".0000aaaa.", "..........", 0};
    static const char *const ids[] = {"..........", ".AAAABBBB.", ".AAAABBBB.", ".AAAABBBB.", ".AAAABBBB.",
                                      "..........", "..........", "..........", "..........", ".........."};
    build(rows, ids, 10);
    check_polygons(&contours, &polys, 0);
    ck_assert_int_eq(polys.count, 2);
    ck_assert_int_eq(polys.cell_count, 2);
    ck_assert_int_ne(polys.area[0], polys.area[1]);
    int32_t links = 0;
    for (int32_t k = 0; k < polys.first[2]; k++) links += polys.behind[k] >= 0;
    ck_assert_int_eq(links, 2);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(hole_is_left_open)
{
    static const char *const rows[] = {"..........", ".00000000.", ".00000000.", ".00....00.", ".00....00.",
                                       ".00....00.", ".00000000.", ".00000000.", "..........", 0};
    build(rows, NULL, 10);
    check_polygons(&contours, &polys, 0);
    ck_assert_int_eq(polys.count, 4);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(contour_that_touches_itself_is_cut)
{
    static const char *const rows[] = {"..........",
                                       ".00000000.",
                                       ".00000000.",
                                       ".00..0000.",
                                       ".00..0000.",
                                       ".0000..00.",
                                       ".0000..00.",
                                       ".00000000.",
                                       ".00000000.",
                                       "..........",
                                       0};
    build(rows, NULL, 10);
    check_polygons(&contours, &polys, 0);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(border_joint_is_gone_and_the_border_is_one_edge)
{
    static const char *const rows[] = {"00000000", "00000000", "00000000", "00000000", "00000000", "00000000", 0};
    static const char *const ids[] = {"AAAAAA", "AAAAAA", "AAAAAA", "BBBBBB", "BBBBBB", "BBBBBB"};
    build(rows, ids, 6);
    ck_assert_int_eq(polys.failed_loops, 0);
    check_polygons(&contours, &polys, 0);
    int32_t portals = 0;
    for (int32_t p = 0; p < polys.count; p++) {
        for (int32_t k = polys.first[p]; k < polys.first[p + 1]; k++) {
            if (polys.behind[k] != NAV_EDGE_PORTAL_XMAX) continue;
            int32_t n = k + 1 < polys.first[p + 1] ? k + 1 : polys.first[p];
            ck_assert_int_eq(polys.z[polys.vert[k]], 6);
            ck_assert_int_eq(polys.z[polys.vert[n]], 0);
            portals++;
        }
    }
    ck_assert_int_eq(portals, 1);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(blocks_of_a_large_tile_are_neighbours)
{
    static char line[301];
    memset(line, '0', 300);
    static const char *const rows[] = {line, line, line, line, line, line, 0};
    build(rows, NULL, 300);
    check_polygons(&contours, &polys, 0);
    ck_assert_int_eq(polys.cell_count, 1);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(random_worlds_make_convex_linked_polygons)
{
    for (uint32_t seed = (uint32_t)_i * 200; seed < (uint32_t)_i * 200 + 200; seed++) {
        fixture_world_random(&world, seed, 40, 40);
        fixture_init(&fx, &world, 0, 0, 32, 4);
        fixture_regions_grow(&fx, seed, 1 + (int32_t)(seed % 12));
        fx.cfg.partition = seed % 3 == 0 ? NAV_PARTITION_WATERSHED : NAV_PARTITION_CONVEX;
        build_from(&fx, &contours, &polys);
        check_polygons(&contours, &polys, seed);
        fixture_deinit(&fx);
    }
}
END_TEST

typedef struct portal {
    int32_t line, from, to, from_y, to_y; // along the border, ascending
} portal;

static int compare_portals(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(portal));
}

static int32_t list_portals(const nav_polygons *p, int32_t side, portal *list)
{
    int32_t n = 0;
    bool along_z = side == NAV_EDGE_PORTAL_XMAX || side == NAV_EDGE_PORTAL_XMIN;
    for (int32_t i = 0; i < p->count; i++) {
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            if (p->behind[k] != side) continue;
            int32_t a = p->vert[k], b = p->vert[k + 1 < p->first[i + 1] ? k + 1 : p->first[i]];
            int32_t from = along_z ? p->z[a] : p->x[a], to = along_z ? p->z[b] : p->x[b];
            ck_assert_int_eq(along_z ? p->x[a] : p->z[a], along_z ? p->x[b] : p->z[b]);
            list[n++] = from < to ? (portal){0, from, to, p->y[a], p->y[b]} : (portal){0, to, from, p->y[b], p->y[a]};
        }
    }
    qsort(list, (size_t)n, sizeof *list, compare_portals);
    return n;
}

// Two tiles side by side, each built from its own view and with its own regions, have the same portals.
static void compare_tiles(uint32_t seed, int32_t x1, int32_t z1, int32_t side0, int32_t side1)
{
    static fixture fx1;
    static nav_contours contours1;
    static nav_polygons polys1;
    static portal list0[4096], list1[4096];
    fixture_init(&fx, &world, 0, 0, 20, 4);
    fixture_init(&fx1, &world, x1, z1, 20, 4);
    fixture_regions_grow(&fx, seed, 1 + (int32_t)(seed % 9));
    fixture_regions_grow(&fx1, seed + 1000000, 1 + (int32_t)(seed % 7));
    fx.cfg.partition = fx1.cfg.partition = seed % 3 == 0 ? NAV_PARTITION_WATERSHED : NAV_PARTITION_CONVEX;
    build_from(&fx, &contours, &polys);
    build_from(&fx1, &contours1, &polys1);
    check_polygons(&contours, &polys, seed);
    check_polygons(&contours1, &polys1, seed);
    int32_t n0 = list_portals(&polys, side0, list0), n1 = list_portals(&polys1, side1, list1);
    ck_assert_msg(n0 == n1, "seed %u: %d portals on one side, %d on the other", seed, n0, n1);
    for (int32_t i = 0; i < n0; i++)
        ck_assert_msg(memcmp(&list0[i], &list1[i], sizeof(portal)) == 0, "seed %u: portal %d differs", seed, i);
    fixture_deinit(&fx);
    fixture_deinit(&fx1);
}

START_TEST(both_sides_of_a_border_have_the_same_portals)
{
    for (uint32_t seed = (uint32_t)_i * 100; seed < (uint32_t)_i * 100 + 100; seed++) {
        fixture_world_random(&world, seed, 44, 44);
        compare_tiles(seed, 1, 0, NAV_EDGE_PORTAL_XMAX, NAV_EDGE_PORTAL_XMIN);
        compare_tiles(seed, 0, 1, NAV_EDGE_PORTAL_ZMAX, NAV_EDGE_PORTAL_ZMIN);
    }
}
END_TEST

START_TEST(nothing_to_walk_on_is_no_polygon)
{
    static const char *const rows[] = {"....", 0};
    build(rows, NULL, 4);
    ck_assert_int_eq(polys.count, 0);
    ck_assert_int_eq(polys.cell_count, 0);
    ck_assert_int_eq(polys.first[0], 0);
    fixture_deinit(&fx);
}
END_TEST

START_TEST(every_memory_limit_is_an_error_or_enough)
{
    static const char *const rows[] = {
        "0000000000", "0000000000", "000..00000", "000..00000", "0000000000", "0000000000", 0};
    build(rows, NULL, 10);
    int32_t count = polys.count;
    bool enough = false;
    for (size_t budget = 64; !enough; budget += 64) {
        nav_arena small;
        nav_arena_init(&small, budget);
        nav_contours o;
        nav_polygons p;
        nav_status status = nav_contours_build(&fx.field, &fx.regions, &fx.cfg, &small, &o);
        if (status == NAV_OK) status = nav_polygons_build(&o, &fx.cfg, &small, &p);
        if (status == NAV_OK) {
            ck_assert_int_eq(p.count, count);
            enough = true;
        } else {
            ck_assert_int_eq(status, NAV_ERR_LIMIT);
        }
        nav_arena_deinit(&small);
    }
    fixture_deinit(&fx);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("polygons");
    TCase *t = tcase_create("polygons");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, square_room_is_one_polygon);
    tcase_add_test(t, two_regions_are_neighbours);
    tcase_add_test(t, different_areas_are_never_joined);
    tcase_add_test(t, hole_is_left_open);
    tcase_add_test(t, contour_that_touches_itself_is_cut);
    tcase_add_test(t, border_joint_is_gone_and_the_border_is_one_edge);
    tcase_add_test(t, blocks_of_a_large_tile_are_neighbours);
    tcase_add_loop_test(t, random_worlds_make_convex_linked_polygons, 0, 10);
    tcase_add_loop_test(t, both_sides_of_a_border_have_the_same_portals, 0, 10);
    tcase_add_test(t, nothing_to_walk_on_is_no_polygon);
    tcase_add_test(t, every_memory_limit_is_an_error_or_enough);
    suite_add_tcase(s, t);
    return run_suite(s);
}
