// Places and directions in space. Internal to climb.
#ifndef NAV_CLIMB_VECTORS_H
#define NAV_CLIMB_VECTORS_H

#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

static inline vec vec_of_float(const float p[3])
{
    return (vec){(double)p[0], (double)p[1], (double)p[2]};
}

static inline vec vec_of(const double p[3])
{
    return (vec){p[0], p[1], p[2]};
}

static inline void vec_to_float(vec a, float out[3])
{
    out[0] = (float)a.x;
    out[1] = (float)a.y;
    out[2] = (float)a.z;
}

static inline void vec_to(vec a, double out[3])
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}

static inline vec vec_add(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec vec_sub(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec vec_scale(vec a, double s)
{
    return (vec){a.x * s, a.y * s, a.z * s};
}

static inline double vec_dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec vec_cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec_length(vec a)
{
    return sqrt(vec_dot(a, a));
}

static inline double vec_apart(vec a, vec b)
{
    return vec_length(vec_sub(a, b));
}

// From a to b, where t is 0 to 1.
static inline vec vec_between(vec a, vec b, double t)
{
    return vec_add(a, vec_scale(vec_sub(b, a), t));
}

// Of length 1; 0 stays 0.
static inline vec vec_unit(vec a)
{
    double l = vec_length(a);
    return l > 0 ? vec_scale(a, 1 / l) : a;
}

#endif
