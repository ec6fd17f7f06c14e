// A call that is answered over a profile's tiles, of whatever kind. A kind is what a method of the protocol does:
//
//     loop:    the handler makes the call ── nd_paths_ask() ──► it waits for tiles and workers
//     workers: answer(), once for each of its items, several at the same time, all over the same tiles
//     loop:    reply()
//
// To add a kind, put it into a file of its own: a struct that begins with nd_path_call, a function that makes one from
// the decoded request, and its nd_path_kind. The handler is nd_method_path_find() with other names. find.c is the
// example.
#ifndef ND_PATH_CALL_H
#define ND_PATH_CALL_H

#include "core/base/arena.h"
#include "daemon/session/reply.h"
#include "daemon/work/workers.h"
#include "navcore/climb.h"
#include "navcore/path_landmarks.h"

#include <stdatomic.h>

typedef struct nd_path_call nd_path_call;

// What a worker answers items with.
typedef struct nd_path_hand {
    const nav_path_set *set;
    const nav_climb_set *climb; // instead of it; NULL: floors
    nav_path_finder *finder;
    nav_climb_finder *climber; // for `climb`, made by who needs it; goes with the part's last item
    nav_arena arena;           // for what answers hold besides the call's own memory; lives as long as the call
    uint64_t spent;            // nodes of its searches that landmarks may save
} nd_path_hand;

typedef struct nd_path_kind {
    np_method method;
    // Worker: answers one item. Items share nothing that is written but what is atomic. Long work asks
    // nd_path_call_is_over() now and then. An error is the whole call's: NAV_ERR_MEMORY.
    nav_status (*answer)(nd_path_call *c, nd_path_hand *hand, uint32_t item);
    // Loop thread: all items are answered. s: whoever asked. Of an `own` call it is NULL, and the call's status tells
    // whether they are; what the function makes of it is the status that the ground goes by.
    void (*reply)(nd_path_call *c, nd_session *s);
    void (*destroy)(nd_path_call *c); // frees the struct and what it owns
} nd_path_kind;

// One of those that answer a call's items at the same time.
typedef struct nd_path_part nd_path_part;

struct nd_path_call {
    const nd_path_kind *kind; // set by the kind, as is all up to bytes
    uint32_t count;           // items
    size_t bytes;             // of memory that it holds
    uint64_t session;
    uint32_t request;
    np_axes axes; // in which it is answered
    bool own;     // no session asked
    // The ground's from here on.
    nd_path_call *next;
    uint64_t number;           // by age
    uint64_t asked_ns, end_ns; // end_ns: when its search is given up
    uint32_t max_nodes;        // of a search
    uint64_t revision;         // of the world, when it came to workers
    uint32_t open_tiles;       // that did not show it
    nd_path_part *parts;
    uint32_t running; // parts at workers
    nav_status status;
    atomic_uint next_item;
    atomic_bool cancelled;
};

// c is zeroed.
void nd_path_call_init(nd_path_call *c, const nd_path_kind *kind, uint32_t count, size_t bytes);
void nd_path_call_destroy(nd_path_call *c); // as its kind does it; accepts NULL
// Any thread: nobody waits for it any more, or it has taken as long as a call may.
bool nd_path_call_is_over(const nd_path_call *c);
// The same, as a search asks it: user is the call.
bool nd_path_call_stop(void *user);

// Part of a call at a worker. Loop thread but for run().
struct nd_path_part {
    nd_task task;
    nd_path_part *next; // of the call
    nd_path_call *call;
    void *owner;
    nd_path_hand hand;
    nav_status status;
};

// Belongs to the call. NULL: no memory.
nd_path_part *nd_path_part_create(nd_path_call *c);
void nd_path_part_run(nd_task *task, nd_worker *worker); // tasks' run()
static inline bool nd_path_call_has_items(const nd_path_call *c)
{
    return atomic_load_explicit(&c->next_item, memory_order_relaxed) < c->count;
}

#endif
