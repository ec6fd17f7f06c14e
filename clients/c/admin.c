// Calls of somebody who looks after a daemon.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdlib.h>

typedef struct sessions_out {
    navd_session_entry *entries;
    size_t count;
    uint64_t total;
} sessions_out;

static nav_status take_sessions(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_sessions_list_response answer;
    sessions_out *o = out;
    (void)c;
    nav_status s = np_decode_sessions_list_response(in, &answer, err);
    if (s != NAV_OK) return s;
    o->entries = calloc(answer.session_count + (size_t)1, sizeof *o->entries);
    if (!o->entries) return NAV_ERR_MEMORY;
    o->count = answer.session_count;
    o->total = answer.total;
    for (uint32_t i = 0; i < answer.session_count; i++) {
        const np_session_entry *e = &answer.sessions[i];
        navd_session_entry *to = &o->entries[i];
        *to = (navd_session_entry){.id = e->id,
                                   .encrypted = e->encrypted,
                                   .age_ms = e->age_ms,
                                   .subscriptions = e->subscriptions,
                                   .bytes_in = e->bytes_in,
                                   .bytes_out = e->bytes_out,
                                   .bytes_queued = e->bytes_queued};
        navd_text_copy(to->client, sizeof to->client, e->client);
        navd_text_copy(to->name, sizeof to->name, e->name);
        navd_text_copy(to->role, sizeof to->role, e->role);
        navd_text_copy(to->space, sizeof to->space, e->space);
    }
    return NAV_OK;
}

navd_status navd_sessions(navd_client *c, navd_session_entry **out, size_t *count, uint64_t *total)
{
    np_sessions_list_request request = {.limit = NP_SESSIONS_MAX};
    sessions_out got = {.count = 0};
    *out = NULL;
    *count = 0;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_sessions_list_request(&c->out, navd_client_next_id(c), &request);
    navd_status r = navd_client_finish(c, s, take_sessions, &got);
    *out = got.entries;
    *count = got.count;
    if (total) *total = got.total;
    return r;
}

typedef struct namespaces_out {
    navd_namespace_entry *entries;
    size_t count;
} namespaces_out;

static nav_status take_namespaces(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_namespaces_list_response answer;
    namespaces_out *o = out;
    (void)c;
    nav_status s = np_decode_namespaces_list_response(in, &answer, err);
    if (s != NAV_OK) return s;
    o->entries = calloc(answer.namespace_count + (size_t)1, sizeof *o->entries);
    if (!o->entries) return NAV_ERR_MEMORY;
    o->count = answer.namespace_count;
    for (uint32_t i = 0; i < answer.namespace_count; i++) {
        const np_namespace_entry *e = &answer.namespaces[i];
        navd_namespace_entry *to = &o->entries[i];
        *to = (navd_namespace_entry){.worlds = e->worlds,
                                     .objects = e->objects,
                                     .tiles = e->tiles,
                                     .mesh_bytes = e->mesh_bytes,
                                     .sessions = e->sessions,
                                     .max_worlds = e->max_worlds,
                                     .max_objects = e->max_objects,
                                     .max_tiles = e->max_tiles,
                                     .max_mesh_bytes = e->max_mesh_bytes,
                                     .max_sessions = e->max_sessions,
                                     .max_edits_per_second = e->max_edits_per_second};
        navd_text_copy(to->name, sizeof to->name, e->name);
    }
    return NAV_OK;
}

navd_status navd_namespaces(navd_client *c, navd_namespace_entry **out, size_t *count)
{
    np_namespaces_list_request request = {0};
    namespaces_out got = {.count = 0};
    *out = NULL;
    *count = 0;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_namespaces_list_request(&c->out, navd_client_next_id(c), &request);
    navd_status r = navd_client_finish(c, s, take_namespaces, &got);
    *out = got.entries;
    *count = got.count;
    return r;
}
