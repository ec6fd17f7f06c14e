// Straight on over the surface: at each side of a triangle the next one is laid flat beside it.
#include "core/climb/search.h"

enum { MOST_STEPS = 1 << 18, MOST_IN_PLACE = 256 };

static const double IN_PLACE_M = 1e-9; // around a corner
static const double GAP_M = 0.005;     // between joins of one edge, which is walked over

typedef struct walker {
    const climb_patch *patch;
    uint32_t triangle;
    vec at, along; // along: of length 1, in the plane of the triangle
    double left_m; // to go
    uint64_t excluded;
    climb_points *points;
    nav_status status;
} walker;

// The side by which the triangle is left, and how far that is.
static int find_side(const walker *w, double *apart)
{
    vec n = nav_climb_normal(w->patch, w->triangle);
    int best = -1;
    for (int side = 0; side < 3; side++) {
        vec a = climb_corner(w->patch, w->triangle, side), b = climb_corner(w->patch, w->triangle, (side + 1) % 3);
        vec out = vec_unit(vec_cross(vec_sub(b, a), n));
        double speed = vec_dot(w->along, out);
        if (!(speed > 1e-12)) continue;
        double t = fmax(0, vec_dot(vec_sub(a, w->at), out) / speed);
        if (best >= 0 && !(t < *apart)) continue;
        best = side;
        *apart = t;
    }
    return best;
}

// The portal of a side that a place on it is in; CLIMB_NONE: a wall.
static int64_t find_portal(const walker *w, int side, vec at)
{
    const climb_patch *p = w->patch;
    int32_t beside = p->beside[CLIMB_SIDES * w->triangle + (uint32_t)side];
    if (beside >= 0) return side;
    vec from = climb_corner(p, w->triangle, side);
    double along = vec_apart(from, at), best = GAP_M;
    int64_t found = CLIMB_NONE;
    for (uint32_t h = p->edge[-1 - beside].first_half; h < p->edge[-beside].first_half; h++) {
        const climb_half *half = &p->half[h];
        double off = fmax(fmax((double)half->from_m - along, along - (double)half->to_m), 0);
        if (!half->is_open || off >= best) continue;
        best = off;
        found = climb_half_portal(h);
    }
    return found;
}

static void note(walker *w, bool strip)
{
    if (w->status == NAV_OK) w->status = nav_climb_add_point(w->points, w->at, w->patch, w->triangle, strip);
}

// Over the strip from a gate to the one at its other end. dx, dy: the direction in the gate's plane; share: where on
// the gate, from its right end, and then on the other one. False: past the strip, or not far enough to go.
static bool cross_strip(walker *w, const climb_portal *p, double *share, double *dx, double *dy)
{
    flat right = climb_beyond(p->gate.right, p->gate.left, p->in_right);
    flat left = climb_beyond(p->gate.right, p->gate.left, p->in_left);
    flat from = {*share * vec_apart(p->gate.right, p->gate.left), 0}, way = {left.x - right.x, left.y - right.y};
    double across = *dx * way.y - *dy * way.x, width = sqrt(way.x * way.x + way.y * way.y);
    if (!(fabs(across) > 1e-12) || !(width > 0)) return false;
    double far = ((right.x - from.x) * way.y - (right.y - from.y) * way.x) / across;
    double on = ((right.x - from.x) * *dy - (right.y - from.y) * *dx) / across;
    if (!(far >= 0 && far <= w->left_m && on >= 0 && on <= 1)) return false;
    note(w, true);
    w->left_m -= far;
    *share = on;
    double turned = (*dx * way.x + *dy * way.y) / width;
    *dy = (*dy * way.x - *dx * way.y) / width;
    *dx = turned;
    return *dy > 0;
}

// Onto the triangle behind a portal. False: the walk ends here.
static bool pass(walker *w, uint32_t portal)
{
    climb_portal p = nav_climb_portal(w->patch, w->triangle, portal);
    const climb_patch *next = p.gate.patch;
    if (w->excluded >> next->area[p.gate.triangle] & 1) return false;
    bool half = portal >= CLIMB_SIDES;
    vec line = vec_sub(p.gate.left, p.gate.right), u = vec_unit(line);
    double width = vec_length(line), dx = vec_dot(w->along, u), dy = sqrt(fmax(0, 1 - dx * dx));
    double share = width > 0 ? fmax(0, fmin(1, vec_dot(vec_sub(w->at, p.gate.right), u) / width)) : 0;
    if (p.gate.strip && !cross_strip(w, &p, &share, &dx, &dy)) return false;
    vec right = half ? p.in_right : p.gate.right, left = half ? p.in_left : p.gate.left;
    vec n = nav_climb_normal(next, p.gate.triangle);
    w->patch = next;
    w->triangle = p.gate.triangle;
    w->at = half ? vec_between(right, left, share) : w->at;
    // The line in the next plane, and on from it: its triangle lies to the left of the line run through backwards.
    u = vec_sub(left, right);
    u = vec_unit(vec_sub(u, vec_scale(n, vec_dot(u, n))));
    w->along = vec_unit(vec_add(vec_scale(u, dx), vec_scale(vec_cross(u, n), dy)));
    note(w, false);
    return true;
}

// True: it went all the way.
static bool walk(walker *w)
{
    for (uint32_t steps = 0, in_place = 0; steps < MOST_STEPS && in_place < MOST_IN_PLACE && w->status == NAV_OK;
         steps++) {
        double apart = 0;
        int side = find_side(w, &apart);
        if (side < 0) return false; // a triangle without area
        bool ends = apart >= w->left_m;
        double step = ends ? w->left_m : apart;
        in_place = step > IN_PLACE_M ? 0 : in_place + 1;
        w->at = vec_add(w->at, vec_scale(w->along, step));
        w->left_m -= step;
        if (ends) return true;
        int64_t portal = find_portal(w, side, w->at);
        if (portal < 0 || !pass(w, (uint32_t)portal)) return false;
    }
    return false;
}

nav_status nav_climb_walk(nav_climb_finder *finder, const nav_climb_set *set, const nav_climb_walk_query *query,
                          nav_climb_walked *out)
{
    *out = (nav_climb_walked){.status = NAV_CLIMB_NO_START};
    nav_climb_near near = query->from;
    near.excluded = query->excluded;
    vec along = vec_of(query->direction);
    if (!nav_climb_near_ok(&near) || !isfinite(vec_dot(along, along)) || !(query->length_m >= 0) ||
        !isfinite(query->length_m))
        return NAV_ERR_ARGUMENT;
    climb_spot s = nav_climb_spot(set, &near, UINT32_MAX);
    if (!s.patch) return NAV_OK;
    vec n = nav_climb_normal(s.patch, s.triangle);
    walker w = {.patch = s.patch,
                .triangle = s.triangle,
                .at = s.at,
                .along = vec_unit(vec_sub(along, vec_scale(n, vec_dot(along, n)))),
                .left_m = query->length_m,
                .excluded = query->excluded,
                .points = &finder->points};
    if (!(vec_dot(w.along, w.along) > 0.5)) return NAV_ERR_ARGUMENT; // along the normal
    finder->points.count = 0;
    note(&w, false);
    out->blocked = !walk(&w);
    out->length_m = query->length_m - w.left_m;
    note(&w, false);
    if (w.status == NAV_OK) w.status = nav_climb_end_points(&finder->points);
    out->status = NAV_CLIMB_FOUND;
    out->points = finder->points.item;
    out->point_count = finder->points.count;
    out->end = nav_climb_place_of(set, &(climb_spot){w.patch, w.triangle, w.at});
    vec_to(w.along, out->direction);
    return w.status;
}
