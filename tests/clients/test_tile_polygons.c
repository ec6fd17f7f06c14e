// Tiles as polygons: the same ground whatever cells are cut into, neighbours that know each other, and the places of an
// engine with other axes.
#include "navcore.h"
#include "navd.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PILLARS = 9 };
static nav_buffer bytes;
static navd_tile tile;
static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

// A floor that rises along x, with pillars in it and a link.
static void build_tile(void)
{
    static const float floor_verts[] = {-50, -5, -50, -50, -5, 50, 50, 5, 50, 50, 5, -50};
    static const uint32_t floor_tris[] = {0, 1, 2, 0, 2, 3};
    static const float box_verts[] = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 9, 0, 1, 9, 0, 1, 9, 1, 0, 9, 1};
    static const uint32_t box_tris[] = {0, 4, 5, 0, 5, 1, 1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4, 0};
    nav_settings settings;
    nav_mesh *ground, *box;
    nav_builder *builder;
    nav_instance instances[1 + PILLARS] = {{NULL, NAV_TRANSFORM_IDENTITY, NAV_AREA_DEFAULT}};
    nav_settings_default(&settings);
    settings.cell_size_m = 0.25f;
    settings.tile_cells = 80;
    ck_assert_int_eq(nav_mesh_create(floor_verts, 4, floor_tris, 2, &ground), NAV_OK);
    ck_assert_int_eq(nav_mesh_create(box_verts, 8, box_tris, 8, &box), NAV_OK);
    ck_assert_int_eq(nav_builder_create(0, &builder), NAV_OK);
    instances[0].mesh = ground;
    for (int i = 0; i < PILLARS; i++) { // turned, so that cells get many corners
        float turn = (float)i * 0.7f, s = sinf(turn), c = cosf(turn);
        const nav_instance pillar = {
            box, {c, 0, s, 3 + (float)(i % 3) * 6, 0, 1, 0, -3, -s, 0, c, 3 + (float)(i / 3) * 6}, NAV_AREA_NONE};
        instances[1 + i] = pillar;
    }
    const nav_link link = {.start = {1, 0.1f, 1}, .end = {18, 2, 1}, .radius_m = 0.5f, .area = 5, .both_ways = true};
    const nav_tile_source source = {
        .settings = &settings, .instances = instances, .instance_count = 1 + PILLARS, .links = &link, .link_count = 1};
    ck_assert_int_eq(nav_builder_build(builder, &source, NULL, NULL), NAV_OK);
    ck_assert_int_eq(nav_builder_encode_navd(builder, &bytes), NAV_OK);
    nav_builder_destroy(builder);
    nav_mesh_destroy(box);
    nav_mesh_destroy(ground);
    tile = (navd_tile){.status = NAVD_TILE_OK, .data = bytes.data, .size = bytes.size};
}

static void drop_tile(void)
{
    nav_buffer_deinit(&bytes);
}

static void read_tile(uint32_t most, const double m[12], navd_polygons *p)
{
    char why[300] = "";
    ck_assert_msg(navd_polygons_read(&tile, most, m, p, why, sizeof why) == NAVD_OK, "%s", why);
}

// Seen from above, right-handed with Y up: above 0 where it goes counter-clockwise.
static double area_of(const navd_polygons *p, uint32_t polygon)
{
    const navd_polygon *at = &p->polygons[polygon];
    double twice = 0;
    for (uint32_t k = 0; k < at->corner_count; k++) {
        const double *a = p->points[p->corners[at->first_corner + k]];
        const double *b = p->points[p->corners[at->first_corner + (k + 1) % at->corner_count]];
        twice += a[2] * b[0] - a[0] * b[2];
    }
    return twice / 2;
}

static double area_of_all(const navd_polygons *p)
{
    double area = 0;
    for (uint32_t i = 0; i < p->polygon_count; i++) area += area_of(p, i);
    return area;
}

START_TEST(cells_are_cut_into_polygons_of_the_same_ground)
{
    navd_polygons whole, cut;
    read_tile(0, identity, &whole);
    uint32_t most = 0;
    for (size_t i = 0; i < whole.polygon_count; i++)
        most = whole.polygons[i].corner_count > most ? whole.polygons[i].corner_count : most;
    ck_assert_uint_gt(most, 4);
    for (uint32_t limit = 3; limit <= most; limit++) {
        size_t corners = 0, triangles = 0;
        read_tile(limit, identity, &cut);
        for (uint32_t i = 0; i < cut.polygon_count; i++) {
            const navd_polygon *p = &cut.polygons[i];
            ck_assert_uint_ge(p->corner_count, 3);
            ck_assert_uint_le(p->corner_count, limit);
            ck_assert_uint_eq(p->first_corner, corners);
            ck_assert_double_gt(area_of(&cut, i), 0);
            ck_assert_uint_eq(p->area, NAV_AREA_DEFAULT);
            corners += p->corner_count;
            triangles += p->triangle_count;
        }
        ck_assert_uint_eq(corners, cut.corner_count);
        ck_assert_uint_eq(triangles, cut.triangle_count);
        ck_assert_double_eq_tol(area_of_all(&cut), area_of_all(&whole), 1e-6);
        if (limit < most) ck_assert_uint_gt(cut.polygon_count, whole.polygon_count);
        navd_polygons_free(&cut);
    }
    ck_assert_double_ge(area_of_all(&whole), 300); // of 400, less the pillars
    navd_polygons_free(&whole);
}
END_TEST

// What is behind an edge has the same edge, the other way round, and this polygon behind it.
static void expect_neighbours(const navd_polygons *p)
{
    size_t inner = 0, portals = 0;
    for (uint32_t i = 0; i < p->polygon_count; i++) {
        const navd_polygon *at = &p->polygons[i];
        for (uint32_t k = 0; k < at->corner_count; k++) {
            uint32_t corner = at->first_corner + k, a = p->corners[corner];
            uint32_t b = p->corners[at->first_corner + (k + 1) % at->corner_count];
            int64_t behind = p->behind[corner];
            portals += behind < NAVD_EDGE_WALL;
            if (behind < 0) continue;
            ck_assert_int_lt(behind, (int64_t)p->polygon_count);
            const navd_polygon *other = &p->polygons[behind];
            bool found = false;
            for (uint32_t o = 0; o < other->corner_count; o++) {
                uint32_t there = other->first_corner + o;
                uint32_t next = other->first_corner + (o + 1) % other->corner_count;
                found |= p->corners[there] == b && p->corners[next] == a && p->behind[there] == i;
            }
            ck_assert_msg(found, "polygon %u does not know its neighbour %u", (unsigned)behind, i);
            inner++;
        }
    }
    ck_assert_uint_gt(inner, 0);
    ck_assert_uint_gt(portals, 3);
}

START_TEST(neighbours_know_each_other_across_cuts_too)
{
    for (uint32_t limit = 3; limit <= 7; limit++) {
        navd_polygons p;
        read_tile(limit, identity, &p);
        expect_neighbours(&p);
        navd_polygons_free(&p);
    }
}
END_TEST

START_TEST(points_come_in_the_axes_of_the_caller)
{
    // Centimetres with Z up, as the daemon says it, and left-handed as Unreal is.
    static const double to_metres[12] = {0.01, 0, 0, 0, 0, 0, 0.01, 0, 0, -0.01, 0, 0};
    static const double y_up[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double right[12], left[12], unity[12];
    navd_polygons plain, p;
    ck_assert_int_eq(navd_from_metres(to_metres, false, right), NAVD_OK);
    ck_assert_int_eq(navd_from_metres(to_metres, true, left), NAVD_OK);
    ck_assert_int_eq(navd_from_metres(y_up, true, unity), NAVD_OK);
    read_tile(6, identity, &plain);
    const double *const frames[] = {right, left, unity};
    static const double expected[3][3][2] = {// axis of the metres, and factor
                                             {{0, 100}, {2, -100}, {1, 100}},
                                             {{0, 100}, {2, 100}, {1, 100}},
                                             {{0, 1}, {1, 1}, {2, -1}}};
    for (int f = 0; f < 3; f++) {
        read_tile(6, frames[f], &p);
        ck_assert_uint_eq(p.point_count, plain.point_count);
        for (size_t i = 0; i < p.point_count; i++)
            for (int a = 0; a < 3; a++)
                ck_assert_double_eq_tol(p.points[i][a], plain.points[i][(int)expected[f][a][0]] * expected[f][a][1],
                                        1e-9);
        ck_assert_uint_eq(p.link_count, 1);
        ck_assert_double_eq_tol(p.links[0].radius, f < 2 ? 50 : 0.5, 1e-9);
        ck_assert_double_eq_tol(p.links[0].end[0], f < 2 ? 1800 : 18, 1e-4);
        ck_assert(p.links[0].both_ways && p.links[0].area == 5);
        navd_polygons_free(&p);
    }
    navd_polygons_free(&plain);
    static const double flat[12] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0};
    ck_assert_int_eq(navd_from_metres(flat, false, right), NAVD_ERR_ARGUMENT);
}
END_TEST

START_TEST(what_has_no_polygons_says_why)
{
    navd_polygons p;
    char why[300];
    navd_tile other = {.status = NAVD_TILE_EMPTY};
    ck_assert_int_eq(navd_polygons_read(&other, 6, identity, &p, why, sizeof why), NAVD_OK);
    ck_assert_uint_eq(p.polygon_count, 0);
    other = tile;
    other.encoding = NAVD_ENCODING_DETOUR;
    ck_assert_int_eq(navd_polygons_read(&other, 6, identity, &p, why, sizeof why), NAVD_ERR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(why, "NAVD_ENCODING_NAVD"));
    ck_assert_int_eq(navd_polygons_read(&tile, 2, identity, &p, NULL, 0), NAVD_ERR_ARGUMENT);
    other = tile;
    for (size_t size = 1; size < tile.size; size += 7) {
        uint8_t *exact = malloc(size);
        ck_assert_ptr_nonnull(exact);
        memcpy(exact, tile.data, size);
        other.data = exact;
        other.size = size;
        ck_assert_int_ne(navd_polygons_read(&other, 6, identity, &p, why, sizeof why), NAVD_OK);
        ck_assert_ptr_null(p.memory);
        free(exact);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("polygons");
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, build_tile, drop_tile);
    tcase_add_test(c, cells_are_cut_into_polygons_of_the_same_ground);
    tcase_add_test(c, neighbours_know_each_other_across_cuts_too);
    tcase_add_test(c, points_come_in_the_axes_of_the_caller);
    tcase_add_test(c, what_has_no_polygons_says_why);
    suite_add_tcase(s, c);
    return run_suite(s);
}
