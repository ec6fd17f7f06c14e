#include "daemon/work/worker.h"

#include "protocol/dictionary.h"

void nd_worker_init(nd_worker *w, size_t arena_budget)
{
    *w = (nd_worker){.zstd = ZSTD_createCCtx()};
    nav_arena_init(&w->arena, arena_budget);
}

static void shrink(nav_buffer *b)
{
    if (b->capacity > ND_MOST_KEPT) nav_buffer_deinit(b);
    b->size = 0;
}

void nd_worker_reset(nd_worker *w)
{
    shrink(&w->output);
    shrink(&w->packed);
    if (w->arena.held_bytes <= ND_MOST_KEPT) {
        nav_arena_reset(&w->arena);
        return;
    }
    size_t budget = w->arena.budget_bytes;
    nav_arena_deinit(&w->arena);
    nav_arena_init(&w->arena, budget);
}

void nd_worker_deinit(nd_worker *w)
{
    nav_arena_deinit(&w->arena);
    nav_buffer_deinit(&w->output);
    nav_buffer_deinit(&w->packed);
    ZSTD_freeCCtx(w->zstd);
    ZSTD_freeCDict(w->dictionary);
    nd_unpacker_deinit(&w->unpacker);
}

const ZSTD_CDict *nd_worker_dictionary(nd_worker *w, int level)
{
    if (w->dictionary && w->dictionary_level == level) return w->dictionary;
    ZSTD_freeCDict(w->dictionary);
    w->dictionary = ZSTD_createCDict(np_dictionary, np_dictionary_bytes, level);
    w->dictionary_level = level;
    return w->dictionary;
}
