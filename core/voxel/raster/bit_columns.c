#include "core/voxel/raster/bit_columns.h"

_Static_assert(NAV_BIT_WORDS_MAX <= 8, "a column's words fit a byte of flags");

enum { READ_BLOCK = 64 }; // columns

bool nav_bit_columns_fit(int32_t bottom, int32_t top, uint64_t areas)
{
    int area_count = 0;
    for (; areas; areas &= areas - 1) area_count++;
    return area_count <= NAV_BIT_AREAS_MAX && (int64_t)top - bottom < 64 * NAV_BIT_WORDS_MAX;
}

nav_status nav_bit_columns_init(nav_bit_columns *b, int32_t width, int32_t bottom, int32_t top, uint64_t areas,
                                nav_arena *arena)
{
    *b = (nav_bit_columns){.columns = width * width, .words = (top - bottom) / 64 + 1, .base = bottom};
    size_t plane = (size_t)b->words * (size_t)b->columns + NAV_BIT_ROWS_BEYOND * (size_t)width;
    plane += 7; // up to eight columns are written, or read, at a time
    b->solid = NAV_TAKE_ZERO(arena, uint64_t, plane);
    if (!b->solid) return nav_arena_failure(arena);
    for (int area = NAV_AREA_COUNT - 1; area > NAV_AREA_NONE; area--) {
        if (!(areas >> area & 1)) continue;
        int k = b->area_count++;
        b->areas[k] = (uint8_t)area;
        b->area_tops[area] = b->tops[k] = NAV_TAKE_ZERO(arena, uint64_t, plane);
        if (!b->tops[k]) return nav_arena_failure(arena);
    }
    return NAV_OK;
}

// The area type of the run [bottom, top), voxels of a column above the base, that goes through several words: the
// highest among pieces that end within climb of its top.
static uint8_t area_of_long_run(const nav_bit_columns *b, int32_t column, int32_t bottom, int32_t top, int32_t climb)
{
    int32_t high = top - 1, low = high - bottom > climb ? high - climb : bottom;
    for (int32_t k = 0; k < b->area_count; k++) {
        for (int32_t w = low >> 6; w <= high >> 6; w++) {
            uint64_t tops = b->tops[k][(size_t)w * (size_t)b->columns + (size_t)column];
            if (w == low >> 6) tops &= ~UINT64_C(0) << (low & 63);
            if (w == high >> 6) tops &= ~UINT64_C(0) >> (63 - (high & 63));
            if (tops) return b->areas[k];
        }
    }
    return NAV_AREA_NONE;
}

// Where the run ends that fills the last bit of word w.
static int32_t top_of_long_run(const nav_bit_columns *b, int32_t column, int32_t w)
{
    while (++w < b->words) {
        uint64_t solid = b->solid[(size_t)w * (size_t)b->columns + (size_t)column];
        if (~solid) return 64 * w + __builtin_ctzll(~solid);
    }
    return 64 * b->words;
}

// The highest area type that ends in the bits `run` of a word, `shift` or more above its start.
static inline uint8_t area_of_run(const nav_bit_columns *b, size_t word, uint64_t run, int32_t shift, bool one_area)
{
    if (one_area) return (b->tops[0][word] & run) >> shift ? b->areas[0] : NAV_AREA_NONE;
    uint8_t area = NAV_AREA_NONE;
    for (int32_t k = b->area_count - 1; k >= 0; k--) area = (b->tops[k][word] & run) >> shift ? b->areas[k] : area;
    return area;
}

// Reads the runs of a column; `words` says which of its words have bits.
static inline int32_t read_column(const nav_bit_columns *b, int32_t column, uint32_t words, int32_t climb,
                                  bool one_area, const nav_heightfield *out, int32_t at)
{
    int32_t read = 0; // voxels
    for (; words; words &= words - 1) {
        int32_t w = __builtin_ctz(words), from = 64 * w;
        size_t word = (size_t)w * (size_t)b->columns + (size_t)column;
        uint64_t solid = b->solid[word];
        if (read > from) { // by a long run
            if (read >= from + 64) continue;
            solid &= ~UINT64_C(0) << (read - from);
        }
        while (solid) {
            int32_t bottom = __builtin_ctzll(solid), top;
            uint64_t past = solid + (solid & -solid); // the sum carries from the run's start past its end
            if (past & ~solid) {
                top = __builtin_ctzll(past & ~solid);
                int32_t shift = top - 1 > climb ? top - 1 - climb : 0;
                out->area[at] = area_of_run(b, word, solid & ~past, shift, one_area);
            } else {
                read = top_of_long_run(b, column, w);
                top = read - from;
                out->area[at] = area_of_long_run(b, column, from + bottom, read, climb);
                past = 0;
            }
            out->bottom[at] = b->base + from + bottom;
            out->top[at++] = b->base + from + top;
            solid &= past;
        }
    }
    return at;
}

// Reads columns [from, end).
static inline int32_t read_block(const nav_bit_columns bits, int32_t from, int32_t end, int32_t climb, bool one_area,
                                 nav_heightfield *out, int32_t at)
{
    const nav_bit_columns *b = &bits;
    const nav_heightfield spans = *out; // the arrays in locals: a store of bytes may alias all else
    int32_t crowded_count = out->crowded_count;
    // Which words have bits is hard to predict where ground slopes: no branch for each of them.
    uint8_t words[READ_BLOCK] = {0};
    for (int32_t w = 0; w < b->words; w++) {
        const uint64_t *solid = b->solid + (size_t)w * (size_t)b->columns + from;
        for (int32_t k = 0; k < end - from; k++) words[k] |= (uint8_t)((solid[k] != 0) << w);
    }
    for (int32_t c = from; c < end; c++) {
        uint32_t used = words[c - from];
        spans.column_first[c] = at;
        if (!used) continue;
        int32_t w = __builtin_ctz(used);
        size_t word = (size_t)w * (size_t)b->columns + (size_t)c;
        uint64_t solid = b->solid[word], past = solid + (solid & -solid);
        if (!(used & (used - 1)) && !(past & (past - 1)) && past) { // one run in one word, as most have
            int32_t bottom = 64 * w + __builtin_ctzll(solid), last = __builtin_ctzll(past) - 1;
            spans.bottom[at] = b->base + bottom;
            spans.top[at] = b->base + 64 * w + last + 1;
            spans.area[at++] = area_of_run(b, word, solid, last > climb ? last - climb : 0, one_area);
            continue;
        }
        int32_t first = at;
        at = read_column(b, c, used, climb, one_area, &spans, at);
        if (at - first > 1) spans.crowded[crowded_count++] = c;
    }
    out->crowded_count = crowded_count;
    return at;
}

nav_status nav_bit_columns_read(const nav_bit_columns *bits, int32_t climb, nav_arena *arena, nav_heightfield *out)
{
    const nav_bit_columns b = *bits;
    int64_t most = (int64_t)b.columns * b.words * 32;
    int32_t room = b.fragment_count < most ? (int32_t)b.fragment_count : (int32_t)most;
    out->column_first = NAV_TAKE(arena, int32_t, b.columns + 1);
    out->bottom = NAV_TAKE(arena, int32_t, room);
    out->top = NAV_TAKE(arena, int32_t, room);
    out->area = NAV_TAKE(arena, uint8_t, room);
    out->crowded = NAV_TAKE(arena, int32_t, room / 2);
    if (!out->column_first || !out->bottom || !out->top || !out->area || !out->crowded) return nav_arena_failure(arena);

    int32_t at = 0;
    for (int32_t c = 0; c < b.columns; c += READ_BLOCK) {
        int32_t end = c + READ_BLOCK < b.columns ? c + READ_BLOCK : b.columns;
        if (b.area_count == 1) // as is the rule
            at = read_block(b, c, end, climb, true, out, at);
        else
            at = read_block(b, c, end, climb, false, out, at);
    }
    out->column_first[b.columns] = out->span_count = at;
    return NAV_OK;
}
