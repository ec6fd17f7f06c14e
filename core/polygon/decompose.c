// Fewest portals for a polygon: an exact search, iteratively deepened.
//
//        +--------+       A portal from a notch v takes it away where it lies in the wedge between the prolonged edges
//        |        |       of v. One that lies in the wedges of both its ends takes two notches away, so r notches need
//    +---v - - - -v---+   at least r / 2 portals. A notch without such a partner costs a whole portal: the bound that
//    |                |   cuts the search.
//    +----------------+   Two portals of a simple polygon cross where their corners alternate around the ring.
//
// Source: R. Oliva and N. Pelechano, NEOGEN (2013): notches, areas of interest and portals; J. Fernandez et al. (2000):
// the bound. The search is navd's own.
#include "core/polygon/decompose.h"

#include <assert.h>

enum { STEPS = 200 };

typedef struct candidate {
    int32_t corner; // the other end
    int32_t rank;   // 0: takes both ends' notches away, 1: its own, 2: neither alone
    int64_t length2;
} candidate;

typedef struct search {
    const ring *r;
    int32_t notch[RING_NOTCHES]; // corners
    candidate list[RING_NOTCHES][RING_CORNERS];
    int32_t listed[RING_NOTCHES];
    int32_t halves[RING_NOTCHES]; // half portals that the notch costs at least
    uint64_t rays[RING_CORNERS];  // per corner: bit k: an edge or portal leads to the corner k places on
    portal chosen[RING_PORTALS];
    int32_t chosen_count;
    int32_t steps;
} search;

static int32_t places_on(const ring *r, int32_t from, int32_t to)
{
    return to > from ? to - from : to - from + r->count;
}

static nav_point ring_at(const ring *r, int32_t i)
{
    return r->at[i < r->count ? i : i - r->count];
}

// At corner v between the directions to `later` and `sooner`, as met when walking around the ring.
static bool is_straight_or_less(nav_point later, nav_point v, nav_point sooner)
{
    int64_t turn = nav_right(later, v, sooner);
    return turn > 0 || (turn == 0 && nav_between(later, sooner, v));
}

void ring_find_notches(ring *r)
{
    r->notches = 0;
    r->notch_count = 0;
    for (int32_t i = 0; i < r->count; i++) {
        nav_point before = r->at[i > 0 ? i - 1 : r->count - 1];
        if (is_straight_or_less(before, r->at[i], ring_at(r, i + 1))) continue;
        r->notches |= UINT64_C(1) << i;
        r->notch_count++;
    }
}

static bool is_inside_corner(const ring *r, int32_t v, nav_point q)
{
    return nav_in_corner(r->at[v > 0 ? v - 1 : r->count - 1], r->at[v], ring_at(r, v + 1), q) > 0;
}

// Is nothing of the ring between corner i and the point b, which is corner j or (j < 0) on the edge from corner `on`?
static bool is_clear(const ring *r, int32_t i, nav_point b, int32_t on)
{
    nav_point a = r->at[i], c = r->at[r->count - 1];
    int64_t before = nav_right(a, b, c);
    for (int32_t k = 0; k < r->count; k++) {
        nav_point d = r->at[k];
        int64_t side = nav_right(a, b, d);
        if (side == 0 && nav_between(a, b, d)) return false;
        bool splits = ((before < 0 && side > 0) || (before > 0 && side < 0)) && (k > 0 ? k - 1 : r->count - 1) != on;
        if (splits) {
            int64_t ca = nav_right(c, d, a), cb = nav_right(c, d, b);
            if ((ca < 0 && cb > 0) || (ca > 0 && cb < 0)) return false;
        }
        before = side;
        c = d;
    }
    return true;
}

// Do the two corners see each other through the inside?
static bool is_visible(const ring *r, int32_t i, int32_t j)
{
    return is_inside_corner(r, i, r->at[j]) && is_inside_corner(r, j, r->at[i]) && is_clear(r, i, r->at[j], -1);
}

static bool is_in_wedge(const ring *r, int32_t v, nav_point q)
{
    nav_point before = r->at[v > 0 ? v - 1 : r->count - 1], after = ring_at(r, v + 1);
    return is_straight_or_less(before, r->at[v], q) && is_straight_or_less(q, r->at[v], after);
}

static bool has_single_portal(const ring *r, int32_t i)
{
    for (int32_t j = 0; j < r->count; j++)
        if (j != i && is_in_wedge(r, i, r->at[j]) && is_visible(r, i, j)) return true;
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
static bool find_stop(const ring *r, int32_t i, int32_t k, nav_point *out)
{
    nav_point a = r->at[k], b = ring_at(r, k + 1), v = r->at[i];
    nav_point before = r->at[i > 0 ? i - 1 : r->count - 1], after = ring_at(r, i + 1);
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
    return is_in_wedge(r, i, *out) && is_inside_corner(r, i, *out) && nav_right(a, b, v) > 0;
}

static uint64_t open_bit(uint64_t bits, int32_t at)
{
    uint64_t low = bits & ((UINT64_C(1) << at) - 1);
    return low | (bits - low) << 1;
}

static void insert_stop(ring *r, int32_t at, nav_point p)
{
    for (int32_t k = r->count; k > at; k--) {
        r->at[k] = r->at[k - 1];
        r->edge[k] = r->edge[k - 1];
    }
    r->count++;
    r->at[at] = p;
    r->edge[at] = RING_STOP;
    r->walls = open_bit(r->walls, at) | UINT64_C(1) << at;
    r->stops = open_bit(r->stops, at) | UINT64_C(1) << at;
    r->notches = open_bit(r->notches, at);
}

void ring_add_stops(ring *r)
{
    for (int32_t i = 0; i < r->count && r->count < RING_CORNERS; i++) {
        if (!(r->notches >> i & 1) || has_single_portal(r, i)) continue;
        int32_t best = -1;
        nav_point at = {0, 0}, p;
        for (int32_t k = 0; k < r->count; k++) {
            if (!(r->walls >> k & 1) || k == i || (k + 1) % r->count == i || !find_stop(r, i, k, &p)) continue;
            if (best >= 0 && nav_distance2(p, r->at[i]) >= nav_distance2(at, r->at[i])) continue;
            if (!is_clear(r, i, p, k)) continue;
            best = k;
            at = p;
        }
        if (best < 0) continue;
        insert_stop(r, best + 1, at);
        if (best < i) i++;
    }
}

static void list_candidates(search *s, int32_t n)
{
    const ring *r = s->r;
    int32_t i = s->notch[n], count = 0;
    candidate *list = s->list[n];
    s->halves[n] = 2;
    for (int32_t j = 0; j < r->count; j++) {
        if (j == i || j == (i + 1) % r->count || i == (j + 1) % r->count || !is_visible(r, i, j)) continue;
        bool mine = is_in_wedge(r, i, r->at[j]), other = r->notches >> j & 1;
        if (mine && other) s->halves[n] = 1;
        candidate c = {j, !mine ? 2 : other && is_in_wedge(r, j, r->at[i]) ? 0 : 1, nav_distance2(r->at[i], r->at[j])};
        int32_t k = count++;
        for (; k > 0 && (list[k - 1].rank > c.rank || (list[k - 1].rank == c.rank && list[k - 1].length2 > c.length2));
             k--)
            list[k] = list[k - 1];
        list[k] = c;
    }
    s->listed[n] = count;
}

// The pair of neighbouring rays at corner v with more than 180 degrees between them, as places on. False without any.
static bool find_gap(const search *s, int32_t v, int32_t *from, int32_t *to)
{
    const ring *r = s->r;
    uint64_t left = s->rays[v];
    int32_t a = __builtin_ctzll(left);
    for (left &= left - 1; left; left &= left - 1) {
        int32_t b = __builtin_ctzll(left);
        if (!is_straight_or_less(ring_at(r, v + b), r->at[v], ring_at(r, v + a))) {
            *from = a;
            *to = b;
            return true;
        }
        a = b;
    }
    return false;
}

static bool crosses(const search *s, int32_t a, int32_t b)
{
    int32_t far = places_on(s->r, a, b);
    for (int32_t k = 0; k < s->chosen_count; k++) {
        int32_t c = s->chosen[k].a, d = s->chosen[k].b;
        if (c == a || d == a || c == b || d == b) continue;
        if ((places_on(s->r, a, c) < far) != (places_on(s->r, a, d) < far)) return true;
    }
    return false;
}

static bool deepen(search *s, int32_t left)
{
    const ring *r = s->r;
    int32_t halves = 0, pick = -1, from = 0, to = 0, fewest = RING_CORNERS + 1;
    for (int32_t n = 0; n < r->notch_count; n++) {
        int32_t a, b;
        if (!find_gap(s, s->notch[n], &a, &b)) continue;
        halves += a > 1 || b < r->count - 1 ? 1 : s->halves[n];
        if (s->listed[n] >= fewest) continue;
        fewest = s->listed[n];
        pick = n;
        from = a;
        to = b;
    }
    if (pick < 0) return true;
    if (halves > 2 * left || ++s->steps > STEPS) return false;
    int32_t v = s->notch[pick];
    for (int32_t k = 0; k < s->listed[pick]; k++) {
        int32_t w = s->list[pick][k].corner, on = places_on(r, v, w);
        if (on <= from || on >= to || crosses(s, v, w)) continue;
        uint64_t ray = UINT64_C(1) << on, back = UINT64_C(1) << (r->count - on);
        s->rays[v] |= ray;
        s->rays[w] |= back;
        s->chosen[s->chosen_count++] = (portal){v, w};
        if (deepen(s, left - 1)) return true;
        s->chosen_count--;
        s->rays[v] &= ~ray;
        s->rays[w] &= ~back;
    }
    return false;
}

int32_t ring_find_portals(const ring *r, int32_t fewer, portal *out)
{
    assert(r->count <= RING_CORNERS && r->notch_count <= RING_NOTCHES);
    if (2 * (fewer - 1) < r->notch_count) return -1;
    search s;
    s.r = r;
    s.steps = s.chosen_count = 0;
    int32_t n = 0, halves = 0;
    for (int32_t i = 0; i < r->count; i++) {
        s.rays[i] = UINT64_C(1) << 1 | UINT64_C(1) << (r->count - 1);
        if (!(r->notches >> i & 1)) continue;
        s.notch[n] = i;
        list_candidates(&s, n);
        halves += s.halves[n++];
    }
    int32_t most = fewer - 1 < RING_PORTALS ? fewer - 1 : RING_PORTALS;
    for (int32_t depth = (halves + 1) / 2; depth <= most; depth++) {
        if (!deepen(&s, depth)) continue;
        for (int32_t k = 0; k < s.chosen_count; k++) out[k] = s.chosen[k];
        return s.chosen_count;
    }
    return -1;
}
