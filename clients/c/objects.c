// Reading a world back: its objects and their meshes.
#include "clients/c/client.h"
#include "clients/c/convert.h"
#include "core/base/endian.h"

#include <stdlib.h>
#include <string.h>

static nav_status take_objects(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_world_objects_response answer;
    navd_objects *o = out;
    (void)c;
    nav_status s = np_decode_world_objects_response(in, &answer, err);
    if (s != NAV_OK) return s;
    o->objects = calloc(answer.object_count + (size_t)1, sizeof *o->objects);
    if (!o->objects) return NAV_ERR_MEMORY;
    o->revision = answer.revision;
    o->next = answer.next;
    o->count = answer.object_count;
    for (uint32_t i = 0; i < answer.object_count; i++) navd_object_from_wire(&answer.objects[i], &o->objects[i]);
    return NAV_OK;
}

navd_status navd_world_objects(navd_client *c, uint64_t world, const navd_objects *after, uint32_t limit,
                               navd_objects *out)
{
    np_world_objects_request request = {.world = world,
                                        .has_revision = after != NULL,
                                        .revision = after ? after->revision : 0,
                                        .cursor = after ? after->next : 0,
                                        .limit = limit ? limit : NP_OBJECTS_PAGE};
    *out = (navd_objects){0};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_world_objects_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_objects, out);
}

void navd_objects_free(navd_objects *o)
{
    free(o->objects);
    *o = (navd_objects){0};
}

// --- meshes ---

// Bytes are taken as they come: what a peer announces costs nothing.
typedef struct mesh_bytes {
    nav_buffer bytes;
    uint32_t vertices, triangles;
    np_mesh_form form;
    bool begun, ended;
} mesh_bytes;

static nav_status take_part(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_mesh_get_response answer;
    mesh_bytes *m = out;
    (void)c;
    nav_status s = np_decode_mesh_get_response(in, &answer, err);
    if (s != NAV_OK) return s;
    const np_mesh_form form = np_mesh_form_of(answer.areas, answer.heights);
    uint64_t total = np_mesh_bytes(answer.vertices, answer.triangles, form);
    bool same = !m->begun || (answer.vertices == m->vertices && answer.triangles == m->triangles && form == m->form);
    if (!same || answer.data.size > total - m->bytes.size || (!answer.data.size && m->bytes.size < total))
        return np_error_set(err, NAV_ERR_FORMAT, "mesh.get answered with parts that do not fit together");
    m->begun = true;
    m->vertices = answer.vertices;
    m->triangles = answer.triangles;
    m->form = form;
    s = nav_buffer_append(&m->bytes, answer.data.data, answer.data.size);
    m->ended = m->bytes.size == total;
    return s;
}

navd_status navd_mesh_get(navd_client *c, navd_key key, navd_mesh_data *out)
{
    np_mesh_get_request request = {.hash = nav_key_load(key.bytes)};
    mesh_bytes m = {.begun = false};
    navd_status r;
    *out = (navd_mesh_data){0};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    do {
        request.offset = m.bytes.size;
        s = np_encode_mesh_get_request(&c->out, navd_client_next_id(c), &request);
        r = navd_client_finish(c, s, take_part, &m);
    } while (r == NAVD_OK && !m.ended);
    if (r != NAVD_OK) {
        nav_buffer_deinit(&m.bytes);
        return r;
    }
    // Behind the bytes, as it goes with them.
    const size_t at = (m.bytes.size + _Alignof(navd_heights) - 1) / _Alignof(navd_heights) * _Alignof(navd_heights);
    s = nav_buffer_reserve(&m.bytes, at - m.bytes.size + sizeof(navd_heights));
    if (s != NAV_OK) {
        nav_buffer_deinit(&m.bytes);
        return navd_client_fail(c, s, "%s", nav_status_text(s));
    }
    navd_heights *heights = (navd_heights *)(void *)(m.bytes.data + at);
    if (!navd_mesh_from_bytes(m.bytes.data, m.vertices, m.triangles, m.form, heights, &out->mesh)) {
        nav_buffer_deinit(&m.bytes);
        return navd_client_fail(c, NAV_ERR_FORMAT, "mesh.get answered with a height grid that is none");
    }
    out->memory = m.bytes.data;
    return NAVD_OK;
}

void navd_mesh_data_free(navd_mesh_data *m)
{
    free(m->memory);
    *m = (navd_mesh_data){0};
}
