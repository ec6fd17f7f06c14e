// Layers: connected floor with at most one span in a column, as large as they get, from the lowest floor up.
//
//      side view      2222222222      Floor that never lies above itself is a layer as it is (floors.c). Where some
//                    1    .           does, pieces of it are joined lowest contact first, and a layer ends where it
//         111111111.1     .           would come to lie above itself (contacts.c).
//         1111111111111111111
//
// Both work on runs of spans, few to a row, and look at single spans only in crowded columns.
#include "core/partition/folds.h"
#include "core/partition/layers_work.h"

#include <string.h>

enum { UNKNOWN = -1 };

static void mark_border(nav_layers_work *w, int d, int32_t first, int32_t end)
{
    const int32_t *link = w->f->link[d];
    for (int32_t s = first; s < end; s++)
        if (w->id[s] > 0 && link[s] != NAV_LINK_NONE) w->pieces[w->id[s]].border = true;
}

// Which floor goes on in the padding?
static void find_border(nav_layers_work *w)
{
    const nav_open_field *f = w->f;
    int32_t low = f->border, high = f->width - f->border - 1;
    mark_border(w, 3, nav_run_bits_row_first(f, low), nav_run_bits_row_end(f, low));
    mark_border(w, 1, nav_run_bits_row_first(f, high), nav_run_bits_row_end(f, high));
    for (int32_t z = low; z <= high; z++) {
        const int32_t *first = f->column_first + z * f->width;
        mark_border(w, 0, first[low], first[low + 1]);
        mark_border(w, 2, first[high], first[high + 1]);
    }
}

static inline void add_to(nav_layer_piece *p, int32_t spans, int32_t low, int32_t high)
{
    p->spans += spans;
    p->low = low < p->low ? low : p->low;
    p->high = high > p->high ? high : p->high;
}

// Fills the pieces, and at their roots the layers.
static void measure_layers(nav_layers_work *w)
{
    nav_layer_piece *p = w->pieces;
    const int32_t *floor = w->f->floor;
    const nav_run *end = w->runs + w->row_first[w->f->width - 2 * w->f->border];
    for (int32_t k = 1; k <= w->piece_count; k++)
        p[k] = (nav_layer_piece){.root = nav_layer_root(p, k), .low = INT32_MAX, .high = INT32_MIN};
    for (const nav_run *run = w->runs; run < end; run++) {
        int32_t low = floor[run->first], high = low;
        if (run->piece == NAV_RUN_MIXED) {
            for (int32_t s = run->first; s < run->end; s++) add_to(&p[w->id[s]], 1, floor[s], floor[s]);
            continue;
        }
        for (int32_t s = run->first; s < run->end; s++) {
            low = floor[s] < low ? floor[s] : low;
            high = floor[s] > high ? floor[s] : high;
        }
        add_to(&p[run->piece], run->end - run->first, low, high);
    }
    find_border(w);
    for (int32_t k = 1; k <= w->piece_count; k++) {
        int32_t r = p[k].root;
        if (r == k) continue;
        add_to(&p[r], p[k].spans, p[k].low, p[k].high);
        p[r].border |= p[k].border;
    }
}

static int32_t group_of(int32_t *group, int32_t a)
{
    while (group[a] != a) a = group[a] = group[group[a]];
    return a;
}

// Marks the layers that go as too small, in `number`: those of floor that is connected to nothing larger, unless it
// goes on in the padding: how much of it lies in the neighbour tile is not known here. group, total: scratch, per
// piece.
static void remove_small(nav_layers_work *w, int32_t least, int32_t *group, int32_t *total, int32_t *number)
{
    nav_layer_piece *p = w->pieces;
    bool any = false;
    for (int32_t k = 1; k <= w->piece_count; k++) any |= p[k].root == k && p[k].spans < least && !p[k].border;
    if (!any) return; // no need to ask what is connected
    for (int32_t k = 1; k <= w->piece_count; k++) {
        group[k] = k;
        total[k] = 0;
    }
    for (int32_t i = 0; i < w->apart_count; i++) {
        int32_t a = group_of(group, nav_layer_root(p, w->apart[i].a));
        int32_t b = group_of(group, nav_layer_root(p, w->apart[i].b));
        if (a != b) group[a > b ? a : b] = a < b ? a : b;
    }
    for (int32_t k = 1; k <= w->piece_count; k++) {
        int32_t g = group_of(group, k);
        if (p[k].root == k && total[g] < least) total[g] = p[k].border ? least : total[g] + p[k].spans;
    }
    for (int32_t k = 1; k <= w->piece_count; k++)
        if (p[k].root == k && total[group_of(group, k)] < least) number[k] = NAV_REGION_NONE;
}

// Numbers the layers in the order of their first spans. number: per piece, NAV_REGION_NONE where it goes.
static void number_layers(nav_layers_work *w, int32_t *number, nav_regions *out)
{
    for (int32_t k = 1; k <= w->piece_count; k++) {
        int32_t r = nav_layer_root(w->pieces, k);
        if (number[r] == UNKNOWN) number[r] = ++out->count;
        number[k] = number[r];
    }
}

static void write_layers(const nav_layers_work *w, const int32_t *number)
{
    bool same = true;
    for (int32_t k = 1; k <= w->piece_count; k++) same &= number[k] == k;
    if (same) return; // as where all floor is one layer
    const nav_run *end = w->runs + w->row_first[w->f->width - 2 * w->f->border];
    for (const nav_run *run = w->runs; run < end; run++) {
        int32_t layer = number[run->piece];
        if (run->piece == NAV_RUN_MIXED)
            for (int32_t s = run->first; s < run->end; s++) w->id[s] = number[w->id[s]];
        else
            for (int32_t s = run->first; s < run->end; s++) w->id[s] = layer;
    }
}

// Is any layer as high, lowest to highest, as a fold is at least? A gap is two columns, and worth a level each.
static bool is_high(const nav_layers_work *w, const nav_config *cfg)
{
    const nav_layer_piece *p = w->pieces;
    for (int32_t k = 1; k <= w->piece_count; k++)
        if (p[k].root == k && (int64_t)p[k].high - p[k].low > (int64_t)cfg->climb_vx + 2) return true;
    return false;
}

nav_status nav_regions_layers_by(bool by_contacts, const nav_open_field *f, const nav_config *cfg, nav_arena *arena,
                                 nav_regions *out)
{
    size_t n = (size_t)f->span_count;
    *out = (nav_regions){.id = NAV_TAKE(arena, int32_t, n), .folded = NAV_TAKE(arena, uint8_t, n + 1)};
    nav_arena_mark mark = nav_arena_get_mark(arena);
    nav_layers_work w = {
        .f = f,
        .id = out->id,
        .runs = NAV_TAKE(arena, nav_run, n),
        .row_first = NAV_TAKE(arena, int32_t, f->width + 1),
        .pieces = NAV_TAKE(arena, nav_layer_piece, n + 1),
        .apart = NAV_TAKE(arena, nav_layer_pair, 2 * n),
    };
    int32_t *number = NAV_TAKE(arena, int32_t, n + 1);
    int32_t *group = NAV_TAKE(arena, int32_t, n + 1), *total = NAV_TAKE(arena, int32_t, n + 1);
    nav_status status = nav_run_bits_init(&w.bits, f, arena);
    if (status != NAV_OK) goto done;
    if (!w.id || !out->folded || !w.runs || !w.row_first || !w.pieces || !w.apart || !number || !group || !total) {
        status = nav_arena_failure(arena);
        goto done;
    }
    nav_regions_mark_outside(f, w.id);
    if (by_contacts || !nav_layers_join_floors(&w)) status = nav_layers_join_contacts(&w, arena);
    if (status != NAV_OK) goto done;
    measure_layers(&w);
    number[0] = NAV_REGION_NONE;
    for (int32_t k = 1; k <= w.piece_count; k++) number[k] = UNKNOWN;
    remove_small(&w, cfg->region_min_spans, group, total, number);
    number_layers(&w, number, out);
    write_layers(&w, number);
    memset(out->folded, 0, (size_t)out->count + 1);
    if (is_high(&w, cfg)) status = nav_layers_find_folds(f, cfg, w.runs, w.row_first, arena, out);
done:
    nav_arena_release(arena, mark);
    return status;
}

nav_status nav_regions_layers(const nav_open_field *f, const nav_config *cfg, nav_arena *arena, nav_regions *out)
{
    return nav_regions_layers_by(false, f, cfg, arena, out);
}
