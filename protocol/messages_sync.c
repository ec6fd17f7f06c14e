// world.sync.
#include "protocol/name.h"
#include "protocol/schema.h"

#include <stdio.h>

#define REQUEST(member, wire_type)                                                                                     \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .offset = offsetof(np_world_sync_request, member)                           \
    }
#define COLUMN(member, bytes, needed)                                                                                  \
    {                                                                                                                  \
        .key = #member, .type = NP_T_BIN, .flags = needed, .count = bytes,                                             \
        .offset = offsetof(np_world_sync_request, member)                                                              \
    }

// The entries in a column of names. SIZE_MAX: the last one is cut off.
static size_t count_names(np_bin names)
{
    size_t count = 0, at = 0;
    for (; at < names.size; count++) at += 1 + (size_t)names.data[at];
    return at == names.size ? count : SIZE_MAX;
}

static nav_status check_request(void *m, char *why, size_t why_bytes)
{
    const np_world_sync_request *r = m;
    uint32_t count = r->ids.size / 8;
    nav_status s = np_name_check("source", r->source, why, why_bytes);
    if (s != NAV_OK) return s;
    const struct {
        const char *key;
        uint32_t count;
    } columns[] = {{"meshes", r->meshes.size / 16},
                   {"transforms", r->transforms.size / 48},
                   {"areas", r->areas.size ? r->areas.size : count}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        if (columns[i].count == count) continue;
        snprintf(why, why_bytes, "%s: entries for %u objects, expected %u, as there are ids", columns[i].key,
                 columns[i].count, count);
        return NAV_ERR_ARGUMENT;
    }
    size_t named = r->has_names ? count_names(r->names) : count;
    if (named == count) return NAV_OK;
    if (named == SIZE_MAX)
        snprintf(why, why_bytes, "names: the last one is cut off, expected a byte with its length and then its bytes");
    else
        snprintf(why, why_bytes, "names: entries for %zu objects, expected %u, as there are ids", named, count);
    return NAV_ERR_ARGUMENT;
}

static const np_field world_sync_request[] = {
    {.key = "world", .type = NP_T_U64, .flags = NP_REQUIRED, .offset = offsetof(np_world_sync_request, world)},
    {.key = "source", .type = NP_T_STR, .flags = NP_REQUIRED, .offset = offsetof(np_world_sync_request, source)},
    {.key = "base_revision",
     .type = NP_T_U64,
     .offset = offsetof(np_world_sync_request, base_revision),
     .has_offset = offsetof(np_world_sync_request, has_base_revision)},
    REQUEST(offset, NP_T_U64),
    REQUEST(more, NP_T_BOOL),
    COLUMN(ids, 8, NP_REQUIRED),
    COLUMN(meshes, 16, NP_REQUIRED),
    COLUMN(transforms, 48, NP_REQUIRED),
    COLUMN(areas, 1, 0),
    {.key = "names",
     .type = NP_T_BIN,
     .offset = offsetof(np_world_sync_request, names),
     .has_offset = offsetof(np_world_sync_request, has_names)},
    REQUEST(dry_run, NP_T_BOOL),
    REQUEST(adopt, NP_T_BOOL),
};
const np_schema np_schema_world_sync_request = {
    .bytes = sizeof(np_world_sync_request), NP_FIELDS(world_sync_request), .check = check_request};

static const np_field key[] = {{.key = "hash", .type = NP_T_KEY, .flags = NP_REQUIRED}};
static const np_schema key_schema = {.bytes = sizeof(nav_key), NP_FIELDS(key), .shape = NP_SHAPE_BARE};

#define RESPONSE(member, wire_type)                                                                                    \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .offset = offsetof(np_world_sync_response, member)                          \
    }
#define IDS(member)                                                                                                    \
    {                                                                                                                  \
        .key = #member, .type = NP_T_BIN, .count = 8, .offset = offsetof(np_world_sync_response, member)               \
    }

static const np_field world_sync_response[] = {
    {.key = "received", .type = NP_T_U64, .flags = NP_REQUIRED, .offset = offsetof(np_world_sync_response, received)},
    {.key = "complete", .type = NP_T_BOOL, .flags = NP_REQUIRED, .offset = offsetof(np_world_sync_response, complete)},
    RESPONSE(applied, NP_T_BOOL),
    RESPONSE(revision, NP_T_U64),
    RESPONSE(dirty_tiles, NP_T_U32),
    RESPONSE(durable, NP_T_BOOL),
    RESPONSE(added, NP_T_U64),
    RESPONSE(changed, NP_T_U64),
    RESPONSE(moved, NP_T_U64),
    RESPONSE(renamed, NP_T_U64),
    RESPONSE(removed, NP_T_U64),
    RESPONSE(unchanged, NP_T_U64),
    {.key = "missing",
     .type = NP_T_LIST,
     .count = NP_SYNC_MAX_MISSING,
     .offset = offsetof(np_world_sync_response, missing),
     .count_offset = offsetof(np_world_sync_response, missing_count),
     .item = &key_schema},
    RESPONSE(kept, NP_T_BOOL),
    IDS(added_ids),
    IDS(changed_ids),
    IDS(moved_ids),
    IDS(renamed_from),
    IDS(renamed_to),
    IDS(removed_ids),
};
const np_schema np_schema_world_sync_response = {.bytes = sizeof(np_world_sync_response),
                                                 NP_FIELDS(world_sync_response)};
