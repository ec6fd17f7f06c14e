// Triangles in space, found by place, and how far points and segments are from them. A segment is a triangle with two
// equal corners.
#ifndef BENCH_TRI_SPACE_H
#define BENCH_TRI_SPACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tri_space_triangle {
    double at[3][3];
    double normal[3]; // of length 1; 0, 0, 0 where it has no area
    double area;
} tri_space_triangle;

typedef struct tri_space {
    tri_space_triangle *tris;
    uint32_t count, capacity;
    double area, *area_up_to; // of the triangles up to each
    // A grid of cubes: those that triangles come near, sorted, with the triangles that do.
    double cube_m;
    struct tri_space_item {
        int32_t cube[3];
        uint32_t tri;
    } * near;
    uint64_t near_count, near_capacity;
    uint64_t *slots; // open addressing: where a cube's begin in `near`, and 1
    uint64_t slot_count;
    uint32_t *asked, question; // the last question that met a triangle
} tri_space;

// All of these end the program where memory is short. First every triangle is added, then it is finished, then
// questions may come.
void tri_space_add(tri_space *s, const double a[3], const double b[3], const double c[3]);
// cube_m: about how far questions reach.
void tri_space_finish(tri_space *s, double cube_m);
void tri_space_deinit(tri_space *s); // accepts a zeroed one

// Calls visit() once for each triangle that may touch a box, until it returns false.
void tri_space_near_box(tri_space *s, const double min[3], const double max[3], bool (*visit)(void *user, uint32_t tri),
                        void *user);
// The triangle that holds this share of the area, 0 to 1.
uint32_t tri_space_at_share(const tri_space *s, double share);

double tri_space_dot(const double a[3], const double b[3]);
// The point of a triangle that is nearest to p; returns how far it is.
double tri_space_nearest(const tri_space_triangle *t, const double p[3], double out[3]);
double tri_space_segment_distance(const double p[3], const double q[3], const double a[3], const double b[3]);
// Between a segment and a triangle; 0 where it passes through.
double tri_space_axis_distance(const tri_space_triangle *t, const double p[3], const double q[3]);

#endif
