// Volumes of agents that climb, as rooms in space: surface of any slope is cut along their sides, floors and ceilings.
#ifndef NAV_SURFACE_ROOMS_H
#define NAV_SURFACE_ROOMS_H

#include "core/geometry/tile_source.h"

// out: the triangles cut along all volumes that touch the tile. Parts within one that sets an area have it, the highest
// of several; parts within one that blocks have NAV_AREA_NONE, and its sides are obstacles besides; parts outside of
// all that include ground, where there are any, have SURFACE_EXCLUDED. NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_surface_cut_rooms(const nav_triangles *triangles, const nav_tile_source *source,
                                              const nav_config *cfg, nav_arena *arena, nav_triangles *out);

#endif
