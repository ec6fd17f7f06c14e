// What lies within several distances of a place, on a picture of a mesh: each distance in its colour.
#ifndef NAVCTL_PICTURE_BANDS_H
#define NAVCTL_PICTURE_BANDS_H

#include "clients/navctl/drawing/page.h"

#include <stdint.h>

enum { PICTURE_BANDS_MAX = 8 };

// The ground within a distance: convex polygons. Outline i has the points first[i] up to first[i + 1].
typedef struct picture_band {
    const float *points; // borrowed; x y z, metres
    const uint32_t *first;
    uint32_t outline_count;
    double distance_m;
} picture_band;

typedef struct picture_bands {
    picture_band items[PICTURE_BANDS_MAX]; // by distance: each holds those before it
    uint32_t count;
    float at[3];
} picture_bands;

colour picture_band_colour(const picture_bands *bands, uint32_t band);
// Only outlines with a point within these heights.
void picture_bands_paint(const page *p, const picture_bands *bands, const double slice[2]);

#endif
