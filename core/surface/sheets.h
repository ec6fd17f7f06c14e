// Sheets: which triangles are floor in this tile's frame, for an agent that stands on more than floors.
#ifndef NAV_SURFACE_SHEETS_H
#define NAV_SURFACE_SHEETS_H

#include "core/geometry/tile_source.h"

enum {
    SURFACE_EXCLUDED = 128, // as an area: outside of all volumes that include ground
    SURFACE_NO_SHEET = 255,
};

typedef struct surface_sheets {
    const nav_triangles *triangles; // as gathered: the areas of all, whichever way they look
    const uint8_t *mine;            // per triangle: is it of the tile's sheet?
} surface_sheets;

// mine: the same triangles with the areas of those alone that are of the tile's sheet. Each triangle is of one sheet at
// most, and of the same in every tile. NAV_ERR_MEMORY, NAV_ERR_LIMIT: the arena's.
NAV_MUST_USE nav_status nav_surface_choose_sheets(const nav_triangles *triangles, const nav_config *cfg,
                                                  nav_arena *arena, surface_sheets *out, nav_triangles *mine);

// The sheet that a triangle of an area is of; SURFACE_NO_SHEET: nobody stands on it. verts: 9 numbers in the frame of
// the tile's sheet.
uint8_t nav_surface_sheet_of(const nav_config *cfg, const float *verts, uint8_t area);

// Not a unit vector: twice the triangle's area long. verts: 9 numbers in the frame of the sheet; the world's normal.
void nav_surface_world_normal(nav_sheet sheet, const float *verts, double out[3]);

#endif
