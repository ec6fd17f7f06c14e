// A client that does nothing wrong, in a world of its own: whatever others do, it edits, and gets its tiles.
#ifndef TESTS_E2E_BYSTANDER_H
#define TESTS_E2E_BYSTANDER_H

#include "tests/e2e/city.h"
#include "tests/e2e/daemon.h"

typedef struct bystander {
    city city; // the world "well"
    peer peer;
    uint32_t turn;
} bystander;

// Builds its world, side by side boxes, and has all tiles.
void bystander_start(bystander *b, const daemon_process *d, int32_t side);
void bystander_stop(bystander *b);
// Moves a box and gets the tile, which has changed.
void bystander_edits(bystander *b);
// Moves every box; turn: other places than with the number before.
void bystander_moves_all(bystander *b, uint32_t turn);

#endif
