// Fitting: the cheapest chain of straight edges along an arc.
//
// An edge may run between any two candidates of the arc as long as every traced corner between them is within the error
// of it. A chain costs something per edge and per vertex, so the cheapest one to each candidate follows from the
// cheapest ones to those before it.
//
//          .__                  The edges from i: a corner k farther than the error from i leaves a cone of directions
//     i --'   .k- .             in which an edge can pass it. Where the cones have nothing in common any more, no edge
//      '-.__       .            from i goes on.
//           '-
//
// Candidates are the corners where the arc turns, and one on either side of them: in the middle of a straight run there
// is nothing to gain. The costs are those of an agent's world. A vertex costs 1. A notch, where the outline turns into
// the floor, costs more, because the number of convex cells follows from the notches. And the outline runs better on
// the wall's side of the traced steps: what a wall only touches, and the radius around it, was taken from the floor by
// whole cells, so the true limit lies more than half a cell behind them. Where there is floor on both sides, neither is
// better, and no turn is a notch.
//
// Sources: H. Imai and M. Iri, Polygonal approximations of a curve: formulations and algorithms (1988); the cone is
// J. Sklansky's and V. Gonzalez', Fast polygonal approximation of digitized curves (1980); squared distances from
// running sums as in P. Selinger, Potrace (2003).
#include "core/outline/fit.h"

#include <math.h>
#include <stddef.h>

enum {
    BESIDE_TURN = 2, // corners this far from a turn are candidates, too
    FARTHEST = 256,  // candidates that an edge may pass
    STARTS = 2,      // first corners to try for a closed loop
};

// Per corner and squared cell of distance from where the outline had best be.
static const double OFF_COST = 0.05;
// A corner begins no edge where a later one is reached cheaper by this much: what it could still win back is less.
static const double OVERTAKEN_BY = 0.2;

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

static void add_corner(fit_corner *sums, nav_point p, nav_point origin)
{
    double x = p.x - origin.x, z = p.z - origin.z;
    sums->x = x;
    sums->z = z;
    sums->n += 1.0;
    sums->sx += x;
    sums->sz += z;
    sums->sxx += x * x;
    sums->sxz += x * z;
    sums->szz += z * z;
}

// How far apart candidates must be at most, so that a straight run can be cut into edges that are not too long.
static int32_t part_of_run(int32_t run, int32_t longest)
{
    if (longest <= 0 || run <= longest) return run;
    int32_t parts = (run + longest - 1) / longest;
    return (run + parts - 1) / parts;
}

// Lists the candidates, run by run. Returns how many.
static int32_t list_candidates(outline_fit *fit, const nav_point *at, int32_t a, int32_t b, bool reversed)
{
    int32_t step = reversed ? -1 : 1, k = reversed ? b : a, end = reversed ? a : b, count = 0;
    nav_point origin = at[k];
    fit_corner c = {.raw = k, .turn = true};
    fit->corner[count++] = c;
    while (k != end) {
        int32_t dx = at[k + step].x - at[k].x, dz = at[k + step].z - at[k].z, run = 1, stop = k + step;
        for (; stop != end && at[stop + step].x - at[stop].x == dx && at[stop + step].z - at[stop].z == dz; run++)
            stop += step;
        int32_t part = part_of_run(run, fit->longest);
        for (int32_t i = 1; i <= run; i++) {
            k += step;
            add_corner(&c, at[k], origin);
            c.raw = k;
            c.turn = i == run;
            if (c.turn || i == BESIDE_TURN || run - i == BESIDE_TURN || i % part == 0) fit->corner[count++] = c;
        }
    }
    return count;
}

// The sum, over the traced corners behind a up to b, of the squared distance between the line through the edge and
// where it had best be.
static double off_cost(const fit_corner *a, const fit_corner *b, double len2, double offset)
{
    double dx = b->x - a->x, dz = b->z - a->z, n = b->n - a->n, px = a->x, pz = a->z;
    double sx = b->sx - a->sx, sz = b->sz - a->sz;
    double sxx = b->sxx - a->sxx - 2.0 * px * sx + n * px * px;
    double szz = b->szz - a->szz - 2.0 * pz * sz + n * pz * pz;
    double sxz = b->sxz - a->sxz - px * sz - pz * sx + n * px * pz;
    double sum = dz * (sx - n * px) - dx * (sz - n * pz);
    double squares = dz * dz * sxx - 2.0 * dx * dz * sxz + dx * dx * szz;
    return squares / len2 - 2.0 * offset * sum / sqrt(len2) + n * offset * offset;
}

static bool is_notch(const fit_corner *p, const fit_corner *v, const fit_corner *n)
{
    return (n->x - v->x) * (v->z - p->z) - (v->x - p->x) * (n->z - v->z) < 0.0;
}

// Are the corners that lie beyond the end of the edge from i to j within the error of j?
static bool end_holds(const fit_corner *i, const fit_corner *j, double len2, double error2)
{
    double dx = j->x - i->x, dz = j->z - i->z;
    for (const fit_corner *k = i + 1; k < j; k++) {
        double x = k->x - j->x, z = k->z - j->z;
        if ((k->x - i->x) * dx + (k->z - i->z) * dz > len2 && x * x + z * z > error2) return false;
    }
    return true;
}

// Offers the edges from corner[i] to all corners that it can reach.
static void offer_edges(const outline_fit *fit, fit_corner *corner, int32_t i, int32_t count)
{
    const double error2 = fit->error * fit->error;
    const double longest2 = fit->longest > 0 ? (double)fit->longest * fit->longest : HUGE_VAL;
    const fit_corner *c = &corner[i], *before = c->from >= 0 ? &corner[c->from] : NULL;
    direction left = {0}, right = {0};
    bool open = true;  // no corner stands in any direction's way so far
    double far2 = 0.0; // squared distance of the farthest corner passed
    int32_t end = count - i > FARTHEST ? i + FARTHEST : count;
    for (int32_t j = i + 1; j < end; j++) {
        fit_corner *to = &corner[j];
        direction v = {to->x - c->x, to->z - c->z};
        double len2 = v.x * v.x + v.z * v.z, cost = c->cost + 1.0;
        if (cost < to->cost && len2 > 0.0 && len2 <= longest2 && (open || in_cone(left, right, v)) &&
            (far2 <= len2 || end_holds(c, to, len2, error2))) {
            if (before && is_notch(before, c, to)) cost += fit->notch;
            cost += OFF_COST * off_cost(c, to, len2, fit->offset);
            if (cost < to->cost) {
                to->cost = cost;
                to->from = i;
            }
        }
        if (!to->turn || len2 <= error2) continue;
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

static bool is_overtaken(const fit_corner *corner, int32_t i, int32_t count)
{
    double least = corner[i].cost - OVERTAKEN_BY;
    for (int32_t j = i + 1; j < count && corner[j].cost < HUGE_VAL; j++)
        if (corner[j].cost < least) return true;
    return false;
}

static void find_chains(const outline_fit *fit, fit_corner *corner, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        corner[i].cost = i ? HUGE_VAL : 0.0;
        corner[i].from = -1;
    }
    for (int32_t i = 0; i + 1 < count; i++)
        if (!is_overtaken(corner, i, count)) offer_edges(fit, corner, i, count);
}

static void mark_chain(const fit_corner *corner, int32_t end, uint8_t *flags, uint8_t flag)
{
    for (int32_t i = corner[end].from; i > 0; i = corner[i].from) flags[corner[i].raw] |= flag;
}

void outline_fit_arc(outline_fit *fit, const nav_point *at, int32_t a, int32_t b, bool reversed, uint8_t *flags,
                     uint8_t flag)
{
    int32_t count = list_candidates(fit, at, a, b, reversed);
    find_chains(fit, fit->corner, count);
    mark_chain(fit->corner, count - 1, flags, flag);
}

// Cost of the cheapest chain from corner s around the loop of n candidates; HUGE_VAL where it has no area.
static double loop_cost(const outline_fit *fit, fit_corner *s, int32_t n, bool hole)
{
    find_chains(fit, s, n + 1);
    int32_t after = n;
    double area = 0.0;
    for (int32_t i = n; i > 0; i = s[i].from) {
        const fit_corner *p = &s[s[i].from], *q = &s[i];
        area += p->x * q->z - q->x * p->z;
        after = i;
    }
    if (hole ? area <= 0.0 : area >= 0.0) return HUGE_VAL;
    return s[n].cost + (is_notch(&s[s[n].from], s, &s[after]) ? fit->notch : 0.0);
}

bool outline_fit_loop(outline_fit *fit, const nav_point *at, int32_t a, int32_t b, bool hole, bool reversed,
                      uint8_t *flags, uint8_t flag)
{
    fit_corner *c = fit->corner;
    int32_t n = list_candidates(fit, at, a, b, reversed) - 1;
    // The candidates once more, so that a round can begin at any of the first.
    for (int32_t i = 1; i <= n; i++) {
        c[n + i] = c[i];
        c[n + i].n += c[n].n;
        c[n + i].sx += c[n].sx;
        c[n + i].sz += c[n].sz;
        c[n + i].sxx += c[n].sxx;
        c[n + i].sxz += c[n].sxz;
        c[n + i].szz += c[n].szz;
    }
    double best = HUGE_VAL;
    int32_t start = -1;
    for (int32_t s = 0; s < n && s < STARTS; s++) {
        double cost = loop_cost(fit, c + s, n, hole != reversed);
        if (cost < best) {
            best = cost;
            start = s;
        }
    }
    if (start < 0) return false;
    find_chains(fit, c + start, n + 1);
    mark_chain(c + start, n, flags, flag);
    flags[c[start].raw] |= flag;
    flags[a] |= flags[b] & flag;
    return true;
}
