#include "tests/bench/shape.h"

#include <math.h>

static const double SHARP_DEG = 2, THIN_M = 0.02, PI = 3.14159265358979;

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
}
