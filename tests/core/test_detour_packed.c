// Detour tiles packed and unpacked: the same bytes again, for made and for built tiles; any bytes are refused or give a
// tile that can be walked.
#include "core/base/endian.h"
#include "core/tile/detour.h"
#include "core/tile/detour_packed.h"
#include "tests/check.h"
#include "tests/core/tile_fixture.h"
#include "tests/core/tile_walk.h"
#include "tests/golden/worlds.h"

#include <stdlib.h>
#include <string.h>

enum { AS_IT_IS = 0 }; // form of a tile that could not be packed

static fixture fix;

static void make_floor(int32_t tile_x, int32_t tile_z, int32_t y)
{
    fixture_floor(&fix, tile_x, tile_z, y);
    fixture_number_by_use(&fix);
}

static nav_buffer encoded(const nav_tile *tile)
{
    nav_buffer b = {0};
    ck_assert_int_eq(nav_detour_encode(tile, &b), NAV_OK);
    return b;
}

static nav_buffer packed(const nav_buffer *tile, const nav_settings *settings)
{
    nav_buffer b = {0};
    ck_assert_int_eq(nav_detour_pack(tile->data, tile->size, settings, &b), NAV_OK);
    return b;
}

static void assert_comes_back(const nav_buffer *tile, const nav_buffer *pack)
{
    nav_buffer b = {0};
    ck_assert_int_eq(nav_buffer_append(&b, "ab", 2), NAV_OK); // what stands there stays
    ck_assert_int_eq(nav_detour_unpack(pack->data, pack->size, tile->size, &b), NAV_OK);
    ck_assert_uint_eq(b.size, tile->size + 2);
    ck_assert_mem_eq(b.data, "ab", 2);
    ck_assert_mem_eq(b.data + 2, tile->data, tile->size);
    nav_buffer_deinit(&b);
}

// Packs, unpacks and compares; the packed size.
static size_t round_trip(const nav_tile *tile, bool must_pack)
{
    nav_buffer b = encoded(tile);
    if (!b.size) return 0;
    nav_buffer p = packed(&b, tile->settings);
    size_t size = p.size;
    ck_assert_msg(!must_pack || p.data[0] != AS_IT_IS, "a tile of %zu bytes was not packed", b.size);
    assert_comes_back(&b, &p);
    nav_buffer_deinit(&p);
    nav_buffer_deinit(&b);
    return size;
}

START_TEST(tiles_made_by_hand_come_back)
{
    make_floor(-3, 7, 40);
    round_trip(&fix.tile, true);
    make_floor(1000000, -1000000, -900);
    round_trip(&fix.tile, true);
    const double origins[][3] = {{1, 2, 3}, {0, 0.1, 0}, {-1e5, 0, 1.0 / 3}};
    for (int i = 0; i < 3; i++) {
        make_floor(2, 1, 3);
        for (int a = 0; a < 3; a++) fix.settings.origin_m[a] = fix.tile.config.origin_m[a] = origins[i][a];
        round_trip(&fix.tile, true);
    }
}
END_TEST

START_TEST(off_mesh_links_come_back)
{
    make_floor(0, 0, 0);
    for (uint32_t k = 0; k < 3; k++)
        fixture_link(&fix, (nav_link){.id = 70 + k,
                                      .start = {1, 0, 1},
                                      .end = {2 + 5 * (float)k, 0.1f, 3},
                                      .radius_m = 0.5f,
                                      .area = (uint8_t)(9 + k),
                                      .both_ways = k & 1,
                                      .flags = (uint16_t)(0x8001 + k)});
    round_trip(&fix.tile, true);
}
END_TEST

START_TEST(walls_on_the_border_and_flags_of_areas_come_back)
{
    make_floor(0, 0, 0);
    fix.settings.area_flags[5] = 0xABCD;
    for (int k = 0; k < fix.first[3]; k++)
        if (fix.behind[k] < 0 && k % 2) fix.behind[k] = NAV_EDGE_WALL;
    round_trip(&fix.tile, true);
}
END_TEST

// Heights that are no whole voxels cannot be said in the streams.
START_TEST(what_cannot_be_packed_is_stored_as_it_is)
{
    make_floor(0, 0, 0);
    nav_buffer b = encoded(&fix.tile);
    nav_store_f32(b.data + NAV_DETOUR_HEADER_BYTES + 4, 0.123f);
    nav_buffer p = packed(&b, &fix.settings);
    ck_assert_uint_eq(p.data[0], AS_IT_IS);
    ck_assert_uint_eq(p.size, b.size + 1);
    assert_comes_back(&b, &p);
    nav_buffer_deinit(&p);

    const uint8_t junk[] = "no tile at all";
    b.size = 0;
    ck_assert_int_eq(nav_buffer_append(&b, junk, sizeof junk), NAV_OK);
    p = packed(&b, &fix.settings);
    assert_comes_back(&b, &p);
    nav_buffer_deinit(&p);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(built_tiles_pack_to_a_quarter)
{
    nav_arena arena;
    nav_arena_init(&arena, 0);
    for (int k = 0; k < GOLDEN_WORLD_COUNT; k++) {
        size_t tile_bytes = 0, packed_bytes = 0;
        golden_world w;
        golden_world_init(&w, k);
        // The units of surfaces are finer than the streams can say: their tiles are stored as they are.
        const bool packs = w.settings.generator == NAV_GENERATOR_VOXEL;
        for (int32_t i = 0; i < w.tiles_x * w.tiles_z; i++) {
            nav_tile tile;
            nav_tile_source source = golden_world_source(&w, i % w.tiles_x, i / w.tiles_x);
            nav_arena_reset(&arena);
            ck_assert_int_eq(nav_build_tile(&source, NULL, NULL, &arena, &tile), NAV_OK);
            packed_bytes += round_trip(&tile, packs);
            nav_buffer b = encoded(&tile);
            tile_bytes += b.size;
            nav_buffer_deinit(&b);
        }
        ck_assert_msg(!packs || 4 * packed_bytes < tile_bytes, "%s: %zu bytes packed of %zu", w.name, packed_bytes,
                      tile_bytes);
        golden_world_deinit(&w);
    }
    nav_arena_deinit(&arena);
}
END_TEST

// Unpacks from a block of exactly that size, so that a read beyond it shows.
static nav_status unpack_exactly(const uint8_t *bytes, size_t count, size_t size, nav_buffer *out)
{
    uint8_t *block = malloc(count ? count : 1);
    ck_assert_ptr_nonnull(block);
    memcpy(block, bytes, count);
    out->size = 0;
    nav_status s = nav_detour_unpack(block, count, size, out);
    if (s != NAV_OK) ck_assert_uint_eq(out->size, 0);
    free(block);
    return s;
}

START_TEST(no_prefix_of_a_packed_tile_is_a_tile)
{
    make_floor(3, -4, 5);
    nav_buffer b = encoded(&fix.tile), p = packed(&b, &fix.settings), out = {0};
    for (size_t n = 0; n < p.size; n++) ck_assert_int_ne(unpack_exactly(p.data, n, b.size, &out), NAV_OK);
    for (size_t size = 0; size < 2 * b.size; size++) // a size that leaves other room for links is another tile
        if (size < NAV_DETOUR_HEADER_BYTES || size % 12 != b.size % 12)
            ck_assert_int_ne(unpack_exactly(p.data, p.size, size, &out), NAV_OK);
    p.data[0] = 2;
    ck_assert_int_eq(unpack_exactly(p.data, p.size, b.size, &out), NAV_ERR_VERSION);
    nav_buffer_deinit(&out);
    nav_buffer_deinit(&p);
    nav_buffer_deinit(&b);
}
END_TEST

// Under UndefinedBehaviorSanitizer: a step of x that the place before it cannot take.
START_TEST(steps_of_any_size_are_refused)
{
    // A triangle: its flags, tile, counts, shape and corners; then x.
    const uint8_t bytes[] = {1, 32, 0, 0, 1, 3, 0, 4, 0, 0, 0, 2, 0xfe, 0xff, 0xff, 0xff, 15, 0, 0, 0, 0, 0, 0, 0, 0};
    nav_buffer out = {0};
    for (size_t size = 100; size < 1000; size++)
        ck_assert_int_eq(unpack_exactly(bytes, sizeof bytes, size, &out), NAV_ERR_FORMAT);
    nav_buffer_deinit(&out);
}
END_TEST

START_TEST(no_tile_is_larger_than_its_numbers_can_say)
{
    make_floor(0, 0, 0);
    nav_buffer b = encoded(&fix.tile), p = packed(&b, &fix.settings), out = {0};
    size_t size = b.size + 12 * ((size_t)1 << 40); // room for links without end
    ck_assert_int_eq(unpack_exactly(p.data, p.size, size, &out), NAV_ERR_FORMAT);
    nav_buffer_deinit(&out);
    nav_buffer_deinit(&p);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(any_bytes_are_refused_or_give_something_that_can_be_checked)
{
    make_floor(0, 0, 0);
    nav_buffer b = encoded(&fix.tile), p = packed(&b, &fix.settings), out = {0};
    uint32_t state = 1, kept = 0;
    for (int round = 0; round < 200000; round++) {
        uint8_t bytes[512];
        size_t count = p.size;
        ck_assert_uint_le(count, sizeof bytes);
        memcpy(bytes, p.data, count);
        for (int k = 0; k < 1 + round % 4; k++) {
            state = state * 1664525u + 1013904223u;
            bytes[(state >> 8) % count] = (uint8_t)(state >> 24);
        }
        if (unpack_exactly(bytes, count, b.size, &out) != NAV_OK) continue;
        kept++;
        nav_detour_view v;
        if (nav_detour_open(out.data, out.size, &v, NULL, 0) == NAV_OK) walk_detour(&v);
    }
    ck_assert_uint_gt(kept, 0);
    nav_buffer_deinit(&out);
    nav_buffer_deinit(&p);
    nav_buffer_deinit(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("detour_packed");
    TCase *t = tcase_create("packed");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, tiles_made_by_hand_come_back);
    tcase_add_test(t, off_mesh_links_come_back);
    tcase_add_test(t, walls_on_the_border_and_flags_of_areas_come_back);
    tcase_add_test(t, what_cannot_be_packed_is_stored_as_it_is);
    tcase_add_test(t, built_tiles_pack_to_a_quarter);
    tcase_add_test(t, no_prefix_of_a_packed_tile_is_a_tile);
    tcase_add_test(t, steps_of_any_size_are_refused);
    tcase_add_test(t, no_tile_is_larger_than_its_numbers_can_say);
    tcase_add_test(t, any_bytes_are_refused_or_give_something_that_can_be_checked);
    suite_add_tcase(s, t);
    return run_suite(s);
}
