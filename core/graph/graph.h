// The cell-and-portal graph of many tiles: the cells of all tiles as nodes, and as edges the portals between them,
// those across tile borders too, and the off-mesh links. Any thread.
//
// Portals are found and measured again over all tiles together (core/polygon/portals.h): what is a border portal in two
// tiles is one edge here, and the walls of the neighbours count for the clearance. Tiles join where edges of their
// common border overlap and are within climb of each other in the middle of the overlap; the pair nearest in height is
// joined first, and no piece of an edge is joined twice. Tiles made by one generator have the same edges on both sides.
#ifndef NAV_GRAPH_GRAPH_H
#define NAV_GRAPH_GRAPH_H

#include "core/base/arena.h"
#include "core/tile/tile_format.h"
#include "navcore/areas.h"

typedef struct nav_graph_node {
    uint32_t tile; // index into the tiles given
    uint32_t cell; // of that tile
    uint8_t area, flags;
    double area_m2;       // seen from above, along the axis of the tile's sheet
    double centroid_m[3]; // of the height triangles, x y z
} nav_graph_node;

typedef enum nav_graph_kind {
    NAV_GRAPH_PORTAL, // between cells of one tile
    NAV_GRAPH_BORDER, // between cells of two tiles
    NAV_GRAPH_SEAM,   // between cells of two sheets; who knows the seams adds them (navcore/climb.h)
    NAV_GRAPH_LINK,   // an off-mesh link
} nav_graph_kind;

typedef struct nav_graph_edge {
    nav_graph_kind kind;
    uint32_t nodes[2];    // portals: the lower one first; links: of start and end
    float ends_m[2][3];   // x y z of the portal's ends, in the order of node 0's corners; start and end of the link
    double width_m;       // portals: between the ends, seen from above; links: twice their radius
    double clearance_m;   // portals; links: their radius; seams: NAN
    bool both_ways;       // portals always
    const nav_link *link; // links only; in the arena
} nav_graph_edge;

typedef struct nav_graph {
    uint32_t node_count, edge_count;
    nav_graph_node *nodes; // by tile as given, then by cell
    nav_graph_edge *edges; // portals, by sheet and node, then seams, then links by tile
    uint32_t open_portals; // over borders with nothing behind them: the world ends there, or the tile was not given
    uint32_t loose_links;  // with no ground at start or end
} nav_graph;

// tiles: of one agent profile and grid, of any sheets, none twice, in any order. Sheets are not joined to each other.
// The graph lives in the arena. NAV_ERR_ARGUMENT with a sentence in why where the tiles do not belong together;
// NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_graph_build(const nav_tile_view *tiles, uint32_t count, nav_arena *arena, nav_graph *out,
                                        char *why, size_t why_bytes);

// What it costs to go along an edge: from the middle of one cell straight to the middle of the portal and on to the
// middle of the other, each metre at the cost of its cell's area; through a link, which has an area of its own, from
// the start of it to its end. areas: NULL: all cost 1.
double nav_graph_edge_cost(const nav_graph *g, const nav_graph_edge *e, const nav_area_table *areas);

#endif
