// The height samples inside a convex polygon: centres of every sample'th column along x and z, counted from the tile's
// corner, that are at least half a sample away from every edge. Row by row; a row's ends are computed, not searched.
//
//        #-----------------#
//        |   .   .   .   . |       # corners, . samples
//        |   .   .   .  /
//        #-------------#
#ifndef NAV_DETAIL_SAMPLER_H
#define NAV_DETAIL_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

enum { NAV_SAMPLER_CORNERS = 6 };

typedef struct nav_sampler {
    int32_t sample, edge_count;
    int32_t x, last_x, z, last_z; // columns; x beyond last_x: the row is done
    // Edge i keeps the points with dz * x >= at_zero + dx * z.
    double dx[NAV_SAMPLER_CORNERS], dz[NAV_SAMPLER_CORNERS], at_zero[NAV_SAMPLER_CORNERS], per_dz[NAV_SAMPLER_CORNERS];
} nav_sampler;

// Corners in columns, right-hand normal to +Y.
void nav_sampler_init(nav_sampler *s, int32_t sample, int32_t corner_count, const double *x, const double *z);

// Are there none in the bounds of the polygon, and so none in it?
static inline bool nav_sampler_is_empty(const nav_sampler *s)
{
    return s->z > s->last_z - s->sample;
}

// The next sample's column. False: there are no more.
bool nav_sampler_next(nav_sampler *s, int32_t *x, int32_t *z);

#endif
