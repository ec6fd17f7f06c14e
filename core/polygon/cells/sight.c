// Orientation tests of one line against all corners, or of one corner against all edges, at once. The tests are those
// of core/base/plane.h, in lanes: nav_in_corner() is what nav_sight_from() works out for every other corner. Where the
// plan's corners are less than 2^15 apart, as they nearly always are, twice an area fits 32 bits; else lanes are
// doubles, which hold whole numbers up to 2^53.
#include "core/polygon/cells/sight.h"

#include "core/lanes/f64xn.h"
#include "core/lanes/i32xn.h"

_Static_assert(PLAN_CORNERS % I32_LANES == 0 && PLAN_CORNERS % F64_LANES == 0, "whole vectors");

enum { NARROW_EXTENT = (1 << 15) - 1 };

// Of every corner q, against the edges at a corner i; and of i, against the edges at every corner q. Where a point lies
// on the line of an edge, it counts whether that is the side the edge is on (to the right of `along`), or the other.
typedef struct sight_around {
    sight_sides in, out, in_along, out_along, q_in, q_out, q_in_along, q_out_along;
    corner_set thin;
} sight_around;

#define PLACES places.narrow
#define LANES i32xn
#define LANES_NUMBER int32_t
#define LANES_COUNT I32_LANES
#define LANES_LOAD(p) i32xn_load(p)
#define LANES_NEGATIVE(v) i32xn_signs(v)
#define LANES_POSITIVE(v) i32xn_signs(-(v))
#define LANES_SIXTEENTH(v) ((v) >> 4)
#define SIGHT(name) narrow_##name
#include "core/polygon/cells/sight_lanes.h"

#define PLACES places.wide
#define LANES f64xn
#define LANES_NUMBER double
#define LANES_COUNT F64_LANES
#define LANES_LOAD(p) f64xn_load(p)
#define LANES_NEGATIVE(v) f64xn_bits(f64xn_less(v, f64xn_of(0)))
#define LANES_POSITIVE(v) f64xn_bits(f64xn_less(f64xn_of(0), v))
#define LANES_SIXTEENTH(v) ((v)*0.0625)
#define SIGHT(name) wide_##name
#include "core/polygon/cells/sight_lanes.h"

static inline corner_set bit(int32_t k)
{
    return UINT64_C(1) << k;
}

static bool is_wide(const plan *p)
{
    nav_point low = p->at[0], high = low;
    for (int32_t k = 1; k < p->count; k++) {
        nav_point at = p->at[k];
        low.x = at.x < low.x ? at.x : low.x;
        low.z = at.z < low.z ? at.z : low.z;
        high.x = at.x > high.x ? at.x : high.x;
        high.z = at.z > high.z ? at.z : high.z;
    }
    return high.x - low.x > NARROW_EXTENT || high.z - low.z > NARROW_EXTENT;
}

void nav_sight_init(sight *s, const plan *p)
{
    s->p = p;
    s->all = bit(p->count) - 1; // there are at most 48
    s->known = 0;
    s->wide = p->wide && is_wide(p);
    sight_sides turn = s->wide ? wide_init(s) : narrow_init(s);
    s->flat = s->all & ~(turn.right | turn.left);
}

// The edges that have q to their right, and to their left.
static sight_sides sides_of_edges(const sight *s, nav_point q)
{
    return s->wide ? wide_sides_of_edges(s, q) : narrow_sides_of_edges(s, q);
}

static sight_sides from_corner(sight *s, int32_t i)
{
    if (!(s->known & bit(i))) {
        s->from[i] = sides_of_edges(s, s->p->at[i]);
        s->known |= bit(i);
    }
    return s->from[i];
}

corner_set nav_sight_facing(sight *s, int32_t i)
{
    return from_corner(s, i).right & s->all;
}

// Is nothing between corner i and point b? skip: edges and corners that do not count. *right: the corners to the right
// of the line, *on: others on it.
static bool is_clear(sight *s, int32_t i, nav_point b, const sight_sides *from_b, corner_set skip_edges,
                     corner_set skip_corners, corner_set *right, corner_set *on)
{
    nav_point a = s->p->at[i];
    sight_sides here, next; // where each edge begins, and where it ends
    if (s->wide)
        wide_sides_of_line(s, a, b, &here, &next);
    else
        narrow_sides_of_line(s, a, b, &here, &next);
    *right = here.right & s->all;
    *on = s->all & ~(here.right | here.left | skip_corners);
    for (corner_set left = *on; left; left &= left - 1)
        if (nav_between(a, b, s->p->at[__builtin_ctzll(left)])) return false;
    corner_set crossed = ((here.right & next.left) | (here.left & next.right)) & s->all & ~skip_edges;
    if (!crossed) return true;
    sight_sides from_a = from_corner(s, i);
    return !(crossed & ((from_a.right & from_b->left) | (from_a.left & from_b->right)));
}

bool nav_sight_is_clear(sight *s, int32_t i, nav_point b, int32_t on)
{
    sight_sides from_b = sides_of_edges(s, b);
    corner_set right, others;
    return is_clear(s, i, b, &from_b, bit(on), bit(i), &right, &others);
}

// The line from corner i to corner j, known which corners are to its right, and which others on it.
static sight_line line_of(const sight *s, int32_t i, int32_t j, corner_set right, corner_set on)
{
    sight_line line = {right, bit(j), 0};
    for (; on; on &= on - 1) {
        int32_t k = __builtin_ctzll(on);
        if (nav_between(s->p->at[k], s->p->at[j], s->p->at[i]))
            line.back |= bit(k);
        else
            line.ahead |= bit(k);
    }
    return line;
}

void nav_sight_from(sight *s, int32_t i, sight_view *view)
{
    const plan *p = s->p;
    sight_around at;
    if (s->wide)
        wide_look_around(s, i, &at);
    else
        narrow_look_around(s, i, &at);
    const sight_sides in = at.in, out = at.out, in_along = at.in_along, out_along = at.out_along;
    const sight_sides q_in = at.q_in, q_out = at.q_out, q_in_along = at.q_in_along, q_out_along = at.q_out_along;
    view->thin = at.thin;
    s->from[i] = q_out;
    s->known |= bit(i);
    corner_set in_zero = ~(in.right | in.left), out_zero = ~(out.right | out.left);
    corner_set q_in_zero = ~(q_in.right | q_in.left), q_out_zero = ~(q_out.right | q_out.left);
    view->wedge = (in.right | (in_zero & in_along.left)) & (out.right | (out_zero & out_along.left)) & s->all;
    view->wedged =
        (q_in.right | (q_in_zero & q_in_along.left)) & (q_out.right | (q_out_zero & q_out_along.left)) & s->all;

    // Inside of corner i, which is a notch: to the right of one of its edges, or a fold; and along neither.
    corner_set inside = s->flat & bit(i) ? s->all : in.right | out.right;
    inside &= ~((in_zero & in_along.right) | (out_zero & out_along.right));
    // Seen from there, corner i is inside as well.
    corner_set inside_q = (q_in.right & q_out.right) | ((q_in.right | q_out.right | s->flat) & p->notches);
    inside_q &= ~((q_in_zero & q_in_along.right) | (q_out_zero & q_out_along.right));
    corner_set right, on;
    view->seen = 0;
    for (corner_set may = inside & inside_q & s->all & ~(bit(i) | bit(p->next[i]) | bit(p->prev[i])); may;
         may &= may - 1) {
        int32_t j = __builtin_ctzll(may);
        sight_sides from_j = from_corner(s, j);
        if (!is_clear(s, i, p->at[j], &from_j, 0, bit(i) | bit(j), &right, &on)) continue;
        view->seen |= bit(j);
        view->line[j] = line_of(s, i, j, right, on);
    }
    int32_t next = p->next[i], before = p->prev[i];
    view->line[next] = line_of(s, i, next, out.right & s->all, out_zero & s->all & ~(bit(i) | bit(next)));
    view->line[before] = line_of(s, i, before, in.left & s->all, in_zero & s->all & ~(bit(i) | bit(before)));
}
