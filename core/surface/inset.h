// Where the agent's centre may not go: loops of regions become those that are the radius away from what is in the way.
#ifndef NAV_SURFACE_INSET_H
#define NAV_SURFACE_INSET_H

#include "core/surface/surface_work.h"

// loops: of all regions; those with nothing in the way stay as they are. several: floors may lie above each other.
// counts: shapes and corners of their unions are added. NAV_ERR_LIMIT: too much is in the way. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_surface_inset(surface_mesh *m, const surface_faces *f, const nav_surface *surface,
                                          const nav_triangles *triangles, const nav_tile_source *source, bool several,
                                          surface_loops *loops, uint32_t counts[2]);

#endif
