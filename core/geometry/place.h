// Where the grid lies in the world. Any thread.
#ifndef NAV_GEOMETRY_PLACE_H
#define NAV_GEOMETRY_PLACE_H

#include <stdint.h>

// World coordinate of a place on an axis, in metres. local: columns from the tile's lower corner; for heights, voxels,
// and tile is 0. step_m: side of a column or height of a voxel. Every vertex is placed by this one formula, in double
// and rounded once, so both tiles of a border get the same float.
static inline float nav_place(double origin_m, int32_t tile, int32_t tile_columns, double step_m, double local)
{
    return (float)(origin_m + ((double)tile * (double)tile_columns + local) * step_m);
}

#endif
