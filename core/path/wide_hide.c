// Which lines of a fan a piece is in the way of.
//
// Each place outside of a circle is on one of the lines that leave it on one side. As a piece is convex, those that
// meet one which is away from the circle are all that are between two of them: the first and the last that touch its
// rim, at a knot or on an arc. Of a piece that may meet the circle each part of the rim is looked at by itself: a line
// that meets the piece meets its rim outside of the circle, and along a straight part, and along a round one up to
// where a line touches it, the direction turns one way, by less than half a turn.
#include "core/path/wide.h"

typedef struct hiding {
    const wide_fan *f;
    void (*hide)(void *user, wide_vec right, wide_vec left);
    void *user;
} hiding;

// Is all that is within a circle beside the lines? Where lines leave theirs on its left, it is to the left of the
// first; but some begin to the left of the last and cross it: before it touches the circle, and after the first does.
// On the right it is the mirror image.
static bool is_beside(const wide_fan *f, wide_vec middle, double extent)
{
    double reach = f->circle.reach;
    bool all_left = wide_side(&f->circle, f->left, middle) >= extent,
         all_right = wide_side(&f->circle, f->right, middle) <= -extent;
    if (!all_left && !all_right) return false;
    if (f->behind || (all_left && reach <= 0) || (all_right && reach >= 0)) return true;
    wide_vec first = reach < 0 ? f->left : f->right, first_touch = reach < 0 ? f->left_touch : f->right_touch,
             last = reach < 0 ? f->right : f->left, last_touch = reach < 0 ? f->right_touch : f->left_touch;
    return wide_dot(first, wide_from(first_touch, middle)) <= -extent ||
           wide_dot(last, wide_from(last_touch, middle)) >= extent;
}

// --- Away from the circle ---

typedef struct span {
    wide_vec right, left;
    bool is_any;
} span;

static void widen(span *s, wide_vec d)
{
    if (!s->is_any) *s = (span){d, d, true};
    if (wide_cross(s->right, d) < 0) s->right = d;
    if (wide_cross(d, s->left) < 0) s->left = d;
}

static bool on_arc(const wide_piece *p, wide_vec from, wide_vec to, wide_vec s) // clockwise
{
    return wide_between(wide_from(p->at, to), wide_from(p->at, from), wide_from(p->at, s));
}

static void hide_whole(const hiding *h, const wide_knot *knots, const wide_piece *p, double reach)
{
    const wide_circle *c = &h->f->circle;
    span all = {.is_any = false};
    bool arcs = false;
    for (uint32_t i = 0; i < p->knot_count; i++) {
        wide_vec v = wide_from(c->at, knots[i].at);
        double between = wide_dot(v, v), off = c->reach, length = sqrt(fmax(between - off * off, 0));
        arcs |= knots[i].arc;
        if (between > 0) widen(&all, (wide_vec){length * v.x - off * v.z, length * v.z + off * v.x});
    }
    for (int sign = -1; arcs && sign <= 1; sign += 2) {
        wide_circle rim = {p->at, sign * reach};
        wide_vec d;
        double length;
        if (!nav_path_wide_tangent(c, &rim, &d, &length)) continue;
        wide_vec touch = wide_touch(&rim, d);
        for (uint32_t i = 0; i < p->knot_count; i++)
            if (knots[i].arc && on_arc(p, knots[i].at, knots[i + 1 < p->knot_count ? i + 1 : 0].at, touch))
                widen(&all, d);
    }
    if (all.is_any) h->hide(h->user, wide_unit(all.right), wide_unit(all.left));
}

// --- Part by part ---

typedef struct rim_end {
    wide_vec at;
    bool on_circle; // that the lines leave
} rim_end;

static void hide_part(const hiding *h, rim_end a, rim_end b)
{
    const wide_circle *c = &h->f->circle;
    wide_vec from, to;
    if (!nav_path_wide_toward(c, a.at, a.on_circle, &from) || !nav_path_wide_toward(c, b.at, b.on_circle, &to)) return;
    bool is_left = wide_cross(from, to) >= 0;
    h->hide(h->user, is_left ? from : to, is_left ? to : from);
}

// A straight part of the rim, as far as it is outside of the circle.
static void hide_straight(const hiding *h, wide_vec a, wide_vec b)
{
    const wide_circle *c = &h->f->circle;
    double own = fabs(c->reach);
    wide_vec met[2];
    int n = own > 0 ? nav_path_wide_crossings(a, b, c->at, own, met) : 0; // from a on
    bool a_within = wide_length(wide_from(c->at, a)) < own, b_within = wide_length(wide_from(c->at, b)) < own;
    if (!n && !(a_within && b_within)) hide_part(h, (rim_end){a, a_within}, (rim_end){b, b_within});
    if (n && !a_within) hide_part(h, (rim_end){a, false}, (rim_end){met[0], true});
    if (n && !b_within) hide_part(h, (rim_end){met[n - 1], true}, (rim_end){b, false});
}

typedef struct arc_cut {
    double order; // from the arc's last point on
    rim_end end;
} arc_cut;

// A round one, clockwise from a to b.
static void hide_arc(const hiding *h, const wide_piece *p, double reach, wide_vec a, wide_vec b)
{
    const wide_circle *c = &h->f->circle;
    wide_vec first = wide_from(p->at, b), met[2], d;
    arc_cut cuts[6];
    int count = 0;
    double length;
    cuts[count++] = (arc_cut){0, {b, false}};
    for (int n = c->reach != 0 ? nav_path_wide_meetings(c->at, fabs(c->reach), p->at, reach, met) : 0; n-- > 0;)
        if (on_arc(p, a, b, met[n]))
            cuts[count++] = (arc_cut){wide_order(first, wide_from(p->at, met[n])), {met[n], true}};
    for (int sign = -1; sign <= 1; sign += 2) {
        wide_circle rim = {p->at, sign * reach};
        if (!nav_path_wide_tangent(c, &rim, &d, &length)) continue;
        wide_vec touch = wide_touch(&rim, d);
        if (on_arc(p, a, b, touch))
            cuts[count++] = (arc_cut){wide_order(first, wide_from(p->at, touch)), {touch, false}};
    }
    for (int i = 2; i < count; i++)
        for (int k = i; k > 1 && cuts[k].order < cuts[k - 1].order; k--) {
            arc_cut before = cuts[k - 1];
            cuts[k - 1] = cuts[k];
            cuts[k] = before;
        }
    cuts[count++] = (arc_cut){2, {a, false}};
    for (int i = 0; i + 1 < count; i++) {
        wide_vec aside = wide_right_of(wide_from(cuts[i].end.at, cuts[i + 1].end.at));
        if (wide_dot(aside, aside) <= 0) continue;
        wide_vec between = wide_along(p->at, wide_unit(aside), reach);
        if (wide_length(wide_from(c->at, between)) >= fabs(c->reach)) hide_part(h, cuts[i].end, cuts[i + 1].end);
    }
}

void nav_path_wide_hidden(const wide_tile *t, const wide_piece *p, double radius, const wide_fan *f,
                          void (*hide)(void *user, wide_vec right, wide_vec left), void *user)
{
    const hiding h = {f, hide, user};
    const wide_knot *knots = t->knots + p->first_knot;
    double reach = radius - WIDE_SLACK;
    if (!p->knot_count || is_beside(f, p->middle, p->extent)) return;
    if (f->behind || wide_length(wide_from(f->circle.at, p->middle)) > p->extent + fabs(f->circle.reach)) {
        hide_whole(&h, knots, p, reach);
        return;
    }
    for (uint32_t i = 0; i < p->knot_count; i++) {
        wide_vec a = knots[i].at, b = knots[i + 1 < p->knot_count ? i + 1 : 0].at;
        if (knots[i].arc)
            hide_arc(&h, p, reach, a, b);
        else
            hide_straight(&h, a, b);
    }
}
