// DESIGN. Which tiles of a world must be built, and in which order. There is one entry per profile and tile, however
// often it is marked. No threads, clocks or geometry here, so the state machine can be tested by itself. Loop thread
// only.
//
//               mark                    take                    finish (newest run)
//      CLEAN ──────────► QUEUED ───────────────────► RUNNING ─────────────────────► CLEAN
//                         ▲  │ mark: revision only     │ mark: the run is outdated
//                         └──┴─────────────────────────┘
//
// A mark on a running tile queues it again at once. Its old run is told to stop and comes back as outdated, which
// only the run's ticket tells: "running and stale" is a state of the run, not of the tile. So a newer input, or an
// undo that the cache knows, need not wait for the old run to stop.
//
// Two exceptions. If the tile has been stale for stale_ns already, or is marked again and again, its run goes on: it
// shows more than clients have, its end finishes the tile for what it has read, and the tile is queued for the rest.
// And a tile that is marked continually (REST_STREAK marks, each within rest_ns of the one before) waits beside the
// queue until rest_ns have passed since it was started: an object that never rests costs a bounded number of runs.
//
// In a world with seeds or a minimum area (reach.h), a generated tile may have to be held: its owner knows its
// input, but not yet what is to be delivered of it. Such a tile is not clean, and waits in a list of its own until
// it is released into the queue.
//
// A queued tile is fresh until its input was looked up in the cache. Then it is missed, and waits for a worker. Both
// kinds wait in the flow of the caller who marked them (flow.h). When a focus moves, queued tiles are measured again
// by later takes, a few at a time, which adds a constant to the cost of each take.
//
// Tiles that are not clean are also in a list, in the order of the revision that first made them so. Its head tells
// up to which revision everything is done.
#ifndef ND_SCHEDULER_H
#define ND_SCHEDULER_H

#include "daemon/base/reason.h"
#include "daemon/schedule/failures.h"
#include "daemon/schedule/flow.h"
#include "daemon/schedule/watch.h"

#include <stdbool.h>

typedef enum nd_tile_state {
    ND_TILE_CLEAN,
    ND_TILE_QUEUED,
    ND_TILE_RUNNING,
    ND_TILE_HELD,
    ND_TILE_UNWATCHED, // marked, but left, as nobody watches it (unwatched.h)
} nd_tile_state;

// May others have or make it (work/away.h)? Of its newest input.
typedef enum nd_tile_away {
    ND_AWAY_UNKNOWN, // nobody was asked
    ND_AWAY_NOW,     // running: they were
    ND_AWAY_MISSED,  // queued: nobody has it; it may still be made elsewhere
    ND_AWAY_NEVER,   // queued: it is to be made here
} nd_tile_away;

// What the world knows of a tile's newest finished run. key is the content key of the tile that subscribers have, also
// while the status is failed.
typedef struct nd_tile_result {
    np_tile_status status; // NP_TILE_PENDING: never finished
    nd_reason failure;     // failed: why
    uint64_t revision;     // the world's when its input was read
    uint64_t changed;      // the revision at which what subscribers see of it changed last (changes.h)
    nav_key source, content;
    uint64_t queued_us, made_us;
} nd_tile_result;

// What made a tile unclean.
typedef enum nd_cause_kind {
    ND_BY_INSTANCE, // as nd_kind
    ND_BY_VOLUME,
    ND_BY_LINK,
    ND_BY_AREA,    // `dirty`, or the world's goal
    ND_BY_REACH,   // what can be reached has changed elsewhere
    ND_BY_PROFILE, // it is new
    ND_BY_READER,  // somebody asked for it, and its bytes were not at hand
    ND_BY_RETRY,   // it had failed
    ND_BY_START,   // its world came back
    ND_CAUSES
} nd_cause_kind;

typedef struct nd_cause {
    nd_cause_kind kind;
    nd_caller *caller; // a reference; NULL: the daemon itself
    uint64_t object;   // of an instance, volume or link
    uint64_t revision, at_ns;
} nd_cause;

typedef struct nd_mark {
    uint64_t revision; // as a rule the newest; an older one where the change is a consequence of that revision
    uint64_t now_ns;
    nd_class class;
    bool forced; // make it even where the cache has it
    bool voids;  // what a run has begun is of no use any more: it is outdated, however long the tile has been stale,
                 // and the tile is begun again at once, however often it was marked
    nd_cause_kind by;
    nd_caller *caller; // borrowed; NULL: the daemon itself
    uint64_t object;
} nd_mark;

typedef struct nd_tile {
    // Looked at whenever tiles are found, marked and ordered: together, as there may be a million of them.
    nd_node node;
    int32_t x, z;
    uint32_t profile;
    nd_tile_state state;
    bool missed;    // queued: among those that the cache does not have
    bool forced;    // the next run does not ask the cache
    bool resting;   // queued: beside the queues, until due_ns
    bool told;      // when it was marked, somebody may have been told that it is as it will be at that revision
    bool again;     // running: marked since, and the run goes on; again_since and again_ns tell since when
    uint8_t asked;  // encodings that someone without a subscription asked for, as bits; until it is clean again
    uint8_t streak; // marks that came close to the one before
    uint8_t away;   // nd_tile_away
    nd_class class; // not clean: the most urgent of its marks
    // Queued: in a queue, or among those that rest. Clean and failed: among those to be tried again.
    nd_heap_node heap_node;
    double distance2;               // to the nearest focus of the profile; infinite where there is none
    uint64_t turn;                  // of the queue that it is in (flow.h)
    uint64_t order;                 // age: smaller waits longer
    nd_flow *flow;                  // not clean: of who made it so
    uint64_t collected;             // the owner's: serial of the edit that has it in its list already
    uint64_t since;                 // revision of the oldest mark not yet served
    struct nd_tile *before, *after; // not clean: in the list; unwatched: in that list
    uint64_t marked_ns;             // when that mark came
    nd_cause cause;                 // of the newest mark

    uint64_t due_ns; // of those that rest or are to be tried again
    uint64_t again_since, again_ns;
    uint64_t begun_ns;  // when it was last given to the cache or a worker
    nd_failure failure; // failed: since when, and how often
    uint64_t ticket;    // of the newest run
    void *run;          // running: the owner's handle of the newest run
    nd_tile_result result;
    // The owner's:
    uint64_t stored;      // of what the disk knows of it (store/world_store.h)
    struct nd_base *base; // reach.h: what it is delivered from
    bool settled;         // reach.h: it may be delivered as its world has judged it
    bool masking;         // reach.h: the run is a masking, not a generation
} nd_tile;

typedef struct nd_focus {
    uint64_t id;
    uint32_t profile;
    double x, z; // in tiles
} nd_focus;

// Tiles by `since`.
enum { ND_LIST_REVISIONS = 256 };
typedef struct nd_tile_list {
    nd_tile *oldest, *newest;
    nd_tile *hint;                           // where the last one went
    nd_tile *of_revision[ND_LIST_REVISIONS]; // by `since` modulo so many: one of those tiles, or NULL
    size_t count;
    uint64_t left;  // revision of the tile that left it last
    bool left_last; // it was the last one of its revision
} nd_tile_list;

typedef struct nd_pace {
    uint64_t stale_ns, rest_ns;
} nd_pace;

typedef struct nd_scheduler {
    nd_table tiles;
    nd_flows flows;
    nd_heap resting; // by due_ns
    nd_failures failures;
    const nd_pace *pace;     // the owner's, which may change it; never NULL
    nd_tile_list open, held; // queued or running; held
    // unwatched.h:
    nd_tile_list unwatched; // those that were left, in the order in which they were last looked at
    size_t to_look;         // so many of them, from the oldest on, are to be looked at again
    bool only_watched;      // tiles that no watch needs are left
    nd_watch *watches;
    uint64_t told; // the owner's: the highest revision that a client was told to have completely
    nd_focus *foci;
    size_t focus_count, focus_capacity;
    uint64_t next_order, next_ticket;
    // The owner's: a revision some of whose marks are still to come; 0: none. Of an edit, and of other settings.
    uint64_t marking, remarking;
    size_t running_count;
    size_t unmade; // tiles that have never had a result
    // Per profile: done and open since it was last idle, for progress; and how many there are.
    struct {
        uint64_t done, open, tiles;
    } * progress;
    uint32_t profile_count;
} nd_scheduler;

void nd_scheduler_init(nd_scheduler *s);
void nd_scheduler_deinit(nd_scheduler *s); // frees the tiles too; accepts a zeroed scheduler
// Frees some tiles, after `forget` for each. False: there are none left. Only this and nd_scheduler_deinit() may
// follow.
bool nd_scheduler_empty_some(nd_scheduler *s, size_t enough, void (*forget)(nd_tile *t));

NAV_MUST_USE nav_status nd_scheduler_add_profile(nd_scheduler *s);

// It will be asked for soon: the processor fetches what is needed to find it and to say what it is. Nothing else
// follows. (A compiler drops calls that do no more than this, so it must not be one.)
__attribute__((always_inline)) static inline void nd_scheduler_expect(const nd_scheduler *s, uint32_t profile,
                                                                      int32_t x, int32_t z)
{
    const nd_node *n = nd_table_slot(&s->tiles, nd_hash_tile(profile, x, z));
    if (!n) return;
    const nd_tile *t = ND_HOLDER(n, nd_tile, node);
    __builtin_prefetch(t);
    __builtin_prefetch(&t->result);
    __builtin_prefetch(&t->result.content);
}

// Borrowed; NULL where there is none.
nd_tile *nd_scheduler_find(const nd_scheduler *s, uint32_t profile, int32_t x, int32_t z);
// Finds or makes. A tile made here and never marked is not known to anyone. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_scheduler_touch(nd_scheduler *s, uint32_t profile, int32_t x, int32_t z, nd_tile **out);
// Its result has changed; before: its status until then.
void nd_scheduler_note_result(nd_scheduler *s, const nd_tile *t, np_tile_status before);
// Forgets a clean tile.
void nd_scheduler_forget(nd_scheduler *s, nd_tile *t);
// Forgets a tile in any state. Its run, if it has one, comes back as that of a tile that is not there.
void nd_scheduler_drop(nd_scheduler *s, nd_tile *t);

// The tile's input has changed. Returns the handle of the run that is outdated by it (cancel it), or NULL.
void *nd_scheduler_mark(nd_scheduler *s, nd_tile *t, const nd_mark *m);

// Somebody asks for the tile and its bytes are not at hand: marks it, unless it is on its way. Its input did not
// change, so it is nobody's edit.
void nd_scheduler_want(nd_scheduler *s, nd_tile *t, uint64_t revision, uint64_t now_ns);

// The next tile of a class to handle, still queued, or NULL: one that the cache was not asked for, or (missed) one that
// waits for a worker.
nd_tile *nd_scheduler_next(nd_scheduler *s, nd_class c, bool missed);
// A queued tile that the cache did not have waits for a worker from now on.
void nd_scheduler_miss(nd_scheduler *s, nd_tile *t);
// Tiles that have rested go into the queue. The time when the next one will have, or UINT64_MAX.
void nd_scheduler_wake(nd_scheduler *s, uint64_t now_ns);
uint64_t nd_scheduler_due(const nd_scheduler *s);
// How many wait, for whatever.
size_t nd_scheduler_queued(const nd_scheduler *s);
// A queued tile begins a run. Returns its ticket.
uint64_t nd_scheduler_start(nd_scheduler *s, nd_tile *t, void *run);
// The same for a run that others do. Nobody waits for them: a mark outdates it, however long the tile has been stale.
uint64_t nd_scheduler_start_away(nd_scheduler *s, nd_tile *t);
// A run ends. True: it was the newest of its tile, which is clean now, or queued where it was marked since. False: it
// is outdated, drop its result.
bool nd_scheduler_finish(nd_scheduler *s, nd_tile *t, uint64_t ticket);
// A queued tile is clean without a run (the cache had it), or is given up.
void nd_scheduler_settle(nd_scheduler *s, nd_tile *t);
// Private to the scheduler's files: an unwatched tile leaves its list.
void nd_scheduler_take_unwatched(nd_scheduler *s, nd_tile *t);
// Is this the newest run of its tile?
bool nd_scheduler_is_newest(const nd_tile *t, uint64_t ticket);
// The newest run of a tile ends, and another one goes on with what it has made. Returns that one's ticket.
uint64_t nd_scheduler_run_on(nd_scheduler *s, nd_tile *t, void *run);
// Is the tile edited faster than it is made? Then whatever its runs make is shown, and it is not held.
bool nd_scheduler_is_restless(const nd_tile *t);
// The newest run of a tile ends, and the tile is not finished yet: it is queued again, as old as it was.
void nd_scheduler_requeue(nd_scheduler *s, nd_tile *t);
// The newest run of a tile was a look-up that found nothing: it is queued again, as old as it was, and missed.
void nd_scheduler_give_back(nd_scheduler *s, nd_tile *t);
// A queued tile, or one whose newest run ends, is held (queued, where it was marked since); a held one is queued.
void nd_scheduler_hold(nd_scheduler *s, nd_tile *t);
void nd_scheduler_release(nd_scheduler *s, nd_tile *t);
// Gives up the queued, running and held tiles of one revision, or of all where it is NULL: they are clean; runs come
// back as outdated. visit gets each running one's handle. Returns how many.
size_t nd_scheduler_cancel(nd_scheduler *s, const uint64_t *revision, void (*visit)(void *user, void *run), void *user);

// The oldest revision some of whose marks are still to come; UINT64_MAX: none.
static inline uint64_t nd_scheduler_first_unmarked(const nd_scheduler *s)
{
    uint64_t a = s->marking ? s->marking : UINT64_MAX, b = s->remarking ? s->remarking : UINT64_MAX;
    return a < b ? a : b;
}

// Are all tiles done that were marked by this revision or an earlier one?
bool nd_scheduler_done_to(const nd_scheduler *s, uint64_t revision);

// The highest revision, up to `newest`, for which that is so.
uint64_t nd_scheduler_complete_to(const nd_scheduler *s, uint64_t newest);

// Was the tile that was finished or held last the last one of those that this very revision had made unclean?
bool nd_scheduler_was_last(const nd_scheduler *s, uint64_t revision);

// A focus in units of tiles. The same id again moves it. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_scheduler_set_focus(nd_scheduler *s, uint64_t id, uint32_t profile, double x, double z);
void nd_scheduler_remove_focus(nd_scheduler *s, uint64_t id);

#endif
