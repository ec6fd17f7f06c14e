#include "daemon/world/includes.h"

#include "daemon/base/thread.h"

typedef struct look {
    nd_box box;
    const nav_settings *settings;
    int32_t x, z;
    bool found;
} look;

static bool stop_at_any(void *user, uint64_t id, const nav_box_xz *box)
{
    look *l = user;
    (void)box;
    l->found = nd_box_touch(&((const nd_object *)(uintptr_t)id)->box, &l->box); // the index holds addresses
    return !l->found;
}

static bool stop_at_ground(void *user, uint64_t id, const nav_box_xz *box)
{
    look *l = user;
    (void)box;
    l->found = nd_tile_may_have_ground(l->settings, &((const nd_object *)(uintptr_t)id)->box, l->x, l->z);
    return !l->found;
}

static bool stop_at_include(void *user, uint64_t id, const nav_box_xz *box)
{
    return !nd_object_includes((const nd_object *)(uintptr_t)id) || stop_at_any(user, id, box);
}

bool nd_object_includes(const nd_object *o)
{
    return o && o->kind == ND_VOLUME && ((const nd_volume *)o)->volume.include;
}

bool nd_includes_touch(const nd_world *w, const nav_spatial_index *coming, const nav_settings *settings, int32_t x,
                       int32_t z)
{
    ND_ASSERT_LOOP_THREAD();
    look l = {.found = false};
    nd_tile_box(settings, x, z, &l.box);
    if (w->include_count) nav_spatial_index_query(&w->index[ND_VOLUME], &l.box.xz, stop_at_include, &l);
    if (!l.found && coming) nav_spatial_index_query(coming, &l.box.xz, stop_at_any, &l);
    return l.found;
}

bool nd_instances_touch(const nd_world *w, const nav_settings *settings, int32_t x, int32_t z)
{
    ND_ASSERT_LOOP_THREAD();
    look l = {.settings = settings, .x = x, .z = z};
    nd_tile_box(settings, x, z, &l.box);
    nd_box_clip_xz(&l.box, &w->extent);
    nav_spatial_index_query(&w->index[ND_INSTANCE], &l.box.xz, stop_at_ground, &l);
    return l.found;
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
                                  uint32_t profile, const nd_box *box, nd_creates creates,
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
