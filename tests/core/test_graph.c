// The graph of many tiles: borders sewn up, clearances over them, links tied to cells.
#include "core/graph/graph.h"
#include "tests/check.h"
#include "tests/core/tile_fixture.h"
#include "tests/golden/worlds.h"

#include <math.h>
#include <stdlib.h>

enum { TILES = 8 };

static fixture fix;
static nav_arena arena;
static nav_buffer bytes[TILES];
static nav_tile_view views[TILES];
static uint32_t tile_count;
static char why[256];

static void setup(void)
{
    nav_arena_init(&arena, 0);
    tile_count = 0;
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
    for (uint32_t i = 0; i < TILES; i++) {
        nav_buffer_deinit(&bytes[i]);
        bytes[i] = (nav_buffer){0};
    }
}

// Encodes the fixture's tile as the next one.
static void add_tile(void)
{
    nav_buffer *b = &bytes[tile_count];
    ck_assert_int_eq(nav_tile_encode(&fix.tile, b), NAV_OK);
    nav_status s = nav_tile_open(b->data, b->size, &views[tile_count++], why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s", why);
}

static nav_graph built(void)
{
    nav_graph g;
    nav_status s = nav_graph_build(views, tile_count, &arena, &g, why, sizeof why);
    ck_assert_msg(s == NAV_OK, "%s: %s", nav_status_name(s), why);
    return g;
}

static int count_kind(const nav_graph *g, nav_graph_kind kind)
{
    int count = 0;
    for (uint32_t i = 0; i < g->edge_count; i++) count += g->edges[i].kind == kind;
    return count;
}

// A tile with one cell: the rectangle from (x0, z0) to (x1, z1) at a height.
static void one_rectangle(int32_t tile_x, int32_t tile_z, const int32_t box[4], int32_t y)
{
    fixture_init(&fix, tile_x, tile_z);
    int32_t v[4] = {fixture_vert(&fix, box[0], y, box[1]), fixture_vert(&fix, box[0], y, box[3]),
                    fixture_vert(&fix, box[2], y, box[3]), fixture_vert(&fix, box[2], y, box[1])};
    fixture_poly(&fix, 63, 4, v);
    fixture_finish(&fix);
}

START_TEST(two_tiles_join_along_their_border)
{
    fixture_floor(&fix, 3, -2, 7);
    add_tile();
    fixture_floor(&fix, 4, -2, 7);
    add_tile();
    nav_graph g = built();
    ck_assert_uint_eq(g.node_count, 8);
    ck_assert_int_eq(count_kind(&g, NAV_GRAPH_PORTAL), 8);
    ck_assert_int_eq(count_kind(&g, NAV_GRAPH_BORDER), 2);
    ck_assert_uint_eq(g.open_portals, 12); // 16 over borders, of which 4 are 2 edges now
    for (uint32_t i = 0; i < g.edge_count; i++) {
        const nav_graph_edge *e = &g.edges[i];
        ck_assert_double_eq(e->width_m, 4);
        if (e->kind != NAV_GRAPH_BORDER) continue;
        ck_assert_uint_eq(g.nodes[e->nodes[0]].tile, 0);
        ck_assert_uint_eq(g.nodes[e->nodes[1]].tile, 1);
        for (int k = 0; k < 2; k++) {
            ck_assert_float_eq(e->ends_m[k][0], 32);
            ck_assert_float_eq(e->ends_m[k][1], 1.75f);
        }
    }
    const nav_graph_node *n = &g.nodes[1]; // x 8 to 16, z 8 to 16 of tile 3, -2
    ck_assert_double_eq(n->area_m2, 16);
    ck_assert_double_eq(n->centroid_m[0], 24 + 6);
    ck_assert_double_eq(n->centroid_m[1], 1.75);
    ck_assert_double_eq(n->centroid_m[2], -16 + 6);
}
END_TEST

START_TEST(cells_that_meet_in_part_share_that_part)
{
    one_rectangle(0, 0, (int32_t[]){0, 0, 16, 10}, 0);
    add_tile();
    one_rectangle(1, 0, (int32_t[]){0, 4, 16, 16}, 1); // a step of one voxel, which is within climb
    add_tile();
    nav_graph g = built();
    ck_assert_uint_eq(g.edge_count, 1);
    ck_assert_double_eq(g.edges[0].width_m, 3); // from 4 to 10
    ck_assert_uint_eq(g.open_portals, 6);       // of each tile two other borders, and what is left of the common one
    ck_assert_float_eq(g.edges[0].ends_m[0][2] + g.edges[0].ends_m[1][2], 2 + 5);
    ck_assert_double_eq_tol(g.edges[0].clearance_m, 1.5, 0.5 / 64); // between the ends of the two cells
}
END_TEST

// From the middle of the tile to its border and to the middle of the next one: 4 m on each side.
START_TEST(going_costs_what_the_areas_cost)
{
    nav_area_table areas = {.count = 0};
    nav_area_table_put(&areas, 63)->cost = 3;
    nav_area_table_put(&areas, 5)->cost = 10;
    for (int x = 0; x < 2; x++) {
        one_rectangle(x, 0, (int32_t[]){0, 0, 16, 16}, 0);
        fix.area[0] = x ? 5 : 63;
        if (!x)
            fixture_link(
                &fix, (nav_link){
                          .id = 1, .start = {4, 0, 2}, .end = {12, 0, 2}, .radius_m = 0.5f, .area = 9, .both_ways = 1});
        add_tile();
    }
    nav_graph g = built();
    ck_assert_uint_eq(g.edge_count, 2);
    ck_assert_int_eq(g.edges[0].kind, NAV_GRAPH_BORDER);
    ck_assert_double_eq(nav_graph_edge_cost(&g, &g.edges[0], NULL), 8);
    ck_assert_double_eq(nav_graph_edge_cost(&g, &g.edges[0], &areas), 4 * 3 + 4 * 10);
    // 2 m to the link, 8 m along it, 2 m from it.
    ck_assert_double_eq(nav_graph_edge_cost(&g, &g.edges[1], &areas), 2 * 3 + 8 + 2 * 10);
    nav_area_table_put(&areas, 9)->cost = 2;
    ck_assert_double_eq(nav_graph_edge_cost(&g, &g.edges[1], &areas), 2 * 3 + 8 * 2 + 2 * 10);
}
END_TEST

// A tile of three cells over each other along z: 0 to 3, 3 to 9, 9 to 16.
static void three_strips(int32_t tile_x, int32_t tile_z)
{
    static const int32_t ends[4] = {0, 3, 9, 16};
    int32_t v[4][2];
    fixture_init(&fix, tile_x, tile_z);
    for (int k = 0; k < 4; k++)
        for (int s = 0; s < 2; s++) v[k][s] = fixture_vert(&fix, 16 * s, 0, ends[k]);
    for (int k = 0; k < 3; k++) fixture_poly(&fix, 63, 4, (int32_t[]){v[k][0], v[k + 1][0], v[k + 1][1], v[k][1]});
    fixture_finish(&fix);
}

START_TEST(one_edge_may_lead_to_several_cells)
{
    for (int left = 0; left < 2; left++) { // the three strips are on the right, then on the left
        tile_count = 0;
        for (int x = 0; x < 2; x++) {
            if (x == left)
                one_rectangle(x, 0, (int32_t[]){0, 0, 16, 16}, 0);
            else
                three_strips(x, 0);
            nav_buffer_deinit(&bytes[x]);
            bytes[x] = (nav_buffer){0};
            add_tile();
        }
        nav_graph g = built();
        ck_assert_int_eq(count_kind(&g, NAV_GRAPH_BORDER), 3);
        ck_assert_uint_eq(g.open_portals, 3 + 5);
        for (uint32_t i = 0; i < g.edge_count; i++) {
            const nav_graph_edge *e = &g.edges[i];
            if (e->kind != NAV_GRAPH_BORDER) continue;
            uint32_t strip = g.nodes[e->nodes[!left]].cell; // the other one is the single cell
            static const double middle[3] = {0.75, 3, 6.25}, width[3] = {1.5, 3, 3.5};
            ck_assert_double_eq(e->width_m, width[strip]);
            ck_assert_double_eq(((double)e->ends_m[0][2] + (double)e->ends_m[1][2]) / 2, middle[strip]);
        }
    }
}
END_TEST

START_TEST(a_step_higher_than_climb_does_not_join)
{
    one_rectangle(0, 0, (int32_t[]){0, 0, 16, 16}, 0);
    add_tile();
    one_rectangle(1, 0, (int32_t[]){0, 0, 16, 16}, 4); // 1 m; climb is 0.75 m
    add_tile();
    ck_assert_uint_eq(built().edge_count, 0);
}
END_TEST

START_TEST(a_storey_joins_the_one_of_its_own_height)
{
    for (int32_t x = 0; x < 2; x++) {
        fixture_init(&fix, x, 0);
        for (int32_t k = 0; k < 2; k++) { // 2 voxels apart: either would do for the other
            int32_t v[4] = {fixture_vert(&fix, 0, 2 * k, 2), fixture_vert(&fix, 0, 2 * k, 14),
                            fixture_vert(&fix, 16, 2 * k, 14), fixture_vert(&fix, 16, 2 * k, 2)};
            fixture_poly(&fix, 63, 4, v);
        }
        fixture_finish(&fix);
        add_tile();
    }
    nav_graph g = built();
    ck_assert_uint_eq(g.edge_count, 2);
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_uint_eq(g.nodes[g.edges[i].nodes[0]].cell, g.nodes[g.edges[i].nodes[1]].cell);
}
END_TEST

START_TEST(walls_of_the_neighbour_tile_count)
{
    // Both tiles are open along z = 4 to 12; the right one ends in a wall 2 cells behind the border.
    one_rectangle(0, 0, (int32_t[]){0, 0, 16, 16}, 0);
    add_tile();
    one_rectangle(1, 0, (int32_t[]){0, 0, 2, 16}, 0);
    add_tile();
    nav_graph g = built();
    nav_tile_portal p;
    nav_tile_get_portal(&views[0], 0, &p);
    ck_assert_float_eq(p.clearance_m, 8); // its own tile sees none
    ck_assert_uint_eq(g.edge_count, 1);
    ck_assert_double_le(g.edges[0].clearance_m, 1);
    ck_assert_double_gt(g.edges[0].clearance_m, 1 - 0.5 / 64);
}
END_TEST

static nav_link link_between(float x0, float y0, float z0, float x1, float y1, float z1)
{
    return (nav_link){.id = 5, .start = {x0, y0, z0}, .end = {x1, y1, z1}, .radius_m = 0.5f, .area = 9, .flags = 3};
}

START_TEST(links_tie_the_cells_under_their_ends)
{
    fixture_floor(&fix, 0, 0, 0);
    fixture_link(&fix, link_between(1, 0, 1, 19.6f, 2.2f, 6)); // beside the edge by less than the radius
    fixture_link(&fix, link_between(1, 0, 1, 19.4f, 2.2f, 6)); // and by more
    fixture_link(&fix, link_between(1, 5, 1, 1, 0, 6));        // starts in the air
    add_tile();
    one_rectangle(2, 0, (int32_t[]){8, 0, 16, 16}, 8); // x from 20 m on, height 2 m
    add_tile();
    nav_graph g = built();
    ck_assert_int_eq(count_kind(&g, NAV_GRAPH_LINK), 1);
    ck_assert_uint_eq(g.loose_links, 2);
    const nav_graph_edge *e = &g.edges[g.edge_count - 1];
    ck_assert_uint_eq(e->nodes[0], 2);
    ck_assert_uint_eq(e->nodes[1], 4);
    ck_assert(!e->both_ways);
    ck_assert_uint_eq(e->link->id, 5);
    ck_assert_float_eq(e->ends_m[1][0], 19.6f);
}
END_TEST

START_TEST(tiles_that_do_not_belong_together_are_refused)
{
    nav_graph g;
    fixture_floor(&fix, 0, 0, 0);
    add_tile();
    add_tile();
    ck_assert_int_eq(nav_graph_build(views, 2, &arena, &g, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(why, "twice") != NULL, "%s", why);
    fixture_floor(&fix, 1, 0, 0);
    fix.settings.cell_size_m = 0.25f;
    add_tile();
    views[1] = views[2];
    ck_assert_int_eq(nav_graph_build(views, 2, &arena, &g, why, sizeof why), NAV_ERR_ARGUMENT);
    ck_assert_msg(strstr(why, "grid") != NULL, "%s", why);
    ck_assert_int_eq(nav_graph_build(views, 0, &arena, &g, why, sizeof why), NAV_OK);
    ck_assert_uint_eq(g.node_count, 0);
}
END_TEST

// Every tile of a golden world.
typedef struct built_world {
    golden_world world;
    nav_buffer *bytes;
    nav_tile_view *views;
    uint32_t count;
} built_world;

static void build_world(built_world *b, int k)
{
    nav_arena a;
    nav_arena_init(&a, 0);
    golden_world_init(&b->world, k);
    b->count = 0;
    b->bytes = calloc((size_t)(b->world.tiles_x * b->world.tiles_z), sizeof *b->bytes);
    b->views = calloc((size_t)(b->world.tiles_x * b->world.tiles_z), sizeof *b->views);
    for (int32_t z = 0; z < b->world.tiles_z; z++) {
        for (int32_t x = 0; x < b->world.tiles_x; x++, b->count++) {
            nav_tile t;
            nav_arena_reset(&a);
            nav_tile_source src = golden_world_source(&b->world, x, z);
            ck_assert_int_eq(nav_build_tile(&src, NULL, &(nav_hooks){.unit = b->world.unit}, &a, &t), NAV_OK);
            ck_assert_int_eq(nav_tile_encode(&t, &b->bytes[b->count]), NAV_OK);
            nav_buffer *tile = &b->bytes[b->count];
            ck_assert_int_eq(nav_tile_open(tile->data, tile->size, &b->views[b->count], why, sizeof why), NAV_OK);
        }
    }
    nav_arena_deinit(&a);
}

static void free_world(built_world *b)
{
    for (uint32_t i = 0; i < b->count; i++) nav_buffer_deinit(&b->bytes[i]);
    free(b->bytes);
    free(b->views);
    golden_world_deinit(&b->world);
}

// Is there a tile behind a border of tile t?
static bool has_neighbour(const built_world *b, uint32_t t, int64_t border)
{
    int32_t x = (int32_t)t % b->world.tiles_x, z = (int32_t)t / b->world.tiles_x;
    x += (border == NAV_EDGE_PORTAL_XMAX) - (border == NAV_EDGE_PORTAL_XMIN);
    z += (border == NAV_EDGE_PORTAL_ZMAX) - (border == NAV_EDGE_PORTAL_ZMIN);
    return x >= 0 && x < b->world.tiles_x && z >= 0 && z < b->world.tiles_z;
}

START_TEST(every_border_portal_of_built_tiles_finds_its_partner)
{
    built_world b;
    build_world(&b, _i);
    nav_graph g;
    ck_assert_int_eq(nav_graph_build(b.views, b.count, &arena, &g, why, sizeof why), NAV_OK);
    double inner_m = 0, border_m = 0, edge_m = 0, crossing_m = 0;
    uint32_t inner = 0, outside = 0;
    for (uint32_t t = 0; t < b.count; t++) {
        for (uint32_t i = 0; i < b.views[t].portal_count; i++) {
            nav_tile_portal p;
            nav_tile_get_portal(&b.views[t], i, &p);
            inner += p.behind >= 0;
            if (p.behind >= 0)
                inner_m += (double)p.width_m;
            else if (has_neighbour(&b, t, p.behind))
                border_m += (double)p.width_m;
            else
                outside++;
        }
    }
    for (uint32_t i = 0; i < g.edge_count; i++) {
        const nav_graph_edge *e = &g.edges[i];
        ck_assert_uint_lt(e->nodes[0], e->kind == NAV_GRAPH_LINK ? g.node_count : e->nodes[1]);
        ck_assert_uint_lt(e->nodes[1], g.node_count);
        if (e->kind == NAV_GRAPH_PORTAL) edge_m += e->width_m;
        if (e->kind == NAV_GRAPH_BORDER) crossing_m += e->width_m;
    }
    ck_assert_int_eq(count_kind(&g, NAV_GRAPH_PORTAL), (int)inner);
    ck_assert_double_eq_tol(edge_m, inner_m, 1e-3);
    ck_assert_double_eq_tol(2 * crossing_m, border_m, 1e-3);
    ck_assert_uint_eq(g.open_portals, outside);
    free_world(&b);
}
END_TEST

START_TEST(no_clearance_is_more_than_the_tile_alone_would_have)
{
    built_world b;
    build_world(&b, _i);
    nav_graph g;
    ck_assert_int_eq(nav_graph_build(b.views, b.count, &arena, &g, why, sizeof why), NAV_OK);
    uint32_t edge = 0;
    for (uint32_t t = 0; t < b.count; t++) {
        double most_m = (double)(b.views[t].cell_size_m * (float)b.views[t].tile_cells);
        for (uint32_t i = 0; i < b.views[t].portal_count; i++) {
            nav_tile_portal p;
            nav_tile_get_portal(&b.views[t], i, &p);
            if (p.behind < 0) continue;
            while (g.edges[edge].kind != NAV_GRAPH_PORTAL) edge++;
            const nav_graph_edge *e = &g.edges[edge++];
            ck_assert_float_eq((float)e->width_m, p.width_m);
            if ((double)p.clearance_m < most_m) ck_assert_double_le(e->clearance_m, (double)p.clearance_m + 0.01);
        }
    }
    free_world(&b);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("graph");
    TCase *t = tcase_create("graph");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, two_tiles_join_along_their_border);
    tcase_add_test(t, going_costs_what_the_areas_cost);
    tcase_add_test(t, cells_that_meet_in_part_share_that_part);
    tcase_add_test(t, one_edge_may_lead_to_several_cells);
    tcase_add_test(t, a_step_higher_than_climb_does_not_join);
    tcase_add_test(t, a_storey_joins_the_one_of_its_own_height);
    tcase_add_test(t, walls_of_the_neighbour_tile_count);
    tcase_add_test(t, links_tie_the_cells_under_their_ends);
    tcase_add_test(t, tiles_that_do_not_belong_together_are_refused);
    tcase_add_loop_test(t, every_border_portal_of_built_tiles_finds_its_partner, 0, GOLDEN_BUILD_COUNT);
    tcase_add_loop_test(t, no_clearance_is_more_than_the_tile_alone_would_have, 0, GOLDEN_BUILD_COUNT);
    suite_add_tcase(s, t);
    return run_suite(s);
}
