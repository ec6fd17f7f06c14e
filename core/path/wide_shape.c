// Lines and circles, and whether a piece is in their way.
#include "core/path/wide.h"

bool nav_path_wide_tangent(const wide_circle *from, const wide_circle *to, wide_vec *d, double *length)
{
    wide_vec v = wide_from(from->at, to->at);
    double between = wide_dot(v, v), off = to->reach - from->reach, square = between - off * off;
    double slack = 4 * WIDE_SLACK * (fabs(off) + WIDE_SLACK); // ends are up to the slack within a circle
    if (between <= 0 || square < -slack) return false;
    *length = sqrt(fmax(square, 0));
    *d = (wide_vec){(*length * v.x + off * v.z) / between, (*length * v.z - off * v.x) / between};
    if (square <= 0) *d = wide_unit(*d);
    return true;
}

bool nav_path_wide_toward(const wide_circle *from, wide_vec s, bool on_circle, wide_vec *d)
{
    wide_vec v = wide_from(from->at, s);
    double between = wide_dot(v, v), off = from->reach,
           length = on_circle ? 0 : sqrt(fmax(between - off * off, 0)); // a root of nearly nothing is no good
    if (between <= 0) return false;
    *d = wide_unit((wide_vec){length * v.x - off * v.z, length * v.z + off * v.x});
    return true;
}

// The part of a line, from *low to *high, that is within the piece.
static bool within(const wide_tile *t, const wide_piece *p, double radius, wide_vec from, wide_vec d, double *low,
                   double *high)
{
    const wide_vec *o = t->outline + p->first;
    for (uint32_t i = 0; i < p->count; i++) {
        wide_vec e = wide_from(o[i], o[i + 1 < p->count ? i + 1 : 0]);
        double u = wide_cross(e, wide_from(o[i], from)), v = wide_cross(e, d); // within: u + s v <= 0
        if (v > 0)
            *high = fmin(*high, -u / v);
        else if (v < 0)
            *low = fmax(*low, -u / v);
        else if (u > 0)
            return false;
        if (*low > *high) return false;
    }
    if (!p->round) return true;
    wide_vec c = wide_from(from, p->at);
    double middle = wide_dot(c, d), off = wide_cross(d, c),
           square = (radius - WIDE_SLACK) * (radius - WIDE_SLACK) - off * off;
    if (square <= 0) return false;
    *low = fmax(*low, middle - sqrt(square));
    *high = fmin(*high, middle + sqrt(square));
    return *low <= *high;
}

bool nav_path_wide_blocks(const wide_tile *t, const wide_piece *p, double radius, wide_vec from, wide_vec d,
                          double length)
{
    double low = 0, high = length;
    return within(t, p, radius, from, d, &low, &high) && high - low > WIDE_CLOSE;
}

bool nav_path_wide_covers(const wide_piece *p, double radius, double slack, wide_vec s)
{
    if (p->round) {
        wide_vec v = wide_from(p->at, s);
        return wide_length(v) < radius - slack && wide_cross(p->right, v) >= -WIDE_CLOSE &&
               wide_cross(v, p->left) >= -WIDE_CLOSE && (wide_dot(p->right, v) >= 0 || wide_dot(p->left, v) >= 0);
    }
    wide_vec e = wide_from(p->right, p->left), v = wide_from(p->right, s);
    double length = wide_length(e), along = wide_dot(e, v);
    return wide_cross(e, v) > slack * length && along >= -WIDE_CLOSE * length &&
           along <= length * (length + WIDE_CLOSE);
}

// --- What a piece hides ---

// Each place outside of a circle is on one of the lines that leave it on one side. A line that meets a piece meets its
// rim outside of the circle. So what a piece hides is what the parts of its rim hide: along a straight part, and along
// a round one up to where a line touches it, the direction turns one way, by less than half a turn.
typedef struct hiding {
    const wide_circle *c;
    wide_vec ahead;
    void (*hide)(void *user, double low, double high);
    void *user;
} hiding;

typedef struct rim_end {
    wide_vec at;
    bool on_circle; // that the lines leave
} rim_end;

static void hide_part(const hiding *h, rim_end a, rim_end b)
{
    wide_vec from, to;
    if (!nav_path_wide_toward(h->c, a.at, a.on_circle, &from) || !nav_path_wide_toward(h->c, b.at, b.on_circle, &to))
        return;
    double at = wide_angle(h->ahead, from), turn = wide_angle(from, to);
    h->hide(h->user, at + fmin(turn, 0), at + fmax(turn, 0));
}

int nav_path_wide_crossings(wide_vec a, wide_vec b, wide_vec at, double radius, wide_vec out[2])
{
    double length = wide_length(wide_from(a, b));
    wide_vec d = wide_unit(wide_from(a, b)), c = wide_from(a, at);
    double middle = wide_dot(c, d), off = wide_cross(d, c), square = radius * radius - off * off;
    int n = 0;
    if (square < 0) return 0;
    for (int k = -1; k <= 1; k += 2) {
        double s = middle + k * sqrt(square);
        if (s >= 0 && s <= length) out[n++] = wide_along(a, d, s);
    }
    return n;
}

int nav_path_wide_meetings(wide_vec a, double a_radius, wide_vec b, double b_radius, wide_vec out[2])
{
    wide_vec v = wide_from(a, b);
    double length = wide_length(v);
    if (length <= 0) return 0;
    double along = (length * length + a_radius * a_radius - b_radius * b_radius) / (2 * length),
           square = a_radius * a_radius - along * along;
    if (square < 0) return 0;
    wide_vec d = wide_unit(v), middle = wide_along(a, d, along);
    out[0] = wide_along(middle, wide_left_of(d), sqrt(square));
    out[1] = wide_along(middle, wide_right_of(d), sqrt(square));
    return 2;
}

// A straight part of the rim, as far as it is outside of the circle.
static void hide_straight(const hiding *h, wide_vec a, wide_vec b)
{
    double own = fabs(h->c->reach);
    wide_vec met[2];
    int n = own > 0 ? nav_path_wide_crossings(a, b, h->c->at, own, met) : 0; // from a on
    bool a_within = wide_length(wide_from(h->c->at, a)) < own, b_within = wide_length(wide_from(h->c->at, b)) < own;
    if (!n && !(a_within && b_within)) hide_part(h, (rim_end){a, a_within}, (rim_end){b, b_within});
    if (n && !a_within) hide_part(h, (rim_end){a, false}, (rim_end){met[0], true});
    if (n && !b_within) hide_part(h, (rim_end){met[n - 1], true}, (rim_end){b, false});
}

static bool in_outline(const wide_vec *o, uint32_t n, wide_vec s)
{
    for (uint32_t i = 0; i < n; i++)
        if (wide_cross(wide_from(o[i], o[i + 1 < n ? i + 1 : 0]), wide_from(o[i], s)) > 0) return false;
    return true;
}

// The next place on the rim's circle, to the left of `from` as seen from its middle, where something changes: where an
// edge of the outline or the circle that lines leave crosses it, or a line touches it.
typedef struct change {
    wide_vec middle;
    double from, least; // angle; turn
    rim_end to;
} change;

static void try_change(change *c, wide_vec s, bool on_circle)
{
    wide_vec v = wide_from(c->middle, s);
    double turn = atan2(v.z, v.x) - c->from;
    if (turn <= 0) turn += 2 * M_PI;
    if (turn >= c->least) return;
    c->least = turn;
    c->to = (rim_end){s, on_circle};
}

static bool find_change(const wide_vec *o, uint32_t n, wide_vec middle, double reach, const wide_circle *c, double from,
                        change *out)
{
    wide_vec met[2];
    *out = (change){middle, from, INFINITY, {{0, 0}, false}};
    for (uint32_t i = 0; i < n; i++)
        for (int k = nav_path_wide_crossings(o[i], o[i + 1 < n ? i + 1 : 0], middle, reach, met); k-- > 0;)
            try_change(out, met[k], false);
    for (int k = c->reach != 0 ? nav_path_wide_meetings(c->at, fabs(c->reach), middle, reach, met) : 0; k-- > 0;)
        try_change(out, met[k], true);
    for (int side = -1; side <= 1; side += 2) {
        wide_circle circle = {middle, side * reach};
        wide_vec d;
        double length;
        if (nav_path_wide_tangent(c, &circle, &d, &length)) try_change(out, wide_touch(&circle, d), false);
    }
    return out->least < INFINITY;
}

static void hide_round(const hiding *h, const wide_vec *o, uint32_t n, wide_vec middle, double reach)
{
    change at, next;
    if (!find_change(o, n, middle, reach, h->c, -4, &at)) return;
    for (double passed = 0; passed < 2 * M_PI; passed += next.least, at = next) {
        wide_vec v = wide_from(middle, at.to.at);
        double angle = atan2(v.z, v.x);
        if (!find_change(o, n, middle, reach, h->c, angle, &next)) return;
        double half = angle + next.least / 2;
        wide_vec between = wide_along(middle, (wide_vec){cos(half), sin(half)}, reach);
        if (in_outline(o, n, between) && wide_length(wide_from(h->c->at, between)) >= fabs(h->c->reach))
            hide_part(h, at.to, next.to);
    }
}

// Are all places of the outline beside the lines? Where lines leave a circle on its left, they are to the left of the
// first, `right`; but some begin to the left of the last and cross it: before it touches the circle, and after the
// first does. On the right it is the mirror image.
static bool is_beside(const wide_circle *c, const wide_vec *o, uint32_t n, wide_vec right, wide_vec left)
{
    bool all_left = true, all_right = true, behind = true, ahead = true;
    wide_vec first = c->reach < 0 ? left : right, last = c->reach < 0 ? right : left;
    wide_vec first_touch = wide_touch(c, first), last_touch = wide_touch(c, last);
    for (uint32_t i = 0; i < n && (all_left || all_right); i++) {
        all_left &= wide_side(c, left, o[i]) >= 0;
        all_right &= wide_side(c, right, o[i]) <= 0;
        behind &= wide_dot(first, wide_from(first_touch, o[i])) <= 0;
        ahead &= wide_dot(last, wide_from(last_touch, o[i])) >= 0;
    }
    bool clear = behind || ahead;
    return (all_left && (c->reach <= 0 || clear)) || (all_right && (c->reach >= 0 || clear));
}

void nav_path_wide_hidden(const wide_tile *t, const wide_piece *p, double radius, const wide_circle *c, wide_vec right,
                          wide_vec left, void (*hide)(void *user, double low, double high), void *user)
{
    const wide_vec *o = t->outline + p->first;
    double reach = radius - WIDE_SLACK;
    if (p->round && (wide_side(c, left, p->at) >= reach || wide_side(c, right, p->at) <= -reach)) return;
    if (is_beside(c, o, p->count, right, left)) return;
    const hiding h = {c, right, hide, user};
    for (uint32_t i = 0; i < p->count; i++) {
        wide_vec a = o[i], b = o[i + 1 < p->count ? i + 1 : 0], met[2];
        if (p->round) { // what of it is within the piece's circle
            bool a_within = wide_length(wide_from(p->at, a)) <= reach,
                 b_within = wide_length(wide_from(p->at, b)) <= reach;
            int n = a_within && b_within ? 0 : nav_path_wide_crossings(a, b, p->at, reach, met);
            if (!a_within && !b_within && !n) continue;
            if (!a_within && n) a = met[0];
            if (!b_within && n) b = met[n - 1];
        }
        hide_straight(&h, a, b);
    }
    if (p->round) hide_round(&h, o, p->count, p->at, reach);
}

// --- Arcs ---

// How far to turn from the radial direction t to that of s, in the direction of sign: 0 to a whole turn.
static double turn_to(wide_vec at, wide_vec radial, int sign, wide_vec s)
{
    double a = sign * wide_angle(radial, wide_from(at, s));
    return a < 0 ? a + 2 * M_PI : a;
}

double nav_path_wide_arc(const wide_tile *t, const wide_piece *p, double radius, wide_vec at, wide_vec radial, int sign,
                         double most)
{
    const wide_vec *o = t->outline + p->first;
    wide_vec met[2];
    double least = most;
    if (p->round && wide_length(wide_from(at, p->at)) >= 2 * radius) return most;
    for (uint32_t i = 0; i <= p->count; i++) {
        int n = i < p->count ? nav_path_wide_crossings(o[i], o[i + 1 < p->count ? i + 1 : 0], at, radius, met)
                : p->round   ? nav_path_wide_meetings(at, radius, p->at, radius - WIDE_SLACK, met)
                             : 0;
        while (n-- > 0) {
            double turn = turn_to(at, radial, sign, met[n]), little = 2 * WIDE_CLOSE / radius;
            if (turn > 2 * M_PI - little) turn = 0;
            wide_vec behind = wide_along(at, wide_turned(radial, sign * (turn + little)), radius);
            if (turn < least && nav_path_wide_covers(p, radius, WIDE_SLACK, behind)) least = turn;
        }
    }
    return least;
}
