// Heights are kept for the whole grid, but a set touches only its own spans and what is near, and takes back no more.
#include "core/outline/sources_work.h"

#include <string.h>

static const floor_heights NO_HEIGHTS = {FLOOR_NONE_LOW, FLOOR_NONE_HIGH};

nav_status nav_floors_create(floors *f, int32_t width, nav_arena *arena)
{
    const size_t count = (size_t)width * (size_t)width, words = (size_t)(width + 63) / 64;
    const size_t padded = ((size_t)width + 2) * ((size_t)width + 2);
    *f = (floors){.width = width, .words = (int32_t)words, .touched = {0, 0, -1, -1}};
    f->heights = NAV_TAKE(arena, floor_heights, padded);
    f->own = NAV_TAKE_ZERO(arena, uint64_t, words * (size_t)width);
    f->valued = NAV_TAKE_ZERO(arena, uint64_t, words * (size_t)width);
    f->ring = NAV_TAKE(arena, ring_column, count);
    if (!f->heights || !f->own || !f->valued || !f->ring) return nav_arena_failure(arena);
    for (size_t c = 0; c < padded; c++) f->heights[c] = NO_HEIGHTS;
    return NAV_OK;
}

// Takes back what the set before has left.
static void forget(floors *f)
{
    const columns t = f->touched;
    if (t.x0 > t.x1 || t.z0 > t.z1) return;
    for (int32_t z = t.z0; z <= t.z1; z++) {
        floor_heights *row = f->heights + nav_floor_index(f, 0, z);
        for (int32_t x = t.x0; x <= t.x1; x++) row[x] = NO_HEIGHTS;
    }
    const size_t first = (size_t)t.z0 * (size_t)f->words;
    const size_t bytes = (size_t)(t.z1 - t.z0 + 1) * (size_t)f->words * sizeof *f->own;
    memset(f->own + first, 0, bytes);
    memset(f->valued + first, 0, bytes);
    f->touched = (columns){f->width, f->width, -1, -1};
}

static void touch(floors *f, columns c)
{
    columns *t = &f->touched;
    t->x0 = c.x0 < t->x0 ? c.x0 : t->x0;
    t->z0 = c.z0 < t->z0 ? c.z0 : t->z0;
    t->x1 = c.x1 > t->x1 ? c.x1 : t->x1;
    t->z1 = c.z1 > t->z1 ? c.z1 : t->z1;
}

// Of the columns with a bit in rows z0 to z1.
static columns bounds_of_bits(const floors *f, const uint64_t *of, int32_t z0, int32_t z1)
{
    columns c = {f->width, f->width, -1, -1};
    for (int32_t w = 0; w < f->words; w++) {
        uint64_t all = 0;
        for (int32_t z = z0; z <= z1; z++) {
            const uint64_t bits = of[(size_t)z * (size_t)f->words + (size_t)w];
            if (bits && z < c.z0) c.z0 = z;
            if (bits && z > c.z1) c.z1 = z;
            all |= bits;
        }
        if (!all) continue;
        const int32_t first = 64 * w + __builtin_ctzll(all), last = 64 * w + 63 - __builtin_clzll(all);
        if (first < c.x0) c.x0 = first;
        c.x1 = last;
    }
    return c;
}

static int16_t above_base(const floors *f, int32_t floor)
{
    const uint32_t above = (uint32_t)floor - (uint32_t)f->base;
    return (int16_t)(above < INT16_MAX - 1 ? above : INT16_MAX - 1);
}

// Returns the columns that the set has spans in.
static columns find_own(floors *f, const nav_floor_set *set)
{
    const nav_compact_heightfield *field = set->field;
    int32_t least = INT32_MAX, most = INT32_MIN;
    for (int32_t i = 0; i < set->count; i++) {
        const int32_t floor = field->floor[set->span[i]];
        least = floor < least ? floor : least;
        most = floor > most ? floor : most;
    }
    f->base = least;
    f->most = most;
    int32_t z0 = f->width, z1 = -1, row = -f->width; // the first column of the row at hand: most spans follow in it
    uint64_t *own = f->own;
    floor_heights *heights = f->heights;
    for (int32_t i = 0; i < set->count; i++) {
        const int32_t span = set->span[i], c = field->column[span];
        if ((uint32_t)(c - row) >= (uint32_t)f->width) {
            const int32_t z = c / f->width;
            row = z * f->width;
            own = f->own + (size_t)z * (size_t)f->words;
            heights = f->heights + nav_floor_index(f, 0, z);
            z0 = z < z0 ? z : z0;
            z1 = z > z1 ? z : z1;
        }
        const int32_t x = c - row;
        const int16_t floor = above_base(f, field->floor[span]);
        heights[x].low = floor < heights[x].low ? floor : heights[x].low;
        heights[x].high = floor > heights[x].high ? floor : heights[x].high;
        own[x >> 6] |= UINT64_C(1) << (x & 63);
    }
    return bounds_of_bits(f, f->own, z0, z1);
}

// Columns of a word of a row that have a height, or one beside them in the row.
static uint64_t spread_word(const floors *f, int32_t z, int32_t w)
{
    if (z < 0 || z >= f->width) return 0;
    const uint64_t *at = f->valued + (size_t)z * (size_t)f->words + (size_t)w;
    return *at | *at << 1 | *at >> 1 | (w > 0 ? at[-1] >> 63 : 0) | (w + 1 < f->words ? at[1] << 63 : 0);
}

// What a column without a floor of its own is compared with: the floors around it that had some before, as far as one
// can step between them and the highest. A wall between two storeys ends the upper one; what is below has a wall of its
// own there, or the upper one's drop.
static floor_heights take_around(const floors *f, int32_t index)
{
    if (f->base == f->most) return (floor_heights){0, 0};
    floor_heights h = NO_HEIGHTS;
    const int32_t stride = f->width + 2, climb = (int32_t)f->climb;
    for (int32_t row = index - stride; row <= index + stride; row += stride)
        for (int32_t k = row - 1; k <= row + 1; k++) h.high = f->heights[k].high > h.high ? f->heights[k].high : h.high;
    for (int32_t row = index - stride; row <= index + stride; row += stride)
        for (int32_t k = row - 1; k <= row + 1; k++)
            if (f->heights[k].low < h.low && h.high - f->heights[k].low <= climb) h.low = f->heights[k].low;
    h.low = h.low < h.high ? h.low : h.high;
    return h;
}

// Heights of the next ring of near columns: first all are found, then the grid gets them. False: there is none.
static bool spread_ring(floors *f)
{
    int32_t count = 0;
    const columns reach = f->reach;
    for (int32_t w = reach.x0 >> 6; w <= reach.x1 >> 6; w++) {
        uint64_t before = spread_word(f, reach.z0 - 1, w), here = spread_word(f, reach.z0, w);
        for (int32_t z = reach.z0; z <= reach.z1; z++) {
            const size_t i = (size_t)z * (size_t)f->words + (size_t)w;
            const uint64_t behind = spread_word(f, z + 1, w);
            uint64_t left = (before | here | behind) & f->near[i] & ~f->valued[i];
            for (; left; left &= left - 1) {
                const int32_t x = 64 * w + __builtin_ctzll(left);
                f->ring[count++] = (ring_column){(int16_t)x, (int16_t)z, take_around(f, nav_floor_index(f, x, z))};
            }
            before = here;
            here = behind;
        }
    }
    for (int32_t i = 0; i < count; i++) {
        const ring_column *c = &f->ring[i];
        f->heights[nav_floor_index(f, c->x, c->z)] = c->heights;
        f->valued[(size_t)c->z * (size_t)f->words + (size_t)(c->x >> 6)] |= UINT64_C(1) << (c->x & 63);
    }
    return count > 0;
}

void nav_floors_find(floors *f, const nav_floor_set *set, int32_t rings)
{
    forget(f);
    f->near = set->near;
    f->empty = set->count == 0;
    f->reach = bounds_of_bits(f, f->near, 0, f->width - 1);
    if (f->empty || f->reach.x0 > f->reach.x1) return;
    touch(f, find_own(f, set));
    touch(f, f->reach);
    const size_t first = (size_t)f->touched.z0 * (size_t)f->words;
    const size_t bytes = (size_t)(f->touched.z1 - f->touched.z0 + 1) * (size_t)f->words * sizeof *f->own;
    memcpy(f->valued + first, f->own + first, bytes);
    for (int32_t i = 0; i < rings && spread_ring(f); i++) {
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
    floor_heights h = NO_HEIGHTS;
    c = clamp_columns(f, c);
    for (int32_t z = c.z0; z <= c.z1; z++)
        for (int32_t x = c.x0, at = nav_floor_index(f, x, z); x <= c.x1; x++, at++) {
            h.low = f->heights[at].low < h.low ? f->heights[at].low : h.low;
            h.high = f->heights[at].high > h.high ? f->heights[at].high : h.high;
        }
    return (floor_range){h.low <= h.high, f->base + h.low, f->base + h.high};
}

slab nav_floors_slab(const floors *f, columns c)
{
    floor_heights h = NO_HEIGHTS;
    uint64_t near = 0;
    c = clamp_columns(f, c);
    for (int32_t z = c.z0; z <= c.z1; z++) {
        const floor_heights *heights = f->heights + nav_floor_index(f, 0, z);
        const uint64_t *bits = f->near + (size_t)z * (size_t)f->words;
        for (int32_t x = c.x0; x <= c.x1; x++) {
            h.low = heights[x].low < h.low ? heights[x].low : h.low;
            h.high = heights[x].high > h.high ? heights[x].high : h.high;
            near |= bits[x >> 6] >> (x & 63);
        }
    }
    return (slab){{h.low <= h.high, f->base + h.low, f->base + h.high}, near & 1};
}
