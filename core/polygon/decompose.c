// Fewest portals for a floor plan: an exact search, iteratively deepened.
//
//        +--------+       A portal from a notch v takes it away where it lies in the wedge between the prolonged edges
//        |        |       of v. One that lies in the wedges of both its ends takes two notches away, so r notches need
//    +---v - - - -v---+   at least r / 2 portals. A notch without such a partner costs a whole portal: the bound that
//    |                |   cuts the search.
//    +----------------+
//
// Source: R. Oliva and N. Pelechano, NEOGEN (2013): notches, areas of interest and portals; J. Fernandez et al. (2000):
// the bound. The search is navd's own.
#include "core/polygon/decompose.h"

#include <assert.h>
#include <stddef.h>

enum { STEPS = 60, RAYS = PLAN_PORTALS + 2 };

typedef struct candidate {
    int32_t corner; // the other end
    int32_t rank;   // 0: takes both ends' notches away, 1: its own, 2: neither alone; slivers come after all others
    int64_t length2;
} candidate;

typedef struct notch {
    int32_t corner;
    candidate list[PLAN_CORNERS];
    int32_t listed;
    int32_t halves;    // half portals that the notch costs at least
    int32_t ray[RAYS]; // corners that edges and portals lead to, from the next corner around to the one before
    int32_t rays;
} notch;

typedef struct search {
    const plan *p;
    notch notches[PLAN_NOTCHES];
    int32_t notch_of[PLAN_CORNERS]; // -1: none
    portal chosen[PLAN_PORTALS];
    int32_t chosen_count;
    int32_t steps;
} search;

// At corner v between the directions to `later` and `sooner`, as met when walking around the loop.
static bool is_straight_or_less(nav_point later, nav_point v, nav_point sooner)
{
    int64_t turn = nav_right(later, v, sooner);
    return turn > 0 || (turn == 0 && nav_between(later, sooner, v));
}

void plan_find_notches(plan *p)
{
    p->notches = 0;
    p->notch_count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        if (is_straight_or_less(p->at[p->prev[i]], p->at[i], p->at[p->next[i]])) continue;
        p->notches |= UINT64_C(1) << i;
        p->notch_count++;
    }
}

static bool is_inside_corner(const plan *p, int32_t v, nav_point q)
{
    return nav_in_corner(p->at[p->prev[v]], p->at[v], p->at[p->next[v]], q) > 0;
}

// Is nothing of the plan between corner i and the point b, which is a corner or on the edge from corner `on`?
static bool is_clear(const plan *p, int32_t i, nav_point b, int32_t on)
{
    nav_point a = p->at[i];
    int64_t side[PLAN_CORNERS];
    for (int32_t k = 0; k < p->count; k++) {
        side[k] = nav_right(a, b, p->at[k]);
        if (side[k] == 0 && nav_between(a, b, p->at[k])) return false;
    }
    for (int32_t k = 0; k < p->count; k++) {
        int32_t n = p->next[k];
        if (k == on || !((side[k] < 0 && side[n] > 0) || (side[k] > 0 && side[n] < 0))) continue;
        int64_t ca = nav_right(p->at[k], p->at[n], a), cb = nav_right(p->at[k], p->at[n], b);
        if ((ca < 0 && cb > 0) || (ca > 0 && cb < 0)) return false;
    }
    return true;
}

// Do the two corners see each other through the inside?
static bool is_visible(const plan *p, int32_t i, int32_t j)
{
    return is_inside_corner(p, i, p->at[j]) && is_inside_corner(p, j, p->at[i]) && is_clear(p, i, p->at[j], -1);
}

static bool is_in_wedge(const plan *p, int32_t v, nav_point q)
{
    return is_straight_or_less(p->at[p->prev[v]], p->at[v], q) && is_straight_or_less(q, p->at[v], p->at[p->next[v]]);
}

static bool has_single_portal(const plan *p, int32_t i)
{
    for (int32_t j = 0; j < p->count; j++)
        if (j != i && is_in_wedge(p, i, p->at[j]) && is_visible(p, i, j)) return true;
    return false;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

// Narrows *low to *high to the t for which value + t * slope >= 0.
static void narrow(int64_t value, int64_t slope, int64_t *low, int64_t *high)
{
    if (slope == 0) {
        if (value < 0) *high = *low - 1;
    } else if (slope > 0) {
        int64_t least = -floor_div(value, slope);
        if (least > *low) *low = least;
    } else {
        int64_t most = floor_div(value, -slope);
        if (most < *high) *high = most;
    }
}

// The grid point nearest to notch i that lies on the edge from corner k, between its ends, in the wedge.
static bool find_stop(const plan *p, int32_t i, int32_t k, nav_point *out)
{
    nav_point a = p->at[k], b = p->at[p->next[k]], v = p->at[i];
    nav_point before = p->at[p->prev[i]], after = p->at[p->next[i]];
    int64_t dx = (int64_t)b.x - a.x, dz = (int64_t)b.z - a.z, g = dx < 0 ? -dx : dx, h = dz < 0 ? -dz : dz;
    while (h) {
        int64_t rest = g % h;
        g = h;
        h = rest;
    }
    nav_point next = {(int32_t)(a.x + dx / g), (int32_t)(a.z + dz / g)};
    int64_t low = 1, high = g - 1;
    int64_t in = nav_right(before, v, a), out_side = nav_right(a, v, after);
    narrow(in, nav_right(before, v, next) - in, &low, &high);
    narrow(out_side, nav_right(next, v, after) - out_side, &low, &high);
    if (low > high) return false;
    int64_t along =
        floor_div(2 * ((v.x - a.x) * dx + (v.z - a.z) * dz) * g + dx * dx + dz * dz, 2 * (dx * dx + dz * dz));
    int64_t t = along < low ? low : along > high ? high : along;
    *out = (nav_point){(int32_t)(a.x + t * (dx / g)), (int32_t)(a.z + t * (dz / g))};
    return is_in_wedge(p, i, *out) && is_inside_corner(p, i, *out) && nav_right(a, b, v) > 0;
}

static void insert_stop(plan *p, int32_t after, nav_point at)
{
    int32_t k = p->count++, next = p->next[after];
    p->at[k] = at;
    p->next[after] = p->prev[next] = k;
    p->next[k] = next;
    p->prev[k] = after;
    p->edge[k] = PLAN_STOP;
    p->walls |= UINT64_C(1) << k;
    p->stops |= UINT64_C(1) << k;
}

void plan_add_stops(plan *p)
{
    for (uint64_t left = p->notches; left && p->count < PLAN_CORNERS; left &= left - 1) {
        int32_t i = __builtin_ctzll(left), best = -1;
        if (has_single_portal(p, i)) continue;
        nav_point at = {0, 0}, q;
        for (int32_t k = 0; k < p->count; k++) {
            if (!(p->walls >> k & 1) || k == i || p->next[k] == i || !find_stop(p, i, k, &q)) continue;
            if (best >= 0 && nav_distance2(q, p->at[i]) >= nav_distance2(at, p->at[i])) continue;
            if (!is_clear(p, i, q, k)) continue;
            best = k;
            at = q;
        }
        if (best >= 0) insert_stop(p, best, at);
    }
}

// Is there less than two degrees between the directions from v to a and to b?
static bool is_sliver(nav_point v, nav_point a, nav_point b)
{
    double cross = (double)nav_right(v, a, b),
           dot = (double)(a.x - v.x) * (b.x - v.x) + (double)(a.z - v.z) * (b.z - v.z);
    return dot > 0 && cross * cross < 0.00122 * dot * dot; // tan(2 degrees), squared
}

// Would the portal from corner i to corner j make an angle that is hardly any?
static bool cuts_sliver(const plan *p, int32_t i, int32_t j)
{
    nav_point a = p->at[i], b = p->at[j];
    return is_sliver(a, b, p->at[p->next[i]]) || is_sliver(a, b, p->at[p->prev[i]]) ||
           is_sliver(b, a, p->at[p->next[j]]) || is_sliver(b, a, p->at[p->prev[j]]);
}

static void list_candidates(const plan *p, notch *n)
{
    int32_t i = n->corner;
    n->halves = 2;
    n->listed = 0;
    n->rays = 2;
    n->ray[0] = p->next[i];
    n->ray[1] = p->prev[i];
    for (int32_t j = 0; j < p->count; j++) {
        if (j == i || j == p->next[i] || j == p->prev[i] || !is_visible(p, i, j)) continue;
        bool mine = is_in_wedge(p, i, p->at[j]), other = p->notches >> j & 1;
        if (mine && other) n->halves = 1;
        candidate c = {j, !mine ? 2 : other && is_in_wedge(p, j, p->at[i]) ? 0 : 1, nav_distance2(p->at[i], p->at[j])};
        if (cuts_sliver(p, i, j)) c.rank += 3;
        int32_t k = n->listed++;
        for (; k > 0; k--) {
            candidate *before = &n->list[k - 1];
            if (before->rank < c.rank || (before->rank == c.rank && before->length2 <= c.length2)) break;
            n->list[k] = *before;
        }
        n->list[k] = c;
    }
}

// The rays at positions k and k + 1, or -1 without: the only neighbours with more than 180 degrees between them.
static int32_t find_gap(const plan *p, const notch *n)
{
    for (int32_t k = 0; k + 1 < n->rays; k++)
        if (!is_straight_or_less(p->at[n->ray[k + 1]], p->at[n->corner], p->at[n->ray[k]])) return k;
    return -1;
}

static bool crosses(const search *s, int32_t a, int32_t b)
{
    nav_point pa = s->p->at[a], pb = s->p->at[b];
    for (int32_t k = 0; k < s->chosen_count; k++) {
        int32_t c = s->chosen[k].a, d = s->chosen[k].b;
        if (c == a || d == a || c == b || d == b) continue;
        nav_point pc = s->p->at[c], pd = s->p->at[d];
        int64_t ac = nav_right(pa, pb, pc), ad = nav_right(pa, pb, pd);
        if ((ac > 0) == (ad > 0)) continue;
        int64_t ca = nav_right(pc, pd, pa), cb = nav_right(pc, pd, pb);
        if ((ca > 0) != (cb > 0)) return true;
    }
    return false;
}

// Puts the portal from the notch to corner w among its rays; take_ray() removes it.
static void add_ray(const plan *p, notch *n, int32_t w)
{
    int32_t k = 0;
    while (k + 2 < n->rays && nav_in_corner(p->at[n->ray[k + 1]], p->at[n->corner], p->at[n->ray[k]], p->at[w]) <= 0)
        k++;
    for (int32_t i = n->rays++; i > k + 1; i--) n->ray[i] = n->ray[i - 1];
    n->ray[k + 1] = w;
}

static void take_ray(notch *n, int32_t w)
{
    int32_t k = 0;
    while (n->ray[k] != w) k++;
    n->rays--;
    for (; k < n->rays; k++) n->ray[k] = n->ray[k + 1];
}

static bool deepen(search *s, int32_t left)
{
    const plan *p = s->p;
    int32_t halves = 0, gap = -1, fewest = PLAN_CORNERS + 1;
    notch *pick = NULL;
    for (int32_t i = 0; i < p->notch_count; i++) {
        notch *n = &s->notches[i];
        int32_t g = find_gap(p, n);
        if (g < 0) continue;
        halves += n->rays > 2 ? 1 : n->halves;
        if (n->listed >= fewest) continue;
        fewest = n->listed;
        pick = n;
        gap = g;
    }
    if (!pick) return true;
    if (halves > 2 * left || ++s->steps > STEPS) return false;
    int32_t v = pick->corner, sooner = pick->ray[gap], later = pick->ray[gap + 1];
    for (int32_t k = 0; k < pick->listed; k++) {
        int32_t w = pick->list[k].corner;
        if (nav_in_corner(p->at[later], p->at[v], p->at[sooner], p->at[w]) <= 0 || crosses(s, v, w)) continue;
        notch *other = s->notch_of[w] >= 0 ? &s->notches[s->notch_of[w]] : NULL;
        add_ray(p, pick, w);
        if (other) add_ray(p, other, v);
        s->chosen[s->chosen_count++] = (portal){v, w};
        if (deepen(s, left - 1)) return true;
        s->chosen_count--;
        take_ray(pick, w);
        if (other) take_ray(other, v);
    }
    return false;
}

int32_t plan_find_portals(const plan *p, int32_t fewer, portal *out)
{
    assert(p->count <= PLAN_CORNERS && p->notch_count <= PLAN_NOTCHES);
    if (2 * (fewer - 1) < p->notch_count) return -1;
    search s;
    s.p = p;
    s.chosen_count = 0;
    int32_t n = 0, halves = 0;
    for (int32_t i = 0; i < p->count; i++) {
        s.notch_of[i] = p->notches >> i & 1 ? n : -1;
        if (s.notch_of[i] < 0) continue;
        s.notches[n].corner = i;
        list_candidates(p, &s.notches[n]);
        halves += s.notches[n++].halves;
    }
    int32_t most = fewer - 1 < PLAN_PORTALS ? fewer - 1 : PLAN_PORTALS;
    for (int32_t depth = (halves + 1) / 2; depth <= most; depth++) {
        s.steps = 0;
        if (!deepen(&s, depth)) continue;
        for (int32_t k = 0; k < s.chosen_count; k++) out[k] = s.chosen[k];
        return s.chosen_count;
    }
    return -1;
}
