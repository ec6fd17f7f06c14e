// What gathering needs to know of a height grid's cells.
#ifndef NAV_GEOMETRY_GATHER_HEIGHTS_H
#define NAV_GEOMETRY_GATHER_HEIGHTS_H

#include "core/geometry/heights.h"

// Of what a tile can see of the piece: its samples and areas, and where they lie. area: the instance's.
nav_key nav_height_piece_key(const nav_height_piece *p, uint8_t area);
// Cells with ground.
uint32_t nav_height_piece_cells(const nav_height_piece *p);
// The heights of its samples, moved.
void nav_height_piece_heights(const nav_height_piece *p, float *low, float *high);
// A bit for each area type that its ground has where the slope allows.
uint64_t nav_height_piece_areas(const nav_height_piece *p);

// The triangles of cells with ground, from (*column, *row) of the piece on, as many as a leaf takes, in the grid's own
// space; the rest is 0. own: their areas, as the grid says. Moves on; 0: there are no more.
int nav_height_leaf_fill(const nav_height_piece *p, uint32_t *column, uint32_t *row, nav_mesh_leaf *leaf,
                         uint8_t own[NAV_MESH_FANOUT]);

#endif
