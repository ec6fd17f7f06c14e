// The list of messages: each method's name, and the schemas of its two maps.
#include "protocol/messages.h"

#include "protocol/schema.h"
#include "protocol/tile_note.h"

#include <assert.h>
#include <string.h>

static const char *const names[NP_METHOD_COUNT] = {[NP_UNKNOWN] = "",
#define METHOD_NAME(ID, name, wire) [NP_##ID] = wire,
                                                   NP_METHOD_LIST(METHOD_NAME) NP_NOTE_LIST(METHOD_NAME)
#undef METHOD_NAME
};

static const struct {
    const np_schema *request, *response; // notifications: request is theirs, response is NULL
} methods[NP_METHOD_COUNT] = {
    [NP_HELLO] = {&np_schema_hello_request, &np_schema_hello_response},
    [NP_WORLD_OPEN] = {&np_schema_world_open_request, &np_schema_world_open_response},
    [NP_WORLD_LIST] = {&np_schema_none, &np_schema_world_list_response},
    [NP_WORLD_CLOSE] = {&np_schema_world_close_request, &np_schema_none},
    [NP_WORLD_DELETE] = {&np_schema_world_delete_request, &np_schema_none},
    [NP_WORLD_REACH] = {&np_schema_world_reach_request, &np_schema_world_reach_response},
    [NP_WORLD_EDIT] = {&np_schema_world_edit_request, &np_schema_world_edit_response},
    [NP_WORLD_OBJECTS] = {&np_schema_world_objects_request, &np_schema_world_objects_response},
    [NP_MESH_HAVE] = {&np_schema_mesh_have_request, &np_schema_mesh_have_response},
    [NP_MESH_PUT] = {&np_schema_mesh_put_request, &np_schema_mesh_put_response},
    [NP_MESH_GET] = {&np_schema_mesh_get_request, &np_schema_mesh_get_response},
    [NP_TILES_SUBSCRIBE] = {&np_schema_tiles_subscribe_request, &np_schema_tiles_subscribe_response},
    [NP_TILES_UNSUBSCRIBE] = {&np_schema_tiles_unsubscribe_request, &np_schema_none},
    [NP_TILES_FOCUS] = {&np_schema_tiles_focus_request, &np_schema_none},
    [NP_TILES_GET] = {&np_schema_tiles_get_request, &np_schema_tiles_get_response},
    [NP_TILES_BUILD] = {&np_schema_tiles_build_request, &np_schema_tiles_build_response},
    [NP_PING] = {&np_schema_none, &np_schema_none},
    [NP_DICTIONARY_GET] = {&np_schema_dictionary_get_request, &np_schema_dictionary_get_response},
    [NP_JOBS_WAIT] = {&np_schema_jobs_wait_request, &np_schema_jobs_wait_response},
    [NP_JOBS_LIST] = {&np_schema_jobs_list_request, &np_schema_jobs_list_response},
    [NP_TILES_FAILED] = {&np_schema_tiles_failed_request, &np_schema_tiles_failed_response},
    [NP_TILES_WHY] = {&np_schema_tiles_why_request, &np_schema_tiles_why_response},
    [NP_JOBS_CANCEL] = {&np_schema_jobs_cancel_request, &np_schema_jobs_cancel_response},
    [NP_CACHE_GC] = {&np_schema_cache_gc_request, &np_schema_cache_gc_response},
    [NP_CACHE_VERIFY] = {&np_schema_none, &np_schema_cache_verify_response},
    [NP_CACHE_EXPORT] = {&np_schema_cache_export_request, &np_schema_cache_export_response},
    [NP_CACHE_IMPORT] = {&np_schema_cache_import_request, &np_schema_cache_import_response},
    [NP_SESSIONS_LIST] = {&np_schema_sessions_list_request, &np_schema_sessions_list_response},
    [NP_NAMESPACES_LIST] = {&np_schema_none, &np_schema_namespaces_list_response},
    [NP_STATS] = {&np_schema_none, &np_schema_stats_response},
    [NP_TILE] = {&np_schema_tile_note, NULL},
    [NP_ENDED] = {&np_schema_ended_note, NULL},
    [NP_PROGRESS] = {&np_schema_progress_note, NULL},
    [NP_SYNCED] = {&np_schema_synced_note, NULL},
    [NP_BYE] = {&np_schema_bye_note, NULL},
    [NP_ALIVE] = {&np_schema_none, NULL},
};

np_method np_method_of(const np_message *m)
{
    if (m->kind == NP_RESPONSE) return NP_UNKNOWN;
    for (int i = NP_UNKNOWN + 1; i < NP_METHOD_COUNT; i++) {
        bool note = methods[i].response == NULL;
        if (note == (m->kind == NP_NOTIFICATION) && np_str_equal(m->method, names[i])) return (np_method)i;
    }
    return NP_UNKNOWN;
}

const char *np_method_name(np_method m)
{
    return (unsigned)m < NP_METHOD_COUNT ? names[m] : "";
}

const char *np_tile_status_name(np_tile_status s)
{
    return (unsigned)s <= NP_TILE_PENDING ? np_tile_status_names[s] : "";
}

nav_status np_request_encode(nav_buffer *out, np_method method, uint32_t id, const void *m)
{
    assert(methods[method].response);
    np_writer w;
    np_writer_init(&w, out);
    np_write_array(&w, 4);
    np_write_uint(&w, NP_REQUEST);
    np_write_uint(&w, id);
    np_write_text(&w, names[method]);
    np_schema_encode(&w, methods[method].request, m);
    return np_writer_finish(&w);
}

nav_status np_response_encode(nav_buffer *out, np_method method, uint32_t id, const void *m)
{
    assert(methods[method].response);
    np_writer w;
    np_writer_init(&w, out);
    np_write_array(&w, 4);
    np_write_uint(&w, NP_RESPONSE);
    np_write_uint(&w, id);
    np_write_nil(&w);
    np_schema_encode(&w, methods[method].response, m);
    return np_writer_finish(&w);
}

static nav_status encode_tile(nav_buffer *out, const np_tile_note *note)
{
    size_t bound = np_tile_note_bound(note);
    if (bound > NP_ENCODE_MAX_BYTES) return NAV_ERR_LIMIT;
    nav_status s = nav_buffer_reserve(out, bound);
    if (s == NAV_OK) out->size += np_tile_note_write(note, out->data + out->size);
    return s;
}

nav_status np_note_encode(nav_buffer *out, np_method method, const void *m)
{
    assert(methods[method].request && !methods[method].response);
    if (method == NP_TILE) return encode_tile(out, m);
    np_writer w;
    np_writer_init(&w, out);
    np_write_array(&w, 3);
    np_write_uint(&w, NP_NOTIFICATION);
    np_write_text(&w, names[method]);
    np_schema_encode(&w, methods[method].request, m);
    return np_writer_finish(&w);
}

nav_status np_request_decode(const np_message *in, np_method method, void *m, np_error *err)
{
    assert(in->kind != NP_RESPONSE && methods[method].request);
    return np_schema_decode(methods[method].request, in->params, in->zone, m, err);
}

nav_status np_response_decode(const np_message *in, np_method method, void *m, np_error *err)
{
    assert(in->kind == NP_RESPONSE && methods[method].response);
    if (in->error) return np_error_decode(in, err);
    return np_schema_decode(methods[method].response, in->result, in->zone, m, err);
}
