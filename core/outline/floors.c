#include "core/outline/sources_work.h"

#include <string.h>

nav_status nav_floors_create(floors *f, int32_t width, nav_arena *arena)
{
    const size_t count = (size_t)width * (size_t)width, words = (size_t)(width + 63) / 64;
    *f = (floors){.width = width, .words = (int32_t)words};
    f->low = NAV_TAKE(arena, int16_t, count);
    f->high = NAV_TAKE(arena, int16_t, count);
    f->own = NAV_TAKE(arena, uint64_t, words * (size_t)width);
    f->valued = NAV_TAKE(arena, uint64_t, words * (size_t)width);
    return f->low && f->high && f->own && f->valued ? NAV_OK : nav_arena_failure(arena);
}

static int16_t above_base(const floors *f, int32_t floor)
{
    int64_t above = (int64_t)floor - f->base;
    return (int16_t)(above < INT16_MAX - 1 ? above : INT16_MAX - 1);
}

static void find_own(floors *f, const nav_floor_set *set)
{
    const nav_compact_heightfield *field = set->field;
    const size_t count = (size_t)f->width * (size_t)f->width;
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (int32_t i = 0; i < field->span_count; i++) {
        const int32_t floor = field->floor[i];
        const bool mine = set->owner[i] == set->want;
        least = mine && floor < least ? floor : least;
        most = mine && floor > most ? floor : most;
    }
    f->empty = least > most;
    f->base = least;
    f->most = most;
    for (size_t c = 0; c < count; c++) f->low[c] = FLOOR_NONE_LOW;
    for (size_t c = 0; c < count; c++) f->high[c] = FLOOR_NONE_HIGH;
    memset(f->own, 0, (size_t)f->words * (size_t)f->width * sizeof *f->own);
    if (f->empty) return;
    for (int32_t i = 0; i < field->span_count; i++) {
        if (set->owner[i] != set->want) continue;
        const int32_t c = field->column[i], z = c / f->width, x = c - z * f->width;
        const int16_t floor = above_base(f, field->floor[i]);
        if (floor < f->low[c]) f->low[c] = floor;
        if (floor > f->high[c]) f->high[c] = floor;
        f->own[(size_t)z * (size_t)f->words + (size_t)(x >> 6)] |= UINT64_C(1) << (x & 63);
    }
}

static uint64_t word_at(const floors *f, const uint64_t *bits, int32_t z, int32_t w)
{
    return z < 0 || z >= f->width || w < 0 || w >= f->words ? 0 : bits[(size_t)z * (size_t)f->words + (size_t)w];
}

// Columns of a word of a row that have one of theirs, or of the eight around them.
static uint64_t spread_word(const floors *f, int32_t z, int32_t w)
{
    uint64_t all = 0;
    for (int32_t row = z - 1; row <= z + 1; row++) {
        const uint64_t here = word_at(f, f->valued, row, w);
        all |= here | here << 1 | here >> 1 | word_at(f, f->valued, row, w - 1) >> 63 |
               word_at(f, f->valued, row, w + 1) << 63;
    }
    return all;
}

// What a column without a floor of its own is compared with: the floors around it that had some before, as far as one
// can step between them and the highest. A wall between two storeys ends the upper one; what is below has a wall of its
// own there, or the upper one's drop.
static void take_around(floors *f, int32_t x, int32_t z)
{
    int16_t low = FLOOR_NONE_LOW, high = FLOOR_NONE_HIGH;
    const int32_t x0 = x > 0 ? x - 1 : 0, x1 = x + 1 < f->width ? x + 1 : x;
    const int32_t z0 = z > 0 ? z - 1 : 0, z1 = z + 1 < f->width ? z + 1 : z;
    for (int turn = 0; turn < 2; turn++)
        for (int32_t k = z0; k <= z1; k++)
            for (int32_t m = x0; m <= x1; m++) {
                if (!nav_floor_bit(f, f->valued, m, k)) continue;
                const size_t from = (size_t)k * (size_t)f->width + (size_t)m;
                if (turn == 0 && f->high[from] > high) high = f->high[from];
                if (turn == 1 && f->low[from] < low && high - f->low[from] <= f->climb) low = f->low[from];
            }
    f->low[(size_t)z * (size_t)f->width + (size_t)x] = low < high ? low : high;
    f->high[(size_t)z * (size_t)f->width + (size_t)x] = high;
}

// Heights of the next ring of near columns: a first pass stores them, a second one names the columns.
static bool spread_ring(floors *f, uint64_t *ring)
{
    bool any = false;
    for (int32_t z = 0; z < f->width; z++)
        for (int32_t w = 0; w < f->words; w++) {
            const size_t i = (size_t)z * (size_t)f->words + (size_t)w;
            ring[i] = f->near[i] & ~f->valued[i] ? spread_word(f, z, w) & f->near[i] & ~f->valued[i] : 0;
            any |= ring[i] != 0;
            for (uint64_t left = ring[i]; left; left &= left - 1) {
                const int32_t x = 64 * w + __builtin_ctzll(left);
                take_around(f, x, z);
            }
        }
    for (size_t i = 0; i < (size_t)f->words * (size_t)f->width; i++) f->valued[i] |= ring[i];
    return any;
}

static columns bounds_of_near(const floors *f)
{
    columns c = {f->width, f->width, -1, -1};
    for (int32_t z = 0; z < f->width; z++)
        for (int32_t w = 0; w < f->words; w++) {
            const uint64_t bits = f->near[(size_t)z * (size_t)f->words + (size_t)w];
            if (!bits) continue;
            const int32_t first = 64 * w + __builtin_ctzll(bits), last = 64 * w + 63 - __builtin_clzll(bits);
            if (first < c.x0) c.x0 = first;
            if (last > c.x1) c.x1 = last;
            if (z < c.z0) c.z0 = z;
            c.z1 = z;
        }
    return c;
}

void nav_floors_find(floors *f, const nav_floor_set *set, int32_t rings, uint64_t *scratch)
{
    f->near = set->near;
    find_own(f, set);
    f->reach = bounds_of_near(f);
    if (f->empty) return;
    memcpy(f->valued, f->own, (size_t)f->words * (size_t)f->width * sizeof *f->own);
    for (int32_t i = 0; i < rings && spread_ring(f, scratch); i++) {
    }
}

static columns clamp_columns(const floors *f, columns c)
{
    if (c.x0 < 0) c.x0 = 0;
    if (c.z0 < 0) c.z0 = 0;
    if (c.x1 >= f->width) c.x1 = f->width - 1;
    if (c.z1 >= f->width) c.z1 = f->width - 1;
    return c;
}

bool nav_floors_near(const floors *f, columns c)
{
    c = clamp_columns(f, c);
    if (c.x0 > c.x1) return false;
    const int32_t first = c.x0 >> 6, last = c.x1 >> 6;
    for (int32_t z = c.z0; z <= c.z1; z++) {
        const uint64_t *row = f->near + (size_t)z * (size_t)f->words;
        for (int32_t w = first; w <= last; w++) {
            uint64_t bits = row[w];
            if (w == first) bits &= ~UINT64_C(0) << (c.x0 & 63);
            if (w == last) bits &= ~UINT64_C(0) >> (63 - (c.x1 & 63));
            if (bits) return true;
        }
    }
    return false;
}

floor_range nav_floors_range(const floors *f, columns c)
{
    int16_t low = FLOOR_NONE_LOW, high = FLOOR_NONE_HIGH;
    c = clamp_columns(f, c);
    for (int32_t z = c.z0; z <= c.z1; z++) {
        const int16_t *lows = f->low + (size_t)z * (size_t)f->width, *highs = f->high + (size_t)z * (size_t)f->width;
        for (int32_t x = c.x0; x <= c.x1; x++) low = lows[x] < low ? lows[x] : low;
        for (int32_t x = c.x0; x <= c.x1; x++) high = highs[x] > high ? highs[x] : high;
    }
    return (floor_range){low <= high, f->base + low, f->base + high};
}
