// A world's table of areas, and what it makes of a profile's settings. Immutable once made; a world whose table was
// never set has none. Loop thread only.
#ifndef ND_AREAS_H
#define ND_AREAS_H

#include "daemon/world/world.h"

typedef struct nd_area_table {
    nav_area_table core;
    uint32_t count;
    np_area list[NP_MAX_AREAS]; // by id, as messages have it; names point into `core`
} nd_area_table;

// The list, checked and with each id once; what it borrows is copied. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_area_table_create(const np_area *list, uint32_t count, nd_area_table **out);
// Those of `before` (NULL: none) that the list does not name, and the list. out has room for NP_MAX_AREAS; borrows.
uint32_t nd_area_table_merge(const nd_area_table *before, const np_area *list, uint32_t count, np_area *out);

// What it makes of the areas of a profile: both must allow walking; flags are the table's where it has some. t: NULL
// for none.
void nd_area_table_apply(const nd_area_table *t, nav_settings *s);
// Does a profile with these settings build other tiles with b than with a?
bool nd_area_tables_differ(const nd_area_table *a, const nd_area_table *b, const nav_settings *s);

// A new world's table, if the list has any. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_world_begin_areas(nd_world *w, const np_area *list, uint32_t count);
// The world's table from now on, which takes it over.
void nd_world_take_areas(nd_world *w, nd_area_table *t);

// The settings that a profile's tiles are made with.
void nd_world_settings(const nd_world *w, uint32_t profile, nav_settings *out);

#endif
