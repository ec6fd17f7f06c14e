// Where the grid lies in the world. Any thread.
#ifndef NAV_GEOMETRY_PLACE_H
#define NAV_GEOMETRY_PLACE_H

#include <stdint.h>

// World coordinate of a place on an axis, in metres. local: columns, or outline units, from the tile's lower corner, of
// which it has `columns`; for heights voxels, and tile is 0. step_m: side of one, or height of a voxel. Every vertex is
// placed by this one formula, in double and rounded once, so both tiles of a border get the same float, and so do a
// place in columns and the same one in outline units.
static inline float nav_place(double origin_m, int32_t tile, int32_t columns, double step_m, double local)
{
    return (float)(origin_m + ((double)tile * (double)columns + local) * step_m);
}

#endif
