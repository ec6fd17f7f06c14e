// The JSON of tiles that are made by hand, to the last member: as other programs' readers see it.
#include "clients/navctl/tile_files/tile_json.h"
#include "core/tile/detour.h"
#include "tests/check.h"
#include "tests/core/tile_fixture.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fixture fix;
static nav_area_table areas;

// The mesh of the fixture's tile; the caller gives it back.
static json_t *mesh_of(generate_encoding encoding)
{
    nav_buffer bytes = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    json_writer w = {.out = out};
    json_error_t wrong;
    if (encoding == GENERATE_DETOUR) fixture_number_by_use(&fix);
    nav_status s =
        encoding == GENERATE_DETOUR ? nav_detour_encode(&fix.tile, &bytes) : nav_tile_encode(&fix.tile, &bytes);
    ck_assert_int_eq(s, NAV_OK);
    const stored_tile tile = {.bytes = bytes.data, .size = (uint32_t)bytes.size};
    json_open(&w, NULL, '{');
    tile_json_mesh(encoding, &tile, &areas, &w);
    json_close(&w, '}');
    fclose(out);
    json_t *all = json_loads(text, JSON_REJECT_DUPLICATES, &wrong);
    ck_assert_msg(all != NULL, "%s at %d: %s", wrong.text, wrong.position, text);
    json_t *mesh = json_incref(json_object_get(all, "mesh"));
    json_decref(all);
    free(text);
    nav_buffer_deinit(&bytes);
    return mesh;
}

// As text, for comparing: keys in their order.
static void expect_text(const json_t *value, const char *wanted)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
    ck_assert_str_eq(text, wanted);
    free(text);
}

static void floor_with_links(void)
{
    areas = (nav_area_table){0};
    strcpy(nav_area_table_put(&areas, 5)->name, "wa\"ter");
    fixture_floor(&fix, 1, -1, 2);
    fixture_link(&fix, (nav_link){.id = 7,
                                  .start = {9, 0.5f, -7},
                                  .end = {12, 0.5f, -3},
                                  .radius_m = 0.5f,
                                  .area = 5,
                                  .flags = 3,
                                  .both_ways = 1});
    fixture_link(&fix, (nav_link){.id = 8, .start = {9, 0.5f, -7}, .end = {30, 4, -3}, .radius_m = 1, .area = 9});
}

START_TEST(a_cell_has_its_sides_in_the_order_of_its_corners)
{
    floor_with_links();
    json_t *mesh = mesh_of(GENERATE_NAVD), *cells = json_object_get(mesh, "cells");
    ck_assert_uint_eq(json_array_size(cells), 4);
    // x 0 to 8, z 0 to 8 of the tile: borders below and on the left.
    json_t *cell = json_array_get(cells, 2);
    expect_text(json_object_get(cell, "id"), "2");
    expect_text(json_object_get(cell, "area"), "5");
    expect_text(json_object_get(cell, "area_name"), "\"wa\\\"ter\"");
    expect_text(json_object_get(cell, "relaxed"), "false");
    expect_text(json_object_get(cell, "unreachable"), "false");
    expect_text(json_object_get(cell, "vertices"), "[0,3,4,1]");
    expect_text(json_object_get(cell, "sides"), "[\"x-\",\"cell\",\"cell\",\"z-\"]");
    expect_text(json_object_get(cell, "neighbours"), "[null,0,3,null]");
    ck_assert_ptr_null(json_object_get(json_array_get(cells, 0), "area_name"));
    expect_text(json_object_get(mesh, "vertices_units"),
                "[[0,2,0],[8,2,0],[16,2,0],[0,2,8],[8,2,8],[16,2,8],[0,2,16],[8,2,16],[16,2,16]]");
    expect_text(json_array_get(json_object_get(mesh, "vertices_m"), 5), "[16,0.5,-4]");
    // The bump of the first cell.
    expect_text(json_object_get(mesh, "detail_vertices_m"), "[[10,1,-2]]");
    expect_text(json_array_get(json_object_get(json_array_get(cells, 0), "triangles"), 0), "[3,6,9]");
    json_decref(mesh);
}
END_TEST

START_TEST(a_portal_says_which_way_it_leads)
{
    floor_with_links();
    json_t *mesh = mesh_of(GENERATE_NAVD), *portals = json_object_get(mesh, "portals");
    int to_cells = 0, to_borders = 0;
    for (size_t i = 0; i < json_array_size(portals); i++) {
        json_t *p = json_array_get(portals, i);
        const char *side = json_string_value(json_object_get(p, "side"));
        const bool to_cell = !strcmp(side, "cell");
        ck_assert_int_eq(json_is_integer(json_object_get(p, "neighbour")), to_cell);
        ck_assert_double_eq(json_number_value(json_object_get(p, "width_m")), 4);
        to_cells += to_cell;
        to_borders += !to_cell && strchr("xz", side[0]) && strchr("+-", side[1]);
    }
    ck_assert_int_eq(to_cells, 4);
    ck_assert_int_eq(to_borders, 8);
    json_decref(mesh);
}
END_TEST

START_TEST(links_are_whole_in_both_encodings)
{
    for (int i = 0; i < 2; i++) {
        floor_with_links();
        json_t *mesh = mesh_of(i ? GENERATE_DETOUR : GENERATE_NAVD), *links = json_object_get(mesh, "links");
        ck_assert_uint_eq(json_array_size(links), 2);
        json_t *link = json_array_get(links, 0);
        expect_text(json_object_get(link, "id"), "7");
        expect_text(json_object_get(link, "start_m"), "[9,0.5,-7]");
        expect_text(json_object_get(link, "end_m"), "[12,0.5,-3]");
        expect_text(json_object_get(link, "radius_m"), "0.5");
        expect_text(json_object_get(link, "both_ways"), "true");
        expect_text(json_object_get(link, "area"), "5");
        expect_text(json_object_get(link, "area_name"), "\"wa\\\"ter\"");
        expect_text(json_object_get(link, "flags"), "3");
        expect_text(json_object_get(json_array_get(links, 1), "both_ways"), "false");
        ck_assert_int_eq(json_object_get(link, "polygon") != NULL, i);
        json_decref(mesh);
    }
}
END_TEST

START_TEST(a_polygon_of_detour_has_the_codes_of_its_edges_as_words)
{
    floor_with_links();
    json_t *mesh = mesh_of(GENERATE_DETOUR), *polygons = json_object_get(mesh, "polygons");
    ck_assert_uint_eq(json_array_size(polygons), 5); // off-mesh ones are links
    json_t *poly = json_array_get(polygons, 2);
    expect_text(json_object_get(poly, "area"), "5");
    ck_assert(json_is_integer(json_object_get(poly, "flags")));
    expect_text(json_object_get(poly, "sides"), "[\"x-\",\"polygon\",\"polygon\",\"z-\"]");
    expect_text(json_object_get(poly, "neighbours"), "[null,0,3,null]");
    json_t *links = json_object_get(mesh, "links");
    expect_text(json_object_get(json_array_get(links, 0), "polygon"), "5");
    expect_text(json_object_get(json_array_get(links, 0), "ends_in_tile"), "true");
    expect_text(json_object_get(json_array_get(links, 1), "ends_in_tile"), "false");
    json_decref(mesh);
}
END_TEST

START_TEST(a_tile_with_nothing_in_it_has_empty_lists)
{
    areas = (nav_area_table){0};
    fixture_init(&fix, 0, 0);
    fixture_finish(&fix);
    json_t *mesh = mesh_of(GENERATE_NAVD);
    static const char *const lists[] = {"vertices_m", "vertices_units", "detail_vertices_m",
                                        "cells",      "portals",        "links"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) expect_text(json_object_get(mesh, lists[i]), "[]");
    ck_assert(json_is_object(json_object_get(mesh, "grid")));
    json_decref(mesh);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tile json");
    TCase *t = tcase_create("tile json");
    tcase_add_test(t, a_cell_has_its_sides_in_the_order_of_its_corners);
    tcase_add_test(t, a_portal_says_which_way_it_leads);
    tcase_add_test(t, links_are_whole_in_both_encodings);
    tcase_add_test(t, a_polygon_of_detour_has_the_codes_of_its_edges_as_words);
    tcase_add_test(t, a_tile_with_nothing_in_it_has_empty_lists);
    suite_add_tcase(s, t);
    return run_suite(s);
}
