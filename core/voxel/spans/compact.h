// The compact heightfield: the floor that an agent can stand on, as spans in columns with connections to their
// neighbours. Structure of arrays; a span is an index. Columns run along x first: column = z * width + x.
//
//          connection[1] z+
//                 |
//   connection    |    connection        span i of column c: column_first[c] <= i < column_first[c + 1], lowest first
//     [0] x-  ----+----  [2] x+
//                 |
//          connection[3] z-
//
// No connection leads to or from a span whose area is NAV_AREA_NONE: eroded and blocked spans are cut off.
//
// Source: M. Mononen, Recast (compact heightfield); R. Oliva and N. Pelechano, NEOGEN (layers by columns).
#ifndef NAV_VOXEL_COMPACT_H
#define NAV_VOXEL_COMPACT_H

#include <stdbool.h>
#include <stdint.h>

enum { NAV_NOT_CONNECTED = -1, NAV_ROW_RANKS = 8 };

// The field as bits, for work on 64 columns at a time. A row of columns is `words` words: column x of row z is bit x &
// 63 of word z * words + (x >> 6); bits beyond the width are 0. The span of rank r in a column is its r-th from below,
// span column_first[c] + r.
//
//              1       x_connected[r][q]: span r of column x is connected to span q of column x + 1;
//             /        z_connected[r][q]: to span q of the column in row z + 1;
//      0 --- 0         x_same, z_same: connected, and of the same area type.
//      x   x + 1       Here column x has its bit in x_connected[0][0] or [0][1]: span 0 has at most one connection to
//                      a side.
//
// Where ranks is 1, [0][0] is all there is, and so it is within a row without bits in has[1].
typedef struct nav_compact_rows {
    int32_t words;
    int32_t ranks; // most spans in a column; 0: no rows, as the field was made by hand or a column has more
    bool one_area; // all spans have the same area type
    uint64_t *has[NAV_ROW_RANKS]; // columns with more than `rank` spans
    uint64_t *x_connected[NAV_ROW_RANKS][NAV_ROW_RANKS],
        *z_connected[NAV_ROW_RANKS][NAV_ROW_RANKS]; // ranks below `ranks`
    uint64_t *x_same[NAV_ROW_RANKS][NAV_ROW_RANKS], *z_same[NAV_ROW_RANKS][NAV_ROW_RANKS];
} nav_compact_rows;

typedef struct nav_compact_heightfield {
    int32_t width;  // columns along x and along z, padding included
    int32_t border; // padding on each side; the tile's own columns are [border, width - border)
    int32_t span_count;
    int32_t *column_first;  // width * width + 1
    int32_t *column;        // per span: its column
    int32_t *floor;         // per span: height of the floor, voxels above the origin of the world
    int32_t *connection[4]; // per span and direction: the neighbour span one can step to, or NAV_NOT_CONNECTED
    uint8_t *area;          // per span: area type; NAV_AREA_NONE where erosion or a volume took it
    uint16_t *distance; // per span: twice the distance in columns to the nearest edge of its area, blurred; NULL if not
                        // measured
    int32_t max_distance;
    nav_compact_rows rows; // of the finished field
} nav_compact_heightfield;

static const int8_t nav_dir_x[4] = {-1, 0, 1, 0};
static const int8_t nav_dir_z[4] = {0, 1, 0, -1};

// Height of the corner between direction d and the next direction (d + 1) & 3 of span i: the highest floor among the up
// to four spans that meet there and are connected around the corner. d = 0: corner (x, z + 1); 1: (x + 1, z + 1);
// 2: (x + 1, z); 3: (x, z), where (x, z) is the column's own lower corner. Every span of such a group, in whichever
// tile it is asked for, answers the same height: that is what makes the borders of neighbouring tiles fit.
int32_t nav_corner_height(const nav_compact_heightfield *f, int32_t span, int d);

// Height of a point of span i's closed square, x and z columns from the tile's own lower corner times 2^shift: the
// highest floor among the spans of the columns whose closed squares hold it and that are connected around it. So it is
// nav_corner_height() on a corner, the higher of two floors on a side that is connected, and the span's own elsewhere.
int32_t nav_point_height(const nav_compact_heightfield *f, int32_t span, int32_t x, int32_t z, int shift);

// Do spans a and its neighbour b = connection[d][a] continue past the corner on the side `turn` (the direction along
// the edge, (d + 1) & 3 or (d + 3) & 3)? True when both have a connected neighbour there, these two are connected to
// each other, and areas go on unchanged on each side. A border portal has no vertex at such a corner, in either tile.
bool nav_edge_continues(const nav_compact_heightfield *f, int32_t a, int d, int turn);

#endif
