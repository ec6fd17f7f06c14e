#include "tests/bench/box.h"

#include <math.h>

void bench_box_place(const bench_box *b, double along_x, double along_z, double out_xz[2])
{
    double c = cos(b->angle), s = sin(b->angle);
    out_xz[0] = b->x + c * along_x + s * along_z;
    out_xz[1] = b->z - s * along_x + c * along_z;
}

void bench_box_corners(const bench_box *b, double out_xz[4][2])
{
    static const int side[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < 4; i++) bench_box_place(b, side[i][0] * b->half_x, side[i][1] * b->half_z, out_xz[i]);
}
