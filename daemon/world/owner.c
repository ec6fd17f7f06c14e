#include "daemon/world/owner.h"

#include "daemon/base/thread.h"
#include "daemon/world/world.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_name(np_str name)
{
    return nav_key_of(name.data, name.size).low;
}

static nd_owner *find(const nd_table *all, np_str name, uint64_t hash)
{
    for (nd_node *n = nd_table_first(all, hash); n; n = nd_table_next(n)) {
        nd_owner *o = ND_HOLDER(n, nd_owner, node);
        if (o->name.size == name.size && !memcmp(o->name.data, name.data, name.size)) return o;
    }
    return NULL;
}

nd_owner *nd_owner_find(const nd_table *all, np_str name)
{
    ND_ASSERT_LOOP_THREAD();
    return find(all, name, hash_name(name));
}

nav_status nd_owner_need(nd_table *all, np_str name, uint64_t max, nd_owner **out)
{
    ND_ASSERT_LOOP_THREAD();
    uint64_t hash = hash_name(name);
    nd_owner *o = find(all, name, hash);
    *out = o ? nd_owner_ref(o) : NULL;
    if (o) return NAV_OK;
    if (all->count >= max) return NAV_ERR_LIMIT;
    nav_status s = nd_table_reserve(all, 1);
    if (s == NAV_OK) o = malloc(sizeof *o + name.size);
    if (!o) return NAV_ERR_MEMORY;
    memcpy(o + 1, name.data, name.size);
    *o = (nd_owner){.all = all, .refs = 1, .name = {(const char *)(o + 1), name.size}};
    nd_table_insert(all, &o->node, hash);
    *out = o;
    return NAV_OK;
}

nd_owner *nd_owner_ref(nd_owner *o)
{
    if (o) o->refs++;
    return o;
}

void nd_owner_unref(nd_owner *o)
{
    if (!o || --o->refs) return;
    if (o->all) nd_table_remove(o->all, &o->node);
    free(o);
}

static void leave_alone(void *user, nd_node *n)
{
    (void)user;
    ND_HOLDER(n, nd_owner, node)->all = NULL;
}

void nd_owners_deinit(nd_table *all)
{
    nd_table_each(all, leave_alone, NULL);
    nd_table_deinit(all);
}

void nd_owner_link(nd_object *o)
{
    nd_owner *owner = o->owner;
    o->owned_before = NULL;
    o->owned_after = owner->first;
    if (owner->first) owner->first->owned_before = o;
    owner->first = o;
    owner->count++;
}

void nd_owner_unlink(nd_object *o)
{
    if (o->owned_before)
        o->owned_before->owned_after = o->owned_after;
    else
        o->owner->first = o->owned_after;
    if (o->owned_after) o->owned_after->owned_before = o->owned_before;
    o->owner->count--;
}
