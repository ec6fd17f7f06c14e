// A world's table of areas: what its area types are called, cost and allow. Part of messages.h, which says how it is
// read and written.
//
// The table and the profiles together: an agent walks on an area where its profile allows it (walkable_areas) and the
// table does not forbid it; a polygon has the flags that the table gives its area, and where the table gives none,
// those of the profile (area_flags). Name, cost and colour are for people and for path finding: no tile depends on
// them.
#ifndef NP_MESSAGES_AREAS_H
#define NP_MESSAGES_AREAS_H

#include "core/base/status.h"
#include "navcore/areas.h"
#include "protocol/messages_session.h"

#include <stdbool.h>
#include <stdint.h>

enum { NP_MAX_AREAS = NAV_AREA_TYPES, NP_AREA_NAME_BYTES = NAV_AREA_NAME_BYTES - 1 };

typedef struct np_area {
    uint8_t id;  // 1 to 63, once in a list
    np_str name; // default "": none; at most NP_AREA_NAME_BYTES, as a world's name otherwise
    float cost;  // default 1: of a metre, for path finding; above 0
    bool has_flags;
    uint16_t flags; // of Detour's polygons; absent: the profile's
    bool has_color;
    uint32_t color; // 0xrrggbb; absent: whoever shows it chooses
    bool walkable;  // default true
} np_area;

// An area as core has it, and back; `out` borrows its name. The one that comes in was checked.
void np_area_to_core(const np_area *in, nav_area_type *out);
void np_area_from_core(const nav_area_type *in, np_area *out);
// A list with each id once, as a table.
void np_areas_to_core(const np_area *list, uint32_t count, nav_area_table *out);

// world.areas: the table, after a change of it where one is asked for. It is an edit: it raises the revision, and is
// stored and undone like one. Readers may only ask.
typedef struct np_world_areas_request {
    uint64_t world;
    bool has_areas; // absent: nothing changes
    uint32_t area_count;
    const np_area *areas; // each takes the place of the one with its id
    bool replace;         // default false; true: those that are not in the list go
} np_world_areas_request;

typedef struct np_world_areas_response {
    uint64_t revision;    // of the world
    uint32_t dirty_tiles; // that this change has made again; 0 unless walkable or flags changed
    bool durable;         // as in world.edit's answer
    uint32_t area_count;
    const np_area *areas; // all of the table, by id
} np_world_areas_response;

// The table of a subscription's world: behind the answer to tiles.subscribe where there is one, then after each change.
// A client that reads slowly gets the newest one.
typedef struct np_areas_note {
    uint64_t subscription, world, revision;
    uint32_t area_count;
    const np_area *areas;
} np_areas_note;

#endif
