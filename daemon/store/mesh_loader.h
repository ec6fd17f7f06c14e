// Reads the meshes on disk into memory after a start, a few at a time, on the workers: read, checked against the
// hash, indexed. Until its meshes are there a world only asks the caches, so meshes that worlds use come before
// unused ones. Loop thread only.
#ifndef ND_MESH_LOADER_H
#define ND_MESH_LOADER_H

#include "daemon/disk/writer.h"
#include "daemon/work/builder.h"

typedef struct nd_mesh_loader {
    nd_workers *workers; // borrowed, as is all below
    nd_writer *writer;
    unsigned table; // of the meshes' bytes
    nd_mesh_store *meshes;
    nd_builder *builder;
    nd_mesh **waiting; // references
    size_t count, next;
    unsigned running;
    uint64_t loaded, lost;
} nd_mesh_loader;

// The members up to builder are set. Begins with all meshes that are not in memory. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_mesh_loader_start(nd_mesh_loader *l);
// After the workers were closed.
void nd_mesh_loader_deinit(nd_mesh_loader *l);

#endif
