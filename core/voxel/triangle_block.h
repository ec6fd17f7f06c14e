// As many triangles as there are lanes, made ready for the walks side by side: moved to the grid, settled, bounded,
// sorted, their slopes worked out, and told apart by what it takes to walk them. Does what nav_triangle_prepare() does
// for one.
#ifndef NAV_VOXEL_TRIANGLE_BLOCK_H
#define NAV_VOXEL_TRIANGLE_BLOCK_H

#include "core/voxel/lanes.h"
#include "core/voxel/triangle.h"

typedef struct triangle_block {
    // Corners, from the lowest in z upwards.
    _Alignas(NAV_SIMD_BYTES) double ax[LANES];
    double ay[LANES], az[LANES], bx[LANES], by[LANES], bz[LANES], cx[LANES], cy[LANES], cz[LANES];
    double ac_x[LANES], ac_y[LANES], ab_x[LANES], ab_y[LANES], bc_x[LANES], bc_y[LANES]; // edges: x and y along z
    double b_cell[LANES], b_last[LANES]; // cells of b: that it lies in, and the last that it is not just a border of
    double b_row[LANES];
    // Corners by x, and the edges between them: y along x.
    double ux[LANES], uy[LANES], vx[LANES], vy[LANES];
    double uv[LANES], vw[LANES], uw[LANES];
    double plane_x[LANES], plane_z[LANES]; // slopes; 0 where the triangle is upright
    double least_x[LANES], most_x[LANES], lowest[LANES], highest[LANES];
    double bottom_line[LANES], top_line[LANES];  // grid lines around the rows that it covers
    double column[LANES];                        // the first that it covers, inside of the field or not
    int32_t first[LANES], last[LANES];           // rows of the world's grid, inside of the field
    int32_t left[LANES], right[LANES];           // columns of the field that it covers, or more
    int32_t low_level[LANES], high_level[LANES]; // that it fills
    int32_t end_level[LANES];                    // that none of its cells goes beyond
    // A bit for each triangle, in one of these where there is something to walk.
    unsigned tiny;   // within one cell
    unsigned level;  // one height
    unsigned narrow; // within one column
    unsigned upright;
    unsigned steep; // too thin for its height to have a plane that one can trust
    unsigned plain; // none of this
} triangle_block;

// verts: of `count` triangles, 9 floats each, count >= 1. More than LANES of them count as LANES.
void nav_triangle_block_fill(triangle_block *b, const raster *r, const float *verts, uint32_t count);

#endif
