// DESIGN. path.find. For each profile that paths are asked for there is a ground: its tiles as a set that can be
// searched (navcore/path.h), kept from call to call.
//
//     call ──► ground: which tiles have changed? ──► their bytes: memory, disk, or made again ──► job ──► worker
//                ▲  └── nothing: at once ─────────────────────────────────────────────────────────┘
//     a tile is finished: noted
//
// The loop thread notes which tiles change, and looks for their bytes only when somebody asks. One job of a ground is
// at a worker at a time, and owns the set: it puts in what has changed and answers one call, so that a call sees tiles
// of one moment. A search never has the loop wait, nor the workers of edits: jobs go to the other crew.
//
// A ground is wanted in navd's encoding as long as it lives, like a subscription. It goes when nobody has asked for
// ND_GROUND_IDLE_NS, when the sets need more than path_bytes (the one not asked for the longest goes first), and with
// its world or profile. Where nobody asks for paths there is no ground, and none of this costs anything. Loop thread
// only.
#ifndef ND_PATHS_H
#define ND_PATHS_H

#include "daemon/cache/tile_cache.h"
#include "daemon/paths/path_job.h"
#include "daemon/session/reply.h"
#include "daemon/work/builder.h"

#define ND_GROUND_IDLE_NS UINT64_C(60000000000)
#define ND_PATH_WAIT_NS UINT64_C(60000000000) // that a call waits for tiles to be made

typedef struct nd_ground nd_ground;

typedef struct nd_paths {
    const nd_config *config; // borrowed, as is all up to disk
    nd_sessions *sessions;
    nd_worlds *worlds;
    nd_builder *builder;
    nd_cache *cache;
    nd_workers *workers;
    nd_tile_cache *disk; // NULL: none

    nd_ground *grounds;
    uint32_t ground_count;
    uint64_t bytes; // of all sets, at their last job
    uv_timer_t clock;
    uv_idle_t turn;
    bool stopping;
    uint64_t calls, queries; // asked so far
} nd_paths;

// The members up to `disk` are set.
void nd_paths_init(nd_paths *p);
// Before the workers and the cache are closed: no call is answered any more, and searches end soon.
void nd_paths_stop(nd_paths *p);
// After them: all that is left.
void nd_paths_close(nd_paths *p);

// Takes the call over; it is answered now or later. NAV_ERR_MEMORY: it is not taken.
NAV_MUST_USE nav_status nd_paths_ask(nd_paths *p, nd_world *w, uint32_t profile, nd_path_call *call);
// Calls of a session that are not answered yet.
uint32_t nd_paths_waiting(const nd_paths *p, uint64_t session);

// A tile of a world is finished. out: its data by encoding, or NULL.
void nd_paths_publish(nd_paths *p, const nd_world *w, const nd_tile *t, const nd_cached *out);
// A session has ended: its calls go.
void nd_paths_leave(nd_paths *p, uint64_t session);
// A world is about to be deleted: its calls are answered so.
void nd_paths_end_world(nd_paths *p, const nd_world *w);

#endif
