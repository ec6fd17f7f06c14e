// The world of the load tests: a square of tiles, each with a floor of its own and a box that edits move about. A box
// stays so far within its tile that only this one tile changes.
#ifndef TESTS_E2E_CITY_H
#define TESTS_E2E_CITY_H

#include "tests/e2e/peer.h"

#define CITY_TILE_M 9.6f
enum { CITY_FIRST_BOX = 1000000 }; // id of the box of tile (0, 0); those of a row follow each other

typedef struct city {
    const char *world;
    int32_t side; // tiles
    nav_key floor, box;
} city;

// Makes the world and all in it by a peer of its own. Does not wait for the tiles.
void city_build(city *c, const char *world, int32_t side, const char *socket);
// Opens the world, or makes it empty; sends the meshes. For a world that is filled by other edits.
void city_open(city *c, const char *world, int32_t side, peer *p);
nav_key city_box_hash(float half_x, float half_y, float half_z);
// Asks for an edit, and for a box of the half sizes `mesh` before, unless they are 0. Does not wait.
void city_apply(peer *p, const float mesh[3], const np_op *ops, uint32_t count);

// The box of tile (x, z), somewhere else for each `turn` (0 to 2^32 - 1, 10,000 places).
np_op city_move(int32_t side, int32_t x, int32_t z, uint32_t turn);
np_op city_put_floor(const city *c, int32_t x, int32_t z);
np_op city_put(const city *c, int32_t x, int32_t z, uint32_t turn);

// A stream of numbers that is the same for the same seed.
uint32_t random_below(uint64_t *state, uint32_t bound);

#endif
