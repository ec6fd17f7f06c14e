// Rings of corners, each with the next, the last with the first.
#ifndef NAV_BASE_RING_H
#define NAV_BASE_RING_H

#include "core/base/plane.h"

// Is the point inside? On an edge counts as either.
bool nav_ring_holds(const nav_point *ring, int32_t count, nav_point p);
// Does an edge of it pass the point, or a corner lie there?
bool nav_ring_passes(const nav_point *ring, int32_t count, nav_point p);
// Is another ring inside, of which no edge crosses this one? They may touch: its corners that lie on both say nothing.
bool nav_ring_holds_ring(const nav_point *ring, int32_t count, const nav_point *other, int32_t other_count);

#endif
