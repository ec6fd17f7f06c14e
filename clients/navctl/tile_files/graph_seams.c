#include "clients/navctl/tile_files/graph_seams.h"

#include "navcore/climb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tile_node {
    nav_sheet sheet;
    int32_t x, z;
    uint32_t first_node;
} tile_node;

static int compare_nodes(const void *a, const void *b)
{
    const tile_node *p = a, *q = b;
    if (p->sheet != q->sheet) return p->sheet < q->sheet ? -1 : 1;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

// The tiles by place, with their first nodes. NULL: no memory.
static tile_node *list_nodes(const nav_tile_view *views, uint32_t count)
{
    tile_node *list = malloc(count * sizeof *list);
    uint32_t node = 0;
    for (uint32_t i = 0; list && i < count; i++) {
        list[i] = (tile_node){views[i].sheet, views[i].tile_x, views[i].tile_z, node};
        node += views[i].cell_count;
    }
    if (list) qsort(list, count, sizeof *list, compare_nodes);
    return list;
}

static uint32_t node_of(const tile_node *list, uint32_t count, const nav_climb_side *side)
{
    const tile_node wanted = {side->sheet, side->tile_x, side->tile_z, 0};
    const tile_node *tile = bsearch(&wanted, list, count, sizeof *list, compare_nodes);
    return tile->first_node + side->cell; // it is there: the seam is of these tiles
}

static nav_status find_seams(const stored_tile *tiles, uint32_t count, nav_climb_seam **seams, uint32_t *seam_count,
                             char *why, size_t why_bytes)
{
    nav_climb_set *set = NULL;
    nav_status s = nav_climb_set_create(NAV_CLIMB_INNER_DEG, &set);
    for (uint32_t i = 0; i < count && s == NAV_OK; i++)
        s = nav_climb_set_put(set, tiles[i].bytes, tiles[i].size, why, why_bytes);
    if (s == NAV_OK) s = nav_climb_set_join(set);
    if (s == NAV_OK) s = nav_climb_set_list_seams(set, seams);
    if (s == NAV_OK) *seam_count = nav_climb_set_seams(set);
    nav_climb_set_destroy(set);
    return s;
}

// Behind the portals and before the links.
static nav_status put_between(const nav_climb_seam *seams, uint32_t seam_count, const tile_node *list, uint32_t count,
                              nav_arena *arena, nav_graph *g)
{
    uint32_t portals = 0;
    nav_graph_edge *edges = NAV_TAKE(arena, nav_graph_edge, (uint64_t)g->edge_count + seam_count);
    if (!edges) return nav_arena_failure(arena);
    while (portals < g->edge_count && g->edges[portals].kind != NAV_GRAPH_LINK) portals++;
    const uint32_t links = g->edge_count - portals;
    if (portals) memcpy(edges, g->edges, portals * sizeof *edges);
    if (links) memcpy(edges + portals + seam_count, g->edges + portals, links * sizeof *edges);
    for (uint32_t i = 0; i < seam_count; i++) {
        const nav_climb_seam *s = &seams[i];
        nav_graph_edge *e = &edges[portals + i];
        *e = (nav_graph_edge){.kind = NAV_GRAPH_SEAM,
                              .nodes = {node_of(list, count, &s->sides[0]), node_of(list, count, &s->sides[1])},
                              .width_m = s->length_m,
                              .clearance_m = NAN,
                              .both_ways = true};
        memcpy(e->ends_m[0], s->sides[0].from, sizeof e->ends_m[0]);
        memcpy(e->ends_m[1], s->sides[0].to, sizeof e->ends_m[1]);
    }
    g->edges = edges;
    g->edge_count += seam_count;
    return NAV_OK;
}

nav_status graph_seams_add(const stored_tile *tiles, const nav_tile_view *views, uint32_t count, nav_arena *arena,
                           nav_graph *g, uint32_t *added, char *why, size_t why_bytes)
{
    bool one = true;
    *added = 0;
    for (uint32_t i = 1; i < count && one; i++) one = views[i].sheet == views[0].sheet;
    if (one) return NAV_OK;
    nav_climb_seam *seams = NULL;
    tile_node *list = list_nodes(views, count);
    nav_status s = list ? find_seams(tiles, count, &seams, added, why, why_bytes) : NAV_ERR_MEMORY;
    if (s == NAV_OK) s = put_between(seams, *added, list, count, arena, g);
    free(seams);
    free(list);
    return s;
}
