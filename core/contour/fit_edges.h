// Offers of edges: how chains can continue from a corner. Part of fitting (fit.c).
#ifndef NAV_CONTOUR_FIT_EDGES_H
#define NAV_CONTOUR_FIT_EDGES_H

#include "core/contour/fit.h"

enum {
    NO_CORNER = -1,
    FIT_PADDING = 16,   // corners behind the last one that may be read
    FIT_REACH = 64,     // candidates that nav_fit_find_reach() looks ahead
    FIT_FARTHEST = 256, // candidates that an edge may pass
    FIT_EXACT_COLUMNS =
        1023, // corners no farther from the first one than this: products of differences are exact floats
};

// Per corner and squared column of distance from where the contour had best be.
#define FIT_OFF_COST 0.05
// A corner begins no edge where a later one is reached cheaper by this much: what it could still win back is less.
#define FIT_OVERTAKEN_BY 0.2

// Offers corner j the cheapest chain to corner i plus the edge from i to j. It replaces the chain known to end in j if
// it is cheaper.
void nav_fit_offer(contour_fit *fit, int32_t i, int32_t j);
// Are the corners that lie beyond the end of the edge from i to j within the error of j?
bool nav_fit_end_holds(const contour_fit *fit, int32_t i, int32_t j);
// Offers the edges from corner i to all corners before `end` that it can reach, up to FIT_FARTHEST.
void nav_fit_offer_plainly(contour_fit *fit, int32_t i, int32_t end);

// Can reaches be found for many corners at once, with this error?
bool nav_fit_has_lanes(double error);
// Finds them: inside, beyond and plain. The corners must be exact.
void nav_fit_find_reach(contour_fit *fit);
// The cheapest chains from corner `first` on to all corners up to and with `last`; found: reaches were.
void nav_fit_find_chains(contour_fit *fit, int32_t first, int32_t last, bool found);

#endif
