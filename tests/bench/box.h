// A box that stands upright, turned about the vertical: what the scenes of the outlines' judges are made of.
#ifndef BENCH_BOX_H
#define BENCH_BOX_H

typedef struct bench_box {
    double x, z;           // of its middle
    double half_x, half_z; // along its own axes
    double low, high;      // its bottom and top, y
    double angle;          // radians
} bench_box;

// The place of a point given along the box's own axes, seen from its middle.
void bench_box_place(const bench_box *b, double along_x, double along_z, double out_xz[2]);
// Its four corners seen from above, one after the other around it.
void bench_box_corners(const bench_box *b, double out_xz[4][2]);

#endif
