// Fitting: the cheapest chain of straight edges along an arc.
//
// An edge may run between any two candidates of the arc as long as every traced corner between them is within the error
// of it. A chain costs something per edge and per vertex, so the cheapest one to each candidate follows from the
// cheapest ones to those before it.
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

#include "core/outline/fit_edges.h"

#include <math.h>

enum {
    BESIDE_TURN = 2, // corners this far from a turn are candidates, too
    STARTS = 2,      // first corners to try for a closed loop
};

nav_status outline_fit_init(outline_fit *fit, double error, int32_t corners, nav_arena *arena)
{
    size_t n = (size_t)corners + STARTS + FIT_PADDING;
    fit_corners c = {.x = NAV_TAKE(arena, float, n), .z = NAV_TAKE(arena, float, n)};
    c.raw = NAV_TAKE(arena, int32_t, n);
    c.turn = NAV_TAKE(arena, int32_t, n);
    c.n = NAV_TAKE(arena, double, n);
    c.sx = NAV_TAKE(arena, double, n);
    c.sz = NAV_TAKE(arena, double, n);
    c.sxx = NAV_TAKE(arena, double, n);
    c.sxz = NAV_TAKE(arena, double, n);
    c.szz = NAV_TAKE(arena, double, n);
    c.cost = NAV_TAKE(arena, double, n);
    c.from = NAV_TAKE(arena, int32_t, n);
    *fit = (outline_fit){
        .corner = c, .chain = NAV_TAKE(arena, int32_t, n), .error = error, .plainly = !fit_has_lanes(error)};
    for (int k = 0; k < 2; k++) {
        fit->inside[k] = NAV_TAKE(arena, uint32_t, n);
        fit->beyond[k] = NAV_TAKE(arena, uint32_t, n);
    }
    fit->plain = NAV_TAKE(arena, uint32_t, n);
    bool taken = c.x && c.z && c.raw && c.turn && c.n && c.sx && c.sz && c.sxx && c.sxz && c.szz && c.cost && c.from;
    taken = taken && fit->chain && fit->inside[0] && fit->beyond[0] && fit->inside[1] && fit->beyond[1] && fit->plain;
    return taken ? NAV_OK : nav_arena_failure(arena);
}

// How far apart candidates must be at most, so that a straight run can be cut into edges that are not too long.
static int32_t part_of_run(int32_t run, int32_t longest)
{
    if (longest <= 0 || run <= longest) return run;
    int32_t parts = (run + longest - 1) / longest;
    return (run + parts - 1) / parts;
}

typedef struct fit_sums {
    int64_t x, z, n, sx, sz, sxx, sxz, szz;
} fit_sums;

static void add_candidate(fit_corners *c, const fit_sums *s, int32_t raw, bool turn)
{
    int32_t i = c->count++;
    c->x[i] = (float)s->x;
    c->z[i] = (float)s->z;
    c->raw[i] = raw;
    c->turn[i] = -(int32_t)turn;
    c->n[i] = (double)s->n;
    c->sx[i] = (double)s->sx;
    c->sz[i] = (double)s->sz;
    c->sxx[i] = (double)s->sxx;
    c->sxz[i] = (double)s->sxz;
    c->szz[i] = (double)s->szz;
}

// Lists the candidates, run by run.
static void list_candidates(outline_fit *fit, const nav_point *at, int32_t a, int32_t b, bool reversed)
{
    int32_t step = reversed ? -1 : 1, k = reversed ? b : a, end = reversed ? a : b;
    fit_corners *c = &fit->corner;
    fit_sums s = {0};
    int64_t far = 0;
    c->count = 0;
    add_candidate(c, &s, k, true);
    while (k != end) {
        int32_t dx = at[k + step].x - at[k].x, dz = at[k + step].z - at[k].z, run = 1, stop = k + step;
        for (; stop != end && at[stop + step].x - at[stop].x == dx && at[stop + step].z - at[stop].z == dz; run++)
            stop += step;
        int32_t part = part_of_run(run, fit->longest), next_part = part;
        for (int32_t i = 1; i <= run; i++) {
            k += step;
            s.x += dx;
            s.z += dz;
            s.n++;
            s.sx += s.x;
            s.sz += s.z;
            s.sxx += s.x * s.x;
            s.sxz += s.x * s.z;
            s.szz += s.z * s.z;
            if (i == next_part || i == BESIDE_TURN || run - i == BESIDE_TURN || i == run)
                add_candidate(c, &s, k, i == run);
            if (i == next_part) next_part += part;
        }
        far |= (s.x < 0 ? -s.x : s.x) | (s.z < 0 ? -s.z : s.z);
    }
    fit->exact = far <= FIT_EXACT_CELLS;
}

static bool find_reach(outline_fit *fit)
{
    if (fit->plainly || !fit->exact) return false;
    fit_find_reach(fit);
    return true;
}

// The cheapest chains from corner `first` on to all corners up to and with `last`.
static void find_chains(outline_fit *fit, int32_t first, int32_t last, bool by_lanes)
{
    fit_corners *c = &fit->corner;
    for (int32_t i = first; i <= last + FIT_PADDING; i++) c->cost[i] = HUGE_VAL;
    c->cost[first] = 0.0;
    c->from[first] = NO_CORNER;
    for (int32_t i = first; i < last; i++) {
        if (fit_is_overtaken(fit, i)) continue;
        int32_t end = last + 1 - i > FIT_FARTHEST ? i + FIT_FARTHEST : last + 1;
        if (by_lanes && !fit->plain[i]) {
            fit_offer_found(fit, i, end);
        } else {
            fit_offer_plainly(fit, i, end);
        }
    }
}

// Gives the flag to the vertices of the chain to `last`, but for its ends.
static void mark_chain(const fit_corners *c, int32_t last, uint8_t *flags, uint8_t flag)
{
    for (int32_t i = c->from[last]; c->from[i] != NO_CORNER; i = c->from[i]) flags[c->raw[i]] |= flag;
}

void outline_fit_arc(outline_fit *fit, const nav_point *at, int32_t a, int32_t b, bool reversed, uint8_t *flags,
                     uint8_t flag)
{
    list_candidates(fit, at, a, b, reversed);
    bool by_lanes = find_reach(fit);
    find_chains(fit, 0, fit->corner.count - 1, by_lanes);
    mark_chain(&fit->corner, fit->corner.count - 1, flags, flag);
}

static bool is_notch(const fit_corners *c, int32_t p, int32_t v, int32_t n)
{
    double in_x = (double)c->x[v] - (double)c->x[p], in_z = (double)c->z[v] - (double)c->z[p];
    double out_x = (double)c->x[n] - (double)c->x[v], out_z = (double)c->z[n] - (double)c->z[v];
    return out_x * in_z - in_x * out_z < 0.0;
}

// Cost of the cheapest chain from corner s around the loop of n candidates; HUGE_VAL where it has no area.
static double loop_cost(outline_fit *fit, int32_t s, int32_t n, bool hole, bool by_lanes)
{
    const fit_corners *c = &fit->corner;
    find_chains(fit, s, s + n, by_lanes);
    int32_t after = s + n;
    double area = 0.0;
    for (int32_t i = s + n; i > s; i = c->from[i]) {
        int32_t p = c->from[i];
        area += (double)c->x[p] * (double)c->z[i] - (double)c->x[i] * (double)c->z[p];
        after = i;
    }
    if (hole ? area <= 0.0 : area >= 0.0) return HUGE_VAL;
    return c->cost[s + n] + (is_notch(c, c->from[s + n], s, after) ? fit->notch : 0.0);
}

// Lists candidate `i` of a closed loop of n once more, behind the last one, so that a round can begin there.
static void list_again(fit_corners *c, int32_t i, int32_t n)
{
    int32_t to = c->count++;
    c->x[to] = c->x[i];
    c->z[to] = c->z[i];
    c->raw[to] = c->raw[i];
    c->turn[to] = c->turn[i];
    c->n[to] = c->n[i] + c->n[n];
    c->sx[to] = c->sx[i] + c->sx[n];
    c->sz[to] = c->sz[i] + c->sz[n];
    c->sxx[to] = c->sxx[i] + c->sxx[n];
    c->sxz[to] = c->sxz[i] + c->sxz[n];
    c->szz[to] = c->szz[i] + c->szz[n];
}

bool outline_fit_loop(outline_fit *fit, const nav_point *at, int32_t a, int32_t b, bool hole, bool reversed,
                      uint8_t *flags, uint8_t flag)
{
    fit_corners *c = &fit->corner;
    list_candidates(fit, at, a, b, reversed);
    int32_t n = c->count - 1, vertices = 0;
    for (int32_t i = 1; i < n && i < STARTS; i++) list_again(c, i, n);
    bool by_lanes = find_reach(fit);
    double best = HUGE_VAL;
    for (int32_t s = 0; s < n && s < STARTS; s++) {
        double cost = loop_cost(fit, s, n, hole != reversed, by_lanes);
        if (cost >= best) continue;
        best = cost;
        vertices = 0;
        for (int32_t i = c->from[s + n]; i != NO_CORNER; i = c->from[i]) fit->chain[vertices++] = c->raw[i];
    }
    for (int32_t i = 0; i < vertices; i++) flags[fit->chain[i]] |= flag;
    flags[a] |= flags[b] & flag;
    return vertices > 0;
}
