// The graph from portal to portal: one node for each portal, whichever tile one looks from, and all ways through cells.
#include "core/graph/portal_graph.h"
#include "tests/check.h"
#include "tests/core/tile_fixture.h"
#include "tests/golden/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 4 };

static fixture fix;
static nav_arena arena;
static nav_buffer bytes[TILES];
static nav_tile_view views[TILES];
static uint32_t tile_count;
static nav_graph cells;
static char why[256];

static void setup(void)
{
    nav_arena_init(&arena, 0);
    tile_count = 0;
}

static void teardown(void)
{
    nav_arena_deinit(&arena);
    for (uint32_t i = 0; i < TILES; i++) nav_buffer_deinit(&bytes[i]);
    memset(bytes, 0, sizeof bytes);
}

static void add_tile(void)
{
    nav_buffer *b = &bytes[tile_count];
    ck_assert_int_eq(nav_tile_encode(&fix.tile, b), NAV_OK);
    ck_assert_int_eq(nav_tile_open(b->data, b->size, &views[tile_count++], why, sizeof why), NAV_OK);
}

static nav_portal_graph built_of(const nav_tile_view *tiles, uint32_t count)
{
    nav_portal_graph p;
    ck_assert_int_eq(nav_graph_build(tiles, count, &arena, &cells, why, sizeof why), NAV_OK);
    ck_assert_int_eq(nav_portal_graph_build(&cells, &arena, &p), NAV_OK);
    return p;
}

// A tile that is one cell of 8 m by 8 m.
static void one_cell(int32_t tile_x, uint8_t area)
{
    fixture_init(&fix, tile_x, 0);
    fixture_poly(&fix, area, 4,
                 (int32_t[]){fixture_vert(&fix, 0, 0, 0), fixture_vert(&fix, 0, 0, 16), fixture_vert(&fix, 16, 0, 16),
                             fixture_vert(&fix, 16, 0, 0)});
    fixture_finish(&fix);
}

static bool has_cell(const nav_portal_node *n, uint32_t cell)
{
    return n->cells[0] == cell || n->cells[1] == cell;
}

static int compare_ways(const void *x, const void *y)
{
    const nav_portal_way *p = x, *q = y;
    if (p->cell != q->cell) return p->cell < q->cell ? -1 : 1;
    if (p->nodes[0] != q->nodes[0]) return p->nodes[0] < q->nodes[0] ? -1 : 1;
    return (p->nodes[1] > q->nodes[1]) - (p->nodes[1] < q->nodes[1]);
}

// What holds for every graph: each portal once, each pair of nodes of a cell once, straight from middle to middle.
static void check_graph(const nav_portal_graph *p)
{
    uint32_t portals = 0, ways = 0, lone = 0, *degree = calloc((size_t)cells.node_count + 1, sizeof *degree);
    while (portals < cells.edge_count && cells.edges[portals].kind != NAV_GRAPH_LINK) portals++;
    for (uint32_t i = 0; i < p->node_count; i++) {
        const nav_portal_node *n = &p->nodes[i];
        ck_assert_ptr_eq(n->portal, i < portals ? &cells.edges[i] : NULL);
        degree[n->cells[0]]++;
        if (n->portal) degree[n->cells[1]]++;
        if (!n->portal) continue;
        ck_assert_uint_lt(n->cells[0], n->cells[1]);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq(n->at_m[k], ((double)n->portal->ends_m[0][k] + (double)n->portal->ends_m[1][k]) / 2);
    }
    for (uint32_t c = 0; c < cells.node_count; c++) {
        ways += degree[c] * (degree[c] - (degree[c] > 0)) / 2;
        lone += !degree[c];
    }
    ck_assert_uint_eq(p->lone_cells, lone);
    uint32_t through = 0;
    while (through < p->way_count && !p->ways[through].link) {
        const nav_portal_way *w = &p->ways[through];
        const nav_portal_node *a = &p->nodes[w->nodes[0]], *b = &p->nodes[w->nodes[1]];
        ck_assert_uint_lt(w->nodes[0], w->nodes[1]);
        ck_assert(has_cell(a, w->cell) && has_cell(b, w->cell));
        ck_assert(w->both_ways);
        double x = a->at_m[0] - b->at_m[0], y = a->at_m[1] - b->at_m[1], z = a->at_m[2] - b->at_m[2];
        ck_assert_double_eq_tol(w->length_m, sqrt(x * x + y * y + z * z), 1e-9);
        ck_assert_double_gt(w->length_m, 0); // two nodes of a cell are two places
        if (through) ck_assert_int_lt(compare_ways(w - 1, w), 0);
        through++;
    }
    ck_assert_uint_eq(through, ways);
    for (uint32_t i = through; i < p->way_count; i++) ck_assert_ptr_nonnull(p->ways[i].link);
    free(degree);
}

START_TEST(a_portal_is_one_node_whichever_tile_one_looks_from)
{
    fixture_floor(&fix, 3, -2, 7);
    add_tile();
    fixture_floor(&fix, 4, -2, 7);
    add_tile();
    nav_portal_graph p = built_of(views, 2);
    ck_assert_uint_eq(p.node_count, 4 + 4 + 2); // four between the cells of each tile, two over the border
    check_graph(&p);
    for (uint32_t i = 0; i < p.node_count; i++)
        for (uint32_t j = 0; j < i; j++)
            ck_assert_msg(memcmp(p.nodes[i].at_m, p.nodes[j].at_m, sizeof p.nodes[i].at_m) != 0, "%u and %u", j, i);
}
END_TEST

START_TEST(a_way_costs_its_length_times_the_area_of_its_cell)
{
    nav_area_table areas = {.count = 0};
    nav_area_table_put(&areas, 63)->cost = 3;
    nav_area_table_put(&areas, 5)->cost = 10;
    for (int32_t x = 0; x < 3; x++) {
        one_cell(x, x == 1 ? 5 : 63);
        add_tile();
    }
    nav_portal_graph p = built_of(views, 3);
    ck_assert_uint_eq(p.node_count, 2);
    ck_assert_uint_eq(p.way_count, 1); // through the cell in the middle; the others have one portal each
    ck_assert_double_eq(p.ways[0].length_m, 8);
    ck_assert_double_eq(nav_portal_way_cost(&cells, &p.ways[0], NULL), 8);
    ck_assert_double_eq(nav_portal_way_cost(&cells, &p.ways[0], &areas), 80);
}
END_TEST

static void add_link(uint32_t id, float x0, float z0, float x1, float z1, uint8_t both_ways)
{
    fixture_link(
        &fix,
        (nav_link){
            .id = id, .start = {x0, 0, z0}, .end = {x1, 0, z1}, .radius_m = 0.5f, .area = 9, .both_ways = both_ways});
}

START_TEST(links_that_meet_in_a_place_share_its_node)
{
    nav_area_table areas = {.count = 0};
    nav_area_table_put(&areas, 9)->cost = 4;
    one_cell(0, 63);
    add_link(1, 2, 2, 18, 2, 0); // to the other island
    add_link(2, 2, 2, 18, 5, 1); // from the same place
    add_link(3, 18, 5, 2, 7, 1); // and back from where that one ends
    add_link(4, 2, 2, 5, 2, 1);  // within the cell
    add_link(5, 6, 6, 6, 6, 1);  // leads nowhere
    add_tile();
    one_cell(2, 63);
    add_tile();
    nav_portal_graph p = built_of(views, 2);
    ck_assert_uint_eq(cells.edge_count, 5);
    // (2,2) (18,2) (18,5) (2,7) (5,2) (6,6), in the order of the links that have them first.
    static const double places[][2] = {{2, 2}, {18, 2}, {18, 5}, {2, 7}, {5, 2}, {6, 6}};
    ck_assert_uint_eq(p.node_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        ck_assert_double_eq(p.nodes[i].at_m[0], places[i][0]);
        ck_assert_double_eq(p.nodes[i].at_m[2], places[i][1]);
        ck_assert_uint_eq(p.nodes[i].cells[0], places[i][0] > 16);
        ck_assert_uint_eq(p.nodes[i].cells[1], p.nodes[i].cells[0]);
    }
    check_graph(&p);
    ck_assert_uint_eq(p.way_count, 6 + 1 + 4); // four places of the one cell, two of the other, links but the last
    static const uint32_t ends[4][2] = {{0, 1}, {0, 2}, {2, 3}, {0, 4}};
    for (uint32_t i = 0; i < 4; i++) {
        const nav_portal_way *w = &p.ways[7 + i];
        ck_assert_uint_eq(w->nodes[0], ends[i][0]);
        ck_assert_uint_eq(w->nodes[1], ends[i][1]);
        ck_assert_uint_eq(w->link->id, i + 1);
        ck_assert_int_eq(w->both_ways, i != 0);
        ck_assert_double_eq(nav_portal_way_cost(&cells, w, &areas), 4 * w->length_m);
    }
    ck_assert_double_eq(p.ways[7].length_m, 16);
}
END_TEST

START_TEST(a_cell_without_portals_and_links_is_alone)
{
    one_cell(0, 63);
    add_tile();
    nav_portal_graph p = built_of(views, 1);
    ck_assert_uint_eq(p.node_count + p.way_count, 0);
    ck_assert_uint_eq(p.lone_cells, 1);
    p = built_of(views, 0);
    ck_assert_uint_eq(p.node_count + p.way_count + p.lone_cells, 0);
}
END_TEST

static int compare_doubles(const void *x, const void *y)
{
    const double p = *(const double *)x, q = *(const double *)y;
    return (p > q) - (p < q);
}

static double *sorted_lengths(const nav_portal_graph *p)
{
    double *all = malloc(sizeof *all * ((size_t)p->way_count + 1));
    for (uint32_t i = 0; i < p->way_count; i++) all[i] = p->ways[i].length_m;
    qsort(all, p->way_count, sizeof *all, compare_doubles);
    return all;
}

START_TEST(graphs_of_built_tiles_are_complete_in_any_order_of_tiles)
{
    golden_world world;
    nav_buffer *tiles;
    nav_tile_view *opened, *turned;
    nav_arena a;
    nav_arena_init(&a, 0);
    golden_world_init(&world, _i);
    uint32_t count = 0, most = (uint32_t)(world.tiles_x * world.tiles_z);
    tiles = calloc(most, sizeof *tiles);
    opened = calloc(most, sizeof *opened);
    turned = calloc(most, sizeof *turned);
    for (int32_t z = 0; z < world.tiles_z; z++) {
        for (int32_t x = 0; x < world.tiles_x; x++, count++) {
            nav_tile t;
            nav_arena_reset(&a);
            nav_tile_source source = golden_world_source(&world, x, z);
            nav_buffer *b = &tiles[count];
            ck_assert_int_eq(nav_build_tile(&source, NULL, &(nav_hooks){.unit = world.unit}, &a, &t), NAV_OK);
            ck_assert_int_eq(nav_tile_encode(&t, b), NAV_OK);
            ck_assert_int_eq(nav_tile_open(b->data, b->size, &opened[count], why, sizeof why), NAV_OK);
        }
    }
    for (uint32_t i = 0; i < count; i++) turned[i] = opened[count - 1 - i];
    nav_portal_graph p = built_of(opened, count);
    check_graph(&p);
    double *there = sorted_lengths(&p);
    nav_portal_graph q = built_of(turned, count);
    check_graph(&q);
    double *back = sorted_lengths(&q);
    ck_assert_uint_eq(p.node_count, q.node_count);
    ck_assert_uint_eq(p.way_count, q.way_count);
    for (uint32_t i = 0; i < p.way_count; i++) ck_assert_double_eq_tol(there[i], back[i], 1e-9);
    free(there);
    free(back);
    for (uint32_t i = 0; i < count; i++) nav_buffer_deinit(&tiles[i]);
    free(tiles);
    free(opened);
    free(turned);
    golden_world_deinit(&world);
    nav_arena_deinit(&a);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("portal graph");
    TCase *t = tcase_create("portal graph");
    tcase_set_timeout(t, 900);
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, a_portal_is_one_node_whichever_tile_one_looks_from);
    tcase_add_test(t, a_way_costs_its_length_times_the_area_of_its_cell);
    tcase_add_test(t, links_that_meet_in_a_place_share_its_node);
    tcase_add_test(t, a_cell_without_portals_and_links_is_alone);
    tcase_add_loop_test(t, graphs_of_built_tiles_are_complete_in_any_order_of_tiles, 0, GOLDEN_BUILD_COUNT);
    suite_add_tcase(s, t);
    return run_suite(s);
}
