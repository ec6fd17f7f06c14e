// Where the pack of an area lies in the farm, how it is read, and how finished tiles get into it. For run() of a bus's
// tasks.
#ifndef ND_PACK_PLACE_H
#define ND_PACK_PLACE_H

#include "daemon/access/namespace.h"
#include "daemon/bus/bus.h"
#include "daemon/farm/area_job.h"
#include "daemon/farm/pack.h"
#include "daemon/farm/wanted.h"

enum { ND_PACK_VARIANTS = 3 }; // a pack has so many times the tiles of its block at most

typedef struct nd_pack_place {
    const char *farm; // borrowed
    char space[ND_SPACE_BYTES];
    nav_key area;
} nd_pack_place;

// Hands each part over that can be had, the first one first; take says how many there are (nd_pack.parts), and ends
// it where it returns a failure. NAV_ERR_NOT_FOUND: there is none. Else as take, or nd_bus_status().
NAV_MUST_USE nav_status nd_pack_fetch(const nd_bus_link *link, const nd_pack_place *from,
                                      nav_status (*take)(void *user, const void *bytes, size_t count, uint32_t *parts),
                                      void *user);

// What the pack has of it. NAV_OK, also where that is nothing or the pack is damaged; else as nd_pack_fetch().
NAV_MUST_USE nav_status nd_pack_look_up(const nd_bus_link *link, const nd_pack_place *from, nd_wanted *wanted);

typedef struct nd_stored_tile {
    nav_key source;
    uint8_t encoding;
    nd_cached value; // borrowed
} nd_stored_tile;

// Puts tiles of one area in front of what its pack has, where it does not have them all. Of that, the oldest go where
// it becomes too long. memory_limit: of tiles here. Who writes at the same time may win.
NAV_MUST_USE nav_status nd_pack_store(const nd_bus_link *link, const nd_pack_place *to, const nd_stored_tile *tiles,
                                      uint32_t count, uint64_t memory_limit);

#endif
