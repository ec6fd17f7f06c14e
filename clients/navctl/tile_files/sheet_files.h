// Walls and ceilings for Detour: a multi-tile file for each sheet, in the sheet's frame, where it is floor, and a table
// of the seams between them.
//
//     NAME.bin  ->  NAME.up.bin  NAME.x+.bin  ...  NAME.seams.json
//
// Layout of the table: docs/formats.md.
#ifndef NAVCTL_SHEET_FILES_H
#define NAVCTL_SHEET_FILES_H

#include "clients/navctl/tile_files/store.h"
#include "core/base/buffer.h"

// Of each place of the grids its tile in navd's encoding, for the seams.
typedef struct sheet_cells {
    nav_buffer *tiles;
    uint64_t count;
} sheet_cells;

// Room for the tiles of a grid. False: no memory.
bool sheet_cells_init(sheet_cells *c, uint64_t count);
void sheet_cells_deinit(sheet_cells *c); // accepts a zeroed one
// For generate_options.made, with the sheet_cells as user: takes a tile, in place of what its place had before.
nav_status sheet_cells_take(void *user, uint64_t place, const nav_tile *tile);

// Those that have cells, in the order of their places, for store_draw(); the caller frees the list. NULL: no memory.
stored_tile *sheet_cells_list(const sheet_cells *c, uint32_t *count);

// The name of a sheet's file, or with NAV_SHEET_COUNT of the table; the caller frees it. NULL: no memory.
char *sheet_files_name(const char *path, int which);
// Could the files be put there? Asked before long work begins. False with one line on stderr.
bool sheet_files_are_possible(const char *path, uint32_t sheets);

// tiles: Detour's, sheet by sheet. Each file is written whole or not at all, the table last; a sheet without ground has
// no file. *seams: how many there are. False with one line on stderr.
bool sheet_files_write(const char *path, const nav_settings *settings, const stored_tile *tiles, uint32_t count,
                       const sheet_cells *cells, const nav_parallel *parallel, uint32_t *seams);

#endif
