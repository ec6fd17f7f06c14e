// Where one line of a chain goes over into the next.
#ifndef NAV_OUTLINE_FEWER_MITRE_H
#define NAV_OUTLINE_FEWER_MITRE_H

#include "core/outline/fewer_chain.h"

// Twice the area that the chain sweeps, as seen from its origin, from corner i of what is left to corner j.
double nav_fewer_area_along(const fewer_chain *c, int32_t i, int32_t j);

// May line t, which begins behind the end of s, follow it? The corner where they meet, rounded to what is free, and
// twice the area between it and the chain.
bool nav_fewer_mitre(const fewer_chain *c, const fewer_line *s, const fewer_line *t, fewer_corner *mitre, double *area);

#endif
