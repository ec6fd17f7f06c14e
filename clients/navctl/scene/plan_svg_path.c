// The grammar is that of SVG 1.1, chapters 8 and 9. A Bezier curve is halved until its chords lie within a 2,000th of
// its own size; an arc has chords of at most 5 degrees, which is as close.
#include "clients/navctl/scene/plan_svg_path.h"

#include "clients/navctl/output/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

enum {
    ARC_STEPS = 72,    // of a full turn
    MOST_HALVINGS = 8, // of a Bezier curve
};
static const double CURVE_SHARE = 1.0 / 2000;

svg_matrix svg_matrix_join(const svg_matrix *o, const svg_matrix *i)
{
    return (svg_matrix){o->a * i->a + o->c * i->b, o->b * i->a + o->d * i->b,        o->a * i->c + o->c * i->d,
                        o->b * i->c + o->d * i->d, o->a * i->e + o->c * i->f + o->e, o->b * i->e + o->d * i->f + o->f};
}

static void skip_blanks(const char **at)
{
    while (**at && strchr(" \t\r\n", **at)) ++*at;
}

static void skip_separator(const char **at)
{
    skip_blanks(at);
    if (**at != ',') return;
    ++*at;
    skip_blanks(at);
}

bool svg_number(const char **at, double *out)
{
    const char *p = *at;
    p += *p == '-' || *p == '+';
    const bool digit = isdigit((unsigned char)*p) || (*p == '.' && isdigit((unsigned char)p[1]));
    if (!digit || (p[0] == '0' && (p[1] | 32) == 'x')) return false; // no 0x10, no nan, no inf
    char *end;
    *out = strtod(*at, &end);
    *at = end;
    skip_separator(at);
    return isfinite(*out);
}

// One function of a transform: its name and its numbers.
static bool read_function(const char **at, svg_matrix *out, char *why, size_t why_bytes)
{
    static const struct {
        const char *name;
        int least, most;
    } known[] = {{"matrix", 6, 6}, {"translate", 1, 2}, {"scale", 1, 2},
                 {"rotate", 1, 3}, {"skewX", 1, 1},     {"skewY", 1, 1}};
    double n[6] = {0};
    int which = 0, count = 0;
    const size_t length = strspn(*at, "abcdefghijklmnopqrstuvwxyzXY");
    while (which < 6 && (strlen(known[which].name) != length || memcmp(known[which].name, *at, length) != 0)) which++;
    const char *p = *at + length;
    skip_blanks(&p);
    bool ok = which < 6 && *p == '(';
    if (ok) {
        p++;
        skip_blanks(&p);
        while (count < 6 && svg_number(&p, &n[count])) count++;
        ok = *p == ')' && count >= known[which].least && count <= known[which].most && !(which == 3 && count == 2);
    }
    if (!ok) {
        char shown[48];
        text_printable(*at, shown, sizeof shown, 40);
        snprintf(why, why_bytes, "its transform is not one at '%s'", shown);
        return false;
    }
    *at = p + 1;
    skip_separator(at);
    const double turn = n[0] * PI / 180, c = cos(turn), s = sin(turn);
    switch (which) {
    case 0:
        *out = (svg_matrix){n[0], n[1], n[2], n[3], n[4], n[5]};
        break;
    case 1:
        *out = (svg_matrix){1, 0, 0, 1, n[0], n[1]};
        break;
    case 2:
        *out = (svg_matrix){n[0], 0, 0, count > 1 ? n[1] : n[0], 0, 0};
        break;
    case 3:
        *out = (svg_matrix){c, s, -s, c, n[1] - c * n[1] + s * n[2], n[2] - s * n[1] - c * n[2]};
        break;
    case 4:
        *out = (svg_matrix){1, 0, tan(turn), 1, 0, 0};
        break;
    default:
        *out = (svg_matrix){1, tan(turn), 0, 1, 0, 0};
        break;
    }
    return true;
}

bool svg_matrix_parse(const char *text, svg_matrix *out, char *why, size_t why_bytes)
{
    *out = (svg_matrix){1, 0, 0, 1, 0, 0};
    skip_blanks(&text);
    while (*text) {
        svg_matrix next;
        if (!read_function(&text, &next, why, why_bytes)) return false;
        *out = svg_matrix_join(out, &next);
    }
    return true;
}

// --- drawing ---

// On the sheet y points down; in a plan it points up.
static bool put(const svg_pen *pen, plan_place p)
{
    const svg_matrix *m = &pen->matrix;
    return plan_add_place(pen->out, m->a * p.x + m->c * p.y + m->e, -(m->b * p.x + m->d * p.y + m->f));
}

static double reach_of(plan_place a, plan_place b)
{
    return fmax(fabs(b.x - a.x), fabs(b.y - a.y));
}

static plan_place middle(plan_place a, plan_place b)
{
    return (plan_place){(a.x + b.x) / 2, (a.y + b.y) / 2};
}

// Halves until both inner points are that near to where a straight line would have them.
static bool put_curve(const svg_pen *pen, const plan_place b[4], double near, int halvings)
{
    const double x1 = 3 * b[1].x - 2 * b[0].x - b[3].x, y1 = 3 * b[1].y - 2 * b[0].y - b[3].y;
    const double x2 = 3 * b[2].x - b[0].x - 2 * b[3].x, y2 = 3 * b[2].y - b[0].y - 2 * b[3].y;
    const double x = fmax(fabs(x1), fabs(x2)), y = fmax(fabs(y1), fabs(y2));
    if (halvings == 0 || x * x + y * y <= 16 * near * near) return put(pen, b[3]);
    const plan_place p = middle(b[0], b[1]), q = middle(b[1], b[2]), r = middle(b[2], b[3]), s = middle(p, q),
                     t = middle(q, r), m = middle(s, t);
    const plan_place first[4] = {b[0], p, s, m}, second[4] = {m, t, r, b[3]};
    return put_curve(pen, first, near, halvings - 1) && put_curve(pen, second, near, halvings - 1);
}

static bool put_cubic(const svg_pen *pen, plan_place a, plan_place b, plan_place c, plan_place d)
{
    const plan_place all[4] = {a, b, c, d};
    const double size = fmax(reach_of(a, b), fmax(reach_of(a, c), reach_of(a, d)));
    return put_curve(pen, all, size * CURVE_SHARE, MOST_HALVINGS);
}

// Around the centre, from an angle by as much (radians); rx along an axis that is turned by `turn`. Without the first.
static bool put_arc(const svg_pen *pen, plan_place centre, double rx, double ry, double turn, double from, double by)
{
    if (!(fabs(by) < 7)) return plan_add_place(pen->out, NAN, NAN); // numbers that overflowed: refused
    const int steps = (int)ceil(fabs(by) / (2 * PI) * ARC_STEPS - 1e-9);
    const double c = cos(turn), s = sin(turn);
    for (int i = 1; i <= steps; i++) {
        const double at = from + by * i / steps, x = rx * cos(at), y = ry * sin(at);
        const plan_place p = {centre.x + c * x - s * y, centre.y + s * x + c * y};
        if (!put(pen, p)) return false;
    }
    return true;
}

static double angle_between(double ux, double uy, double vx, double vy)
{
    return atan2(ux * vy - uy * vx, ux * vx + uy * vy);
}

// From the ends to the centre, as SVG 1.1 has it in F.6.
static bool put_end_arc(const svg_pen *pen, plan_place from, double rx, double ry, double degrees, bool large,
                        bool sweep, plan_place to)
{
    const double turn = fmod(degrees, 360) * PI / 180, c = cos(turn), s = sin(turn);
    rx = fabs(rx);
    ry = fabs(ry);
    if (rx == 0 || ry == 0 || (from.x == to.x && from.y == to.y)) return put(pen, to);
    const double hx = (from.x - to.x) / 2, hy = (from.y - to.y) / 2, x = c * hx + s * hy, y = c * hy - s * hx;
    const double excess = x * x / (rx * rx) + y * y / (ry * ry);
    if (excess > 1) {
        rx *= sqrt(excess);
        ry *= sqrt(excess);
    }
    const double parts = rx * rx * y * y + ry * ry * x * x, whole = rx * rx * ry * ry;
    double root = parts > 0 ? sqrt(fmax(0, (whole - parts) / parts)) : 0;
    if (large == sweep) root = -root;
    const double ox = root * rx * y / ry, oy = -root * ry * x / rx;
    const plan_place centre = {c * ox - s * oy + (from.x + to.x) / 2, s * ox + c * oy + (from.y + to.y) / 2};
    const double ux = (x - ox) / rx, uy = (y - oy) / ry, vx = (-x - ox) / rx, vy = (-y - oy) / ry;
    double by = angle_between(ux, uy, vx, vy);
    if (sweep && by < 0) by += 2 * PI;
    if (!sweep && by > 0) by -= 2 * PI;
    return put_arc(pen, centre, rx, ry, turn, atan2(uy, ux), by);
}

// --- path data ---

typedef struct path_state {
    const svg_pen *pen;
    const char *at, *data;
    plan_place here, start, control; // control: of the curve before
    char before;                     // the command before, in capitals
    bool open, closed;               // a subpath is begun; and its end was asked for
} path_state;

static bool bad_data(const path_state *s, const char *what)
{
    char shown[32];
    const plan_features *p = s->pen->out;
    if (!*s->at)
        return plan_fail_at(s->pen->out, &p->features[p->count - 1], "its path, character %zu: %s, but it ends there",
                            (size_t)(s->at - s->data) + 1, what);
    text_printable(s->at, shown, sizeof shown, 20);
    return plan_fail_at(s->pen->out, &p->features[p->count - 1], "its path, character %zu: %s, found '%s'",
                        (size_t)(s->at - s->data) + 1, what, shown);
}

// A subpath begins with the first thing that is drawn.
static bool begin(path_state *s)
{
    if (s->open) return true;
    s->open = true;
    return plan_begin_ring(s->pen->out, false, s->pen->lines) && put(s->pen, s->here);
}

static bool end(path_state *s, bool closed)
{
    if (!s->open) return true;
    plan_features *p = s->pen->out;
    s->open = false;
    if (closed && s->pen->lines) { // a wall that comes back to where it began is still a line
        if (!put(s->pen, s->start)) return false;
    }
    return plan_end_ring(p);
}

static bool read_numbers(path_state *s, double *n, int count)
{
    for (int i = 0; i < count; i++)
        if (!svg_number(&s->at, &n[i])) return bad_data(s, "expected a number");
    return true;
}

// The two flags of an arc may stand together: 011.
static bool read_flag(path_state *s, bool *out)
{
    if (*s->at != '0' && *s->at != '1') return bad_data(s, "expected a flag, 0 or 1");
    *out = *s->at++ == '1';
    skip_separator(&s->at);
    return true;
}

static plan_place mirrored(const path_state *s, bool smooth)
{
    return smooth ? (plan_place){2 * s->here.x - s->control.x, 2 * s->here.y - s->control.y} : s->here;
}

static bool draw_arc(path_state *s, plan_place from)
{
    double n[3], to[2];
    bool large = false, sweep = false;
    if (!read_numbers(s, n, 3) || !read_flag(s, &large) || !read_flag(s, &sweep) || !read_numbers(s, to, 2))
        return false;
    const plan_place end_place = {from.x + to[0], from.y + to[1]};
    const bool ok = put_end_arc(s->pen, s->here, n[0], n[1], n[2], large, sweep, end_place);
    s->here = end_place;
    return ok;
}

static bool draw_quadratic(path_state *s, plan_place q, plan_place to)
{
    const plan_place a = s->here, b = {a.x + 2 * (q.x - a.x) / 3, a.y + 2 * (q.y - a.y) / 3},
                     c = {to.x + 2 * (q.x - to.x) / 3, to.y + 2 * (q.y - to.y) / 3};
    s->control = q;
    s->here = to;
    return put_cubic(s->pen, a, b, c, to);
}

static bool draw_cubic(path_state *s, plan_place b, plan_place c, plan_place to)
{
    const plan_place a = s->here;
    s->control = c;
    s->here = to;
    return put_cubic(s->pen, a, b, c, to);
}

// One round of a command that is not M or Z. o: what relative numbers count from.
static bool draw(path_state *s, char command, plan_place o)
{
    double n[6];
    static const char *const kinds = "LHVCSQTA";
    static const int counts[] = {2, 1, 1, 6, 4, 4, 2, 0};
    if (!begin(s) || !read_numbers(s, n, counts[strchr(kinds, command) - kinds])) return false;
    const char before = s->before;
    s->before = command;
    switch (command) {
    case 'L':
        s->here = (plan_place){o.x + n[0], o.y + n[1]};
        return put(s->pen, s->here);
    case 'H':
        s->here.x = o.x + n[0];
        return put(s->pen, s->here);
    case 'V':
        s->here.y = o.y + n[0];
        return put(s->pen, s->here);
    case 'C':
        return draw_cubic(s, (plan_place){o.x + n[0], o.y + n[1]}, (plan_place){o.x + n[2], o.y + n[3]},
                          (plan_place){o.x + n[4], o.y + n[5]});
    case 'S':
        return draw_cubic(s, mirrored(s, before == 'C' || before == 'S'), (plan_place){o.x + n[0], o.y + n[1]},
                          (plan_place){o.x + n[2], o.y + n[3]});
    case 'Q':
        return draw_quadratic(s, (plan_place){o.x + n[0], o.y + n[1]}, (plan_place){o.x + n[2], o.y + n[3]});
    case 'T':
        return draw_quadratic(s, mirrored(s, before == 'Q' || before == 'T'), (plan_place){o.x + n[0], o.y + n[1]});
    default:
        return draw_arc(s, o);
    }
}

static bool move(path_state *s, plan_place o)
{
    double n[2];
    if (!end(s, false) || !read_numbers(s, n, 2)) return false;
    s->here = s->start = (plan_place){o.x + n[0], o.y + n[1]};
    s->before = 'M';
    return true;
}

bool svg_draw_path(const svg_pen *pen, const char *data)
{
    path_state s = {.pen = pen, .at = data, .data = data};
    static const plan_place zero = {0, 0};
    char command = 0;
    skip_blanks(&s.at);
    while (*s.at) {
        if (isalpha((unsigned char)*s.at)) {
            command = *s.at;
            if (!strchr("MmZzLlHhVvCcSsQqTtAa", command)) return bad_data(&s, "expected a command");
            if (s.at == data + strspn(data, " \t\r\n") && (command & ~32) != 'M')
                return bad_data(&s, "a path begins with M");
            s.at++;
            skip_blanks(&s.at);
        } else if (!command || (command & ~32) == 'Z') {
            return bad_data(&s, "expected a command");
        }
        const bool relative = command >= 'a';
        plan_place o = relative ? s.here : zero;
        const char capital = (char)(command & ~32);
        if (capital == 'Z') {
            if (!end(&s, true)) return false;
            s.here = s.start;
            s.before = 'Z';
        } else if (capital == 'M') {
            if (!move(&s, o)) return false;
            command = relative ? 'l' : 'L'; // further pairs are lines
        } else {
            if (capital == 'H') o.y = s.here.y;
            if (capital == 'V') o = (plan_place){s.here.x, o.y};
            if (!draw(&s, capital, o)) return false;
        }
    }
    return end(&s, false);
}

bool svg_draw_points(const svg_pen *pen, const char *data, bool closed)
{
    path_state s = {.pen = pen, .at = data, .data = data};
    skip_blanks(&s.at);
    for (bool first = true; *s.at; first = false) {
        double n[2];
        if (!read_numbers(&s, n, 2)) return false;
        s.here = (plan_place){n[0], n[1]};
        if (first) s.start = s.here;
        if (!(first ? begin(&s) : put(pen, s.here))) return false;
    }
    return end(&s, closed);
}

bool svg_draw_line(const svg_pen *pen, double x1, double y1, double x2, double y2)
{
    const plan_place a = {x1, y1}, b = {x2, y2};
    return plan_begin_ring(pen->out, false, pen->lines) && put(pen, a) && put(pen, b) && plan_end_ring(pen->out);
}

bool svg_draw_rect(const svg_pen *pen, double x, double y, double width, double height, double rx, double ry)
{
    rx = fmin(rx, width / 2);
    ry = fmin(ry, height / 2);
    const plan_place corners[4] = {{x + width, y + height}, {x, y + height}, {x, y}, {x + width, y}};
    bool ok = plan_begin_ring(pen->out, false, false);
    for (int i = 0; i < 4 && ok; i++) {
        const double sx = i == 0 || i == 3 ? 1 : -1, sy = i < 2 ? 1 : -1;
        const plan_place centre = {corners[i].x - sx * rx, corners[i].y - sy * ry};
        if (rx <= 0 || ry <= 0) {
            ok = put(pen, corners[i]);
            continue;
        }
        const plan_place first = {centre.x + (i % 2 == 0 ? sx * rx : 0), centre.y + (i % 2 == 1 ? sy * ry : 0)};
        ok = put(pen, first) && put_arc(pen, centre, rx, ry, 0, i * PI / 2, PI / 2);
    }
    return ok && plan_end_ring(pen->out);
}

bool svg_draw_ellipse(const svg_pen *pen, double cx, double cy, double rx, double ry)
{
    const plan_place centre = {cx, cy};
    return plan_begin_ring(pen->out, false, false) && put_arc(pen, centre, rx, ry, 0, 0, 2 * PI) &&
           plan_end_ring(pen->out);
}
