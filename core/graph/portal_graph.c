// Portals are nodes as they come. Ends of links are sorted by cell and place, so that equal ones stand together. Then
// each cell's nodes are listed, and every pair of a list is a way.
#include "core/graph/portal_graph.h"

#include <math.h>
#include <stdlib.h>

typedef struct link_end {
    uint32_t cell, number; // number: 2 * link, + 1 at its end
    const float *at_m;
} link_end;

typedef struct work {
    const nav_graph *cells;
    uint32_t portal_count, link_count;
    uint32_t *end_node;    // 2 * link_count: the node of each end
    uint32_t *first;       // by cell, node_count + 1 of the cell graph: its nodes in `list`
    uint32_t *list;        // nodes by cell, ascending
    nav_portal_graph *out; // what is made
} work;

// By cell and place; equal ones by number, so that the first of them stands first.
static int compare_ends(const void *x, const void *y)
{
    const link_end *p = x, *q = y;
    if (p->cell != q->cell) return p->cell < q->cell ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (p->at_m[k] < q->at_m[k] || p->at_m[k] > q->at_m[k]) return p->at_m[k] < q->at_m[k] ? -1 : 1;
    return (p->number > q->number) - (p->number < q->number);
}

static bool same_place(const link_end *p, const link_end *q)
{
    bool same = p->cell == q->cell;
    for (int k = 0; k < 3; k++) same = same && !(p->at_m[k] < q->at_m[k] || p->at_m[k] > q->at_m[k]);
    return same;
}

static void add_portals(work *w)
{
    nav_portal_graph *out = w->out;
    for (uint32_t i = 0; i < w->portal_count; i++) {
        const nav_graph_edge *e = &w->cells->edges[i];
        nav_portal_node *n = &out->nodes[out->node_count++];
        *n = (nav_portal_node){.portal = e, .cells = {e->nodes[0], e->nodes[1]}};
        for (int k = 0; k < 3; k++) n->at_m[k] = ((double)e->ends_m[0][k] + (double)e->ends_m[1][k]) / 2;
    }
}

// A node for each place where links begin or end. ends: room for all of them.
static void add_link_ends(work *w, link_end *ends)
{
    const nav_graph_edge *links = w->cells->edges + w->portal_count;
    nav_portal_graph *out = w->out;
    const uint32_t count = 2 * w->link_count;
    for (uint32_t i = 0; i < count; i++) ends[i] = (link_end){links[i / 2].nodes[i % 2], i, links[i / 2].ends_m[i % 2]};
    if (count > 1) qsort(ends, count, sizeof *ends, compare_ends);
    // First the number of the first end in the same place, then the node that this one gets.
    for (uint32_t i = 0, leader = 0; i < count; i++) {
        if (!same_place(&ends[leader], &ends[i])) leader = i;
        w->end_node[ends[i].number] = ends[leader].number;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (w->end_node[i] != i) {
            w->end_node[i] = w->end_node[w->end_node[i]];
            continue;
        }
        const nav_graph_edge *e = &links[i / 2];
        nav_portal_node *n = &out->nodes[out->node_count];
        *n = (nav_portal_node){.cells = {e->nodes[i % 2], e->nodes[i % 2]}};
        for (int k = 0; k < 3; k++) n->at_m[k] = (double)e->ends_m[i % 2][k];
        w->end_node[i] = out->node_count++;
    }
}

static void list_by_cell(work *w)
{
    nav_portal_graph *out = w->out;
    const uint32_t cell_count = w->cells->node_count;
    for (uint32_t i = 0; i < out->node_count; i++)
        for (int side = 0; side < (out->nodes[i].portal ? 2 : 1); side++) w->first[out->nodes[i].cells[side]]++;
    // From counts to where each list ends; filled backwards, they are where it begins.
    for (uint32_t c = 0, sum = 0; c <= cell_count; c++) {
        out->lone_cells += c < cell_count && !w->first[c];
        w->first[c] = sum += w->first[c];
    }
    for (uint32_t i = out->node_count; i-- > 0;)
        for (int side = 0; side < (out->nodes[i].portal ? 2 : 1); side++)
            w->list[--w->first[out->nodes[i].cells[side]]] = i;
}

static double distance(const double a[3], const double b[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

static void add_way(work *w, uint32_t from, uint32_t to, uint32_t cell, const nav_graph_edge *link)
{
    nav_portal_graph *out = w->out;
    out->ways[out->way_count++] = (nav_portal_way){.nodes = {from, to},
                                                   .cell = cell,
                                                   .both_ways = !link || link->both_ways,
                                                   .length_m = distance(out->nodes[from].at_m, out->nodes[to].at_m),
                                                   .link = link ? link->link : NULL};
}

static void add_ways(work *w)
{
    for (uint32_t c = 0; c < w->cells->node_count; c++)
        for (uint32_t i = w->first[c]; i < w->first[c + 1]; i++)
            for (uint32_t j = i + 1; j < w->first[c + 1]; j++) add_way(w, w->list[i], w->list[j], c, NULL);
    for (uint32_t i = 0; i < w->link_count; i++) {
        const nav_graph_edge *e = &w->cells->edges[w->portal_count + i];
        uint32_t from = w->end_node[2 * (size_t)i], to = w->end_node[2 * (size_t)i + 1];
        if (from != to) add_way(w, from, to, e->nodes[0], e);
    }
}

nav_status nav_portal_graph_build(const nav_graph *cells, nav_arena *arena, nav_portal_graph *out)
{
    *out = (nav_portal_graph){0};
    work w = {.cells = cells, .out = out};
    while (w.portal_count < cells->edge_count && cells->edges[w.portal_count].kind != NAV_GRAPH_LINK) w.portal_count++;
    w.link_count = cells->edge_count - w.portal_count;
    const uint64_t nodes = (uint64_t)w.portal_count + 2 * (uint64_t)w.link_count;
    if (nodes > INT32_MAX) return NAV_ERR_LIMIT;
    out->nodes = NAV_TAKE(arena, nav_portal_node, nodes);
    w.end_node = NAV_TAKE(arena, uint32_t, 2 * (uint64_t)w.link_count);
    w.first = NAV_TAKE_ZERO(arena, uint32_t, (uint64_t)cells->node_count + 1);
    w.list = NAV_TAKE(arena, uint32_t, 2 * nodes);
    if (!out->nodes || !w.end_node || !w.first || !w.list) return nav_arena_failure(arena);
    nav_arena_mark mark = nav_arena_get_mark(arena);
    link_end *ends = NAV_TAKE(arena, link_end, 2 * (uint64_t)w.link_count);
    if (!ends) return nav_arena_failure(arena);
    add_portals(&w);
    add_link_ends(&w, ends);
    nav_arena_release(arena, mark);
    list_by_cell(&w);
    uint64_t ways = w.link_count;
    for (uint32_t c = 0; c < cells->node_count; c++) {
        const uint64_t n = w.first[c + 1] - w.first[c];
        ways += n * (n - (n > 0)) / 2;
        if (ways > NAV_PORTAL_WAYS_MOST) return NAV_ERR_LIMIT;
    }
    out->ways = NAV_TAKE(arena, nav_portal_way, ways);
    if (!out->ways) return nav_arena_failure(arena);
    add_ways(&w);
    return NAV_OK;
}

double nav_portal_way_cost(const nav_graph *cells, const nav_portal_way *way, const nav_area_table *areas)
{
    const uint8_t area = way->link ? way->link->area : cells->nodes[way->cell].area;
    return way->length_m * (double)nav_area_table_cost(areas, area);
}
