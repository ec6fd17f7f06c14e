// What the worlds' database holds. Keys are big-endian, so that a world's records lie together; values begin with the
// version of their form. Objects and heads are written as the protocol writes them, which leaves out what is as the
// default says: where a default changes, the version must, and the old one be read with the old default.
//
//     heads           world                       ► namespace, world.open request (name, origin, profiles with their
//                                                   slots and grids, reach, build)
//     heads.revision  world                       ► revision
//     info            "state"                     ► was it closed cleanly, the next world's id
//     info            "log"                       ► id of the log of edits whose worlds these are (replica/)
//     mesh_heads      mesh                        ► counts, bounds; its SHA-256 once a client has asked by it
//     mesh_spaces     mesh, namespace             ► nothing: it may be used there
//     meshes          mesh                        ► bytes as mesh.put brought them
//     objects         world, kind, id             ► put_instance, put_volume or put_link
//     tiles           world, slot, x, z           ► what is known of a tile, so that it need not be made again
//
// A change is a list of puts and deletes in one buffer: made on the loop thread, carried out by the writer's. The
// functions themselves: any thread. Reading takes any bytes: NAV_ERR_FORMAT, NAV_ERR_VERSION.
#ifndef ND_RECORDS_H
#define ND_RECORDS_H

#include "core/base/buffer.h"
#include "daemon/access/namespace.h"
#include "daemon/disk/database.h"
#include "daemon/world/profiles.h"

enum { // in the order of their names, in which a scan comes by them
    ND_HEADS,
    ND_REVISIONS,
    ND_INFO,
    ND_MESH_HEADS,
    ND_MESH_SPACES,
    ND_MESHES,
    ND_OBJECTS,
    ND_TILES,
    ND_RECORD_TABLES
};
extern const char *const nd_record_tables[ND_RECORD_TABLES];

typedef struct nd_tile_place {
    uint64_t world;
    uint32_t profile;
    int32_t x, z;
} nd_tile_place;

typedef struct nd_mesh_head {
    uint32_t vertices, triangles; // as sent
    np_mesh_form form;
    uint32_t kept, skipped;
    nav_box bounds;
    uint64_t bytes; // of the index in memory
    bool has_digest;
    np_digest digest; // SHA-256 of the bytes
} nd_mesh_head;

typedef struct nd_store_info {
    bool clean;
    uint64_t next_world;
} nd_store_info;

// --- writing: each appends to a change. NAV_ERR_MEMORY ---

NAV_MUST_USE nav_status nd_change_put(nav_buffer *change, unsigned table, nd_bytes key, nd_bytes value);
NAV_MUST_USE nav_status nd_change_head(nav_buffer *change, const nd_world *w);
// The same with the profiles that the world is about to have.
NAV_MUST_USE nav_status nd_change_head_to(nav_buffer *change, const nd_world *w, const nd_profile_list *profiles);
// The tiles of a slot that no profile has any more.
NAV_MUST_USE nav_status nd_change_remove_tiles(nav_buffer *change, uint64_t world, uint32_t slot);
// horizon: nd_changes.horizon, which no start may lower.
NAV_MUST_USE nav_status nd_change_revision(nav_buffer *change, uint64_t world, uint64_t revision, uint64_t horizon);
NAV_MUST_USE nav_status nd_change_info(nav_buffer *change, const nd_store_info *info);
NAV_MUST_USE nav_status nd_change_object(nav_buffer *change, uint64_t world, const np_op *object);
NAV_MUST_USE nav_status nd_change_remove_object(nav_buffer *change, uint64_t world, nd_kind kind, uint64_t id);
// Of an operation that puts or removes an instance, a volume or a link.
nd_kind nd_kind_of_op(const np_op *op);
np_op nd_removal_of(nd_kind kind, uint64_t id);
NAV_MUST_USE nav_status nd_change_tile(nav_buffer *change, const nd_tile_place *at, const nd_tile_result *result);
// The world's tiles that are gone since a revision up to this one.
NAV_MUST_USE nav_status nd_change_forget_removed(nav_buffer *change, uint64_t world, uint64_t horizon);
// The head only: the bytes go to the writer as they are (nd_write_mesh), as copying them would take too long.
nd_mesh_head nd_mesh_head_of(const nd_mesh *m); // one whose triangles are there
NAV_MUST_USE nav_status nd_change_mesh(nav_buffer *change, nav_key hash, const nd_mesh_head *head);
NAV_MUST_USE nav_status nd_change_mesh_space(nav_buffer *change, nav_key hash, const char *space);
NAV_MUST_USE nav_status nd_change_remove_mesh(nav_buffer *change, nav_key hash);
// All that is the world's.
NAV_MUST_USE nav_status nd_change_remove_world(nav_buffer *change, uint64_t world);
NAV_MUST_USE nav_status nd_change_log_id(nav_buffer *change, nav_key id);
// Carries a change out, on the thread of the transaction.
NAV_MUST_USE nav_status nd_change_apply(const nav_buffer *change, nd_txn *txn);
// The bytes of a mesh, on the same thread.
NAV_MUST_USE nav_status nd_write_mesh(nd_txn *txn, nav_key hash, nd_bytes bytes);

// --- reading ---

// One entry of a change.
typedef struct nd_record {
    unsigned table;
    bool removes; // all whose keys begin with this one, or the one that has it
    nd_bytes key, value;
} nd_record;
// The entry at *at, which becomes the next one's. Any bytes. NAV_ERR_NOT_FOUND: that was the last. NAV_ERR_FORMAT.
NAV_MUST_USE nav_status nd_change_next(nd_bytes change, size_t *at, nd_record *out);
// As it is in one change for another.
NAV_MUST_USE nav_status nd_change_copy(nav_buffer *change, const nd_record *r);

// request: borrows from m, which the caller deinits, also after a failure; space has ND_NAMESPACE_BYTES.
NAV_MUST_USE nav_status nd_read_head(nd_bytes value, char *space, np_message *m, np_world_open_request *request);
NAV_MUST_USE nav_status nd_read_world_key(nd_bytes key, uint64_t *world);
NAV_MUST_USE nav_status nd_read_revision(nd_bytes value, uint64_t *revision, uint64_t *horizon);
NAV_MUST_USE nav_status nd_read_info(nd_bytes value, nd_store_info *info);
NAV_MUST_USE nav_status nd_read_log_id(nd_bytes value, nav_key *id);
// What an object that is gone was called.
NAV_MUST_USE nav_status nd_read_object_key(nd_bytes key, uint64_t *world, nd_kind *kind, uint64_t *id);
NAV_MUST_USE nav_status nd_read_object(nd_bytes key, nd_bytes value, uint64_t *world, np_op *object);
NAV_MUST_USE nav_status nd_read_tile(nd_bytes key, nd_bytes value, nd_tile_place *at, nd_tile_result *result);
NAV_MUST_USE nav_status nd_read_mesh_head(nd_bytes key, nd_bytes value, nav_key *hash, nd_mesh_head *head);
NAV_MUST_USE nav_status nd_read_mesh_space(nd_bytes key, nav_key *hash, char *space);

#endif
