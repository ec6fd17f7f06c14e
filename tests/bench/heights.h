// How far the heights of a mesh are from those of the triangles that it was made from.
#ifndef BENCH_HEIGHTS_H
#define BENCH_HEIGHTS_H

#include "clients/navctl/generate/generate.h"

typedef struct height_report {
    uint32_t places; // that both have ground at
    double mean_m, most_m;
} height_report;

// At random places, the same at every run. Triangles must not lie above each other; tiles are navd's. Ends the program
// where memory is short.
void heights_compare(const float *verts, const uint32_t *tris, uint32_t tri_count, const generated *tiles,
                     uint32_t places, height_report *out);

#endif
