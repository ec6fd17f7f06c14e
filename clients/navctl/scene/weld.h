// Joins vertices with the same position. Importers repeat a vertex for every corner of every face; the mesh as it was
// drawn has each once.
#ifndef NAVCTL_WELD_H
#define NAVCTL_WELD_H

#include "navcore/parallel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weld {
    float *verts; // x y z, each position once, in order of first sight
    uint32_t count, capacity;
    uint32_t *slots;     // open addressing: 1 + index of a vertex, 0 where free
    uint32_t slot_count; // a power of two, at least twice `count`
} weld;

// Index of the vertex at this position (compared bit by bit, but -0 is 0). UINT32_MAX: no memory.
uint32_t weld_add(weld *w, const float position[3]);

// Frees the table, shrinks the vertices to their count and hands them to the caller.
float *weld_finish(weld *w);
// Frees everything. Accepts a zeroed or finished weld.
void weld_deinit(weld *w);

// For a whole array of positions at once: same[v] becomes the first vertex at the position of v. A -0 must have been
// made 0. parallel: NULL for the calling thread alone. False: no memory.
bool weld_all(const float *verts, uint32_t count, const nav_parallel *parallel, uint32_t *same);

#endif
