// Edges offered from one corner to the next ones, one after the other.
//
//          .__                  The edges from i: a corner k farther than the error from i leaves a cone of directions
//     i --'   .k- .             in which an edge can pass it. Where the cones have nothing in common any more, no edge
//      '-.__       .            from i goes on.
//           '-
#include "core/contour/fit_edges.h"

#include <math.h>

typedef struct direction {
    double x, z;
} direction;

static double cross(direction a, direction b)
{
    return a.x * b.z - a.z * b.x;
}

static bool in_cone(direction left, direction right, direction v)
{
    return cross(left, v) <= 0.0 && cross(right, v) >= 0.0;
}

static direction between(const fit_corners *c, int32_t a, int32_t b)
{
    return (direction){(double)c->x[b] - (double)c->x[a], (double)c->z[b] - (double)c->z[a]};
}

// The sum, over the traced corners behind a up to b, of the squared distance between the line through the edge and
// where it had best be.
static double off_cost(const fit_corners *c, int32_t a, int32_t b, double len2, double offset)
{
    double dx = (double)c->x[b] - (double)c->x[a], dz = (double)c->z[b] - (double)c->z[a];
    double n = c->n[b] - c->n[a], px = c->x[a], pz = c->z[a];
    double sx = c->sx[b] - c->sx[a], sz = c->sz[b] - c->sz[a];
    double sxx = c->sxx[b] - c->sxx[a] - 2.0 * px * sx + n * px * px;
    double szz = c->szz[b] - c->szz[a] - 2.0 * pz * sz + n * pz * pz;
    double sxz = c->sxz[b] - c->sxz[a] - px * sz - pz * sx + n * px * pz;
    double sum = dz * (sx - n * px) - dx * (sz - n * pz);
    double squares = dz * dz * sxx - 2.0 * dx * dz * sxz + dx * dx * szz;
    return squares / len2 - 2.0 * offset * sum / sqrt(len2) + n * offset * offset;
}

void nav_fit_offer(contour_fit *fit, int32_t i, int32_t j)
{
    fit_corners *c = &fit->corner;
    direction v = between(c, i, j);
    int32_t before = c->from[i];
    double cost = c->cost[i] + 1.0;
    if (before >= 0 && cross(between(c, before, i), v) > 0.0) cost += fit->notch;
    cost += FIT_OFF_COST * off_cost(c, i, j, v.x * v.x + v.z * v.z, fit->offset);
    if (cost >= c->cost[j]) return;
    c->cost[j] = cost;
    c->from[j] = i;
}

bool nav_fit_end_holds(const contour_fit *fit, int32_t i, int32_t j)
{
    const fit_corners *c = &fit->corner;
    direction d = between(c, i, j);
    double len2 = d.x * d.x + d.z * d.z, error2 = fit->error * fit->error;
    for (int32_t k = i + 1; k < j; k++) {
        direction to = between(c, j, k), at = between(c, i, k);
        if (at.x * d.x + at.z * d.z > len2 && to.x * to.x + to.z * to.z > error2) return false;
    }
    return true;
}

void nav_fit_offer_plainly(contour_fit *fit, int32_t i, int32_t end)
{
    const fit_corners *c = &fit->corner;
    const double error2 = fit->error * fit->error;
    const double longest2 = fit->longest > 0 ? (double)fit->longest * fit->longest : HUGE_VAL;
    direction left = {0}, right = {0};
    bool open = true;  // no corner stands in any direction's way so far
    double far2 = 0.0; // squared distance of the farthest corner passed
    if (end - i > FIT_FARTHEST) end = i + FIT_FARTHEST;
    for (int32_t j = i + 1; j < end; j++) {
        direction v = between(c, i, j);
        double len2 = v.x * v.x + v.z * v.z;
        if (c->cost[i] + 1.0 < c->cost[j] && len2 > 0.0 && len2 <= longest2 && (open || in_cone(left, right, v)) &&
            (far2 <= len2 || nav_fit_end_holds(fit, i, j)))
            nav_fit_offer(fit, i, j);
        if (!c->turn[j] || len2 <= error2) continue;
        if (len2 > far2) far2 = len2;
        double near = sqrt(len2 - error2), e = fit->error;
        direction l = {v.x * near - v.z * e, v.z * near + v.x * e}, r = {v.x * near + v.z * e, v.z * near - v.x * e};
        bool l_in = open || in_cone(left, right, l), r_in = open || in_cone(left, right, r);
        if (!l_in && !r_in && !in_cone(l, r, left)) return;
        if (l_in) left = l;
        if (r_in) right = r;
        open = false;
    }
}
