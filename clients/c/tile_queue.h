// Tiles that nobody has taken yet, oldest place first, only the newest tile of each place: as many as the world has, no
// more. Owner: one client.
#ifndef NAVD_TILE_QUEUE_H
#define NAVD_TILE_QUEUE_H

#include "core/base/status.h"
#include "navd.h"

typedef struct queued_tile queued_tile;

typedef struct tile_queue {
    queued_tile **slots; // hash table over subscription and place, chained
    uint32_t slot_count, count;
    queued_tile *first, *last;
    queued_tile *taken; // what navd_tile_queue_take() gave last
} tile_queue;

void navd_tile_queue_deinit(tile_queue *q); // accepts a zeroed one

// Keeps a copy. A tile of the same subscription and place is replaced where it stands.
NAV_MUST_USE nav_status navd_tile_queue_put(tile_queue *q, const navd_tile *tile);
// The oldest, or NULL. Valid until the next take.
const navd_tile *navd_tile_queue_take(tile_queue *q);

#endif
