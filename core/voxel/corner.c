// Corners of the open field: the four columns around a grid corner, walked through their links.
//
//        ap | bp        a and its neighbours, walked around the corner + until a link is missing or the walk closes.
//       ----+----       Whoever of the linked group asks, the group is the same, and so is its highest floor.
//         a | b
#include "core/voxel/open_field.h"

static int32_t higher(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

int32_t nav_corner_height(const nav_open_field *f, int32_t span, int d)
{
    int32_t top = f->floor[span];
    int dir = d;
    int32_t s = span;
    int steps = 0;
    // One way round: each step crosses the next of the corner's four edges.
    for (; steps < 3; steps++) {
        s = f->link[dir & 3][s];
        if (s == NAV_LINK_NONE) break;
        top = higher(top, f->floor[s]);
        dir++;
    }
    if (steps == 3) return top; // all four are reached
    // The other way round, for the spans behind the missing link.
    dir = d + 1;
    s = span;
    for (; steps < 3; steps++) {
        s = f->link[dir & 3][s];
        if (s == NAV_LINK_NONE) break;
        top = higher(top, f->floor[s]);
        dir--;
    }
    return top;
}

bool nav_edge_continues(const nav_open_field *f, int32_t a, int d, int turn)
{
    int32_t b = f->link[d][a];
    int32_t a2 = f->link[turn & 3][a], b2 = f->link[turn & 3][b];
    return a2 != NAV_LINK_NONE && b2 != NAV_LINK_NONE && f->link[d][a2] == b2 && f->area[a2] == f->area[a] &&
           f->area[b2] == f->area[b];
}
