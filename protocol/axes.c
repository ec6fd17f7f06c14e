#include "protocol/axes.h"

#include <math.h>
#include <stdio.h>

nav_status np_axes_check(const np_axes *a, char *why, size_t why_bytes)
{
    if (!a->has_unit || (a->unit_m >= NP_LEAST_UNIT_M && a->unit_m <= NP_LARGEST_UNIT_M)) return NAV_OK;
    snprintf(why, why_bytes,
             "unit_m: %g, expected the metres in one of your units, %g to %g: 0.01 for centimetres, 1 for metres",
             a->unit_m, NP_LEAST_UNIT_M, NP_LARGEST_UNIT_M);
    return NAV_ERR_ARGUMENT;
}

static double unit_of(const np_axes *a)
{
    return a->has_unit ? a->unit_m : 1;
}

bool np_axes_is_plain(const np_axes *a)
{
    return a->up == NP_UP_Y && unit_of(a) == 1;
}

void np_axes_to_metres(const np_axes *a, double out[12])
{
    double u = unit_of(a);
    const double rows[2][12] = {
        [NP_UP_Y] = {u, 0, 0, 0, 0, u, 0, 0, 0, 0, u, 0}, [NP_UP_Z] = {u, 0, 0, 0, 0, 0, u, 0, 0, -u, 0, 0}};
    for (int k = 0; k < 12; k++) out[k] = rows[a->up][k];
}

static float scaled(double unit_m, float v)
{
    return (float)(unit_m * (double)v) + 0.0f; // -0 becomes 0
}

static bool scale(double unit_m, float *v, uint32_t count)
{
    bool finite = true;
    for (uint32_t i = 0; i < count; i++) {
        v[i] = scaled(unit_m, v[i]);
        finite &= isfinite(v[i]) != 0;
    }
    return finite;
}

static float unscaled(double unit_m, float metres)
{
    float v = (float)((double)metres / unit_m) + 0.0f;
    if (!isfinite(v) || scaled(unit_m, v) == metres) return v;
    const float near[] = {nextafterf(v, -INFINITY), nextafterf(v, INFINITY)};
    for (int i = 0; i < 2; i++)
        if (scaled(unit_m, near[i]) == metres) return near[i];
    return v;
}

static float turned(float v)
{
    return 0.0f - v; // 0 stays 0
}

// y z of three numbers that stand `step` apart.
static void turn_to_y_up(float *v, uint32_t step)
{
    float y = v[step];
    v[step] = v[2 * (size_t)step];
    v[2 * (size_t)step] = turned(y);
}

static void turn_to_z_up(float *v, uint32_t step)
{
    float z = v[2 * (size_t)step];
    v[2 * (size_t)step] = v[step];
    v[step] = turned(z);
}

static uint32_t floats_of(np_place place, uint32_t count)
{
    return place == NP_PLACE_POINT       ? 3
           : place == NP_PLACE_HEIGHT    ? 1
           : place == NP_PLACE_TRANSFORM ? 12
           : place == NP_PLACE_GROUND    ? 2 * count
                                         : 0;
}

static void turn(np_place place, float *v, uint32_t count, void (*turn_one)(float *v, uint32_t step))
{
    if (place == NP_PLACE_POINT) turn_one(v, 1);
    for (uint32_t k = 0; place == NP_PLACE_TRANSFORM && k < 4; k++) turn_one(v + k, 4);
    for (uint32_t i = 0; place == NP_PLACE_GROUND && i < count; i++) v[2 * i + 1] = turned(v[2 * i + 1]);
}

bool np_axes_floats_to_metres(const np_axes *a, np_place place, float *v, uint32_t count)
{
    bool finite = scale(unit_of(a), v, floats_of(place, count));
    if (a->up == NP_UP_Z) turn(place, v, count, turn_to_y_up);
    return finite;
}

void np_axes_floats_from_metres(const np_axes *a, np_place place, float *v, uint32_t count)
{
    double unit_m = unit_of(a);
    for (uint32_t i = 0; i < floats_of(place, count); i++) v[i] = unscaled(unit_m, v[i]);
    if (a->up == NP_UP_Z) turn(place, v, count, turn_to_z_up);
}

void np_axes_doubles_to_metres(const np_axes *a, np_place place, double *v)
{
    double unit_m = unit_of(a);
    int count = place == NP_PLACE_BOUNDS ? 4 : place == NP_PLACE_POINT ? 3 : 2;
    for (int i = 0; i < count; i++) v[i] *= unit_m;
    if (a->up == NP_UP_Y) return;
    if (place == NP_PLACE_POINT) {
        double y = v[1];
        v[1] = v[2];
        v[2] = 0 - y;
        return;
    }
    double least = v[1];
    if (place == NP_PLACE_BOUNDS) v[1] = 0 - v[3]; // the greatest y is the least z
    v[count - 1] = 0 - least;
}
