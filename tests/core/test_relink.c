// Links that are added to encoded tiles: the bytes are those of a build with the links, for all encodings, whatever
// links stood there before; and bytes that are no tile are refused.
#include "core/geometry/links.h"
#include "core/levels.h"
#include "core/tile/relink.h"
#include "tests/check.h"
#include "tests/golden/worlds.h"

#include <stdlib.h>
#include <string.h>

enum { LINKS = 5 };

typedef struct encoded {
    nav_key content;
    bool ground;
    nav_buffer navd, detour;
} encoded;

static nav_arena arena;

static void setup(void)
{
    nav_arena_init(&arena, 0);
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
}

static encoded build(const nav_tile_source *source)
{
    encoded e = {0};
    nav_tile tile;
    ck_assert_int_eq(nav_build_tile(source, NULL, NULL, &arena, &tile), NAV_OK);
    ck_assert_int_eq(nav_tile_encode(&tile, &e.navd), NAV_OK);
    ck_assert_int_eq(nav_detour_encode(&tile, &e.detour), NAV_OK);
    e.content = tile.content_key;
    e.ground = tile.polygons.count > 0;
    nav_arena_reset(&arena);
    return e;
}

static void encoded_deinit(encoded *e)
{
    nav_buffer_deinit(&e->navd);
    nav_buffer_deinit(&e->detour);
}

// Some in the tile, in no order, one beyond it, ends on all sides; one id twice.
static uint32_t make_links(const nav_tile_source *s, uint32_t count, nav_link *out)
{
    float side = s->settings->cell_size_m * (float)s->settings->tile_cells;
    float x = (float)s->settings->origin_m[0] + side * (float)s->tile_x;
    float z = (float)s->settings->origin_m[2] + side * (float)s->tile_z;
    for (uint32_t i = 0; i < count; i++) {
        float at = side * (0.1f + 0.19f * (float)i);
        out[i] = (nav_link){.id = i == 1 ? 40 : 40 - i,
                            .start = {x + at, 1, z + at},
                            .end = {x + at * 7 - 2 * side, 2, z + 3 * side - at * 6},
                            .radius_m = 0.5f,
                            .area = (uint8_t)(1 + i),
                            .both_ways = i & 1,
                            .flags = (uint16_t)(i + 1)};
    }
    if (count > 3) out[3].start[0] += 4 * side; // of another tile
    return count;
}

// Adds the source's links to an encoded tile and compares with the build that had them.
static void check_relinked(const encoded *from, nav_key bare, const nav_tile_source *source, const encoded *want)
{
    const nav_link *links[LINKS];
    uint32_t count = nav_links_collect(source, links);
    nav_key content = nav_links_content(bare, links, count);
    nav_buffer out = {0};
    ck_assert(nav_key_equal(content, want->content));
    ck_assert_int_eq(nav_tile_relink(from->navd.data, from->navd.size, content, links, count, &out), NAV_OK);
    ck_assert_uint_eq(out.size, want->navd.size);
    ck_assert_mem_eq(out.data, want->navd.data, out.size);
    out.size = 0;
    if (want->ground) {
        ck_assert_int_eq(nav_detour_relink(from->detour.data, from->detour.size, links, count, &out), NAV_OK);
        ck_assert_uint_eq(out.size, want->detour.size);
        ck_assert_mem_eq(out.data, want->detour.data, out.size);
    }
    nav_buffer_deinit(&out);
}

START_TEST(links_added_to_bytes_are_links_that_were_built_in)
{
    golden_world w;
    uint64_t linked = 0;
    golden_world_init(&w, _i);
    for (int32_t z = 0; z < w.tiles_z; z++) {
        for (int32_t x = 0; x < w.tiles_x; x++) {
            nav_link some[LINKS], others[LINKS];
            nav_tile_source none = golden_world_source(&w, x, z), with = none, other = none;
            none.link_count = 0;
            with.links = some;
            with.link_count = make_links(&none, LINKS, some);
            other.links = others;
            other.link_count = make_links(&none, 2, others);
            encoded a = build(&none), b = build(&with), c = build(&other);
            check_relinked(&a, a.content, &with, &b);
            check_relinked(&b, a.content, &none, &a); // and taken away
            check_relinked(&b, a.content, &other, &c);
            check_relinked(&c, a.content, &with, &b);
            linked += a.ground;
            encoded_deinit(&a);
            encoded_deinit(&b);
            encoded_deinit(&c);
        }
    }
    ck_assert_uint_gt(linked, 0);
    golden_world_deinit(&w);
}
END_TEST

START_TEST(what_is_no_tile_is_refused)
{
    golden_world w;
    nav_link link;
    golden_world_init(&w, 0);
    nav_tile_source source = golden_world_source(&w, 0, 0);
    encoded e = build(&source);
    source.links = &link;
    source.link_count = make_links(&source, 1, &link);
    const nav_link *links[1] = {&link};
    nav_buffer out = {0};
    e.navd.data[200]++;
    ck_assert_int_ne(nav_tile_relink(e.navd.data, e.navd.size, e.content, links, 1, &out), NAV_OK);
    ck_assert_int_ne(nav_detour_relink(e.detour.data, e.detour.size - 1, links, 1, &out), NAV_OK);
    const nav_link **many = malloc(NAV_DETOUR_MAX_POLYS * sizeof *many);
    for (int i = 0; i < NAV_DETOUR_MAX_POLYS; i++) many[i] = &link;
    ck_assert_int_eq(nav_detour_relink(e.detour.data, e.detour.size, many, NAV_DETOUR_MAX_POLYS, &out), NAV_ERR_LIMIT);
    ck_assert_uint_eq(out.size, 0);
    free(many);
    encoded_deinit(&e);
    golden_world_deinit(&w);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("relink");
    TCase *c = tcase_create("relink");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, links_added_to_bytes_are_links_that_were_built_in, 0, GOLDEN_WORLD_COUNT);
    tcase_add_test(c, what_is_no_tile_is_refused);
    suite_add_tcase(s, c);
    return run_suite(s);
}
