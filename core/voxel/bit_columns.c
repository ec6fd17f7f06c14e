#include "core/voxel/bit_columns.h"

_Static_assert(64 * NAV_BIT_WORDS_MAX <= (int)NAV_FLAT_LEVELS, "the heights of a column fit the flat form");

bool nav_bit_columns_fit(int32_t bottom, int32_t top, uint64_t areas)
{
    int area_count = 0;
    for (; areas; areas &= areas - 1) area_count++;
    return area_count <= NAV_BIT_AREAS_MAX && (int64_t)top - bottom <= 64 * NAV_BIT_WORDS_MAX;
}

nav_status nav_bit_columns_init(nav_bit_columns *b, int32_t width, int32_t bottom, int32_t top, uint64_t areas,
                                nav_arena *arena)
{
    *b = (nav_bit_columns){.columns = width * width, .words = (top - bottom + 63) / 64, .base = bottom};
    size_t plane = (size_t)b->words * (size_t)b->columns + 3; // four columns are written at a time
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

// The area type of a run of a column that goes through several words: the highest among pieces that end in bits [low,
// high].
static uint8_t area_of_long_run(const nav_bit_columns *b, int32_t column, int32_t low, int32_t high)
{
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

static int32_t end_long_run(const nav_bit_columns *b, int32_t column, int32_t bottom, int32_t top, int32_t climb,
                            const nav_solid_field *out, int32_t at)
{
    int32_t last = top - 1;
    out->bottom[at] = b->base + bottom;
    out->top[at] = b->base + top;
    out->area[at] = area_of_long_run(b, column, last - bottom > climb ? last - climb : bottom, last);
    return at + 1;
}

// The runs inside of one word. Returns the first bit of a run that goes on in the word above, or -1.
static inline int32_t read_word(const nav_bit_columns *b, int32_t column, int32_t w, uint64_t solid, int32_t climb,
                                const nav_solid_field *out, int32_t *at)
{
    size_t word = (size_t)w * (size_t)b->columns + (size_t)column;
    int32_t base = b->base + 64 * w;
    while (solid) {
        int32_t bottom = __builtin_ctzll(solid);
        uint64_t past = solid + (solid & -solid); // the sum carries from the run's start past its end
        uint64_t end = past & ~solid, run = solid & ~past;
        if (!end) return 64 * w + bottom;
        int32_t top = __builtin_ctzll(end);
        if (top - 1 > climb) run &= ~UINT64_C(0) << (top - 1 - climb);
        uint8_t area = NAV_AREA_NONE;
        for (int32_t k = b->area_count - 1; k >= 0; k--) area = b->tops[k][word] & run ? b->areas[k] : area;
        out->bottom[*at] = base + bottom;
        out->top[*at] = base + top;
        out->area[(*at)++] = area;
        solid &= past;
    }
    return -1;
}

static inline int32_t read_column(const nav_bit_columns *b, int32_t column, int32_t climb, const nav_solid_field *out,
                                  int32_t at)
{
    int32_t open = -1; // first bit of a run that has reached the end of the word before
    for (int32_t w = 0; w < b->words; w++) {
        uint64_t solid = b->solid[(size_t)w * (size_t)b->columns + (size_t)column];
        if (open >= 0) {
            if (!~solid) continue;
            at = end_long_run(b, column, open, 64 * w + __builtin_ctzll(~solid), climb, out, at);
            solid &= solid + 1; // without the run's rest
        }
        open = read_word(b, column, w, solid, climb, out, &at);
    }
    return open < 0 ? at : end_long_run(b, column, open, 64 * b->words, climb, out, at);
}

nav_status nav_bit_columns_read(const nav_bit_columns *bits, int32_t climb, nav_arena *arena, nav_solid_field *out)
{
    const nav_bit_columns b = *bits;
    int64_t most = (int64_t)b.columns * b.words * 32;
    int32_t room = b.fragment_count < most ? (int32_t)b.fragment_count : (int32_t)most;
    out->column_first = NAV_TAKE(arena, int32_t, b.columns + 1);
    out->bottom = NAV_TAKE(arena, int32_t, room);
    out->top = NAV_TAKE(arena, int32_t, room);
    out->area = NAV_TAKE(arena, uint8_t, room);
    out->crowded = NAV_TAKE(arena, int32_t, room / 2);
    out->flat_bottom = NAV_TAKE_ZERO(arena, int16_t, b.columns + NAV_FLAT_PADDING);
    out->flat_top = NAV_TAKE_ZERO(arena, int16_t, b.columns + NAV_FLAT_PADDING);
    if (!out->column_first || !out->bottom || !out->top || !out->area || !out->crowded || !out->flat_bottom ||
        !out->flat_top)
        return nav_arena_failure(arena);

    const nav_solid_field spans = *out; // the arrays in locals: a store of bytes may alias all else
    int32_t at = 0;
    for (int32_t c = 0; c < b.columns; c++) {
        spans.column_first[c] = at;
        // Which words have bits is hard to predict where ground slopes, so the only one is found without a branch.
        const uint64_t *solid = b.solid + c;
        uint64_t all = 0;
        int32_t used = 0, one = 0;
        for (int32_t w = 0; w < b.words; w++, solid += b.columns) {
            all |= *solid;
            used += *solid != 0;
            one = *solid ? w : one;
        }
        if (used > 1 || all >> 63)
            at = read_column(&b, c, climb, &spans, at);
        else
            (void)read_word(&b, c, one, all, climb, &spans, &at);
        int32_t n = at - spans.column_first[c];
        if (n == 1) {
            spans.flat_bottom[c] = (int16_t)(spans.bottom[at - 1] - b.base);
            spans.flat_top[c] = (int16_t)(spans.top[at - 1] - b.base);
        } else {
            spans.flat_bottom[c] = n == 0 ? NAV_FLAT_EMPTY : NAV_FLAT_CROWDED;
            if (n > 1) spans.crowded[out->crowded_count++] = c;
        }
    }
    out->column_first[b.columns] = out->span_count = at;
    return NAV_OK;
}
