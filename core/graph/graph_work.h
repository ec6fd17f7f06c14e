// What the parts of the graph's builder share. Internal.
#ifndef NAV_GRAPH_GRAPH_WORK_H
#define NAV_GRAPH_GRAPH_WORK_H

#include "core/graph/graph.h"
#include "core/polygon/polygons.h"

// Piece of a border edge that leads into a cell of the neighbour tile.
typedef struct border_join {
    int64_t corner;    // of all tiles' corners: where the edge begins
    int32_t low, high; // cells along the border
    uint32_t node;     // behind it
} border_join;

typedef struct graph_work {
    const nav_tile_view *tiles;
    uint32_t count;
    uint32_t *order;        // tiles by z, then x
    uint32_t *first_node;   // count + 1
    uint64_t *first_corner; // count + 1: of all tiles' corners
    int32_t least_tile[2];  // x, z: places count from its lower corner
    border_join *joins;     // by corner, then by place
    uint64_t join_count;
} graph_work;

// nav_graph_build() of tiles of one sheet.
NAV_MUST_USE nav_status nav_graph_build_sheet(const nav_tile_view *tiles, uint32_t count, nav_arena *arena,
                                              nav_graph *out, char *why, size_t why_bytes);

// Index of the tile at a place, or -1.
int64_t nav_graph_tile_at(const graph_work *w, int64_t x, int64_t z);

// Finds where the tiles join. Fills in joins.
NAV_MUST_USE nav_status nav_graph_join_borders(graph_work *w, nav_arena *arena);

// The node with the ground that is nearest to a point: within radius_m seen from above and climb in height. -1: none.
int64_t nav_graph_node_below(const graph_work *w, const float point_m[3], float radius_m);

#endif
