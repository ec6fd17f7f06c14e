// Fitting: the cheapest chain of straight edges along an arc.
//
// An edge may run between any two candidates of the arc as long as every traced corner between them is within the error
// of it. A chain costs something per edge and per vertex, so the cheapest one to each candidate follows from the
// cheapest ones to those before it.
//
// Candidates are the corners where the arc turns, and one on either side of them: in the middle of a straight run there
// is nothing to gain. The costs are those of an agent's world. A vertex costs 1. A notch, where the contour turns into
// the floor, costs more, because the number of convex cells follows from the notches. And the contour runs better on
// the wall's side of the traced steps: what a wall only touches, and the radius around it, was taken from the floor by
// whole columns, so the true limit lies more than half a column behind them. Where there is floor on both sides,
// neither is better, and no turn is a notch.
//
// Sources: H. Imai and M. Iri, Polygonal approximations of a curve: formulations and algorithms (1988); the cone is
// J. Sklansky's and V. Gonzalez', Fast polygonal approximation of digitized curves (1980); squared distances from
// running sums as in P. Selinger, Potrace (2003).
#include "core/contour/fit.h"

#include "core/contour/fit_base.h"
#include "core/contour/fit_edges.h"
#include "core/contour/fit_v4.h"

#include <math.h>

enum {
    BESIDE_TURN = 2, // corners this far from a turn are candidates, too
    STARTS = 2,      // first corners to try for a closed loop
};

nav_status nav_contour_fit_init(contour_fit *fit, double error, int32_t corners, nav_arena *arena)
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
    *fit = (contour_fit){
        .corner = c, .chain = NAV_TAKE(arena, int32_t, n), .error = error, .plainly = !nav_fit_has_lanes(error)};
    for (int k = 0; k < 2; k++) {
        fit->inside[k] = NAV_TAKE(arena, uint32_t, n);
        fit->beyond[k] = NAV_TAKE(arena, uint32_t, n);
    }
    fit->plain = NAV_TAKE(arena, uint32_t, n);
    fit->turns = NAV_TAKE(arena, uint64_t, n / 64 + 2);
    bool taken = c.x && c.z && c.raw && c.turn && c.n && c.sx && c.sz && c.sxx && c.sxz && c.szz && c.cost && c.from;
    taken = taken && fit->chain && fit->inside[0] && fit->beyond[0] && fit->inside[1] && fit->beyond[1] && fit->plain &&
            fit->turns;
    return taken ? NAV_OK : nav_arena_failure(arena);
}

// How far apart candidates must be at most, so that a straight run can be cut into edges that are not too long.
static int32_t part_of_run(int32_t run, int32_t longest)
{
    if (longest <= 0 || run <= longest) return run;
    int32_t parts = (run + longest - 1) / longest;
    return (run + parts - 1) / parts;
}

// Sets bit k of fit->turns where the arc turns at corner a + k; its ends count as turns.
static void find_turns(contour_fit *fit, const nav_point *at, int32_t a, int32_t b)
{
    int32_t n = b - a;
    for (int32_t k = 0; k < n; k += 64) {
        int32_t first = k > 0 ? k : 1, end = n - k < 64 ? n : k + 64;
        fit->turns[k / 64] = turns_of(at + a + first, end - first) << (first - k);
    }
    if (n % 64 == 0) fit->turns[n / 64] = 0;
    fit->turns[0] |= 1;
    fit->turns[n / 64] |= UINT64_C(1) << (n & 63);
    fit->turns[n / 64 + 1] = 0;
}

// The corners of word w that stand BESIDE_TURN from a turn, on the same run.
static uint64_t beside_turns(const uint64_t *turns, int32_t w)
{
    uint64_t t = turns[w], before = w > 0 ? turns[w - 1] : 0, after = turns[w + 1];
    uint64_t behind_1 = t << 1 | before >> 63, behind_2 = t << 2 | before >> 62;
    uint64_t ahead_1 = t >> 1 | after << 63, ahead_2 = t >> 2 | after << 62;
    return (behind_2 & ~behind_1) | (ahead_2 & ~ahead_1);
}

// Steps from the turn at bit k to the next one in the given direction.
static int32_t run_length(const uint64_t *turns, int32_t k, int32_t step)
{
    int32_t to = k + step;
    while (!(turns[to >> 6] >> (to & 63) & 1)) to += step;
    return (to - k) * step;
}

// Lists the candidates. Every traced corner is written behind the last candidate, and counted when it is one.
static void list_candidates(contour_fit *fit, const nav_point *at, int32_t a, int32_t b, bool reversed)
{
    int32_t step = reversed ? -1 : 1, first = reversed ? b : a, longest = fit->longest, count = 0, run = 0,
            next_part = 0, part = 0;
    const fit_corners c = fit->corner;
    nav_point origin = at[first];
    double n = 0.0, sx = 0.0, sz = 0.0, sxx = 0.0, sxz = 0.0, szz = 0.0;
    uint32_t far = 0;
    find_turns(fit, at, a, b);
    uint64_t turns = 0, candidates = 0;
    for (int32_t i = 0, k = first; i <= b - a; i++, k += step) {
        int32_t bit = (k - a) & 63;
        if (i == 0 || bit == (reversed ? 63 : 0)) {
            turns = fit->turns[(k - a) / 64];
            candidates = turns | beside_turns(fit->turns, (k - a) / 64);
        }
        int32_t x = at[k].x - origin.x, z = at[k].z - origin.z;
        double dx = x, dz = z;
        bool turn = turns >> bit & 1, candidate = candidates >> bit & 1;
        n += i > 0;
        sx += dx;
        sz += dz;
        sxx += dx * dx;
        sxz += dx * dz;
        szz += dz * dz;
        c.x[count] = (float)x;
        c.z[count] = (float)z;
        c.raw[count] = k;
        c.turn[count] = -(int32_t)turn;
        c.n[count] = n;
        c.sx[count] = sx;
        c.sz[count] = sz;
        c.sxx[count] = sxx;
        c.sxz[count] = sxz;
        c.szz[count] = szz;
        if (longest > 0) {
            candidate |= ++run == next_part;
            if (run == next_part) next_part += part;
            if (turn && i < b - a) {
                part = part_of_run(run_length(fit->turns, k - a, step), longest);
                next_part = part;
                run = 0;
            }
        }
        count += candidate;
        far |= (uint32_t)(x ^ x >> 31) | (uint32_t)(z ^ z >> 31);
    }
    fit->corner.count = count;
    fit->exact = far <= FIT_EXACT_COLUMNS;
}

static bool find_reach(contour_fit *fit)
{
    if (fit->plainly || !fit->exact) return false;
    nav_fit_find_reach(fit);
    return true;
}

// Gives the flag to the vertices of the chain to `last`, but for its ends.
static void mark_chain(const fit_corners *c, int32_t last, uint8_t *flags, uint8_t flag)
{
    for (int32_t i = c->from[last]; c->from[i] != NO_CORNER; i = c->from[i]) flags[c->raw[i]] |= flag;
}

void nav_contour_fit_arc(contour_fit *fit, const nav_point *at, int32_t a, int32_t b, bool reversed, uint8_t *flags,
                         uint8_t flag)
{
    list_candidates(fit, at, a, b, reversed);
    bool by_lanes = find_reach(fit);
    nav_fit_find_chains(fit, 0, fit->corner.count - 1, by_lanes);
    mark_chain(&fit->corner, fit->corner.count - 1, flags, flag);
}

static bool is_notch(const fit_corners *c, int32_t p, int32_t v, int32_t n)
{
    double in_x = (double)c->x[v] - (double)c->x[p], in_z = (double)c->z[v] - (double)c->z[p];
    double out_x = (double)c->x[n] - (double)c->x[v], out_z = (double)c->z[n] - (double)c->z[v];
    return out_x * in_z - in_x * out_z < 0.0;
}

// Cost of the cheapest chain from corner s around the loop of n candidates; HUGE_VAL where it has no area.
static double loop_cost(contour_fit *fit, int32_t s, int32_t n, bool hole, bool by_lanes)
{
    const fit_corners *c = &fit->corner;
    nav_fit_find_chains(fit, s, s + n, by_lanes);
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

bool nav_contour_fit_loop(contour_fit *fit, const nav_point *at, int32_t a, int32_t b, bool hole, bool reversed,
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
