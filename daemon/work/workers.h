// DESIGN. The worker pool: threads that take
// tasks from two queues, urgent ones and others. Each queue has a crew of threads of its own, and the threads of the
// others have a lower priority (nice, which needs no privilege): an urgent task, and the loop that hands it over, do
// not wait for one of the others to end. If the system refuses the priority, the crews share the processors as
// equals.
//
// The others must not starve. When urgent tasks come without end, every eighth task that the urgent crew takes is
// one of the others, unless their own threads are free to take it. And when other programs keep the machine so busy
// that those threads hardly run (nd_workers_look), the urgent crew takes over their tasks for a while.
//
// Tasks move: the loop thread fills one and pushes it, a worker owns it while run() is called, and the loop thread
// gets it back in done(). Nothing else is shared, so the mutex and the conditions live in workers.c and nowhere
// else. A worker that finishes wakes the loop with uv_async_send(); wake-ups coalesce, so one drains everything.
// (libuv's own pool is not used: it has 4 threads for the whole process, shared with file and name look-ups.)
//
//      loop: push ──► | urgent | ──► worker: run ───────┬─► | finished | ──uv_async──► loop: done
//                └──► | others | ──► worker, idle: run ─┘
#ifndef ND_WORKERS_H
#define ND_WORKERS_H

#include "daemon/work/nursery.h"
#include "daemon/work/worker.h"

#include <stdbool.h>
#include <uv.h>

#define ND_CREW_REST_NS UINT64_C(10000000000)

typedef struct nd_task nd_task;
struct nd_task {
    nd_task *next;
    bool urgent;                                   // goes to the crew that interrupts the other
    void (*run)(nd_task *task, nd_worker *worker); // worker thread
    void (*done)(nd_task *task, bool ran);         // loop thread; ran is false where the pool closed before its turn
};

typedef struct nd_workers nd_workers;

// Starts the threads, so many for each crew. arena_budget: bytes a task may take from its worker's arena, 0 for no
// limit. nursery: has 2 * threads helpers, the first half eager, which run the generator; it outlives the pool. NULL:
// the threads run it themselves. NAV_ERR_MEMORY, NAV_ERR_IO (no threads to be had).
NAV_MUST_USE nav_status nd_workers_create(uv_loop_t *loop, unsigned threads, size_t arena_budget, nd_nursery *nursery,
                                          nd_workers **out);

// Loop thread only. The task is the pool's until done().
void nd_workers_push(nd_workers *w, nd_task *task);
const nd_nursery *nd_workers_nursery(const nd_workers *w); // NULL: it has none
// Threads of a crew.
unsigned nd_workers_count(const nd_workers *w, bool urgent);
// Now and then while nd_workers_need_looks(): are there helpers, and do the others' threads get a processor? If not,
// the urgent crew has their tasks for ND_CREW_REST_NS. now_ns: monotonic.
void nd_workers_look(nd_workers *w, uint64_t now_ns);
// Tasks of whatever kind are with the pool, or helpers were missing at the last look.
bool nd_workers_need_looks(const nd_workers *w);

// Loop thread only. Calls destroy(what), on a thread of the pool where it is large: the system takes a millisecond or
// more to get back what a few MiB were. bytes: about how large. w may be NULL, and then it is done here.
void nd_workers_dispose(nd_workers *w, size_t bytes, void (*destroy)(void *what), void *what);

// Loop thread only. Waits for the tasks that run now (cancel them first), calls done() for all, ends the threads, and
// frees the pool once its handle is closed: the loop must run on until then. Accepts NULL.
void nd_workers_close(nd_workers *w);

#endif
