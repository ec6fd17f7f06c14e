// What records of a world (store/records.h) say shall be: an edit, a head, or that the world is gone. Records come from
// the log (of some commits) or from a state (all that a world has). Any bytes are read without harm. Any thread, and a
// plan belongs to one.
#ifndef ND_PLAN_H
#define ND_PLAN_H

#include "daemon/store/records.h"

typedef struct nd_plan {
    nav_buffer records; // what the rest borrows from
    uint64_t world;
    bool is_gone;  // the world is deleted
    bool has_head; // its name, profiles, goal, build, areas
    char space[ND_NAMESPACE_BYTES];
    np_message message; // of the head
    np_world_open_request head;
    uint64_t revision; // 0: not said
    np_op *ops;        // by kind and id, each object once: put, or removed
    uint32_t op_count, op_capacity;
    nav_key *meshes; // that its instances name, each once
    uint32_t mesh_count;
} nd_plan;

// What of a commit's change others need: heads, revisions, objects and deletions, and not what they find out
// themselves. Appends. NAV_ERR_MEMORY, NAV_ERR_FORMAT.
NAV_MUST_USE nav_status nd_plan_pick(nd_bytes change, nav_buffer *out);

// What must be known of records to send them.
typedef struct nd_plan_summary {
    bool has_head, is_gone;
    uint64_t revision;
    nav_key *meshes; // that its instances name, each once; the caller's
    uint32_t mesh_count;
} nd_plan_summary;
// NAV_ERR_FORMAT, NAV_ERR_MEMORY: there are no meshes to be freed then.
NAV_MUST_USE nav_status nd_plan_sum_up(nd_bytes records, nd_plan_summary *out);

// Takes the records over, also where it fails. NAV_ERR_FORMAT: they are none, or of several worlds. NAV_ERR_VERSION,
// NAV_ERR_MEMORY. Deinit it in any case.
NAV_MUST_USE nav_status nd_plan_read(nd_plan *p, nav_buffer *records);
void nd_plan_deinit(nd_plan *p); // accepts a zeroed one

#endif
