// Corners of the compact heightfield: the four columns around a grid corner, walked through their connections.
//
//        ap | bp        From a span the walk crosses the corner's four edges one after the other, until a connection is
//       ----+----       missing or it is back. Connections are symmetric, so every span of the group finds the same
//         a | b         group, and the same highest floor. (Where storeys are closer than a step, a group may wind
//                       around the corner more than once; it still has two ends, or closes.)
#include "core/voxel/spans/compact.h"

int32_t nav_corner_height(const nav_compact_heightfield *f, int32_t span, int d)
{
    int32_t top = f->floor[span];
    int32_t s = span;
    // One way round ...
    for (int dir = d;; dir++) {
        s = f->connection[dir & 3][s];
        if (s == span) return top;
        if (s == NAV_NOT_CONNECTED) break;
        if (f->floor[s] > top) top = f->floor[s];
    }
    // ... and the other, to what lies behind the missing connection.
    s = span;
    for (int dir = d + 1;; dir--) {
        s = f->connection[dir & 3][s];
        if (s == NAV_NOT_CONNECTED) return top;
        if (f->floor[s] > top) top = f->floor[s];
    }
}

// Of a coordinate within a column: the direction to the side it is on; -1: none.
static int side_of(int32_t at, int32_t low, int shift, int low_side, int high_side)
{
    return at == low ? low_side : at == low + (1 << shift) ? high_side : -1;
}

int32_t nav_point_height(const nav_compact_heightfield *f, int32_t span, int32_t x, int32_t z, int shift)
{
    int32_t column_x = f->column[span] % f->width - f->border, column_z = f->column[span] / f->width - f->border;
    int d = side_of(x, column_x * (1 << shift), shift, 0, 2), e = side_of(z, column_z * (1 << shift), shift, 3, 1);
    if (d >= 0 && e >= 0) return nav_corner_height(f, span, ((d + 1) & 3) == e ? d : e);
    int32_t side = d >= 0 ? d : e, other = side >= 0 ? f->connection[side][span] : NAV_NOT_CONNECTED;
    return other != NAV_NOT_CONNECTED && f->floor[other] > f->floor[span] ? f->floor[other] : f->floor[span];
}

bool nav_edge_continues(const nav_compact_heightfield *f, int32_t a, int d, int turn)
{
    int32_t b = f->connection[d][a];
    int32_t a2 = f->connection[turn & 3][a], b2 = f->connection[turn & 3][b];
    return a2 != NAV_NOT_CONNECTED && b2 != NAV_NOT_CONNECTED && f->connection[d][a2] == b2 &&
           f->area[a2] == f->area[a] && f->area[b2] == f->area[b];
}
