#include "daemon/world/growth.h"

#include "daemon/base/thread.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH = 256 };             // objects that are taken from the table at a time
static const double SLACK = 1e-6; // of a tile: more than what is lost in rounding

double nd_padding_of(const nav_settings *s)
{
    double min[2], max[2], origin[3];
    nav_tile_padded_bounds(s, 0, 0, min, max);
    nav_sheet_to_frame(s->sheet, s->origin_m, origin);
    return origin[0] - min[0];
}

void nd_growth_begin(nd_growth *g, uint32_t slot, const nav_settings *settings, double complete_m)
{
    double per_m = 1 / ((double)settings->cell_size_m * settings->tile_cells), origin[3];
    nav_sheet_to_frame(settings->sheet, settings->origin_m, origin);
    *g = (nd_growth){.slot = slot,
                     .settings = *settings,
                     .origin_m = {origin[0], origin[2]},
                     .per_m = per_m,
                     .before = complete_m * per_m - SLACK,
                     .after = nd_padding_of(settings) * per_m + SLACK,
                     .boxes = g->boxes,
                     .capacity = g->capacity};
}

void nd_growth_deinit(nd_growth *g)
{
    free(g->boxes);
    *g = (nd_growth){0};
}

static void take_box(void *user, nd_node *n)
{
    nd_growth *g = user;
    const nd_object *o = ND_HOLDER(n, nd_object, node);
    if (!o->has_box) return;
    if (g->count == g->capacity) {
        size_t capacity = g->capacity ? 2 * g->capacity : 2 * BATCH;
        nd_box *grown = realloc(g->boxes, capacity * sizeof *grown);
        g->no_memory |= !grown;
        if (!grown) return;
        g->boxes = grown;
        g->capacity = capacity;
    }
    g->boxes[g->count++] = o->box;
}

// Where the table has grown since, what was not seen stands at the same slot or behind it.
static nav_status take_batch(nd_growth *g, const nd_world *w)
{
    g->count = g->next = 0;
    g->no_memory = false;
    size_t place = nd_table_each_from(&w->objects[ND_INSTANCE], g->place, BATCH, take_box, g);
    if (g->no_memory) {
        g->count = 0; // once more from there
        return NAV_ERR_MEMORY;
    }
    g->place = place;
    g->walked = !place;
    return NAV_OK;
}

// Most objects touch no other tiles than they did, which takes little time to tell.
static bool surely_same_range(const nd_growth *g, const nd_box *box)
{
    if (g->before == -INFINITY) return false;
    const nav_box_xz own = nd_box_in_frame(box, g->settings.sheet);
    for (int k = 0; k < 2; k++) {
        double min = (own.min[k] - g->origin_m[k]) * g->per_m, max = (own.max[k] - g->origin_m[k]) * g->per_m;
        if (floor(min - g->before) != floor(min - g->after) || floor(max + g->before) != floor(max + g->after))
            return false;
    }
    return true;
}

nav_status nd_growth_run(nd_growth *g, nd_world *w, nd_dirty *d, const nd_world_limits *limits, size_t *steps)
{
    ND_ASSERT_LOOP_THREAD();
    for (;;) {
        nav_status s = g->sweeping ? nd_sweep_run(&g->sweep, d, w, limits, steps) : NAV_OK;
        if (s != NAV_OK) return s;
        g->sweeping = false;
        if (g->next == g->count && g->walked) return NAV_OK;
        if (!*steps) return NAV_ERR_AGAIN;
        if (g->next == g->count) {
            s = take_batch(g, w);
            if (s != NAV_OK) return s;
            continue;
        }
        const nd_box *box = &g->boxes[g->next];
        --*steps;
        // Where there are include volumes, one of them may come into the reach of a tile that the object was in
        // already.
        if (w->include_count || !surely_same_range(g, box)) {
            nd_creates creates = w->include_count ? ND_CREATES_INCLUDED : ND_CREATES_ALL;
            s = nd_sweep_begin_with(&g->sweep, d, w, g->slot, &g->settings, box, NULL, creates, false, limits);
            if (s != NAV_OK) return s;
            g->sweeping = true;
        }
        g->next++;
    }
}

double nd_growth_most(const nd_world *w, const nav_settings *settings, double complete_m, uint64_t tiles)
{
    double more_m = nd_padding_of(settings) - complete_m, side_m = (double)settings->cell_size_m * settings->tile_cells;
    int32_t first[2], last[2];
    if (more_m <= 0 || w->extent.low > w->extent.high) return 0; // there is nothing anywhere
    nd_tiles_of_box(settings, &w->extent, first, last);
    double all = fmax(nd_area_of(first, last) - (double)tiles, 0);
    if (w->include_count) return all; // what lies beside a tile says nothing: both must come near, ground and volume
    double around = 1 + 2 * ceil(more_m / side_m), beside = (double)tiles * (around * around - 1);
    return fmin(beside, all);
}
