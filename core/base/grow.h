// Arrays that grow inside an arena by doubling. The old copies are freed with the arena. One thread.
#ifndef NAV_BASE_GROW_H
#define NAV_BASE_GROW_H

#include "core/base/arena.h"

#include <stdint.h>

NAV_MUST_USE nav_status nav_grow_further(nav_arena *arena, void **items, int32_t *capacity, int64_t count, size_t size);

// Makes room for `count` items of `size` bytes in *items, whose capacity is *capacity (0: none yet; *items may then be
// anything). Contents are kept. On failure nothing changes.
NAV_MUST_USE static inline nav_status nav_grow(nav_arena *arena, void **items, int32_t *capacity, int64_t count,
                                               size_t size)
{
    return count <= *capacity ? NAV_OK : nav_grow_further(arena, items, capacity, count, size);
}

#endif
