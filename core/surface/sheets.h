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
    const uint8_t *settled;         // per triangle: the sheet that those around it have settled, or SURFACE_NO_SHEET
} surface_sheets;

// mine: the same triangles with the areas of those alone that are of the tile's sheet. Each triangle is of one sheet at
// most, and of the same in every tile. NAV_ERR_MEMORY, NAV_ERR_LIMIT: the arena's.
NAV_MUST_USE nav_status nav_surface_choose_sheets(const nav_triangles *triangles, const nav_config *cfg,
                                                  nav_arena *arena, surface_sheets *out, nav_triangles *mine);

// Does the agent stand on a triangle, whichever sheet that is of?
bool nav_surface_is_ground(const surface_sheets *sheets, const nav_config *cfg, uint32_t triangle);

// Of a gathered triangle: the world's normal, twice the triangle's area long. verts: 9 numbers in the sheet's frame.
void nav_surface_world_normal(nav_sheet sheet, const float *verts, double out[3]);

// Fine surface between two sheets would crumble: a triangle no larger than the agent's radius, to which two axes are
// nearly equally near, goes with the mean of all within the radius that look much the same way. settled: the sheets
// of these, SURFACE_NO_SHEET for all others. NAV_ERR_MEMORY, NAV_ERR_LIMIT: the arena's.
NAV_MUST_USE nav_status nav_surface_settle_sheets(const nav_triangles *triangles, const nav_config *cfg,
                                                  nav_arena *arena, uint8_t *settled);

#endif
