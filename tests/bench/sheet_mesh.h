// Triangles with shared vertices, as they are gathered for a scene of sheets.
#ifndef BENCH_SHEET_MESH_H
#define BENCH_SHEET_MESH_H

#include <stdint.h>

typedef struct sheet_mesh {
    double (*verts)[3];
    uint32_t (*tris)[3];
    uint32_t vert_count, vert_capacity, tri_count, tri_capacity;
    struct sheet_between {
        uint32_t a, b, vert; // a < b; a == b: none
    } * betweens;            // open addressing
    uint32_t between_count, between_slots;
} sheet_mesh;

// All of these end the program where memory is short. Vertices are rounded to whole millimetres, those between two
// others are not.
uint32_t sheet_mesh_vert(sheet_mesh *m, const double at[3]);
// The vertex between two: made the first time that it is asked for.
uint32_t sheet_mesh_vert_between(sheet_mesh *m, uint32_t a, uint32_t b, const double at[3]);
void sheet_mesh_forget_betweens(sheet_mesh *m);
void sheet_mesh_tri(sheet_mesh *m, uint32_t a, uint32_t b, uint32_t c);
void sheet_mesh_quad(sheet_mesh *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
void sheet_mesh_deinit(sheet_mesh *m); // accepts a zeroed one

#endif
