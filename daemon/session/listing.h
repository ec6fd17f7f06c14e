// What a session has sent of a source's list (world.sync), in the columns in which it came. Loop thread only.
#ifndef ND_LISTING_H
#define ND_LISTING_H

#include "core/base/buffer.h"
#include "protocol/messages.h"

typedef struct nd_listing {
    bool active;
    uint64_t world;
    char source[NP_NAME_BYTES];
    uint32_t source_size;
    uint64_t count; // objects
    nav_buffer ids, meshes, transforms, areas, names;
    bool has_names;
} nd_listing;

#endif
