// Layers: connected floor with at most one span in a column, as large as they get, from the lowest floor up.
//
//      side view      2222222222      Floor that never lies above itself is a layer as it is (components.c). Where some
//                    1    .           does, pieces of it are joined lowest contact first, and a layer ends where it
//         111111111.1     .           would come to lie above itself (contacts.c).
//         1111111111111111111
//
// Both work on runs, few to a row.
#include "core/base/sort.h"
#include "core/partition/folds.h"
#include "core/partition/layers_work.h"

#include <string.h>

enum { UNKNOWN = -1 };

// Adds the pieces of each layer up at its root.
static void add_up(nav_layers_work *w)
{
    nav_layer_piece *p = w->pieces;
    for (int32_t k = 1; k <= w->piece_count; k++) {
        int32_t r = nav_layer_root(p, k);
        if (r == k) continue;
        p[r].spans += p[k].spans;
        p[r].first = p[k].first < p[r].first ? p[k].first : p[r].first;
        p[r].border |= p[k].border;
    }
}

static int32_t group_of(int32_t *group, int32_t a)
{
    while (group[a] != a) a = group[a] = group[group[a]];
    return a;
}

// Numbers the layers that go as too small NAV_REGION_NONE: those of floor that is connected to nothing larger, unless
// it goes on in the padding: how much of it lies in the neighbour tile is not known here. group, total: scratch, per
// piece.
static void remove_small(nav_layers_work *w, int32_t least, int32_t *group, int32_t *total)
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
        if (p[k].root == k && total[group_of(group, k)] < least) w->number[k] = NAV_REGION_NONE;
}

// Numbers the layers in the order of their first spans. roots: scratch, one for each piece.
static void number_layers(nav_layers_work *w, uint64_t *roots, nav_regions *out)
{
    nav_layer_piece *p = w->pieces;
    int32_t count = 0;
    bool sorted = true;
    for (int32_t k = 1; k <= w->piece_count; k++) {
        if (p[k].root != k || w->number[k] != UNKNOWN) continue;
        roots[count++] = (uint64_t)p[k].first << 32 | (uint32_t)k;
        sorted &= count == 1 || roots[count - 2] < roots[count - 1];
    }
    if (!sorted) nav_sort_u64(roots, count);
    for (int32_t i = 0; i < count; i++) w->number[(uint32_t)roots[i]] = i + 1;
    for (int32_t k = 1; k <= w->piece_count; k++) w->number[k] = w->number[nav_layer_root(p, k)];
    out->count = count;
}

nav_status nav_regions_layers_by(bool by_contacts, const nav_compact_heightfield *f, const nav_config *cfg,
                                 nav_arena *arena, nav_regions *out)
{
    size_t n = (size_t)f->span_count;
    int32_t side = f->width - 2 * f->border, words = (f->width + 63) / 64;
    *out = (nav_regions){.id = NAV_TAKE(arena, int32_t, n + NAV_COMPONENTS_SPILL),
                         .folded = NAV_TAKE(arena, uint8_t, n + 1)};
    nav_arena_mark mark = nav_arena_get_mark(arena);
    nav_layers_work w = {
        .f = f,
        .id = out->id,
        .words = words,
        .cover = NAV_TAKE(arena, uint64_t, (size_t)side * (size_t)words),
        .number = NAV_TAKE(arena, int32_t, n + 1),
        .pieces = NAV_TAKE(arena, nav_layer_piece, n + 1),
        .apart = NAV_TAKE(arena, nav_layer_pair, 2 * n),
    };
    int32_t *group = NAV_TAKE(arena, int32_t, n + 1), *total = NAV_TAKE(arena, int32_t, n + 1);
    uint64_t *roots = NAV_TAKE(arena, uint64_t, n);
    nav_status status = NAV_OK;
    if (!w.id || !out->folded || !w.cover || !w.number || !w.pieces || !w.apart || !group || !total || !roots) {
        status = nav_arena_failure(arena);
        goto done;
    }
    nav_components components;
    nav_contacts contacts;
    bool joined = false;
    if (!by_contacts) status = nav_components_join(&w, arena, &components, &joined);
    if (status == NAV_OK && !joined) status = nav_contacts_join(&w, arena, &contacts);
    if (status != NAV_OK) goto done;
    add_up(&w);
    for (int32_t k = 1; k <= w.piece_count; k++) w.number[k] = UNKNOWN;
    remove_small(&w, cfg->region_min_spans, group, total);
    number_layers(&w, roots, out);
    if (joined)
        nav_components_write(&components);
    else
        nav_contacts_write(&contacts);
    memset(out->folded, 0, (size_t)out->count + 1);
    status = nav_layers_find_folds(f, cfg, w.cover, words, arena, out);
done:
    nav_arena_release(arena, mark);
    return status;
}

nav_status nav_regions_layers(const nav_compact_heightfield *f, const nav_config *cfg, nav_arena *arena,
                              nav_regions *out)
{
    return nav_regions_layers_by(false, f, cfg, arena, out);
}
