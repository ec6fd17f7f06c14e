// Corners of the open field: the four columns around a grid corner, walked through their links.
//
//        ap | bp        From a span the walk crosses one of the corner's four edges after the other, until a link
//       ----+----       is missing or it is back. Links are symmetric, so whoever of the linked group asks, the
//         a | b         group is the same, and so is its highest floor. (Where storeys are nearer than a step, a
//                       group may wind around the corner more than once; it still has its ends, or closes.)
#include "core/voxel/open_field.h"

int32_t nav_corner_height(const nav_open_field *f, int32_t span, int d)
{
    int32_t top = f->floor[span];
    int32_t s = span;
    // One way round ...
    for (int dir = d;; dir++) {
        s = f->link[dir & 3][s];
        if (s == span) return top;
        if (s == NAV_LINK_NONE) break;
        if (f->floor[s] > top) top = f->floor[s];
    }
    // ... and the other, to what lies behind the missing link.
    s = span;
    for (int dir = d + 1;; dir--) {
        s = f->link[dir & 3][s];
        if (s == NAV_LINK_NONE) return top;
        if (f->floor[s] > top) top = f->floor[s];
    }
}

bool nav_edge_continues(const nav_open_field *f, int32_t a, int d, int turn)
{
    int32_t b = f->link[d][a];
    int32_t a2 = f->link[turn & 3][a], b2 = f->link[turn & 3][b];
    return a2 != NAV_LINK_NONE && b2 != NAV_LINK_NONE && f->link[d][a2] == b2 && f->area[a2] == f->area[a] &&
           f->area[b2] == f->area[b];
}
