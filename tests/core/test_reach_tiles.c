// Parts, packing and masks on tiles as the pipeline builds them: the worlds that the golden test pins.
#include "core/reach/mask.h"
#include "core/reach/packed.h"
#include "core/reach/reach.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"
#include "tests/check.h"
#include "tests/core/scene.h"
#include "tests/golden/worlds.h"

#include <stdlib.h>
#include <string.h>

static golden_world world;
static nav_arena arena;
static nav_buffer own, detour;

static void setup(void)
{
    nav_arena_init(&arena, 0);
    own = detour = (nav_buffer){0};
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
    nav_buffer_deinit(&own);
    nav_buffer_deinit(&detour);
}

static void encode(const nav_tile *t, nav_buffer *navd, nav_buffer *bin)
{
    navd->size = bin->size = 0;
    ck_assert_int_eq(nav_tile_encode(t, navd), NAV_OK);
    ck_assert_int_eq(nav_detour_encode(t, bin), NAV_OK);
}

// Calls look for every tile of golden world k.
static void each_tile(int k, void (*look)(const nav_tile *tile, uint32_t *random))
{
    uint32_t random = 99;
    golden_world_init(&world, k);
    for (int32_t z = 0; z < world.tiles_z; z++)
        for (int32_t x = 0; x < world.tiles_x; x++) {
            nav_tile tile;
            nav_tile_source source = golden_world_source(&world, x, z);
            nav_arena_reset(&arena);
            ck_assert_int_eq(nav_build_tile(&source, NULL, &(nav_hooks){.unit = world.unit}, &arena, &tile), NAV_OK);
            look(&tile, &random);
        }
    golden_world_deinit(&world);
}

static void unpack_and_compare(const nav_tile *tile, uint32_t *random)
{
    (void)random;
    nav_buffer packed = {0}, own_again = {0}, detour_again = {0};
    nav_tile again;
    ck_assert_int_eq(nav_tile_pack(tile, &packed), NAV_OK);
    uint8_t *moved = malloc(packed.size + 1); // at an odd address, and gone before it is used
    memcpy(moved + 1, packed.data, packed.size);
    ck_assert_int_eq(nav_tile_unpack(moved + 1, packed.size, tile->settings, &arena, &again), NAV_OK);
    ck_assert(!again.contours.loop_count && !again.regions.count && !again.field.span_count);
    free(moved);
    encode(tile, &own, &detour);
    encode(&again, &own_again, &detour_again);
    ck_assert_uint_eq(own.size, own_again.size);
    ck_assert_uint_eq(detour.size, detour_again.size);
    ck_assert_mem_eq(own.data, own_again.data, own.size);
    if (detour.size) ck_assert_mem_eq(detour.data, detour_again.data, detour.size);
    nav_buffer_deinit(&packed);
    nav_buffer_deinit(&own_again);
    nav_buffer_deinit(&detour_again);
}

START_TEST(a_packed_tile_gives_the_same_bytes_in_both_encodings)
{
    each_tile(_i, unpack_and_compare);
}
END_TEST

static nav_parts *parts_of(const nav_tile *tile)
{
    nav_parts *parts;
    ck_assert_int_eq(nav_parts_create(tile, &arena, &parts), NAV_OK);
    return parts;
}

// In columns, what is left of one dropped.
static int64_t doubled_area(const nav_tile *tile)
{
    const nav_polygons *p = &tile->polygons;
    int64_t sum = 0;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = p->first[i], end = p->first[i + 1]; k < end; k++) {
            int32_t a = p->vert[k], b = p->vert[k + 1 < end ? k + 1 : p->first[i]];
            sum += (int64_t)p->x[b] * p->z[a] - (int64_t)p->x[a] * p->z[b];
        }
    return sum / (tile->config.unit * tile->config.unit);
}

// Areas are whole where corners are those of columns; elsewhere each part may have dropped a part of a column.
static void assert_area(const nav_tile *tile, int64_t sum, uint32_t parts)
{
    const int64_t room = tile->settings->generator == NAV_GENERATOR_VOXEL ? 0 : parts;
    const int64_t area = doubled_area(tile);
    ck_assert_msg(area >= sum && area <= sum + room, "%lld instead of %lld to %lld", (long long)area, (long long)sum,
                  (long long)(sum + room));
}

// Corners of a cell as one number that does not depend on how vertices are numbered.
static nav_key shape_of(const nav_tile_view *v, uint32_t c)
{
    nav_tile_cell cell;
    nav_key sum = {0, 0};
    nav_tile_get_cell(v, c, &cell);
    for (uint32_t k = 0; k < cell.corner_count; k++) {
        nav_tile_corner corner;
        int32_t at[4] = {0};
        nav_tile_get_corner(v, cell.first_corner + k, &corner);
        nav_tile_get_vert(v, corner.vert, at);
        at[3] = corner.behind < 0 ? (int32_t)corner.behind : 0;
        sum = nav_key_add(sum, nav_key_of(at, sizeof at));
    }
    for (uint32_t k = 0; k < cell.triangle_count; k++) {
        uint32_t tri[3];
        float at[9];
        nav_tile_get_triangle(v, cell.first_triangle + k, tri);
        for (int i = 0; i < 3; i++) nav_tile_get_place(v, tri[i], at + 3 * i);
        sum = nav_key_add(sum, nav_key_of(at, sizeof at));
    }
    return sum;
}

static nav_key shapes_of(const nav_tile_view *v)
{
    nav_key sum = {0, 0};
    for (uint32_t c = 0; c < v->cell_count; c++) sum = nav_key_add(sum, shape_of(v, c));
    return sum;
}

static void open_both(const nav_tile *tile, nav_tile_view *view, nav_detour_view *bin)
{
    char why[256];
    encode(tile, &own, &detour);
    ck_assert_msg(nav_tile_open(own.data, own.size, view, why, sizeof why) == NAV_OK, "%s", why);
    *bin = (nav_detour_view){0};
    if (detour.size)
        ck_assert_msg(nav_detour_open(detour.data, detour.size, bin, why, sizeof why) == NAV_OK, "%s", why);
}

// A mask and its opposite share the tile out between them: every cell, every triangle, all area, once.
static void drop_and_opposite(const nav_tile *tile, uint32_t *random)
{
    nav_parts *parts = parts_of(tile);
    nav_tile_view view;
    nav_detour_view bin;
    uint8_t off[2][256];
    ck_assert_uint_lt(parts->count, 256);
    open_both(tile, &view, &bin);
    nav_key whole = shapes_of(&view), halves = {0, 0};
    uint32_t triangles = view.triangle_count, cells = 0;
    int32_t polys = 0;
    int64_t area = 0;
    for (uint32_t i = 0; i < parts->count; i++) off[1][i] = !(off[0][i] = scene_random(random) % 2);
    for (int h = 0; h < 2; h++) {
        nav_tile masked;
        int64_t expected = 0;
        ck_assert_int_eq(nav_tile_mask(tile, off[h], parts->count, NAV_UNREACHABLE_DROP, &arena, &masked), NAV_OK);
        for (uint32_t i = 0; i < parts->count; i++) expected += off[h][i] ? 0 : parts->doubled_area[i];
        assert_area(&masked, expected, parts->count);
        open_both(&masked, &view, &bin);
        halves = nav_key_add(halves, shapes_of(&view));
        cells += view.cell_count;
        triangles -= view.triangle_count;
        polys += masked.polygons.count;
        area += expected;
        bool changed = memchr(off[h], 1, parts->count) != NULL;
        ck_assert_int_eq(nav_key_equal(masked.content_key, tile->content_key), !changed);
        ck_assert(nav_key_equal(masked.content_key, view.content_key));
    }
    ck_assert(nav_key_equal(whole, halves));
    ck_assert_int_eq(cells, tile->polygons.cell_count);
    ck_assert_int_eq(polys, tile->polygons.count);
    ck_assert_uint_eq(triangles, 0);
    assert_area(tile, area, 2 * parts->count);
    nav_parts_unref(parts);
}

START_TEST(what_a_mask_drops_its_opposite_keeps_unchanged)
{
    each_tile(_i, drop_and_opposite);
}
END_TEST

static void flag_some(const nav_tile *tile, uint32_t *random)
{
    nav_parts *parts = parts_of(tile);
    nav_tile_view view;
    nav_detour_view bin;
    nav_tile masked;
    uint8_t off[256];
    int32_t *part;
    uint32_t count;
    if (!parts->count) {
        nav_parts_unref(parts);
        return;
    }
    for (uint32_t i = 0; i < parts->count; i++) off[i] = scene_random(random) % 2;
    open_both(tile, &view, &bin);
    nav_key before = shapes_of(&view);
    ck_assert_int_eq(nav_tile_mask(tile, off, parts->count, NAV_UNREACHABLE_FLAG, &arena, &masked), NAV_OK);
    ck_assert_int_eq(nav_parts_of_polygons(&tile->polygons, &arena, &part, &count), NAV_OK);
    ck_assert_uint_eq(count, parts->count);
    open_both(&masked, &view, &bin);
    nav_key after = shapes_of(&view);
    ck_assert(nav_key_equal(before, after));
    for (uint32_t c = 0; c < view.cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_get_cell(&view, c, &cell);
        bool marked = cell.flags & NAV_CELL_UNREACHABLE;
        ck_assert_int_eq(marked, off[part[tile->polygons.cell_poly[c]]]);
    }
    for (int32_t p = 0; p < tile->polygons.count; p++) {
        nav_detour_poly poly;
        nav_detour_get_poly(&bin, (uint32_t)p, &poly);
        ck_assert_int_eq(poly.area, tile->polygons.area[p]);
        ck_assert_int_eq(poly.flags, off[part[p]] ? 0 : tile->settings->area_flags[poly.area]);
    }
    nav_parts_unref(parts);
}

START_TEST(flagged_ground_keeps_its_shape_and_loses_its_flags)
{
    each_tile(_i, flag_some);
}
END_TEST

static void mask_links(const nav_tile *tile, uint32_t *random)
{
    (void)random;
    nav_parts *parts = parts_of(tile);
    nav_tile masked;
    uint8_t off[256];
    memset(off, 1, sizeof off);
    if (tile->link_count && parts->count) {
        ck_assert_uint_gt(parts->link_count, 0); // the golden world's links start on ground
        ck_assert_int_eq(nav_tile_mask(tile, off, parts->count, NAV_UNREACHABLE_FLAG, &arena, &masked), NAV_OK);
        ck_assert_uint_eq(masked.link_count, tile->link_count);
        ck_assert_int_eq(masked.links[0]->flags, 0);
        ck_assert_int_eq(nav_tile_mask(tile, off, parts->count, NAV_UNREACHABLE_DROP, &arena, &masked), NAV_OK);
        ck_assert_uint_eq(masked.link_count, tile->link_count - parts->link_count);
        ck_assert_int_eq(masked.polygons.count, 0);
    }
    nav_parts_unref(parts);
}

START_TEST(links_go_with_the_ground_they_start_on)
{
    each_tile(2, mask_links);
}
END_TEST

// The middle of a polygon's first height triangle: outline units, voxels.
static void middle_of(const nav_tile *tile, int32_t poly, double at[3])
{
    const nav_polygons *p = &tile->polygons;
    const nav_detail *d = &tile->detail;
    int32_t corners = p->first[poly + 1] - p->first[poly];
    ck_assert_int_gt(d->tri_first[poly + 1], d->tri_first[poly]);
    at[0] = at[1] = at[2] = 0;
    for (int k = 0; k < 3; k++) {
        int32_t local = d->tri[d->tri_first[poly]][k], extra = d->vert_first[poly] + local - corners;
        int32_t v = local < corners ? p->vert[p->first[poly] + local] : 0;
        at[0] += (local < corners ? (double)p->x[v] : (double)d->x[extra]) / 3;
        at[1] += (local < corners ? (double)p->y[v] : (double)d->y[extra]) / 3;
        at[2] += (local < corners ? (double)p->z[v] : (double)d->z[extra]) / 3;
    }
}

static void find_middles(const nav_tile *tile, uint32_t *random)
{
    (void)random;
    int32_t *part;
    uint32_t count;
    ck_assert_int_eq(nav_parts_of_polygons(&tile->polygons, &arena, &part, &count), NAV_OK);
    const nav_config *c = &tile->config;
    for (int32_t i = 0; i < tile->polygons.count; i++) {
        double at[3], distance2;
        nav_place_query q = {.radius_m = 0.5f, .height_m = 1};
        middle_of(tile, i, at);
        q.at[0] = (float)(c->origin_m[0] + ((double)c->tile_x * c->tile_units + at[0]) * c->unit_size_m);
        q.at[1] = (float)(c->origin_m[1] + at[1] * c->cell_height_m);
        q.at[2] = (float)(c->origin_m[2] + ((double)c->tile_z * c->tile_units + at[2]) * c->unit_size_m);
        // Surfaces may pass through each other, as a ramp that begins below the floor does: one of them is found.
        const int32_t found = nav_parts_find(tile, part, &q, &distance2);
        if (tile->settings->generator == NAV_GENERATOR_VOXEL)
            ck_assert_int_eq(found, part[i]);
        else
            ck_assert_int_ge(found, 0);
        ck_assert(distance2 < 1e-6);
        q.at[1] += 400;
        ck_assert_int_eq(nav_parts_find(tile, part, &q, &distance2), -1);
    }
}

START_TEST(the_middle_of_a_polygon_is_found_in_its_part)
{
    each_tile(_i, find_middles);
}
END_TEST

START_TEST(every_border_edge_has_its_partner_in_the_neighbour)
{
    golden_world_init(&world, _i);
    nav_parts *parts[16][16] = {{NULL}};
    ck_assert(world.tiles_x <= 16 && world.tiles_z <= 16);
    for (int32_t z = 0; z < world.tiles_z; z++)
        for (int32_t x = 0; x < world.tiles_x; x++) {
            nav_tile tile;
            nav_tile_source source = golden_world_source(&world, x, z);
            nav_arena_reset(&arena);
            ck_assert_int_eq(nav_build_tile(&source, NULL, &(nav_hooks){.unit = world.unit}, &arena, &tile), NAV_OK);
            parts[z][x] = parts_of(&tile);
        }
    uint32_t edges = 0;
    for (int32_t z = 0; z < world.tiles_z; z++)
        for (int32_t x = 0; x < world.tiles_x; x++)
            for (int side = 0; side < 2; side++) {
                if (x + !side >= world.tiles_x || z + side >= world.tiles_z) continue;
                const nav_parts *p = parts[z][x], *q = parts[z + side][x + !side];
                uint32_t n = p->edge_first[side + 1] - p->edge_first[side];
                ck_assert_uint_eq(n, q->edge_first[side + 3] - q->edge_first[side + 2]);
                for (uint32_t k = 0; k < n; k++, edges++) {
                    const nav_border_edge *a = &p->edges[p->edge_first[side] + k],
                                          *b = &q->edges[q->edge_first[side + 2] + k];
                    ck_assert_int_eq(a->lo, b->lo);
                    ck_assert_int_eq(a->hi, b->hi);
                    ck_assert_int_eq(a->y_lo, b->y_lo);
                    ck_assert_int_eq(a->y_hi, b->y_hi);
                    ck_assert(nav_border_edges_join(a, b, 0));
                }
            }
    ck_assert_uint_gt(edges, 4);
    for (int k = 0; k < 256; k++) nav_parts_unref(parts[k / 16][k % 16]);
    golden_world_deinit(&world);
}
END_TEST

START_TEST(a_guess_follows_the_borders_that_were_there_before)
{
    // Before: part 0 on, part 1 off. Now: 0 has an edge of the first, 1 one of the second, 2 only a new one, 3 none.
    int64_t area[4] = {100, 100, 100, 100};
    nav_border_edge was[2] = {{0, 5, 0, 0, 0}, {8, 12, 3, 3, 1}};
    nav_border_edge now[4] = {{0, 5, 0, 0, 0}, {5, 8, 0, 0, 0}, {8, 12, 3, 3, 1}, {20, 30, 9, 9, 2}};
    nav_parts before = {.count = 2, .edge_first = {0, 2, 2, 2, 2}, .doubled_area = area, .edges = was};
    nav_parts after = {.count = 4, .edge_first = {0, 4, 4, 4, 4}, .doubled_area = area, .edges = now};
    const uint8_t before_off[2] = {0, 1}, expected[4] = {0, 1, 1, 1}, expected_new[4] = {0, 0, 0, 1};
    uint8_t off[4];
    nav_parts_guess(&after, &before, before_off, INT64_MAX, off);
    ck_assert_mem_eq(off, expected, sizeof off);
    nav_parts_guess(&after, NULL, NULL, INT64_MAX, off);
    ck_assert_mem_eq(off, expected_new, sizeof off);
    nav_parts_guess(&after, NULL, NULL, 100, off);
    ck_assert_int_eq(off[3], 0); // large enough for an island
}
END_TEST

int main(void)
{
    Suite *s = suite_create("reach tiles");
    TCase *c = tcase_create("all");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_loop_test(c, a_packed_tile_gives_the_same_bytes_in_both_encodings, 0, GOLDEN_BUILD_COUNT);
    tcase_add_loop_test(c, what_a_mask_drops_its_opposite_keeps_unchanged, 0, GOLDEN_BUILD_COUNT);
    tcase_add_loop_test(c, flagged_ground_keeps_its_shape_and_loses_its_flags, 0, GOLDEN_BUILD_COUNT);
    tcase_add_test(c, links_go_with_the_ground_they_start_on);
    tcase_add_loop_test(c, the_middle_of_a_polygon_is_found_in_its_part, 0, GOLDEN_BUILD_COUNT);
    tcase_add_loop_test(c, every_border_edge_has_its_partner_in_the_neighbour, 0, GOLDEN_BUILD_COUNT);
    tcase_add_test(c, a_guess_follows_the_borders_that_were_there_before);
    suite_add_tcase(s, c);
    return run_suite(s);
}
