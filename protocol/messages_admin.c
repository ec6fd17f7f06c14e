// sessions.list, namespaces.list: what somebody who looks after a daemon asks it.
#include "protocol/schema.h"

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }

static void default_sessions(void *m)
{
    np_sessions_list_request *r = m;
    r->limit = NP_SESSIONS_DEFAULT;
}

static const np_field sessions_list_request[] = {
    {.key = "limit", .type = NP_T_U32, .count = NP_SESSIONS_MAX, .offset = offsetof(np_sessions_list_request, limit)}};
const np_schema np_schema_sessions_list_request = {
    .bytes = sizeof(np_sessions_list_request), NP_FIELDS(sessions_list_request), .defaults = default_sessions};

static const np_field session_entry[] = {
    R(np_session_entry, id, NP_T_U64),
    R(np_session_entry, client, NP_T_STR),
    R(np_session_entry, name, NP_T_STR),
    R(np_session_entry, role, NP_T_STR),
    {.key = "namespace", .type = NP_T_STR, .flags = NP_REQUIRED, .offset = offsetof(np_session_entry, space)},
    {.key = "encrypted", .type = NP_T_BOOL, .offset = offsetof(np_session_entry, encrypted)},
    R(np_session_entry, age_ms, NP_T_U64),
    R(np_session_entry, subscriptions, NP_T_U32),
    R(np_session_entry, bytes_in, NP_T_U64),
    R(np_session_entry, bytes_out, NP_T_U64),
    R(np_session_entry, bytes_queued, NP_T_U64),
};
static const np_schema session_entry_schema = {.bytes = sizeof(np_session_entry), NP_FIELDS(session_entry)};

static const np_field sessions_list_response[] = {
    R(np_sessions_list_response, total, NP_T_U64),
    {.key = "sessions",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_SESSIONS_MAX,
     .offset = offsetof(np_sessions_list_response, sessions),
     .count_offset = offsetof(np_sessions_list_response, session_count),
     .item = &session_entry_schema},
};
const np_schema np_schema_sessions_list_response = {.bytes = sizeof(np_sessions_list_response),
                                                    NP_FIELDS(sessions_list_response)};

static void default_namespace(void *m)
{
    np_namespace_entry *e = m;
    e->max_worlds = e->max_objects = e->max_tiles = e->max_mesh_bytes = e->max_sessions = e->max_edits_per_second =
        NP_UNBOUNDED;
}

#define QUOTA(member)                                                                                                  \
    {                                                                                                                  \
        .key = #member, .type = NP_T_U64, .offset = offsetof(np_namespace_entry, member)                               \
    }
static const np_field namespace_entry[] = {
    R(np_namespace_entry, name, NP_T_STR),
    R(np_namespace_entry, worlds, NP_T_U64),
    R(np_namespace_entry, objects, NP_T_U64),
    R(np_namespace_entry, tiles, NP_T_U64),
    R(np_namespace_entry, mesh_bytes, NP_T_U64),
    R(np_namespace_entry, sessions, NP_T_U64),
    QUOTA(max_worlds),
    QUOTA(max_objects),
    QUOTA(max_tiles),
    QUOTA(max_mesh_bytes),
    QUOTA(max_sessions),
    QUOTA(max_edits_per_second),
};
static const np_schema namespace_entry_schema = {
    .bytes = sizeof(np_namespace_entry), NP_FIELDS(namespace_entry), .defaults = default_namespace};

static const np_field namespaces_list_response[] = {
    {.key = "namespaces",
     .type = NP_T_LIST,
     .flags = NP_REQUIRED,
     .count = NP_NAMESPACES_MAX,
     .offset = offsetof(np_namespaces_list_response, namespaces),
     .count_offset = offsetof(np_namespaces_list_response, namespace_count),
     .item = &namespace_entry_schema},
};
const np_schema np_schema_namespaces_list_request = NP_SCHEMA_NONE;
const np_schema np_schema_namespaces_list_response = {.bytes = sizeof(np_namespaces_list_response),
                                                      NP_FIELDS(namespaces_list_response)};
