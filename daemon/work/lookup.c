#include "daemon/work/lookup.h"

#include "daemon/world/reach.h"

#include <stdlib.h>

bool nd_lookup_may_find(const nd_tile_cache *c, nav_key source, uint8_t wanted)
{
    for (int e = 0; e < ND_ENCODINGS; e++)
        if (wanted >> e & 1 && !nd_tile_cache_may_have(c, source, e)) return false;
    return true;
}

static void drop_found(nd_lookup *l)
{
    for (int e = 0; e < ND_ENCODINGS; e++) {
        nd_blob_unref(l->out[e].blob);
        nav_parts_unref(l->out[e].parts);
        l->out[e] = (nd_cached){0};
    }
    l->found = false;
}

static void run(nd_disk_task *task, nd_tile_reader *r)
{
    nd_lookup *l = (nd_lookup *)task;
    l->found = true;
    for (int e = 0; e < ND_ENCODINGS && l->found; e++) {
        if (!(l->wanted >> e & 1)) continue;
        nav_status s = e == ND_ENCODING_BASE ? nd_tile_reader_get_base(r, l->source, l->settings, &l->out[e])
                                             : nd_tile_reader_get(r, l->source, e, &l->out[e]);
        if (s != NAV_OK) l->found = false;
    }
    if (!l->found) drop_found(l);
}

nd_lookup *nd_lookup_create(nav_key source, uint8_t wanted, const nav_settings *settings,
                            void (*done)(nd_disk_task *task, bool ran))
{
    nd_lookup *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    l->task.run = run;
    l->task.done = done;
    l->task.early = true;
    l->source = source;
    l->wanted = wanted;
    if (!settings) return l;
    l->settings = malloc(sizeof *l->settings);
    if (!l->settings) {
        free(l);
        return NULL;
    }
    *l->settings = *settings;
    return l;
}

void nd_lookup_destroy(nd_lookup *l)
{
    if (!l) return;
    drop_found(l);
    free(l->settings);
    free(l);
}

void nd_lookup_remember(const nd_lookup *l, nd_cache *memory)
{
    for (uint8_t e = 0; l->found && e < ND_ENCODINGS; e++)
        if (l->wanted >> e & 1) nd_cache_put(memory, l->source, (uint8_t)e, &l->out[e]);
}
