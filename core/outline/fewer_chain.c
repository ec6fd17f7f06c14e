// The cheapest sequence of lines along a chain, by dynamic programming.
//
// A line goes through two corners i and j of the chain with everything between them on its left, on the wall's side,
// and within the error: an edge of the chain, or a chord along its tips. Two lines follow one another where the first
// ends at the corner at which the second begins, or in a mitre: where they meet ahead of the first's j and behind the
// second's i, with the chain between on their left and the mitre within the error of it.
//
//            m                       The line a-b meets the line e-f in the mitre m. The chain c, d between them is
//          .   .                     given up: two edges where there were five.
//        b - c  .
//       /     \  .                   The best way onto a line comes from a corner, or from a line that ends before it
//      /       d - e                 begins. In the order of the corners where lines begin all of these are known.
//     a             \ f
//
// Which corners can follow i on one line is a cone that narrows with every corner passed: not left of any of them, and
// not farther than the error to the right.
//
// Sources: H. Imai and M. Iri, Polygonal approximations of a curve: formulations and algorithms (1988); the cone is
// J. Sklansky's and V. Gonzalez', Fast polygonal approximation of digitized curves (1980).
#include "core/outline/fewer_chain.h"

#include "core/outline/fewer_mitre.h"

#include <math.h>

enum {
    LONGEST_CHORD = 32, // corners
    WIDEST_MITRE = 10,  // corners
    LINES = 2,          // from one corner: its edge and the longest chord
    ENOUGH = 2,         // corners from which a mitre is too far
    NEVER = INT32_MAX / 2,
};

static const double THIN = 3.0; // units

nav_status nav_fewer_chain_init(fewer_chain *c, int32_t corners, nav_arena *arena)
{
    size_t n = (size_t)corners + 4;
    *c = (fewer_chain){
        .x = NAV_TAKE(arena, double, n),
        .z = NAV_TAKE(arena, double, n),
        .far = NAV_TAKE(arena, double, n),
        .reach = NAV_TAKE(arena, double, n),
        .edge = NAV_TAKE(arena, double, n),
        .sum = NAV_TAKE(arena, double, n),
        .now = NAV_TAKE(arena, fewer_corner, n),
        .now_x = NAV_TAKE(arena, double, n),
        .now_z = NAV_TAKE(arena, double, n),
        .edges = NAV_TAKE(arena, int32_t, n),
        .swept = NAV_TAKE(arena, double, n),
        .from = NAV_TAKE(arena, int32_t, n),
        .ending = NAV_TAKE(arena, int32_t, n),
        .line = NAV_TAKE(arena, fewer_line, n * LINES),
    };
    bool taken = c->x && c->z && c->far && c->reach && c->edge && c->sum && c->now && c->now_x && c->now_z && c->edges;
    taken = taken && c->swept && c->from && c->ending && c->line;
    return taken ? NAV_OK : nav_arena_failure(arena);
}

void nav_fewer_chain_set(fewer_chain *c, int32_t k, nav_point at, double far, double reach, double edge)
{
    if (k == 0) c->origin = at;
    c->x[k] = at.x - c->origin.x;
    c->z[k] = at.z - c->origin.z;
    c->far[k] = far;
    c->reach[k] = reach;
    c->edge[k] = edge;
    c->sum[k] = k > 0 ? c->sum[k - 1] + c->x[k - 1] * c->z[k] - c->x[k] * c->z[k - 1] : 0.0;
}

static double cross(double ax, double az, double bx, double bz)
{
    return ax * bz - bx * az;
}

// Twice the area between the chain and the chord.
static double area_of_chord(const fewer_chain *c, int32_t i, int32_t j)
{
    double area = nav_fewer_area_along(c, i, j) + cross(c->now_x[j], c->now_z[j], c->now_x[i], c->now_z[i]);
    return fabs(area);
}

static void reach_corner(fewer_chain *c, int32_t j, int32_t edges, double swept, int32_t from)
{
    if (edges > c->edges[j] || (edges == c->edges[j] && swept >= c->swept[j])) return;
    c->edges[j] = edges;
    c->swept[j] = swept;
    c->from[j] = from;
}

// The best way onto line t by a mitre.
static void come_by_mitre(fewer_chain *c, fewer_line *t, double own)
{
    int32_t first = t->i > WIDEST_MITRE ? t->i - WIDEST_MITRE : 0, passed = c->now[t->i].hi, too_far = 0;
    bool blocked = false, tips = false;
    for (int32_t j = t->i - 1; j > first; j--) {
        for (; passed >= c->now[j].lo && !blocked; passed--) blocked = !nav_fewer_is_left(c, t, passed, &tips);
        bool far = false, fits = false;
        for (int32_t k = c->ending[j]; k >= 0; k = c->line[k].next) {
            fewer_line *s = &c->line[k];
            if (s->edges >= t->edges || (s->edges + 1 == t->edges && s->swept + own >= t->swept)) continue;
            fewer_mitre m;
            fewer_fit fit = nav_fewer_mitre(c, s, t, blocked, tips, &m);
            far |= fit == FEWER_TOO_FAR;
            fits |= fit == FEWER_FITS;
            if (fit != FEWER_FITS) continue;
            double swept = s->swept + own + m.area;
            if (s->edges + 1 == t->edges && swept >= t->swept) continue;
            if (!nav_fewer_round(c, s, t, &m, &t->mitre)) continue;
            t->edges = s->edges + 1;
            t->swept = swept;
            t->from = k;
        }
        too_far = fits ? 0 : too_far + far;
        if (too_far == ENOUGH) break;
    }
}

// Puts the line through corners i and j into the table; own: twice the area between it and the chain.
static void add_line(fewer_chain *c, int32_t i, int32_t j, double own, bool start)
{
    fewer_line *t = &c->line[c->line_count];
    *t = (fewer_line){.i = i, .j = j, .edges = NEVER, .from = -1, .x = c->now_x[i], .z = c->now_z[i]};
    t->seen = c->now[j].lo;
    t->tip = t->blocked = NEVER;
    t->ex = c->now_x[j];
    t->ez = c->now_z[j];
    t->dx = t->ex - t->x;
    t->dz = t->ez - t->z;
    double len2 = t->dx * t->dx + t->dz * t->dz;
    if (len2 == 0.0) return;
    t->len = sqrt(len2);
    if (start) {
        t->edges = 1;
    } else {
        if (c->edges[i] < NEVER) {
            t->edges = c->edges[i] + 1;
            t->swept = c->swept[i] + own;
        }
        come_by_mitre(c, t, own);
    }
    if (t->edges >= NEVER) return;
    t->next = c->ending[j];
    c->ending[j] = c->line_count;
    reach_corner(c, j, t->edges, t->swept, c->line_count);
    c->line_count++;
}

// Directions from a corner: from the leftmost to the rightmost, less than half a turn apart.
typedef struct cone {
    bool any;
    double lx, lz, rx, rz;
} cone;

static bool is_within(const cone *a, double vx, double vz)
{
    double left = cross(a->lx, a->lz, vx, vz), right = cross(a->rx, a->rz, vx, vz);
    if (left == 0.0 && right == 0.0) return a->lx * vx + a->lz * vz >= 0.0;
    return left <= 0.0 && right >= 0.0;
}

// Not left of the corner k as seen from (x, z), by max_inward; not farther to its right than it may be, nor than
// `most`. False where nothing is left.
static bool narrow(const fewer_chain *c, cone *a, double x, double z, int32_t k, double most, double *farthest2)
{
    double vx = c->x[k] - x, vz = c->z[k] - z, d2 = vx * vx + vz * vz, in = c->max_inward;
    double far = c->far[k] < most ? c->far[k] : most;
    if (d2 <= in * in) return true;
    if (d2 > *farthest2) *farthest2 = d2;
    double along = sqrt(d2 - in * in);
    cone b = {true, vx * along - vz * in, vz * along + vx * in, vz, -vx};
    if (d2 > far * far) {
        along = sqrt(d2 - far * far);
        b.rx = vx * along + vz * far;
        b.rz = vz * along - vx * far;
    }
    if (a->any) {
        // Each side of what is left is a side of one within the other.
        if (!is_within(a, b.lx, b.lz)) {
            if (!is_within(&b, a->lx, a->lz)) return false;
            b.lx = a->lx;
            b.lz = a->lz;
        }
        if (!is_within(a, b.rx, b.rz)) {
            b.rx = a->rx;
            b.rz = a->rz;
        }
    }
    *a = b;
    return true;
}

// All lines that begin at corner i and end no later than `end`.
static void lines_from(fewer_chain *c, int32_t i, int32_t end)
{
    double x = c->now_x[i], z = c->now_z[i], farthest2 = 0.0;
    cone a = {0};
    int32_t passed = c->now[i].lo == c->now[i].hi ? c->now[i].hi + 1 : c->now[i].hi, chord = 0;
    add_line(c, i, i + 1, area_of_chord(c, i, i + 1), false);
    int32_t last = i + LONGEST_CHORD < end ? i + LONGEST_CHORD : end;
    for (int32_t j = i + 2; j <= last; j++) {
        const fewer_corner *q = &c->now[j];
        int32_t upto = q->lo == q->hi ? q->lo - 1 : q->lo;
        for (; passed <= upto; passed++)
            if (!narrow(c, &a, x, z, passed, INFINITY, &farthest2)) goto done;
        double vx = c->now_x[j] - x, vz = c->now_z[j] - z;
        if ((a.any && !is_within(&a, vx, vz)) || vx * vx + vz * vz < farthest2) continue;
        double own = area_of_chord(c, i, j);
        if (c->edges[i] < NEVER) reach_corner(c, j, c->edges[i] + 1, c->swept[i] + own, ~i);
        chord = j;
    }
done:
    if (chord > 0) add_line(c, i, chord, area_of_chord(c, i, chord), false);
}

int32_t nav_fewer_chain_thin(fewer_chain *c, int32_t count, bool closed)
{
    int32_t begin = closed ? 1 : 0, end = count - 1 - begin, left = begin;
    for (int32_t i = begin; i < end; left++) {
        double x = c->x[i], z = c->z[i], farthest2 = 0.0;
        cone a = {0};
        int32_t to = i + 1;
        for (int32_t j = i + 2; j <= end; j++) {
            if (!narrow(c, &a, x, z, j - 1, THIN, &farthest2)) break;
            double vx = c->x[j] - x, vz = c->z[j] - z;
            if ((a.any && !is_within(&a, vx, vz)) || vx * vx + vz * vz < farthest2) break;
            to = j;
        }
        c->now[left] = c->now[i];
        i = to;
    }
    for (int32_t k = end; k < count; k++) c->now[left++] = c->now[k];
    return left;
}

// Writes the corners of the best way to corner `end` or, where it is not below 0, to `line`, in place of `now`. The
// first edge's line is line 0 where the chain is closed.
static int32_t write_way(fewer_chain *c, int32_t end, int32_t line, bool closed)
{
    fewer_corner *to = c->now + end + 1, *last = to;
    int32_t corner = end;
    // Backwards, from the end: what is written stands behind all that is still to be read, as no line begins behind
    // the corner at which it is written.
    if (line < 0) *--to = c->now[corner];
    for (;;) {
        if (line < 0) {
            if (corner == 0) break;
            line = c->from[corner];
            if (line < 0) {
                corner = ~line;
                *--to = c->now[corner];
                line = -1;
                continue;
            }
        }
        if (closed && line == 0) break;
        const fewer_line *t = &c->line[line];
        if (t->from >= 0) {
            *--to = t->mitre;
            line = t->from;
        } else {
            corner = t->i;
            *--to = c->now[corner];
            line = -1;
        }
    }
    int32_t count = (int32_t)(last - to);
    for (int32_t k = 0; k < count; k++) c->now[k] = to[k];
    return count;
}

int32_t nav_fewer_chain_solve(fewer_chain *c, int32_t count, bool closed)
{
    int32_t end = count - 1;
    for (int32_t k = 0; k <= end; k++) {
        c->now_x[k] = c->now[k].at.x - c->origin.x;
        c->now_z[k] = c->now[k].at.z - c->origin.z;
        c->edges[k] = NEVER;
        c->swept[k] = 0.0;
        c->from[k] = -1;
        c->ending[k] = -1;
    }
    c->line_count = 0;
    if (!closed) {
        c->edges[0] = 0;
        for (int32_t i = 0; i < end; i++) lines_from(c, i, end);
        return write_way(c, end, -1, false);
    }
    add_line(c, 0, 1, 0.0, true);
    for (int32_t i = 1; i < end - 1; i++) lines_from(c, i, end - 1);
    add_line(c, end - 1, end, 0.0, false);
    int32_t line = c->ending[end];
    if (line < 0 || c->line[line].edges < 4) return 0;
    return write_way(c, end, line, true);
}
