// world.profile, world.origin and the note `settings`.
#include "protocol/name.h"
#include "protocol/schema.h"

#include <stdio.h>
#include <string.h>

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }
#define ORIGIN(T)                                                                                                      \
    {                                                                                                                  \
        .key = "origin_m", .type = NP_T_F64S, .flags = NP_REQUIRED, .count = 3, .offset = offsetof(T, origin_m)        \
    }

static const np_field profile_request[] = {
    R(np_world_profile_request, world, NP_T_U64),
    R(np_world_profile_request, name, NP_T_STR),
    {.key = "settings",
     .type = NP_T_MAP,
     .offset = offsetof(np_world_profile_request, settings),
     .has_offset = offsetof(np_world_profile_request, has_settings),
     .item = &np_schema_profile_settings},
    {.key = "remove", .type = NP_T_BOOL, .offset = offsetof(np_world_profile_request, remove)},
};

static void default_profile(void *m)
{
    np_world_profile_request *r = m;
    nav_settings_default(&r->settings);
}

static nav_status check_profile(void *m, char *why, size_t why_bytes)
{
    const np_world_profile_request *r = m;
    if (r->remove && r->has_settings) {
        snprintf(why, why_bytes, "remove: true, but there are settings; leave out one of them");
        return NAV_ERR_ARGUMENT;
    }
    return np_name_check("name", r->name, why, why_bytes);
}

const np_schema np_schema_world_profile_request = {.bytes = sizeof(np_world_profile_request),
                                                   NP_FIELDS(profile_request),
                                                   .defaults = default_profile,
                                                   .check = check_profile};

static const np_field profile_response[] = {
    R(np_world_profile_response, revision, NP_T_U64),
    R(np_world_profile_response, dirty_tiles, NP_T_U32),
    R(np_world_profile_response, durable, NP_T_BOOL),
    {.key = "grid", .type = NP_T_U64, .offset = offsetof(np_world_profile_response, grid)},
};
const np_schema np_schema_world_profile_response = {.bytes = sizeof(np_world_profile_response),
                                                    NP_FIELDS(profile_response)};

static const np_field origin_request[] = {
    R(np_world_origin_request, world, NP_T_U64),
    ORIGIN(np_world_origin_request),
};
const np_schema np_schema_world_origin_request = {.bytes = sizeof(np_world_origin_request), NP_FIELDS(origin_request)};

static const np_field origin_response[] = {
    R(np_world_origin_response, revision, NP_T_U64),
    R(np_world_origin_response, dirty_tiles, NP_T_U32),
    R(np_world_origin_response, durable, NP_T_BOOL),
};
const np_schema np_schema_world_origin_response = {.bytes = sizeof(np_world_origin_response),
                                                   NP_FIELDS(origin_response)};

static const np_field settings_note[] = {
    R(np_settings_note, subscription, NP_T_U64),
    R(np_settings_note, world, NP_T_U64),
    R(np_settings_note, profile, NP_T_STR),
    {.key = "settings",
     .type = NP_T_MAP,
     .flags = NP_REQUIRED,
     .offset = offsetof(np_settings_note, settings),
     .item = &np_schema_profile_settings},
    ORIGIN(np_settings_note),
    R(np_settings_note, revision, NP_T_U64),
    {.key = "grid", .type = NP_T_U64, .offset = offsetof(np_settings_note, grid)},
};

static nav_status check_note(void *m, char *why, size_t why_bytes)
{
    np_settings_note *n = m;
    memcpy(n->settings.origin_m, n->origin_m, sizeof n->origin_m);
    return nav_settings_check(&n->settings, why, why_bytes);
}

const np_schema np_schema_settings_note = {
    .bytes = sizeof(np_settings_note), NP_FIELDS(settings_note), .check = check_note};
