// The order of a tile's triangles.
#ifndef NAV_SURFACE_ORDER_H
#define NAV_SURFACE_ORDER_H

#include "core/geometry/tile_source.h"

// out: the same triangles, in an order that does not depend on the one that they come in: by place, and what is in one
// place by all numbers. NAV_ERR_LIMIT, NAV_ERR_MEMORY: the arena's.
NAV_MUST_USE nav_status nav_surface_order(const nav_triangles *triangles, const nav_tile_source *source,
                                          nav_arena *arena, nav_triangles *out);

#endif
