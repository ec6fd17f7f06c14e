// Which stretches of the edges bound the union: those with no shape to their right.
//
//          +------------+ T          The edge e of S is free up to where it enters T, and from where it leaves T. A
//          place |            |            on e is taken to lie ever so little to its right. Then an edge of T along e
//          is no
//     S    |            |            special case: T is to the right of e all along, or not at all. Where both S and T
//    e ----x============x--->        are to the left, the stretch is given to the shape that comes first.
//          |            |
//
// Places are fractions of the edge and compared exactly. So the parts are the boundary of the exact union, and as many
// begin as end at each place. Doubles hold whole numbers below 2^53 only.
#include "core/base/grow.h"
#include "core/lanes/f64xn.h"
#include "core/outline/union_work.h"

#include <assert.h>

typedef struct fraction {
    int64_t num, den; // den > 0
} fraction;

typedef struct stretch {
    fraction lo, hi;
} stretch;

// Of one edge.
typedef struct cuts {
    int32_t shape, edge;
    nav_point a, b;
    stretch *taken; // what other shapes cover
    int32_t taken_count;
    stretch *shared; // where others have the same edge
    int32_t shared_count;
} cuts;

static bool before(fraction p, fraction q)
{
    return (__int128)p.num * q.den < (__int128)q.num * p.den;
}

// The nearest whole number to a + d * f; what lies half way is rounded up.
static int32_t round_at(int32_t a, int32_t d, fraction f)
{
    if (f.den < (int64_t)1 << 40) {
        int64_t num = 2 * f.num * d + f.den, den = 2 * f.den, q = (int64_t)((double)num / (double)den);
        if (q * den > num)
            q--;
        else if ((q + 1) * den <= num)
            q++;
        return a + (int32_t)q;
    }
    __int128 num = 2 * (__int128)f.num * d + f.den, den = 2 * (__int128)f.den, q = num / den;
    if (q * den > num) q--;
    return a + (int32_t)q;
}

// The node of a place on an edge.
static nav_status node_at(union_work *w, const cuts *e, fraction f, int32_t *out)
{
    nav_point p = {round_at(e->a.x, e->b.x - e->a.x, f), round_at(e->a.z, e->b.z - e->a.z, f)};
    int32_t *list = &w->cells.nodes[union_cell_of(&w->cells, p)];
    for (*out = *list; *out >= 0; *out = w->nodes[*out].next, w->steps++)
        if (nav_point_same(w->nodes[*out].at, p)) return NAV_OK;
    nav_status st =
        nav_grow(w->arena, (void **)&w->nodes, &w->node_capacity, (int64_t)w->node_count + 1, sizeof *w->nodes);
    if (st != NAV_OK) return st;
    w->nodes[w->node_count] = (union_node){p, *list};
    *out = *list = w->node_count++;
    return NAV_OK;
}

enum { APART, COVERS, SHARES };

// The stretch of the edge a -> b that has the shape to its right (COVERS), or along which the shape has the same edge
// (SHARES).
static int clip(const union_work *w, int32_t shape, nav_point a, nav_point b, stretch *out)
{
    const nav_shapes *s = w->shapes;
    int32_t first = s->first[shape], count = s->first[shape + 1] - first, line = w->lines.first[shape];
    f64xn ax = f64xn_of(a.x), az = f64xn_of(a.z), bx = f64xn_of(b.x), bz = f64xn_of(b.z), zero = f64xn_of(0);
    const unsigned all = (1u << F64_LANES) - 1;
    fraction lo = {0, 1}, hi = {1, 1};
    int found = COVERS;
    for (int32_t k = 0; k < count; k += F64_LANES) {
        f64xn la = f64xn_load(w->lines.a + line + k), lb = f64xn_load(w->lines.b + line + k),
              lc = f64xn_load(w->lines.c + line + k);
        f64xn at_a = f64xn_sub(f64xn_add(f64xn_mul(la, ax), f64xn_mul(lb, az)), lc);
        f64xn at_b = f64xn_sub(f64xn_add(f64xn_mul(la, bx), f64xn_mul(lb, bz)), lc);
        unsigned right_a = ~f64xn_bits(f64xn_at_most(at_a, zero)) & all;
        unsigned right_b = ~f64xn_bits(f64xn_at_most(at_b, zero)) & all;
        unsigned out_of = f64xn_bits(f64xn_both(f64xn_at_most(zero, at_a), f64xn_at_most(zero, at_b)));
        if (out_of & (right_a | right_b)) return APART;
        if (out_of) { // along this edge of the shape
            int32_t i = first + k + __builtin_ctz(out_of);
            nav_point f = s->at[i], g = union_edge_end(s, shape, i);
            if ((int64_t)(b.x - a.x) * (g.x - f.x) + (int64_t)(b.z - a.z) * (g.z - f.z) > 0) found = SHARES;
        }
        unsigned crossed = right_a ^ right_b;
        if (!crossed) continue;
        double da[F64_LANES], db[F64_LANES];
        f64xn_store(da, at_a);
        f64xn_store(db, at_b);
        for (; crossed; crossed &= crossed - 1) {
            int i = __builtin_ctz(crossed);
            int64_t p = (int64_t)da[i], q = (int64_t)db[i];
            if (p > 0) {
                fraction t = {p, p - q};
                if (before(lo, t)) lo = t;
            } else {
                fraction t = {-p, q - p};
                if (before(t, hi)) hi = t;
            }
        }
        if (!before(lo, hi)) return APART;
    }
    *out = (stretch){lo, hi};
    return found;
}

static bool is_all(const stretch *t)
{
    return t->lo.num == 0 && t->hi.num == t->hi.den;
}

// What the shape takes of the edge. True if that is all of it.
static bool cut(union_work *w, int32_t shape, cuts *e)
{
    stretch found;
    w->steps++;
    int how = clip(w, shape, e->a, e->b, &found);
    if (how == APART) return false;
    w->crossings += (found.lo.num != 0) + (found.hi.num != found.hi.den);
    if (how == SHARES) {
        e->shared[e->shared_count++] = found;
        if (shape > e->shape) return false;
    }
    if (is_all(&found)) return true;
    int32_t k = e->taken_count++;
    for (; k > 0 && before(found.lo, e->taken[k - 1].lo); k--) e->taken[k] = e->taken[k - 1];
    e->taken[k] = found;
    return false;
}

// Cuts the edge with every shape that may cover some of it. Returns one that covers it all, or -1. seen: per shape, the
// last edge that it was compared with.
static int32_t cut_edge(union_work *w, cuts *e, int32_t *seen)
{
    const union_cells *c = &w->cells;
    int64_t row = (int64_t)c->row[e->edge] * c->columns;
    for (int32_t i = c->first[e->edge]; i < c->first[e->edge + 1]; i++, row += c->columns) {
        for (int64_t cell = row + c->reach[i].low; cell <= row + c->reach[i].high; cell++) {
            int32_t owner = c->owner[cell];
            if (owner >= 0) {
                if (seen[owner] == e->edge) continue;
                seen[owner] = e->edge;
                if (cut(w, owner, e)) return owner;
                continue;
            }
            for (int32_t l = c->list[cell]; l >= 0; l = c->links[l].next) {
                int32_t other = c->links[l].shape;
                if (seen[other] == e->edge) continue;
                seen[other] = e->edge;
                if (cut(w, other, e)) return other;
            }
        }
    }
    return -1;
}

// Adds the part from lo to hi, and nodes for the ends of shared stretches on it.
static nav_status add_part(union_work *w, const cuts *e, fraction lo, fraction hi)
{
    if (!before(lo, hi)) return NAV_OK;
    union_part part = {.edge = e->edge, .shape = e->shape};
    nav_status st =
        nav_grow(w->arena, (void **)&w->parts, &w->part_capacity, (int64_t)w->part_count + 1, sizeof *w->parts);
    if (st == NAV_OK) st = node_at(w, e, lo, &part.from);
    if (st == NAV_OK) st = node_at(w, e, hi, &part.to);
    for (int32_t i = 0; i < e->shared_count && st == NAV_OK; i++) {
        int32_t node;
        if (before(lo, e->shared[i].lo) && before(e->shared[i].lo, hi)) st = node_at(w, e, e->shared[i].lo, &node);
        if (st == NAV_OK && before(lo, e->shared[i].hi) && before(e->shared[i].hi, hi))
            st = node_at(w, e, e->shared[i].hi, &node);
    }
    if (st == NAV_OK) w->parts[w->part_count++] = part;
    return st;
}

static nav_status add_parts(union_work *w, const cuts *e)
{
    fraction from = {0, 1}, end = {1, 1};
    for (int32_t i = 0; i < e->taken_count; i++) {
        nav_status st = add_part(w, e, from, e->taken[i].lo);
        if (st != NAV_OK) return st;
        if (before(from, e->taken[i].hi)) from = e->taken[i].hi;
    }
    return add_part(w, e, from, end);
}

static nav_status find_lines(union_work *w)
{
    const nav_shapes *s = w->shapes;
    int64_t room = s->first[s->count] + (int64_t)UNION_LINE_PAD * s->count;
    union_lines *l = &w->lines;
    *l = (union_lines){NAV_TAKE(w->arena, int32_t, s->count), NAV_TAKE(w->arena, double, room),
                       NAV_TAKE(w->arena, double, room), NAV_TAKE(w->arena, double, room)};
    if (!l->first || !l->a || !l->b || !l->c) return nav_arena_failure(w->arena);
    int32_t n = 0;
    for (int32_t i = 0; i < s->count; i++) {
        l->first[i] = n;
        for (int32_t k = s->first[i]; k < s->first[i + 1]; k++, n++) {
            nav_point f = s->at[k], g = union_edge_end(s, i, k);
            l->a[n] = g.z - f.z;
            l->b[n] = f.x - g.x;
            l->c[n] = l->a[n] * f.x + l->b[n] * f.z;
        }
        for (; n % UNION_LINE_PAD; n++) l->a[n] = l->b[n] = 0, l->c[n] = 1;
    }
    return NAV_OK;
}

nav_status nav_union_find_parts(union_work *w)
{
    const nav_shapes *s = w->shapes;
    nav_status st = find_lines(w);
    if (st != NAV_OK) return st;
    cuts e = {.taken = NAV_TAKE(w->arena, stretch, s->count), .shared = NAV_TAKE(w->arena, stretch, s->count)};
    int32_t *seen = NAV_TAKE(w->arena, int32_t, s->count), last = -1;
    if (!e.taken || !e.shared || !seen) return nav_arena_failure(w->arena);
    for (int32_t i = 0; i < s->count; i++) seen[i] = -1;
    for (int32_t i = 0; i < w->live_count; i++) {
        e.edge = w->live[i];
        e.shape = w->live_shape[i];
        e.a = s->at[e.edge];
        e.b = union_edge_end(s, e.shape, e.edge);
        e.taken_count = e.shared_count = 0;
        seen[e.shape] = e.edge;
        if (last >= 0 && last != e.shape) { // what covered the edge before this one is likely to cover this one too
            seen[last] = e.edge;
            if (cut(w, last, &e)) continue;
        }
        last = cut_edge(w, &e, seen);
        if (w->crossings > NAV_UNION_MAX_CROSSINGS || w->steps > UNION_MAX_STEPS) return NAV_ERR_LIMIT;
        if (last >= 0) continue;
        st = add_parts(w, &e);
        if (st != NAV_OK) return st;
    }
    return NAV_OK;
}
