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
#include "core/polygon/cells/decompose.h"

#include "core/polygon/cells/sight.h"

#include <assert.h>
#include <stddef.h>

enum { STEPS = 60, RAYS = PLAN_PORTALS + 2 };

typedef struct notch {
    int32_t corner;
    sight_view view;
    int32_t list[PLAN_CORNERS]; // other ends of portals from here, in the order they are tried in, once they are
    bool is_listed;
    int32_t listed;
    int32_t halves;    // half portals that the notch costs at least
    int32_t ray[RAYS]; // corners that edges and portals lead to, from the next corner around to the one before
    int32_t rays;
    int32_t gap; // the rays at positions gap and gap + 1 have more than 180 degrees between them; -1: none have
} notch;

typedef struct search {
    const plan *p;
    sight sight;
    notch notches[PLAN_NOTCHES];
    corner_set open;                // notches that have a gap
    int32_t notch_of[PLAN_CORNERS]; // -1: none
    portal chosen[PLAN_PORTALS];
    corner_set chosen_right[PLAN_PORTALS]; // the corners to the right of each
    int32_t chosen_count;
    int32_t steps;
} search;

void nav_plan_find_notches(plan *p)
{
    p->notches = 0;
    p->notch_count = 0;
    for (int32_t i = 0; i < p->count; i++) {
        if (plan_straight_or_less(p->at[p->prev[i]], p->at[i], p->at[p->next[i]])) continue;
        p->notches |= UINT64_C(1) << i;
        p->notch_count++;
    }
}

static bool is_inside_corner(const plan *p, int32_t v, nav_point q)
{
    return nav_in_corner(p->at[p->prev[v]], p->at[v], p->at[p->next[v]], q) > 0;
}

static bool is_in_wedge(const plan *p, int32_t v, nav_point q)
{
    return plan_straight_or_less(p->at[p->prev[v]], p->at[v], q) &&
           plan_straight_or_less(q, p->at[v], p->at[p->next[v]]);
}

// Narrows *low to *high to the t for which value + t * slope >= 0.
static void narrow(int64_t value, int64_t slope, int64_t *low, int64_t *high)
{
    if (slope == 0) {
        if (value < 0) *high = *low - 1;
    } else if (slope > 0) {
        int64_t least = -nav_floor_divide(value, slope);
        if (least > *low) *low = least;
    } else {
        int64_t most = nav_floor_divide(value, -slope);
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
        nav_floor_divide(2 * ((v.x - a.x) * dx + (v.z - a.z) * dz) * g + dx * dx + dz * dz, 2 * (dx * dx + dz * dz));
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

static void begin(search *s, const plan *p)
{
    s->p = p;
    nav_sight_init(&s->sight, p);
}

// Looks around from every notch.
static void look(search *s)
{
    int32_t n = 0;
    for (corner_set left = s->p->notches; left; left &= left - 1, n++) {
        s->notches[n].corner = __builtin_ctzll(left);
        nav_sight_from(&s->sight, s->notches[n].corner, &s->notches[n].view);
    }
}

// Adds the stop of notch i, where there is one.
static bool add_stop(search *s, plan *p, int32_t i)
{
    int32_t best = -1;
    nav_point at = {0, 0}, q;
    corner_set walls = p->walls & nav_sight_facing(&s->sight, i) & ~(UINT64_C(1) << i | UINT64_C(1) << p->prev[i]);
    for (; walls; walls &= walls - 1) {
        int32_t k = __builtin_ctzll(walls);
        if (!find_stop(p, i, k, &q)) continue;
        if (best >= 0 && nav_distance2(q, p->at[i]) >= nav_distance2(at, p->at[i])) continue;
        if (!nav_sight_is_clear(&s->sight, i, q, k)) continue;
        best = k;
        at = q;
    }
    if (best >= 0) insert_stop(p, best, at);
    return best >= 0;
}

// Looks around from every notch, and adds the stops; all that is seen is seen again after each.
static void look_and_add_stops(search *s, plan *p)
{
    bool stale = false;
    corner_set left = p->notches;
    for (int32_t n = 0; left; left &= left - 1, n++) {
        int32_t i = __builtin_ctzll(left);
        notch *at = &s->notches[n];
        at->corner = i;
        nav_sight_from(&s->sight, i, &at->view);
        if (p->count == PLAN_CORNERS || (at->view.seen & at->view.wedge) || !add_stop(s, p, i)) continue;
        stale = true;
        begin(s, p);
    }
    if (stale) look(s);
}

void nav_plan_add_stops(plan *p)
{
    search s;
    begin(&s, p);
    look_and_add_stops(&s, p);
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

static void begin_notch(const plan *p, notch *n)
{
    n->halves = n->view.seen & n->view.wedge & p->notches ? 1 : 2;
    n->listed = __builtin_popcountll(n->view.seen);
    n->is_listed = false;
    n->rays = 2;
    n->ray[0] = p->next[n->corner];
    n->ray[1] = p->prev[n->corner];
}

// Lists the portals from a notch: those first that take both ends' notches away, then those that take its own, then
// those that neither does alone; slivers come after all others, and of a kind the shortest is first.
static void list_candidates(const plan *p, notch *n)
{
    int32_t i = n->corner, count = 0;
    uint64_t key[PLAN_CORNERS];
    for (corner_set left = n->view.seen; left; left &= left - 1) {
        int32_t j = __builtin_ctzll(left);
        uint64_t mine = n->view.wedge >> j & 1, both = mine & n->view.wedged >> j & p->notches >> j;
        uint64_t rank = 2 - mine - both + (n->view.thin >> j & 1 && cuts_sliver(p, i, j) ? 3 : 0);
        uint64_t k = rank << 48 | (uint64_t)nav_distance2(p->at[i], p->at[j]) << 8 | (uint64_t)j;
        int32_t at = count++;
        for (; at > 0 && key[at - 1] > k; at--) key[at] = key[at - 1];
        key[at] = k;
    }
    for (int32_t k = 0; k < count; k++) n->list[k] = (int32_t)(key[k] & 0xff);
    n->is_listed = true;
}

static void find_gap(search *s, notch *n)
{
    corner_set bit = UINT64_C(1) << n->corner;
    n->gap = -1;
    s->open &= ~bit;
    for (int32_t k = 0; k + 1 < n->rays; k++) {
        const sight_line *sooner = &n->view.line[n->ray[k]];
        if ((sooner->right | sooner->back) >> n->ray[k + 1] & 1) continue;
        n->gap = k; // there is only one
        s->open |= bit;
        return;
    }
}

// The corners strictly within the angle of the notch between two of its rays, as nav_in_corner() has it.
static corner_set between(const notch *n, int32_t later, int32_t sooner)
{
    const sight_line *l = &n->view.line[later], *e = &n->view.line[sooner];
    corner_set in = ~(l->right | l->ahead | l->back), out = e->right, along = l->ahead | e->ahead;
    if (e->right >> later & 1) return in & out & ~along;
    if (e->ahead >> later & 1) return ~along;
    if (e->back >> later & 1) return in & ~along;
    return (in | out) & ~along;
}

// The corners to which a portal leaves no more than 180 degrees on either side, between two rays.
static corner_set closing(const notch *n, int32_t later, int32_t sooner)
{
    const sight_line *l = &n->view.line[later], *e = &n->view.line[sooner];
    return (e->right | e->back) & ~(l->right | l->ahead);
}

// Would the portal from a to w, with the corners to its right given, cross one that is chosen?
static bool crosses(const search *s, int32_t a, int32_t w, corner_set right)
{
    for (int32_t k = 0; k < s->chosen_count; k++) {
        int32_t c = s->chosen[k].a, d = s->chosen[k].b;
        if (c == a || d == a || c == w || d == w) continue;
        if ((right >> c ^ right >> d) & (s->chosen_right[k] >> a ^ s->chosen_right[k] >> w) & 1) return true;
    }
    return false;
}

// Puts the portal from the notch to corner w among its rays; take_ray() removes it.
static void add_ray(search *s, notch *n, int32_t w)
{
    int32_t k = 0;
    while (k + 2 < n->rays && !(between(n, n->ray[k + 1], n->ray[k]) >> w & 1)) k++;
    for (int32_t i = n->rays++; i > k + 1; i--) n->ray[i] = n->ray[i - 1];
    n->ray[k + 1] = w;
    find_gap(s, n);
}

static void take_ray(search *s, notch *n, int32_t w)
{
    int32_t k = 0;
    while (n->ray[k] != w) k++;
    n->rays--;
    for (; k < n->rays; k++) n->ray[k] = n->ray[k + 1];
    find_gap(s, n);
}

// The half portals that an open notch costs at least.
static int32_t halves_of(const notch *n)
{
    return n->rays > 2 ? 1 : n->halves;
}

// Takes at most `left` portals more. halves: what the open notches cost. A portal after which they would cost too much
// is not even put among its notch's rays: most portals end here, and for most a set tells.
static bool deepen(search *s, int32_t left, int32_t halves)
{
    if (!s->open) return true;
    if (++s->steps > STEPS) return false;
    notch *pick = NULL;
    for (corner_set open = s->open; open; open &= open - 1) {
        notch *n = &s->notches[s->notch_of[__builtin_ctzll(open)]];
        if (!pick || n->listed < pick->listed) pick = n;
    }
    if (!pick->is_listed) list_candidates(s->p, pick);
    int32_t v = pick->corner, sooner = pick->ray[pick->gap], later = pick->ray[pick->gap + 1];
    corner_set may = pick->view.seen & between(pick, later, sooner), closes = closing(pick, later, sooner);
    int32_t rest = halves - halves_of(pick), most = 2 * (left - 1);
    if (rest > most) may &= s->open;
    if (rest == most) may &= s->open | closes;
    for (int32_t k = 0; may && k < pick->listed; k++) {
        int32_t w = pick->list[k];
        corner_set right = pick->view.line[w].right;
        if (!(may >> w & 1) || crosses(s, v, w, right)) continue;
        may &= ~(UINT64_C(1) << w);
        notch *other = s->notch_of[w] >= 0 ? &s->notches[s->notch_of[w]] : NULL;
        int32_t after = rest + !(closes >> w & 1) - (s->open >> w & 1 ? halves_of(other) : 0);
        if (after > most) continue;
        if (other) {
            add_ray(s, other, v);
            if (s->open >> w & 1) after += halves_of(other);
        }
        if (after <= most) {
            add_ray(s, pick, w);
            s->chosen[s->chosen_count] = (portal){v, w};
            s->chosen_right[s->chosen_count++] = right;
            if (deepen(s, left - 1, after)) return true;
            s->chosen_count--;
            take_ray(s, pick, w);
        }
        if (other) take_ray(s, other, v);
    }
    return false;
}

static int32_t find_portals(search *s, int32_t fewer, portal *out)
{
    const plan *p = s->p;
    int32_t halves = 0;
    s->chosen_count = 0;
    s->open = 0;
    for (int32_t k = 0; k < p->count; k++) s->notch_of[k] = -1;
    for (int32_t n = 0; n < p->notch_count; n++) {
        s->notch_of[s->notches[n].corner] = n;
        begin_notch(p, &s->notches[n]);
        find_gap(s, &s->notches[n]);
        halves += s->notches[n].halves;
    }
    int32_t most = fewer - 1 < PLAN_PORTALS ? fewer - 1 : PLAN_PORTALS;
    for (int32_t depth = (halves + 1) / 2; depth <= most; depth++) {
        s->steps = 0;
        if (!deepen(s, depth, halves)) continue;
        for (int32_t k = 0; k < s->chosen_count; k++) out[k] = s->chosen[k];
        return s->chosen_count;
    }
    return -1;
}

int32_t nav_plan_find_portals(const plan *p, int32_t fewer, portal *out)
{
    assert(p->count <= PLAN_CORNERS && p->notch_count <= PLAN_NOTCHES);
    if (2 * (fewer - 1) < p->notch_count) return -1;
    search s;
    begin(&s, p);
    look(&s);
    return find_portals(&s, fewer, out);
}

int32_t nav_plan_find_portals_and_stops(plan *p, int32_t fewer, portal *out)
{
    assert(p->count <= PLAN_CORNERS && p->notch_count <= PLAN_NOTCHES);
    if (2 * (fewer - 1) < p->notch_count) return -1;
    search s;
    begin(&s, p);
    look_and_add_stops(&s, p);
    return find_portals(&s, fewer, out);
}
