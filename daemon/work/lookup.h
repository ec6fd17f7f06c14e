// A look-up of one tile in the cache on disk (cache/tile_cache.h): one record for each encoding wanted, all or none.
// The loop thread creates it and gets it back in done(); in between it is the reader's. Whoever asked may be gone by
// then: a look-up names it by numbers, and they find out.
#ifndef ND_LOOKUP_H
#define ND_LOOKUP_H

#include "daemon/cache/tile_cache.h"
#include "daemon/work/run.h"
#include "daemon/world/world.h"

typedef struct nd_lookup {
    nd_disk_task task;
    nav_key source;
    uint8_t wanted;         // bit e: encoding e; the base (reach.h) by itself only
    nav_settings *settings; // base: of the tile, a copy
    // Whose it is: the owner's members.
    void *owner; // outlives the cache's threads
    nd_run run;
    uint32_t at; // which of several
    bool bare;   // source is the tile's without its links
    // Out:
    bool found;
    nd_cached out[ND_ENCODINGS]; // of those wanted; owns references
} nd_lookup;

// Could all of it be there? Else there is no point in asking. Accepts a cache of NULL (false).
bool nd_lookup_may_find(const nd_tile_cache *c, nav_key source, uint8_t wanted);
// settings: of a base tile, copied; else NULL. done is called on the loop thread. NULL: no memory.
nd_lookup *nd_lookup_create(nav_key source, uint8_t wanted, const nav_settings *settings,
                            void (*done)(nd_disk_task *task, bool ran));
void nd_lookup_destroy(nd_lookup *l); // accepts NULL
// What was found goes into the memory. The look-up keeps its references.
void nd_lookup_remember(const nd_lookup *l, nd_cache *memory);

#endif
