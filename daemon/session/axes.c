#include "daemon/session/axes.h"

#include "daemon/base/thread.h"

#include <assert.h>
#include <stdlib.h>

void nd_axes_deinit(nd_axes_list *l)
{
    free(l->entries);
    *l = (nd_axes_list){.count = 0};
}

static nd_axes_entry *find(const nd_axes_list *l, uint64_t world)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->entries[i].world == world) return &l->entries[i];
    return NULL;
}

const np_axes *nd_axes_find(const nd_axes_list *l, uint64_t world)
{
    const nd_axes_entry *e = find(l, world);
    return e ? &e->axes : NULL;
}

nav_status nd_axes_reserve(nd_axes_list *l)
{
    ND_ASSERT_LOOP_THREAD();
    if (l->count < l->capacity) return NAV_OK;
    size_t capacity = l->capacity ? 2 * l->capacity : 4;
    nd_axes_entry *grown = realloc(l->entries, capacity * sizeof *grown);
    if (!grown) return NAV_ERR_MEMORY;
    l->entries = grown;
    l->capacity = capacity;
    return NAV_OK;
}

void nd_axes_set(nd_axes_list *l, uint64_t world, const np_axes *axes)
{
    ND_ASSERT_LOOP_THREAD();
    nd_axes_entry *e = find(l, world);
    if (np_axes_is_plain(axes)) {
        nd_axes_forget(l, world);
        return;
    }
    assert(e || l->count < l->capacity);
    if (!e) e = &l->entries[l->count++];
    *e = (nd_axes_entry){world, *axes};
}

void nd_axes_forget(nd_axes_list *l, uint64_t world)
{
    nd_axes_entry *e = find(l, world);
    if (e) *e = l->entries[--l->count];
}
