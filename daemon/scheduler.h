// DESIGN. Which tiles of a world must be made, and in which order. One entry per profile and tile, however often it is
// marked; no threads, no clocks, no geometry here, so that the state machine can be tested by itself. Loop thread only.
//
//               mark                    take                    finish (newest run)
//      CLEAN ──────────► QUEUED ───────────────────► RUNNING ─────────────────────► CLEAN
//                         ▲  │ mark: revision only     │ mark: the run is outdated
//                         └──┴─────────────────────────┘
//
// A mark on a running tile queues it again at once: its old run is told to stop and comes back as outdated, which only
// the run's ticket tells ("running and stale" is a state of the run, not of the tile). So a newer input, or an undo
// that the cache knows, need not wait for the old run to stop.
//
// Where the world looks for what can be reached (reach.h), a tile that was generated may have to be held: its owner
// knows its input, but not yet what is to be delivered of it. It is not clean then, and waits in a list of its own
// until it is released into the queue.
//
// A queued tile is fresh until its input was looked up in the cache; then it is missed, and waits for a worker. Both
// wait in heaps: nearest to a focus first, then the one that waits longest. A focus that moves makes the heaps stale as
// a whole; they are ordered anew at a later take, so seldom that it adds a constant to the cost of each.
//
// Tiles that are not clean also stand in a list, in the order of the revision that first made them so. Its head tells
// up to which revision everything is done.
#ifndef ND_SCHEDULER_H
#define ND_SCHEDULER_H

#include "daemon/table.h"
#include "protocol/messages.h"

#include <stdbool.h>

typedef enum nd_tile_state { ND_TILE_CLEAN, ND_TILE_QUEUED, ND_TILE_RUNNING, ND_TILE_HELD } nd_tile_state;

// What the world knows of a tile's newest finished run. key is the content key of the tile that subscribers have, also
// while the status is failed.
typedef struct nd_tile_result {
    np_tile_status status; // NP_TILE_PENDING: never finished
    nav_status failure;    // failed: why
    uint64_t revision;     // the world's when its input was read
    nav_key source, content;
    uint64_t queued_us, made_us;
} nd_tile_result;

typedef struct nd_tile {
    nd_node node;
    int32_t x, z;
    uint32_t profile;
    nd_tile_state state;
    bool missed;   // queued: in the heap of those that the cache does not have
    bool forced;   // the next run does not ask the cache
    uint8_t asked; // encodings that someone without a subscription asked for, as bits; until it is clean again
    uint32_t heap_at;
    double distance2;               // to the nearest focus of the profile; infinite where there is none
    uint64_t order;                 // age: smaller waits longer
    uint64_t ticket;                // of the newest run
    uint64_t marked_ns;             // when the oldest mark not yet served came
    uint64_t since;                 // revision of that mark
    struct nd_tile *before, *after; // not clean: in the list
    void *run;                      // running: the owner's handle of the newest run
    nd_tile_result result;
    // The owner's:
    uint64_t collected;   // serial of the edit that has it in its list already
    struct nd_base *base; // reach.h: what it is delivered from
    bool settled;         // reach.h: it may be delivered as its world has judged it
    bool masking;         // reach.h: the run is a masking, not a generation
} nd_tile;

typedef struct nd_focus {
    uint64_t id;
    uint32_t profile;
    double x, z; // in tiles
} nd_focus;

typedef struct nd_heap {
    nd_tile **tiles;
    size_t count, capacity;
} nd_heap;

// Tiles by `since`.
typedef struct nd_tile_list {
    nd_tile *oldest, *newest;
    nd_tile *hint; // where the last one went
    size_t count;
    uint64_t left;  // revision of the tile that left it last
    bool left_last; // it was the last one of its revision
} nd_tile_list;

typedef struct nd_scheduler {
    nd_table tiles;
    nd_heap fresh, missed;
    nd_tile_list open, held; // queued or running; held
    nd_focus *foci;
    size_t focus_count, focus_capacity;
    bool order_stale;
    size_t takes_since_order;
    uint64_t next_order, next_ticket;
    size_t running_count;
    // Per profile since it was last idle: for progress.
    struct {
        uint64_t done, open;
    } * progress;
    uint32_t profile_count;
} nd_scheduler;

void nd_scheduler_init(nd_scheduler *s);
void nd_scheduler_deinit(nd_scheduler *s); // frees the tiles too; accepts a zeroed scheduler

NAV_MUST_USE nav_status nd_scheduler_add_profile(nd_scheduler *s);

// Borrowed; NULL where there is none.
nd_tile *nd_scheduler_find(const nd_scheduler *s, uint32_t profile, int32_t x, int32_t z);
// Finds or makes. A tile made here and never marked is not known to anyone. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_scheduler_touch(nd_scheduler *s, uint32_t profile, int32_t x, int32_t z, nd_tile **out);
// Room for `more` tiles in the table and the heaps: after it, nd_scheduler_mark() cannot fail.
NAV_MUST_USE nav_status nd_scheduler_reserve(nd_scheduler *s, size_t more);
// Forgets a clean tile.
void nd_scheduler_forget(nd_scheduler *s, nd_tile *t);

// The tile's input has changed with this revision. Returns the handle of the run that is outdated by it (cancel it), or
// NULL. forced: make it even where the cache has it.
// revision: as a rule the newest; an older one where the change is a consequence of that revision.
void *nd_scheduler_mark(nd_scheduler *s, nd_tile *t, uint64_t revision, uint64_t now_ns, bool forced);

// The next tile to handle, still queued, or NULL. fresh_only: not those that wait for a worker.
nd_tile *nd_scheduler_next(nd_scheduler *s, bool fresh_only);
// A queued tile that the cache did not have waits for a worker from now on.
void nd_scheduler_miss(nd_scheduler *s, nd_tile *t);
// A queued tile begins a run. Returns its ticket.
uint64_t nd_scheduler_start(nd_scheduler *s, nd_tile *t, void *run);
// A run ends. True: it was the newest of its tile, which is clean now. False: it is outdated, drop its result.
bool nd_scheduler_finish(nd_scheduler *s, nd_tile *t, uint64_t ticket);
// A queued tile is clean without a run (the cache had it), or is given up.
void nd_scheduler_settle(nd_scheduler *s, nd_tile *t);
// Is this the newest run of its tile?
bool nd_scheduler_is_newest(const nd_tile *t, uint64_t ticket);
// The newest run of a tile ends, and the tile is not finished yet: it is queued again, as old as it was.
void nd_scheduler_requeue(nd_scheduler *s, nd_tile *t);
// A queued tile, or one whose newest run ends, is held; a held one is queued.
void nd_scheduler_hold(nd_scheduler *s, nd_tile *t);
void nd_scheduler_release(nd_scheduler *s, nd_tile *t);
// Gives up all queued, running and held tiles: they are clean; runs come back as outdated. visit gets each running
// one's handle. Returns how many.
size_t nd_scheduler_cancel(nd_scheduler *s, void (*visit)(void *user, void *run), void *user);

// Are all tiles done that were marked by this revision or an earlier one?
bool nd_scheduler_done_to(const nd_scheduler *s, uint64_t revision);

// Was the tile that was finished or held last the last one of those that this very revision had made unclean?
bool nd_scheduler_was_last(const nd_scheduler *s, uint64_t revision);

// A focus in units of tiles. The same id again moves it. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_scheduler_set_focus(nd_scheduler *s, uint64_t id, uint32_t profile, double x, double z);
void nd_scheduler_remove_focus(nd_scheduler *s, uint64_t id);

#endif
