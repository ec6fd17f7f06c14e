// Portals: where an agent can pass from one cell to another, or over an open border of the tile.
//
// A portal is a maximal straight piece of a cell's boundary with the same thing behind it: consecutive edges that run
// on in the same direction, as seen from above, are one. Each portal between two cells is listed once, with the cell of
// the lower number, and portals come in the order of their cells and then of the corner they begin in.
//
// Width: distance of the ends, seen from above.
//
// Clearance: the largest r such that a disc of radius r, level and centred somewhere on the portal, crosses no wall of
// the floor it stands on. That floor is all cells that can be reached from the portal's own without crossing an edge
// farther than r from the portal; floors above and below do not count unless the way there is that short. Walls are the
// edges with nothing behind them: the real walls are farther by the agent's radius. What lies beyond an open border is
// not known here, so near one the clearance is an upper bound, and a portal that sees no wall has the most there is:
// NAV_CLEARANCE_MAX_COLUMNS, or the side of the tile where that is less. No more than the NAV_CLEARANCE_LOOKS nearest
// cells are looked at: where there are more within r, r is the distance at which they begin.
#ifndef NAV_POLYGON_PORTALS_H
#define NAV_POLYGON_PORTALS_H

#include "core/polygon/polygons.h"

enum {
    NAV_CLEARANCE_MAX_COLUMNS = 256,
    NAV_CLEARANCE_LOOKS = 256,
    NAV_CLEARANCE_PARTS = 64, // the stored clearance is less than 1 / this of a column below the true one, never above
};

typedef struct nav_portals {
    int32_t count;
    int32_t *cell;      // the only cell, or the lower of the two
    int32_t *behind;    // the other cell, or NAV_EDGE_PORTAL_*
    int32_t *from, *to; // vertices at the ends, in the order of the cell's corners
    double *width;      // columns
    double *clearance;  // columns
} nav_portals;

// Finds the portals of cells and measures them. most_columns: the largest clearance to look for. Results live in the
// arena. NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_portals_build(const nav_polygons *polygons, int32_t most_columns, nav_arena *arena,
                                          nav_portals *out);

// The largest clearance that a tile can know.
static inline int32_t nav_clearance_most(int32_t tile_columns)
{
    return tile_columns < NAV_CLEARANCE_MAX_COLUMNS ? tile_columns : NAV_CLEARANCE_MAX_COLUMNS;
}

#endif
