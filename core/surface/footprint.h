// The footprint of a solid thing: what it covers as seen from above, whole, whatever tile asks.
#ifndef NAV_SURFACE_FOOTPRINT_H
#define NAV_SURFACE_FOOTPRINT_H

#include "core/base/arena.h"
#include "core/base/plane.h"
#include "core/geometry/config.h"
#include "core/geometry/mesh.h"
#include "navcore/shapes.h"

// Places are outline units from the tile's lower corner, on the world's grid: two tiles have the same ones.
typedef struct surface_footprint {
    int32_t tri_count;
    nav_point *tri; // 3 each: the inside
    int32_t loop_count;
    int32_t *first;      // loop_count + 1
    nav_point *at;       // loops around it, the inside to their left; no place follows itself
    nav_point low, high; // of all places
    double bottom, top;  // steps from the world's origin
} surface_footprint;

// What finding it works with, kept from one thing to the next.
typedef struct surface_prism surface_prism;

// *solid: the instance's mesh is a prism that stands upright: level sheets of one outline, and walls along all of it
// from the lowest to the highest, or no walls and one sheet. Then *out is its footprint. Nothing else is
// solid: of what has slopes, openings or parts that overlap no outline is sound for all floors. NAV_ERR_MEMORY.
// *work: NULL at first. What *out points to stays until it is used again.
NAV_MUST_USE nav_status nav_surface_footprint_of(const nav_config *cfg, const nav_instance *instance, nav_arena *arena,
                                                 surface_prism **work, surface_footprint *out, bool *solid);
// Of a volume; not solid: it lies too far away.
NAV_MUST_USE nav_status nav_surface_footprint_of_volume(const nav_config *cfg, const nav_volume *volume,
                                                        nav_arena *arena, surface_footprint *out, bool *solid);

#endif
