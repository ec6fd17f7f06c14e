// What an edit did: the records that make it durable, and the operations that undo it if they cannot be written. It
// listens to the edit (nd_world.listener). Loop thread only.
#ifndef ND_EDIT_LOG_H
#define ND_EDIT_LOG_H

#include "daemon/world/world.h"

typedef struct nd_edit_log {
    nd_edit_listener listener;
    nav_buffer records; // a change of store/records.h
    uint64_t revision;  // the world's, with the edit
    // The opposite edit:
    np_op *ops;
    size_t op_count, op_capacity;
    nd_mesh **meshes; // references, so that they are there for it
    size_t mesh_count, mesh_capacity;
    nd_mesh **made; // that become durable with the edit (world/edit_heights.h); references
    size_t made_count;
    nd_owner **owners; // the same, whose names the operations borrow
    size_t owner_count, owner_capacity;
    nd_label **labels; // the same
    size_t label_count, label_capacity;
    np_seed seeds[NAV_MAX_SEEDS];
    struct nd_area_table *areas; // as it was; NULL: it did not change
    bool has_head;               // records hold the world's head
} nd_edit_log;

// How the protocol puts an object. Its source and its name are borrowed.
np_op nd_object_to_op(const nd_object *o);

// It listens from then on, and answers NAV_ERR_MEMORY where it cannot keep what it hears.
void nd_edit_log_init(nd_edit_log *l);
// All objects are in it; the world will have this revision. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_edit_log_finish(nd_edit_log *l, const nd_world *w, uint64_t revision);
void nd_edit_log_deinit(nd_edit_log *l); // accepts a zeroed one

// Bytes of memory.
size_t nd_edit_log_size(const nd_edit_log *l);
// The edit is on disk, or could not be written and was taken back: what becomes of the meshes that it made.
void nd_edit_log_settle(nd_edit_log *l, nd_mesh_store *meshes, bool is_durable);
// Takes the edit back, which raises the revision once more. NAV_ERR_MEMORY: the world is not what is stored.
NAV_MUST_USE nav_status nd_edit_log_undo(nd_edit_log *l, nd_world *w, nd_mesh_store *meshes, uint64_t now_ns);

#endif
