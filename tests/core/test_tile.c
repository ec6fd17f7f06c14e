// navd's own tile: what goes in comes out.
#include "tests/check.h"
#include "tests/core/tile_bytes.h"
#include "tests/core/tile_walk.h"

#include <math.h>
#include <string.h>

static fixture fix;

START_TEST(all_that_went_in_comes_out)
{
    fixture_floor(&fix, -3, 7, 40);
    fixture_link(&fix, jump());
    fix.settings.relaxation_m = 0.5f;
    nav_buffer b = encoded(&fix);
    nav_tile_view v = opened(&b);
    ck_assert(nav_key_equal(v.content_key, fix.tile.content_key));
    ck_assert_uint_eq(v.revision, 0);
    ck_assert_int_eq(v.tile_x, -3);
    ck_assert_int_eq(v.tile_z, 7);
    ck_assert_int_eq(v.tile_cells, 16);
    ck_assert_float_eq(v.agent_height_m, 2.0f);
    ck_assert_float_eq(v.agent_radius_m, 0.5f);
    ck_assert_float_eq(v.agent_climb_m, 0.75f);
    ck_assert_float_eq(v.relaxation_m, 0.5f);
    ck_assert_float_eq(v.min_y, 10.0f);
    ck_assert_float_eq(v.max_y, 10.5f);
    ck_assert_uint_eq(v.vert_count, 9);
    ck_assert_uint_eq(v.cell_count, 4);
    ck_assert_uint_eq(v.detail_vert_count, 1);
    nav_tile_cell c;
    nav_tile_get_cell(&v, 0, &c);
    ck_assert_uint_eq(c.corner_count, 4);
    ck_assert_uint_eq(c.triangle_count, 4);
    nav_tile_get_cell(&v, 2, &c);
    ck_assert_uint_eq(c.area, 5);
    float at[3];
    nav_tile_get_place(&v, 9, at); // the bump
    ck_assert_float_eq(at[0], -24.0f + 2.0f);
    ck_assert_float_eq(at[1], 10.5f);
    ck_assert_float_eq(at[2], 56.0f + 6.0f);
    nav_link link;
    nav_tile_get_link(&v, 0, &link);
    ck_assert_uint_eq(link.id, 77);
    ck_assert_float_eq(link.end[2], -4);
    ck_assert_uint_eq(link.flags, 0x8001);
    ck_assert_uint_eq(link.area, 9);
    ck_assert_uint_eq(link.both_ways, 1);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(a_cell_is_the_union_of_its_polygons)
{
    fixture_floor(&fix, 0, 0, 0);
    nav_buffer b = encoded(&fix);
    nav_tile_view v = opened(&b);
    nav_tile_cell c;
    nav_tile_get_cell(&v, 3, &c);
    ck_assert_uint_eq(c.corner_count, 4); // two triangles joined
    ck_assert_uint_eq(c.triangle_count, 2);
    int portals = 0, walls = 0, cells = 0;
    for (uint32_t k = 0; k < v.corner_count; k++) {
        nav_tile_corner corner;
        nav_tile_get_corner(&v, k, &corner);
        portals += corner.behind < NAV_EDGE_WALL;
        walls += corner.behind == NAV_EDGE_WALL;
        cells += corner.behind >= 0;
    }
    ck_assert_int_eq(portals, 8);
    ck_assert_int_eq(walls, 0);
    ck_assert_int_eq(cells, 8);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(a_cell_has_the_area_of_its_own_polygons)
{
    fixture_init(&fix, 0, 0);
    int32_t v[6];
    for (int k = 0; k < 6; k++) v[k] = fixture_vert(&fix, 4 + 4 * (k / 2), 0, 4 + 4 * (k % 2));
    fixture_poly(&fix, 63, 3, (int32_t[]){v[0], v[1], v[2]});
    fixture_poly(&fix, 63, 3, (int32_t[]){v[2], v[1], v[3]});
    fixture_join_cells(&fix);
    fixture_poly(&fix, 7, 4, (int32_t[]){v[2], v[3], v[5], v[4]});
    fixture_finish(&fix);
    nav_buffer b = encoded(&fix);
    nav_tile_view v2 = opened(&b);
    nav_tile_cell c;
    ck_assert_uint_eq(v2.cell_count, 2);
    nav_tile_get_cell(&v2, 0, &c);
    ck_assert_uint_eq(c.area, 63);
    nav_tile_get_cell(&v2, 1, &c);
    ck_assert_uint_eq(c.area, 7);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(the_triangles_of_a_cell_cover_exactly_its_area)
{
    fixture_floor(&fix, 2, 2, 0);
    nav_buffer b = encoded(&fix);
    nav_tile_view v = opened(&b);
    for (uint32_t c = 0; c < v.cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_get_cell(&v, c, &cell);
        double area = 0;
        for (uint32_t t = 0; t < cell.triangle_count; t++) {
            uint32_t corner[3];
            float p[3][3];
            nav_tile_get_triangle(&v, cell.first_triangle + t, corner);
            for (int k = 0; k < 3; k++) nav_tile_get_place(&v, corner[k], p[k]);
            double twice = (double)(p[1][2] - p[0][2]) * (double)(p[2][0] - p[0][0]) -
                           (double)(p[1][0] - p[0][0]) * (double)(p[2][2] - p[0][2]);
            ck_assert_double_gt(twice, 0);
            area += twice / 2;
        }
        ck_assert_double_eq(area, 16.0);
    }
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(a_tile_without_polygons_has_an_encoding)
{
    fixture_init(&fix, 5, 5);
    nav_buffer b = encoded(&fix);
    nav_tile_view v = opened(&b);
    ck_assert_uint_eq(v.cell_count, 0);
    ck_assert_uint_eq(b.size, 160);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(a_polygon_without_detail_gets_a_fan)
{
    fixture_floor(&fix, 0, 0, 0);
    fix.tile.detail = (nav_detail){0};
    nav_buffer b = encoded(&fix);
    nav_tile_view v = opened(&b);
    ck_assert_uint_eq(v.triangle_count, 2 + 2 + 2 + 1 + 1);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(border_vertices_are_the_same_floats_in_both_tiles_far_from_the_origin)
{
    for (int32_t x = -5001; x < 5000; x += 1234) {
        static fixture left, right;
        fixture_floor(&left, x, 3, 12);
        fixture_floor(&right, x + 1, 3, 12);
        left.settings.cell_size_m = right.settings.cell_size_m = 0.3f;
        left.settings.origin_m[0] = right.settings.origin_m[0] = 1.7;
        nav_buffer a = encoded(&left), b = encoded(&right);
        nav_tile_view va = opened(&a), vb = opened(&b);
        for (uint32_t z = 0; z < 3; z++) {
            float p[3], q[3];
            nav_tile_get_place(&va, 3 * z + 2, p);
            nav_tile_get_place(&vb, 3 * z, q);
            ck_assert_mem_eq(p, q, sizeof p);
        }
        nav_buffer_deinit(&a);
        nav_buffer_deinit(&b);
    }
}
END_TEST

START_TEST(a_stamped_revision_is_read_and_changes_nothing_else)
{
    fixture_floor(&fix, 0, 0, 0);
    nav_buffer b = encoded(&fix);
    ck_assert_int_eq(nav_tile_set_revision(b.data, b.size, 0xFEDCBA9876543210u), NAV_OK);
    ck_assert_uint_eq(opened(&b).revision, 0xFEDCBA9876543210u);
    ck_assert_int_eq(nav_tile_set_revision(b.data, 100, 1), NAV_ERR_TRUNCATED);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(encoding_appends_to_what_the_buffer_holds)
{
    fixture_floor(&fix, 0, 0, 0);
    nav_buffer alone = encoded(&fix), b = {0};
    ck_assert_int_eq(nav_buffer_append(&b, "abc", 3), NAV_OK);
    ck_assert_int_eq(nav_tile_encode(&fix.tile, &b), NAV_OK);
    ck_assert_uint_eq(b.size, alone.size + 3);
    ck_assert_mem_eq(b.data + 3, alone.data, alone.size);
    nav_buffer_deinit(&alone);
    nav_buffer_deinit(&b);
}
END_TEST

// A square of tile_cells by tile_cells unit polygons: more corners than 2 bytes can count.
START_TEST(a_tile_with_many_cells_has_wide_indices)
{
    enum { SIDE = 130 };
    static int32_t x[(SIDE + 1) * (SIDE + 1)], y[(SIDE + 1) * (SIDE + 1)], z[(SIDE + 1) * (SIDE + 1)];
    static int32_t first[SIDE * SIDE + 1], vert[4 * SIDE * SIDE], behind[4 * SIDE * SIDE], region[SIDE * SIDE];
    static int32_t cell_poly[SIDE * SIDE + 1];
    static uint8_t area[SIDE * SIDE];
    fixture_init(&fix, 0, 0);
    fix.settings.tile_cells = fix.tile.config.tile_columns = SIDE;
    nav_config_set_unit(&fix.tile.config, 1);
    for (int k = 0; k < (SIDE + 1) * (SIDE + 1); k++) {
        x[k] = k % (SIDE + 1);
        z[k] = k / (SIDE + 1);
    }
    for (int p = 0; p < SIDE * SIDE; p++) {
        int col = p % SIDE, row = p / SIDE, v = row * (SIDE + 1) + col;
        int32_t corners[4] = {v, v + SIDE + 1, v + SIDE + 2, v + 1};
        int32_t others[4] = {col ? p - 1 : NAV_EDGE_PORTAL_XMIN, row < SIDE - 1 ? p + SIDE : NAV_EDGE_PORTAL_ZMAX,
                             col < SIDE - 1 ? p + 1 : NAV_EDGE_PORTAL_XMAX, row ? p - SIDE : NAV_EDGE_PORTAL_ZMIN};
        memcpy(vert + 4 * p, corners, sizeof corners);
        memcpy(behind + 4 * p, others, sizeof others);
        first[p + 1] = 4 * (p + 1);
        cell_poly[p + 1] = p + 1;
        area[p] = 1;
    }
    fix.tile.polygons = (nav_polygons){.vert_count = (SIDE + 1) * (SIDE + 1),
                                       .x = x,
                                       .y = y,
                                       .z = z,
                                       .count = SIDE * SIDE,
                                       .first = first,
                                       .vert = vert,
                                       .behind = behind,
                                       .area = area,
                                       .region = region,
                                       .cell_count = SIDE * SIDE,
                                       .cell_poly = cell_poly,
                                       .cell_first = first,
                                       .cell_vert = vert,
                                       .cell_behind = behind};
    fix.tile.detail = (nav_detail){0};
    nav_buffer b = encoded(&fix);
    nav_tile_view v = opened(&b);
    ck_assert_uint_eq(v.index_bytes, 4);
    nav_tile_corner corner;
    nav_tile_get_corner(&v, 0, &corner);
    ck_assert_int_eq(corner.behind, NAV_EDGE_PORTAL_XMIN);
    walk_tile(&v);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(portals_come_out_with_ends_width_and_clearance)
{
    fixture_floor(&fix, 0, 0, 0);
    for (int k = 0; k < 4; k++) // the left half of the upper border is a wall
        if (fix.cell_behind[k] == NAV_EDGE_PORTAL_ZMAX) fix.cell_behind[k] = NAV_EDGE_WALL;
    nav_buffer b = encoded(&fix);
    nav_tile_view v = opened(&b);
    ck_assert_uint_eq(v.portal_count, 11); // 4 between the cells, 7 over borders
    uint32_t inner = 0, last_cell = 0;
    for (uint32_t i = 0; i < v.portal_count; i++) {
        nav_tile_portal p;
        nav_tile_get_portal(&v, i, &p);
        ck_assert_uint_ge(p.cell, last_cell);
        last_cell = p.cell;
        ck_assert_float_eq(p.width_m, 4.0f);
        ck_assert_float_gt(p.clearance_m, 0);
        ck_assert_float_le(p.clearance_m, 8.0f);
        inner += p.behind >= 0;
        if (p.cell != 0 || p.behind != 1) continue;
        int32_t from[3], to[3];
        nav_tile_get_vert(&v, p.from, from);
        nav_tile_get_vert(&v, p.to, to);
        ck_assert_int_eq(from[2], 16);
        ck_assert_int_eq(to[2], 8);
        ck_assert_float_eq_tol(p.clearance_m, 4.0f, 0.5f / 64); // from the lower end up to the wall
    }
    ck_assert_uint_eq(inner, 4);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(a_portal_goes_on_over_vertices_on_a_straight_line)
{
    fixture_init(&fix, 0, 0);
    const int32_t at[7][2] = {{4, 4}, {4, 8}, {8, 8}, {8, 4}, {12, 8}, {12, 4}, {8, 6}};
    int32_t v[7];
    for (int k = 0; k < 7; k++) v[k] = fixture_vert(&fix, at[k][0], 0, at[k][1]);
    fixture_poly(&fix, 63, 5, (int32_t[]){v[6], v[3], v[0], v[1], v[2]});
    fixture_poly(&fix, 63, 5, (int32_t[]){v[3], v[6], v[2], v[4], v[5]});
    fixture_finish(&fix);
    nav_buffer b = encoded(&fix);
    nav_tile_view view = opened(&b);
    nav_tile_portal p;
    ck_assert_uint_eq(view.portal_count, 1);
    nav_tile_get_portal(&view, 0, &p);
    ck_assert_uint_eq(p.from, 2);
    ck_assert_uint_eq(p.to, 3);
    ck_assert_float_eq(p.width_m, 2);
    nav_buffer_deinit(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tile");
    TCase *t = tcase_create("format");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, all_that_went_in_comes_out);
    tcase_add_test(t, a_cell_is_the_union_of_its_polygons);
    tcase_add_test(t, a_cell_has_the_area_of_its_own_polygons);
    tcase_add_test(t, the_triangles_of_a_cell_cover_exactly_its_area);
    tcase_add_test(t, a_tile_without_polygons_has_an_encoding);
    tcase_add_test(t, a_polygon_without_detail_gets_a_fan);
    tcase_add_test(t, border_vertices_are_the_same_floats_in_both_tiles_far_from_the_origin);
    tcase_add_test(t, a_stamped_revision_is_read_and_changes_nothing_else);
    tcase_add_test(t, encoding_appends_to_what_the_buffer_holds);
    tcase_add_test(t, a_tile_with_many_cells_has_wide_indices);
    tcase_add_test(t, portals_come_out_with_ends_width_and_clearance);
    tcase_add_test(t, a_portal_goes_on_over_vertices_on_a_straight_line);
    suite_add_tcase(s, t);
    return run_suite(s);
}
