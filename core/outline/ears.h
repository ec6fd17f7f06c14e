// Ears: narrow pockets of the floor, beside a door, behind a pillar, where a wall jumps by a little. Each costs a cell
// or two and leads nowhere. They are cut off, and what was floor there becomes wall.
//
//      i_____              i__________           The loop comes along a wall to i, goes round a pocket and on from j.
//            \___            .       /           The chord i-j cuts it off, or the wall beside the pocket is prolonged
//             ___|             .    /            over it, until it meets the wall across, at q: then the corner of
//            |                   q /             that wall no longer sticks out into the floor. Two walls that are
//           j|    floor           j|   floor     prolonged meet in a mitre: one corner sticks out where two did.
//
// Owner: the caller's arena. Any thread.
#ifndef NAV_OUTLINE_EARS_H
#define NAV_OUTLINE_EARS_H

#include "core/outline/shapes.h"

typedef struct nav_ears {
    int64_t pocket2; // square units: twice the area that may be given up for a corner that no longer sticks out...
    int64_t mitre2;  // ...and the same where there is a new corner that sticks out in place of several
} nav_ears;

// Cuts pockets off the loops of one region, in place. The loops are simple, do not cross, and may touch at corners;
// coordinates below 2^20. fixed: NAV_FEWER_CORNER and NAV_FEWER_SEAM per corner; from: what nav_loops_simplify() gives.
// Both go with their corners; a corner that is new has 0 and -1. `shape` is not looked at. What is promised:
//
// - The new floor lies in the old one. Each cut takes what it may for each corner that no longer sticks out, twice that
//   at most, and less than half of its loop.
// - What is fixed stays. So a pocket that leads on anywhere does, too.
// - No loop lies in a pocket. Loops stay simple, apart, in order and of the same sense. So what is connected stays so,
//   and nothing else becomes so.
//
// The cheapest pockets go first, by area for each corner. Loops of very many corners keep most of theirs: the work has
// a limit. NAV_ERR_MEMORY, NAV_ERR_LIMIT.
NAV_MUST_USE nav_status nav_loops_cut_ears(nav_loops *loops, uint8_t *fixed, int32_t *from, const nav_ears *how,
                                           nav_arena *arena);

#endif
