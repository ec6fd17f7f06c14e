#include "core/partition/runs.h"

#include "core/lanes/u8x64.h"
#include "navcore/settings.h"

#include <string.h>

enum { WALKABLE, JOINED, DOWN, STACKED }; // bits of a span's flags; stacked: on another span of its column

static void flag_spans(const nav_compact_heightfield *f, uint8_t *restrict flags)
{
    const int32_t *left = f->connection[0], *down = f->connection[3], *column = f->column;
    const uint8_t *area = f->area;
    flags[0] = (uint8_t)((area[0] != NAV_AREA_NONE) << WALKABLE | (down[0] >= 0) << DOWN);
    for (int32_t i = 1; i < f->span_count; i++) {
        int32_t joined = (left[i] == i - 1) & (area[i] == area[i - 1]);
        flags[i] = (uint8_t)((area[i] != NAV_AREA_NONE) << WALKABLE | joined << JOINED | (down[i] >= 0) << DOWN |
                             (column[i] == column[i - 1]) << STACKED);
    }
}

// Spreads bits upwards within their columns, onto the spans above them. carry: of the word before.
static uint64_t spread(uint64_t from, uint64_t stacked, uint64_t carry)
{
    uint64_t reached = (from << 1 | carry) & stacked, more;
    while ((more = reached << 1 & stacked & ~reached)) reached |= more;
    return reached;
}

static uint64_t spread_down(uint64_t from, uint64_t under, uint64_t carry)
{
    uint64_t reached = (from >> 1 | carry) & under, more;
    while ((more = reached >> 1 & under & ~reached)) reached |= more;
    return reached;
}

// Finds the walkable spans with another walkable span in their column, above or below.
static void find_crowded(nav_run_bits *b, const uint64_t *walkable, const uint64_t *stacked, int32_t words)
{
    uint64_t carry = 0;
    for (int32_t w = 0; w < words; w++) {
        uint64_t above = spread(walkable[w], stacked[w], carry);
        carry = (walkable[w] | above) >> 63;
        b->crowded[w] = above;
    }
    carry = 0;
    for (int32_t w = words - 1; w >= 0; w--) {
        uint64_t next = w + 1 < words ? stacked[w + 1] : 0, under = stacked[w] >> 1 | next << 63;
        uint64_t below = spread_down(walkable[w], under, carry);
        carry = ((walkable[w] | below) & 1) << 63;
        b->crowded[w] = (b->crowded[w] | below) & walkable[w];
    }
}

nav_status nav_run_bits_init(nav_run_bits *b, const nav_compact_heightfield *f, nav_arena *arena)
{
    int32_t words = (f->span_count >> 6) + 1;
    *b = (nav_run_bits){
        .starts = NAV_TAKE(arena, uint64_t, words),
        .stops = NAV_TAKE(arena, uint64_t, words),
        .down = NAV_TAKE(arena, uint64_t, words),
        .crowded = NAV_TAKE(arena, uint64_t, words),
    };
    nav_arena_mark mark = nav_arena_get_mark(arena);
    uint64_t *walkable = NAV_TAKE(arena, uint64_t, words), *stacked = NAV_TAKE(arena, uint64_t, words);
    uint8_t *flags = NAV_TAKE(arena, uint8_t, 64 * (size_t)words);
    if (!b->starts || !b->stops || !b->down || !b->crowded || !walkable || !stacked || !flags)
        return nav_arena_failure(arena);
    memset(flags + f->span_count, 0, 64 * (size_t)words - (size_t)f->span_count);
    if (f->span_count > 0) flag_spans(f, flags);
    uint64_t any = 0;
    for (int32_t w = 0; w < words; w++) {
        const uint8_t *block = flags + 64 * (size_t)w;
        walkable[w] = u8x64_test(block, WALKABLE);
        stacked[w] = u8x64_test(block, STACKED);
        any |= stacked[w];
        b->down[w] = u8x64_test(block, DOWN);
        b->starts[w] = ~u8x64_test(block, JOINED);
    }
    if (any)
        find_crowded(b, walkable, stacked, words);
    else
        memset(b->crowded, 0, (size_t)words * sizeof *b->crowded);
    // A span beside a crowded one begins a run, too: crowded bits and those after them.
    uint64_t carry = 0;
    for (int32_t w = 0; w < words; w++) {
        b->starts[w] |= b->crowded[w] | b->crowded[w] << 1 | carry;
        carry = b->crowded[w] >> 63;
        b->starts[w] &= walkable[w];
        b->stops[w] = b->starts[w] | ~walkable[w];
    }
    for (int32_t z = f->border; z < f->width - f->border; z++) { // the padding's runs do not go on in the tile's rows
        int32_t i = nav_run_bits_row_first(f, z);
        uint64_t bit = UINT64_C(1) << (i & 63);
        b->starts[i >> 6] |= walkable[i >> 6] & bit;
        b->stops[i >> 6] |= bit;
    }
    nav_arena_release(arena, mark);
    return NAV_OK;
}
