// cache.*
#include "protocol/schema.h"

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }

enum { EXPORT_BYTES = 1 << 20 };

static const np_field gc_request[] = {R(np_cache_gc_request, bytes, NP_T_U64)};
const np_schema np_schema_cache_gc_request = {.bytes = sizeof(np_cache_gc_request), NP_FIELDS(gc_request)};

static const np_field gc_response[] = {
    R(np_cache_gc_response, entries, NP_T_U64),
    R(np_cache_gc_response, bytes, NP_T_U64),
    R(np_cache_gc_response, dropped, NP_T_U64),
};
const np_schema np_schema_cache_gc_response = {.bytes = sizeof(np_cache_gc_response), NP_FIELDS(gc_response)};

static const np_field verify_response[] = {
    R(np_cache_verify_response, entries, NP_T_U64),
    R(np_cache_verify_response, bytes, NP_T_U64),
    R(np_cache_verify_response, damaged, NP_T_U64),
    R(np_cache_verify_response, outdated, NP_T_U64),
};
const np_schema np_schema_cache_verify_request = NP_SCHEMA_NONE;
const np_schema np_schema_cache_verify_response = {.bytes = sizeof(np_cache_verify_response),
                                                   NP_FIELDS(verify_response)};

static const np_field entry[] = {
    R(np_cache_entry, key, NP_T_BIN),
    R(np_cache_entry, sum, NP_T_U64),
    R(np_cache_entry, record, NP_T_BIN),
};
static const np_schema entry_schema = {.bytes = sizeof(np_cache_entry), NP_FIELDS(entry), .shape = NP_SHAPE_TUPLE};

#define ENTRIES(T)                                                                                                     \
    {                                                                                                                  \
        .key = "entries", .type = NP_T_LIST, .flags = NP_REQUIRED, .count = NP_CACHE_PAGE_ENTRIES,                     \
        .offset = offsetof(T, entries), .count_offset = offsetof(T, entry_count), .item = &entry_schema                \
    }

static void export_defaults(void *m)
{
    ((np_cache_export_request *)m)->bytes = EXPORT_BYTES;
}

static const np_field export_request[] = {
    {.key = "after", .type = NP_T_BIN, .offset = offsetof(np_cache_export_request, after)},
    {.key = "bytes", .type = NP_T_U32, .offset = offsetof(np_cache_export_request, bytes)},
};
const np_schema np_schema_cache_export_request = {
    .bytes = sizeof(np_cache_export_request), NP_FIELDS(export_request), .defaults = export_defaults};

static const np_field export_response[] = {
    ENTRIES(np_cache_export_response),
    R(np_cache_export_response, end, NP_T_BOOL),
};
const np_schema np_schema_cache_export_response = {.bytes = sizeof(np_cache_export_response),
                                                   NP_FIELDS(export_response)};

static const np_field import_request[] = {ENTRIES(np_cache_import_request)};
const np_schema np_schema_cache_import_request = {.bytes = sizeof(np_cache_import_request), NP_FIELDS(import_request)};

static const np_field import_response[] = {
    R(np_cache_import_response, taken, NP_T_U32),
    R(np_cache_import_response, refused, NP_T_U32),
    {.key = "reason", .type = NP_T_STR, .offset = offsetof(np_cache_import_response, reason)},
};
const np_schema np_schema_cache_import_response = {.bytes = sizeof(np_cache_import_response),
                                                   NP_FIELDS(import_response)};
