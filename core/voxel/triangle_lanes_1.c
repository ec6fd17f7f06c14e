#define LANES 1
#include "core/voxel/triangle_lanes.h"

void nav_triangle_by_lanes_1(raster *r, const triangle *t)
{
    walk_in_lanes(r, t);
}
