// Sorts packed keys in place. Keys are distinct wherever their order matters, so the result is unique. Any thread.
#ifndef NAV_BASE_SORT_H
#define NAV_BASE_SORT_H

#include <stdint.h>

// Ascending, in place, O(n log n).
void nav_sort_u64(uint64_t *keys, int32_t count);

#endif
