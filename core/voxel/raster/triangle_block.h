// Triangles side by side, one in each lane: moved to the grid, settled and bounded as the plain twin does it. At first
// only their kinds are found (nav_triangle_batch_read()). Then they wait for others that are walked in the same way,
// and are prepared together (nav_triangle_block_fill()).
#ifndef NAV_VOXEL_TRIANGLE_BLOCK_H
#define NAV_VOXEL_TRIANGLE_BLOCK_H

#include "core/lanes/f64xn.h"
#include "core/voxel/raster/triangle.h"

// What it takes to walk a triangle; in each batch a bit for every triangle.
typedef enum triangle_kind {
    TRIANGLE_TINY,    // within one column
    TRIANGLE_FLAT,    // of one height
    TRIANGLE_SMALL,   // within 2 by 2 columns of the field and a word of voxels
    TRIANGLE_COLUMN,  // within one column
    TRIANGLE_ROW,     // within one row
    TRIANGLE_MIDDLE,  // as small ones, but 4 by 4 columns
    TRIANGLE_PLAIN,   // none of all this
    TRIANGLE_UPRIGHT, // has no plane
    TRIANGLE_STEEP,   // too thin for its height to have a plane that one can trust
    TRIANGLE_KINDS
} triangle_kind;

enum { SMALL_COLUMNS = 2, MIDDLE_COLUMNS = 4 };

typedef struct triangle_batch {
    unsigned of_kind[TRIANGLE_KINDS];
    int32_t column[F64_LANES], row[F64_LANES];     // of the field, where tiny
    int32_t low_vx[F64_LANES], high_vx[F64_LANES]; // that it fills
} triangle_batch;

// Triangles `first` to `first` + F64_LANES - 1, or as many as there are.
void nav_triangle_batch_read(triangle_batch *b, const raster *r, const nav_triangles *tris, uint32_t first);

typedef struct triangle_block {
    // Corners, from the lowest in z upwards.
    _Alignas(NAV_SIMD_BYTES) double ax[F64_LANES];
    double ay[F64_LANES], az[F64_LANES], bx[F64_LANES], by[F64_LANES], bz[F64_LANES], cx[F64_LANES], cy[F64_LANES],
        cz[F64_LANES];
    double ac_x[F64_LANES], ac_y[F64_LANES], ab_x[F64_LANES], ab_y[F64_LANES], bc_x[F64_LANES],
        bc_y[F64_LANES];                                                  // edges: x and y along z
    double a_column[F64_LANES], b_column[F64_LANES], c_column[F64_LANES]; // columns of the corners
    double b_last[F64_LANES]; // the last that b is not just at the border of
    double b_row[F64_LANES];
    // Corners by x, and the edges between them: y along x.
    double ux[F64_LANES], uy[F64_LANES], vx[F64_LANES], vy[F64_LANES];
    double uv[F64_LANES], vw[F64_LANES], uw[F64_LANES];
    double plane_x[F64_LANES], plane_z[F64_LANES]; // slopes; 0 where the triangle is upright
    double loose[F64_LANES]; // 0, or BEYOND where the triangle is upright: its plane binds nothing
    double least_x[F64_LANES], most_x[F64_LANES];
    double lowest[F64_LANES], highest[F64_LANES];
    double column[F64_LANES];                           // the first that it covers
    double bottom_line[F64_LANES], top_line[F64_LANES]; // grid lines around the rows that it covers
    int32_t first[F64_LANES], last[F64_LANES];          // rows of the world's grid, inside of the field
    int32_t left[F64_LANES], right[F64_LANES];          // columns of the field that it covers, or more
    int32_t low_vx[F64_LANES];                          // the first that it fills
    int32_t end_vx[F64_LANES];                          // that none of its columns goes beyond
} triangle_block;

// All of them of one kind, not tiny. Level ones and those within a column get no plane and no slopes along x.
void nav_triangle_block_fill(triangle_block *b, const raster *r, triangle_kind kind, const nav_triangles *tris,
                             const uint32_t which[F64_LANES]);

#endif
