// The check: no edge meets another, and no loop stands in a pocket between an old boundary and its new one.
//
// If new loops do not meet and none has gone past another as a whole, then each place is connected to the same others
// as before: to get past it a boundary would have to cross something. What has gone past is found with two corners per
// loop, an old one and a new one: neither may lie in a pocket of another loop.
//
//        a ------------- b     the pocket of the edge a-b: between it and the chain that it stands for
//         \   (o)   .---'      the loop (o) is in it: a-b is bad
//          `-------'
//
// Loops may touch where the old ones did: at corners of both that have not moved, each on the same side of the other as
// before. Two old edges are never bad, whatever they do.
#include "core/outline/fewer_check.h"

#include "core/base/sort.h"

#include <math.h>

enum { FEW = 24, CELLS_PER_EDGE = 4, ENTRIES_PER_EDGE = 16, SPARE = 64 };

nav_status nav_fewer_check_init(fewer_check *c, const nav_loops *in, nav_arena *arena)
{
    size_t n = (size_t)in->first[in->count] + SPARE;
    *c = (fewer_check){
        .edge = NAV_TAKE(arena, fewer_edge, n),
        .cell = NAV_TAKE(arena, int32_t, n * CELLS_PER_EDGE),
        .entry = NAV_TAKE(arena, fewer_entry, n * ENTRIES_PER_EDGE),
        .mark = NAV_TAKE(arena, uint64_t, (size_t)in->count * 2),
        .place = NAV_TAKE(arena, nav_point, (size_t)in->count * 2),
    };
    return c->edge && c->cell && c->entry && c->mark && c->place ? NAV_OK : nav_arena_failure(arena);
}

static int32_t lower(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t upper(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

static bool is_kept(const fewer_corner *q)
{
    return q->lo == q->hi;
}

static int32_t next_corner(const fewer_loops *l, int32_t loop, int32_t corner)
{
    int32_t first = l->in->first[loop];
    return corner + 1 < first + l->count[loop] ? corner + 1 : first;
}

static int32_t corner_before(const fewer_loops *l, int32_t loop, int32_t corner)
{
    int32_t first = l->in->first[loop];
    return corner > first ? corner - 1 : first + l->count[loop] - 1;
}

typedef struct box {
    nav_point low, high;
} box;

static box box_of(nav_point a, nav_point b, int32_t margin)
{
    return (box){{lower(a.x, b.x) - margin, lower(a.z, b.z) - margin},
                 {upper(a.x, b.x) + margin, upper(a.z, b.z) + margin}};
}

static bool boxes_meet(box a, box b)
{
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.z <= b.high.z && b.low.z <= a.high.z;
}

// What the edge behind a corner stands for is bad, and what its ends do, too. where: only near there, unless all of
// that stays already.
static void set_bad(fewer_loops *l, int32_t loop, int32_t corner, const box *where)
{
    const fewer_corner *a = &l->corner[corner], *b = &l->corner[next_corner(l, loop, corner)];
    int32_t n = l->in->first[loop + 1] - l->in->first[loop], from = a->before, to = b->after;
    while (to <= from) to += n;
    if (to > from + n) to = from + n;
    bool any = false;
    for (int32_t k = from; where && k < to; k++) {
        int32_t i = fewer_index(l->in, loop, k), next = fewer_index(l->in, loop, k + 1);
        if (!boxes_meet(box_of(l->in->at[i], l->in->at[next], 0), *where)) continue;
        any |= l->level[i] < l->most || l->level[next] < l->most;
        l->bad[i] = l->bad[next] = 1;
    }
    for (int32_t k = from; !any && k <= to; k++) l->bad[fewer_index(l->in, loop, k)] = 1;
}

static void gather(fewer_check *c, fewer_loops *l)
{
    c->edge_count = 0;
    c->low = (nav_point){INT32_MAX, INT32_MAX};
    for (int32_t loop = 0; loop < l->in->count; loop++) {
        int32_t first = l->in->first[loop];
        for (int32_t k = first; k < first + l->count[loop]; k++) {
            const fewer_corner *a = &l->corner[k], *b = &l->corner[next_corner(l, loop, k)];
            bool old =
                is_kept(a) && is_kept(b) && fewer_index(l->in, loop, a->lo + 1) == fewer_index(l->in, loop, b->lo);
            c->edge[c->edge_count++] = (fewer_edge){a->at, b->at, loop, k, -1, old};
            c->low = (nav_point){lower(c->low.x, a->at.x), lower(c->low.z, a->at.z)};
        }
    }
}

// Cells about as large as an edge is long, no more than there is room for.
static void lay_grid(fewer_check *c)
{
    nav_point low = c->low, high = {INT32_MIN, INT32_MIN};
    int64_t length = 0;
    for (int32_t e = 0; e < c->edge_count; e++) {
        const fewer_edge *f = &c->edge[e];
        high = (nav_point){upper(high.x, f->a.x), upper(high.z, f->a.z)};
        length += upper(f->a.x, f->b.x) - lower(f->a.x, f->b.x);
        length += upper(f->a.z, f->b.z) - lower(f->a.z, f->b.z);
    }
    c->shift = 0;
    while ((int64_t)c->edge_count << c->shift < length) c->shift++;
    for (;; c->shift++) {
        c->columns = ((high.x - low.x) >> c->shift) + 1;
        c->rows = ((high.z - low.z) >> c->shift) + 1;
        if ((int64_t)c->columns * c->rows <= ((int64_t)c->edge_count + SPARE) * CELLS_PER_EDGE) break;
    }
    for (int32_t k = 0; k < c->columns * c->rows; k++) c->cell[k] = -1;
    c->entry_count = 0;
}

// Two edges of a loop, one behind the other: do they run back on one another?
static bool folds(nav_point a, nav_point b, nav_point d)
{
    return nav_right(a, b, d) == 0 && ((int64_t)(b.x - a.x) * (d.x - b.x) + (int64_t)(b.z - a.z) * (d.z - b.z)) <= 0;
}

// Two corners in one place: are they old ones, and on the same sides of one another as they were?
static bool touch_as_before(const fewer_loops *l, int32_t loop_u, int32_t u, int32_t loop_v, int32_t v)
{
    const fewer_corner *cu = &l->corner[u], *cv = &l->corner[v];
    if (!is_kept(cu) || !is_kept(cv)) return false;
    nav_point p = l->corner[corner_before(l, loop_u, u)].at, n = l->corner[next_corner(l, loop_u, u)].at;
    nav_point q = l->corner[corner_before(l, loop_v, v)].at, m = l->corner[next_corner(l, loop_v, v)].at;
    nav_point p0 = l->in->at[fewer_index(l->in, loop_u, cu->lo - 1)];
    nav_point n0 = l->in->at[fewer_index(l->in, loop_u, cu->lo + 1)];
    nav_point q0 = l->in->at[fewer_index(l->in, loop_v, cv->lo - 1)];
    nav_point m0 = l->in->at[fewer_index(l->in, loop_v, cv->lo + 1)];
    int in = nav_in_corner(p, cu->at, n, q), out = nav_in_corner(p, cu->at, n, m);
    return in != 0 && in == out && in == nav_in_corner(p0, cu->at, n0, q0) && in == nav_in_corner(p0, cu->at, n0, m0) &&
           nav_in_corner(q, cv->at, m, p) == nav_in_corner(q0, cv->at, m0, p0);
}

static void check_pair(fewer_loops *l, const fewer_edge *e, const fewer_edge *f)
{
    if (e->old && f->old) return;
    if (upper(e->a.x, e->b.x) < lower(f->a.x, f->b.x) || upper(f->a.x, f->b.x) < lower(e->a.x, e->b.x)) return;
    if (upper(e->a.z, e->b.z) < lower(f->a.z, f->b.z) || upper(f->a.z, f->b.z) < lower(e->a.z, e->b.z)) return;
    bool wrong;
    bool f_behind = e->loop == f->loop && next_corner(l, e->loop, e->corner) == f->corner;
    bool e_behind = e->loop == f->loop && next_corner(l, f->loop, f->corner) == e->corner;
    if (f_behind || e_behind) {
        wrong = (f_behind && folds(e->a, e->b, f->b)) || (e_behind && folds(f->a, f->b, e->b));
    } else {
        int64_t ac = nav_right(e->a, e->b, f->a), ad = nav_right(e->a, e->b, f->b);
        if ((ac > 0 && ad > 0) || (ac < 0 && ad < 0)) return;
        int64_t ca = nav_right(f->a, f->b, e->a), cb = nav_right(f->a, f->b, e->b);
        if ((ca > 0 && cb > 0) || (ca < 0 && cb < 0)) return;
        int32_t e_end = next_corner(l, e->loop, e->corner), f_end = next_corner(l, f->loop, f->corner);
        // Where both ends of one are on the other they overlap.
        wrong = (ac == 0) + (ad == 0) + (ca == 0) + (cb == 0) != 2;
        if (!wrong) {
            if (nav_point_same(e->a, f->a))
                wrong = !touch_as_before(l, e->loop, e->corner, f->loop, f->corner);
            else if (nav_point_same(e->a, f->b))
                wrong = !touch_as_before(l, e->loop, e->corner, f->loop, f_end);
            else if (nav_point_same(e->b, f->a))
                wrong = !touch_as_before(l, e->loop, e_end, f->loop, f->corner);
            else if (nav_point_same(e->b, f->b))
                wrong = !touch_as_before(l, e->loop, e_end, f->loop, f_end);
            else
                wrong = true;
        }
    }
    if (!wrong) return;
    int32_t margin = (int32_t)l->max_error + 1;
    box at_e = box_of(e->a, e->b, margin), at_f = box_of(f->a, f->b, margin);
    if (!e->old) set_bad(l, e->loop, e->corner, &at_f);
    if (!f->old) set_bad(l, f->loop, f->corner, &at_e);
}

// Puts an edge into every cell that it may run through, and compares it with those that are there.
static void insert(fewer_check *c, fewer_loops *l, int32_t index)
{
    fewer_edge *e = &c->edge[index];
    bool up = e->a.z <= e->b.z;
    nav_point a = up ? e->a : e->b, b = up ? e->b : e->a;
    int32_t first = (a.z - c->low.z) >> c->shift, last = (b.z - c->low.z) >> c->shift;
    double slope = a.z < b.z ? (double)(b.x - a.x) / (b.z - a.z) : 0.0;
    for (int32_t row = first; row <= last; row++) {
        int32_t low = upper(a.z, c->low.z + row * (1 << c->shift));
        int32_t high = lower(b.z, c->low.z + (row + 1) * (1 << c->shift));
        double x1 = first == last ? a.x : a.x + slope * (low - a.z);
        double x2 = first == last ? b.x : a.x + slope * (high - a.z);
        int32_t from = upper((int32_t)floor(x1 < x2 ? x1 : x2) - 1, lower(a.x, b.x));
        int32_t to = lower((int32_t)floor(x1 < x2 ? x2 : x1) + 1, upper(a.x, b.x));
        for (int32_t k = (from - c->low.x) >> c->shift; k <= (to - c->low.x) >> c->shift; k++) {
            int32_t *cell = &c->cell[(size_t)row * (size_t)c->columns + (size_t)k];
            for (int32_t m = *cell; m >= 0; m = c->entry[m].next) {
                fewer_edge *f = &c->edge[c->entry[m].edge];
                if (f->seen == index) continue;
                f->seen = index;
                check_pair(l, e, f);
            }
            c->entry[c->entry_count] = (fewer_entry){index, *cell};
            *cell = c->entry_count++;
        }
    }
}

// How often the line from p to q turns round r: what it adds to the winding number.
static int winding(nav_point p, nav_point q, nav_point r)
{
    if ((p.z <= r.z) == (q.z <= r.z)) return 0;
    int64_t side = nav_right(p, q, r);
    if (q.z > p.z) return side < 0 ? 1 : 0;
    return side > 0 ? -1 : 0;
}

// Corners of the pocket of an edge: the chain that it stands for, and both of its ends.
typedef struct pocket {
    const nav_loops *in;
    const fewer_corner *a;
    nav_point b;
    int32_t loop, to;
} pocket;

static bool is_in_pocket(const pocket *p, nav_point r)
{
    nav_point at = p->a->at;
    int turns = winding(p->b, at, r);
    for (int32_t k = p->a->lo; k <= p->to; k++) {
        nav_point q = p->in->at[fewer_index(p->in, p->loop, k)];
        turns += winding(at, q, r);
        at = q;
    }
    return turns + winding(at, p->b, r) != 0;
}

static void check_pocket(const fewer_check *c, fewer_loops *l, const fewer_edge *e, int32_t marks)
{
    const fewer_corner *b = &l->corner[next_corner(l, e->loop, e->corner)];
    pocket p = {l->in, &l->corner[e->corner], b->at, e->loop, b->lo};
    int32_t n = l->in->first[e->loop + 1] - l->in->first[e->loop];
    while (p.to < p.a->lo) p.to += n;
    nav_point low = {lower(e->a.x, e->b.x), lower(e->a.z, e->b.z)},
              high = {upper(e->a.x, e->b.x), upper(e->a.z, e->b.z)};
    for (int32_t k = p.a->lo; k <= p.to; k++) {
        nav_point q = l->in->at[fewer_index(l->in, e->loop, k)];
        low = (nav_point){lower(low.x, q.x), lower(low.z, q.z)};
        high = (nav_point){upper(high.x, q.x), upper(high.z, q.z)};
    }
    int32_t first = 0, end = marks;
    while (first < end) {
        int32_t middle = first + (end - first) / 2;
        if ((int32_t)(c->mark[middle] >> 32) < low.x - c->low.x)
            first = middle + 1;
        else
            end = middle;
    }
    for (; first < marks && (int32_t)(c->mark[first] >> 32) <= high.x - c->low.x; first++) {
        int32_t k = (int32_t)(uint32_t)c->mark[first];
        nav_point r = c->place[k];
        if (r.z < low.z || r.z > high.z || k / 2 == e->loop || !is_in_pocket(&p, r)) continue;
        set_bad(l, e->loop, e->corner, NULL);
        return;
    }
}

// The old first corner of each loop and a new one, by x.
static int32_t mark_places(fewer_check *c, const fewer_loops *l)
{
    int32_t marks = 0;
    for (int32_t loop = 0; loop < l->in->count; loop++) {
        int32_t first = l->in->first[loop];
        if (l->count[loop] == 0) continue;
        c->place[2 * loop] = l->in->at[first];
        c->place[2 * loop + 1] = l->corner[first].at;
        for (int32_t k = 2 * loop; k < 2 * loop + 2; k++) {
            int32_t x = c->place[k].x - c->low.x; // an old corner may lie before the new ones
            c->mark[marks++] = (uint64_t)(uint32_t)upper(x, 0) << 32 | (uint32_t)k;
        }
    }
    nav_sort_u64(c->mark, marks);
    return marks;
}

static void check_sense(fewer_loops *l, int32_t loop)
{
    int32_t first = l->in->first[loop], end = first + l->count[loop];
    const nav_point *old = l->in->at;
    int64_t before = 0, after = 0;
    for (int32_t k = first + 2; k < l->in->first[loop + 1]; k++) before += nav_right(old[first], old[k - 1], old[k]);
    for (int32_t k = first + 2; k < end; k++)
        after += nav_right(l->corner[first].at, l->corner[k - 1].at, l->corner[k].at);
    bool same = before > 0 ? after > 0 : before < 0 ? after < 0 : true;
    if (same && l->count[loop] >= 3) return;
    for (int32_t k = first; k < l->in->first[loop + 1]; k++) l->bad[k] = 1;
}

static bool is_changed(const fewer_loops *l, int32_t loop)
{
    return l->count[loop] > 0 && l->count[loop] < l->in->first[loop + 1] - l->in->first[loop];
}

bool nav_fewer_check(fewer_check *c, fewer_loops *l)
{
    gather(c, l);
    if (c->edge_count == 0) return false;
    if (c->edge_count <= FEW) {
        for (int32_t e = 1; e < c->edge_count; e++)
            for (int32_t f = 0; f < e; f++) check_pair(l, &c->edge[e], &c->edge[f]);
    } else {
        lay_grid(c);
        for (int32_t e = 0; e < c->edge_count; e++) insert(c, l, e);
    }
    for (int32_t loop = 0; loop < l->in->count; loop++)
        if (is_changed(l, loop)) check_sense(l, loop);
    if (l->in->count > 1) {
        int32_t marks = mark_places(c, l);
        for (int32_t e = 0; e < c->edge_count; e++)
            if (!c->edge[e].old) check_pocket(c, l, &c->edge[e], marks);
    }
    for (int32_t k = 0; k < l->in->first[l->in->count]; k++)
        if (l->bad[k]) return true;
    return false;
}
