// What a mesh covers below a height, seen from above: polygons, and which of their edges have nothing behind.
#ifndef BENCH_FLAT_MESH_H
#define BENCH_FLAT_MESH_H

#include "tests/bench/peer.h"

typedef struct flat_mesh {
    double (*xz)[2]; // the corners of all polygons, one polygon after the other
    bool *wall;      // per corner: the edge from it to the next one has nothing behind
    uint32_t *first; // per polygon, and one more: where its corners begin
    uint32_t poly_count, corner_count, poly_capacity, corner_capacity;
} flat_mesh;

// Both end the program where memory is short. wall: per corner; NULL: all edges have nothing behind.
void flat_mesh_add(flat_mesh *m, const double (*xz)[2], const bool *wall, uint32_t corners);
void flat_mesh_deinit(flat_mesh *m); // accepts a zeroed one

// The polygons of a Detour tile whose corners are all below high_m. False with one line on stderr where it is none.
bool flat_mesh_add_tile(flat_mesh *m, const peer_tile *tile, double high_m);

typedef struct flat_loops {
    uint32_t loops;     // that the edges with nothing behind close
    uint32_t corners;   // of all loops, where they turn by more than a tenth of a degree
    uint32_t open_ends; // edges that no other one continues
} flat_loops;

// Edges go on where the next one begins at the very same place.
flat_loops flat_mesh_loops(const flat_mesh *m);

#endif
