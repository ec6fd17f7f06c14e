// world.areas, and the table of areas as it stands in other messages.
#include "protocol/name.h"
#include "protocol/schema.h"

#include <stdio.h>
#include <string.h>

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }

static const np_field area[] = {
    {.key = "id", .type = NP_T_U8, .flags = NP_REQUIRED, .count = NP_MAX_AREAS, .offset = offsetof(np_area, id)},
    {.key = "name", .type = NP_T_STR, .offset = offsetof(np_area, name)},
    {.key = "cost", .type = NP_T_F32, .offset = offsetof(np_area, cost)},
    {.key = "flags", .type = NP_T_U16, .offset = offsetof(np_area, flags), .has_offset = offsetof(np_area, has_flags)},
    {.key = "color",
     .type = NP_T_U32,
     .count = 0xffffff,
     .offset = offsetof(np_area, color),
     .has_offset = offsetof(np_area, has_color)},
    {.key = "walkable", .type = NP_T_BOOL, .offset = offsetof(np_area, walkable)},
};

void np_area_to_core(const np_area *in, nav_area_type *out)
{
    *out = (nav_area_type){.id = in->id,
                           .cost = in->cost,
                           .walkable = in->walkable,
                           .has_flags = in->has_flags,
                           .flags = in->flags,
                           .has_color = in->has_color,
                           .color = in->color};
    if (in->name.size) memcpy(out->name, in->name.data, in->name.size);
}

void np_area_from_core(const nav_area_type *in, np_area *out)
{
    *out = (np_area){.id = in->id,
                     .name = np_str_of(in->name),
                     .cost = in->cost,
                     .has_flags = in->has_flags,
                     .flags = in->flags,
                     .has_color = in->has_color,
                     .color = in->color,
                     .walkable = in->walkable};
}

void np_areas_to_core(const np_area *list, uint32_t count, nav_area_table *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < count; i++) np_area_to_core(&list[i], nav_area_table_put(out, list[i].id));
}

static void default_area(void *m)
{
    np_area *a = m;
    a->cost = 1;
    a->walkable = true;
}

static nav_status check_area(void *m, char *why, size_t why_bytes)
{
    const np_area *a = m;
    if (!a->id) {
        snprintf(why, why_bytes, "id: 0, expected an integer from 1 to %d (0 is what cannot be walked on)",
                 NP_MAX_AREAS);
        return NAV_ERR_ARGUMENT;
    }
    if (!(a->cost > 0)) {
        snprintf(why, why_bytes, "cost: %g, expected a number above 0", (double)a->cost);
        return NAV_ERR_ARGUMENT;
    }
    if (a->name.size > NP_AREA_NAME_BYTES) {
        snprintf(why, why_bytes, "name: %u bytes, expected at most %d", a->name.size, NP_AREA_NAME_BYTES);
        return NAV_ERR_ARGUMENT;
    }
    return a->name.size ? np_name_check("name", a->name, why, why_bytes) : NAV_OK;
}

const np_schema np_schema_area = {
    .bytes = sizeof(np_area), NP_FIELDS(area), .defaults = default_area, .check = check_area};

nav_status np_areas_check(const np_area *areas, uint32_t count, char *why, size_t why_bytes)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (seen >> areas[i].id & 1) {
            snprintf(why, why_bytes, "areas[%u].id: %u is in the list already", i, areas[i].id);
            return NAV_ERR_ARGUMENT;
        }
        seen |= UINT64_C(1) << areas[i].id;
    }
    return NAV_OK;
}

static nav_status check_request(void *m, char *why, size_t why_bytes)
{
    const np_world_areas_request *r = m;
    if (r->replace && !r->has_areas) {
        snprintf(why, why_bytes, "replace: true without areas; areas: [] empties the table");
        return NAV_ERR_ARGUMENT;
    }
    return np_areas_check(r->areas, r->area_count, why, why_bytes);
}

static const np_field world_areas_request[] = {
    R(np_world_areas_request, world, NP_T_U64),
    {.key = "areas",
     .type = NP_T_LIST,
     .count = NP_MAX_AREAS,
     .offset = offsetof(np_world_areas_request, areas),
     .has_offset = offsetof(np_world_areas_request, has_areas),
     .count_offset = offsetof(np_world_areas_request, area_count),
     .item = &np_schema_area},
    {.key = "replace", .type = NP_T_BOOL, .offset = offsetof(np_world_areas_request, replace)},
};
const np_schema np_schema_world_areas_request = {
    .bytes = sizeof(np_world_areas_request), NP_FIELDS(world_areas_request), .check = check_request};

static const np_field world_areas_response[] = {
    R(np_world_areas_response, revision, NP_T_U64),
    {.key = "dirty_tiles", .type = NP_T_U32, .offset = offsetof(np_world_areas_response, dirty_tiles)},
    {.key = "durable", .type = NP_T_BOOL, .offset = offsetof(np_world_areas_response, durable)},
    NP_AREA_LIST(np_world_areas_response),
};
const np_schema np_schema_world_areas_response = {.bytes = sizeof(np_world_areas_response),
                                                  NP_FIELDS(world_areas_response)};

static const np_field areas_note[] = {
    R(np_areas_note, subscription, NP_T_U64),
    R(np_areas_note, world, NP_T_U64),
    R(np_areas_note, revision, NP_T_U64),
    NP_AREA_LIST(np_areas_note),
};
const np_schema np_schema_areas_note = {.bytes = sizeof(np_areas_note), NP_FIELDS(areas_note)};
