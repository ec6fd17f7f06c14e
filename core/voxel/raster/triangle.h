// What the files that rasterise triangles share: the triangle at hand, where its fragments go, and the rounding rules.
// All arithmetic is in doubles on world grid coordinates: a column's fragment is the same whichever tile asks for it.
#ifndef NAV_VOXEL_TRIANGLE_H
#define NAV_VOXEL_TRIANGLE_H

#include "core/voxel/raster/bit_columns.h"
#include "core/voxel/raster/fragments.h"

// Geometry this close to a grid line counts as on it (columns, voxels): the rounding of floats must not make a floor at
// 0.6 m fill the voxel above it.
static const double SLACK = 1e-4;
// What takes heights out of minima and maxima: more than any of them.
static const double BEYOND = 1e300;

static const double NOTHING_LOW = 1e300, NOTHING_HIGH = -1e300;

typedef struct point {
    double x, y, z;
    int32_t cell; // that x lies in
} point;

typedef struct triangle {
    const point *a, *b, *c; // corners, from the lowest in z upwards
    double lowest, highest;
    int32_t bottom_row, top_row; // rows that it covers
    int32_t first, last;         // those of them inside of the field
    int32_t left, right;         // columns of the field that it covers, or more
} triangle;

// Lowest and highest point over each column of a row. One guard column on both sides takes what lies outside of the
// field.
typedef struct row {
    double *low, *high;
} row;

typedef struct raster {
    int32_t width;
    int32_t first_x, first_z;                         // world grid coordinates of column 0
    double origin[3], inv_cell_size, inv_cell_height; // of the world's grid, metres
    row here, above; // the row at hand and the next one; always empty between triangles
    bool in_bits;    // where fragments go
    nav_bit_columns bits;
    nav_fragments fragments;
    uint32_t area;  // of the triangle at hand
    uint64_t *tops; // of its area type
} raster;

static inline int32_t floor_to_int(double v) // coordinates stay below 2^29
{
    int32_t whole = (int32_t)v;
    return whole - ((double)whole > v);
}

static inline int32_t ceil_to_int(double v)
{
    return -floor_to_int(-v);
}

static inline double min2(double a, double b)
{
    return a < b ? a : b;
}

static inline double max2(double a, double b)
{
    return a > b ? a : b;
}

// A point just below a grid line belongs to the column above it.
static inline int32_t column_of(double x)
{
    return floor_to_int(x + SLACK);
}

static inline void set_area(raster *r, uint8_t area)
{
    r->area = area;
    r->tops = r->in_bits ? r->bits.area_tops[area] : NULL;
}

// Voxels [bottom, top) over `count` columns in a row.
static inline void fill(raster *r, int32_t column, int32_t count, int32_t bottom, int32_t top)
{
    if (r->in_bits)
        nav_bit_columns_fill(&r->bits, column, count, bottom, top, r->tops);
    else
        nav_fragments_put(&r->fragments, column, count, bottom, top, r->area);
}

// The solid between two heights.
static inline void emit(raster *r, int32_t column, int32_t count, double low, double high)
{
    int32_t bottom = floor_to_int(low + SLACK), top = ceil_to_int(high - SLACK);
    fill(r, column, count, bottom, top > bottom ? top : bottom + 1);
}

// The plain twin: takes any triangle.
void nav_triangle_by_edges(raster *r, const float v[9]);

// F64_LANES triangles at a time.
void nav_triangles_by_lanes(raster *r, const nav_triangles *tris);

#endif
