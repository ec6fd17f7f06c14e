#include "tests/bench/prism.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double PI = 3.14159265358979;

bench_prism prism_of_box(const bench_box *b)
{
    bench_prism p = {.corners = 4, .low = b->low, .high = b->high};
    double xz[4][2];
    bench_box_corners(b, xz);
    memcpy(p.xz, xz, sizeof xz);
    return p;
}

bench_prism prism_round(double x, double z, double radius, uint32_t corners, double angle)
{
    bench_prism p = {.corners = corners};
    for (uint32_t i = 0; i < corners; i++) {
        double a = angle + 2 * PI * i / corners;
        p.xz[i][0] = x + radius * cos(a);
        p.xz[i][1] = z + radius * sin(a);
    }
    return p;
}

void prism_move(bench_prism *p, double dx, double dz)
{
    for (uint32_t i = 0; i < p->corners; i++) {
        p->xz[i][0] += dx;
        p->xz[i][1] += dz;
    }
}

static bool contains(const bench_prism *p, const double xz[2])
{
    if (p->corners < 3) return false;
    for (uint32_t i = 0; i < p->corners; i++) {
        const double *a = p->xz[i], *b = p->xz[(i + 1) % p->corners];
        if ((b[0] - a[0]) * (xz[1] - a[1]) - (b[1] - a[1]) * (xz[0] - a[0]) < 0) return false;
    }
    return true;
}

static double side_of(const double a[2], const double b[2], const double p[2])
{
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
}

static bool cross(const double a[2], const double b[2], const double c[2], const double d[2])
{
    return side_of(a, b, c) * side_of(a, b, d) < 0 && side_of(c, d, a) * side_of(c, d, b) < 0;
}

// From the corners of one to the edges of the other.
static double nearest(const bench_prism *a, const bench_prism *b, double best, double at[2])
{
    for (uint32_t i = 0; i < a->corners; i++) {
        const double *p = a->xz[i];
        if (contains(b, p)) return 0;
        for (uint32_t k = 0; k < b->corners; k++) {
            const double *q = b->xz[k], *r = b->xz[(k + 1) % b->corners];
            if (cross(p, a->xz[(i + 1) % a->corners], q, r)) return 0;
            double dx = r[0] - q[0], dz = r[1] - q[1], length2 = dx * dx + dz * dz;
            double s = length2 > 0 ? ((p[0] - q[0]) * dx + (p[1] - q[1]) * dz) / length2 : 0;
            s = fmin(1, fmax(0, s));
            double d = hypot(q[0] + s * dx - p[0], q[1] + s * dz - p[1]);
            if (d >= best) continue;
            best = d;
            if (!at) continue;
            at[0] = (q[0] + s * dx + p[0]) / 2;
            at[1] = (q[1] + s * dz + p[1]) / 2;
        }
    }
    return best;
}

double prism_gap(const bench_prism *a, const bench_prism *b, double at[2])
{
    double d = nearest(a, b, INFINITY, at);
    return nearest(b, a, d, at);
}
