// Chooses the corners of an arc that make the cheapest outline within the error.
#ifndef NAV_OUTLINE_FIT_H
#define NAV_OUTLINE_FIT_H

#include "core/outline/plane.h"

// A corner that may become a vertex. Sums are over all traced corners from the arc's first up to this one.
typedef struct fit_corner {
    double x, z;  // cells, relative to the arc's first corner; all whole numbers that fit 53 bits, as are the sums
    double cost;  // of the cheapest chain that ends here
    int32_t from; // the vertex before this one on it; -1 for the first
    int32_t raw;  // position in the raw list
    bool turn;    // the arc turns here
    double n, sx, sz, sxx, sxz, szz;
} fit_corner;

typedef struct outline_fit {
    fit_corner *corner; // room for twice the corners of the longest arc, and two more
    double error;       // cells
    double notch;       // cost of a notch, in vertices
    double offset;      // cells by which an edge had best run to the left of the traced corners
    int32_t longest;    // cells an edge may be long; 0: any
} outline_fit;

// Gives `flag` to the corners strictly between raw positions a and b that become vertices. The arc is walked from b to
// a where it is `reversed`.
void outline_fit_arc(outline_fit *fit, const nav_point *at, int32_t a, int32_t b, bool reversed, uint8_t *flags,
                     uint8_t flag);

// Likewise for a closed loop, whose first corner is at a and again at b, and may not be chosen. The loop is a hole when
// walked forwards; the result has area on the same side as the traced loop, or is none: then false.
bool outline_fit_loop(outline_fit *fit, const nav_point *at, int32_t a, int32_t b, bool hole, bool reversed,
                      uint8_t *flags, uint8_t flag);

#endif
