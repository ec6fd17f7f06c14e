// Folds: layers with parts close beside each other at different heights, nothing of the layers between them.
//
//      row z    aaaaaa......aaaaa      Only where a run ends and another begins can there be one along x, and along z
//                     ^gap ^           only where a column was covered, then not, and is again: rows are compared as
//                                      bits, and spans are looked up at the far side of gaps only.
#include "core/partition/folds.h"

#include <string.h>

typedef struct fold_work {
    const nav_open_field *f;
    const nav_regions *regions;
    int32_t near, climb;
} fold_work;

// Do spans a and b, `gap` > 1 columns apart, belong to one layer, and b lies higher or lower than floor between them
// would bring it: by a step, and a level more a column?
static void note_fold(const fold_work *w, int32_t a, int32_t b, int32_t gap)
{
    const int32_t *id = w->regions->id, *floor = w->f->floor;
    int32_t rise = floor[b] > floor[a] ? floor[b] - floor[a] : floor[a] - floor[b];
    if (id[a] == id[b] && gap <= w->near && rise > w->climb + gap) w->regions->folded[id[a]] = 1;
}

// Compares a span with the one before it in the row, which it takes the place of.
static inline void compare_along(const fold_work *w, int32_t *before, int32_t s)
{
    const int32_t *column = w->f->column;
    int32_t gap = *before >= 0 ? column[s] - column[*before] : 0;
    if (gap > 1) note_fold(w, *before, s, gap);
    *before = s;
}

static void find_folds_x(const fold_work *w, const nav_run *run, const nav_run *end)
{
    const int32_t *id = w->regions->id;
    int32_t before = -1;
    for (; run < end; run++) {
        if (run->piece == NAV_RUN_MIXED) {
            for (int32_t s = run->first; s < run->end; s++)
                if (id[s] != NAV_REGION_NONE) compare_along(w, &before, s);
        } else if (id[run->first] != NAV_REGION_NONE) {
            compare_along(w, &before, run->first);
            before = run->end - 1;
        }
    }
}

// The columns of a row with a span of any layer. Bits are gathered a word at a time.
static void cover_row(const fold_work *w, int32_t z, const nav_run *run, const nav_run *end, uint64_t *bits,
                      int32_t words)
{
    const int32_t *id = w->regions->id, *column = w->f->column, row_column = z * w->f->width;
    memset(bits, 0, (size_t)words * sizeof *bits);
    uint64_t set = 0;
    int32_t word = 0;
    for (; run < end; run++) {
        bool mixed = run->piece == NAV_RUN_MIXED;
        if (!mixed && id[run->first] == NAV_REGION_NONE) continue;
        for (int32_t s = run->first; s < run->end;) {
            int32_t x = column[s] - row_column;
            if (x >> 6 != word) {
                bits[word] |= set;
                word = x >> 6;
                set = 0;
            }
            if (mixed) {
                set |= (uint64_t)(id[s++] != NAV_REGION_NONE) << (x & 63);
                continue;
            }
            int32_t count = run->end - s < 64 - (x & 63) ? run->end - s : 64 - (x & 63);
            set |= ~UINT64_C(0) >> (64 - count) << (x & 63);
            s += count;
        }
    }
    bits[word] |= set;
}

// Compares the lowest span of column x in row z with the topmost one in row `before`.
static void compare_rows(const fold_work *w, int32_t x, int32_t before, int32_t z)
{
    const int32_t *id = w->regions->id, *first = w->f->column_first;
    int32_t a = first[before * w->f->width + x + 1] - 1, b = first[z * w->f->width + x];
    while (id[a] <= NAV_REGION_NONE) a--;
    while (id[b] <= NAV_REGION_NONE) b++;
    note_fold(w, a, b, z - before);
}

static void find_folds_z(const fold_work *w, int32_t z, const uint64_t *before, const uint64_t *now, int32_t words,
                         int32_t *left_row)
{
    for (int32_t k = 0; k < words; k++) {
        for (uint64_t set = before[k] & ~now[k]; set; set &= set - 1) left_row[64 * k + __builtin_ctzll(set)] = z - 1;
        for (uint64_t set = now[k] & ~before[k]; set; set &= set - 1) {
            int32_t x = 64 * k + __builtin_ctzll(set);
            if (left_row[x] > 0 && z - left_row[x] <= w->near) compare_rows(w, x, left_row[x], z);
        }
    }
}

nav_status nav_layers_find_folds(const nav_open_field *f, const nav_config *cfg, const nav_run *runs,
                                 const int32_t *row_first, nav_arena *arena, nav_regions *regions)
{
    fold_work w = {f, regions, 2 * (3 + (int32_t)cfg->edge_max_error), cfg->climb_vx};
    nav_arena_mark mark = nav_arena_get_mark(arena);
    int32_t words = (f->width + 63) / 64;
    uint64_t *before = NAV_TAKE_ZERO(arena, uint64_t, words), *now = NAV_TAKE(arena, uint64_t, words);
    int32_t *left_row =
        NAV_TAKE_ZERO(arena, int32_t, 64 * words); // per column along x: the last row covered before a gap
    if (!before || !now || !left_row) return nav_arena_failure(arena);
    for (int32_t z = f->border; z < f->width - f->border; z++) {
        const nav_run *run = runs + row_first[z - f->border], *end = runs + row_first[z - f->border + 1];
        find_folds_x(&w, run, end);
        cover_row(&w, z, run, end, now, words);
        find_folds_z(&w, z, before, now, words, left_row);
        uint64_t *t = before;
        before = now;
        now = t;
    }
    nav_arena_release(arena, mark);
    return NAV_OK;
}
