// The table of areas: how it is kept, what it makes of settings, and its place in a file of navd tiles.
#include "core/base/endian.h"
#include "core/tile/tile_file.h"
#include "tests/check.h"
#include "tests/core/tile_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 3 };

static char why[256];
static fixture fix;

static nav_area_table made(void)
{
    nav_area_table t = {.count = 0};
    nav_area_type *a = nav_area_table_put(&t, 7);
    strcpy(a->name, "water");
    a->cost = 10;
    a->has_flags = true;
    a->flags = 6;
    a->has_color = true;
    a->color = 0x3366cc;
    a = nav_area_table_put(&t, 2);
    strcpy(a->name, "a road of exactly as many bytes as a name may have: sixty-four..");
    ck_assert_uint_eq(strlen(a->name), NAV_AREA_NAME_BYTES - 1);
    a->cost = 0.5f;
    a = nav_area_table_put(&t, 63);
    a->walkable = false;
    return t;
}

START_TEST(a_table_has_each_area_once_by_id)
{
    nav_area_table t = made();
    ck_assert_uint_eq(t.count, 3);
    ck_assert(t.types[0].id == 2 && t.types[1].id == 7 && t.types[2].id == 63);
    ck_assert_ptr_eq(nav_area_table_put(&t, 7), &t.types[1]);
    ck_assert_uint_eq(t.count, 3);
    ck_assert_str_eq(nav_area_table_find(&t, 7)->name, "water");
    ck_assert_ptr_null(nav_area_table_find(&t, 8));
    ck_assert_ptr_null(nav_area_table_find(NULL, 7));
    ck_assert_float_eq(nav_area_table_cost(&t, 2), 0.5f);
    ck_assert_float_eq(nav_area_table_cost(&t, 3), 1);
    ck_assert_float_eq(nav_area_table_cost(NULL, 2), 1);
    ck_assert(nav_area_table_remove(&t, 2) && !nav_area_table_remove(&t, 2));
    ck_assert(t.count == 2 && t.types[0].id == 7 && t.types[1].id == 63);
    for (unsigned id = 1; id < NAV_AREA_COUNT; id++) (void)nav_area_table_put(&t, (uint8_t)id);
    ck_assert_uint_eq(t.count, NAV_AREA_TYPES);
    ck_assert_int_eq(nav_area_table_check(&t, why, sizeof why), NAV_OK);
}
END_TEST

START_TEST(a_table_that_is_none_is_refused_with_the_area)
{
    static const struct {
        uint8_t id;
        float cost;
        uint32_t color;
        const char *name, *says;
    } wrong[] = {
        {0, 1, 0, "", "area 0: "},
        {64, 1, 0, "", "area 64: "},
        {7, 1, 0, "", "area 7: it is not behind"},
        {9, 0, 0, "", "area 9: its cost"},
        {9, NAN, 0, "", "area 9: its cost"},
        {9, INFINITY, 0, "", "area 9: its cost"},
        {9, 1, 0x1000000, "", "colour"},
        {9, 1, 0, "a\tb", "its name"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        nav_area_table t = {.count = 0};
        nav_buffer file = {0};
        (void)nav_area_table_put(&t, 7);
        nav_area_type *a = nav_area_table_put(&t, 8);
        a->id = wrong[i].id;
        a->cost = wrong[i].cost;
        a->color = wrong[i].color;
        strcpy(a->name, wrong[i].name);
        ck_assert_int_eq(nav_area_table_check(&t, why, sizeof why), NAV_ERR_ARGUMENT);
        ck_assert_msg(strstr(why, wrong[i].says) != NULL, "%s", why);
        ck_assert_int_eq(nav_tile_file_write(NULL, 0, &t, &file, why, sizeof why), NAV_ERR_ARGUMENT);
        ck_assert_uint_eq(file.size, 0);
    }
}
END_TEST

START_TEST(both_the_agent_and_the_table_must_allow_walking)
{
    nav_settings s;
    const nav_area_table t = made();
    nav_settings_default(&s);
    s.walkable_areas &= ~(UINT64_C(1) << 7);
    s.area_flags[2] = 9;
    nav_area_table_apply(&t, &s);
    ck_assert(!(s.walkable_areas >> 7 & 1) && !(s.walkable_areas >> 63 & 1) && (s.walkable_areas >> 2 & 1));
    ck_assert(s.area_flags[7] == 6 && s.area_flags[2] == 9);
}
END_TEST

static void file_of(const nav_area_table *areas, nav_buffer *out)
{
    nav_buffer bytes[TILES] = {0};
    nav_tile_file_tile tiles[TILES] = {0};
    for (int i = 0; i < TILES; i++) {
        fixture_floor(&fix, TILES - i, 4, 3);
        ck_assert_int_eq(nav_tile_encode(&fix.tile, &bytes[i]), NAV_OK);
        tiles[i] = (nav_tile_file_tile){.bytes = bytes[i].data, .size = (uint32_t)bytes[i].size};
        ck_assert_int_eq(nav_tile_file_describe(&tiles[i], why, sizeof why), NAV_OK);
    }
    ck_assert_int_eq(nav_tile_file_write(tiles, TILES, areas, out, why, sizeof why), NAV_OK);
    for (int i = 0; i < TILES; i++) nav_buffer_deinit(&bytes[i]);
}

START_TEST(a_file_keeps_the_table_and_its_tiles)
{
    const nav_area_table t = made();
    nav_buffer file = {0};
    nav_tile_file_view v;
    file_of(&t, &file);
    ck_assert_msg(nav_tile_file_open(file.data, file.size, &v, why, sizeof why) == NAV_OK, "%s", why);
    ck_assert_uint_eq(v.areas.count, t.count);
    for (uint32_t i = 0; i < t.count; i++) {
        const nav_area_type *a = &t.types[i], *b = &v.areas.types[i];
        ck_assert_str_eq(a->name, b->name);
        ck_assert_float_eq(a->cost, b->cost);
        ck_assert(a->id == b->id && a->walkable == b->walkable && a->has_flags == b->has_flags);
        ck_assert(a->flags == b->flags && a->has_color == b->has_color && a->color == b->color);
    }
    ck_assert_uint_eq(v.tile_count, TILES);
    for (uint32_t i = 0; i < TILES; i++) {
        nav_tile_file_tile tile;
        nav_tile_view view;
        nav_tile_file_get(&v, i, &tile);
        ck_assert(tile.x == (int32_t)i + 1 && tile.z == 4);
        ck_assert_int_eq(nav_tile_open(tile.bytes, tile.size, &view, why, sizeof why), NAV_OK);
        ck_assert_int_eq(view.tile_x, tile.x);
    }
    nav_buffer_deinit(&file);
}
END_TEST

// What was written before there were tables has to be read, and to be written as it was.
START_TEST(a_file_without_a_table_is_of_the_first_version)
{
    static const nav_area_table none = {.count = 0};
    nav_buffer a = {0}, b = {0};
    nav_tile_file_view v;
    file_of(NULL, &a);
    file_of(&none, &b);
    ck_assert_uint_eq(a.size, b.size);
    ck_assert_mem_eq(a.data, b.data, a.size);
    ck_assert_uint_eq(nav_load_u32(a.data + 4), 1);
    for (int i = 20; i < 32; i++) ck_assert_uint_eq(a.data[i], 0);
    ck_assert_int_eq(nav_load_i32(a.data + 32), 1); // the first tile's x
    ck_assert_int_eq(nav_tile_file_open(a.data, a.size, &v, why, sizeof why), NAV_OK);
    ck_assert_uint_eq(v.areas.count, 0);
    nav_buffer_deinit(&a);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(every_prefix_and_every_changed_byte_of_the_table_is_an_error)
{
    const nav_area_table t = made();
    nav_buffer file = {0};
    nav_tile_file_view v;
    file_of(&t, &file);
    for (size_t n = 0; n < file.size; n++) {
        uint8_t *prefix = malloc(n ? n : 1);
        memcpy(prefix, file.data, n);
        ck_assert_int_eq(nav_tile_file_open(prefix, n, &v, why, sizeof why), NAV_ERR_TRUNCATED);
        free(prefix);
    }
    for (size_t i = 0; i < NAV_TILE_FILE_HEADER_BYTES + t.count * NAV_TILE_FILE_AREA_BYTES; i++) {
        file.data[i] ^= 0x10;
        ck_assert_msg(nav_tile_file_open(file.data, file.size, &v, why, sizeof why) != NAV_OK, "byte %zu", i);
        file.data[i] ^= 0x10;
    }
    nav_buffer_deinit(&file);
}
END_TEST

// The checksum is right: what the bytes mean has to be refused.
START_TEST(a_table_that_means_nothing_is_refused)
{
    static const struct {
        size_t at;
        uint8_t value;
    } wrong[] = {
        {0, 0},  {0, 64}, {0, 7},    {1, 8},  {2, 1},   {8, 1},
        {12, 1}, {7, 0},  {7, 0xff}, {16, 0}, {16, 10}, {NAV_TILE_FILE_AREA_BYTES + 79, 'x'},
    };
    const nav_area_table t = made();
    nav_buffer file = {0};
    nav_tile_file_view v;
    file_of(&t, &file);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t *table = file.data + NAV_TILE_FILE_HEADER_BYTES, was = table[wrong[i].at];
        table[wrong[i].at] = wrong[i].value; // 7 above: the cost is 0, or no number
        if (wrong[i].at == 7) table[6] = wrong[i].value ? 0x80 : 0;
        nav_store_u64(file.data + 24, nav_tile_file_areas_checksum(table, t.count));
        ck_assert_msg(nav_tile_file_open(file.data, file.size, &v, why, sizeof why) == NAV_ERR_FORMAT, "%zu", i);
        table[wrong[i].at] = was;
        table[6] = 0;
    }
    nav_store_u64(file.data + 24, nav_tile_file_areas_checksum(file.data + 32, t.count));
    ck_assert_msg(nav_tile_file_open(file.data, file.size, &v, why, sizeof why) == NAV_OK, "%s", why);
    nav_buffer_deinit(&file);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("areas");
    TCase *t = tcase_create("areas");
    suite_add_tcase(s, t);
    tcase_add_test(t, a_table_has_each_area_once_by_id);
    tcase_add_test(t, a_table_that_is_none_is_refused_with_the_area);
    tcase_add_test(t, both_the_agent_and_the_table_must_allow_walking);
    tcase_add_test(t, a_file_keeps_the_table_and_its_tiles);
    tcase_add_test(t, a_file_without_a_table_is_of_the_first_version);
    tcase_add_test(t, every_prefix_and_every_changed_byte_of_the_table_is_an_error);
    tcase_add_test(t, a_table_that_means_nothing_is_refused);
    return run_suite(s);
}
