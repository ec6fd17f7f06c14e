// Floors above each other: slices of a mesh by height.
#ifndef NAVCTL_STOREYS_H
#define NAVCTL_STOREYS_H

#include "clients/navctl/drawing/draw_mesh.h"

enum { STOREYS_MAX = 12 };

typedef struct storeys {
    double slices[STOREYS_MAX][2]; // lowest first; the first begins at -INFINITY, the last ends at INFINITY
    int count;                     // at least 1
} storeys;

// Cuts where there is least ground between the heights that have most. wanted: how many storeys at most; 0: as many as
// there are, and one where next to no ground lies above other ground. False: no memory.
bool storeys_find(const draw_mesh *m, int wanted, storeys *out);

#endif
