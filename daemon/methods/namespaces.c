// namespaces.list
#include "daemon/methods/methods.h"
#include "daemon/world/usage.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)NP_NAMESPACES_MAX == (int)ND_MAX_NAMESPACES, "the list has room for all");

static np_namespace_entry describe(const nd_worlds *worlds, const nd_namespace *space)
{
    nd_usage use = nd_usage_of(worlds, space);
    const uint64_t *max = space->quota.max;
    return (np_namespace_entry){.name = np_str_of(space->name),
                                .worlds = use.worlds,
                                .objects = use.objects,
                                .tiles = use.tiles,
                                .mesh_bytes = space->mesh_bytes,
                                .sessions = space->sessions,
                                .max_worlds = max[ND_QUOTA_max_worlds],
                                .max_objects = max[ND_QUOTA_max_objects],
                                .max_tiles = max[ND_QUOTA_max_tiles],
                                .max_mesh_bytes = max[ND_QUOTA_max_mesh_bytes],
                                .max_sessions = max[ND_QUOTA_max_sessions],
                                .max_edits_per_second = max[ND_QUOTA_max_edits_per_second]};
}

static int compare_names(const void *a, const void *b)
{
    const np_str *x = &((const np_namespace_entry *)a)->name, *y = &((const np_namespace_entry *)b)->name;
    return strcmp(x->data, y->data); // ours, terminated
}

nav_status nd_method_namespaces_list(nd_call *c)
{
    np_namespaces_list_request r;
    nav_status s = np_decode_namespaces_list_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    const nd_namespaces *all = &c->methods->sessions->access.spaces;
    np_namespace_entry *entries = calloc(all->count + 1, sizeof *entries);
    if (!entries) return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the list");
    for (size_t i = 0; i < all->count; i++) entries[i] = describe(c->methods->worlds, all->list[i]);
    qsort(entries, all->count, sizeof *entries, compare_names);
    np_namespaces_list_response out = {.namespace_count = (uint32_t)all->count, .namespaces = entries};
    nd_reply(c->session, c->message->id, NP_NAMESPACES_LIST, &out);
    free(entries);
    return NAV_OK;
}
