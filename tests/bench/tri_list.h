// Triangles as they are gathered for a scene.
#ifndef BENCH_TRI_LIST_H
#define BENCH_TRI_LIST_H

#include "tests/bench/prism.h"

typedef struct tri_list {
    float (*tri)[9]; // x y z of three corners
    uint32_t count, capacity;
} tri_list;

// All of these end the program where memory is short. Triangles that are counterclockwise as seen from above, with z
// upwards on the page, face down.
void tri_list_add(tri_list *l, const double a[3], const double b[3], const double c[3]);
void tri_list_add_quad(tri_list *l, const double a[3], const double b[3], const double c[3], const double d[3]);
void tri_list_add_prism(tri_list *l,
                        const bench_prism *p); // faces outwards; a sheet has one side, no top and no bottom
void tri_list_deinit(tri_list *l);             // accepts a zeroed one

#endif
