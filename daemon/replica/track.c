#include "daemon/replica/track.h"

#include <stdio.h>
#include <stdlib.h>

nd_track *nd_track_find(const nd_table *all, uint64_t world)
{
    for (nd_node *n = nd_table_first(all, nd_hash_u64(world)); n; n = nd_table_next(n)) {
        nd_track *t = ND_HOLDER(n, nd_track, node);
        if (t->world == world) return t;
    }
    return NULL;
}

nd_track *nd_track_need(nd_table *all, const char *space, uint64_t world)
{
    nd_track *t = nd_track_find(all, world);
    if (t) return t;
    if (nd_table_reserve(all, 1) != NAV_OK) return NULL;
    t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->world = world;
    snprintf(t->space, sizeof t->space, "%s", space);
    nd_table_insert(all, &t->node, nd_hash_u64(world));
    return t;
}

void nd_track_remove(nd_table *all, nd_track *t)
{
    nd_table_remove(all, &t->node);
    free(t);
}

static void free_track(void *user, nd_node *n)
{
    nd_table *all = user;
    nd_track_remove(all, ND_HOLDER(n, nd_track, node));
}

void nd_tracks_deinit(nd_table *all)
{
    nd_table_each(all, free_track, all);
    nd_table_deinit(all);
    *all = (nd_table){0};
}
