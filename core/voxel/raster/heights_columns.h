// The fast way from samples to columns: no triangle at all where ground is whole. See heights_columns.c.
#ifndef NAV_VOXEL_HEIGHTS_COLUMNS_H
#define NAV_VOXEL_HEIGHTS_COLUMNS_H

#include "core/voxel/raster/heights_sheet.h"

// Fills all columns that it can, of pieces that nav_sheet_fits(). What it cannot is left to the triangles of the cells
// that it marks in *left, one byte for each of `cells`, row by row; NULL: to those of all, and nothing is filled. Bits
// only. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena, which holds *left until it is released.
NAV_MUST_USE nav_status nav_heights_fill_columns(raster *r, const nav_height_piece *pieces, uint32_t count,
                                                 const sheet_cells *cells, const nav_config *cfg, nav_arena *arena,
                                                 const uint8_t **left);

#endif
