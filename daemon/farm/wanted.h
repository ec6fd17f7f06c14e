// Tiles that somebody looks for in packs: in goes a list of source keys, out comes what packs had of them. Created and
// destroyed on the loop thread; in between it is whoever's it was given to. Bytes of packs come from a server that
// others can publish to: a pack that is not in order has nothing.
#ifndef ND_WANTED_H
#define ND_WANTED_H

#include "daemon/farm/area_job.h"
#include "daemon/farm/pack.h"

enum { ND_WANTED_SLOTS = 4 * ND_AREA_TILES };

typedef struct nd_wanted_tile {
    nav_key source;
    uint8_t has; // encodings that were found, as bits
} nd_wanted_tile;

typedef struct nd_wanted {
    uint8_t form;    // encodings that each tile needs, as bits
    uint8_t columns; // how many
    uint32_t count;
    uint32_t parts;                  // as the last pack said
    uint32_t damaged;                // packs
    bool takes_failures;             // its owner sets it: failures serve as well, of tiles that were allowed so much
    uint64_t memory_limit;           // memory at least
    uint16_t slots[ND_WANTED_SLOTS]; // hash table: index + 1
    nd_wanted_tile tiles[ND_AREA_TILES];
    nd_cached out[]; // for each tile those of its form, in their order
} nd_wanted;

// keys: at most ND_AREA_TILES; a zero one is nobody's. NULL: no memory.
nd_wanted *nd_wanted_create(const nav_key *keys, uint32_t count, uint8_t form);
void nd_wanted_destroy(nd_wanted *w); // accepts NULL
// Takes what it needs out of a pack. NAV_OK, also where there was nothing; else as nd_pack_open(), or NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_wanted_read(nd_wanted *w, const void *pack, size_t bytes);
static inline bool nd_wanted_has(const nd_wanted *w, uint32_t tile)
{
    return w->tiles[tile].has == w->form;
}
// Copies what was found of a tile, borrowed. False: not all of it was.
bool nd_wanted_get(const nd_wanted *w, uint32_t tile, nd_cached out[ND_ENCODINGS]);

#endif
