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

void nd_includes_reset(nd_world *w)
{
    w->include_box = (nav_box_xz){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};
}

void nd_includes_widen(nd_world *w, const nav_box_xz *box)
{
    nav_box_xz *all = &w->include_box;
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
