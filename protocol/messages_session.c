// hello, stats, progress: what concerns a session.
#include "protocol/schema.h"

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }

const np_schema np_schema_ping_request = NP_SCHEMA_NONE;
const np_schema np_schema_ping_response = NP_SCHEMA_NONE;
const np_schema np_schema_alive_note = NP_SCHEMA_NONE;
const np_schema np_schema_stats_request = NP_SCHEMA_NONE;

static const char *const priority_names[] = {
    [NP_PRIORITY_NORMAL] = "normal", [NP_PRIORITY_LOW] = "low", [NP_PRIORITY_HIGH] = "high", NULL};
static const np_field hello_request[] = {
    R(np_hello_request, version, NP_T_U32),
    {.key = "client", .type = NP_T_STR, .offset = offsetof(np_hello_request, client)},
    {.key = "token", .type = NP_T_STR, .offset = offsetof(np_hello_request, token)},
    {.key = "namespace", .type = NP_T_STR, .offset = offsetof(np_hello_request, space)},
    {.key = "keepalive", .type = NP_T_BOOL, .offset = offsetof(np_hello_request, keepalive)},
    {.key = "priority", .type = NP_T_ENUM, .offset = offsetof(np_hello_request, priority), .names = priority_names},
};
const np_schema np_schema_hello_request = {.bytes = sizeof(np_hello_request), NP_FIELDS(hello_request)};

static const np_field limits[] = {
    R(np_server_limits, message_bytes, NP_T_U32),   R(np_server_limits, depth, NP_T_U32),
    R(np_server_limits, elements, NP_T_U32),        R(np_server_limits, container_elements, NP_T_U32),
    R(np_server_limits, mesh_part_bytes, NP_T_U32), R(np_server_limits, mesh_bytes, NP_T_U32),
    R(np_server_limits, edit_ops, NP_T_U32),        R(np_server_limits, request_tiles, NP_T_U32),
};
static const np_schema limits_schema = {.bytes = sizeof(np_server_limits), NP_FIELDS(limits)};

static const np_field hello_response[] = {
    R(np_hello_response, server, NP_T_STR),
    R(np_hello_response, version, NP_T_U32),
    {.key = "limits",
     .type = NP_T_MAP,
     .flags = NP_REQUIRED,
     .offset = offsetof(np_hello_response, limits),
     .item = &limits_schema},
    {.key = "dictionary", .type = NP_T_U32, .offset = offsetof(np_hello_response, dictionary)},
    {.key = "role", .type = NP_T_STR, .offset = offsetof(np_hello_response, role)},
    {.key = "namespace", .type = NP_T_STR, .offset = offsetof(np_hello_response, space)},
    {.key = "keepalive_s", .type = NP_T_U32, .offset = offsetof(np_hello_response, keepalive_s)},
};
const np_schema np_schema_hello_response = {.bytes = sizeof(np_hello_response), NP_FIELDS(hello_response)};

static const np_field dictionary_get_request[] = {R(np_dictionary_get_request, id, NP_T_U32)};
const np_schema np_schema_dictionary_get_request = {.bytes = sizeof(np_dictionary_get_request),
                                                    NP_FIELDS(dictionary_get_request)};

static const np_field dictionary_get_response[] = {
    R(np_dictionary_get_response, id, NP_T_U32),
    R(np_dictionary_get_response, data, NP_T_BIN),
};
const np_schema np_schema_dictionary_get_response = {.bytes = sizeof(np_dictionary_get_response),
                                                     NP_FIELDS(dictionary_get_response)};

static const np_field stats_response[] = {{
    .key = "counters",
    .type = NP_T_COUNTERS,
    .flags = NP_REQUIRED,
    .count = 4096,
    .offset = offsetof(np_stats_response, counters),
    .count_offset = offsetof(np_stats_response, counter_count),
}};
const np_schema np_schema_stats_response = {
    .bytes = sizeof(np_stats_response), NP_FIELDS(stats_response), .shape = NP_SHAPE_BARE};

static const np_field progress_note[] = {
    R(np_progress_note, world, NP_T_U64),
    R(np_progress_note, profile, NP_T_STR),
    R(np_progress_note, done, NP_T_U64),
    R(np_progress_note, total, NP_T_U64),
};
const np_schema np_schema_progress_note = {.bytes = sizeof(np_progress_note), NP_FIELDS(progress_note)};

static const np_field bye_note[] = {
    R(np_bye_note, reason, NP_T_STR),
    R(np_bye_note, retry_ms, NP_T_U64),
};
const np_schema np_schema_bye_note = {.bytes = sizeof(np_bye_note), NP_FIELDS(bye_note)};
