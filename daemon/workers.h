// DESIGN. The worker pool: threads that each own an arena, a compression context and an output buffer, and take tasks
// from one queue. Tasks move: the loop thread fills one and pushes it, a worker owns it while run() is called, and the
// loop thread gets it back in done(). Nothing else is shared, so the mutex and the condition live in workers.c and
// nowhere else. A worker that finishes wakes the loop with uv_async_send(); wake-ups coalesce, so one drains
// everything. (libuv's own pool is not used: it has 4 threads for the whole process, shared with file and name
// look-ups.)
//
//      loop: push ──► | queue | ──► worker: run ──► | finished | ──uv_async──► loop: done
#ifndef ND_WORKERS_H
#define ND_WORKERS_H

#include "core/base/arena.h"
#include "core/base/buffer.h"

#include <stdbool.h>
#include <uv.h>
#include <zstd.h>

typedef struct nd_worker {
    nav_arena arena;   // reset before every task
    nav_buffer output; // emptied before every task; keeps its capacity
    nav_buffer packed; // likewise
    ZSTD_CCtx *zstd;
} nd_worker;

typedef struct nd_task nd_task;
struct nd_task {
    nd_task *next;
    void (*run)(nd_task *task, nd_worker *worker); // worker thread
    void (*done)(nd_task *task, bool ran);         // loop thread; ran is false where the pool closed before its turn
};

typedef struct nd_workers nd_workers;

// Starts the threads. arena_budget: bytes a task may take from its worker's arena, 0 for no limit.
// NAV_ERR_MEMORY, NAV_ERR_IO (no threads to be had).
NAV_MUST_USE nav_status nd_workers_create(uv_loop_t *loop, unsigned threads, size_t arena_budget, nd_workers **out);

// Loop thread only. The task is the pool's until done().
void nd_workers_push(nd_workers *w, nd_task *task);
unsigned nd_workers_count(const nd_workers *w);

// Loop thread only. Waits for the tasks that run now (cancel them first), calls done() for all, ends the threads, and
// frees the pool once its handle is closed: the loop must run on until then. Accepts NULL.
void nd_workers_close(nd_workers *w);

#endif
