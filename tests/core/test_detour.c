// Detour's tile and the files of many tiles, by their own readers. test_detour_judge asks Detour itself.
#include "core/base/endian.h"
#include "core/tile/detour.h"
#include "core/tile/mset.h"
#include "core/tile/tile_file.h"
#include "tests/check.h"
#include "tests/core/tile_fixture.h"
#include "tests/core/tile_walk.h"

#include <math.h>
#include <stdlib.h>

static fixture fix;
static char why[256];

static nav_link jump(float end_x, float end_z)
{
    return (nav_link){.id = 77,
                      .start = {1, 0, 1},
                      .end = {end_x, 0, end_z},
                      .radius_m = 0.5f,
                      .area = 9,
                      .both_ways = 1,
                      .flags = 0x8001};
}

static nav_buffer encoded(const fixture *f)
{
    nav_buffer b = {0};
    ck_assert_int_eq(nav_detour_encode(&f->tile, &b), NAV_OK);
    return b;
}

static nav_detour_view opened(const nav_buffer *b)
{
    nav_detour_view v;
    nav_status s = nav_detour_open(b->data, b->size, &v, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s: %s", nav_status_name(s), why);
    return v;
}

START_TEST(polygons_keep_their_order_neighbours_areas_and_flags)
{
    fixture_floor(&fix, -3, 7, 40);
    nav_buffer b = encoded(&fix);
    nav_detour_view v = opened(&b);
    ck_assert_int_eq(v.header.x, -3);
    ck_assert_int_eq(v.header.z, 7);
    ck_assert_int_eq(v.header.poly_count, 5);
    ck_assert_int_eq(v.header.vert_count, 9);
    nav_detour_poly p;
    nav_detour_get_poly(&v, 2, &p);
    ck_assert_uint_eq(p.area, 5);
    ck_assert_uint_eq(p.flags, 6);
    ck_assert_uint_eq(p.vert_count, 4);
    ck_assert_uint_eq(p.neighbour[0], NAV_DETOUR_PORTAL | 4); // (0,0)-(0,8): x-
    ck_assert_uint_eq(p.neighbour[1], 1);                     // polygon 0
    ck_assert_uint_eq(p.neighbour[2], 4);                     // polygon 3
    ck_assert_uint_eq(p.neighbour[3], NAV_DETOUR_PORTAL | 6);
    nav_detour_get_poly(&v, 1, &p);
    ck_assert_uint_eq(p.neighbour[1], NAV_DETOUR_PORTAL | 2);
    ck_assert_uint_eq(p.neighbour[2], NAV_DETOUR_PORTAL | 0);
    float at[3];
    nav_detour_get_vert(&v, 8, at);
    ck_assert_float_eq(at[0], -16);
    ck_assert_float_eq(at[1], 10);
    ck_assert_float_eq(at[2], 64);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(detail_is_kept_and_inside_of_the_bounds)
{
    fixture_floor(&fix, 0, 0, 0);
    nav_buffer b = encoded(&fix);
    nav_detour_view v = opened(&b);
    nav_detour_poly p;
    nav_detour_get_poly(&v, 0, &p);
    ck_assert_uint_eq(p.detail_vert_count, 1);
    ck_assert_uint_eq(p.detail_tri_count, 4);
    float tri[3][3];
    uint8_t flags;
    nav_detour_get_triangle(&v, &p, 3, tri, &flags);
    ck_assert_float_eq(tri[2][0], 2.0f);
    ck_assert_float_eq(tri[2][1], 0.5f);
    ck_assert_float_eq(tri[2][2], 6.0f);
    ck_assert_uint_eq(flags, 1);
    ck_assert_float_le(v.header.min[1], 0);
    ck_assert_float_ge(v.header.max[1], 0.5f);
    ck_assert_float_eq(v.header.min[0], 0);
    ck_assert_float_eq(v.header.max[0], 8);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(links_come_last_and_know_where_they_end)
{
    const struct {
        float x, z;
        uint8_t side;
    } ends[] = {{4, 4, 0xFF}, {8, 4, 0},   {9, 900, 1}, {4, 8, 2}, {-1, 9, 3},
                {-700, 4, 4}, {-1, -1, 5}, {4, -1, 6},  {8, -1, 7}};
    enum { COUNT = sizeof ends / sizeof *ends };
    fixture_floor(&fix, 0, 0, 0);
    for (int k = 0; k < COUNT; k++) fixture_link(&fix, jump(ends[k].x, ends[k].z));
    nav_buffer b = encoded(&fix);
    nav_detour_view v = opened(&b);
    ck_assert_int_eq(v.header.poly_count, 5 + COUNT);
    ck_assert_int_eq(v.header.off_mesh_base, 5);
    for (int k = 0; k < COUNT; k++) {
        nav_detour_link link;
        nav_detour_get_link(&v, (uint32_t)k, &link);
        ck_assert_msg(link.side == ends[k].side, "link %d has side %d, not %d", k, link.side, ends[k].side);
        ck_assert_uint_eq(link.poly, 5 + k);
        ck_assert_uint_eq(link.user_id, 77);
        ck_assert_uint_eq(link.flags, 1);
        nav_detour_poly p;
        nav_detour_get_poly(&v, link.poly, &p);
        ck_assert_uint_eq(p.type, NAV_DETOUR_OFF_MESH);
        ck_assert_uint_eq(p.area, 9);
        ck_assert_uint_eq(p.flags, 0x8001);
        float at[3];
        nav_detour_get_vert(&v, p.vert[1], at);
        ck_assert_float_eq(at[0], ends[k].x);
    }
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(a_tile_without_polygons_makes_no_bytes)
{
    fixture_init(&fix, 0, 0);
    fixture_link(&fix, jump(1, 1));
    nav_buffer b = encoded(&fix);
    ck_assert_uint_eq(b.size, 0);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(what_16_bits_cannot_hold_is_a_limit)
{
    fixture_floor(&fix, 0, 0, 0);
    nav_buffer b = {0};
    fix.tile.polygons.vert_count = NAV_DETOUR_MAX_VERTS + 1;
    ck_assert_int_eq(nav_detour_encode(&fix.tile, &b), NAV_ERR_LIMIT);
    fix.tile.polygons.vert_count = 9;
    fix.tile.link_count = NAV_DETOUR_MAX_POLYS - 4;
    ck_assert_int_eq(nav_detour_encode(&fix.tile, &b), NAV_ERR_LIMIT);
    fix.tile.link_count = 0;
    fix.vert_first[1] = 252; // and four corners
    ck_assert_int_eq(nav_detour_encode(&fix.tile, &b), NAV_ERR_LIMIT);
    ck_assert_uint_eq(b.size, 0);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(a_tile_too_tall_for_the_tree_goes_without_and_keeps_its_links)
{
    fixture_floor(&fix, 0, 0, 0);
    fixture_link(&fix, jump(4, 4));
    fix.y[0] = 200000; // 50 km
    nav_buffer b = encoded(&fix);
    nav_detour_view v = opened(&b);
    ck_assert_int_eq(v.header.bv_node_count, 0);
    nav_detour_link link;
    nav_detour_get_link(&v, 0, &link);
    ck_assert_uint_eq(link.user_id, 77);
    nav_buffer_deinit(&b);
}
END_TEST

// Steps of unequal height and size on a grid: many equal keys, some unequal.
static void checkered(int side)
{
    fixture_init(&fix, 0, 0);
    for (int z = 0; z <= side; z++)
        for (int x = 0; x <= side; x++) fixture_vert(&fix, x, (x * 7 + z * 5) % 11, z);
    for (int z = 0; z < side; z++) {
        for (int x = 0; x < side; x++) {
            int32_t v = z * (side + 1) + x;
            fixture_poly(&fix, 63, 4, (int32_t[]){v, v + side + 1, v + side + 2, v + 1});
        }
    }
    fixture_finish(&fix);
}

START_TEST(every_tree_node_encloses_its_subtree_and_every_polygon_is_in_one_leaf)
{
    checkered(16);
    nav_buffer b = encoded(&fix);
    nav_detour_view v = opened(&b);
    ck_assert_int_eq(v.header.bv_node_count, 2 * 256 - 1);
    bool seen[256] = {false};
    for (int32_t i = 0; i < v.header.bv_node_count; i++) {
        nav_detour_node node, inner;
        nav_detour_get_node(&v, (uint32_t)i, &node);
        if (node.index >= 0) {
            ck_assert(!seen[node.index]);
            seen[node.index] = true;
            continue;
        }
        for (int32_t k = i + 1; k < i - node.index; k++) {
            nav_detour_get_node(&v, (uint32_t)k, &inner);
            for (int a = 0; a < 3; a++) {
                ck_assert_uint_le(node.min[a], inner.min[a]);
                ck_assert_uint_ge(node.max[a], inner.max[a]);
            }
        }
    }
    for (int p = 0; p < 256; p++) ck_assert_msg(seen[p], "polygon %d is in no leaf", p);
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(every_prefix_is_an_error)
{
    fixture_floor(&fix, 1, 2, 3);
    fixture_link(&fix, jump(4, 4));
    nav_buffer b = encoded(&fix);
    for (size_t n = 0; n < b.size; n++) {
        uint8_t *prefix = malloc(n ? n : 1);
        memcpy(prefix, b.data, n);
        nav_status s = nav_detour_check(prefix, n, why, sizeof why);
        ck_assert_msg(s == NAV_ERR_TRUNCATED, "prefix of %zu bytes: %s", n, nav_status_name(s));
        free(prefix);
    }
    nav_buffer_deinit(&b);
}
END_TEST

START_TEST(a_mutation_is_an_error_or_a_tile_that_can_be_walked)
{
    fixture_floor(&fix, 1, 2, 3);
    fixture_link(&fix, jump(4, 4));
    nav_buffer b = encoded(&fix);
    int valid = 0, refused = 0;
    for (size_t i = 0; i < b.size; i++) {
        uint8_t was = b.data[i];
        for (int value = 0; value < 256; value++) {
            b.data[i] = (uint8_t)value;
            nav_detour_view v;
            if (nav_detour_open(b.data, b.size, &v, why, sizeof why) == NAV_OK) {
                walk_detour(&v);
                valid++;
            } else {
                refused++;
            }
        }
        b.data[i] = was;
    }
    ck_assert_int_gt(valid, 0);
    ck_assert_int_gt(refused, 0);
    nav_buffer_deinit(&b);
}
END_TEST

// Writes a value into the encoded floor at an offset, and expects a refusal that speaks of it.
static void expect_refusal(size_t at, uint32_t value, const char *words)
{
    fixture_floor(&fix, 0, 0, 0);
    fixture_link(&fix, jump(4, 4));
    nav_buffer b = encoded(&fix);
    nav_store_u32(b.data + at, value);
    ck_assert_int_eq(nav_detour_check(b.data, b.size, why, sizeof why), NAV_ERR_FORMAT);
    ck_assert_msg(strstr(why, words) != NULL, "\"%s\" says nothing of \"%s\"", why, words);
    nav_buffer_deinit(&b);
}

START_TEST(the_reader_refuses_what_detour_would_follow_out_of_bounds)
{
    const size_t verts = 100, polys = verts + 11 * 12;
    fixture_floor(&fix, 0, 0, 0);
    fixture_link(&fix, jump(4, 4));
    nav_buffer b = encoded(&fix);
    nav_detour_view v = opened(&b);
    const size_t meshes = (size_t)(v.detail_meshes - b.data), tris = (size_t)(v.detail_tris - b.data);
    const size_t nodes = (size_t)(v.bv_nodes - b.data), links = (size_t)(v.off_mesh - b.data);
    nav_buffer_deinit(&b);
    uint32_t nan_bits;
    float nan = NAN;
    memcpy(&nan_bits, &nan, 4);

    expect_refusal(0, 1, "not a Detour tile");
    expect_refusal(32, 0, "room for 0 links");
    expect_refusal(96, nan_bits, "bits"); // tree steps
    expect_refusal(72, nan_bits, "bounds");
    expect_refusal(verts + 4, nan_bits, "vertex 0");
    expect_refusal(polys + 4, 11, "vertex 11");
    expect_refusal(polys + 16, 6 | 6u << 16, "neighbour code 6");          // of five ground polygons
    expect_refusal(polys + 16, 0x8003 | 6u << 16, "neighbour code 32771"); // no border lies on a diagonal
    expect_refusal(polys + 28, 1 | 7u << 16, "7 vertices");
    expect_refusal(polys + 28, 1 | 4u << 16 | 0x40u << 24, "type 1");
    expect_refusal(meshes, 1, "leaves its arrays");
    expect_refusal(tris, 0 | 1u << 8 | 5u << 16 | 1u << 24, "vertex 5"); // four corners and one extra
    expect_refusal(nodes + 12, (uint32_t)-10, "tree node 0");
    expect_refusal(nodes + 12, 5, "tree node 0");
    expect_refusal(links + 28, 4, "polygon 4");
}
END_TEST

START_TEST(the_reader_refuses_a_polygon_without_a_boundary_edge)
{
    fixture_floor(&fix, 0, 0, 0);
    for (int t = 0; t < 4; t++) fix.tri[t][3] = 0;
    nav_buffer b = encoded(&fix);
    ck_assert_int_eq(nav_detour_check(b.data, b.size, why, sizeof why), NAV_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(why, "boundary"));
    nav_buffer_deinit(&b);
}
END_TEST

enum { TILES = 6 };

// Six tiles in an order that is not the file's.
static void make_tiles(nav_buffer bytes[TILES], bool detour)
{
    for (int i = 0; i < TILES; i++) {
        fixture_floor(&fix, (i * 5) % 3 - 1, 1 - i / 3, i);
        bytes[i] = (nav_buffer){0};
        ck_assert_int_eq(detour ? nav_detour_encode(&fix.tile, &bytes[i]) : nav_tile_encode(&fix.tile, &bytes[i]),
                         NAV_OK);
    }
}

static void mset_of(nav_buffer *out)
{
    nav_buffer bytes[TILES];
    nav_mset_tile tiles[TILES] = {0};
    make_tiles(bytes, true);
    for (int i = 0; i < TILES; i++) {
        tiles[i].bytes = bytes[i].data;
        tiles[i].size = bytes[i].size;
        ck_assert_int_eq(nav_mset_describe(&tiles[i], why, sizeof why), NAV_OK);
    }
    ck_assert_int_eq(nav_mset_write(&fix.settings, tiles, TILES, out, why, sizeof why), NAV_OK);
    for (int i = 0; i < TILES; i++) nav_buffer_deinit(&bytes[i]);
}

START_TEST(the_multi_tile_file_holds_its_tiles_in_order)
{
    nav_buffer file = {0};
    mset_of(&file);
    nav_mset_view v;
    ck_assert_int_eq(nav_mset_open(file.data, file.size, &v, why, sizeof why), NAV_OK);
    ck_assert_uint_eq(v.tile_count, TILES);
    ck_assert_float_eq(v.tile_width, 8);
    ck_assert_int_eq(v.max_tiles, 8);
    ck_assert_int_eq(v.max_polys, 1 << 19);
    nav_mset_tile t;
    int seen = 0;
    for (size_t at = 0; nav_mset_next(&v, &at, &t); seen++) {
        ck_assert_int_eq(t.x, seen % 3 - 1);
        ck_assert_int_eq(t.z, seen / 3);
        ck_assert_uint_eq(t.ref, 1u << 22 | (uint32_t)seen << 19);
        ck_assert_uint_eq(t.poly_count, 5);
    }
    ck_assert_int_eq(seen, TILES);
    nav_buffer_deinit(&file);
}
END_TEST

START_TEST(tiles_and_polygons_that_do_not_fit_a_reference_are_a_limit_with_numbers)
{
    enum { MANY = 1 << 13 };
    nav_mset_tile *tiles = calloc(MANY, sizeof *tiles);
    for (int i = 0; i < MANY; i++) tiles[i] = (nav_mset_tile){.bytes = (const uint8_t *)"", .x = i, .poly_count = 5};
    tiles[17].poly_count = 512;
    nav_buffer out = {0};
    fixture_init(&fix, 0, 0);
    ck_assert_int_eq(nav_mset_write(&fix.settings, tiles, MANY, &out, why, sizeof why), NAV_OK);
    tiles[17].poly_count = 513;
    ck_assert_int_eq(nav_mset_write(&fix.settings, tiles, MANY, &out, why, sizeof why), NAV_ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(why, "8192"));
    ck_assert_ptr_nonnull(strstr(why, "513"));
    tiles[17].x = 16;
    tiles[17].poly_count = 1;
    ck_assert_int_eq(nav_mset_write(&fix.settings, tiles, MANY, &out, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_int_eq(nav_mset_write(&fix.settings, tiles, 0, &out, why, sizeof why), NAV_ERR_ARGUMENT);
    free(tiles);
    nav_buffer_deinit(&out);
}
END_TEST

START_TEST(every_prefix_of_a_multi_tile_file_is_an_error)
{
    nav_buffer file = {0};
    mset_of(&file);
    nav_mset_view v;
    for (size_t n = 0; n < file.size; n++) {
        uint8_t *prefix = malloc(n ? n : 1);
        memcpy(prefix, file.data, n);
        ck_assert_int_ne(nav_mset_open(prefix, n, &v, why, sizeof why), NAV_OK);
        free(prefix);
    }
    for (size_t i = 0; i < 48; i++) { // header and first record
        uint8_t was = file.data[i];
        for (int value = 0; value < 256; value++) {
            file.data[i] = (uint8_t)value;
            if (nav_mset_open(file.data, file.size, &v, why, sizeof why) == NAV_OK) walk_mset(&v);
        }
        file.data[i] = was;
    }
    nav_buffer_deinit(&file);
}
END_TEST

static void tile_file_of(nav_buffer *out)
{
    nav_buffer bytes[TILES];
    nav_tile_file_tile tiles[TILES] = {0};
    make_tiles(bytes, false);
    for (int i = 0; i < TILES; i++) {
        ck_assert_int_eq(nav_tile_set_revision(bytes[i].data, bytes[i].size, (uint64_t)i), NAV_OK);
        tiles[i].bytes = bytes[i].data;
        tiles[i].size = (uint32_t)bytes[i].size;
        tiles[i].profile = i == 2;
        ck_assert_int_eq(nav_tile_file_describe(&tiles[i], why, sizeof why), NAV_OK);
    }
    ck_assert_int_eq(nav_tile_file_write(tiles, TILES, NULL, out, why, sizeof why), NAV_OK);
    tiles[1] = tiles[0];
    nav_buffer none = {0};
    ck_assert_int_eq(nav_tile_file_write(tiles, TILES, NULL, &none, why, sizeof why), NAV_ERR_ARGUMENT);
    for (int i = 0; i < TILES; i++) nav_buffer_deinit(&bytes[i]);
}

START_TEST(the_tile_file_holds_its_tiles_by_profile_and_place)
{
    nav_buffer file = {0};
    tile_file_of(&file);
    nav_tile_file_view v;
    nav_status s = nav_tile_file_open(file.data, file.size, &v, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
    ck_assert_uint_eq(v.tile_count, TILES);
    nav_tile_file_tile t;
    nav_tile_file_get(&v, TILES - 1, &t);
    ck_assert_uint_eq(t.profile, 1);
    ck_assert_uint_eq(t.revision, 2);
    nav_tile_view tile;
    ck_assert_int_eq(nav_tile_open(t.bytes, t.size, &tile, why, sizeof why), NAV_OK);
    ck_assert_int_eq(tile.tile_x, t.x);
    walk_tile_file(&v);
    nav_buffer_deinit(&file);
}
END_TEST

START_TEST(every_prefix_and_record_mutation_of_a_tile_file_is_an_error)
{
    nav_buffer file = {0};
    tile_file_of(&file);
    nav_tile_file_view v;
    for (size_t n = 0; n < file.size; n++) {
        uint8_t *prefix = malloc(n ? n : 1);
        memcpy(prefix, file.data, n);
        ck_assert_int_eq(nav_tile_file_open(prefix, n, &v, why, sizeof why), NAV_ERR_TRUNCATED);
        free(prefix);
    }
    for (size_t i = 0; i < NAV_TILE_FILE_HEADER_BYTES + TILES * NAV_TILE_FILE_RECORD_BYTES; i++) {
        bool profile =
            i >= NAV_TILE_FILE_HEADER_BYTES && (i - NAV_TILE_FILE_HEADER_BYTES) % NAV_TILE_FILE_RECORD_BYTES / 4 == 2;
        if (profile) continue; // any number is one
        file.data[i] ^= 0x10;
        ck_assert_msg(nav_tile_file_open(file.data, file.size, &v, why, sizeof why) != NAV_OK, "byte %zu", i);
        file.data[i] ^= 0x10;
    }
    nav_buffer_deinit(&file);
}
END_TEST

START_TEST(an_empty_tile_file_is_a_file)
{
    nav_buffer file = {0};
    ck_assert_int_eq(nav_tile_file_write(NULL, 0, NULL, &file, why, sizeof why), NAV_OK);
    nav_tile_file_view v;
    ck_assert_int_eq(nav_tile_file_open(file.data, file.size, &v, why, sizeof why), NAV_OK);
    ck_assert_uint_eq(v.tile_count, 0);
    nav_buffer_deinit(&file);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("detour");
    TCase *t = tcase_create("tile");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, polygons_keep_their_order_neighbours_areas_and_flags);
    tcase_add_test(t, detail_is_kept_and_inside_of_the_bounds);
    tcase_add_test(t, links_come_last_and_know_where_they_end);
    tcase_add_test(t, a_tile_without_polygons_makes_no_bytes);
    tcase_add_test(t, what_16_bits_cannot_hold_is_a_limit);
    tcase_add_test(t, a_tile_too_tall_for_the_tree_goes_without_and_keeps_its_links);
    tcase_add_test(t, every_tree_node_encloses_its_subtree_and_every_polygon_is_in_one_leaf);
    tcase_add_test(t, every_prefix_is_an_error);
    tcase_add_test(t, a_mutation_is_an_error_or_a_tile_that_can_be_walked);
    tcase_add_test(t, the_reader_refuses_what_detour_would_follow_out_of_bounds);
    tcase_add_test(t, the_reader_refuses_a_polygon_without_a_boundary_edge);
    suite_add_tcase(s, t);
    t = tcase_create("files");
    tcase_set_timeout(t, 900);
    tcase_add_test(t, the_multi_tile_file_holds_its_tiles_in_order);
    tcase_add_test(t, tiles_and_polygons_that_do_not_fit_a_reference_are_a_limit_with_numbers);
    tcase_add_test(t, every_prefix_of_a_multi_tile_file_is_an_error);
    tcase_add_test(t, the_tile_file_holds_its_tiles_by_profile_and_place);
    tcase_add_test(t, every_prefix_and_record_mutation_of_a_tile_file_is_an_error);
    tcase_add_test(t, an_empty_tile_file_is_a_file);
    suite_add_tcase(s, t);
    return run_suite(s);
}
