// What the readers of this folder share: an error with its reason, and sums that cannot overflow.
#ifndef NAV_TILE_REFUSE_H
#define NAV_TILE_REFUSE_H

#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

// Writes the sentence to why (which may be NULL when why_bytes is 0) and returns s.
NAV_MUST_USE nav_status nav_refuse(nav_status s, char *why, size_t why_bytes, const char *format, ...) NAV_PRINTF(4, 5);

// A section of count records behind *end: moves *end behind it, padded to 4 bytes. Counts are 32 bits and records
// small, so that 64 bits hold every sum.
static inline uint64_t nav_section(uint64_t *end, uint64_t count, uint64_t record_bytes)
{
    uint64_t start = *end;
    *end += (count * record_bytes + 3) & ~(uint64_t)3;
    return start;
}

#endif
