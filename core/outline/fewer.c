// Loops with fewer corners: each is solved by itself, then all are checked against each other.
//
// Where the check finds that something is in the way, the error allowed there becomes smaller, in the end nothing, and
// the loops concerned are solved again. With no error left a loop is the old one, so this ends.
#include "core/outline/fewer.h"

#include "core/outline/fewer_chain.h"
#include "core/outline/fewer_check.h"
#include "core/outline/fewer_mitre.h"

#include <math.h>

enum {
    OLD_LEVEL = 3,    // the old corner stays
    PATIENT = 12,     // checks; after that no more trying with less
    SMALLEST = 2 * 4, // twice the area
    BEGINS = 1,
    ENDS = 2,
};

// Of the radius, and of its square. A mitre is 1 / cos(turn / 2) - 1 of it away from the round corner: 0.414 for a
// right angle; and what that loses more than two corners do is 0.172. Both leave room for a right angle on the grid.
static const double ERROR = 0.43, CORNER_AREA = 0.25, LONG_EDGE = 1.5, LONG_ERROR = 1.0 / 64.0;
static const double LEAST_ERROR = 0.25; // columns

static const double part_of_error[OLD_LEVEL] = {1.0, 0.3, 0.05};

typedef struct fewer_work {
    const nav_loops *in;
    nav_fewer how;
    fewer_chain chain;
    uint8_t *stays; // per old corner
    uint8_t *level; // per old corner: which part of the error is allowed; OLD_LEVEL: none
    uint8_t *wall;  // per old corner: a long edge begins or ends there
    uint8_t *bad;
    uint8_t *again; // per loop
    int32_t *count; // per loop
    fewer_corner *corner;
} fewer_work;

static nav_status take_work(fewer_work *w, nav_arena *arena)
{
    size_t n = (size_t)w->in->first[w->in->count];
    int32_t longest = 0;
    for (int32_t l = 0; l < w->in->count; l++) {
        int32_t corners = w->in->first[l + 1] - w->in->first[l];
        if (corners > longest) longest = corners;
    }
    w->stays = NAV_TAKE_ZERO(arena, uint8_t, n);
    w->level = NAV_TAKE_ZERO(arena, uint8_t, n);
    w->wall = NAV_TAKE_ZERO(arena, uint8_t, n);
    w->bad = NAV_TAKE_ZERO(arena, uint8_t, n);
    w->again = NAV_TAKE(arena, uint8_t, w->in->count);
    w->count = NAV_TAKE_ZERO(arena, int32_t, w->in->count);
    w->corner = NAV_TAKE(arena, fewer_corner, n);
    if (!w->stays || !w->level || !w->wall || !w->bad || !w->again || !w->count || !w->corner)
        return nav_arena_failure(arena);
    return nav_fewer_chain_init(&w->chain, 2 * longest + 2, arena);
}

static int32_t corners_of(const fewer_work *w, int32_t loop)
{
    return w->in->first[loop + 1] - w->in->first[loop];
}

// What is fixed, and where the long edges are.
static void mark_corners(fewer_work *w, const uint8_t *fixed)
{
    double long2 = w->how.long_edge * w->how.long_edge;
    for (int32_t loop = 0; loop < w->in->count; loop++) {
        int32_t end = w->in->first[loop + 1];
        for (int32_t k = w->in->first[loop]; k < end; k++) {
            int32_t next = k + 1 < end ? k + 1 : w->in->first[loop];
            if ((double)nav_distance2(w->in->at[k], w->in->at[next]) >= long2) {
                w->wall[k] |= BEGINS;
                w->wall[next] |= ENDS;
            }
            if (!fixed) continue;
            if (fixed[k]) w->stays[k] = 1;
            if (fixed[k] & NAV_FEWER_SEAM) w->stays[next] = 1;
        }
    }
}

// Too small to be anything, with nothing fixed.
static bool is_nothing(const fewer_work *w, int32_t loop)
{
    const nav_point *at = w->in->at;
    int32_t first = w->in->first[loop];
    int64_t area = 0;
    for (int32_t k = first; k < w->in->first[loop + 1]; k++) {
        if (w->stays[k]) return false;
        if (k >= first + 2) area += nav_right(at[first], at[k - 1], at[k]);
    }
    return area < SMALLEST && area > -SMALLEST;
}

// The original chain from a corner of the loop on.
static void set_chain(fewer_work *w, int32_t loop, int32_t base, int32_t edges)
{
    int32_t index = fewer_index(w->in, loop, base), end = w->in->first[loop + 1];
    for (int32_t k = 0; k <= edges; k++, index = index + 1 < end ? index + 1 : w->in->first[loop]) {
        int32_t level = w->level[index];
        double reach = level < OLD_LEVEL ? w->how.max_error * part_of_error[level] - FEWER_ROUNDING : 0.0;
        if (reach < 0.0) reach = 0.0;
        double far = w->wall[index] && w->how.long_error < reach ? w->how.long_error : reach;
        double edge = w->wall[index] & BEGINS ? w->how.long_error : INFINITY;
        nav_fewer_chain_set(&w->chain, k, w->in->at[index], far, reach, edge);
    }
}

static fewer_corner shifted(fewer_corner c, int32_t by)
{
    return (fewer_corner){c.at, c.lo + by, c.hi + by, c.before + by, c.after + by};
}

// A loop without anything that stays. One edge's line stays: the longest one's.
static int32_t solve_closed(fewer_work *w, int32_t loop)
{
    int32_t first = w->in->first[loop], n = corners_of(w, loop), base = 0;
    int64_t longest = -1;
    for (int32_t k = 0; k < n; k++) {
        int64_t d2 = nav_distance2(w->in->at[first + k], w->in->at[k + 1 < n ? first + k + 1 : first]);
        if (d2 <= longest) continue;
        longest = d2;
        base = k;
    }
    set_chain(w, loop, base, n + 1);
    int32_t count = nav_fewer_chain_solve(&w->chain, n + 2, true);
    for (int32_t k = 0; k < count; k++) w->corner[first + k] = shifted(w->chain.way[k], base);
    return count;
}

// A loop as chains between corners that stay, the first of which is given.
static int32_t solve_chains(fewer_work *w, int32_t loop, int32_t start)
{
    int32_t first = w->in->first[loop], n = corners_of(w, loop), last = first + n - 1, count = 0;
    fewer_corner *to = &w->corner[first];
    for (int32_t base = start, end, at = first + start; base < start + n; base = end) {
        int32_t next = at;
        for (end = base + 1; end < start + n; end++) {
            next = next < last ? next + 1 : first;
            if (w->stays[next] || w->level[next] == OLD_LEVEL) break;
        }
        if (end == base + 1) {
            to[count++] = (fewer_corner){w->in->at[at], base, base, base, base};
        } else {
            set_chain(w, loop, base, end - base);
            int32_t left = nav_fewer_chain_solve(&w->chain, end - base + 1, false);
            for (int32_t k = 0; k + 1 < left; k++) to[count++] = shifted(w->chain.way[k], base);
        }
        at = next;
    }
    return count;
}

static void solve(fewer_work *w, int32_t loop)
{
    int32_t first = w->in->first[loop], end = w->in->first[loop + 1];
    for (;;) {
        int32_t stays = first;
        while (stays < end && !w->stays[stays] && w->level[stays] < OLD_LEVEL) stays++;
        if (end - first > 3 && stays == end)
            w->count[loop] = solve_closed(w, loop);
        else
            w->count[loop] = solve_chains(w, loop, stays < end ? stays - first : 0);
        if (w->count[loop] >= 3 || w->count[loop] == end - first) return;
        for (int32_t k = first; k < end; k++) w->level[k] += w->level[k] < OLD_LEVEL;
    }
}

// Takes some of the error where something is in the way.
static void lower_error(fewer_work *w, bool all)
{
    for (int32_t loop = 0; loop < w->in->count; loop++) {
        w->again[loop] = 0;
        for (int32_t k = w->in->first[loop]; k < w->in->first[loop + 1]; k++) {
            if (!w->bad[k]) continue;
            w->bad[k] = 0;
            w->again[loop] = 1;
            w->level[k] = all || w->level[k] == OLD_LEVEL ? OLD_LEVEL : w->level[k] + 1;
        }
    }
}

// The shape of the longest old edge that the edge between two corners stands for.
static int32_t shape_of(const fewer_work *w, int32_t loop, const fewer_corner *a, const fewer_corner *b)
{
    int32_t n = corners_of(w, loop), to = b->hi, shape = -1;
    int64_t longest = -1;
    while (to <= a->lo) to += n;
    for (int32_t k = a->lo; k < to; k++) {
        int32_t i = fewer_index(w->in, loop, k);
        int64_t d2 = nav_distance2(w->in->at[i], w->in->at[fewer_index(w->in, loop, k + 1)]);
        if (d2 <= longest) continue;
        longest = d2;
        shape = w->in->shape[i];
    }
    return shape;
}

static void write_loops(const fewer_work *w, nav_loops *out, int32_t *from)
{
    int32_t corners = 0;
    out->first[0] = 0;
    for (int32_t loop = 0; loop < w->in->count; loop++) {
        const fewer_corner *q = &w->corner[w->in->first[loop]];
        int32_t count = w->count[loop];
        if (count == 0) continue;
        for (int32_t k = 0; k < count; k++, corners++) {
            out->at[corners] = q[k].at;
            if (out->shape) out->shape[corners] = shape_of(w, loop, &q[k], &q[k + 1 < count ? k + 1 : 0]);
            if (from) from[corners] = q[k].lo == q[k].hi ? fewer_index(w->in, loop, q[k].lo) : -1;
        }
        out->first[++out->count] = corners;
    }
}

nav_fewer nav_fewer_for(double radius, double column, double part)
{
    double least = LEAST_ERROR * column / ERROR, r = radius > least ? radius : least, straight = LONG_ERROR * r;
    return (nav_fewer){
        .max_error = ERROR * part * r + FEWER_ROUNDING,
        .max_inward = 1.5,
        .long_edge = LONG_EDGE * r,
        .long_error = straight > 2.0 ? straight : 2.0,
        .corner_area = CORNER_AREA * part * part * r * r,
    };
}

nav_status nav_loops_simplify(const nav_loops *in, const uint8_t *fixed, const nav_fewer *how, nav_arena *arena,
                              nav_loops *out, int32_t **from)
{
    size_t n = in->count > 0 ? (size_t)in->first[in->count] : 0;
    *out = (nav_loops){.first = NAV_TAKE(arena, int32_t, (size_t)in->count + 1), .at = NAV_TAKE(arena, nav_point, n)};
    out->shape = in->shape ? NAV_TAKE(arena, int32_t, n) : NULL;
    if (from) *from = NAV_TAKE(arena, int32_t, n);
    if (!out->first || !out->at || (in->shape && !out->shape) || (from && !*from)) return nav_arena_failure(arena);
    out->first[0] = 0;
    if (n == 0) return NAV_OK;

    nav_arena_mark mark = nav_arena_get_mark(arena);
    fewer_work w = {.in = in, .how = *how};
    fewer_check check;
    nav_status status = take_work(&w, arena);
    if (status == NAV_OK) status = nav_fewer_check_init(&check, in, arena);
    if (status != NAV_OK) goto done;
    w.chain.max_inward = how->max_inward;
    w.chain.price = 2.0 * how->corner_area;
    mark_corners(&w, fixed);
    for (int32_t loop = 0; loop < in->count; loop++) w.again[loop] = !is_nothing(&w, loop);
    fewer_loops loops = {in, w.corner, w.count, w.level, OLD_LEVEL, how->max_error, w.bad};
    for (int32_t checks = 0;; checks++) {
        for (int32_t loop = 0; loop < in->count; loop++)
            if (w.again[loop]) solve(&w, loop);
        if (!nav_fewer_check(&check, &loops)) break;
        lower_error(&w, checks >= PATIENT);
    }
    write_loops(&w, out, from ? *from : NULL);
done:
    nav_arena_release(arena, mark);
    return status;
}
