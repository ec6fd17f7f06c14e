#include "daemon/world/areas.h"

#include <stdlib.h>
#include <string.h>

nav_status nd_area_table_create(const np_area *list, uint32_t count, nd_area_table **out)
{
    nd_area_table *t = calloc(1, sizeof *t);
    if (!t) return NAV_ERR_MEMORY;
    np_areas_to_core(list, count, &t->core);
    t->count = count;
    for (uint32_t i = 0; i < count; i++) np_area_from_core(&t->core.types[i], &t->list[i]);
    *out = t;
    return NAV_OK;
}

uint32_t nd_area_table_merge(const nd_area_table *before, const np_area *list, uint32_t count, np_area *out)
{
    uint64_t named = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        named |= UINT64_C(1) << list[i].id;
        out[n++] = list[i];
    }
    for (uint32_t i = 0; before && i < before->count; i++)
        if (!(named >> before->list[i].id & 1)) out[n++] = before->list[i];
    return n;
}

void nd_area_table_apply(const nd_area_table *t, nav_settings *s)
{
    if (t) nav_area_table_apply(&t->core, s);
}

bool nd_area_tables_differ(const nd_area_table *a, const nd_area_table *b, const nav_settings *s)
{
    nav_settings with_a = *s, with_b = *s;
    nd_area_table_apply(a, &with_a);
    nd_area_table_apply(b, &with_b);
    return with_a.walkable_areas != with_b.walkable_areas ||
           memcmp(with_a.area_flags, with_b.area_flags, sizeof with_a.area_flags) != 0;
}

void nd_world_settings(const nd_world *w, uint32_t profile, nav_settings *out)
{
    *out = w->profiles[profile].wire.settings;
    nd_area_table_apply(w->areas, out);
}

void nd_world_take_areas(nd_world *w, nd_area_table *t)
{
    free(w->areas);
    w->areas = t;
    w->areas_version++;
}

nav_status nd_world_begin_areas(nd_world *w, const np_area *list, uint32_t count)
{
    nd_area_table *t;
    if (!count) return NAV_OK;
    nav_status s = nd_area_table_create(list, count, &t);
    if (s == NAV_OK) nd_world_take_areas(w, t);
    return s;
}
