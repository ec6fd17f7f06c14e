// Fitting corner by corner, at levels below v4. Empty at v4, where fit_v4.h has the same functions.
#ifndef NAV_CONTOUR_FIT_BASE_H
#define NAV_CONTOUR_FIT_BASE_H

#include "core/contour/fit_edges.h"
#include "core/lanes/width.h"

#include <math.h>

#if NAV_SIMD_BYTES < 64
// Bits of the corners p[0] to p[n - 1], n up to 64, that are not halfway between their neighbours.
static inline uint64_t turns_of(const nav_point *p, int32_t n)
{
    uint64_t turns = 0;
    for (int32_t k = 0; k < n; k++, p++)
        turns |= (uint64_t)(p[-1].x + p[1].x != 2 * p->x || p[-1].z + p[1].z != 2 * p->z) << k;
    return turns;
}

// Is a later corner cheaper to reach than corner i by FIT_OVERTAKEN_BY? Looks at the corners reached so far.
static inline bool is_overtaken(const contour_fit *fit, int32_t i)
{
    const double *cost = fit->corner.cost, least = cost[i] - FIT_OVERTAKEN_BY;
    for (int32_t j = i + 1; cost[j] < HUGE_VAL; j++)
        if (cost[j] < least) return true;
    return false;
}

// nav_fit_offer() to corners j + k for the bits k of `in`.
static inline void offer_to(contour_fit *fit, int32_t i, int32_t j, unsigned in)
{
    for (; in; in &= in - 1) nav_fit_offer(fit, i, j + __builtin_ctz(in));
}

// Which of `in` have a cost above that of an edge from i at least?
static inline unsigned wanted(const contour_fit *fit, int32_t i, int32_t j, unsigned in)
{
    unsigned want = 0;
    double cost = fit->corner.cost[i] + 1.0;
    for (int k = 0; k < 8; k++) want |= (unsigned)(cost < fit->corner.cost[j + k]) << k;
    return in & want;
}
#endif

#endif
