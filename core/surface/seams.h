// What the files that find seams share.
#ifndef NAV_SURFACE_SEAMS_H
#define NAV_SURFACE_SEAMS_H

#include "core/surface/surface_work.h"

// How far the agent stays from an edge of a gathered triangle that another one is behind, or SURFACE_SEAM. shared: a
// place that both have.
float nav_surface_away(const surface_mesh *m, uint32_t from, uint32_t to, const float shared[3]);

#endif
