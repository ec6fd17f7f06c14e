// Mitres.
//
// The chain between the two lines is told apart at the corner that is nearest to the mitre: what is before it must be
// near the first line, what is behind it near the second. Where the mitre turns left, away from what is free, all of it
// must be left of both lines; where it turns right, of its own, and the edge between the parts left of the mitre.
#include "core/outline/fewer_mitre.h"

#include <math.h>

// Positive where v is to the right of d.
static double right(double dx, double dz, double vx, double vz)
{
    return vx * dz - dx * vz;
}

static double cross(double ax, double az, double bx, double bz)
{
    return ax * bz - bx * az;
}

static double distance2(double ax, double az, double bx, double bz)
{
    return (bx - ax) * (bx - ax) + (bz - az) * (bz - az);
}

// From a place to the edge of the chain behind corner k.
static double distance2_to_edge(const fewer_chain *c, int32_t k, double x, double z)
{
    double dx = c->x[k + 1] - c->x[k], dz = c->z[k + 1] - c->z[k], vx = x - c->x[k], vz = z - c->z[k];
    double along = vx * dx + vz * dz, len2 = dx * dx + dz * dz;
    if (along <= 0.0 || len2 == 0.0) return vx * vx + vz * vz;
    if (along >= len2) return distance2(x, z, c->x[k + 1], c->z[k + 1]);
    double side = cross(dx, dz, vx, vz);
    return side * side / len2;
}

static bool is_left_of_edge(const fewer_chain *c, int32_t k, double x, double z)
{
    return right(c->x[k + 1] - c->x[k], c->z[k + 1] - c->z[k], x - c->x[k], z - c->z[k]) < 0.0;
}

// Are the corners of the chain from the end of s up to `last` left of s, but for max_inward? *tips: is one right of it?
static bool is_left_of_line(const fewer_chain *c, fewer_line *s, int32_t last, bool *tips)
{
    double in = c->max_inward * s->len;
    for (; s->seen <= last && s->blocked > last; s->seen++) {
        double side = right(s->dx, s->dz, c->x[s->seen] - s->ex, c->z[s->seen] - s->ez);
        if (side > 0.0 && s->seen < s->tip) s->tip = s->seen;
        if (side > in) s->blocked = s->seen;
    }
    *tips = s->tip <= last;
    return s->blocked > last;
}

// A tip that is right of a line must be so beside the part of it that is used, or next to the mitre.
static bool is_tip_alone(const fewer_chain *c, const fewer_line *s, const fewer_line *t, const fewer_mitre *m,
                         int32_t lo, int32_t hi)
{
    for (int32_t k = lo; k <= hi; k++) {
        double x = c->x[k], z = c->z[k];
        bool out = (right(s->dx, s->dz, x - s->ex, z - s->ez) > 0.0 && (x - m->x) * s->dx + (z - m->z) * s->dz > 0.0) ||
                   (right(t->dx, t->dz, x - t->x, z - t->z) > 0.0 && (x - m->x) * t->dx + (z - m->z) * t->dz < 0.0);
        if (out && distance2(m->x, m->z, x, z) > c->max_inward * c->max_inward) return true;
    }
    return false;
}

static bool is_edge_near(const fewer_chain *c, const fewer_mitre *m, int32_t k)
{
    return c->edge[k] == INFINITY || distance2_to_edge(c, k, m->x, m->z) <= c->edge[k] * c->edge[k];
}

// Finds where to tell the chain apart, and whether the mitre is near enough to it there.
static bool find_split(const fewer_chain *c, fewer_mitre *m, int32_t lo, int32_t hi, bool right_turn)
{
    int32_t nearest = lo;
    double best = INFINITY, in2 = c->max_inward * c->max_inward;
    for (int32_t k = lo; k <= hi; k++) {
        double d2 = distance2(m->x, m->z, c->x[k], c->z[k]);
        if (d2 >= best) continue;
        best = d2;
        nearest = k;
    }
    m->split = nearest < hi ? nearest : nearest - 1;
    if (best > c->reach[nearest] * c->reach[nearest]) {
        // The edges beside it may be nearer.
        double after = nearest < hi ? distance2_to_edge(c, nearest, m->x, m->z) : INFINITY;
        double before = nearest > lo ? distance2_to_edge(c, nearest - 1, m->x, m->z) : INFINITY;
        m->split = after <= before ? nearest : nearest - 1;
        best = after <= before ? after : before;
        if (best > c->reach[m->split] * c->reach[m->split]) return false;
        if (best > c->reach[m->split + 1] * c->reach[m->split + 1]) return false;
    }
    // A long edge is not what is given up.
    if (!is_edge_near(c, m, m->split)) {
        if (nearest == lo || m->split != nearest || !is_edge_near(c, m, nearest - 1)) return false;
        m->split = nearest - 1;
    }
    if (!right_turn || best <= in2) return true;
    return !is_left_of_edge(c, m->split, m->x, m->z) && (nearest == lo || !is_left_of_edge(c, nearest - 1, m->x, m->z));
}

// Is each part of the chain as near to its line as it must be?
static bool is_near(const fewer_chain *c, const fewer_line *s, const fewer_line *t, const fewer_mitre *m, int32_t lo,
                    int32_t hi, bool right_turn)
{
    for (int32_t k = lo; k <= hi; k++) {
        const fewer_line *own = k <= m->split ? s : t;
        double vx = c->x[k] - own->x, vz = c->z[k] - own->z, side = right(own->dx, own->dz, vx, vz);
        double along = vx * own->dx + vz * own->dz;
        if (side > c->max_inward * own->len || -side > c->far[k] * own->len) return false;
        if (own == s ? along < 0.0 : along > own->len * own->len) return false;
        if (!right_turn) continue;
        double past = (m->x - own->x) * own->dx + (m->z - own->z) * own->dz;
        if ((own == s ? along > past : along < past) && distance2(m->x, m->z, c->x[k], c->z[k]) > c->far[k] * c->far[k])
            return false;
    }
    return true;
}

fewer_fit nav_fewer_mitre(const fewer_chain *c, fewer_line *s, const fewer_line *t, bool tips, double most,
                          fewer_mitre *m)
{
    // s reaches the mitre `ahead` of its end, in parts of its length.
    double turn = right(s->dx, s->dz, t->dx, t->dz);
    double ahead = -right(t->dx, t->dz, t->x - s->ex, t->z - s->ez) / turn;
    int32_t lo = c->left[s->j], hi = c->left[t->i];
    bool s_tips = false;
    m->x = s->ex + s->dx * ahead;
    m->z = s->ez + s->dz * ahead;
    m->area = fabs(c->sum[hi] - c->sum[lo] + cross(t->x, t->z, m->x, m->z) + cross(m->x, m->z, s->ex, s->ez));
    if (m->area >= most || (turn < 0.0 && !is_left_of_line(c, s, hi, &s_tips))) return FEWER_NO;
    if (!find_split(c, m, lo, hi, turn > 0.0)) return FEWER_TOO_FAR;
    if (turn < 0.0 && (s_tips || tips) && is_tip_alone(c, s, t, m, lo, hi)) return FEWER_NO;
    if (!is_near(c, s, t, m, lo, hi, turn > 0.0)) return FEWER_NO;
    return FEWER_FITS;
}

bool nav_fewer_round(const fewer_chain *c, const fewer_line *s, const fewer_line *t, const fewer_mitre *m,
                     fewer_corner *corner)
{
    static const int8_t nearest_first[][2] = {{0, 0},  {1, 0},  {0, 1}, {1, 1}, {-1, 0},  {0, -1}, {2, 0},  {0, 2},
                                              {-1, 1}, {1, -1}, {2, 1}, {1, 2}, {-1, -1}, {2, -1}, {-1, 2}, {2, 2}};
    // The line s from its end, the line t from its beginning, which are whole numbers.
    int32_t fx = (int32_t)floor(m->x), fz = (int32_t)floor(m->z);
    double best = FEWER_ROUNDING * FEWER_ROUNDING;
    for (int32_t k = 0; k < 16; k++) {
        if (k == 4 && best < 2.0) break; // of the four around it
        int32_t gx = fx + nearest_first[k][0], gz = fz + nearest_first[k][1];
        double d2 = distance2(m->x, m->z, gx, gz);
        nav_point p = {c->origin.x + gx, c->origin.z + gz};
        if (d2 >= best || right(s->dx, s->dz, gx - s->x, gz - s->z) < 0.0 ||
            right(t->dx, t->dz, gx - t->x, gz - t->z) < 0.0)
            continue;
        best = d2;
        *corner = (fewer_corner){p, m->split, m->split + 1, c->left[s->j], c->left[t->i]};
    }
    return best < FEWER_ROUNDING * FEWER_ROUNDING;
}
