// What a run of the generator works with, from one to the next. One thread or process at a time.
#ifndef ND_WORKER_H
#define ND_WORKER_H

#include "core/base/arena.h"
#include "core/base/buffer.h"
#include "daemon/cache/unpacker.h"

struct nd_helper;

typedef struct nd_worker {
    nav_arena arena;   // reset before every task
    nav_buffer output; // emptied before every task; keeps its capacity
    nav_buffer packed; // likewise
    ZSTD_CCtx *zstd;
    ZSTD_CDict *dictionary; // nd_worker_dictionary(); NULL: none yet
    int dictionary_level;
    nd_unpacker unpacker;
    struct nd_helper *helper; // of a thread: the process that runs the generator for it; NULL: it does so itself
} nd_worker;

// Bytes of an arena or a buffer that stay from one task to the next: several times what tiles take.
enum { ND_MOST_KEPT = 16 << 20 };

// arena_budget: bytes a task may take from the arena, 0 for no limit.
void nd_worker_init(nd_worker *w, size_t arena_budget);
// For the next task. What an ordinary tile takes is kept; after a giant one, a hundred times that goes back.
void nd_worker_reset(nd_worker *w);
void nd_worker_deinit(nd_worker *w);
// The protocol's dictionary for a level of compression that is not the daemon's own. NULL: no memory.
const ZSTD_CDict *nd_worker_dictionary(nd_worker *w, int level);

#endif
