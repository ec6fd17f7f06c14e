// The walkable spans of a tile's own columns as runs along x, found 64 spans at a time.
//
//      row z     aaaaaa.bbbb..     A run is a chain of connected spans of one area type, with consecutive indices: a
//      spans     0    5 6  9       run that begins at span s in column c has span s + k in column c + k. A span of a
//                                  crowded column (one with several walkable spans) is a run of its own.
//
// Most rows have few runs, so questions about runs cost next to nothing beside questions about spans.
#ifndef NAV_PARTITION_RUNS_H
#define NAV_PARTITION_RUNS_H

#include "core/base/arena.h"
#include "core/voxel/spans/compact.h"

typedef struct nav_run {
    int32_t first, end; // spans; or a stretch of crowded columns, whose spans are runs of their own
} nav_run;

// A bit per span of the field, 64 to a word.
typedef struct nav_run_bits {
    uint64_t *starts;  // where a run begins
    uint64_t *stops;   // what no run goes on into: starts, and spans that are not walkable
    uint64_t *down;    // spans connected to z-
    uint64_t *crowded; // walkable spans of crowded columns
} nav_run_bits;

// NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena. The padding's bits say nothing but for `down` and `crowded`.
NAV_MUST_USE nav_status nav_run_bits_init(nav_run_bits *b, const nav_compact_heightfield *f, nav_arena *arena);

static inline int32_t nav_run_bits_row_first(const nav_compact_heightfield *f, int32_t z)
{
    return f->column_first[z * f->width + f->border];
}

static inline int32_t nav_run_bits_row_end(const nav_compact_heightfield *f, int32_t z)
{
    return f->column_first[(z + 1) * f->width - f->border];
}

// The first set bit in [from, end); end where there is none.
static inline int32_t nav_bits_next(const uint64_t *bits, int32_t from, int32_t end)
{
    if (from >= end) return end;
    int32_t word = from >> 6;
    uint64_t set = bits[word] >> (from & 63);
    if (set) {
        from += __builtin_ctzll(set);
        return from < end ? from : end;
    }
    while (++word << 6 < end) {
        if (!bits[word]) continue;
        from = (word << 6) + __builtin_ctzll(bits[word]);
        return from < end ? from : end;
    }
    return end;
}

// The first clear bit in [from, end); end where there is none.
static inline int32_t nav_bits_next_clear(const uint64_t *bits, int32_t from, int32_t end)
{
    while (from < end) {
        uint64_t clear = ~bits[from >> 6] >> (from & 63);
        if (clear) {
            from += __builtin_ctzll(clear);
            return from < end ? from : end;
        }
        from = ((from >> 6) + 1) << 6;
    }
    return end;
}

static inline bool nav_bits_has(const uint64_t *bits, int32_t i)
{
    return bits[i >> 6] >> (i & 63) & 1;
}

#endif
