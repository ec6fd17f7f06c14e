// Which corners the edges from a corner can reach, for as many corners at a time as a register has lanes.
//
//      lane     0     1     2     3  ...      Every lane walks from its own corner i to i + 1, i + 2, ... with the
//      step 1   0-1   1-2   2-3   3-4         cone of directions that nav_fit_offer_plainly() keeps, and sets bit
//      step 2   0-2   1-3   2-4   3-5         k - 1 if corner i + k is in it.
//
// The plain walk decides by the signs of cross products alone. Here they have single precision: where one is too close
// to 0 for its sign to be certain, the lane gives up and leaves its corner to the plain walk. So both make the same
// offers. Differences of exact corners are exact; the direction of a tangent is off by less than MARGIN / 3.
#include "core/contour/fit_edges.h"

#include "core/lanes/f32xn.h"

#include <math.h>

static const float MARGIN = 8e-6f; // radians

typedef struct lane_vector {
    f32xn x, z;
} lane_vector;

static inline f32xn cross(lane_vector a, lane_vector b)
{
    return a.x * b.z - a.z * b.x;
}

static inline lane_vector pick(f32xn_mask m, lane_vector yes, lane_vector no)
{
    return (lane_vector){f32xn_pick(m, yes.x, no.x), f32xn_pick(m, yes.z, no.z)};
}

bool nav_fit_has_lanes(double error)
{
    // So that the nearest corners beyond the error are beyond it by enough.
    double error2 = error * error;
    return error >= 0.1 && error <= 8.0 && floor(error2) + 1.0 - error2 >= 0.01;
}

// For F32_LANES corners from i on.
static void look(contour_fit *fit, int32_t i, int32_t last, float longest2)
{
    const fit_corners *c = &fit->corner;
    const float error2 = (float)(fit->error * fit->error);
    const f32xn zero = f32xn_of(0), near2 = f32xn_of(floorf(error2)), most2 = f32xn_of(longest2);
    const f32xn x = f32xn_load(c->x + i), z = f32xn_load(c->z + i);
    lane_vector left = {zero, zero}, right = left; // no corner stands in the way so far: all directions are in the cone
    f32xn far2 = zero;
    f32xn_mask alive = f32xn_first(last - i), open = alive, unsure = f32xn_first(0);
    int32_t steps = last - i < FIT_REACH ? last - i : FIT_REACH, step = 1;
    for (int half = 0; half < 2; half++) {
        u32xn inside = {0}, beyond = {0}, bit = inside + 1;
        for (int32_t stop = steps < 32 * (half + 1) ? steps : 32 * (half + 1); step <= stop && f32xn_any(alive);
             step++) {
            lane_vector v = {f32xn_load(c->x + i + step) - x, f32xn_load(c->z + i + step) - z};
            f32xn len2 = v.x * v.x + v.z * v.z;
            f32xn a = cross(left, v), b = cross(right, v), nearer = f32xn_nearer(a, b);
            f32xn_mask in = alive & f32xn_up_to(a, zero) & f32xn_up_to(zero, b) & f32xn_below(zero, len2) &
                            f32xn_up_to(len2, most2);
            f32xn_mask doubt = ~open & f32xn_up_to(nearer * nearer, MARGIN * MARGIN * len2);
            inside = u32xn_with_bit(in, inside, bit);
            beyond = u32xn_with_bit(in & f32xn_below(len2, far2), beyond, bit);
            bit <<= 1;
            f32xn_mask far = alive & f32xn_load_mask(c->turn + i + step) & f32xn_below(near2, len2);
            far2 = f32xn_pick(far & f32xn_below(far2, len2), len2, far2);
            f32xn scale = f32xn_about_inverse(len2);
            f32xn n = f32xn_sqrt(len2 - error2) * scale, e = (float)fit->error * scale;
            lane_vector l = {v.x * n - v.z * e, v.z * n + v.x * e}, r = {v.x * n + v.z * e, v.z * n - v.x * e};
            f32xn ll = cross(left, l), rl = cross(right, l), lr = cross(left, r), rr = cross(right, r);
            f32xn_mask l_in = f32xn_up_to(ll, zero) & f32xn_up_to(zero, rl);
            f32xn_mask r_in = f32xn_up_to(lr, zero) & f32xn_up_to(zero, rr);
            f32xn_mask closed = far & ~l_in & ~r_in & ~(f32xn_up_to(zero, ll) & f32xn_up_to(lr, zero));
            nearer = f32xn_nearer(f32xn_nearer(ll, rl), f32xn_nearer(lr, rr));
            doubt |= far & ~open & f32xn_up_to(nearer, f32xn_of(MARGIN));
            left = pick(far & l_in, l, left);
            right = pick(far & r_in, r, right);
            open &= ~far;
            unsure |= alive & doubt;
            alive &= ~(closed | doubt);
        }
        u32xn_store(fit->inside[half] + i, inside);
        u32xn_store(fit->beyond[half] + i, beyond);
    }
    // Lanes that are still alive with corners ahead can reach farther than there are bits.
    if (last - i > FIT_REACH) unsure |= alive & f32xn_first(last - i - FIT_REACH);
    u32xn plain = u32xn_with_bit(unsure, (u32xn){0}, (u32xn){0} + 1);
    u32xn_store(fit->plain + i, plain);
}

void nav_fit_find_reach(contour_fit *fit)
{
    fit_corners *c = &fit->corner;
    int32_t last = c->count - 1;
    const float longest2 = fit->longest > 0 && fit->longest < 4096 ? (float)(fit->longest * fit->longest) : HUGE_VALF;
    for (int k = 1; k <= FIT_PADDING; k++) {
        c->x[last + k] = c->z[last + k] = NAN; // in no cone
        c->turn[last + k] = 0;
    }
    for (int32_t i = 0; i < last; i += F32_LANES) look(fit, i, last, longest2);
}
