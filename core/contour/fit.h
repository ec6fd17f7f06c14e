// Chooses the corners of an arc that make the cheapest contour within the error.
#ifndef NAV_CONTOUR_FIT_H
#define NAV_CONTOUR_FIT_H

#include "core/base/arena.h"
#include "core/base/plane.h"

// The corners of an arc that may become vertices, field by field, and what is known of the chains that end there.
typedef struct fit_corners {
    int32_t count;
    float *x, *z;  // columns, relative to the arc's first corner: whole numbers
    int32_t *raw;  // position in the raw list
    int32_t *turn; // the arc turns here: all bits, or none
    // Sums over all traced corners from the arc's first up to this one: whole numbers that fit 53 bits.
    double *n, *sx, *sz, *sxx, *sxz, *szz;
    double *cost;  // of the cheapest chain that ends here
    int32_t *from; // the vertex before this one on it; NO_CORNER for the first
} fit_corners;

typedef struct contour_fit {
    fit_corners corner;
    // Per corner i what edges from there can reach, where that was found by lanes: bit k of word k / 32 stands for
    // corner i + 1 + k. beyond: some corner lies beyond the end of such an edge. plain: not 0 where it was not found.
    uint32_t *inside[2], *beyond[2], *plain;
    uint64_t *turns; // where the arc at hand turns, by bits
    int32_t *chain;  // raw positions of a loop's vertices
    double error;    // columns
    double notch;    // cost of a notch, in vertices
    double offset;   // columns by which an edge had best run to the left of the traced corners
    int32_t longest; // columns an edge may be long; 0: any
    bool plainly;    // edges are offered to one corner after the other
    bool exact;      // the corners are so near to each other that products of differences are exact floats
} contour_fit;

// Makes room for arcs and loops of so many traced corners.
nav_status nav_contour_fit_init(contour_fit *fit, double error, int32_t corners, nav_arena *arena);

// Gives `flag` to the corners strictly between raw positions a and b that become vertices. The arc is walked from b to
// a where it is `reversed`.
void nav_contour_fit_arc(contour_fit *fit, const nav_point *at, int32_t a, int32_t b, bool reversed, uint8_t *flags,
                         uint8_t flag);

// Likewise for a closed loop, whose first corner is at a and again at b, and may not be chosen. The loop is a hole when
// walked forwards; the result has area on the same side as the traced loop, or is none: then false.
bool nav_contour_fit_loop(contour_fit *fit, const nav_point *at, int32_t a, int32_t b, bool hole, bool reversed,
                          uint8_t *flags, uint8_t flag);

#endif
