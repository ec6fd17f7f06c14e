// world.open, world.list, world.close and mesh.*: the scene's containers.
#include "protocol/name.h"
#include "protocol/schema.h"

#include <stdio.h>
#include <string.h>

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }

enum { MAX_HASHES = 1 << 18 };

static const np_field profile[] = {
    R(np_profile, name, NP_T_STR),
    {.key = "settings",
     .type = NP_T_MAP,
     .offset = offsetof(np_profile, settings),
     .item = &np_schema_profile_settings},
    {.key = "grid", .type = NP_T_U64, .offset = offsetof(np_profile, grid)},
    {.key = "slot",
     .type = NP_T_U32,
     .count = NP_MAX_SLOTS,
     .offset = offsetof(np_profile, slot),
     .has_offset = offsetof(np_profile, has_slot)},
    {.key = "stored_outlines",
     .type = NP_T_ENUM,
     .offset = offsetof(np_profile, stored_outlines),
     .has_offset = offsetof(np_profile, has_stored_outlines),
     .names = np_outlines_names},
    {.key = "stored_sheet",
     .type = NP_T_ENUM,
     .offset = offsetof(np_profile, stored_sheet),
     .has_offset = offsetof(np_profile, has_stored_sheet),
     .names = np_sheet_names},
};

static void default_profile(void *m)
{
    np_profile *p = m;
    nav_settings_default(&p->settings);
}

static nav_status check_profile(void *m, char *why, size_t why_bytes)
{
    const np_profile *p = m;
    return np_name_check("name", p->name, why, why_bytes);
}

static const np_schema profile_schema = {
    .bytes = sizeof(np_profile), NP_FIELDS(profile), .defaults = default_profile, .check = check_profile};

void np_profile_store(np_profile *p)
{
    p->has_stored_outlines = true;
    p->stored_outlines = p->settings.outlines;
    p->has_stored_sheet = p->settings.sheets != NAV_SHEETS_UP;
    p->stored_sheet = p->settings.sheet;
}

void np_profile_restore(np_profile *p)
{
    p->settings.outlines = p->has_stored_outlines ? p->stored_outlines : NAV_OUTLINES_VOXEL;
    p->has_stored_outlines = false;
    if (p->has_stored_sheet) p->settings.sheet = p->stored_sheet;
    p->has_stored_sheet = false;
}

// The origin is the world's: give it to every profile's settings, so that they are whole.
static nav_status spread_origin(const double origin_m[3], np_profile *profiles, uint32_t count, char *why,
                                size_t why_bytes)
{
    for (uint32_t i = 0; i < count; i++) {
        memcpy(profiles[i].settings.origin_m, origin_m, sizeof profiles[i].settings.origin_m);
        nav_status st = nav_settings_check(&profiles[i].settings, why, why_bytes);
        if (st != NAV_OK) return st;
    }
    return NAV_OK;
}

static nav_status check_world_open(void *m, char *why, size_t why_bytes)
{
    np_world_open_request *r = m;
    nav_status st = np_name_check("name", r->name, why, why_bytes);
    if (st == NAV_OK) st = np_check_margin(r->build.margin_m, why, why_bytes);
    if (st == NAV_OK) st = np_axes_check(&r->axes, why, why_bytes);
    if (st != NAV_OK) return st;
    st = np_areas_check(r->areas, r->area_count, why, why_bytes);
    if (st != NAV_OK) return st;
    return spread_origin(r->origin_m, (np_profile *)r->profiles, r->profile_count, why, why_bytes);
}

static const np_field world_open_request[] = {
    R(np_world_open_request, name, NP_T_STR),
    {.key = "create", .type = NP_T_BOOL, .offset = offsetof(np_world_open_request, create)},
    {.key = "origin_m", .type = NP_T_F64S, .count = 3, .offset = offsetof(np_world_open_request, origin_m)},
    {.key = "profiles",
     .type = NP_T_LIST,
     .count = NP_MAX_STORED_PROFILES,
     .offset = offsetof(np_world_open_request, profiles),
     .count_offset = offsetof(np_world_open_request, profile_count),
     .item = &profile_schema},
    {.key = "reach",
     .type = NP_T_MAP,
     .offset = offsetof(np_world_open_request, reach),
     .has_offset = offsetof(np_world_open_request, has_reach),
     .item = &np_schema_reach},
    {.key = "build", .type = NP_T_ENUM, .offset = offsetof(np_world_open_request, build.mode), .names = np_build_names},
    {.key = "margin_m", .type = NP_T_F64, .offset = offsetof(np_world_open_request, build.margin_m)},
    NP_AREA_LIST(np_world_open_request),
    NP_AXES_FIELDS(np_world_open_request, axes.),
};
const np_schema np_schema_world_open_request = {
    .bytes = sizeof(np_world_open_request), NP_FIELDS(world_open_request), .check = check_world_open};

static nav_status finish_world_open(void *m, char *why, size_t why_bytes)
{
    np_world_open_response *r = m;
    return spread_origin(r->origin_m, (np_profile *)r->profiles, r->profile_count, why, why_bytes);
}

static const np_field world_open_response[] = {
    R(np_world_open_response, world, NP_T_U64),
    R(np_world_open_response, revision, NP_T_U64),
    R(np_world_open_response, created, NP_T_BOOL),
    {.key = "origin_m",
     .type = NP_T_F64S,
     .flags = NP_REQUIRED,
     .count = 3,
     .offset = offsetof(np_world_open_response, origin_m)},
    {.key = "profiles",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_MAX_PROFILES,
     .offset = offsetof(np_world_open_response, profiles),
     .count_offset = offsetof(np_world_open_response, profile_count),
     .item = &profile_schema},
    {.key = "reach",
     .type = NP_T_MAP,
     .offset = offsetof(np_world_open_response, reach),
     .has_offset = offsetof(np_world_open_response, has_reach),
     .item = &np_schema_reach},
    {.key = "build",
     .type = NP_T_ENUM,
     .offset = offsetof(np_world_open_response, build.mode),
     .names = np_build_names},
    {.key = "margin_m", .type = NP_T_F64, .offset = offsetof(np_world_open_response, build.margin_m)},
    NP_AREA_LIST(np_world_open_response),
    {.key = "to_metres",
     .type = NP_T_F64S,
     .count = 12,
     .offset = offsetof(np_world_open_response, to_metres),
     .has_offset = offsetof(np_world_open_response, has_to_metres)},
};
const np_schema np_schema_world_open_response = {.bytes = sizeof(np_world_open_response),
                                                 NP_FIELDS(world_open_response),
                                                 .check = finish_world_open,
                                                 .axes_offset = offsetof(np_world_open_response, axes)};

static const np_field world_entry[] = {
    R(np_world_entry, name, NP_T_STR),
    R(np_world_entry, revision, NP_T_U64),
    R(np_world_entry, instances, NP_T_U64),
};
static const np_schema world_entry_schema = {.bytes = sizeof(np_world_entry), NP_FIELDS(world_entry)};

static const np_field world_list_response[] = {{
    .key = "worlds",
    .type = NP_T_LIST,
    .flags = NP_REQUIRED,
    .count = NP_MAX_WORLDS,
    .offset = offsetof(np_world_list_response, worlds),
    .count_offset = offsetof(np_world_list_response, world_count),
    .item = &world_entry_schema,
}};
const np_schema np_schema_world_list_request = NP_SCHEMA_NONE;
const np_schema np_schema_world_list_response = {.bytes = sizeof(np_world_list_response),
                                                 NP_FIELDS(world_list_response)};

static const np_field world_close_request[] = {R(np_world_close_request, world, NP_T_U64)};
const np_schema np_schema_world_close_request = {.bytes = sizeof(np_world_close_request),
                                                 NP_FIELDS(world_close_request)};
const np_schema np_schema_world_close_response = NP_SCHEMA_NONE;

static const np_field world_delete_request[] = {R(np_world_delete_request, world, NP_T_U64)};
const np_schema np_schema_world_delete_request = {.bytes = sizeof(np_world_delete_request),
                                                  NP_FIELDS(world_delete_request)};
const np_schema np_schema_world_delete_response = NP_SCHEMA_NONE;

static const np_field key[] = {{.key = "hash", .type = NP_T_KEY, .flags = NP_REQUIRED}};
static const np_schema key_schema = {.bytes = sizeof(nav_key), NP_FIELDS(key), .shape = NP_SHAPE_BARE};

static const np_field known_key[] = {{.key = "hash", .type = NP_T_KEY, .flags = NP_REQUIRED | NP_NULLABLE}};
static const np_schema known_key_schema = {.bytes = sizeof(nav_key), NP_FIELDS(known_key), .shape = NP_SHAPE_BARE};

static const np_field digest[] = {{.key = "sha256", .type = NP_T_DIGEST, .flags = NP_REQUIRED}};
static const np_schema digest_schema = {.bytes = sizeof(np_digest), NP_FIELDS(digest), .shape = NP_SHAPE_BARE};

static const np_field mesh_have_request[] = {
    {.key = "hashes",
     .type = NP_T_LIST,
     .count = MAX_HASHES,
     .offset = offsetof(np_mesh_have_request, hashes),
     .count_offset = offsetof(np_mesh_have_request, hash_count),
     .item = &key_schema},
    {.key = "sha256",
     .type = NP_T_LIST,
     .count = MAX_HASHES,
     .offset = offsetof(np_mesh_have_request, digests),
     .count_offset = offsetof(np_mesh_have_request, digest_count),
     .item = &digest_schema},
};
const np_schema np_schema_mesh_have_request = {.bytes = sizeof(np_mesh_have_request), NP_FIELDS(mesh_have_request)};

static const np_field mesh_have_response[] = {
    {.key = "missing",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = MAX_HASHES,
     .offset = offsetof(np_mesh_have_response, missing),
     .count_offset = offsetof(np_mesh_have_response, missing_count),
     .item = &key_schema},
    {.key = "keys",
     .type = NP_T_LIST,
     .count = MAX_HASHES,
     .offset = offsetof(np_mesh_have_response, keys),
     .count_offset = offsetof(np_mesh_have_response, key_count),
     .item = &known_key_schema},
};
const np_schema np_schema_mesh_have_response = {.bytes = sizeof(np_mesh_have_response), NP_FIELDS(mesh_have_response)};

static nav_status check_heights(uint8_t bits, char *why, size_t why_bytes)
{
    if (bits == 0 || bits == 16 || bits == 32) return NAV_OK;
    snprintf(why, why_bytes, "heights: %u, expected 0 (triangles), or 16 or 32 bits a sample", bits);
    return NAV_ERR_ARGUMENT;
}

static nav_status check_mesh_put(void *m, char *why, size_t why_bytes)
{
    const np_mesh_put_request *r = m;
    nav_status s = check_heights(r->heights, why, why_bytes);
    if (s != NAV_OK) return s;
    uint64_t total = np_mesh_bytes(r->vertices, r->triangles, np_mesh_form_of(r->areas, r->heights));
    if (r->offset <= total && r->data.size <= total - r->offset) return NAV_OK;
    snprintf(why, why_bytes, "data: %u bytes at offset %llu, expected an end within the mesh's %llu bytes",
             r->data.size, (unsigned long long)r->offset, (unsigned long long)total);
    return NAV_ERR_ARGUMENT;
}

static const np_field mesh_put_request[] = {
    {.key = "hash", .type = NP_T_KEY, .offset = offsetof(np_mesh_put_request, hash)},
    R(np_mesh_put_request, vertices, NP_T_U32),
    R(np_mesh_put_request, triangles, NP_T_U32),
    {.key = "areas", .type = NP_T_BOOL, .offset = offsetof(np_mesh_put_request, areas)},
    {.key = "heights", .type = NP_T_U8, .count = 32, .offset = offsetof(np_mesh_put_request, heights)},
    {.key = "offset", .type = NP_T_U64, .offset = offsetof(np_mesh_put_request, offset)},
    R(np_mesh_put_request, data, NP_T_BIN),
};
const np_schema np_schema_mesh_put_request = {
    .bytes = sizeof(np_mesh_put_request), NP_FIELDS(mesh_put_request), .check = check_mesh_put};

static const np_field mesh_put_response[] = {
    R(np_mesh_put_response, received, NP_T_U64),
    R(np_mesh_put_response, complete, NP_T_BOOL),
    {.key = "skipped_triangles", .type = NP_T_U32, .offset = offsetof(np_mesh_put_response, skipped_triangles)},
    {.key = "hash", .type = NP_T_KEY, .offset = offsetof(np_mesh_put_response, hash)},
};
const np_schema np_schema_mesh_put_response = {.bytes = sizeof(np_mesh_put_response), NP_FIELDS(mesh_put_response)};

static const np_field mesh_get_request[] = {
    R(np_mesh_get_request, hash, NP_T_KEY),
    {.key = "offset", .type = NP_T_U64, .offset = offsetof(np_mesh_get_request, offset)},
};
const np_schema np_schema_mesh_get_request = {.bytes = sizeof(np_mesh_get_request), NP_FIELDS(mesh_get_request)};

static const np_field mesh_get_response[] = {
    R(np_mesh_get_response, vertices, NP_T_U32),
    R(np_mesh_get_response, triangles, NP_T_U32),
    {.key = "areas", .type = NP_T_BOOL, .offset = offsetof(np_mesh_get_response, areas)},
    {.key = "heights", .type = NP_T_U8, .count = 32, .offset = offsetof(np_mesh_get_response, heights)},
    R(np_mesh_get_response, data, NP_T_BIN),
};
static nav_status check_mesh_get(void *m, char *why, size_t why_bytes)
{
    return check_heights(((const np_mesh_get_response *)m)->heights, why, why_bytes);
}
const np_schema np_schema_mesh_get_response = {
    .bytes = sizeof(np_mesh_get_response), NP_FIELDS(mesh_get_response), .check = check_mesh_get};
