// world.sync: what one source has put into a world is made equal to a list. Part of messages.h, which says how it is
// read and written.
#ifndef NP_MESSAGES_SYNC_H
#define NP_MESSAGES_SYNC_H

#include "core/base/key.h"
#include "protocol/messages_session.h"

enum {
    NP_SYNC_OBJECT_BYTES = 8 + 16 + 48 + 1, // of an object in all columns
    NP_SYNC_MAX_IDS = 4096,                 // of each kind that a dry run names
    NP_SYNC_MAX_MISSING = 1 << 18,          // that one answer names
};

// The list is sent in columns: entry i of each is instance i. All little-endian. A list that does not fit into one
// message is sent in parts, in order and without gaps, all but the last with `more`. A part at offset 0 begins the
// session's one list again. NAV_ERR_STATE: no such list has begun. NAV_ERR_ARGUMENT: not the next part, or an id that
// is listed twice. NAV_ERR_EXISTS: an id is somebody else's, or nobody's and `adopt` is not set.
typedef struct np_world_sync_request {
    uint64_t world;
    np_str source; // required, as a name is
    bool has_base_revision;
    uint64_t base_revision; // as world.edit has it; counts with the last part
    uint64_t offset;        // default 0: objects in the parts before
    bool more;              // default false: others follow
    np_bin ids;             // u64 each
    np_bin meshes;          // keys, 16 bytes each
    np_bin transforms;      // 12 float32 each
    np_bin areas;           // optional: a byte each; absent: 63 for all
    bool has_names;         // else they keep the names that they have
    np_bin names;           // for each the number of its bytes, in a byte, and the bytes: as a name is, or none
    bool dry_run;           // default false; says what would change, and changes nothing
    bool adopt;             // default false; takes over instances of these ids that have no source
} np_world_sync_request;

typedef struct np_world_sync_response {
    uint64_t received; // objects of the list so far
    bool complete;     // that was all of it; false: nothing below is set
    bool applied;      // false: a dry run, or meshes are missing
    uint64_t revision;
    uint32_t dirty_tiles;
    bool durable;
    uint64_t added, changed, moved, renamed, removed, unchanged; // changed: another mesh or area, or adopted
    uint32_t missing_count;
    const nav_key *missing; // meshes to send, each once, before calling again
    bool kept;              // the list is: a last part without objects, at offset `received`, compares it again
    // Of a dry run, NP_SYNC_MAX_IDS of each at most; u64 each. renamed_from[i] becomes renamed_to[i].
    np_bin added_ids, changed_ids, moved_ids, renamed_from, renamed_to, removed_ids;
} np_world_sync_response;

#endif
