// farm.*
#include "protocol/schema.h"

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }
#define O(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .offset = offsetof(T, member)                                               \
    }
#define LIST(member, most, schema)                                                                                     \
    {                                                                                                                  \
        .key = #member "s", .type = NP_T_LIST, .flags = NP_REQUIRED, .count = most,                                    \
        .offset = offsetof(np_farm_status_response, member##s),                                                        \
        .count_offset = offsetof(np_farm_status_response, member##_count), .item = &(schema)                           \
    }

static const np_field member[] = {
    R(np_farm_member, id, NP_T_STR),        R(np_farm_member, kind, NP_T_STR),
    R(np_farm_member, name, NP_T_STR),      R(np_farm_member, version, NP_T_STR),
    R(np_farm_member, generator, NP_T_U32), O(np_farm_member, leaves, NP_T_BOOL),
    R(np_farm_member, threads, NP_T_U32),   R(np_farm_member, jobs, NP_T_U32),
    R(np_farm_member, waiting, NP_T_U64),   R(np_farm_member, tiles, NP_T_U64),
    R(np_farm_member, found, NP_T_U64),     R(np_farm_member, done, NP_T_U64),
    R(np_farm_member, set_aside, NP_T_U64), R(np_farm_member, refused, NP_T_U64),
    R(np_farm_member, bytes_in, NP_T_U64),  R(np_farm_member, bytes_out, NP_T_U64),
    R(np_farm_member, uptime_s, NP_T_U64),  R(np_farm_member, seen_ms, NP_T_U64),
};
static const np_schema member_schema = {.bytes = sizeof(np_farm_member), NP_FIELDS(member)};

static const np_field stream[] = {
    R(np_farm_stream, name, NP_T_STR),
    R(np_farm_stream, messages, NP_T_U64),
    R(np_farm_stream, bytes, NP_T_U64),
    O(np_farm_stream, max_bytes, NP_T_U64),
};
static const np_schema stream_schema = {.bytes = sizeof(np_farm_stream), NP_FIELDS(stream)};

static const np_field status_response[] = {
    R(np_farm_status_response, name, NP_T_STR),       R(np_farm_status_response, id, NP_T_STR),
    R(np_farm_status_response, up, NP_T_BOOL),        R(np_farm_status_response, trouble, NP_T_STR),
    R(np_farm_status_response, generator, NP_T_U32),  R(np_farm_status_response, worlds, NP_T_STR),
    R(np_farm_status_response, role, NP_T_STR),       R(np_farm_status_response, leads, NP_T_BOOL),
    R(np_farm_status_response, live, NP_T_BOOL),      R(np_farm_status_response, leader, NP_T_STR),
    R(np_farm_status_response, epoch, NP_T_U64),      R(np_farm_status_response, unlogged, NP_T_U64),
    R(np_farm_status_response, behind, NP_T_U64),     R(np_farm_status_response, lag_p99_us, NP_T_U64),
    R(np_farm_status_response, has_jobs, NP_T_BOOL),  O(np_farm_status_response, jobs_waiting, NP_T_U64),
    O(np_farm_status_response, jobs_out, NP_T_U64),   O(np_farm_status_response, jobs_redelivered, NP_T_U64),
    LIST(member, NP_FARM_MEMBERS_MAX, member_schema), LIST(stream, NP_FARM_STREAMS_MAX, stream_schema),
};
const np_schema np_schema_farm_status_request = NP_SCHEMA_NONE;
const np_schema np_schema_farm_status_response = {.bytes = sizeof(np_farm_status_response), NP_FIELDS(status_response)};

static const np_field checked[] = {
    R(np_farm_checked, name, NP_T_STR),     R(np_farm_checked, state, NP_T_STR),
    R(np_farm_checked, revision, NP_T_U64), O(np_farm_checked, leader_revision, NP_T_U64),
    R(np_farm_checked, tiles, NP_T_U64),    O(np_farm_checked, leader_tiles, NP_T_U64),
    R(np_farm_checked, sum, NP_T_KEY),      O(np_farm_checked, leader_sum, NP_T_KEY),
};
static const np_schema checked_schema = {.bytes = sizeof(np_farm_checked), NP_FIELDS(checked)};

static const np_field check_response[] = {
    R(np_farm_check_response, answered, NP_T_BOOL),
    {.key = "worlds",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_FARM_WORLDS_MAX,
     .offset = offsetof(np_farm_check_response, worlds),
     .count_offset = offsetof(np_farm_check_response, world_count),
     .item = &checked_schema},
};
const np_schema np_schema_farm_check_request = NP_SCHEMA_NONE;
const np_schema np_schema_farm_check_response = {.bytes = sizeof(np_farm_check_response), NP_FIELDS(check_response)};
