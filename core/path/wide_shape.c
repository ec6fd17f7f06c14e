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
    wide_vec m = wide_from(from, p->middle);
    double along = wide_dot(d, m);
    if (!p->knot_count || fabs(wide_cross(d, m)) >= p->extent || along <= -p->extent || along >= length + p->extent)
        return false;
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
