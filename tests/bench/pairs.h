// How many notches of a floor plan can share a portal?
//
//      +--------+      A portal between two notches straightens both where each is in the other's wedge (between the
//      |   b    |      prolongations of the two edges) and nothing is in the way. Portals that straighten one notch
//      +--. \ .-+      each, less one for every pair, are the fewest that any cutting without other corners needs.
//         |  a |
#ifndef BENCH_PAIRS_H
#define BENCH_PAIRS_H

#include "core/contour/contours.h"

// The most notches of loops [first, end), an outer one and its holes, that can be put in pairs, or a little more where
// there are too many to try. Negative when memory is short.
int32_t plan_pairs(const nav_contours *o, int32_t first, int32_t end);

#endif
