// Random scenes of prisms on a floor, whose free floor is known: it is everything that a disc of the agent's radius can
// cover without touching what blocks.
//
//   blocks            crates and walls on the floor; boxes that hang lower than the agent's head
//   blocks nothing    steps within climb; beams above the head
//
// In crowded scenes the floor is turned, crates stand in heaps, walls meet at corners, and there are pillars of 3 to 16
// sides. Tops of what blocks are higher than FREE_SCENE_LEVEL_M, and what one can walk on from the floor is lower.
#ifndef BENCH_FREE_SCENE_H
#define BENCH_FREE_SCENE_H

#include "tests/bench/prism.h"

#include <stdbool.h>
#include <stdint.h>

enum { FREE_SCENE_PRISMS = 96 };
static const double FREE_SCENE_LEVEL_M = 1.2;

typedef struct free_scene {
    bench_prism prisms[FREE_SCENE_PRISMS]; // the floor first, then what blocks, then what does not
    uint32_t count, block_count;
} free_scene;

// For the agent of nav_settings_default(): 2 m high, climbs 0.9 m. The same for the same seed.
void free_scene_make(uint64_t seed, bool crowded, free_scene *out);

#endif
