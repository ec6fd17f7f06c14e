// What ends a floor, or stands on it: convex shapes that the agent's centre may not enter, each with the triangles of
// the floor that it is in the way of.
//
//     footprint.c   what is solid, as seen from above
//     solids.c      which floors it is in the way of, and its shapes
//     ends.c        shapes along the ends of the floor
//     offset.c      an edge moved outwards by the radius, with its corners
//     blockers.c    pieces of all else
#ifndef NAV_SURFACE_BLOCKERS_H
#define NAV_SURFACE_BLOCKERS_H

#include "core/outline/shapes.h"
#include "core/surface/surface_work.h"

typedef struct surface_blocker {
    nav_point low, high;        // it counts for no region that lies outside of this
    int32_t start, start_count; // in `starts`
    // Of an end of the floor: the line that its outer edge lies on, to a rounding; the same in every tile, whatever
    // that sees of the edge's ends. The same place twice: there is none.
    nav_point line[2];
} surface_blocker;

typedef struct surface_blockers {
    nav_shapes shapes;
    surface_blocker *of; // per shape
    int32_t ends;        // the first so many are of ends of the floor
    int32_t *starts;     // triangles of the mesh
    int32_t capacity, start_count, start_capacity;
} surface_blockers;

// Does a volume keep the agent out?
bool nav_surface_is_blocked(const nav_config *cfg, const nav_volume *volume);

// All that may change the tile. Ends of the floor: edges that nothing is joined to. On the floor: what is higher above
// it than the agent climbs and lower than the agent is high, and blocking volumes. several: floors may lie above each
// other. region: per triangle, of its face in the tile, or 0. A shape that lies on a border is what both tiles find.
// NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_surface_find_blockers(surface_mesh *m, const nav_triangles *triangles,
                                                  const nav_tile_source *source, bool several, const int32_t *region,
                                                  int32_t region_count, surface_blockers *out);

#endif
