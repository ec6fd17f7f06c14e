// Which stretches of the edges bound the union: those with no shape to their right.
//
//          +------------+ T          The edge e of S is free up to where it enters T, and from where it leaves T. A
//          |            |            place on e is taken to lie ever so little to its right. Then an edge of T along
//     S    |            |            e is no special case: T is to the right of e all along, or not at all. Where both
//    e ----x============x--->        S and T are to the left, the stretch is given to the shape that comes first.
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
    double ax, az, bx, bz; // the same, counted from the origin of the cells
    stretch *taken;        // what other shapes cover
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

// Puts a new node into the lists of all cells within a unit.
static nav_status list_node(union_work *w, nav_point p, int32_t node)
{
    union_cells *c = &w->cells;
    int32_t x = p.x - c->origin.x, z = p.z - c->origin.z;
    nav_status st = nav_grow(w->arena, (void **)&w->node_links, &w->node_link_capacity, (int64_t)w->node_link_count + 4,
                             sizeof *w->node_links);
    if (st != NAV_OK) return st;
    for (int32_t r = (z - 1) >> c->shift; r <= (z + 1) >> c->shift; r++) {
        for (int32_t i = (x - 1) >> c->shift; i <= (x + 1) >> c->shift; i++) {
            int32_t *list = &c->nodes[(int64_t)r * c->columns + i];
            w->node_links[w->node_link_count] = (union_link){node, *list};
            *list = w->node_link_count++;
        }
    }
    return NAV_OK;
}

static nav_status node_at(union_work *w, nav_point p, int32_t *out)
{
    if (w->few) return nav_union_few_node(w, p, out);
    union_cells *c = &w->cells;
    int64_t cell = (int64_t)((p.z - c->origin.z) >> c->shift) * c->columns + ((p.x - c->origin.x) >> c->shift);
    for (int32_t l = c->nodes[cell]; l >= 0; l = w->node_links[l].next) {
        w->steps++;
        *out = w->node_links[l].item;
        if (nav_point_same(w->nodes[*out], p)) return NAV_OK;
    }
    nav_status st =
        nav_grow(w->arena, (void **)&w->nodes, &w->node_capacity, (int64_t)w->node_count + 1, sizeof *w->nodes);
    if (st == NAV_OK) st = list_node(w, p, w->node_count);
    if (st != NAV_OK) return st;
    w->nodes[w->node_count] = p;
    *out = w->node_count++;
    return NAV_OK;
}

static nav_point place_on(const cuts *e, fraction f)
{
    if (f.num == 0) return e->a;
    if (f.num == f.den) return e->b;
    return (nav_point){round_at(e->a.x, e->b.x - e->a.x, f), round_at(e->a.z, e->b.z - e->a.z, f)};
}

enum { APART, COVERS, SHARES };
enum { CLIP_STEPS = 4 };

// The stretch of the edge that has the shape to its right (COVERS), or along which the shape has the same edge
// (SHARES).
static int clip(const union_work *w, int32_t shape, const cuts *e, stretch *out)
{
    const nav_shapes *s = w->shapes;
    int32_t count = s->first[shape + 1] - s->first[shape], line = w->lines.first[shape];
    f64xn ax = f64xn_of(e->ax), az = f64xn_of(e->az), bx = f64xn_of(e->bx), bz = f64xn_of(e->bz), zero = f64xn_of(0);
    uint64_t inside_a = 0, inside_b = 0, outside = 0; // bit k: of line k
    double to_a[NAV_SHAPE_MAX_CORNERS + UNION_LINE_PAD], to_b[NAV_SHAPE_MAX_CORNERS + UNION_LINE_PAD];
    for (int32_t k = 0; k < count; k += F64_LANES) {
        f64xn la = f64xn_load(w->lines.a + line + k), lb = f64xn_load(w->lines.b + line + k),
              lc = f64xn_load(w->lines.c + line + k);
        f64xn at_a = f64xn_sub(f64xn_add(f64xn_mul(la, ax), f64xn_mul(lb, az)), lc);
        f64xn at_b = f64xn_sub(f64xn_add(f64xn_mul(la, bx), f64xn_mul(lb, bz)), lc);
        f64xn_store(to_a + k, at_a);
        f64xn_store(to_b + k, at_b);
        inside_a |= (uint64_t)f64xn_bits(f64xn_at_most(at_a, zero)) << k;
        inside_b |= (uint64_t)f64xn_bits(f64xn_at_most(at_b, zero)) << k;
        const uint64_t at = (uint64_t)f64xn_bits(f64xn_both(f64xn_at_most(zero, at_a), f64xn_at_most(zero, at_b))) << k;
        if (at & ~(inside_a & inside_b)) return APART; // all of it is outside of a line, and not along it
        outside |= at;
    }
    int found = COVERS;
    if (outside) { // along this edge of the shape
        int32_t k = line + __builtin_ctzll(outside);
        if ((e->bz - e->az) * w->lines.a[k] - (e->bx - e->ax) * w->lines.b[k] > 0) found = SHARES;
    }
    fraction lo = {0, 1}, hi = {1, 1};
    for (uint64_t enters = inside_b & ~inside_a; enters; enters &= enters - 1) {
        int32_t k = __builtin_ctzll(enters);
        fraction t = {(int64_t)to_a[k], (int64_t)(to_a[k] - to_b[k])};
        if (lo.num == 0 || before(lo, t)) lo = t;
    }
    for (uint64_t leaves = inside_a & ~inside_b; leaves; leaves &= leaves - 1) {
        int32_t k = __builtin_ctzll(leaves);
        fraction t = {(int64_t)-to_a[k], (int64_t)(to_b[k] - to_a[k])};
        if (hi.num == hi.den || before(t, hi)) hi = t;
    }
    *out = (stretch){lo, hi};
    return lo.num == 0 || hi.num == hi.den || before(lo, hi) ? found : APART;
}

static bool is_all(const stretch *t)
{
    return t->lo.num == 0 && t->hi.num == t->hi.den;
}

// What the shape takes of the edge. True if that is all of it.
static bool cut(union_work *w, int32_t shape, cuts *e)
{
    stretch found;
    w->steps += CLIP_STEPS;
    int how = clip(w, shape, e, &found);
    if (how == APART) return false;
    w->crossings += (found.lo.num != 0) + (found.hi.num != found.hi.den);
    if (how == SHARES) {
        e->shared[e->shared_count++] = found;
        if (shape > e->shape) return false;
    }
    if (is_all(&found)) return true;
    int32_t k = e->taken_count++;
    for (; k > 0 && before(found.lo, e->taken[k - 1].lo); k--) e->taken[k] = e->taken[k - 1];
    w->steps += e->taken_count - k;
    e->taken[k] = found;
    return false;
}

// Finds the shapes that may cover some of the edge. seen: per shape, the last edge that it was found for. Returns how
// many, or -1 where nothing is left of the edge.
static int32_t find_others(union_work *w, const cuts *e, int32_t *seen, int32_t *others)
{
    const union_cells *c = &w->cells;
    union_box box = union_box_of(e->a, e->b);
    union_rows rows = union_edge_rows(c, e->shape, e->a, e->b, box, 0);
    int32_t count = 0;
    bool bare = false;
    for (int32_t r = rows.low; r <= rows.high; r++) {
        int32_t low, high;
        union_edge_columns(&rows, r, &low, &high);
        for (int32_t i = low; i <= high; i++) {
            int64_t cell = (int64_t)r * c->columns + i;
            int32_t item = c->owner[cell], l = -1;
            if (item < 0) {
                bare = true;
                l = c->list[cell];
                item = c->shapes[l].item;
                l = c->shapes[l].next;
            }
            for (;; l = c->shapes[l].next, w->steps++) {
                others[count] = item;
                count += seen[item] != e->edge;
                seen[item] = e->edge;
                if (l < 0) break;
                item = c->shapes[l].item;
            }
        }
    }
    if (!bare) return -1;
    int32_t near = 0;
    for (int32_t i = 0; i < count; i++) {
        const union_box *o = &w->boxes[others[i]];
        others[near] = others[i];
        near += (o->min.x <= box.max.x) & (o->max.x >= box.min.x) & (o->min.z <= box.max.z) & (o->max.z >= box.min.z);
    }
    return near;
}

// Adds a node for a place strictly between lo and hi.
static nav_status add_node_between(union_work *w, const cuts *e, fraction lo, fraction at, fraction hi)
{
    int32_t node;
    return before(lo, at) && before(at, hi) ? node_at(w, place_on(e, at), &node) : NAV_OK;
}

// Adds the part from lo to hi, and nodes for the ends of shared stretches on it.
static nav_status add_part(union_work *w, const cuts *e, fraction lo, fraction hi)
{
    if (!before(lo, hi)) return NAV_OK;
    nav_point from = place_on(e, lo);
    if (!union_holds(w->inside, from)) return NAV_OK; // and so is all of it
    union_part part = {.edge = e->edge, .shape = e->shape};
    nav_status st =
        nav_grow(w->arena, (void **)&w->parts, &w->part_capacity, (int64_t)w->part_count + 1, sizeof *w->parts);
    if (st == NAV_OK) st = node_at(w, from, &part.from);
    if (st == NAV_OK) st = node_at(w, place_on(e, hi), &part.to);
    for (int32_t i = 0; i < e->shared_count && st == NAV_OK; i++) {
        st = add_node_between(w, e, lo, e->shared[i].lo, hi);
        if (st == NAV_OK) st = add_node_between(w, e, lo, e->shared[i].hi, hi);
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

// What is left of an edge of few shapes. *last: the shape that covered the edge before this one, or -1.
static nav_status cut_by_few(union_work *w, cuts *e, int32_t *last)
{
    uint64_t near = nav_union_few_near(w, union_box_of(e->a, e->b)) & ~(UINT64_C(1) << e->shape);
    uint64_t likely = *last >= 0 ? near & UINT64_C(1) << *last : 0;
    if (likely && cut(w, *last, e)) return NAV_OK;
    for (near &= ~likely; near; near &= near - 1) {
        *last = __builtin_ctzll(near);
        if (cut(w, *last, e)) return NAV_OK;
    }
    *last = -1;
    return add_parts(w, e);
}

// The same for many. seen, others: as find_others() has them.
static nav_status cut_by_many(union_work *w, cuts *e, int32_t *last, int32_t *seen, int32_t *others)
{
    seen[e->shape] = e->edge;
    if (*last >= 0 && *last != e->shape) {
        seen[*last] = e->edge;
        if (cut(w, *last, e)) return NAV_OK;
    }
    *last = -1;
    int32_t count = find_others(w, e, seen, others);
    if (count < 0) return NAV_OK;
    for (int32_t k = 0; k < count; k++) {
        *last = others[k];
        if (cut(w, others[k], e)) return NAV_OK;
        if (w->crossings > NAV_UNION_MAX_CROSSINGS || w->steps > NAV_UNION_MAX_STEPS) return NAV_ERR_LIMIT;
    }
    *last = -1;
    return add_parts(w, e);
}

nav_status nav_union_find_parts(union_work *w)
{
    const nav_shapes *s = w->shapes;
    cuts e = {.taken = NAV_TAKE(w->arena, stretch, s->count), .shared = NAV_TAKE(w->arena, stretch, s->count)};
    int32_t *seen = NAV_TAKE(w->arena, int32_t, s->count), *others = NAV_TAKE(w->arena, int32_t, s->count + 1),
            last = -1;
    if (!e.taken || !e.shared || !seen || !others) return nav_arena_failure(w->arena);
    for (int32_t i = 0; i < s->count; i++) seen[i] = -1;
    for (int32_t i = 0; i < w->live_count; i++) {
        e.edge = w->live[i].edge;
        e.shape = w->live[i].shape;
        e.a = s->at[e.edge];
        e.b = union_edge_end(s, e.shape, e.edge);
        e.ax = e.a.x - w->cells.origin.x;
        e.az = e.a.z - w->cells.origin.z;
        e.bx = e.b.x - w->cells.origin.x;
        e.bz = e.b.z - w->cells.origin.z;
        e.taken_count = e.shared_count = 0;
        // What covered the edge before this one is likely to cover this one too.
        nav_status st = w->few ? cut_by_few(w, &e, &last) : cut_by_many(w, &e, &last, seen, others);
        if (st != NAV_OK) return st;
    }
    return NAV_OK;
}
