// What the steps of finding layers share. Private to core/partition.
#ifndef NAV_PARTITION_LAYERS_WORK_H
#define NAV_PARTITION_LAYERS_WORK_H

#include "core/partition/merge.h"
#include "core/partition/runs.h"

typedef struct nav_layer_piece {
    int32_t root;      // union-find over layers
    int32_t spans;     // of the layer, at its root, once all are joined
    int32_t low, high; // floors of the same
    bool border;       // linked to the padding; of the layer at its root, once all are joined
} nav_layer_piece;

typedef struct nav_layer_pair {
    int32_t a, b; // pieces
} nav_layer_pair;

typedef struct nav_layers_work {
    const nav_open_field *f;
    nav_run_bits bits;
    int32_t *id; // per span of the tile: its piece, from 1; of the padding: NAV_REGION_OUTSIDE. In the end the layer
    nav_run *runs;
    int32_t *row_first;      // per row of the tile: its first run; and their number
    nav_layer_piece *pieces; // from 1, in the order of their first spans
    int32_t piece_count;
    nav_layer_pair *apart; // pieces that touch and are of different layers; 2 for each span at most
    int32_t apart_count;
} nav_layers_work;

static inline int32_t nav_layer_root(nav_layer_piece *p, int32_t a)
{
    while (p[a].root != a) a = p[a].root = p[p[a].root].root;
    return a;
}

// Joins all connected floor of one area type. False where a layer would overlap itself: then nothing of it holds.
bool nav_layers_join_floors(nav_layers_work *w);
// Joins pieces contact by contact, lowest first, unless their layers meet in a column. NAV_ERR_LIMIT, NAV_ERR_MEMORY
// from the arena.
NAV_MUST_USE nav_status nav_layers_join_contacts(nav_layers_work *w, nav_arena *scratch);

// The layers as above, always by contacts: what floors give where none overlaps itself. For tests.
NAV_MUST_USE nav_status nav_regions_layers_by(bool by_contacts, const nav_open_field *f, const nav_config *cfg,
                                              nav_arena *scratch, nav_regions *out);

#endif
