// The list of messages: each method's name, the schemas of its two maps, and who may call it.
#include "protocol/messages.h"

#include "protocol/schema.h"
#include "protocol/tile_note.h"

#include <assert.h>
#include <string.h>

#define METHOD(ID, name, wire, role)                                                                                   \
    [NP_##ID] = {wire, &np_schema_##name##_request, &np_schema_##name##_response, NP_ROLE_##role},
#define NOTE(ID, name, wire) [NP_##ID] = {wire, &np_schema_##name##_note, NULL, NP_ROLE_ADMIN},

static const struct {
    const char *name;
    const np_schema *request, *response; // notifications: request is theirs, response is NULL
    np_role role;
} methods[NP_METHOD_COUNT] = {[NP_UNKNOWN] = {"", NULL, NULL, NP_ROLE_ADMIN},
                              NP_METHOD_LIST(METHOD) NP_NOTE_LIST(NOTE)};

static const char *const role_names[] = {
    [NP_ROLE_NOBODY] = "nobody", [NP_ROLE_READER] = "reader", [NP_ROLE_EDITOR] = "editor", [NP_ROLE_ADMIN] = "admin"};

np_method np_method_of(const np_message *m)
{
    if (m->kind == NP_RESPONSE) return NP_UNKNOWN;
    for (int i = NP_UNKNOWN + 1; i < NP_METHOD_COUNT; i++) {
        bool note = methods[i].response == NULL;
        if (note == (m->kind == NP_NOTIFICATION) && np_str_equal(m->method, methods[i].name)) return (np_method)i;
    }
    return NP_UNKNOWN;
}

const char *np_method_name(np_method m)
{
    return (unsigned)m < NP_METHOD_COUNT ? methods[m].name : "";
}

const char *np_tile_status_name(np_tile_status s)
{
    return (unsigned)s <= NP_TILE_PENDING ? np_tile_status_names[s] : "";
}

np_role np_method_role(np_method m)
{
    return (unsigned)m < NP_METHOD_COUNT ? methods[m].role : NP_ROLE_ADMIN;
}

const char *np_role_name(np_role r)
{
    return role_names[r];
}

nav_status np_role_parse(const char *text, np_role *out)
{
    for (int r = NP_ROLE_READER; r <= NP_ROLE_ADMIN; r++)
        if (!strcmp(text, role_names[r])) {
            *out = (np_role)r;
            return NAV_OK;
        }
    return NAV_ERR_ARGUMENT;
}

nav_status np_request_encode(nav_buffer *out, np_method method, uint32_t id, const void *m)
{
    assert(methods[method].response);
    np_writer w;
    np_writer_init(&w, out);
    np_write_array(&w, 4);
    np_write_uint(&w, NP_REQUEST);
    np_write_uint(&w, id);
    np_write_text(&w, methods[method].name);
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
    np_write_text(&w, methods[method].name);
    np_schema_encode(&w, methods[method].request, m);
    return np_writer_finish(&w);
}

nav_status np_request_decode(const np_message *in, np_method method, void *m, np_error *err)
{
    assert(in->kind != NP_RESPONSE && methods[method].request);
    return np_schema_decode(methods[method].request, in->params, in->zone, in->axes, m, err);
}

nav_status np_response_decode(const np_message *in, np_method method, void *m, np_error *err)
{
    assert(in->kind == NP_RESPONSE && methods[method].response);
    if (in->error) return np_error_decode(in, err);
    return np_schema_decode(methods[method].response, in->result, in->zone, in->axes, m, err);
}
