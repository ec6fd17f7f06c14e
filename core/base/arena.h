// A stack arena: the memory of one worker. Allocation moves a pointer; release moves it back to a mark. Blocks are
// taken from the heap only when the arena is too small, and nav_arena_reset() joins them into one block of the largest
// size seen, so that after a warm-up no job allocates at all.
//
//     | block 0 ............| block 1 ....|
//       ^mark      ^top
//
// Owner: one thread at a time. Under AddressSanitizer released memory is poisoned, and so is a strip
// behind each allocation.
#ifndef NAV_BASE_ARENA_H
#define NAV_BASE_ARENA_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct nav_arena_block nav_arena_block;

typedef struct nav_arena {
    nav_arena_block *top_block; // newest block; older ones hang behind it
    size_t budget_bytes;        // 0: no limit
    size_t held_bytes;          // heap memory held, all blocks
    size_t used_bytes;          // allocated at the moment
    size_t peak_bytes;          // most ever used at once
    bool refused;               // since the last reset, a take was refused for the budget, not by the heap
} nav_arena;

typedef struct nav_arena_mark {
    nav_arena_block *block;
    size_t offset, used_bytes;
} nav_arena_mark;

// Prepares an empty arena in the caller's storage; takes no memory yet. budget_bytes bounds what may be used at once.
void nav_arena_init(nav_arena *a, size_t budget_bytes);
// Frees everything. Accepts a zeroed arena.
void nav_arena_deinit(nav_arena *a);
// Forgets all allocations and joins the blocks into one. Call between jobs.
void nav_arena_reset(nav_arena *a);

// Returns count * size bytes aligned to 32, or NULL when the product overflows, the budget would be exceeded or the
// heap has none. Contents are undefined. count == 0 gives a valid pointer.
void *nav_arena_take(nav_arena *a, size_t count, size_t size);
// The same, zeroed.
void *nav_arena_take_zero(nav_arena *a, size_t count, size_t size);

nav_arena_mark nav_arena_get_mark(const nav_arena *a);
// Gives back all that was taken since the mark.
void nav_arena_release(nav_arena *a, nav_arena_mark m);

// Why did a nav_arena_take() return NULL since the last reset? NAV_ERR_LIMIT or NAV_ERR_MEMORY.
nav_status nav_arena_failure(const nav_arena *a);

#define NAV_TAKE(arena, type, count) ((type *)nav_arena_take((arena), (size_t)(count), sizeof(type)))
#define NAV_TAKE_ZERO(arena, type, count) ((type *)nav_arena_take_zero((arena), (size_t)(count), sizeof(type)))

#endif
