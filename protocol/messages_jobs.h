// What is being made, for whom, and what did not go well. Part of messages.h, which says how it is read and written.
#ifndef NP_MESSAGES_JOBS_H
#define NP_MESSAGES_JOBS_H

#include "protocol/messages_tiles.h"

enum { NP_MAX_JOBS = 4096 };

// jobs.wait: answers when every tile up to a revision is out; the notifications of this session come before it. With
// bounds, or a profile, when those tiles are; until then they are watched. Tiles that nobody watches do not count.
typedef struct np_jobs_wait_request {
    uint64_t world;
    bool has_revision;
    uint64_t revision; // default: the world's at the time of the call
    bool has_profile;
    np_str profile; // default: all
    bool has_bounds;
    double min[2], max[2]; // as in tiles.subscribe; default: everywhere
} np_jobs_wait_request;
typedef struct np_jobs_wait_response {
    uint64_t revision; // the world's now, at least the one waited for
} np_jobs_wait_response;

// jobs.cancel: queued tiles of a world are dropped and running ones stopped; they stay as they were until the next edit
// that touches them. With a revision only those that it is the oldest to wait for. Calls of jobs.wait that wait for any
// of them are answered with NAV_ERR_CANCELLED. Or a call of tiles.build, which is answered so: the session's own, an
// admin's any.
typedef struct np_jobs_cancel_request {
    uint64_t world, revision, build;
    bool has_world, has_revision, has_build; // world or build
} np_jobs_cancel_request;
typedef struct np_jobs_cancel_response {
    uint32_t cancelled; // tiles
} np_jobs_cancel_response;

// Who asked for work.
typedef struct np_caller {
    uint64_t session;         // 0: the daemon itself
    np_str client, principal; // as hello and its credential said; "": unknown
} np_caller;

typedef enum np_job_class { NP_JOB_INTERACTIVE, NP_JOB_BACKGROUND } np_job_class;

// jobs.list: what is not finished. An edit is all tiles that wait since one revision.
typedef struct np_jobs_list_request {
    uint64_t world;
    bool has_world; // default: all of the namespace
} np_jobs_list_request;
typedef struct np_edit_job {
    uint64_t world;
    np_str name; // the world's
    uint64_t revision;
    np_job_class class; // the most urgent of its tiles
    np_caller caller;   // of the oldest of them
    uint32_t tiles, running;
    uint64_t age_ms;
} np_edit_job;
typedef struct np_build_job {
    uint64_t build; // for jobs.cancel
    np_job_class class;
    np_caller caller;
    uint32_t tiles, finished;
    uint64_t age_ms;
} np_build_job;
typedef struct np_jobs_list_response {
    uint32_t edit_count;
    const np_edit_job *edits; // oldest revision of each world first; at most NP_MAX_JOBS
    uint32_t build_count;
    const np_build_job *builds;
} np_jobs_list_response;

// tiles.failed: the tiles of a world whose newest run failed, in the order in which they did.
typedef struct np_tiles_failed_request {
    uint64_t world;
    uint32_t limit; // default 1000: how many at most
} np_tiles_failed_request;
typedef struct np_failed_tile {
    np_str profile;
    int32_t x, z;
    nav_sheet sheet;   // default up
    np_str code;       // of the error table
    np_str reason;     // for a person
    np_str stage;      // it was at; "": at none
    np_str signal;     // crashed: what the generator died of, in words; "": it is not known
    uint64_t since_ms; // ago
    uint32_t tries;
    bool has_retry;
    uint64_t retry_ms; // from now
} np_failed_tile;
typedef struct np_tiles_failed_response {
    uint32_t total;
    uint32_t tile_count;
    const np_failed_tile *tiles;
} np_tiles_failed_response;

// tiles.why: what one tile waits for, or why it is as it is.
typedef enum np_tile_state {
    NP_STATE_CLEAN,
    NP_STATE_QUEUED,  // the caches were not asked yet
    NP_STATE_WAITING, // for a worker
    NP_STATE_RESTING, // it is edited without pause; its next run is not due yet
    NP_STATE_RUNNING,
    NP_STATE_HELD,      // generated; what can be reached is not known yet
    NP_STATE_UNWATCHED, // its world builds only what is watched, and nobody watches it
} np_tile_state;
typedef enum np_cause {
    NP_CAUSE_NONE,
    NP_CAUSE_INSTANCE,
    NP_CAUSE_VOLUME,
    NP_CAUSE_LINK,
    NP_CAUSE_AREA,    // `dirty`, or `set_reach`
    NP_CAUSE_REACH,   // what can be reached has changed elsewhere
    NP_CAUSE_PROFILE, // it is new
    NP_CAUSE_READER,  // somebody wanted it in an encoding that was not at hand
    NP_CAUSE_RETRY,   // it had failed
    NP_CAUSE_START,   // the world came back from disk
} np_cause;
typedef struct np_tiles_why_request {
    uint64_t world;
    np_str profile;
    int32_t x, z;
    nav_sheet sheet; // default up
} np_tiles_why_request;
typedef struct np_tiles_why_response {
    np_tile_state state;
    np_tile_status status; // of the newest finished run; pending: none yet
    uint64_t revision;     // that it shows
    uint64_t queued_us, made_us;
    np_cause cause; // of the newest mark
    bool has_object;
    uint64_t object; // the instance, volume or link
    np_caller caller;
    uint64_t cause_revision, cause_ms; // ago
    bool is_open;
    uint64_t open_since; // not clean: the oldest revision it waits for
    np_job_class class;  // not clean
    bool has_failure;
    np_failed_tile failure;
    uint32_t stage_count;     // of its newest run, where that is not long ago; those that did not run are left out
    const np_counter *stages; // on the wire: one map name -> microseconds
} np_tiles_why_response;

#endif
