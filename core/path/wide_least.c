// How long ways are, and how long they are at least.
#include "core/path/wide.h"

double nav_path_wide_way_to(const wide_root *r, wide_vec d, double length)
{
    if (r->circle.reach == 0) return r->g + length;
    double turn = wide_angle(r->begin, d) * (r->circle.reach > 0 ? 1 : -1);
    if (turn < -1) turn += 2 * M_PI;
    return r->g + fabs(r->circle.reach) * fmax(turn, 0) + length;
}

double nav_path_wide_left_from(const wide_search *s, uint32_t tile, uint32_t corner)
{
    const path_tile *t = s->set->tiles[tile];
    return nav_path_ahead_of(s->ahead, tile, t->sector[corner], path_corner(t, corner));
}

// Where the line that leaves the circle in direction d meets the edge from a to b.
static wide_vec meet(const wide_circle *c, wide_vec d, wide_vec a, wide_vec b)
{
    double u = wide_side(c, d, a), v = wide_side(c, d, b), t = u - v > 0 ? fmin(fmax(u / (u - v), 0), 1) : 0;
    return wide_along(a, wide_from(a, b), t);
}

static double way_to_place(const wide_root *r, wide_vec d, wide_vec at)
{
    return nav_path_wide_way_to(r, d, wide_length(wide_from(wide_touch(&r->circle, d), at)));
}

// The least length to the goal by the part of the edge from a to b that is between the lines. The cell that the edge is
// left by is on its right.
static double least_length(const wide_search *s, const wide_root *r, wide_vec a, wide_vec b, wide_vec right,
                           wide_vec left)
{
    wide_vec g = s->goal, e = wide_from(a, b), d;
    double off = wide_cross(e, wide_from(a, g)), length;
    if (off < 0) g = wide_along(g, wide_left_of(e), -2 * off / wide_dot(e, e)); // its mirror image
    wide_circle place = {g, 0};
    if (wide_side(&r->circle, left, g) > 0) {
        wide_vec l = meet(&r->circle, left, a, b);
        return way_to_place(r, left, l) + wide_length(wide_from(l, g));
    }
    if (wide_side(&r->circle, right, g) < 0) {
        wide_vec l = meet(&r->circle, right, a, b);
        return way_to_place(r, right, l) + wide_length(wide_from(l, g));
    }
    if (wide_from(r->circle.at, g).x == 0 && wide_from(r->circle.at, g).z == 0) return r->g;
    return nav_path_wide_tangent(&r->circle, &place, &d, &length) ? nav_path_wide_way_to(r, d, length) : r->g;
}

// The same by landmarks: from a place of the edge no less is left than from an end less the way to there.
static double least_ahead(const wide_search *s, const wide_root *r, uint32_t tile, uint32_t corner, wide_vec right,
                          wide_vec left)
{
    const path_tile *t = s->set->tiles[tile];
    uint32_t next = path_next(t, corner);
    wide_vec a = wide_of(path_corner(t, corner)), b = wide_of(path_corner(t, next)), l = meet(&r->circle, left, a, b),
             m = meet(&r->circle, right, a, b), e = wide_from(l, m),
             from = wide_from(l, wide_touch(&r->circle, r->begin));
    double whole = wide_length(wide_from(a, b)), first = wide_length(wide_from(a, l)),
           last = wide_length(wide_from(a, m)), of_a = nav_path_wide_left_from(s, tile, corner),
           of_b = nav_path_wide_left_from(s, tile, next), at = fmax(fmin((of_a - of_b + whole) / 2, last), first),
           square = wide_dot(e, e), u = square > 0 ? fmin(fmax(wide_dot(from, e) / square, 0), 1) : 0;
    double way = r->g + wide_length(wide_from(wide_along(l, e, u), wide_along(l, from, 1)));
    return way + fmax(of_a - at, of_b - (whole - at));
}

double nav_path_wide_least(const wide_search *s, const wide_root *r, uint32_t tile, uint32_t corner, wide_vec right,
                           wide_vec left)
{
    const path_tile *t = s->set->tiles[tile];
    wide_vec a = wide_of(path_corner(t, corner)), b = wide_of(path_corner(t, path_next(t, corner)));
    double least = fmax(r->f, r->g + wide_at_least(s, least_length(s, r, a, b, right, left) - r->g));
    return s->ahead ? fmax(least, least_ahead(s, r, tile, corner, right, left)) : least;
}
