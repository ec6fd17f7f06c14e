// The graph of tiles of several sheets: that of each sheet, side by side. Their places are of different frames, so no
// wall of one counts for the portals of another.
#include "core/graph/graph_work.h"

typedef struct gathering {
    const nav_tile_view *tiles;
    uint32_t count;
    uint32_t *first_node; // by tile as given: its first node in the whole graph
    nav_graph parts[NAV_SHEET_COUNT];
} gathering;

static nav_status build_parts(gathering *g, nav_arena *arena, char *why, size_t why_bytes)
{
    nav_status s = NAV_OK;
    for (int sheet = 0; sheet < NAV_SHEET_COUNT && s == NAV_OK; sheet++) {
        nav_tile_view *own = NAV_TAKE(arena, nav_tile_view, g->count);
        uint32_t *given = NAV_TAKE(arena, uint32_t, g->count), n = 0;
        if (!own || !given) return nav_arena_failure(arena);
        for (uint32_t t = 0; t < g->count; t++) {
            if ((int)g->tiles[t].sheet != sheet) continue;
            own[n] = g->tiles[t];
            given[n++] = t;
        }
        nav_graph *part = &g->parts[sheet];
        s = nav_graph_build_sheet(own, n, arena, part, why, why_bytes);
        for (uint32_t i = 0; i < part->node_count && s == NAV_OK; i++) part->nodes[i].tile = given[part->nodes[i].tile];
    }
    return s;
}

static uint32_t place_of(const gathering *g, const nav_graph_node *n)
{
    return g->first_node[n->tile] + n->cell;
}

static void add_edges(const gathering *g, bool links, nav_graph *out)
{
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        const nav_graph *part = &g->parts[sheet];
        for (uint32_t i = 0; i < part->edge_count; i++) {
            if ((part->edges[i].kind == NAV_GRAPH_LINK) != links) continue;
            nav_graph_edge *e = &out->edges[out->edge_count++];
            *e = part->edges[i];
            for (int k = 0; k < 2; k++) e->nodes[k] = place_of(g, &part->nodes[e->nodes[k]]);
        }
    }
}

static nav_status gather(gathering *g, nav_arena *arena, nav_graph *out, char *why, size_t why_bytes)
{
    uint64_t nodes = 0, edges = 0;
    g->first_node = NAV_TAKE(arena, uint32_t, g->count);
    if (!g->first_node) return nav_arena_failure(arena);
    for (uint32_t t = 0; t < g->count; t++) {
        g->first_node[t] = (uint32_t)nodes;
        nodes += g->tiles[t].cell_count;
        if (nodes > INT32_MAX) return NAV_ERR_LIMIT;
    }
    nav_status s = build_parts(g, arena, why, why_bytes);
    if (s != NAV_OK) return s;
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) edges += g->parts[sheet].edge_count;
    out->nodes = NAV_TAKE(arena, nav_graph_node, nodes);
    out->edges = NAV_TAKE(arena, nav_graph_edge, edges);
    if (!out->nodes || !out->edges) return nav_arena_failure(arena);
    out->node_count = (uint32_t)nodes;
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        const nav_graph *part = &g->parts[sheet];
        for (uint32_t i = 0; i < part->node_count; i++) out->nodes[place_of(g, &part->nodes[i])] = part->nodes[i];
        out->open_portals += part->open_portals;
        out->loose_links += part->loose_links;
    }
    add_edges(g, false, out);
    add_edges(g, true, out);
    return NAV_OK;
}

nav_status nav_graph_build(const nav_tile_view *tiles, uint32_t count, nav_arena *arena, nav_graph *out, char *why,
                           size_t why_bytes)
{
    bool one = true;
    for (uint32_t t = 1; t < count && one; t++) one = tiles[t].sheet == tiles[0].sheet;
    if (one) return nav_graph_build_sheet(tiles, count, arena, out, why, why_bytes);
    *out = (nav_graph){0};
    if (why_bytes) why[0] = '\0';
    gathering g = {.tiles = tiles, .count = count};
    return gather(&g, arena, out, why, why_bytes);
}
