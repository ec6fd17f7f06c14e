// A call of tiles.build: the geometry that came along, and where its answer goes. Its tiles are a batch (batch.h).
// Loop thread only.
#ifndef ND_BUILD_CALL_H
#define ND_BUILD_CALL_H

#include "daemon/work/batch.h"

typedef struct nd_build_call {
    uint32_t request;
    nav_settings settings;
    np_encoding encoding;
    np_compression compression; // of the answer
    int32_t first[2];
    uint32_t columns;
    nd_mesh *mesh; // its own, in no store
    nav_instance instance;
    nav_volume *volumes;
    uint32_t volume_count;
    nav_link *links;
    uint32_t link_count;
} nd_build_call;

// Copies settings, volumes and links, and converts from the axes of the geometry; the request has been checked.
// NULL: no memory.
nd_batch *nd_build_call_create(nd_builder *b, nd_caller *caller, const np_tiles_build_request *request,
                               uint32_t tile_count);
static inline nd_build_call *nd_build_call_of(const nd_batch *b)
{
    return b->of;
}
// Takes the mesh over (its one reference): tiles may begin.
void nd_build_call_start(nd_batch *batch, nd_mesh *mesh);

#endif
