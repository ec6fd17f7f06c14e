// Sorts in place. Keys are distinct, or the same in all that counts, wherever their order matters, so the result is
// unique. Any thread.
#ifndef NAV_BASE_SORT_H
#define NAV_BASE_SORT_H

#include <stdint.h>

// Ascending, in place, O(n log n).
void nav_sort_u64(uint64_t *keys, int32_t count);

// Defines `static void NAME(TYPE *items, int32_t count, CONTEXT context)`: Shell's sort, for a few items or for
// thousands in any order. BEFORE(context, a, b), of two pointers to items: does a come first?
#define NAV_DEFINE_SORT(NAME, TYPE, CONTEXT, BEFORE)                                                                   \
    static void NAME(TYPE *items, int32_t count, CONTEXT context)                                                      \
    {                                                                                                                  \
        int32_t gap = 1;                                                                                               \
        while (gap < count / 3) gap = 3 * gap + 1;                                                                     \
        for (; gap > 0; gap /= 3)                                                                                      \
            for (int32_t i = gap; i < count; i++) {                                                                    \
                TYPE item = items[i];                                                                                  \
                int32_t k = i;                                                                                         \
                for (; k >= gap && BEFORE(context, &item, &items[k - gap]); k -= gap) items[k] = items[k - gap];       \
                items[k] = item;                                                                                       \
            }                                                                                                          \
    }

#endif
