// Meshes in the farm: a daemon puts what its jobs name, a worker gets what it lacks. A mesh lies in the stream
// NAME_meshes under its hash, in parts, for each namespace by itself: knowing a hash gives nothing away to another.
//
//     NAME.SPACE.meshes.HASH.0         a head: 'N' 'M' format(1) form, vertices, triangles, parts (u32 each); where
//     there
//                                      are no parts, the bytes as mesh.put brought them, at most ND_SHARE_SMALL_BYTES
//     NAME.SPACE.meshes.HASH.1 ... N   the bytes, each but the last one ND_SHARE_PART_BYTES of them
//
// The head is sent last, so where it is the parts are. What comes is checked against the hash and indexed in a helper
// process, as uploads are. Loop thread only; what waits runs in the bus's lane BULK.
#ifndef ND_MESH_SHARE_H
#define ND_MESH_SHARE_H

#include "daemon/bus/bus.h"
#include "daemon/disk/writer.h"
#include "daemon/work/workers.h"
#include "daemon/world/mesh_store.h"

enum { ND_SHARE_PART_BYTES = 512 * 1024, ND_SHARE_SMALL_BYTES = 16 * 1024 };

typedef struct nd_mesh_share nd_mesh_share;

typedef enum nd_shared_state {
    ND_SHARE_UNKNOWN,   // nobody has asked yet, or it failed
    ND_SHARE_UNDER_WAY, // on_put or on_got tells
    ND_SHARE_THERE,
} nd_shared_state;

typedef struct nd_mesh_share_options {
    const char *farm; // name
    nd_bus *bus;      // borrowed, as is all below
    nd_workers *workers;
    nd_mesh_store *meshes;
    nd_writer *writer; // where bytes lie that are not in memory; NULL: nowhere
    unsigned table;    // of it
    bool keeps_bytes;  // of what it gets, so that they can be stored and read back
    size_t most_known; // so many it remembers to be there, then it forgets them and asks again; 0: 131,072
    // A put has ended: NAV_OK, it is there; NAV_ERR_NOT_FOUND: its bytes are not to be had here; else it may be tried
    // again later. NULL: nobody puts.
    void (*on_put)(void *user, const char *space, nav_key hash, nav_status status);
    // A get has ended. NAV_OK: the mesh is in the store, and visible in the namespace; borrowed. NAV_ERR_NOT_FOUND: it
    // is not in the farm; NAV_ERR_FORMAT: what lies there is not it; NAV_ERR_CRASHED and others: it cannot be had.
    void (*on_got)(void *user, nd_namespace *space, nav_key hash, nav_status status, nd_mesh *mesh);
    void *user;
} nd_mesh_share_options;

// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_mesh_share_create(const nd_mesh_share_options *o, nd_mesh_share **out);
// Before the bus and the workers are closed, and they before the writer; no callback comes any more. Accepts NULL.
void nd_mesh_share_close(nd_mesh_share *s);

// space: token of a subject (nd_farm_space_token()).
nd_shared_state nd_mesh_share_state(const nd_mesh_share *s, const char *space, nav_key hash);
// Sees to it that the mesh is in the farm: asks, and sends what is missing; a small one it sends without asking,
// several at once. Never calls on_put from inside. What is under way or there is left as it is. NAV_ERR_MEMORY;
// NAV_ERR_LIMIT: too many are on their way, try again when one ends.
NAV_MUST_USE nav_status nd_mesh_share_put(nd_mesh_share *s, const char *space, nd_mesh *mesh);
bool nd_mesh_share_is_full(const nd_mesh_share *s); // so many are
// What was believed to be there is not: a worker says so.
void nd_mesh_share_forget(nd_mesh_share *s, const char *space, nav_key hash);
// All of it, as after the server has lost its streams.
void nd_mesh_share_forget_all(nd_mesh_share *s);

// Fetches a mesh into the store. Never calls on_got from inside; one that is under way is not fetched twice.
// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_mesh_share_get(nd_mesh_share *s, nd_namespace *space, nav_key hash);

typedef struct nd_mesh_share_stats {
    uint64_t bytes_out, bytes_in; // of meshes that were put, and got
} nd_mesh_share_stats;
nd_mesh_share_stats nd_mesh_share_stats_of(const nd_mesh_share *s);

#endif
