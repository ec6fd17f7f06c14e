// The tiles of a scene: of each sheet a grid that covers it, one grid after the other, so that one number is the place
// of a tile among all.
#ifndef NAVCTL_SHEET_GRIDS_H
#define NAVCTL_SHEET_GRIDS_H

#include "clients/navctl/scene/scene.h"
#include "navcore/settings.h"

typedef struct sheet_grid {
    nav_sheet sheet;
    int32_t first[2], count[2]; // tiles along the frame's x and z
    uint64_t place;             // of its first tile; row by row from there: z major
} sheet_grid;

typedef struct sheet_grids {
    sheet_grid grids[NAV_SHEET_COUNT];
    uint32_t count;
    uint64_t total; // tiles of all
} sheet_grids;

// Scene bounds to the grid of settings->sheet. False where it would have more than 2^26 tiles.
bool sheet_grid_of(const scene *s, const nav_settings *settings, int32_t first[2], int32_t count[2]);
// The grids of all settings->sheets. False where they have more than 2^26 tiles together.
bool sheet_grids_of(const scene *s, const nav_settings *settings, sheet_grids *out);
// One tile of each sheet.
void sheet_grids_of_tile(const nav_settings *settings, const int32_t tile[2], sheet_grids *out);

// The grid that a place is in, and its tile.
const sheet_grid *sheet_grids_at(const sheet_grids *g, uint64_t place, int32_t *x, int32_t *z);

#endif
