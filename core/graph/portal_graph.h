// The graph from portal to portal: a node in the middle of each portal of the cell graph (core/graph/graph.h) and at
// each end of an off-mesh link, and a way between any two nodes of one cell, straight through it. Any thread.
//
//    +-------+-------+        Cells A, B, C with the portals 0 and 1. The way from 0 to 1 goes through B and costs
//    |   A   0---.B  |        what its ground costs. A portal is one node, whichever side one looks from, and a
//    +-------+----`1-+        link's end is one node for all links that begin or end in the same place of a cell.
//                | C |
//                +---+
//
// Ways go both ways, but for links that do not. A cell with one node has no way through it, one without any is alone.
#ifndef NAV_GRAPH_PORTAL_GRAPH_H
#define NAV_GRAPH_PORTAL_GRAPH_H

#include "core/graph/graph.h"

enum { NAV_PORTAL_WAYS_MOST = 1 << 28 };

typedef struct nav_portal_node {
    const nav_graph_edge *portal; // NULL: the end of a link
    uint32_t cells[2];            // nodes of the cell graph: those that the portal joins; of a link's end both the same
    double at_m[3];               // x y z
} nav_portal_node;

typedef struct nav_portal_way {
    uint32_t nodes[2];    // the lower one first; links: of start and end
    uint32_t cell;        // of the cell graph: that the way goes through; links: that of the start
    bool both_ways;       // through cells always
    double length_m;      // straight, heights included
    const nav_link *link; // NULL: through the cell
} nav_portal_way;

typedef struct nav_portal_graph {
    uint32_t node_count, way_count;
    nav_portal_node *nodes; // portals in the order of the cell graph's edges, then ends of links in the order of links
    nav_portal_way *ways;   // through cells by cell, then by nodes; then links in their order
    uint32_t lone_cells;    // without a node
} nav_portal_graph;

// Borrows the cell graph; lives in the arena. A link from a place to the same place has no way. NAV_ERR_LIMIT: more
// than NAV_PORTAL_WAYS_MOST ways. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_portal_graph_build(const nav_graph *cells, nav_arena *arena, nav_portal_graph *out);

// The length of a way, each metre at the cost of the cell's area or of the link's. areas: NULL: all cost 1.
double nav_portal_way_cost(const nav_graph *cells, const nav_portal_way *way, const nav_area_table *areas);

#endif
