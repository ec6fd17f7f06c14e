#include "core/base/grow.h"

#include <string.h>

enum { FIRST_CAPACITY = 64 };

nav_status nav_grow_further(nav_arena *arena, void **items, int32_t *capacity, int64_t count, size_t size)
{
    if (count > INT32_MAX) return NAV_ERR_LIMIT;
    int64_t want = *capacity < FIRST_CAPACITY ? FIRST_CAPACITY : 2 * (int64_t)*capacity;
    if (want < count) want = count;
    if (want > INT32_MAX) want = INT32_MAX;
    void *grown = nav_arena_take(arena, (size_t)want, size);
    if (!grown) return nav_arena_failure(arena);
    if (*capacity > 0) memcpy(grown, *items, (size_t)*capacity * size);
    *items = grown;
    *capacity = (int32_t)want;
    return NAV_OK;
}
