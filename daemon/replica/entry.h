// Messages of the log, of states and of the lease, as bytes: little-endian, each beginning with its form's version.
// Reading takes any bytes: NAV_ERR_FORMAT, NAV_ERR_VERSION; what is read borrows from them. Any thread.
//
//     NAME.SPACE.log.WORLD     an entry: what some commits of a world have changed (plan.h), in parts
//     NAME.%.log.leader        who writes the entries that follow
//     NAME.SPACE.states.WORLD.head     which state is the world's newest
//     NAME.SPACE.states.WORLD.ID.PART  its bytes: records of all that the world has
//     $KV.NAME_lease.leader    who leads
#ifndef ND_ENTRY_H
#define ND_ENTRY_H

#include "core/base/buffer.h"
#include "core/base/key.h"

#include <stdbool.h>

enum { ND_ENTRY_PART_BYTES = 512 * 1024, ND_ENTRY_HEAD_BYTES = 64, ND_LEADER_NAME_BYTES = 200 };

typedef struct nd_entry {
    uint64_t epoch, number; // which leader's, and its how manieth; the same in all parts
    uint64_t world;
    uint64_t after;    // sequence of the last part of the world's entry before this one, or of its state; 0: none
    uint64_t revision; // of the world, with it
    uint64_t made_ns;  // time of day, as its leader's clock has it
    uint32_t part, parts;
    const uint8_t *bytes; // of this part
    size_t count;
} nd_entry;

NAV_MUST_USE nav_status nd_entry_write(nav_buffer *out, const nd_entry *e);
NAV_MUST_USE nav_status nd_entry_read(const void *bytes, size_t count, nd_entry *e);

typedef struct nd_leader_note {
    uint64_t epoch;
    nav_key log; // id of the log
    bool renews; // all states were written anew before it: what an entry before it says counts no more
    char id[33]; // of the daemon
    char name[ND_LEADER_NAME_BYTES]; // for people: machine and address
} nd_leader_note;

NAV_MUST_USE nav_status nd_leader_note_write(nav_buffer *out, const nd_leader_note *n);
NAV_MUST_USE nav_status nd_leader_note_read(const void *bytes, size_t count, nd_leader_note *n);

typedef struct nd_state_head {
    uint64_t world, revision;
    uint64_t sequence; // of the log: it holds what all entries of the world up to there have changed
    nav_key id;        // of its parts
    uint32_t parts;
    uint64_t size; // bytes in all
    nav_key sum;   // nav_key_of() them
} nd_state_head;

NAV_MUST_USE nav_status nd_state_head_write(nav_buffer *out, const nd_state_head *h);
NAV_MUST_USE nav_status nd_state_head_read(const void *bytes, size_t count, nd_state_head *h);

typedef struct nd_lease_note {
    bool is_free; // its holder has given it back
    char id[33];
    char name[ND_LEADER_NAME_BYTES];
} nd_lease_note;

NAV_MUST_USE nav_status nd_lease_note_write(nav_buffer *out, const nd_lease_note *n);
NAV_MUST_USE nav_status nd_lease_note_read(const void *bytes, size_t count, nd_lease_note *n);

#endif
