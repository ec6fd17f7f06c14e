// What the areas of a world are called, what they cost, and what they allow: the table that a file of tiles brings
// (tile_file.h), for whoever plans paths or shows a mesh. Plain data, owned by the caller. Any thread.
#ifndef NAVCORE_AREAS_H
#define NAVCORE_AREAS_H

#include "navcore/settings.h"
#include "navcore/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    NAV_AREA_TYPES = NAV_AREA_COUNT - 1, // that a table has room for
    NAV_AREA_NAME_BYTES = 65,            // with the end
};

typedef struct nav_area_type {
    uint8_t id;                     // 1 to 63
    char name[NAV_AREA_NAME_BYTES]; // UTF-8 without control characters; "": none
    float cost;                     // of a metre, for path finding; above 0
    bool walkable;                  // false: no agent walks there, whatever its profile says
    bool has_flags;                 // else those of the profile (nav_settings.area_flags)
    uint16_t flags;                 // of Detour's polygons
    bool has_color;
    uint32_t color; // 0xrrggbb
} nav_area_type;

typedef struct nav_area_table {
    uint32_t count;
    nav_area_type types[NAV_AREA_TYPES]; // by id, each once
} nav_area_table;

// Without a name, cost 1, walkable, no flags and no colour of its own.
void nav_area_type_default(nav_area_type *a, uint8_t id);

// NAV_OK, or NAV_ERR_ARGUMENT and a sentence: an id, a name or a cost out of range, or ids that do not rise.
NAV_MUST_USE nav_status nav_area_table_check(const nav_area_table *t, char *why, size_t why_bytes);

bool nav_area_table_equal(const nav_area_table *a, const nav_area_table *b);

// An area of the table; NULL: it has no such area. t may be NULL: an empty table.
const nav_area_type *nav_area_table_find(const nav_area_table *t, uint8_t id);
// What a metre on it costs: 1 where the table does not say.
float nav_area_table_cost(const nav_area_table *t, uint8_t id);

// An area of the table to change, at its place; a default one where there was none. id: 1 to 63.
nav_area_type *nav_area_table_put(nav_area_table *t, uint8_t id);
// False: there was none.
bool nav_area_table_remove(nav_area_table *t, uint8_t id);

// What it makes of the settings of an agent: both must allow walking, and its flags go before theirs.
void nav_area_table_apply(const nav_area_table *t, nav_settings *s);

#ifdef __cplusplus
}
#endif

#endif
