// DESIGN. Questions about ways over a world's navigation mesh. For each profile that somebody asks about there is a
// ground (ground.h), which answers calls (path_call.h) at workers. A search never has the loop wait, nor the workers
// of edits: all goes to the other crew.
//
// A ground goes when nobody has asked for ND_GROUND_IDLE_NS, when there is no more memory for it (the one not asked
// for the longest goes first), and with its world or profile. Where nobody asks for paths there is no ground, and none
// of this costs anything. Paths may also be watched (watch.h). Tiles, calls, searches and watched paths together may
// have path_bytes: a call above that is refused. Loop thread only.
#ifndef ND_PATHS_H
#define ND_PATHS_H

#include "daemon/cache/tile_cache.h"
#include "daemon/paths/finders.h"
#include "daemon/paths/path_call.h"
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
    nd_finders finders;
    struct nd_path_watch *watches;  // of all sessions (watch.h)
    uint64_t set_bytes, call_bytes; // of all grounds' sets, at their last update, and of all calls
    uint64_t probe_bytes;           // of all watches
    uv_timer_t clock, soon;
    uv_idle_t turn;
    bool stopping;
    uint64_t calls, queries; // asked so far
} nd_paths;

// The members up to `disk` but the workers are set.
void nd_paths_init(nd_paths *p);
// Before the workers and the cache are closed: no call is answered any more, and searches end soon.
void nd_paths_stop(nd_paths *p);
// After them: all that is left.
void nd_paths_close(nd_paths *p);

// The call goes to the ground of its profile, and is the daemon's: it is answered now or later. c->kind up to c->axes
// are set. NAV_ERR_MEMORY, NAV_ERR_LIMIT with words: it was not taken.
NAV_MUST_USE nav_status nd_paths_ask(nd_paths *p, nd_world *w, uint32_t profile, nd_path_call *c, np_error *err);
// The ground of a profile, made where there is none. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_paths_ground(nd_paths *p, nd_world *w, uint32_t profile, nd_ground **out);
// Is there room for so many bytes? Makes some where it can. NAV_ERR_LIMIT with words.
NAV_MUST_USE nav_status nd_paths_claim(nd_paths *p, size_t bytes, np_error *err);
// Calls of a session that are not answered yet.
uint32_t nd_paths_waiting(const nd_paths *p, uint64_t session);
uint64_t nd_paths_bytes(const nd_paths *p);
uint64_t nd_paths_landmarks(const nd_paths *p); // that searches use

// A tile of a world is finished. out: its data by encoding, or NULL.
void nd_paths_publish(nd_paths *p, const nd_world *w, const nd_tile *t, const nd_cached *out);
// The end of a turn of the loop, when sessions have sent: watched paths. What it tells is still to be sent.
void nd_paths_end_turn(nd_paths *p);
// The session's call by the id of its request is answered so, and its search ends soon. False: none is under way.
bool nd_paths_cancel(nd_paths *p, uint64_t session, uint32_t request);
// A session has ended: its calls and watches go.
void nd_paths_leave(nd_paths *p, uint64_t session);
// A world is about to be deleted: its calls are answered so, its watches end.
void nd_paths_end_world(nd_paths *p, const nd_world *w);

// For grounds: all of them go on in the next turn of the loop.
void nd_paths_go_on_soon(nd_paths *p);
// The same in so many nanoseconds, or sooner.
void nd_paths_go_on_at(nd_paths *p, uint64_t ns);
// For grounds: what nobody uses goes, where all together have more than they may.
void nd_paths_make_room(nd_paths *p);

#endif
