// Where one line of a chain goes over into the next.
#ifndef NAV_OUTLINE_FEWER_MITRE_H
#define NAV_OUTLINE_FEWER_MITRE_H

#include "core/outline/fewer_chain.h"

// Twice the area that the chain sweeps, as seen from its origin, from corner i of what is left to corner j.
double nav_fewer_area_along(const fewer_chain *c, int32_t i, int32_t j);

#define FEWER_ROUNDING 2.0 // a corner on the grid is nearer than this to where the lines meet

typedef enum fewer_fit {
    FEWER_FITS,
    FEWER_NO,
    FEWER_TOO_FAR, // from the chain: with a chain that turns left only, lines that end earlier are, too
} fewer_fit;

typedef struct fewer_mitre {
    double x, z;   // where the lines meet
    double area;   // twice the area between there and the chain
    int32_t split; // the last corner of the chain that belongs to the first line
} fewer_mitre;

// Is corner k of the chain left of line t, but for max_inward? Sets *tip where it is right of it.
bool nav_fewer_is_left(const fewer_chain *c, const fewer_line *t, int32_t k, bool *tip);

// May line t, which begins behind the end of s, follow it? blocked: the chain between is not left of t, so that the way
// cannot turn left. tips: some of it is right of t.
fewer_fit nav_fewer_mitre(const fewer_chain *c, fewer_line *s, const fewer_line *t, bool blocked, bool tips,
                          fewer_mitre *m);

// The corner on the grid that is nearest to the mitre and not left of either line; false where none is near.
bool nav_fewer_round(const fewer_chain *c, const fewer_line *s, const fewer_line *t, const fewer_mitre *m,
                     fewer_corner *corner);

#endif
