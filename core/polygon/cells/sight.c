// Orientation tests of one line against all corners, or of one corner against all edges, at once. Coordinates are
// columns of one tile (at most 2^14), so twice an area fits 32 bits. The tests are those of core/base/plane.h, in
// lanes: nav_in_corner() is what nav_sight_from() works out for every other corner.
#include "core/polygon/cells/sight.h"

#include "core/lanes/i32xn.h"

_Static_assert(PLAN_CORNERS % I32_LANES == 0, "whole vectors");

// Adds the lanes' signs, those of corners k and up, to the sets.
static inline void add_sides(sight_sides *s, i32xn v, int32_t k)
{
    s->left |= (corner_set)i32xn_signs(v) << k;
    s->right |= (corner_set)i32xn_signs(-v) << k;
}

static inline corner_set bit(int32_t k)
{
    return UINT64_C(1) << k;
}

void nav_sight_init(sight *s, const plan *p)
{
    int32_t n = p->count;
    s->p = p;
    s->all = bit(n) - 1; // n is at most 48
    s->known = 0;
    for (int32_t k = 0; k < n; k++) {
        nav_point at = p->at[k], next = p->at[p->next[k]], before = p->at[p->prev[k]];
        s->x[k] = at.x;
        s->z[k] = at.z;
        s->out_x[k] = next.x - at.x;
        s->out_z[k] = next.z - at.z;
        s->in_x[k] = at.x - before.x;
        s->in_z[k] = at.z - before.z;
    }
    for (int32_t k = n; k % I32_LANES != 0; k++)
        s->x[k] = s->z[k] = s->out_x[k] = s->out_z[k] = s->in_x[k] = s->in_z[k] = 0;
    sight_sides turn = {0, 0};
    for (int32_t k = 0; k < n; k += I32_LANES)
        add_sides(
            &turn,
            i32xn_load(s->out_x + k) * i32xn_load(s->in_z + k) - i32xn_load(s->in_x + k) * i32xn_load(s->out_z + k), k);
    s->flat = s->all & ~(turn.right | turn.left);
}

// The edges that have q to their right, and to their left.
static sight_sides sides_of_edges(const sight *s, nav_point q)
{
    sight_sides sides = {0, 0};
    for (int32_t k = 0; k < s->p->count; k += I32_LANES)
        add_sides(&sides,
                  (q.x - i32xn_load(s->x + k)) * i32xn_load(s->out_z + k) -
                      i32xn_load(s->out_x + k) * (q.z - i32xn_load(s->z + k)),
                  k);
    return sides;
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
    int32_t ex = b.x - a.x, ez = b.z - a.z;
    sight_sides here = {0, 0}, next = {0, 0}; // where each edge begins, and where it ends
    for (int32_t k = 0; k < s->p->count; k += I32_LANES) {
        i32xn side = (i32xn_load(s->x + k) - a.x) * ez - ex * (i32xn_load(s->z + k) - a.z);
        add_sides(&here, side, k);
        add_sides(&next, side + i32xn_load(s->out_x + k) * ez - ex * i32xn_load(s->out_z + k), k);
    }
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

// Lanes where the angle of a cross and a dot product may be within 1 : 16, on either side.
static inline corner_set is_thin(i32xn cross, i32xn dot)
{
    i32xn room = dot >> 4;
    return ~(corner_set)(i32xn_signs(room - cross) | i32xn_signs(room + cross));
}

void nav_sight_from(sight *s, int32_t i, sight_view *view)
{
    const plan *p = s->p;
    nav_point v = p->at[i];
    // Of every corner q, against the edges at i; and of i, against the edges at every corner q. Where a point lies on
    // the line of an edge, it counts whether that is the side the edge is on (to the right of `along`), or the other.
    sight_sides in = {0, 0}, out = {0, 0}, in_along = {0, 0}, out_along = {0, 0};
    sight_sides q_in = {0, 0}, q_out = {0, 0}, q_in_along = {0, 0}, q_out_along = {0, 0};
    int32_t in_x = s->in_x[i], in_z = s->in_z[i], out_x = s->out_x[i], out_z = s->out_z[i];
    view->thin = 0;
    for (int32_t k = 0; k < p->count; k += I32_LANES) {
        i32xn x = i32xn_load(s->x + k) - v.x, z = i32xn_load(s->z + k) - v.z;
        i32xn in_side = x * in_z - in_x * z, in_dot = -(x * in_x + z * in_z);
        i32xn out_side = x * out_z - out_x * z, out_dot = x * out_x + z * out_z;
        i32xn qx = i32xn_load(s->in_x + k), qz = i32xn_load(s->in_z + k), rx = i32xn_load(s->out_x + k),
              rz = i32xn_load(s->out_z + k);
        i32xn q_in_side = qx * z - x * qz, q_in_dot = x * qx + z * qz;
        i32xn q_out_side = rx * z - x * rz, q_out_dot = -(x * rx + z * rz);
        add_sides(&in, in_side, k);
        add_sides(&out, out_side, k);
        add_sides(&in_along, in_dot, k);
        add_sides(&out_along, out_dot, k);
        add_sides(&q_in, q_in_side, k);
        add_sides(&q_out, q_out_side, k);
        add_sides(&q_in_along, q_in_dot, k);
        add_sides(&q_out_along, q_out_dot, k);
        view->thin |= (is_thin(in_side, in_dot) | is_thin(out_side, out_dot) | is_thin(q_in_side, q_in_dot) |
                       is_thin(q_out_side, q_out_dot))
                      << k;
    }
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
