// The reader of navd's own tile: nothing is let in but tiles.
#include "core/base/endian.h"
#include "tests/check.h"
#include "tests/core/tile_bytes.h"
#include "tests/core/tile_walk.h"

#include <stdlib.h>
#include <string.h>

static fixture fix;
static char why[256];

START_TEST(every_prefix_is_an_error)
{
    fixture_floor(&fix, 1, 2, 3);
    fixture_link(&fix, jump());
    nav_buffer b = encoded(&fix);
    for (size_t n = 0; n < b.size; n++) {
        uint8_t *prefix = malloc(n ? n : 1);
        memcpy(prefix, b.data, n);
        nav_tile_view v;
        nav_status s = nav_tile_open(prefix, n, &v, why, sizeof why);
        ck_assert_msg(s == NAV_ERR_TRUNCATED, "prefix of %zu bytes: %s", n, nav_status_name(s));
        free(prefix);
    }
    nav_buffer_deinit(&b);
}
END_TEST

static void seal(uint8_t *bytes, size_t size)
{
    nav_store_u64(bytes + 16, nav_tile_checksum(bytes, size));
}

START_TEST(a_changed_byte_is_found_by_the_checksum)
{
    fixture_floor(&fix, 1, 2, 3);
    nav_buffer b = encoded(&fix);
    for (size_t i = 0; i < b.size; i++) {
        if (i >= 8 && i < 16) continue; // the revision
        b.data[i] ^= 0x40;
        nav_tile_view v;
        ck_assert_msg(nav_tile_open(b.data, b.size, &v, why, sizeof why) != NAV_OK, "byte %zu", i);
        b.data[i] ^= 0x40;
    }
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(a_sealed_mutation_is_an_error_or_a_tile_that_can_be_walked)
{
    fixture_floor(&fix, 1, 2, 3);
    fixture_link(&fix, jump());
    nav_buffer b = encoded(&fix);
    uint8_t *copy = malloc(b.size);
    int valid = 0, refused = 0;
    for (size_t i = 24; i < b.size; i++) {
        for (int value = 0; value < 256; value++) {
            memcpy(copy, b.data, b.size);
            copy[i] = (uint8_t)value;
            seal(copy, b.size);
            nav_tile_view v;
            if (nav_tile_open(copy, b.size, &v, why, sizeof why) == NAV_OK) {
                walk_tile(&v);
                valid++;
            } else {
                refused++;
            }
        }
    }
    ck_assert_int_gt(valid, 0);
    ck_assert_int_gt(refused, valid);
    free(copy);
    nav_buffer_deinit(&b);
}
END_TEST

// Each row breaks one thing in the floor tile, after encoding, and says what the reader must answer.
static void expect_refusal(const char *words)
{
    nav_buffer b = encoded(&fix);
    nav_tile_view v;
    nav_status s = nav_tile_open(b.data, b.size, &v, why, sizeof why);
    ck_assert_int_eq(s, NAV_ERR_FORMAT);
    ck_assert_msg(strstr(why, words) != NULL, "\"%s\" says nothing of \"%s\"", why, words);
    nav_buffer_deinit(&b);
}

START_TEST(the_reader_refuses_a_grid_that_columns_do_not_fit)
{
    static const uint32_t good[] = {0, 1, 2, 16}, bad[] = {3, 32, 2048, 0x80000000u, 0xFFFFFFFFu};
    enum { GOOD = sizeof good / sizeof *good, BAD = sizeof bad / sizeof *bad };
    fixture_floor(&fix, 0, 0, 0); // of 16 columns
    nav_buffer b = encoded(&fix);
    for (int k = 0; k < GOOD + BAD; k++) {
        uint32_t unit = k < GOOD ? good[k] : bad[k - GOOD];
        nav_tile_view v;
        nav_store_u32(b.data + 148, unit);
        seal(b.data, b.size);
        nav_status s = nav_tile_open(b.data, b.size, &v, why, sizeof why);
        ck_assert_msg((s == NAV_OK) == (k < GOOD), "%u to a column", unit);
        if (s != NAV_OK) continue;
        ck_assert_int_eq(nav_tile_columns(&v), 16 / (int32_t)(unit ? unit : 1));
        ck_assert_float_eq(nav_tile_column_m(&v), 0.5f * (float)(unit ? unit : 1));
    }
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(the_reader_refuses_cells_that_are_not_convex)
{
    fixture_floor(&fix, 0, 0, 0);
    fix.x[4] = fix.z[4] = 15; // the shared corner in the middle goes far out: cell 1 turns inside out
    expect_refusal("convex");
    fixture_floor(&fix, 0, 0, 0);
    for (int k = 0; k < 2; k++) { // cell 0 the other way round
        int32_t *c = fix.cell_vert, swap = c[k];
        c[k] = c[3 - k];
        c[3 - k] = swap;
    }
    expect_refusal("convex");
}
END_TEST

START_TEST(the_reader_refuses_a_cell_that_winds_twice)
{
    fixture_init(&fix, 0, 0);
    int32_t v[8];
    const int32_t at[4][2] = {{0, 0}, {0, 8}, {8, 8}, {8, 0}};
    for (int k = 0; k < 8; k++) v[k] = fixture_vert(&fix, at[k % 4][0] + k / 4, 0, at[k % 4][1]);
    fixture_poly(&fix, 63, 4, v);
    fixture_finish(&fix);
    memcpy(fix.cell_vert, v, sizeof v);
    for (int k = 0; k < 8; k++) fix.cell_behind[k] = NAV_EDGE_WALL;
    fix.cell_first[1] = 8;
    expect_refusal("convex");
}
END_TEST

START_TEST(the_reader_refuses_neighbours_that_do_not_know_each_other)
{
    fixture_floor(&fix, 0, 0, 0);
    for (int k = 0; k < 4; k++)
        if (fix.cell_behind[k] == 1) fix.cell_behind[k] = 2;
    expect_refusal("not the reverse");
}
END_TEST

// Two squares side by side; the right one has a vertex m in the middle of their common edge, the left one has not.
static void half_shared_edge(int32_t behind_upper, int32_t behind_lower)
{
    fixture_init(&fix, 0, 0);
    const int32_t at[7][2] = {{4, 4}, {4, 8}, {8, 8}, {8, 4}, {12, 8}, {12, 4}, {8, 6}};
    int32_t v[7];
    for (int k = 0; k < 7; k++) v[k] = fixture_vert(&fix, at[k][0], 0, at[k][1]);
    fixture_poly(&fix, 63, 4, (int32_t[]){v[0], v[1], v[2], v[3]});
    fixture_poly(&fix, 63, 5, (int32_t[]){v[3], v[6], v[2], v[4], v[5]});
    fixture_finish(&fix);
    fix.cell_behind[2] = 1;            // left: v2 to v3
    fix.cell_behind[4] = behind_lower; // right: v3 to m
    fix.cell_behind[5] = behind_upper; // right: m to v2
}

START_TEST(the_reader_refuses_an_edge_that_is_shared_in_part)
{
    half_shared_edge(NAV_EDGE_WALL, 0);
    expect_refusal("not the reverse");
    half_shared_edge(0, NAV_EDGE_WALL);
    expect_refusal("not the reverse");
}
END_TEST

START_TEST(the_reader_refuses_a_portal_off_its_border)
{
    fixture_floor(&fix, 0, 0, 0);
    for (int k = 0; k < 4; k++)
        if (fix.cell_behind[k] == NAV_EDGE_PORTAL_XMIN) fix.cell_behind[k] = NAV_EDGE_PORTAL_XMAX;
    expect_refusal("portal");
}
END_TEST

START_TEST(the_reader_refuses_portals_that_are_not_those_of_the_cells)
{
    fixture_floor(&fix, 0, 0, 0);
    nav_buffer b = encoded(&fix);
    nav_tile_view v = opened(&b);
    const uint8_t *sections[] = {v.portal_cell, v.portal_behind, v.portal_from, v.portal_to};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        size_t at = (size_t)(sections[i] - b.data);
        b.data[at] ^= 1;
        seal(b.data, b.size);
        ck_assert_int_eq(nav_tile_open(b.data, b.size, &v, why, sizeof why), NAV_ERR_FORMAT);
        ck_assert_msg(strstr(why, "portal") != NULL, "%s", why);
        b.data[at] ^= 1;
    }
    static const float wrong[] = {-1, 9, NAN, INFINITY};
    const uint8_t *numbers[] = {v.portal_width, v.portal_clearance};
    for (size_t i = 0; i < 8; i++) {
        uint8_t *at = b.data + (numbers[i % 2] - b.data), kept[4];
        memcpy(kept, at, 4);
        nav_store_f32(at, wrong[i / 2]);
        seal(b.data, b.size);
        ck_assert_int_eq(nav_tile_open(b.data, b.size, &v, why, sizeof why), NAV_ERR_FORMAT);
        ck_assert_msg(strstr(why, "portal 0 has") != NULL, "%s", why);
        memcpy(at, kept, 4);
    }
    nav_buffer_deinit(&b);
}
END_TEST

// A cell of five corners with a notch at (8, 8 + deep), flags as given.
static void notched(int32_t deep, uint8_t flags)
{
    fixture_init(&fix, 0, 0);
    const int32_t at[5][2] = {{2, 2}, {2, 8}, {8, 8 - deep}, {14, 8}, {14, 2}};
    int32_t v[5];
    for (int k = 0; k < 5; k++) v[k] = fixture_vert(&fix, at[k][0], 0, at[k][1]);
    fixture_poly(&fix, 63, 5, v);
    fixture_finish(&fix);
    fix.cell_flags[0] = flags;
}

START_TEST(only_a_relaxed_cell_may_have_a_notch)
{
    notched(1, NAV_CELL_RELAXED | NAV_CELL_UNREACHABLE);
    nav_buffer b = encoded(&fix);
    nav_tile_view v = opened(&b);
    nav_tile_cell cell;
    nav_tile_get_cell(&v, 0, &cell);
    ck_assert_uint_eq(cell.flags, NAV_CELL_RELAXED | NAV_CELL_UNREACHABLE);
    nav_buffer_deinit(&b);
    notched(1, 0);
    expect_refusal("convex");
    notched(1, 4);
    expect_refusal("flags");
}
END_TEST

START_TEST(the_reader_refuses_relaxed_cells_that_cross_themselves_or_turn_the_wrong_way)
{
    notched(7, NAV_CELL_RELAXED); // the notch reaches beyond the lower edge
    expect_refusal("crosses itself");
    notched(1, NAV_CELL_RELAXED);
    for (int k = 0; k < 2; k++) {
        int32_t *c = fix.cell_vert, swap = c[k];
        c[k] = c[4 - k];
        c[4 - k] = swap;
    }
    expect_refusal("wrong way");
    notched(1, NAV_CELL_RELAXED);
    fix.x[1] = fix.x[0], fix.z[1] = fix.z[0];
    expect_refusal("without length");
    notched(0, NAV_CELL_RELAXED);
    fix.x[3] = 5; // from (8, 8) back to (5, 8)
    expect_refusal("turns back");
}
END_TEST

START_TEST(the_reader_refuses_areas_places_and_radii_out_of_range)
{
    fixture_floor(&fix, 0, 0, 0);
    fix.area[0] = 64;
    expect_refusal("area 64");
    fixture_floor(&fix, 0, 0, 0);
    fix.area[0] = 0;
    expect_refusal("area 0");
    fixture_floor(&fix, 0, 0, 0);
    fix.detail_y[0] = NAN;
    expect_refusal("height");
    fixture_floor(&fix, 0, 0, 0);
    fix.detail_x[0] = 16.5f;
    expect_refusal("outside");
    fixture_floor(&fix, 0, 0, 0);
    nav_link link = jump();
    link.radius_m = -1;
    fixture_link(&fix, link);
    expect_refusal("radius");
    fixture_floor(&fix, 0, 0, 0);
    fix.settings.relaxation_m = -1;
    expect_refusal("relaxed");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("tile reader");
    TCase *t = tcase_create("format");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, every_prefix_is_an_error);
    tcase_add_test(t, a_changed_byte_is_found_by_the_checksum);
    tcase_add_test(t, a_sealed_mutation_is_an_error_or_a_tile_that_can_be_walked);
    tcase_add_test(t, the_reader_refuses_a_grid_that_columns_do_not_fit);
    tcase_add_test(t, the_reader_refuses_cells_that_are_not_convex);
    tcase_add_test(t, the_reader_refuses_a_cell_that_winds_twice);
    tcase_add_test(t, the_reader_refuses_neighbours_that_do_not_know_each_other);
    tcase_add_test(t, the_reader_refuses_an_edge_that_is_shared_in_part);
    tcase_add_test(t, the_reader_refuses_a_portal_off_its_border);
    tcase_add_test(t, the_reader_refuses_portals_that_are_not_those_of_the_cells);
    tcase_add_test(t, only_a_relaxed_cell_may_have_a_notch);
    tcase_add_test(t, the_reader_refuses_relaxed_cells_that_cross_themselves_or_turn_the_wrong_way);
    tcase_add_test(t, the_reader_refuses_areas_places_and_radii_out_of_range);
    suite_add_tcase(s, t);
    return run_suite(s);
}
