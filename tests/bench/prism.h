// Upright prisms over a convex floor plan: walls, crates and pillars of the scenes whose truth is known. A sheet is a
// prism of two corners.
#ifndef BENCH_PRISM_H
#define BENCH_PRISM_H

#include "tests/bench/box.h"

#include <stdint.h>

enum { PRISM_CORNERS = 16 };

typedef struct bench_prism {
    double xz[PRISM_CORNERS][2]; // one after the other around it, in the order of bench_box_corners()
    uint32_t corners;
    double low, high; // bottom and top, y
    double lean[2];   // the floor plan is that of y 0, and moves by this for each metre up
} bench_prism;

bench_prism prism_of_box(const bench_box *b);
// A regular one whose corners are on a circle.
bench_prism prism_round(double x, double z, double radius, uint32_t corners, double angle);
void prism_move(bench_prism *p, double dx, double dz);

// How far two are apart, their plans seen from above; 0 where they touch. at: the middle between the nearest points
// where they are apart; or NULL.
double prism_gap(const bench_prism *a, const bench_prism *b, double at[2]);

#endif
