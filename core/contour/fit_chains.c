// Chains, and offers of the edges that were found to be within reach (fit_reach.c).
#include "core/contour/fit_base.h"
#include "core/contour/fit_edges.h"
#include "core/contour/fit_v4.h"

#include <math.h>

enum { OFFERED = 8 }; // corners that are looked at together

// nav_fit_offer_plainly(), where it is known what is within reach.
static inline void offer_found(contour_fit *fit, int32_t i, int32_t end)
{
    uint64_t inside = fit->inside[0][i] | (uint64_t)fit->inside[1][i] << 32;
    if (end - i <= FIT_REACH) inside &= (UINT64_C(1) << (end - i - 1)) - 1;
    uint64_t beyond = inside & (fit->beyond[0][i] | (uint64_t)fit->beyond[1][i] << 32);
    for (int32_t j = i + 1; inside; j += OFFERED, inside >>= OFFERED, beyond >>= OFFERED) {
        unsigned in = wanted(fit, i, j, inside & 0xff);
        for (unsigned check = in & (unsigned)beyond; check; check &= check - 1)
            if (!nav_fit_end_holds(fit, i, j + __builtin_ctz(check))) in &= ~(check & -check);
        if (in) offer_to(fit, i, j, in);
    }
}

void nav_fit_find_chains(contour_fit *fit, int32_t first, int32_t last, bool found)
{
    fit_corners *c = &fit->corner;
    for (int32_t i = first; i <= last + FIT_PADDING; i++) c->cost[i] = HUGE_VAL;
    c->cost[first] = 0.0;
    c->from[first] = NO_CORNER;
    for (int32_t i = first; i < last; i++) {
        if (is_overtaken(fit, i)) continue;
        if (found && !fit->plain[i]) {
            offer_found(fit, i, last + 1);
        } else {
            nav_fit_offer_plainly(fit, i, last + 1);
        }
    }
}
