// Which stretches of the edges bound the union: those with no shape to their right.
//
//          +------------+ T          The edge e of S is free up to where it enters T, and from where it leaves T. A
//          place |            |            on e is taken to lie ever so little to its right. Then an edge of T along e
//          is no
//     S    |            |            special case: T is to the right of e all along, or not at all. Where both S and T
//    e ----x============x--->        are to the left, the stretch is given to the shape that comes first.
//          |            |
//
// Places are fractions of the edge and compared exactly.
#include "core/base/grow.h"
#include "core/outline/union_work.h"

typedef struct fraction {
    int64_t num, den; // den > 0
} fraction;

typedef struct stretch {
    fraction lo, hi;
} stretch;

typedef struct bounds {
    nav_point min, max;
} bounds;

static bool before(fraction p, fraction q)
{
    return (__int128)p.num * q.den < (__int128)q.num * p.den;
}

// The nearest whole number to a + d * f; what lies half way is rounded up.
static int32_t round_at(int32_t a, int32_t d, fraction f)
{
    __int128 num = 2 * (__int128)f.num * d + f.den, den = 2 * (__int128)f.den, q = num / den;
    if (q * den > num) q--;
    return a + (int32_t)q;
}

static nav_point place_at(nav_point a, nav_point b, fraction f)
{
    return (nav_point){round_at(a.x, b.x - a.x, f), round_at(a.z, b.z - a.z, f)};
}

static bool overlap(const bounds *p, const bounds *q)
{
    return p->min.x <= q->max.x && q->min.x <= p->max.x && p->min.z <= q->max.z && q->min.z <= p->max.z;
}

static bool within(const bounds *p, const bounds *q)
{
    return p->min.x >= q->min.x && p->max.x <= q->max.x && p->min.z >= q->min.z && p->max.z <= q->max.z;
}

static nav_point corner(const nav_shapes *s, int32_t shape, int32_t k)
{
    int32_t first = s->first[shape], count = s->first[shape + 1] - first;
    return s->at[first + (k < count ? k : k - count)];
}

static bool is_contained(const nav_shapes *s, int32_t p, int32_t q)
{
    for (int32_t i = s->first[p]; i < s->first[p + 1]; i++)
        for (int32_t j = 0; j < s->first[q + 1] - s->first[q]; j++)
            if (nav_right(corner(s, q, j), corner(s, q, j + 1), s->at[i]) > 0) return false;
    return true;
}

enum { APART, COVERS, SHARES };

// The stretch of the edge a -> b that has the shape to its right (COVERS), or along which the shape has the same edge
// (SHARES).
static int clip(const nav_shapes *s, int32_t shape, nav_point a, nav_point b, stretch *out)
{
    int32_t count = s->first[shape + 1] - s->first[shape];
    fraction lo = {0, 1}, hi = {1, 1};
    int found = COVERS;
    for (int32_t k = 0; k < count; k++) {
        nav_point f = corner(s, shape, k), g = corner(s, shape, k + 1);
        int64_t at_a = nav_right(f, g, a), at_b = nav_right(f, g, b);
        if (at_a == 0 && at_b == 0) {
            if ((int64_t)(b.x - a.x) * (g.x - f.x) + (int64_t)(b.z - a.z) * (g.z - f.z) > 0) found = SHARES;
        } else if (at_a >= 0 && at_b >= 0) {
            return APART;
        } else if (at_a > 0) {
            fraction t = {at_a, at_a - at_b};
            if (before(lo, t)) lo = t;
        } else if (at_b > 0) {
            fraction t = {-at_a, at_b - at_a};
            if (before(t, hi)) hi = t;
        }
    }
    *out = (stretch){lo, hi};
    return before(lo, hi) ? found : APART;
}

static nav_status add_mark(union_work *w, nav_point p)
{
    nav_status st =
        nav_grow(w->arena, (void **)&w->marks, &w->mark_capacity, (int64_t)w->mark_count + 1, sizeof *w->marks);
    if (st == NAV_OK) w->marks[w->mark_count++] = p;
    return st;
}

// Adds the part from lo to hi, and the ends of shared stretches on it.
static nav_status add_part(union_work *w, int32_t shape, nav_point a, nav_point b, fraction lo, fraction hi,
                           const stretch *shared, int32_t shared_count)
{
    if (!before(lo, hi)) return NAV_OK;
    nav_status st =
        nav_grow(w->arena, (void **)&w->parts, &w->part_capacity, (int64_t)w->part_count + 1, sizeof *w->parts);
    if (st != NAV_OK) return st;
    w->parts[w->part_count++] = (union_part){a, b, place_at(a, b, lo), place_at(a, b, hi), shape};
    for (int32_t i = 0; i < shared_count; i++) {
        if (before(lo, shared[i].lo) && before(shared[i].lo, hi)) {
            st = add_mark(w, place_at(a, b, shared[i].lo));
            if (st != NAV_OK) return st;
        }
        if (before(lo, shared[i].hi) && before(shared[i].hi, hi)) {
            st = add_mark(w, place_at(a, b, shared[i].hi));
            if (st != NAV_OK) return st;
        }
    }
    return NAV_OK;
}

static nav_status cut_edge(union_work *w, const bounds *box, const int32_t *kept, int32_t kept_count, int32_t shape,
                           nav_point a, nav_point b, stretch *taken, stretch *shared)
{
    bounds e = {{a.x < b.x ? a.x : b.x, a.z < b.z ? a.z : b.z}, {a.x < b.x ? b.x : a.x, a.z < b.z ? b.z : a.z}};
    int32_t taken_count = 0, shared_count = 0;
    for (int32_t i = 0; i < kept_count; i++) {
        int32_t other = kept[i];
        stretch found;
        if (other == shape || !overlap(&e, &box[other])) continue;
        int how = clip(w->shapes, other, a, b, &found);
        if (how == APART) continue;
        if (found.lo.num != 0 && ++w->crossings > NAV_UNION_MAX_CROSSINGS) return NAV_ERR_LIMIT;
        if (found.hi.num != found.hi.den && ++w->crossings > NAV_UNION_MAX_CROSSINGS) return NAV_ERR_LIMIT;
        if (how == SHARES) shared[shared_count++] = found;
        if (how == SHARES && other > shape) continue;
        int32_t k = taken_count++;
        for (; k > 0 && before(found.lo, taken[k - 1].lo); k--) taken[k] = taken[k - 1];
        taken[k] = found;
    }
    fraction from = {0, 1}, end = {1, 1};
    for (int32_t i = 0; i < taken_count; i++) {
        nav_status st = add_part(w, shape, a, b, from, taken[i].lo, shared, shared_count);
        if (st != NAV_OK) return st;
        if (before(from, taken[i].hi)) from = taken[i].hi;
    }
    return add_part(w, shape, a, b, from, end, shared, shared_count);
}

nav_status nav_union_find_parts(union_work *w)
{
    const nav_shapes *s = w->shapes;
    bounds *box = NAV_TAKE(w->arena, bounds, s->count);
    int32_t *kept = NAV_TAKE(w->arena, int32_t, s->count), kept_count = 0;
    stretch *taken = NAV_TAKE(w->arena, stretch, s->count), *shared = NAV_TAKE(w->arena, stretch, s->count);
    if (!box || !kept || !taken || !shared) return nav_arena_failure(w->arena);
    for (int32_t i = 0; i < s->count; i++) {
        bounds e = {s->at[s->first[i]], s->at[s->first[i]]};
        for (int32_t k = s->first[i] + 1; k < s->first[i + 1]; k++) {
            nav_point p = s->at[k];
            if (p.x < e.min.x) e.min.x = p.x;
            if (p.z < e.min.z) e.min.z = p.z;
            if (p.x > e.max.x) e.max.x = p.x;
            if (p.z > e.max.z) e.max.z = p.z;
        }
        box[i] = e;
    }
    for (int32_t i = 0; i < s->count; i++) {
        bool keep = true;
        for (int32_t j = 0; j < s->count && keep; j++)
            if (j != i && within(&box[i], &box[j]) && is_contained(s, i, j) && (j < i || !is_contained(s, j, i)))
                keep = false;
        if (keep) kept[kept_count++] = i;
    }
    for (int32_t i = 0; i < kept_count; i++) {
        int32_t shape = kept[i];
        for (int32_t k = 0; k < s->first[shape + 1] - s->first[shape]; k++) {
            nav_status st =
                cut_edge(w, box, kept, kept_count, shape, corner(s, shape, k), corner(s, shape, k + 1), taken, shared);
            if (st != NAV_OK) return st;
        }
    }
    return NAV_OK;
}
