// The farm: who is there, what waits, how far behind this daemon is. Part of messages.h, which says how it is read and
// written.
#ifndef NP_MESSAGES_FARM_H
#define NP_MESSAGES_FARM_H

#include "protocol/messages_session.h"

#include "core/base/key.h"

// farm.status: the farm as the daemon sees it. NAV_ERR_STATE: it is in none.
typedef np_none np_farm_status_request;

enum { NP_FARM_MEMBERS_MAX = 4096, NP_FARM_STREAMS_MAX = 16 };

// A navd that is heard of. Counts are since its start.
typedef struct np_farm_member {
    np_str id;          // of the process
    np_str kind;        // "daemon", "worker", "replica"
    np_str name;        // of its machine
    np_str version;     // of navd
    uint32_t generator; // version of the generator: jobs are for workers of the daemon's own
    bool leaves;        // it takes no new jobs
    uint32_t threads;
    uint32_t jobs;                     // of a worker: at work; of a daemon: out
    uint64_t waiting;                  // of a daemon: tiles in its queues
    uint64_t tiles;                    // that it has built; of a daemon: that others have built for it
    uint64_t found;                    // that were in the farm's cache already
    uint64_t done, set_aside, refused; // jobs
    uint64_t bytes_in, bytes_out;      // from and to the server
    uint64_t uptime_s, seen_ms;        // seen: ago
} np_farm_member;

// What a stream of the server's holds: "jobs", "tiles", "meshes", "log", "states".
typedef struct np_farm_stream {
    np_str name;
    uint64_t messages, bytes;
    uint64_t max_bytes; // default 0: no bound
} np_farm_stream;

typedef struct np_farm_status_response {
    np_str name, id;    // of the farm; of this daemon
    bool up;            // the server and its streams can be reached; if not, what it would say is absent
    np_str trouble;     // why its streams cannot be had; ""
    uint32_t generator; // of this daemon
    // Worlds as streams. worlds: "local", "publish", "follow", "standby"; with local nothing of the rest is said.
    np_str worlds;
    np_str role;         // "follows", "takes over", "renews the log", "leads", "stopped"; ""
    bool leads;          // edits are taken here
    bool live;           // it leads, or has all that the log had a moment ago
    np_str leader;       // who leads, for people; "" where nobody is known to
    uint64_t epoch;      // of who wrote last; 0: nobody has
    uint64_t unlogged;   // of a leader: changes that the log does not have yet
    uint64_t behind;     // of a follower: messages of the log that have not come yet
    uint64_t lag_p99_us; // of a follower: from a change at the leader until it was applied here
    bool has_jobs;       // the server was asked, and what follows is known
    uint64_t jobs_waiting, jobs_out, jobs_redelivered; // for workers of this generator version
    uint32_t member_count;
    const np_farm_member *members; // workers first, then by name
    uint32_t stream_count;
    const np_farm_stream *streams;
} np_farm_status_response;

// farm.check: are the tiles here those of the daemon that leads, byte for byte? It is asked for the sum of what it has
// of each world, which is held against that of what is here. NAV_ERR_STATE: its worlds are nobody else's
// (--farm-worlds).
typedef np_none np_farm_check_request;

enum { NP_FARM_WORLDS_MAX = 4096 };

// A world of the session's namespace.
typedef struct np_farm_checked {
    np_str name;
    np_str state; // "same"; "differs"; "pending": something is still on its way, or being made; "unknown": the leader
                  // does not have the world, or has not answered
    uint64_t revision, leader_revision;
    uint64_t tiles, leader_tiles;
    nav_key sum, leader_sum; // of all tiles: places, keys of what they were made from and of their bytes
} np_farm_checked;

typedef struct np_farm_check_response {
    bool answered; // the leader has said what it has, or is this one
    uint32_t world_count;
    const np_farm_checked *worlds; // by name; at most NP_FARM_WORLDS_MAX
} np_farm_check_response;

#endif
