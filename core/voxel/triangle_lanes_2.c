#ifdef __x86_64__
#define LANES 2
#include "core/voxel/triangle_lanes.h"

void nav_triangle_by_lanes_2(raster *r, const triangle *t)
{
    walk_in_lanes(r, t);
}
#endif
