// All meshes by the hash of their content, each once, shared by every world. A mesh that nobody holds stays until its
// memory is needed for another, the longest unused first. Loop thread only, but for nd_mesh_unref().
//
//     store ──1 ref──► nd_mesh ◄──1 ref each── instances of worlds, snapshots of jobs
#ifndef ND_MESH_STORE_H
#define ND_MESH_STORE_H

#include "core/geometry/mesh.h"
#include "daemon/table.h"

#include <stdatomic.h>

typedef struct nd_mesh {
    nd_node node;
    atomic_uint refs;
    const nav_mesh *mesh;
    struct nd_mesh *newer, *older; // the store's list
} nd_mesh;

// Taking a reference: loop thread only, from someone who holds one. Giving it back: any thread.
nd_mesh *nd_mesh_ref(nd_mesh *m);
void nd_mesh_unref(nd_mesh *m); // accepts NULL

typedef struct nd_mesh_store {
    nd_table table;
    nd_mesh *newest, *oldest;
    size_t bytes, max_bytes;
    uint64_t evicted_count;
} nd_mesh_store;

void nd_mesh_store_init(nd_mesh_store *s, size_t max_bytes);
// Gives back the store's references. Accepts a zeroed store.
void nd_mesh_store_deinit(nd_mesh_store *s);

// Borrowed; NULL where there is none.
nd_mesh *nd_mesh_store_find(nd_mesh_store *s, const nav_key *hash);

// Takes the mesh over, also when it fails. Where the store has one of that hash already, that one stays. *out is
// borrowed. NAV_ERR_LIMIT: max_bytes, all of it in use. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_mesh_store_add(nd_mesh_store *s, nav_mesh *mesh, nd_mesh **out);

#endif
