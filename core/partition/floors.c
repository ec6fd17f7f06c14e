// Floors: all that is connected, of one area type. Where no floor lies above itself, which is nearly everywhere, the
// floors are the layers, in whatever order their pieces are joined: so they are joined as they are met, a run takes the
// piece it lies beside or above, and few pieces are ever made.
//
//      row z + 1   111111.2222         the second run of row z + 2 meets both: 2 becomes part of 1
//      row z       111.....222
//
// Source: A. Rosenfeld and J. Pfaltz, Sequential Operations in Digital Picture Processing (1966), on runs.
#include "core/partition/layers_work.h"

#include <string.h>

static int32_t new_piece(nav_layers_work *w)
{
    int32_t k = ++w->piece_count;
    w->pieces[k] = (nav_layer_piece){.root = k};
    return k;
}

static int32_t join(nav_layers_work *w, int32_t a, int32_t b)
{
    int32_t k = nav_layer_root(w->pieces, a), l = nav_layer_root(w->pieces, b);
    if (k == l) return a;
    w->pieces[k > l ? k : l].root = k < l ? k : l;
    return k < l ? k : l;
}

// Span s of piece k, 0: none yet, is linked to span n. Returns its piece.
static inline int32_t meet(nav_layers_work *w, int32_t s, int32_t n, int32_t k)
{
    const uint8_t *area = w->f->area;
    int32_t other = w->id[n];
    if (other == k || other == NAV_REGION_OUTSIDE) return k;
    if (area[n] == area[s]) return k == 0 ? other : join(w, k, other);
    if (k == 0) k = new_piece(w);
    w->apart[w->apart_count++] = (nav_layer_pair){k, other};
    return k;
}

// A run of uncrowded columns: of each stretch above a run of the row before the first span is looked at.
static int32_t add_run(nav_layers_work *w, int32_t first, int32_t end)
{
    const nav_open_field *f = w->f;
    int32_t k = f->link[0][first] != NAV_LINK_NONE ? meet(w, first, f->link[0][first], 0) : 0;
    for (int32_t s = nav_bits_next(w->bits.down, first, end); s < end;) {
        int32_t under = f->link[3][s];
        if (w->id[under] == NAV_REGION_OUTSIDE) break; // as is all of the row before
        k = meet(w, s, under, k);
        int32_t next = nav_bits_next(w->bits.stops, under + 1, under + (end - s));
        s = nav_bits_next(w->bits.down, s + next - under, end);
    }
    if (k == 0) k = new_piece(w);
    for (int32_t s = first; s < end; s++) w->id[s] = k;
    return k;
}

static void add_crowded(nav_layers_work *w, int32_t first, int32_t end)
{
    const int32_t *left = w->f->link[0], *under = w->f->link[3];
    for (int32_t s = first; s < end; s++) {
        int32_t k = left[s] != NAV_LINK_NONE ? meet(w, s, left[s], 0) : 0;
        if (under[s] != NAV_LINK_NONE) k = meet(w, s, under[s], k);
        w->id[s] = k != 0 ? k : new_piece(w);
    }
}

static nav_run *add_row(nav_layers_work *w, int32_t z, nav_run *run)
{
    const nav_run_bits *bits = &w->bits;
    int32_t end = nav_run_bits_row_end(w->f, z), at = nav_run_bits_row_first(w->f, z), next;
    for (; (at = nav_bits_next(bits->starts, at, end)) < end; at = next) {
        if (nav_bits_has(bits->crowded, at)) {
            next = nav_bits_next_clear(bits->crowded, at, end);
            add_crowded(w, at, next);
            *run++ = (nav_run){at, next, NAV_RUN_MIXED};
        } else {
            next = nav_bits_next(bits->stops, at + 1, end);
            *run++ = (nav_run){at, next, add_run(w, at, next)};
        }
    }
    return run;
}

// Has a column two spans of one layer?
static bool overlaps(nav_layers_work *w)
{
    const nav_open_field *f = w->f;
    nav_layer_piece *p = w->pieces;
    const nav_run *end = w->runs + w->row_first[f->width - 2 * f->border];
    for (int32_t k = 1; k <= w->piece_count; k++) p[k].low = -1; // the column a layer was met in last
    for (const nav_run *run = w->runs; run < end; run++) {
        if (run->piece != NAV_RUN_MIXED) continue;
        for (int32_t s = run->first; s < run->end; s++) {
            int32_t k = nav_layer_root(p, w->id[s]);
            if (p[k].low == f->column[s]) return true;
            p[k].low = f->column[s];
        }
    }
    return false;
}

bool nav_layers_join_floors(nav_layers_work *w)
{
    const nav_open_field *f = w->f;
    nav_run *end = w->runs;
    w->piece_count = w->apart_count = 0;
    for (int32_t z = f->border; z < f->width - f->border; z++) {
        w->row_first[z - f->border] = (int32_t)(end - w->runs);
        end = add_row(w, z, end);
    }
    w->row_first[f->width - 2 * f->border] = (int32_t)(end - w->runs);
    return !w->bits.any_crowded || !overlaps(w);
}
