// Triangulation by cutting ears: a corner whose triangle holds nothing else of the contour is cut off, shortest cut
// first, until a triangle is left.
//
//        v                       v is an ear: no corner of the ring is inside p, v, n or on the cut p-n.
//      / | \                     Only corners that are not strictly convex can be in the way. A ring may touch itself:
//     p--+--n   w                a corner w in the place of p, v or n is not in the way, since the inner angles of
//        cut                     corners in one place never overlap.
//
// Ears wait in a heap. A corner that is no ear waits for the corner that was found in its way, and is looked at again
// when that one is cut off or has become convex: nothing else can make it an ear, but a change of its own angle. What
// is in the way is found in a grid of buckets. So the work is near n log n, though a worse case can be drawn.
//
// All tests are exact. Source: G. Meisters, Polygons have ears (1975). The order by length is Recast's.
#include "core/polygon/half_edges/grid.h"
#include "core/polygon/triangulation/triangulate.h"

enum { CORNERS_PER_BUCKET = 4, NOT_LISTED = -1 };

typedef struct ears {
    half_edges *m;
    half_grid blockers; // the corners that are not strictly convex
    int32_t heap_count;
} ears;

static bool is_strictly_convex(const half_edges *m, int32_t h)
{
    return nav_right(half_at(m, m->prev[h]), half_at(m, h), half_at(m, m->next[h])) > 0;
}

// Shorter cuts first; ties by number, so that the order is unique.
static bool goes_before(const half_edges *m, int32_t a, int32_t b)
{
    return m->ear[a] != m->ear[b] ? m->ear[a] < m->ear[b] : a < b;
}

static void heap_place(half_edges *m, int32_t at, int32_t h)
{
    m->heap[at] = h;
    m->heap_at[h] = at;
}

static void heap_rise(half_edges *m, int32_t at)
{
    int32_t h = m->heap[at];
    for (; at > 0 && goes_before(m, h, m->heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap_place(m, at, m->heap[(at - 1) / 2]);
    heap_place(m, at, h);
}

static void heap_sink(half_edges *m, int32_t count, int32_t at)
{
    int32_t h = m->heap[at];
    for (int32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && goes_before(m, m->heap[child + 1], m->heap[child])) child++;
        if (!goes_before(m, m->heap[child], h)) break;
        heap_place(m, at, m->heap[child]);
    }
    heap_place(m, at, h);
}

static void heap_put(ears *e, int32_t h)
{
    heap_place(e->m, e->heap_count, h);
    heap_rise(e->m, e->heap_count++);
}

static void heap_take(ears *e, int32_t h)
{
    int32_t at = e->m->heap_at[h], last = e->m->heap[--e->heap_count];
    e->m->heap_at[h] = NOT_LISTED;
    if (last == h) return;
    heap_place(e->m, at, last);
    heap_rise(e->m, at);
    heap_sink(e->m, e->heap_count, e->m->heap_at[last]);
}

// watch_prev of the first of those who wait for w. It has no doubles: w = first_of(first_of(w)).
static int32_t first_of(int32_t w)
{
    return -2 - w;
}

static void wait_for(half_edges *m, int32_t w, int32_t h)
{
    int32_t first = m->watch_first[w];
    m->watch_first[w] = h;
    m->watch_next[h] = first;
    m->watch_prev[h] = first_of(w);
    if (first >= 0) m->watch_prev[first] = h;
}

static void stop_waiting(half_edges *m, int32_t h)
{
    int32_t before = m->watch_prev[h], after = m->watch_next[h];
    if (before == NOT_LISTED) return;
    if (after >= 0) m->watch_prev[after] = before;
    if (before >= 0)
        m->watch_next[before] = after;
    else
        m->watch_first[first_of(before)] = after;
    m->watch_prev[h] = NOT_LISTED;
}

static bool is_in_the_way(const half_edges *m, nav_point p, nav_point v, nav_point n, int32_t w)
{
    nav_point q = half_at(m, w);
    int64_t a = nav_right(p, v, q), b = nav_right(v, n, q), c = nav_right(n, p, q);
    if (a < 0 || b < 0 || c < 0) return false;
    return !nav_point_same(q, p) && !nav_point_same(q, v) && !nav_point_same(q, n);
}

static int32_t least_of(int32_t a, int32_t b, int32_t c)
{
    int32_t least = a < b ? a : b;
    return least < c ? least : c;
}

static int32_t most_of(int32_t a, int32_t b, int32_t c)
{
    int32_t most = a > b ? a : b;
    return most > c ? most : c;
}

// A corner in the way of cutting off that of h; -1 where there is none.
static int32_t find_blocker(const ears *e, int32_t h)
{
    const half_edges *m = e->m;
    const half_grid *g = &e->blockers;
    int32_t before = m->prev[h], after = m->next[h];
    nav_point p = half_at(m, before), v = half_at(m, h), n = half_at(m, after);
    int32_t c0 = half_grid_column(g, least_of(p.x, v.x, n.x)), c1 = half_grid_column(g, most_of(p.x, v.x, n.x));
    int32_t r0 = half_grid_row(g, least_of(p.z, v.z, n.z)), r1 = half_grid_row(g, most_of(p.z, v.z, n.z));
    for (int32_t r = r0; r <= r1; r++)
        for (int32_t c = c0; c <= c1; c++)
            for (int32_t w = g->head[r * g->columns + c]; w >= 0; w = g->next[w])
                if (w != before && w != after && is_in_the_way(m, p, v, n, w)) return w;
    return -1;
}

// Finds out again whether the corner of h is an ear.
static void assess(ears *e, int32_t h)
{
    half_edges *m = e->m;
    stop_waiting(m, h);
    if (m->heap_at[h] != NOT_LISTED) heap_take(e, h);
    if (!is_strictly_convex(m, h)) return;
    int32_t w = find_blocker(e, h);
    if (w >= 0) {
        wait_for(m, w, h);
        return;
    }
    m->ear[h] = nav_distance2(half_at(m, m->prev[h]), half_at(m, m->next[h]));
    heap_put(e, h);
}

static void enter_corner(ears *e, int32_t h)
{
    half_edges *m = e->m;
    m->watch_first[h] = -1;
    m->watch_prev[h] = m->heap_at[h] = NOT_LISTED;
    if (!is_strictly_convex(m, h)) nav_half_grid_put(&e->blockers, half_grid_bucket(&e->blockers, half_at(m, h)), h);
}

// Those who wait, from h on, are looked at again. Nobody else is waiting for what they waited for.
static void look_again(ears *e, int32_t h)
{
    while (h >= 0) {
        int32_t next = e->m->watch_next[h];
        e->m->watch_prev[h] = NOT_LISTED;
        assess(e, h);
        h = next;
    }
}

static void make_triangle(half_edges *m, int32_t a, int32_t region, uint8_t area)
{
    nav_half_new_triangle(m, a, region, area);
    m->cut[m->cut_count++] = m->face[a];
}

// Cuts the origin of h off as a triangle; returns the half-edge that stands for the cut in what is left, and for the
// corner before.
static int32_t cut_ear(half_edges *m, int32_t h, int32_t region, uint8_t area)
{
    int32_t p = m->prev[h], n = m->next[h], before = m->prev[p];
    int32_t inner = nav_half_new(m, m->org[n]), outer = nav_half_new(m, m->org[p]);
    m->twin[inner] = outer;
    m->twin[outer] = inner;
    half_follow(m, h, inner);
    half_follow(m, inner, p);
    half_follow(m, before, outer);
    half_follow(m, outer, n);
    make_triangle(m, h, region, area);
    return outer;
}

// Cuts the corner of h off and brings everything that this changes up to date. Returns the half-edge of the cut.
static int32_t take_ear(ears *e, int32_t h, int32_t region, uint8_t area)
{
    half_edges *m = e->m;
    int32_t before = m->prev[h], after = m->next[h];
    bool before_blocked = !is_strictly_convex(m, before), after_blocked = !is_strictly_convex(m, after);
    heap_take(e, h);
    stop_waiting(m, before);
    if (m->heap_at[before] != NOT_LISTED) heap_take(e, before);
    int32_t freed = -1, freed_after = -1;
    if (before_blocked) {
        freed = m->watch_first[before];
        nav_half_grid_drop(&e->blockers, m, before);
    }
    int32_t cut = cut_ear(m, h, region, area);
    enter_corner(e, cut);
    if (freed >= 0 && !is_strictly_convex(m, cut)) { // still in the way, by another name
        m->watch_first[cut] = freed;
        m->watch_prev[freed] = first_of(cut);
        freed = -1;
    }
    if (after_blocked && is_strictly_convex(m, after)) {
        nav_half_grid_drop(&e->blockers, m, after);
        freed_after = m->watch_first[after];
        m->watch_first[after] = -1;
    } else if (!after_blocked && !is_strictly_convex(m, after)) {
        nav_half_grid_put(&e->blockers, half_grid_bucket(&e->blockers, half_at(m, after)), after);
    }
    look_again(e, freed);
    look_again(e, freed_after);
    assess(e, cut);
    assess(e, after);
    return cut;
}

bool nav_half_cut_ears(half_edges *m, int32_t h, int32_t n, int32_t region, uint8_t area)
{
    if (n > 3) {
        ears e = {.m = m, .blockers = {.head = m->bucket, .next = m->near_next, .prev = m->near_prev}};
        nav_half_grid_init(&e.blockers, m, h, n / CORNERS_PER_BUCKET);
        for (int32_t i = 0, c = h; i < n; i++, c = m->next[c]) enter_corner(&e, c);
        for (int32_t i = 0, c = h; i < n; i++, c = m->next[c]) assess(&e, c);
        for (; n > 3 && e.heap_count > 0; n--) h = take_ear(&e, m->heap[0], region, area);
    }
    if (n == 3 && is_strictly_convex(m, h)) {
        make_triangle(m, h, region, area);
        return true;
    }
    int64_t left = 0;
    nav_point o = half_at(m, h);
    for (int32_t e = m->next[h]; e != h; e = m->next[e]) left += nav_right(o, half_at(m, e), half_at(m, m->next[e]));
    nav_half_discard(m, h);
    return left == 0;
}
