#include "core/detail/sampler.h"

#include <assert.h>
#include <math.h>

// First column of the sample grid whose centre is not below v.
static double first_not_below(double v, int32_t sample)
{
    return sample * ceil((v - 0.5 - sample / 2) / sample) + sample / 2;
}

void nav_sampler_init(nav_sampler *s, int32_t sample, int32_t corner_count, const double *x, const double *z)
{
    assert(corner_count <= NAV_SAMPLER_CORNERS && sample > 0);
    double half = 0.5 * sample;
    double min_x = x[0], max_x = x[0], min_z = z[0], max_z = z[0];
    s->sample = sample;
    s->edge_count = corner_count;
    s->x = 0;
    s->last_x = -1;
    for (int32_t i = 1; i < corner_count; i++) {
        if (x[i] < min_x) min_x = x[i];
        if (x[i] > max_x) max_x = x[i];
        if (z[i] < min_z) min_z = z[i];
        if (z[i] > max_z) max_z = z[i];
    }
    s->z = (int32_t)first_not_below(min_z + half, sample);
    s->last_z = (int32_t)ceil(max_z - half - 0.5); // rows beyond it have no sample
    if (max_x - min_x < sample || max_z - min_z < sample || s->z > s->last_z) {
        s->last_z = s->z - 1;
        return;
    }
    for (int32_t i = 0; i < corner_count; i++) {
        int32_t j = i + 1 == corner_count ? 0 : i + 1;
        double dx = x[j] - x[i], dz = z[j] - z[i];
        s->dx[i] = dx;
        s->dz[i] = dz;
        s->at_zero[i] = sqrt(dx * dx + dz * dz) * half + dz * x[i] - dx * z[i];
        s->per_dz[i] = dz != 0 ? 1 / dz : 0;
    }
    s->z -= sample; // the first call moves to the first row
}

static bool open_row(nav_sampler *s)
{
    double low = INT32_MIN / 2, high = INT32_MAX / 2, z = s->z + 0.5;
    for (int32_t i = 0; i < s->edge_count; i++) {
        double bound = s->at_zero[i] + s->dx[i] * z;
        if (s->dz[i] == 0) {
            if (bound > 0) return false;
            continue;
        }
        bound *= s->per_dz[i];
        if (s->dz[i] > 0) {
            if (bound > low) low = bound;
        } else if (bound < high) {
            high = bound;
        }
    }
    if (!(low <= high)) return false;
    s->x = (int32_t)first_not_below(low, s->sample);
    s->last_x = (int32_t)floor(high - 0.5);
    return s->x <= s->last_x;
}

bool nav_sampler_next(nav_sampler *s, int32_t *x, int32_t *z)
{
    while (s->x > s->last_x) {
        if (s->z > s->last_z - s->sample) return false;
        s->z += s->sample;
        if (!open_row(s)) s->last_x = s->x - 1;
    }
    *x = s->x;
    *z = s->z;
    s->x += s->sample;
    return true;
}
