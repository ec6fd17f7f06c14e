// Open fields made by hand: what stages behind the compact heightfield must cope with, without any triangle.
#ifndef NAV_TESTS_RANDOM_FIELD_H
#define NAV_TESTS_RANDOM_FIELD_H

#include "core/base/arena.h"
#include "core/voxel/spans/compact.h"

typedef struct random_field_shape {
    int32_t width, border;
    int floors;    // surfaces above each other, 1 to 5, which may come close and cross
    int areas;     // area types, 1 to 3
    float relief;  // voxels that a surface rises and falls
    float holes;   // share of the ground that lies under holes
    float blocked; // share of the ground whose spans have no area
} random_field_shape;

// A field with connections between floors at most `climb` voxels apart; distance is allocated, not filled. Ends the
// test where the arena has no memory.
nav_compact_heightfield random_field(const random_field_shape *shape, int32_t climb, uint32_t *seed, nav_arena *arena);

// The shape of trial k: small and large, with odd widths up to 130, from one open floor to many broken ones.
random_field_shape random_field_trial(int k);

#endif
