// Where one line of a chain goes over into the next.
#ifndef NAV_OUTLINE_FEWER_MITRE_H
#define NAV_OUTLINE_FEWER_MITRE_H

#include "core/outline/fewer_chain.h"

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
static inline bool nav_fewer_is_left(const fewer_chain *c, const fewer_line *t, int32_t k, bool *tip)
{
    double side = (c->x[k] - t->x) * t->dz - t->dx * (c->z[k] - t->z);
    if (side > 0.0) *tip = true;
    return side <= c->max_inward * t->len;
}

// Do the lines meet ahead of the end of s and behind the beginning of t? blocked: not in a left turn.
static inline bool nav_fewer_meet(const fewer_line *s, const fewer_line *t, bool blocked)
{
    double turn = t->dx * s->dz - s->dx * t->dz, wx = t->x - s->ex, wz = t->z - s->ez;
    double ahead = t->dx * wz - wx * t->dz, behind = wx * s->dz - s->dx * wz;
    return turn > 0.0 ? ahead >= 0.0 && behind >= 0.0 : turn < 0.0 && !blocked && ahead <= 0.0 && behind <= 0.0;
}

// May line t, which begins behind the end of s and meets it, follow it? tips: some of the chain between is right of t.
// most: twice the area that may be lost, at least that is too much.
fewer_fit nav_fewer_mitre(const fewer_chain *c, fewer_line *s, const fewer_line *t, bool tips, double most,
                          fewer_mitre *m);

// The corner on the grid that is nearest to the mitre and not left of either line; false where none is near.
bool nav_fewer_round(const fewer_chain *c, const fewer_line *s, const fewer_line *t, const fewer_mitre *m,
                     fewer_corner *corner);

#endif
