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

double nav_fewer_area_along(const fewer_chain *c, int32_t i, int32_t j)
{
    int32_t from = c->now[i].hi, to = c->now[j].lo;
    if (from > to) return cross(c->now_x[i], c->now_z[i], c->now_x[j], c->now_z[j]);
    return cross(c->now_x[i], c->now_z[i], c->x[from], c->z[from]) + c->sum[to] - c->sum[from] +
           cross(c->x[to], c->z[to], c->now_x[j], c->now_z[j]);
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

// The grid's place nearest to (x, z) that is not left of either line.
static bool round_to_free(const fewer_chain *c, const fewer_line *s, const fewer_line *t, double x, double z,
                          nav_point *at)
{
    nav_point sa = c->now[s->i].at, sb = c->now[s->j].at, ta = c->now[t->i].at, tb = c->now[t->j].at;
    double fx = floor(x), fz = floor(z), best = 4.0;
    for (int32_t k = 0; k < 16; k++) {
        int32_t gx = (int32_t)fx + (k & 3) - 1, gz = (int32_t)fz + (k >> 2) - 1;
        double d2 = distance2(x, z, gx, gz);
        nav_point p = {c->origin.x + gx, c->origin.z + gz};
        if (d2 >= best || nav_right(sa, sb, p) < 0 || nav_right(ta, tb, p) < 0) continue;
        best = d2;
        *at = p;
    }
    return best < 4.0;
}

bool nav_fewer_mitre(const fewer_chain *c, const fewer_line *s, const fewer_line *t, fewer_corner *mitre, double *area)
{
    // s reaches the mitre `ahead` of its end, t comes `behind` from it, in parts of their lengths.
    double turn = right(s->dx, s->dz, t->dx, t->dz), wx = t->x - s->ex, wz = t->z - s->ez;
    double ahead = -right(t->dx, t->dz, wx, wz), behind = right(s->dx, s->dz, wx, wz);
    if (turn == 0.0 || (turn > 0.0 ? ahead < 0.0 || behind < 0.0 : ahead > 0.0 || behind > 0.0)) return false;
    ahead /= turn;
    double mx = s->ex + s->dx * ahead, mz = s->ez + s->dz * ahead;

    int32_t lo = c->now[s->j].lo, hi = c->now[t->i].hi, nearest = lo;
    double best = INFINITY, s_in = c->max_inward * s->len, t_in = c->max_inward * t->len;
    for (int32_t k = lo; k <= hi; k++) {
        double x = c->x[k], z = c->z[k], d2 = distance2(mx, mz, x, z);
        if (turn < 0.0) {
            double of_s = right(s->dx, s->dz, x - s->ex, z - s->ez), of_t = right(t->dx, t->dz, x - t->x, z - t->z);
            if (of_s > s_in || of_t > t_in) return false;
            // A tip that sticks out must do so beside one of the edges.
            bool out = (of_s > 0.0 && (x - mx) * s->dx + (z - mz) * s->dz > 0.0) ||
                       (of_t > 0.0 && (x - mx) * t->dx + (z - mz) * t->dz < 0.0);
            if (out && d2 > c->max_inward * c->max_inward) return false;
        }
        if (d2 >= best) continue;
        best = d2;
        nearest = k;
    }
    // The edges beside the nearest corner may be nearer.
    int32_t split = nearest < hi ? nearest : nearest - 1;
    double allowed = c->reach[nearest];
    if (best > allowed * allowed) {
        double after = nearest < hi ? distance2_to_edge(c, nearest, mx, mz) : INFINITY;
        double before = nearest > lo ? distance2_to_edge(c, nearest - 1, mx, mz) : INFINITY;
        split = after <= before ? nearest : nearest - 1;
        best = after <= before ? after : before;
        if (best > c->reach[split] * c->reach[split] || best > c->reach[split + 1] * c->reach[split + 1]) return false;
    }
    if (turn > 0.0 && best > c->max_inward * c->max_inward &&
        (is_left_of_edge(c, split, mx, mz) || (nearest > lo && is_left_of_edge(c, nearest - 1, mx, mz))))
        return false;
    for (int32_t k = lo; k <= hi; k++) {
        const fewer_line *own = k <= split ? s : t;
        double vx = c->x[k] - own->x, vz = c->z[k] - own->z, side = right(own->dx, own->dz, vx, vz);
        double along = vx * own->dx + vz * own->dz, past = (mx - own->x) * own->dx + (mz - own->z) * own->dz;
        if (side > c->max_inward * own->len || -side > c->far[k] * own->len) return false;
        if (own == s ? along < 0.0 : along > own->len * own->len) return false;
        if (turn > 0.0 && (own == s ? along > past : along < past) &&
            distance2(mx, mz, c->x[k], c->z[k]) > c->far[k] * c->far[k])
            return false;
    }
    nav_point at = {0, 0};
    if (!round_to_free(c, s, t, mx, mz, &at)) return false;
    *mitre = (fewer_corner){at, split, split + 1, c->now[s->j].before, c->now[t->i].after};
    mx = at.x - c->origin.x;
    mz = at.z - c->origin.z;
    *area = fabs(nav_fewer_area_along(c, s->j, t->i) + cross(t->x, t->z, mx, mz) + cross(mx, mz, s->ex, s->ez));
    return true;
}
