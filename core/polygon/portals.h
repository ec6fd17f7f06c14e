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
// nav_clearance_most(). No more than the NAV_CLEARANCE_LOOKS nearest cells are looked at: where there are more within
// r, r is the distance at which they begin.
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
    int32_t *behind;    // the other cell, or NAV_EDGE_PORTAL_*, NAV_EDGE_SEAM
    int32_t *from, *to; // vertices at the ends, in the order of the cell's corners
    double *width;      // outline units
    double *clearance;  // outline units
} nav_portals;

// Finds the portals of cells and measures them. unit: outline units to a column; most: the largest clearance to look
// for, outline units. Results live in the arena. NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_portals_build(const nav_polygons *polygons, int32_t unit, int32_t most, nav_arena *arena,
                                          nav_portals *out);

// The largest clearance that a tile can know, outline units: NAV_CLEARANCE_MAX_COLUMNS, or its side where that is less.
static inline int32_t nav_clearance_most(int32_t tile_units, int32_t unit)
{
    int32_t most = NAV_CLEARANCE_MAX_COLUMNS * unit;
    return tile_units < most ? tile_units : most;
}

#endif
