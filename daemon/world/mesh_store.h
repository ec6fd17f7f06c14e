// All meshes by the hash of their content, each once, shared by every world. A mesh that nobody holds stays until its
// memory is needed for another, the longest unused first. Loop thread only, but for nd_mesh_unref().
//
//     store ──1 ref──► nd_mesh ◄──1 ref each── instances of worlds, snapshots of jobs
#ifndef ND_MESH_STORE_H
#define ND_MESH_STORE_H

#include "core/base/buffer.h"
#include "core/geometry/mesh.h"
#include "daemon/access/namespace.h"
#include "daemon/base/table.h"
#include "protocol/messages.h"

#include <stdatomic.h>

// Where its triangles are. Only a mesh in memory is read by jobs.
typedef enum nd_mesh_state {
    ND_MESH_HERE,   // in memory
    ND_MESH_STORED, // on disk, and on its way: bounds and counts are known
    ND_MESH_LOST,   // they were on disk, and cannot be read: tiles with it fail until it is sent again
} nd_mesh_state;

typedef struct nd_mesh {
    nd_node node;
    atomic_uint refs;
    const nav_mesh *mesh; // where it points does not change: a mesh that comes from the disk fills `placeholder`
    nav_mesh *owned;      // what is to be destroyed with it; NULL: nothing
    nav_mesh placeholder;
    nd_mesh_state state;
    bool durable;      // on disk
    unsigned commits;  // that are under way, and write something of it
    nav_buffer source; // as mesh.put brought it, little-endian; the index does not keep it. Empty: not in memory
    uint32_t vertices, triangles; // of source
    np_mesh_form form;
    struct nd_mesh *newer, *older; // the store's list
    nd_namespace **spaces;         // where it is visible; the store's
    uint32_t space_count;
    uint64_t counted_bytes; // for each of them
    bool has_digest;        // a client has asked by SHA-256
    np_digest digest;       // SHA-256 of source
    nd_node digest_node;
} nd_mesh;

// Taking a reference: loop thread only, from someone who holds one. Giving it back: any thread.
nd_mesh *nd_mesh_ref(nd_mesh *m);
void nd_mesh_unref(nd_mesh *m); // accepts NULL

typedef struct nd_mesh_store {
    nd_table table, digests;
    nd_mesh *newest, *oldest;
    size_t bytes, max_bytes;
    uint64_t evicted_count;
    size_t lost_count; // in state lost
    // A mesh that nobody holds leaves, and what is stored of it may go; NULL: nothing is stored.
    void (*on_evict)(void *user, const nd_mesh *m);
    void *user;
    const nav_mesh_memory *memory; // where meshes for it are made; NULL: the heap
} nd_mesh_store;

void nd_mesh_store_init(nd_mesh_store *s, size_t max_bytes);
// Gives back the store's references. Accepts a zeroed store.
void nd_mesh_store_deinit(nd_mesh_store *s);

// Borrowed; NULL where there is none. Whoever asks for a client uses nd_mesh_store_find_in().
nd_mesh *nd_mesh_store_find(nd_mesh_store *s, const nav_key *hash);

// The same for what a client names: NULL also where the mesh is lost, or not visible in the namespace, as knowing a
// hash must not give the geometry away.
nd_mesh *nd_mesh_store_find_in(nd_mesh_store *s, const nd_namespace *space, const nav_key *hash);
// By the SHA-256 of its bytes: found where nd_mesh_store_set_digest() has told it. The same rules.
nd_mesh *nd_mesh_store_find_digest_in(nd_mesh_store *s, const nd_namespace *space, const np_digest *digest);
// The mesh has none yet. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_mesh_store_set_digest(nd_mesh_store *s, nd_mesh *m, const np_digest *digest);
bool nd_mesh_is_visible(const nd_mesh *m, const nd_namespace *space);
// What it counts in a namespace: the mesh with its index, and the bytes that it was made of, which may be many more.
uint64_t nd_mesh_cost(const nav_mesh *mesh, uint32_t vertices, uint32_t triangles, np_mesh_form form);
// From now on the mesh, which is in the store, is visible in the namespace: it has sent its bytes, or has a world with
// it. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_mesh_show(nd_mesh *m, nd_namespace *space);

// Meshes that nobody holds are not visible in the namespace any more, the longest unused first, until it has at most
// max_bytes. They have to be sent again.
void nd_mesh_store_hide_unused(nd_mesh_store *s, nd_namespace *space, uint64_t max_bytes);

// Takes the mesh over, also when it fails. Where the store has one of that hash already, that one stays. *out is
// borrowed. NAV_ERR_LIMIT: max_bytes, all of it in use. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_mesh_store_add(nd_mesh_store *s, nav_mesh *mesh, nd_mesh **out);
// A mesh that is on disk: what is known of it (hash, counts, bounds, bytes of memory that it will take).
// NAV_ERR_MEMORY; NAV_ERR_EXISTS.
NAV_MUST_USE nav_status nd_mesh_store_add_stored(nd_mesh_store *s, const nav_mesh *known, uint32_t vertices,
                                                 uint32_t triangles, np_mesh_form form, nd_mesh **out);
// Its triangles have come; takes them over. No job may have seen it before.
void nd_mesh_store_fill(nd_mesh_store *s, nd_mesh *m, nav_mesh *mesh);
void nd_mesh_store_lose(nd_mesh_store *s, nd_mesh *m);
// It could not be stored, or not that it is visible in a namespace (NULL: it was before). One that is not on disk is
// forgotten (it may have been already), who holds it keeps it; the others are not visible there any more.
void nd_mesh_store_withdraw(nd_mesh_store *s, nd_mesh *m, const nd_namespace *shown_in);
// Moves the bytes that the mesh was made of into it, so that they can be read again; not where it has them already.
// They count as the store's. NAV_ERR_LIMIT as above; the bytes stay the caller's then.
NAV_MUST_USE nav_status nd_mesh_store_keep_source(nd_mesh_store *s, nd_mesh *m, nav_buffer *source, uint32_t vertices,
                                                  uint32_t triangles, np_mesh_form form);

#endif
