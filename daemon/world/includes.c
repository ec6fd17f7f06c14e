#include "daemon/world/includes.h"

#include "daemon/base/thread.h"

#include <math.h>

static bool stop_at_include(void *user, uint64_t id, const nav_box_xz *box)
{
    bool *found = user;
    (void)box;
    *found = nd_object_includes((const nd_object *)(uintptr_t)id); // the index holds addresses
    return !*found;
}

static bool stop_at_any(void *user, uint64_t id, const nav_box_xz *box)
{
    bool *found = user;
    (void)id;
    (void)box;
    *found = true;
    return false;
}

bool nd_object_includes(const nd_object *o)
{
    return o && o->kind == ND_VOLUME && ((const nd_volume *)o)->volume.include;
}

const nav_box_xz nd_no_box = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};

void nd_box_widen(nav_box_xz *all, const nav_box_xz *box)
{
    for (int k = 0; k < 2; k++) {
        if (box->min[k] < all->min[k]) all->min[k] = box->min[k];
        if (box->max[k] > all->max[k]) all->max[k] = box->max[k];
    }
}

bool nd_includes_touch(const nd_world *w, const nav_spatial_index *coming, const nav_settings *settings, int32_t x,
                       int32_t z)
{
    ND_ASSERT_LOOP_THREAD();
    nav_box_xz box;
    bool found = false;
    nav_tile_padded_bounds(settings, x, z, box.min, box.max);
    if (w->include_count) nav_spatial_index_query(&w->index[ND_VOLUME], &box, stop_at_include, &found);
    if (!found && coming) nav_spatial_index_query(coming, &box, stop_at_any, &found);
    return found;
}

bool nd_instances_touch(const nd_world *w, const nav_settings *settings, int32_t x, int32_t z)
{
    ND_ASSERT_LOOP_THREAD();
    nav_box_xz box;
    bool found = false;
    nav_tile_padded_bounds(settings, x, z, box.min, box.max);
    nav_spatial_index_query(&w->index[ND_INSTANCE], &box, stop_at_any, &found);
    return found;
}

static nd_world_limits without_edit_limit(const nd_world_limits *limits)
{
    nd_world_limits all = *limits;
    all.max_edit_tiles = UINT64_MAX;
    return all;
}

nav_status nd_ground_sweep_run(nd_ground_sweep *g, nd_dirty *d, nd_world *w, const nd_world_limits *limits,
                               size_t *steps)
{
    ND_ASSERT_LOOP_THREAD();
    const nd_table *t = &w->objects[ND_INSTANCE];
    const nav_settings *settings = &w->profiles[g->profile].wire.settings;
    nd_world_limits all = without_edit_limit(limits);
    uint64_t marks = d->marks;
    nav_status s = NAV_OK;
    while (s == NAV_OK) {
        if (g->sweeping) {
            s = nd_sweep_run(&g->sweep, d, w, &all, steps);
            g->sweeping = s == NAV_ERR_AGAIN;
        } else if (!*steps) {
            s = NAV_ERR_AGAIN;
        } else if (g->next) {
            const nd_object *o = ND_HOLDER(g->next, const nd_object, node);
            --*steps;
            g->next = g->next->next;
            if (!o->has_box) continue;
            s = nd_sweep_begin_with(&g->sweep, d, w, g->profile, settings, &o->box, g->within, g->creates, false, &all);
            g->sweeping = s == NAV_OK;
        } else if (g->slot < t->slot_count) {
            --*steps;
            g->next = t->slots[g->slot++];
        } else {
            break;
        }
    }
    d->marks = marks;
    return s;
}

nav_status nd_include_sweep_begin(nd_sweep *s, nd_ground_sweep *g, bool *by_instance, nd_dirty *d, nd_world *w,
                                  uint32_t profile, const nav_box_xz *box, nd_creates creates,
                                  const nd_world_limits *limits)
{
    ND_ASSERT_LOOP_THREAD();
    nd_world_limits all = without_edit_limit(limits);
    uint64_t marks = d->marks;
    nav_status status = nd_sweep_begin(s, d, w, profile, box, creates, false, &all);
    uint64_t wide = (uint64_t)((int64_t)s->last[0] - s->first[0]) + 1,
             high = (uint64_t)((int64_t)s->last[1] - s->first[1]) + 1;
    d->marks = marks;
    *by_instance = wide * high > w->objects[ND_INSTANCE].count;
    // Whatever is in both boxes is touched by both.
    *g = (nd_ground_sweep){
        .profile = profile, .within = box, .creates = creates == ND_CREATES_COVERED ? ND_CREATES_ALL : ND_CREATES_NONE};
    return status;
}
