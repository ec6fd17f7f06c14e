// Which faces lie where. Made when the first one is asked for.
#ifndef NAV_SURFACE_FACES_AT_H
#define NAV_SURFACE_FACES_AT_H

#include "core/surface/surface.h"

#include <stdbool.h>

typedef struct faces_at {
    const nav_surface *surface;
    nav_arena *arena;
    int32_t side, cell; // cells along the tile, units to one; 0: not made yet
    int32_t *first;     // per cell, and one more
    int32_t *item;
} faces_at;

NAV_MUST_USE nav_status nav_faces_at_make(faces_at *f, const nav_surface *surface, int32_t tile_units,
                                          nav_arena *arena);
static inline int32_t faces_at_cell(const faces_at *f, int32_t at)
{
    int32_t c = at / f->cell;
    return at < 0 ? 0 : c >= f->side ? f->side - 1 : c;
}

// The height of the region's faces at a place, in steps: of those that hold it the one nearest to `near`, else of the
// nearest corner. False: the region has no face near it.
bool nav_faces_at_height(const faces_at *f, int32_t region, int32_t x, int32_t z, double near, double *height);
// The same, but false where none of them holds it.
bool nav_faces_at_holds(const faces_at *f, int32_t region, int32_t x, int32_t z, double near, double *height);

#endif
