// Insertion sort for the short lists that a tile has, heap sort for long ones: no recursion, no worst case.
#include "core/base/sort.h"

enum { SHORT_LIST = 24 };

static void insertion_sort(uint64_t *keys, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        uint64_t k = keys[i];
        int32_t j = i;
        for (; j > 0 && keys[j - 1] > k; j--) keys[j] = keys[j - 1];
        keys[j] = k;
    }
}

static void sift_down(uint64_t *keys, int32_t i, int32_t count)
{
    uint64_t k = keys[i];
    for (;;) {
        int64_t child = 2 * (int64_t)i + 1;
        if (child >= count) break;
        if (child + 1 < count && keys[child + 1] > keys[child]) child++;
        if (keys[child] <= k) break;
        keys[i] = keys[child];
        i = (int32_t)child;
    }
    keys[i] = k;
}

void nav_sort_u64(uint64_t *keys, int32_t count)
{
    if (count <= SHORT_LIST) {
        insertion_sort(keys, count);
        return;
    }
    for (int32_t i = count / 2 - 1; i >= 0; i--) sift_down(keys, i, count);
    for (int32_t end = count - 1; end > 0; end--) {
        uint64_t k = keys[0];
        keys[0] = keys[end];
        keys[end] = k;
        sift_down(keys, 0, end);
    }
}
