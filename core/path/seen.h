// What a turn sees of an edge, in doubles. Internal.
#ifndef NAV_PATH_SEEN_H
#define NAV_PATH_SEEN_H

#include "core/path/path_work.h"

#include <math.h>

typedef struct path_real {
    double x, z;
} path_real;

static inline double path_between(path_real a, path_real b)
{
    double x = b.x - a.x, z = b.z - a.z;
    return sqrt(x * x + z * z);
}

// Where the ray from p through l meets the edge from a to b.
static inline path_real path_meet(path_spot p, path_spot l, path_spot a, path_spot b)
{
    double u = (double)path_side(p, l, a), v = (double)path_side(p, l, b), t = u / (u - v);
    return (path_real){a.x + t * ((double)b.x - a.x), a.z + t * ((double)b.z - a.z)};
}

#endif
