// What ends a floor, or stands on it: pieces seen from above, each with the triangle of the floor that it is in the way
// of.
#ifndef NAV_SURFACE_BLOCKERS_H
#define NAV_SURFACE_BLOCKERS_H

#include "core/outline/shapes.h"
#include "core/surface/surface_work.h"

typedef struct surface_blockers {
    nav_shapes shapes; // 1 or 2 corners, or 3 and more
    int32_t *triangle; // per shape: of the mesh
    int32_t edges;     // the first so many are ends of the floor: 2 corners, the floor to the right of them
    int32_t capacity;
} surface_blockers;

// Does a volume keep the agent out?
bool nav_surface_is_blocked(const nav_config *cfg, const nav_volume *volume);

// All that may change the tile. Ends of the floor: edges that nothing is joined to, in pieces from side to side of the
// world's tiles, so that two tiles have the same ones. On the floor: what of any other triangle is higher above it than
// the agent climbs and lower than the agent is high, and blocking volumes. several: floors may lie above each other.
// NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_surface_find_blockers(surface_mesh *m, const nav_triangles *triangles,
                                                  const nav_tile_source *source, bool several, surface_blockers *out);

#endif
