// Compiled for AVX2 whatever the rest is compiled for; called only where the processor has it.
#ifdef __x86_64__
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define LANES 4
#include "core/voxel/triangle_lanes.h"

void nav_triangle_by_lanes_4(raster *r, const triangle *t)
{
    walk_in_lanes(r, t);
}
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
