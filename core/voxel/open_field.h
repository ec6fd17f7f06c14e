// The open field: the floor that an agent can stand on, as spans in columns with links to their neighbours.
// Structure of arrays; a span is an index. Columns run along x first: column = z * width + x.
//
//        link[1] z+
//            |
//   link[0] -+- link[2]        span i of column c: column_first[c] <= i < column_first[c + 1], lowest first
//     x-     |      x+
//        link[3] z-
//
// No link leads to or from a span whose area is NAV_AREA_NONE: eroded and blocked spans are cut off.
//
// Source: M. Mononen, Recast (compact heightfield); R. Oliva and N. Pelechano, NEOGEN (layers by columns).
#ifndef NAV_VOXEL_OPEN_FIELD_H
#define NAV_VOXEL_OPEN_FIELD_H

#include <stdbool.h>
#include <stdint.h>

enum { NAV_LINK_NONE = -1 };

typedef struct nav_open_field {
    int32_t width;  // columns along x and along z, padding included
    int32_t border; // padding on each side; the tile's own columns are [border, width - border)
    int32_t span_count;
    int32_t *column_first; // width * width + 1
    int32_t *column;       // per span: its column
    int32_t *floor;        // per span: voxel level one can stand on (world levels, level 0 at origin y)
    int32_t *link[4];      // per span and direction: the neighbour span one can step to, or NAV_LINK_NONE
    uint8_t *area;         // per span: area type; NAV_AREA_NONE where erosion or a volume took it
    uint16_t *distance;    // per span: twice the distance in cells to the nearest edge of its area, blurred
    int32_t max_distance;
} nav_open_field;

static const int8_t nav_dir_x[4] = {-1, 0, 1, 0};
static const int8_t nav_dir_z[4] = {0, 1, 0, -1};

// Height of the corner between direction d and the next direction (d + 1) & 3 of span i: the highest floor among the up
// to four spans that meet there and are linked around the corner. d = 0: corner (x, z + 1); 1: (x + 1, z + 1);
// 2: (x + 1, z); 3: (x, z), where (x, z) is the column's own lower corner. Every span of such a group, in whichever
// tile it is asked for, answers the same height: that is what makes the borders of neighbouring tiles fit.
int32_t nav_corner_height(const nav_open_field *f, int32_t span, int d);

// Do spans a and its neighbour b = link[d][a] continue past the corner on the side `turn` (the direction along the
// edge, (d + 1) & 3 or (d + 3) & 3)? True when both have a linked neighbour there, these two are linked to each other,
// and areas go on unchanged on each side. A border portal has no vertex at such a corner, in either tile.
bool nav_edge_continues(const nav_open_field *f, int32_t a, int d, int turn);

#endif
