// How well is a polygon shaped? Agents and path finders do badly in needles and slivers.
#ifndef BENCH_SHAPE_H
#define BENCH_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

enum { SHAPE_CORNERS = 4096 };

// One polygon, corner by corner, in metres.
typedef struct shape {
    double xz[SHAPE_CORNERS][2];
    int count;
} shape;

typedef struct shape_counts {
    uint64_t shapes;
    uint64_t sharp, thin, ill; // ill: sharp or thin
    double area_m2;
    double dent_m; // the deepest corner under the convex hull of its polygon
} shape_counts;

// Sharp: an inner angle under 2 degrees; corners on a straight line are not. Thin: less than 0.02 m of area for each
// metre around it. Winding does not matter.
void shape_judge(const shape *s, shape_counts *out);

#endif
