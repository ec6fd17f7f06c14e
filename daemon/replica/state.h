// States of worlds: all records of one, as they lie on the leader's disk, so that a follower need not read the log from
// its beginning, and the log stays short.
//
//     leader:   read on the writer's thread ──► meshes are shared ──► parts, then the head, then what was before goes
//     follower: head ──► parts ──► the log's entries behind it ──► a plan
//
// A head names its parts, and takes the place of the one before at once: a state is never half another. Loop thread
// only.
#ifndef ND_STATE_H
#define ND_STATE_H

#include "daemon/bus/bus.h"
#include "daemon/disk/writer.h"
#include "daemon/replica/entry.h"
#include "daemon/replica/plan.h"
#include "daemon/replica/subjects.h"

typedef struct nd_state {
    uint64_t world;
    char space[ND_SPACE_BYTES];
    nav_buffer records; // of one that was fetched: in the plan
    nd_plan plan;
    nav_key *meshes; // that it names, each once
    uint32_t mesh_count;
    uint64_t revision;
    uint64_t size;     // bytes of records, as they were
    uint64_t sequence; // of the log: surely in it
    uint64_t covered;  // of the leader's entries, by number: surely in it
    uint64_t known;    // of one that is fetched: all up to there is here; 0: nothing
    bool is_known;     // and nothing has come since
    uint64_t tail;     // of one that was fetched: bytes of entries behind the state
    bool renews;       // whatever is there counts no more
    nav_status status;
    char why[200];
} nd_state;
void nd_state_destroy(nd_state *s); // accepts NULL

// Reads a world from the writer's database, with all that was pushed before. done gets the state, which is its then;
// status and why say whether it is one. NAV_ERR_MEMORY: there is no done.
NAV_MUST_USE nav_status nd_state_read(nd_writer *writer, nd_state *state, void (*done)(void *user, nd_state *state),
                                      void *user);

// Puts it into the farm in lane BULK, unless a newer one is there; then its log up to the sequence goes. done as
// above; `records` are gone then.
NAV_MUST_USE nav_status nd_state_publish(nd_bus *bus, const char *farm, nd_state *state,
                                         void (*done)(void *user, nd_state *state), void *user);

// Gets a world (`world`, `space` and `known` are set) as it is now, as a plan: its newest state, if there is one, and
// behind it the records of all entries since, which name each other from the last one back. sequence and revision are
// those of the last. NAV_ERR_NOT_FOUND in status: there is no such world, or no more.
NAV_MUST_USE nav_status nd_state_fetch(nd_bus *bus, const char *farm, nd_state *state,
                                       void (*done)(void *user, nd_state *state), void *user);

// A deleted world's states go, and its log up to the sequence. Nobody hears of the end.
void nd_state_forget(nd_bus *bus, const char *farm, const char *space, uint64_t world, uint64_t sequence);
// Notes of who led before the one with this sequence go from the log.
void nd_state_forget_notes(nd_bus *bus, const char *farm, uint64_t sequence);

#endif
