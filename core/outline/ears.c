// A cut replaces the corners between two corners i and j of a loop, its chain, by none, or by one new corner q. The
// best cut is found for each i; the best of all are made that are not in each other's way; then again, as a cut makes
// others worth it.
#include "core/outline/ears.h"

#include "core/base/sort.h"
#include "core/outline/fewer.h"

#include <math.h>

enum {
    MOST_INNER = 12, // corners of a pocket
    ROUNDS = 8,
    MOST_STEPS = 1 << 22, // looks at what may be in the way; after that the other pockets stay
    MOST_GAIN = 2,        // corners that a single pocket may be paid for
    KEY_BITS = 20,        // of a corner's number, in a key
    NEAR = 3,             // units from where lines meet to the corner that stands for it
    CHANGED = 1,          // marks of a corner: in this round; of the chain at hand; an edge of the chain begins there
    IN_CHAIN = 2,
    CHAIN_EDGE = 4,
};

static const double FARTHEST = 1 << 20; // units: where coordinates end

typedef struct ear {
    int32_t i, j;
    bool by_q; // i, q, j; else i, j
    nav_point q;
    int64_t area2; // twice the area lost
    int32_t gain;  // corners that no longer stick out; 0: no ear
    int32_t fewer; // corners
} ear;

typedef struct ears_work {
    nav_loops *loops;
    const nav_ears *how;
    uint8_t *fixed;
    int32_t *from;
    nav_point *at;
    int32_t count; // of corners, with those that are gone
    int32_t *next, *before, *loop;
    uint8_t *gone, *mark;
    uint8_t *out;    // of corners that are not gone, while cuts are looked for: it sticks out
    int32_t *left;   // per loop: corners
    int64_t *area2;  // per loop
    nav_point *ring; // the boundary of what is lost: the chain, and q
    ear *best;       // per corner i
    uint64_t *order;
    int64_t steps;
} ears_work;

static int32_t lower(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t upper(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static bool stays(const ears_work *w, int32_t k)
{
    return w->fixed[k] != 0 || (w->fixed[w->before[k]] & NAV_FEWER_SEAM);
}

static bool sticks_out(nav_point a, nav_point b, nav_point c)
{
    return nav_right(a, b, c) < 0;
}

static bool corner_sticks_out(const ears_work *w, int32_t k)
{
    return sticks_out(w->at[w->before[k]], w->at[k], w->at[w->next[k]]);
}

static bool goes_along(nav_point v, nav_point a, nav_point b)
{
    return nav_right(v, a, b) == 0 && (int64_t)(a.x - v.x) * (b.x - v.x) + (int64_t)(a.z - v.z) * (b.z - v.z) > 0;
}

// --- is it free?

static bool is_on(nav_point a, nav_point b, nav_point p)
{
    return nav_point_same(a, p) || nav_point_same(b, p) || (nav_right(a, b, p) == 0 && nav_between(a, b, p));
}

static bool boxes_apart(nav_point a, nav_point b, nav_point c, nav_point d)
{
    if (upper(a.x, b.x) < lower(c.x, d.x) || upper(c.x, d.x) < lower(a.x, b.x)) return true;
    return upper(a.z, b.z) < lower(c.z, d.z) || upper(c.z, d.z) < lower(a.z, b.z);
}

static bool meet(nav_point a, nav_point b, nav_point c, nav_point d)
{
    return nav_cross(a, b, c, d) || is_on(a, b, c) || is_on(a, b, d) || is_on(c, d, a) || is_on(c, d, b);
}

// Does the line between corner k and p begin within the floor, or along the edge that goes?
static bool begins_well(const ears_work *w, int32_t k, nav_point p, bool forward)
{
    nav_point b = w->at[w->before[k]], v = w->at[k], n = w->at[w->next[k]];
    int in = nav_in_corner(b, v, n, p);
    return in > 0 || (in == 0 && goes_along(v, forward ? n : b, p));
}

// Is the new edge a-b clear of the edge of the chain behind corner k? It may run along the chain's first or last edge,
// and q may be on these.
static bool is_clear_of_chain(const ears_work *w, const ear *e, int32_t k, nav_point a, nav_point b)
{
    nav_point c = w->at[k], d = w->at[w->next[k]];
    int32_t last = w->before[e->j];
    bool first_edge = k == w->next[e->i] && nav_point_same(a, w->at[e->i]);
    bool last_edge = k == last && nav_point_same(b, w->at[e->j]);
    if (nav_cross(a, b, c, d)) return false;
    if (k != e->i && !first_edge && !last_edge && is_on(a, b, c)) return false;
    return !e->by_q || k == e->i || k == last || !is_on(c, d, e->q);
}

// Is the new edge a-b, between i and j or q, clear of all others?
static bool is_clear(const ears_work *w, const ear *e, nav_point a, nav_point b)
{
    for (int32_t k = 0; k < w->count; k++) {
        if (w->gone[k]) continue;
        nav_point c = w->at[k], d = w->at[w->next[k]];
        if (boxes_apart(a, b, c, d)) continue;
        bool wrong;
        if (w->mark[k] & CHAIN_EDGE)
            wrong = !is_clear_of_chain(w, e, k, a, b);
        else if (w->next[k] == e->i && nav_point_same(a, d))
            wrong = is_on(a, b, c) || is_on(c, d, b);
        else if (k == e->j && nav_point_same(b, c))
            wrong = is_on(a, b, d) || is_on(c, d, a);
        else
            wrong = meet(a, b, c, d);
        if (wrong) return false;
    }
    return true;
}

// Is the place in the ring or on it?
static bool is_in_ring(const nav_point *ring, int32_t n, nav_point p)
{
    bool inside = false;
    for (int32_t i = 0; i < n; i++) {
        nav_point a = ring[i], b = ring[i + 1 < n ? i + 1 : 0];
        if (is_on(a, b, p)) return true;
        if ((a.z > p.z) == (b.z > p.z)) continue;
        if ((nav_right(a, b, p) > 0) == (b.z > a.z)) inside = !inside;
    }
    return inside;
}

static bool is_ring_empty(const ears_work *w, int32_t n)
{
    nav_point low = w->ring[0], high = low;
    for (int32_t i = 1; i < n; i++) {
        low = (nav_point){lower(low.x, w->ring[i].x), lower(low.z, w->ring[i].z)};
        high = (nav_point){upper(high.x, w->ring[i].x), upper(high.z, w->ring[i].z)};
    }
    for (int32_t k = 0; k < w->count; k++) {
        nav_point p = w->at[k];
        if (w->gone[k] || (w->mark[k] & IN_CHAIN) || boxes_apart(low, high, p, p)) continue;
        if (is_in_ring(w->ring, n, p)) return false;
    }
    return true;
}

static int32_t fill_ring(ears_work *w, const ear *e)
{
    int32_t n = 0, k = e->i;
    for (; k != e->j; k = w->next[k]) w->ring[n++] = w->at[k];
    w->ring[n++] = w->at[k];
    if (e->by_q) w->ring[n++] = e->q;
    return n;
}

// The ring is filled.
static bool is_free(ears_work *w, const ear *e, int32_t n)
{
    if (w->steps > MOST_STEPS) return false;
    w->steps += 2 * (int64_t)w->count;
    nav_point a = w->at[e->i], b = w->at[e->j], x = e->by_q ? e->q : b, y = e->by_q ? e->q : a;
    if (!begins_well(w, e->i, x, true) || !begins_well(w, e->j, y, false)) return false;
    for (int32_t k = e->i; k != e->j; k = w->next[k]) w->mark[k] |= IN_CHAIN | CHAIN_EDGE;
    w->mark[e->j] |= IN_CHAIN;
    bool free = is_clear(w, e, a, x) && (!e->by_q || is_clear(w, e, y, b)) && is_ring_empty(w, n);
    for (int32_t k = e->i; k != e->j; k = w->next[k]) w->mark[k] &= CHANGED;
    w->mark[e->j] &= CHANGED;
    return free;
}

// --- finding

static bool is_better(const ear *a, const ear *b)
{
    if (b->gain == 0) return true;
    int64_t x = a->area2 * b->gain, y = b->area2 * a->gain;
    if (x != y) return x < y;
    return a->gain != b->gain ? a->gain > b->gain : a->fewer > b->fewer;
}

// Considers the chain from i to j, with so many corners between and so many of these that stick out. q: or NULL.
static void consider(ears_work *w, int32_t i, int32_t j, const nav_point *q, int32_t inner, int32_t out)
{
    ear e = {.i = i, .j = j, .by_q = q != NULL, .q = q ? *q : (nav_point){0, 0}, .fewer = inner};
    if (q) e.fewer--;
    int32_t loop = w->loop[i];
    if (w->left[loop] - e.fewer < 3 || w->next[j] == i) return;
    nav_point a = w->at[i], b = w->at[j], x = q ? *q : b, y = q ? *q : a;
    if (nav_point_same(a, x) || nav_point_same(b, y)) return;
    bool mitre = q && sticks_out(a, *q, b);
    e.gain = out + w->out[i] + w->out[j] - mitre;
    e.gain -= sticks_out(w->at[w->before[i]], a, x) + sticks_out(y, b, w->at[w->next[j]]);
    if (e.gain <= 0) return;
    int32_t n = fill_ring(w, &e);
    e.area2 = nav_loop_area2(w->ring, n);
    int64_t most = (mitre ? w->how->mitre2 : w->how->pocket2) * (e.gain < MOST_GAIN ? e.gain : MOST_GAIN);
    if (e.area2 <= 0 || e.area2 > most) return;
    if (w->area2[loop] > 0 && 2 * e.area2 >= w->area2[loop]) return;
    if (is_better(&e, &w->best[i]) && is_free(w, &e, n)) w->best[i] = e;
}

// The place nearest to (x, z) that is right of the lines a-b and c-d, or on them.
static bool round_right(double x, double z, nav_point a, nav_point b, nav_point c, nav_point d, nav_point *q)
{
    if (!(fabs(x) < FARTHEST && fabs(z) < FARTHEST)) return false;
    int32_t gx = (int32_t)floor(x), gz = (int32_t)floor(z);
    double best = NEAR * NEAR;
    for (int32_t k = 0; k < 16; k++) {
        nav_point p = {gx + k % 4 - 1, gz + k / 4 - 1};
        double d2 = (p.x - x) * (p.x - x) + (p.z - z) * (p.z - z);
        if (d2 >= best || nav_right(a, b, p) < 0 || nav_right(c, d, p) < 0) continue;
        best = d2;
        *q = p;
    }
    return best < NEAR * NEAR;
}

typedef struct spot {
    double x, z;
} spot;

// Where the lines a-b and c-d meet.
static bool find_meeting(nav_point a, nav_point b, nav_point c, nav_point d, spot *out)
{
    double ux = b.x - a.x, uz = b.z - a.z, vx = d.x - c.x, vz = d.z - c.z, turn = ux * vz - uz * vx;
    if (turn == 0.0) return false;
    double along = ((c.x - a.x) * vz - (c.z - a.z) * vx) / turn;
    *out = (spot){a.x + ux * along, a.z + uz * along};
    return true;
}

// The foot of v on the edge c-d.
static bool find_foot(nav_point v, nav_point c, nav_point d, spot *out)
{
    double ux = d.x - c.x, uz = d.z - c.z, along = ((v.x - c.x) * ux + (v.z - c.z) * uz) / (ux * ux + uz * uz);
    *out = (spot){c.x + ux * along, c.z + uz * along};
    return along > 0.0 && along < 1.0;
}

// Twice the area of the chain from i to j, and the most that may be lost, whatever is gained.
typedef struct pocket {
    nav_point i, j;
    int64_t area2, most2;
} pocket;

// May the area with q at the spot or near to it be no more than that, and more than nothing?
static bool may_pay(const pocket *p, spot q)
{
    double x = p->j.x - p->i.x, z = p->j.z - p->i.z;
    double area2 = (double)p->area2 + (q.x - p->i.x) * z - x * (q.z - p->i.z);
    double slack = 2 * NEAR * (fabs(x) + fabs(z)) + 1;
    return area2 > -slack && area2 <= (double)p->most2 + slack;
}

// All cuts of chains that begin at corner i.
static void look_from(ears_work *w, int32_t i)
{
    int32_t inner = 0, out = 0, first = w->next[i];
    int64_t area2 = 0;
    nav_point a = w->at[i], b = w->at[first], q;
    for (int32_t j = first; j != i; j = w->next[j]) {
        int32_t last = w->before[j];
        if (w->fixed[last] & NAV_FEWER_SEAM) return;
        nav_point c = w->at[last], d = w->at[j];
        pocket p = {a, d, area2 += nav_right(a, c, d), 0};
        int32_t gain = out + w->out[i] + w->out[j]; // at most
        p.most2 = (w->how->pocket2 > w->how->mitre2 ? w->how->pocket2 : w->how->mitre2) * lower(gain, MOST_GAIN);
        if (gain > 0 && inner >= 1 && p.area2 <= p.most2) consider(w, i, j, NULL, inner, out);
        if (gain > 0 && inner >= 2) {
            spot at;
            // Where the lines of the first and the last edge meet, on one of them or ahead of both.
            if (find_meeting(a, b, c, d, &at) && may_pay(&p, at) && round_right(at.x, at.z, a, b, c, d, &q))
                consider(w, i, j, &q, inner, out);
            if (find_foot(a, c, d, &at) && may_pay(&p, at) && round_right(at.x, at.z, c, d, c, d, &q))
                consider(w, i, j, &q, inner, out);
            if (find_foot(d, a, b, &at) && may_pay(&p, at) && round_right(at.x, at.z, a, b, a, b, &q))
                consider(w, i, j, &q, inner, out);
        }
        if (stays(w, j) || inner == MOST_INNER) return;
        out += w->out[j];
        inner++;
    }
}

// --- cutting

// Has nothing changed from the corner before the chain to the one behind it?
static bool is_unchanged(const ears_work *w, const ear *e)
{
    int32_t k = w->before[e->i], end = w->next[e->j];
    while (k != end && !w->mark[k]) k = w->next[k];
    return k == end && !w->mark[k];
}

static void cut(ears_work *w, const ear *e)
{
    int32_t first = w->next[e->i], loop = w->loop[e->i], i = e->i;
    for (int32_t k = first; k != e->j; k = w->next[k]) {
        w->gone[k] = 1;
        w->mark[k] = CHANGED;
        w->left[loop]--;
    }
    if (e->by_q) {
        w->gone[first] = 0;
        w->left[loop]++;
        w->at[first] = e->q;
        w->fixed[first] = 0;
        w->from[first] = -1;
        i = first;
    }
    w->next[i] = e->j;
    w->before[e->j] = i;
    w->area2[loop] -= e->area2;
    w->mark[e->i] = w->mark[e->j] = w->mark[w->before[e->i]] = w->mark[w->next[e->j]] = CHANGED;
}

// Makes the best cuts; returns whether there was any.
static bool cut_best(ears_work *w)
{
    int32_t found = 0;
    bool any = false;
    for (int32_t i = 0; i < w->count; i++) {
        w->best[i].gain = 0;
        w->mark[i] = 0;
        w->out[i] = !w->gone[i] && corner_sticks_out(w, i);
    }
    for (int32_t i = 0; i < w->count; i++) {
        if (w->gone[i]) continue;
        look_from(w, i);
        const ear *e = &w->best[i];
        if (e->gain > 0) w->order[found++] = (uint64_t)(e->area2 / e->gain) << KEY_BITS | (uint32_t)i;
    }
    nav_sort_u64(w->order, found);
    for (int32_t k = 0; k < found; k++) {
        const ear *e = &w->best[w->order[k] & ((1 << KEY_BITS) - 1)];
        if (!is_unchanged(w, e) || !is_free(w, e, fill_ring(w, e))) continue;
        cut(w, e);
        any = true;
    }
    return any;
}

// --- in and out

static nav_status take_work(ears_work *w, nav_arena *arena)
{
    size_t n = (size_t)w->count, loops = (size_t)w->loops->count;
    w->next = NAV_TAKE(arena, int32_t, n);
    w->before = NAV_TAKE(arena, int32_t, n);
    w->loop = NAV_TAKE(arena, int32_t, n);
    w->gone = NAV_TAKE_ZERO(arena, uint8_t, n);
    w->mark = NAV_TAKE(arena, uint8_t, n);
    w->out = NAV_TAKE(arena, uint8_t, n);
    w->left = NAV_TAKE(arena, int32_t, loops);
    w->area2 = NAV_TAKE(arena, int64_t, loops);
    w->ring = NAV_TAKE(arena, nav_point, MOST_INNER + 3);
    w->best = NAV_TAKE(arena, ear, n);
    w->order = NAV_TAKE(arena, uint64_t, n);
    bool all =
        w->next && w->before && w->loop && w->gone && w->mark && w->out && w->left && w->area2 && w->ring && w->best;
    return all && w->order ? NAV_OK : nav_arena_failure(arena);
}

static void link_corners(ears_work *w)
{
    for (int32_t l = 0; l < w->loops->count; l++) {
        int32_t first = w->loops->first[l], end = w->loops->first[l + 1];
        for (int32_t k = first; k < end; k++) {
            w->next[k] = k + 1 < end ? k + 1 : first;
            w->before[k] = k > first ? k - 1 : end - 1;
            w->loop[k] = l;
        }
        w->left[l] = end - first;
        w->area2[l] = nav_loop_area2(w->at + first, end - first);
    }
}

static void close_gaps(ears_work *w)
{
    int32_t n = 0, k = 0;
    for (int32_t l = 0; l < w->loops->count; l++) {
        for (; k < w->loops->first[l + 1]; k++) {
            if (w->gone[k]) continue;
            w->at[n] = w->at[k];
            w->fixed[n] = w->fixed[k];
            w->from[n++] = w->from[k];
        }
        w->loops->first[l + 1] = n;
    }
}

nav_status nav_loops_cut_ears(nav_loops *loops, uint8_t *fixed, int32_t *from, const nav_ears *how, nav_arena *arena)
{
    int32_t n = loops->count > 0 ? loops->first[loops->count] : 0;
    if (n == 0) return NAV_OK;
    if (n >= 1 << KEY_BITS) return NAV_ERR_LIMIT;
    nav_arena_mark mark = nav_arena_get_mark(arena);
    ears_work w = {.loops = loops, .how = how, .fixed = fixed, .from = from, .at = loops->at, .count = n};
    nav_status status = take_work(&w, arena);
    if (status != NAV_OK) goto done;
    link_corners(&w);
    for (int32_t round = 0; round < ROUNDS && cut_best(&w); round++) {
    }
    close_gaps(&w);
done:
    nav_arena_release(arena, mark);
    return status;
}
