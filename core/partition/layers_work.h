// What the steps of finding layers share. Private to core/partition.
#ifndef NAV_PARTITION_LAYERS_WORK_H
#define NAV_PARTITION_LAYERS_WORK_H

#include "core/partition/merge.h"
#include "core/partition/runs.h"

typedef struct nav_layer_piece {
    int32_t root;  // union-find over layers
    int32_t first; // span
    int32_t spans;
    bool border; // connected to the padding
} nav_layer_piece;

typedef struct nav_layer_pair {
    int32_t a, b; // pieces
} nav_layer_pair;

enum { NAV_COMPONENTS_SPILL = 64 };

typedef struct nav_layers_work {
    const nav_compact_heightfield *f;
    int32_t *id; // per span, and NAV_COMPONENTS_SPILL more that may be written
    int32_t words;
    uint64_t *cover;         // columns with a span of any layer: as in nav_compact_rows, from the tile's first row on
    int32_t *number;         // per piece: its layer in the end, or NAV_REGION_NONE
    nav_layer_piece *pieces; // from 1
    int32_t piece_count;
    nav_layer_pair *apart; // pieces that touch and are of different layers; 2 for each span at most
    int32_t apart_count;
} nav_layers_work;

static inline int32_t nav_layer_root(nav_layer_piece *p, int32_t a)
{
    while (p[a].root != a) a = p[a].root = p[p[a].root].root;
    return a;
}

// Components: runs of columns, found by bits. Of each row, word and rank, in this order: where its runs begin, and the
// number of its first run.
typedef struct nav_components {
    nav_layers_work *w;
    uint64_t *starts;
    int32_t *first_run;
    int32_t *piece; // per run
    int32_t run_count;
} nav_components;

// Joins all connected floor of one area type. joined: false where there are no rows, or a layer would overlap itself;
// then `out` means nothing. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena, which holds `out` then.
NAV_MUST_USE nav_status nav_components_join(nav_layers_work *w, nav_arena *scratch, nav_components *out, bool *joined);
// Writes all ids, those of the padding too, and cover, from the pieces' numbers.
void nav_components_write(const nav_components *components);

// Joins pieces contact by contact, lowest first, unless their layers meet in a column. Contacts as above.
typedef struct nav_contacts {
    nav_layers_work *w;
    nav_run_bits bits;
    nav_run *runs;
    int32_t run_count;
} nav_contacts;

NAV_MUST_USE nav_status nav_contacts_join(nav_layers_work *w, nav_arena *scratch, nav_contacts *out);
void nav_contacts_write(const nav_contacts *contacts);

// nav_regions_layers(), for tests. by_contacts: always by contacts, with the same result as by components where no
// component overlaps itself.
NAV_MUST_USE nav_status nav_regions_layers_by(bool by_contacts, const nav_compact_heightfield *f, const nav_config *cfg,
                                              nav_arena *scratch, nav_regions *out);

#endif
