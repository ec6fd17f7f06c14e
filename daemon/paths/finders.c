#include "daemon/paths/finders.h"

#include <stdlib.h>

nav_status nd_finders_init(nd_finders *f, uint32_t count)
{
    f->slots = calloc(count, sizeof *f->slots);
    f->count = f->slots ? count : 0;
    return f->slots ? NAV_OK : NAV_ERR_MEMORY;
}

void nd_finders_trim(nd_finders *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        nd_finder_slot *s = &f->slots[i];
        if (s->busy || !s->finder) continue;
        f->bytes -= s->bytes;
        nav_path_finder_destroy(s->finder);
        *s = (nd_finder_slot){0};
    }
}

void nd_finders_deinit(nd_finders *f)
{
    nd_finders_trim(f);
    free(f->slots);
    *f = (nd_finders){0};
}

bool nd_finders_are_busy(const nd_finders *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (!f->slots[i].busy) return false;
    return true;
}

nav_path_finder *nd_finders_take(nd_finders *f)
{
    nd_finder_slot *best = NULL;
    for (uint32_t i = 0; i < f->count; i++) // one that has memory already goes first
        if (!f->slots[i].busy && (!best || (f->slots[i].finder && !best->finder))) best = &f->slots[i];
    if (!best || (!best->finder && nav_path_finder_create(&best->finder) != NAV_OK)) return NULL;
    best->busy = true;
    return best->finder;
}

void nd_finders_give(nd_finders *f, nav_path_finder *finder)
{
    nd_finder_slot *s = f->slots;
    while (s->finder != finder) s++;
    s->busy = false;
    f->bytes -= s->bytes;
    s->bytes = nav_path_finder_bytes(finder);
    f->bytes += s->bytes;
}
