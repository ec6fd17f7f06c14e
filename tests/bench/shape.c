#include "tests/bench/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SHARP_DEG = 2, THIN_M = 0.02, PI = 3.14159265358979;

static int by_place(const void *a, const void *b)
{
    const double *p = a, *q = b;
    int k = p[0] == q[0];
    return (p[k] > q[k]) - (p[k] < q[k]);
}

static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double segment_distance(const double a[2], const double b[2], const double p[2])
{
    double dx = b[0] - a[0], dz = b[1] - a[1], length2 = dx * dx + dz * dz;
    double s = length2 > 0 ? ((p[0] - a[0]) * dx + (p[1] - a[1]) * dz) / length2 : 0;
    s = fmin(1, fmax(0, s));
    return hypot(a[0] + s * dx - p[0], a[1] + s * dz - p[1]);
}

// Andrew's monotone chain: the hull's corners, the first one again at the end.
static int hull_of(const shape *s, double (*out)[2])
{
    double sorted[SHAPE_CORNERS][2];
    int n = 0, last = s->count - 1;
    memcpy(sorted, s->xz, sizeof sorted[0] * (size_t)s->count);
    qsort(sorted, (size_t)s->count, sizeof sorted[0], by_place);
    for (int pass = 0; pass < 2; pass++) {
        int least = n + 1;
        for (int i = pass; i <= last; i++) {
            const double *p = sorted[pass ? last - i : i];
            while (n > least && turn(out[n - 2], out[n - 1], p) <= 0) n--;
            memcpy(out[n++], p, sizeof out[0]);
        }
    }
    return n;
}

static double deepest_dent(const shape *s)
{
    double hull[2 * SHAPE_CORNERS][2], deepest = 0;
    int n = hull_of(s, hull);
    for (int i = 0; i < s->count; i++) {
        double d = INFINITY;
        for (int k = 1; k < n; k++) d = fmin(d, segment_distance(hull[k - 1], hull[k], s->xz[i]));
        deepest = fmax(deepest, d);
    }
    return deepest;
}

void shape_judge(const shape *s, shape_counts *out)
{
    double doubled_area = 0, around = 0, least = PI;
    for (int i = 0; i < s->count; i++) {
        const double *p = s->xz[(i + s->count - 1) % s->count], *v = s->xz[i], *n = s->xz[(i + 1) % s->count];
        double ax = p[0] - v[0], az = p[1] - v[1], bx = n[0] - v[0], bz = n[1] - v[1];
        doubled_area += v[0] * n[1] - n[0] * v[1];
        around += hypot(bx, bz);
        // A corner that turns the other way has an inner angle of more than a half turn, but for a needle that turns
        // back on itself; the angle between the edges is small for both kinds of needle.
        least = fmin(least, atan2(fabs(ax * bz - az * bx), ax * bx + az * bz));
    }
    bool sharp = least < SHARP_DEG / 180 * PI, thin = fabs(doubled_area) / 2 < THIN_M * around;
    out->shapes++;
    out->sharp += sharp;
    out->thin += thin;
    out->ill += sharp || thin;
    out->area_m2 += fabs(doubled_area) / 2;
    if (s->count >= 3) out->dent_m = fmax(out->dent_m, deepest_dent(s));
}
