// Portals and their clearance.
//
// The walls that can matter to a portal are collected by spreading from its cells over their edges, nearest edge first.
// A wall found behind an edge at distance e counts for discs larger than e only: its key is the largest distance on the
// best way to it (a bottleneck, as Prim and Dijkstra would have it). Each wall also bounds the answer from above, by
// its distance to the farther end of the portal, so the spreading ends where nothing nearer can be found.
//
//     ##########w1##########          c runs along the portal from p to q. Over c, the distance to each wall is a
//               .                     convex function, and the clearance is the highest point of the lowest of them:
//         A     p                                  \     /
//               c---- r                             \   /  w2
//         B     q                                w1  \_/     <- f(c) = min(w1, w2, ...)
//               .
//     ##########w2###                 A convex function is not above its larger end on an interval. So the wall that
//                                     decides in the middle of an interval bounds f on both halves at once; with f's
// slope of at most 1 this cuts off all but a few halves, and each evaluation halves what is left. Branch and bound in
// the manner of Piyavskii ("An algorithm for finding the absolute extremum of a function", 1972), with the bound above
// in addition.
#include "core/polygon/portals.h"

#include <math.h>
#include <string.h>

enum { STACK = 64 }; // intervals wait here; each is half of the one before, down to a part of a column

typedef struct wall {
    double ax, az, bx, bz;
    double key2; // square of the bottleneck
} wall;

typedef struct reached {
    double key2;
    int32_t cell;
} reached;

typedef struct spreading {
    const nav_polygons *polys;
    double p[2], q[2]; // the portal's ends: x, z
    int32_t low[2], high[2];
    double length;
    double exact;          // the stored clearance is less than this below the true one
    double bound2;         // square of a clearance that cannot be passed
    bool wall_at[2];       // a wall touches p, q
    int32_t *stamp, round; // per cell: the round that took it
    reached *heap;
    int32_t heap_count;
    wall *walls;
    int32_t wall_count;
} spreading;

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

// a where it is so, else b, without a branch.
static inline double chosen(bool so, double a, double b)
{
    uint64_t x, y, mask = -(uint64_t)so;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = (x & mask) | (y & ~mask);
    memcpy(&a, &x, sizeof a);
    return a;
}

// Square of the distance from a point to a segment. Which end or side counts changes from wall to wall: all three are
// worked out, because a branch that is guessed wrongly costs more than the division.
static double point_distance2(double x, double z, double ax, double az, double bx, double bz)
{
    double ex = bx - ax, ez = bz - az, dx = x - ax, dz = z - az, fx = x - bx, fz = z - bz;
    double along = dx * ex + dz * ez, length2 = ex * ex + ez * ez, cross = ex * dz - ez * dx;
    double d = chosen(along >= length2, fx * fx + fz * fz, cross * cross / length2);
    return chosen(along <= 0, dx * dx + dz * dz, d);
}

static double side(const double a[2], const double b[2], double x, double z)
{
    return (b[0] - a[0]) * (z - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

// Square of the distance of the portal to a segment; *at_p, *at_q: of its ends.
static double portal_distance2(const spreading *s, const double a[2], const double b[2], double *at_p, double *at_q)
{
    *at_p = point_distance2(s->p[0], s->p[1], a[0], a[1], b[0], b[1]);
    *at_q = point_distance2(s->q[0], s->q[1], a[0], a[1], b[0], b[1]);
    double pa = side(s->p, s->q, a[0], a[1]), pb = side(s->p, s->q, b[0], b[1]);
    double ap = side(a, b, s->p[0], s->p[1]), aq = side(a, b, s->q[0], s->q[1]);
    if (((pa < 0 && pb > 0) || (pa > 0 && pb < 0)) && ((ap < 0 && aq > 0) || (ap > 0 && aq < 0))) return 0;
    double d = point_distance2(a[0], a[1], s->p[0], s->p[1], s->q[0], s->q[1]);
    d = smaller(d, point_distance2(b[0], b[1], s->p[0], s->p[1], s->q[0], s->q[1]));
    return smaller(smaller(d, *at_p), *at_q);
}

static bool before(const reached *a, const reached *b)
{
    return a->key2 != b->key2 ? a->key2 < b->key2 : a->cell < b->cell;
}

static void push(spreading *s, double key2, int32_t cell)
{
    reached r = {key2, cell};
    int32_t i = s->heap_count++;
    for (int32_t up; i > 0 && before(&r, &s->heap[up = (i - 1) / 2]); i = up) s->heap[i] = s->heap[up];
    s->heap[i] = r;
}

static reached pop(spreading *s)
{
    reached least = s->heap[0], last = s->heap[--s->heap_count];
    int32_t i = 0;
    for (int32_t down; (down = 2 * i + 1) < s->heap_count; i = down) {
        if (down + 1 < s->heap_count && before(&s->heap[down + 1], &s->heap[down])) down++;
        if (!before(&s->heap[down], &last)) break;
        s->heap[i] = s->heap[down];
    }
    s->heap[i] = last;
    return least;
}

// Distance between the portal's box and that of an edge along one axis.
static int32_t gap(int32_t low, int32_t high, int32_t a, int32_t b)
{
    int32_t least = a < b ? a : b, most = a < b ? b : a;
    return least > high ? least - high : most < low ? low - most : 0;
}

static void add_wall(spreading *s, const double a[2], const double b[2], double at_p, double at_q, double key2)
{
    s->walls[s->wall_count++] = (wall){a[0], a[1], b[0], b[1], key2};
    s->bound2 = smaller(s->bound2, larger(key2, larger(at_p, at_q)));
    if (key2 > 0) return;
    s->wall_at[0] |= at_p == 0;
    s->wall_at[1] |= at_q == 0;
    if (s->wall_at[0] && s->wall_at[1]) s->bound2 = smaller(s->bound2, s->length * s->length / 4);
}

static void look_around(spreading *s, const reached *from)
{
    const nav_polygons *polys = s->polys;
    int32_t end = polys->cell_first[from->cell + 1];
    for (int32_t k = polys->cell_first[from->cell]; k < end; k++) {
        int32_t u = polys->cell_vert[k], v = polys->cell_vert[k + 1 < end ? k + 1 : polys->cell_first[from->cell]];
        int32_t behind = polys->cell_behind[k];
        if (nav_edge_is_portal(behind) || behind == NAV_EDGE_SEAM || (behind >= 0 && s->stamp[behind] == s->round))
            continue;
        double dx = gap(s->low[0], s->high[0], polys->x[u], polys->x[v]);
        double dz = gap(s->low[1], s->high[1], polys->z[u], polys->z[v]);
        if (dx * dx + dz * dz >= s->bound2) continue;
        const double a[2] = {polys->x[u], polys->z[u]}, b[2] = {polys->x[v], polys->z[v]};
        double at_p, at_q, distance2 = portal_distance2(s, a, b, &at_p, &at_q);
        if (distance2 >= s->bound2) continue;
        if (behind >= 0)
            push(s, larger(from->key2, distance2), behind);
        else
            add_wall(s, a, b, at_p, at_q, from->key2);
    }
}

static void collect_walls(spreading *s, int32_t cell, int32_t other)
{
    s->heap_count = s->wall_count = 0;
    s->round++;
    push(s, 0, cell);
    if (other >= 0) push(s, 0, other);
    for (int32_t taken = 0; s->heap_count > 0;) {
        reached r = pop(s);
        if (r.key2 >= s->bound2) break;
        if (s->stamp[r.cell] == s->round) continue;
        if (taken++ == NAV_CLEARANCE_LOOKS) {
            s->bound2 = r.key2;
            break;
        }
        s->stamp[r.cell] = s->round;
        look_around(s, &r);
    }
}

static double wall_value(const spreading *s, const wall *w, double t)
{
    double x = s->p[0] + t * (s->q[0] - s->p[0]), z = s->p[1] + t * (s->q[1] - s->p[1]);
    return larger(w->key2, point_distance2(x, z, w->ax, w->az, w->bx, w->bz));
}

typedef struct interval {
    double from, to; // parts of the portal, 0 to 1
    double bound;    // of the clearance within, outline units
} interval;

// One half of an interval: from its middle, where the clearance is `here`, to the end `far`.
static interval half_of(const spreading *s, const interval *whole, double middle, double far, double here,
                        double wall_far)
{
    double slope = here + (far > middle ? far - middle : middle - far) * s->length;
    double bound = smaller(whole->bound, smaller(slope, larger(here, wall_far)));
    return far > middle ? (interval){middle, far, bound} : (interval){far, middle, bound};
}

static double measure_clearance(const spreading *s)
{
    interval stack[STACK] = {{0, 1, sqrt(s->bound2)}};
    double best = 0;
    for (int count = 1; count > 0;) {
        interval at = stack[--count];
        if (at.bound < best + s->exact) continue;
        double middle = (at.from + at.to) / 2, least2 = s->bound2;
        const wall *nearest = NULL;
        for (int32_t i = 0; i < s->wall_count; i++) {
            double value2 = wall_value(s, &s->walls[i], middle);
            if (value2 >= least2) continue;
            least2 = value2;
            nearest = &s->walls[i];
        }
        double here = sqrt(least2);
        best = larger(best, here);
        if (!nearest) break; // nothing lies within the bound here: it is reached
        interval lower = half_of(s, &at, middle, at.from, here, sqrt(wall_value(s, nearest, at.from)));
        interval upper = half_of(s, &at, middle, at.to, here, sqrt(wall_value(s, nearest, at.to)));
        bool upper_first = upper.bound > lower.bound;
        stack[count++] = upper_first ? lower : upper;
        stack[count++] = upper_first ? upper : lower;
    }
    return best;
}

static void measure(spreading *s, int32_t i, int32_t most, nav_portals *out)
{
    const nav_polygons *polys = s->polys;
    int32_t u = out->from[i], v = out->to[i];
    const int32_t a[2] = {polys->x[u], polys->z[u]}, b[2] = {polys->x[v], polys->z[v]};
    for (int k = 0; k < 2; k++) {
        s->p[k] = a[k];
        s->q[k] = b[k];
        s->low[k] = a[k] < b[k] ? a[k] : b[k];
        s->high[k] = a[k] < b[k] ? b[k] : a[k];
    }
    double dx = s->q[0] - s->p[0], dz = s->q[1] - s->p[1];
    s->length = out->width[i] = sqrt(dx * dx + dz * dz);
    s->bound2 = (double)most * most;
    s->wall_at[0] = s->wall_at[1] = false;
    collect_walls(s, out->cell[i], out->behind[i]);
    out->clearance[i] = measure_clearance(s);
}

// Does the edge that begins in corner b of a cell go on from the edge that begins in corner a: straight, with the same
// behind it? c is the corner behind b.
static bool goes_on(const nav_polygons *p, int32_t a, int32_t b, int32_t c)
{
    if (p->cell_behind[a] != p->cell_behind[b]) return false;
    int32_t u = p->cell_vert[a], v = p->cell_vert[b], w = p->cell_vert[c];
    int64_t ax = (int64_t)p->x[v] - p->x[u], az = (int64_t)p->z[v] - p->z[u];
    int64_t bx = (int64_t)p->x[w] - p->x[v], bz = (int64_t)p->z[w] - p->z[v];
    return ax * bz == az * bx && ax * bx + az * bz > 0;
}

static void list_cell(const nav_polygons *p, int32_t cell, nav_portals *out)
{
    int32_t first = p->cell_first[cell], n = p->cell_first[cell + 1] - first;
    for (int32_t k = 0; k < n; k++) {
        int32_t behind = p->cell_behind[first + k];
        if (behind == NAV_EDGE_WALL || (behind >= 0 && behind <= cell)) continue;
        int32_t next = first + (k + 1) % n;
        if (goes_on(p, first + (k + n - 1) % n, first + k, next)) continue;
        for (int32_t at = k + 1; goes_on(p, first + (at - 1) % n, first + at % n, first + (at + 1) % n); at++)
            next = first + (at + 1) % n;
        out->cell[out->count] = cell;
        out->behind[out->count] = behind;
        out->from[out->count] = p->cell_vert[first + k];
        out->to[out->count++] = p->cell_vert[next];
    }
}

nav_status nav_portals_build(const nav_polygons *polygons, int32_t unit, int32_t most, nav_arena *arena,
                             nav_portals *out)
{
    *out = (nav_portals){0};
    int32_t corners = polygons->cell_count ? polygons->cell_first[polygons->cell_count] : 0, edges = 0;
    for (int32_t k = 0; k < corners; k++) edges += polygons->cell_behind[k] != NAV_EDGE_WALL;
    out->cell = NAV_TAKE(arena, int32_t, edges);
    out->behind = NAV_TAKE(arena, int32_t, edges);
    out->from = NAV_TAKE(arena, int32_t, edges);
    out->to = NAV_TAKE(arena, int32_t, edges);
    out->width = NAV_TAKE(arena, double, edges);
    out->clearance = NAV_TAKE(arena, double, edges);
    if (!out->cell || !out->behind || !out->from || !out->to || !out->width || !out->clearance)
        return nav_arena_failure(arena);
    for (int32_t c = 0; c < polygons->cell_count; c++) list_cell(polygons, c, out);

    nav_arena_mark scratch = nav_arena_get_mark(arena);
    nav_status status = NAV_OK;
    spreading s = {.polys = polygons, .exact = (double)unit / NAV_CLEARANCE_PARTS};
    s.stamp = NAV_TAKE_ZERO(arena, int32_t, polygons->cell_count);
    s.heap = NAV_TAKE(arena, reached, (size_t)edges + 2);
    s.walls = NAV_TAKE(arena, wall, corners);
    if (!s.stamp || !s.heap || !s.walls) {
        status = nav_arena_failure(arena);
        goto done;
    }
    for (int32_t i = 0; i < out->count; i++) measure(&s, i, most, out);
done:
    nav_arena_release(arena, scratch);
    return status;
}
