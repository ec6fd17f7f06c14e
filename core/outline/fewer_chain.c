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
    LONGEST_CHORD = 16, // corners
    WIDEST_MITRE = 10,  // corners
    LINES = 2,          // from one corner: its edge and the longest chord
    ENOUGH = 2,         // corners from which a mitre is too far
    NEVER = INT32_MAX,
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
        .left = NAV_TAKE(arena, int32_t, n),
        .way = NAV_TAKE(arena, fewer_corner, n),
        .cost = NAV_TAKE(arena, double, n),
        .from = NAV_TAKE(arena, int32_t, n),
        .ending = NAV_TAKE(arena, int32_t, n),
        .line = NAV_TAKE(arena, fewer_line, n * LINES),
    };
    bool taken = c->x && c->z && c->far && c->reach && c->edge && c->sum && c->left && c->way && c->cost;
    taken = taken && c->from && c->ending && c->line;
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
    int32_t from = c->left[i], to = c->left[j];
    return fabs(c->sum[to] - c->sum[from] + cross(c->x[to], c->z[to], c->x[from], c->z[from]));
}

static void reach_corner(fewer_chain *c, int32_t j, double cost, int32_t from)
{
    if (cost >= c->cost[j]) return;
    c->cost[j] = cost;
    c->from[j] = from;
}

// The best way onto line t by a mitre.
static void come_by_mitre(fewer_chain *c, fewer_line *t, double own)
{
    int32_t first = t->i > WIDEST_MITRE ? t->i - WIDEST_MITRE : 0, passed = c->left[t->i], too_far = 0;
    bool blocked = false, tips = false;
    for (int32_t j = t->i - 1; j > first; j--) {
        for (; passed >= c->left[j] && !blocked; passed--) blocked = !nav_fewer_is_left(c, t, passed, &tips);
        bool far = false, fits = false;
        for (int32_t k = c->ending[j]; k >= 0; k = c->line[k].next) {
            fewer_line *s = &c->line[k];
            double most = t->cost - s->cost - own - c->price;
            if (most <= 0.0 || !nav_fewer_meet(s, t, blocked)) continue;
            fewer_mitre m;
            fewer_fit fit = nav_fewer_mitre(c, s, t, tips, most, &m);
            far |= fit == FEWER_TOO_FAR;
            fits |= fit == FEWER_FITS;
            if (fit != FEWER_FITS || !nav_fewer_round(c, s, t, &m, &t->mitre)) continue;
            t->cost = s->cost + own + c->price + m.area;
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
    int32_t a = c->left[i], b = c->left[j];
    *t = (fewer_line){.i = i, .j = j, .cost = INFINITY, .from = -1, .x = c->x[a], .z = c->z[a]};
    t->seen = b;
    t->tip = t->blocked = NEVER;
    t->ex = c->x[b];
    t->ez = c->z[b];
    t->dx = t->ex - t->x;
    t->dz = t->ez - t->z;
    double len2 = t->dx * t->dx + t->dz * t->dz;
    if (len2 == 0.0) return;
    t->len = sqrt(len2);
    if (start) {
        t->cost = c->price;
    } else {
        t->cost = c->cost[i] + own + c->price;
        come_by_mitre(c, t, own);
    }
    if (t->cost == INFINITY) return;
    t->next = c->ending[j];
    c->ending[j] = c->line_count;
    reach_corner(c, j, t->cost, c->line_count);
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
    int32_t passed = c->left[i] + 1, chord = 0;
    double x = c->x[passed - 1], z = c->z[passed - 1], farthest2 = 0.0;
    cone a = {0};
    add_line(c, i, i + 1, area_of_chord(c, i, i + 1), false);
    int32_t last = i + LONGEST_CHORD < end ? i + LONGEST_CHORD : end;
    for (int32_t j = i + 2; j <= last; j++) {
        int32_t q = c->left[j];
        for (; passed < q; passed++)
            if (!narrow(c, &a, x, z, passed, INFINITY, &farthest2)) goto done;
        double vx = c->x[q] - x, vz = c->z[q] - z;
        if ((a.any && !is_within(&a, vx, vz)) || vx * vx + vz * vz < farthest2) continue;
        double own = area_of_chord(c, i, j);
        reach_corner(c, j, c->cost[i] + own + c->price, ~i);
        chord = j;
    }
done:
    if (chord > 0) add_line(c, i, chord, area_of_chord(c, i, chord), false);
}

// Leaves out corners that are within few units of an edge; returns how many are left. The first two corners of a closed
// chain stay, and the last two.
static int32_t thin(fewer_chain *c, int32_t count, bool closed)
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
        c->left[left] = i;
        i = to;
    }
    c->left[0] = 0;
    for (int32_t k = end; k < count; k++) c->left[left++] = k;
    return left;
}

static fewer_corner corner_left(const fewer_chain *c, int32_t k)
{
    int32_t place = c->left[k];
    nav_point at = {c->origin.x + (int32_t)c->x[place], c->origin.z + (int32_t)c->z[place]};
    return (fewer_corner){at, place, place, place, place};
}

// Writes the corners of the best way to corner `end` or, where it is not below 0, to `line`. The first edge's line is
// line 0 where the chain is closed.
static int32_t write_way(fewer_chain *c, int32_t end, int32_t line, bool closed)
{
    fewer_corner *to = c->way;
    int32_t corner = end;
    if (line < 0) *to++ = corner_left(c, corner);
    while (line >= 0 ? !closed || line != 0 : corner != 0) {
        if (line < 0) {
            line = c->from[corner];
            if (line >= 0) continue;
            corner = ~line;
            line = -1;
            *to++ = corner_left(c, corner);
        } else if (c->line[line].from >= 0) {
            *to++ = c->line[line].mitre;
            line = c->line[line].from;
        } else {
            corner = c->line[line].i;
            line = -1;
            *to++ = corner_left(c, corner);
        }
    }
    int32_t count = (int32_t)(to - c->way);
    for (int32_t k = 0; k < count / 2; k++) {
        fewer_corner q = c->way[k];
        c->way[k] = c->way[count - 1 - k];
        c->way[count - 1 - k] = q;
    }
    return count;
}

int32_t nav_fewer_chain_solve(fewer_chain *c, int32_t count, bool closed)
{
    int32_t end = thin(c, count, closed) - 1;
    for (int32_t k = 0; k <= end; k++) {
        c->cost[k] = INFINITY;
        c->from[k] = -1;
        c->ending[k] = -1;
    }
    c->line_count = 0;
    if (!closed) {
        c->cost[0] = 0.0;
        for (int32_t i = 0; i < end; i++) lines_from(c, i, end);
        return write_way(c, end, -1, false);
    }
    add_line(c, 0, 1, 0.0, true);
    for (int32_t i = 1; i < end - 1; i++) lines_from(c, i, end - 1);
    add_line(c, end - 1, end, 0.0, false);
    int32_t line = c->ending[end];
    return line < 0 ? 0 : write_way(c, end, line, true);
}
