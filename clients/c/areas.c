// A world's table of areas.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <string.h>

void navd_area_default(navd_area_type *a, uint8_t id)
{
    *a = (navd_area_type){.id = id, .cost = 1, .walkable = true};
}

void navd_area_to_wire(const navd_area_type *in, np_area *out)
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

void navd_area_from_wire(const np_area *in, navd_area_type *out)
{
    *out = (navd_area_type){.id = in->id,
                            .cost = in->cost,
                            .walkable = in->walkable,
                            .has_flags = in->has_flags,
                            .flags = in->flags,
                            .has_color = in->has_color,
                            .color = in->color};
    navd_text_copy(out->name, sizeof out->name, in->name);
}

void navd_areas_to_core(const navd_area_type *list, size_t count, nav_area_table *out)
{
    out->count = 0;
    for (size_t i = 0; i < count; i++) {
        np_area wire;
        navd_area_to_wire(&list[i], &wire);
        np_area_to_core(&wire, nav_area_table_put(out, wire.id));
    }
}

void navd_areas_from_core(const nav_area_table *in, navd_area_type list[NAVD_MAX_AREAS])
{
    for (uint32_t i = 0; i < in->count; i++) {
        np_area wire;
        np_area_from_core(&in->types[i], &wire);
        navd_area_from_wire(&wire, &list[i]);
    }
}

static nav_status take_areas(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_world_areas_response answer;
    navd_areas *o = out;
    (void)c;
    nav_status s = np_decode_world_areas_response(in, &answer, err);
    if (s != NAV_OK) return s;
    *o = (navd_areas){.revision = answer.revision,
                      .dirty_tiles = answer.dirty_tiles,
                      .durable = answer.durable,
                      .count = answer.area_count};
    for (uint32_t i = 0; i < answer.area_count; i++) navd_area_from_wire(&answer.areas[i], &o->areas[i]);
    return NAV_OK;
}

navd_status navd_world_areas(navd_client *c, uint64_t world, const navd_area_type *areas, size_t count, bool replace,
                             navd_areas *out)
{
    np_area wire[NAVD_MAX_AREAS];
    np_world_areas_request request = {.world = world, .has_areas = areas != NULL, .areas = wire, .replace = replace};
    *out = (navd_areas){0};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    if (areas && count > NAVD_MAX_AREAS)
        return navd_client_fail(c, NAV_ERR_LIMIT, "%zu areas, but a table has at most %d", count, NAVD_MAX_AREAS);
    for (size_t i = 0; areas && i < count; i++) navd_area_to_wire(&areas[i], &wire[i]);
    request.area_count = areas ? (uint32_t)count : 0;
    s = np_encode_world_areas_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_areas, out);
}
