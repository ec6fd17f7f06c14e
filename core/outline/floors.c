// Rows of bits say which columns have a floor; heights are looked at where these are odd only. A set touches its own
// rows and those that are near, and takes back no more.
#include "core/outline/sources_work.h"

#include <string.h>

static const floor_heights NO_HEIGHTS = {INT32_MAX, INT32_MIN};
static const columns NO_COLUMNS = {INT32_MAX, INT32_MAX, -1, -1};

nav_status nav_floors_create(floors *f, int32_t width, nav_arena *arena)
{
    const size_t count = (size_t)width * (size_t)width, words = (size_t)(width + 63) / 64;
    *f = (floors){.width = width, .words = (int32_t)words, .touched = NO_COLUMNS, .odd_ones = NO_COLUMNS};
    f->heights = NAV_TAKE(arena, floor_heights, count);
    f->own = NAV_TAKE_ZERO(arena, uint64_t, words * (size_t)width);
    f->valued = NAV_TAKE_ZERO(arena, uint64_t, words * (size_t)width);
    f->odd = NAV_TAKE_ZERO(arena, uint64_t, words * (size_t)width);
    f->fresh = NAV_TAKE(arena, uint64_t, words * (size_t)width);
    f->ring = NAV_TAKE(arena, ring_column, count);
    return f->heights && f->own && f->valued && f->odd && f->fresh && f->ring ? NAV_OK : nav_arena_failure(arena);
}

// Takes back what the set before has left.
static void forget(floors *f)
{
    const columns t = f->touched;
    if (t.z0 > t.z1) return;
    const size_t first = (size_t)t.z0 * (size_t)f->words;
    const size_t bytes = (size_t)(t.z1 - t.z0 + 1) * (size_t)f->words * sizeof *f->own;
    memset(f->own + first, 0, bytes);
    memset(f->valued + first, 0, bytes);
    if (f->odd_ones.z0 <= f->odd_ones.z1) memset(f->odd + first, 0, bytes);
    f->touched = f->odd_ones = NO_COLUMNS;
}

static void touch(columns *t, columns c)
{
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

static void make_odd(floors *f, int32_t x, int32_t z, floor_heights h)
{
    f->odd[(size_t)z * (size_t)f->words + (size_t)(x >> 6)] |= UINT64_C(1) << (x & 63);
    f->heights[nav_floor_index(f, x, z)] = h;
    touch(&f->odd_ones, (columns){x, z, x, z});
}

// A floor that is not the usual one, or a second one in its column.
static void add_odd(floors *f, int32_t x, int32_t z, int32_t floor, bool second)
{
    floor_heights h = {floor, floor};
    if (second && nav_floor_bit(f, f->odd, x, z))
        h = f->heights[nav_floor_index(f, x, z)];
    else if (second)
        h.low = h.high = f->usual;
    h.low = floor < h.low ? floor : h.low;
    h.high = floor > h.high ? floor : h.high;
    make_odd(f, x, z, h);
}

// The lowest and the highest floor, and the usual one: what more than half of the spans have, if there is such.
static void measure(floors *f, const nav_floor_set *set)
{
    const int32_t *floor = set->field->floor;
    int32_t least = floor[set->span[0]], most = least, usual = least, lead = 0;
    for (int32_t i = 0; i < set->count; i++) {
        const int32_t at = floor[set->span[i]];
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    for (int32_t i = 0; i < set->count && least != most; i++) {
        const int32_t at = floor[set->span[i]];
        usual = lead == 0 ? at : usual;
        lead += at == usual ? 1 : -1;
    }
    f->base = least;
    f->most = most;
    f->usual = usual;
}

// The columns that the set has spans in, and which of them are odd.
static void find_own(floors *f, const nav_floor_set *set)
{
    const int32_t *column = set->field->column, *floor = set->field->floor, width = f->width, usual = f->usual;
    int32_t row = -width, word = 0, z = 0, z0 = width, z1 = -1;
    uint64_t bits = 0, *at = f->own; // of the word at hand: most spans follow in it
    for (int32_t i = 0; i < set->count; i++) {
        const int32_t span = set->span[i];
        uint32_t x = (uint32_t)(column[span] - row);
        if (x >= (uint32_t)width || (int32_t)(x >> 6) != word) {
            *at = bits;
            z = column[span] / width;
            row = z * width;
            x = (uint32_t)(column[span] - row);
            word = (int32_t)(x >> 6);
            at = f->own + (size_t)z * (size_t)f->words + (size_t)word;
            bits = *at;
            z0 = z < z0 ? z : z0;
            z1 = z > z1 ? z : z1;
        }
        const uint64_t bit = UINT64_C(1) << (x & 63);
        if ((floor[span] != usual) | ((bits & bit) != 0)) {
            *at = bits;
            add_odd(f, (int32_t)x, z, floor[span], (bits & bit) != 0);
        }
        bits |= bit;
    }
    *at = bits;
    touch(&f->touched, (columns){0, z0, width - 1, z1});
}

// Columns of a word of a row that have a bit, or one beside them in the row.
static uint64_t spread_word(const floors *f, const uint64_t *of, int32_t z, int32_t w)
{
    if (z < 0 || z >= f->width) return 0;
    const uint64_t *at = of + (size_t)z * (size_t)f->words + (size_t)w;
    return *at | *at << 1 | *at >> 1 | (w > 0 ? at[-1] >> 63 : 0) | (w + 1 < f->words ? at[1] << 63 : 0);
}

// What a column without a floor of its own is compared with: the floors around it that had some before, as far as one
// can step between them and the highest. A wall between two storeys ends the upper one; what is below has a wall of its
// own there, or the upper one's drop.
static floor_heights take_around(const floors *f, int32_t x, int32_t z)
{
    const int32_t x0 = x > 0 ? x - 1 : 0, x1 = x + 1 < f->width ? x + 1 : x;
    const int32_t z0 = z > 0 ? z - 1 : 0, z1 = z + 1 < f->width ? z + 1 : z;
    const int64_t climb = (int64_t)f->climb;
    floor_heights h = NO_HEIGHTS, around[10];
    int32_t count = 0;
    uint64_t usual = 0;
    for (int32_t k = z0; k <= z1; k++) {
        uint64_t odd = nav_floor_bits(f, f->odd, x0, x1, k);
        usual |= nav_floor_bits(f, f->valued, x0, x1, k) & ~odd;
        for (; odd; odd &= odd - 1) around[count++] = f->heights[nav_floor_index(f, x0 + __builtin_ctzll(odd), k)];
    }
    if (usual) around[count++] = (floor_heights){f->usual, f->usual};
    for (int32_t k = 0; k < count; k++) h.high = around[k].high > h.high ? around[k].high : h.high;
    for (int32_t k = 0; k < count; k++)
        if (around[k].low < h.low && (int64_t)h.high - around[k].low <= climb) h.low = around[k].low;
    h.low = h.low < h.high ? h.low : h.high;
    return h;
}

// The next ring of near columns gets floors: those beside odd ones find theirs, before any of them has one. False:
// there is none.
static bool spread_ring(floors *f)
{
    int32_t count = 0;
    uint64_t any = 0;
    const columns reach = f->reach, odd = f->odd_ones;
    const bool even = odd.x0 > odd.x1;
    for (int32_t w = reach.x0 >> 6; w <= reach.x1 >> 6; w++) {
        uint64_t before = spread_word(f, f->valued, reach.z0 - 1, w), here = spread_word(f, f->valued, reach.z0, w);
        for (int32_t z = reach.z0; z <= reach.z1; z++) {
            const size_t i = (size_t)z * (size_t)f->words + (size_t)w;
            const uint64_t behind = spread_word(f, f->valued, z + 1, w);
            const uint64_t left = (before | here | behind) & f->near[i] & ~f->valued[i];
            f->fresh[i] = left;
            any |= left;
            before = here;
            here = behind;
            if (!left || even || z < odd.z0 - 1 || z > odd.z1 + 1) continue;
            uint64_t beside =
                spread_word(f, f->odd, z - 1, w) | spread_word(f, f->odd, z, w) | spread_word(f, f->odd, z + 1, w);
            for (beside &= left; beside; beside &= beside - 1) {
                const int32_t x = 64 * w + __builtin_ctzll(beside);
                f->ring[count++] = (ring_column){(int16_t)x, (int16_t)z, take_around(f, x, z)};
            }
        }
    }
    for (int32_t z = reach.z0; any && z <= reach.z1; z++)
        for (int32_t w = reach.x0 >> 6; w <= reach.x1 >> 6; w++)
            f->valued[(size_t)z * (size_t)f->words + (size_t)w] |= f->fresh[(size_t)z * (size_t)f->words + (size_t)w];
    for (int32_t i = 0; i < count; i++) {
        const ring_column *c = &f->ring[i];
        if (c->heights.low != f->usual || c->heights.high != f->usual) make_odd(f, c->x, c->z, c->heights);
    }
    return any != 0;
}

void nav_floors_find(floors *f, const nav_floor_set *set, int32_t rings)
{
    forget(f);
    f->near = set->near;
    f->empty = set->count == 0;
    f->reach = bounds_of_bits(f, f->near, 0, f->width - 1);
    if (f->empty || f->reach.x0 > f->reach.x1) return;
    measure(f, set);
    find_own(f, set);
    touch(&f->touched, f->reach);
    const size_t first = (size_t)f->touched.z0 * (size_t)f->words;
    const size_t bytes = (size_t)(f->touched.z1 - f->touched.z0 + 1) * (size_t)f->words * sizeof *f->own;
    if (f->odd_ones.x0 > f->odd_ones.x1) { // all have the same
        const size_t end = (size_t)(f->touched.z1 + 1) * (size_t)f->words;
        for (size_t i = first; i < end; i++) f->valued[i] = f->own[i] | f->near[i];
        return;
    }
    memcpy(f->valued + first, f->own + first, bytes);
    for (int32_t i = 0; i < rings && spread_ring(f); i++) {
    }
}

// --- questions ---

static columns clamp_columns(columns c, columns to)
{
    if (c.x0 < to.x0) c.x0 = to.x0;
    if (c.z0 < to.z0) c.z0 = to.z0;
    if (c.x1 > to.x1) c.x1 = to.x1;
    if (c.z1 > to.z1) c.z1 = to.z1;
    return c;
}

// The bits of the columns that a word of a row has.
static uint64_t mask_of(columns c, int32_t word)
{
    uint64_t mask = ~UINT64_C(0);
    if (word == c.x0 >> 6) mask &= ~UINT64_C(0) << (c.x0 & 63);
    if (word == c.x1 >> 6) mask &= ~UINT64_C(0) >> (63 - (c.x1 & 63));
    return mask;
}

static bool has_bit(const floors *f, const uint64_t *of, columns c)
{
    if (c.x0 > c.x1) return false;
    for (int32_t w = c.x0 >> 6; w <= c.x1 >> 6; w++) {
        const uint64_t mask = mask_of(c, w);
        const uint64_t *at = of + (size_t)c.z0 * (size_t)f->words + (size_t)w;
        for (int32_t z = c.z0; z <= c.z1; z++, at += f->words)
            if (*at & mask) return true;
    }
    return false;
}

bool nav_floors_near(const floors *f, columns c)
{
    return has_bit(f, f->near, clamp_columns(c, f->reach));
}

bool nav_floors_near_rows(const floors *f, const wall *w)
{
    const columns reach = f->reach;
    const int32_t first = w->first_row > reach.z0 ? w->first_row : reach.z0;
    const int32_t end = w->first_row + w->row_count <= reach.z1 ? w->first_row + w->row_count : reach.z1 + 1;
    for (int32_t z = first; z < end; z++) {
        const wall_row r = w->row[z - w->first_row];
        const int32_t x0 = r.x0 > reach.x0 ? r.x0 : reach.x0, x1 = r.x1 < reach.x1 ? r.x1 : reach.x1;
        if (has_bit(f, f->near, (columns){x0, z, x1, z})) return true;
    }
    return false;
}

bool nav_floors_even(const floors *f, columns c)
{
    return !has_bit(f, f->odd, clamp_columns(c, f->odd_ones));
}

slab nav_floors_slab(const floors *f, columns c)
{
    floor_heights h = NO_HEIGHTS;
    uint64_t near = 0, usual = 0;
    c = clamp_columns(c, f->touched);
    for (int32_t z = c.z0; z <= c.z1 && c.x0 <= c.x1; z++)
        for (int32_t w = c.x0 >> 6; w <= c.x1 >> 6; w++) {
            const size_t i = (size_t)z * (size_t)f->words + (size_t)w;
            const uint64_t mask = mask_of(c, w);
            uint64_t odd = f->odd[i] & mask;
            near |= f->near[i] & mask;
            usual |= f->valued[i] & mask & ~odd;
            for (; odd; odd &= odd - 1) {
                const floor_heights at = f->heights[nav_floor_index(f, 64 * w + __builtin_ctzll(odd), z)];
                h.low = at.low < h.low ? at.low : h.low;
                h.high = at.high > h.high ? at.high : h.high;
            }
        }
    if (usual) {
        h.low = f->usual < h.low ? f->usual : h.low;
        h.high = f->usual > h.high ? f->usual : h.high;
    }
    return (slab){{h.low <= h.high, h.low, h.high}, near != 0};
}

floor_range nav_floors_range(const floors *f, columns c)
{
    return nav_floors_slab(f, c).floor;
}
