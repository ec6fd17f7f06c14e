#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdlib.h>

navd_key navd_mesh_hash(const navd_mesh *m)
{
    navd_key key;
    nav_key_store(navd_mesh_key(m), key.bytes);
    return key;
}

typedef struct missing_out {
    const nav_key *asked;
    size_t count;
    bool *missing;
} missing_out;

// The missing ones come in the order asked, so one walk over both finds them.
static nav_status take_missing(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_mesh_have_response answer;
    const missing_out *o = out;
    (void)c;
    nav_status s = np_decode_mesh_have_response(in, &answer, err);
    if (s != NAV_OK) return s;
    uint32_t next = 0;
    for (size_t i = 0; i < o->count; i++) {
        o->missing[i] = next < answer.missing_count && nav_key_equal(answer.missing[next], o->asked[i]);
        next += o->missing[i];
    }
    if (next == answer.missing_count) return NAV_OK;
    return np_error_set(err, NAV_ERR_FORMAT, "mesh.have answered with a hash that was not asked for, or out of order");
}

navd_status navd_mesh_missing(navd_client *c, const navd_key *keys, size_t count, bool *missing)
{
    enum { AT_ONCE = 1 << 16 };
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    nav_key *asked = calloc(count + 1, sizeof *asked);
    if (!asked) return navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    for (size_t i = 0; i < count; i++) asked[i] = nav_key_load(keys[i].bytes);
    navd_status r = NAVD_OK;
    for (size_t i = 0; i < count && r == NAVD_OK; i += AT_ONCE) {
        size_t part = count - i < AT_ONCE ? count - i : AT_ONCE;
        np_mesh_have_request request = {.hash_count = (uint32_t)part, .hashes = asked + i};
        missing_out out = {asked + i, part, missing + i};
        s = np_encode_mesh_have_request(&c->out, navd_client_next_id(c), &request);
        r = navd_client_finish(c, s, take_missing, &out);
    }
    free(asked);
    return r;
}

static nav_status take_put(navd_client *c, const np_message *in, np_error *err, void *out)
{
    (void)c;
    return np_decode_mesh_put_response(in, out, err);
}

navd_status navd_mesh_put(navd_client *c, const navd_mesh *mesh,
                          void (*progress)(void *user, uint64_t sent, uint64_t total), void *user, uint32_t *skipped)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    uint64_t total = navd_mesh_bytes(mesh), sent = 0;
    uint64_t part = c->limits.mesh_part_bytes & ~3u;
    if (total > c->limits.mesh_bytes) {
        return navd_client_fail(c, NAV_ERR_LIMIT, "the mesh has %llu bytes, but the daemon accepts at most %u",
                                (unsigned long long)total, c->limits.mesh_bytes);
    }
    if (part == 0 || part > NP_MESH_PART_BYTES) part = NP_MESH_PART_BYTES;
    uint8_t *bytes = malloc(part < total ? part : total + 1);
    if (!bytes) return navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    np_mesh_put_request request = {
        .hash = navd_mesh_key(mesh),
        .vertices = mesh->vertex_count,
        .triangles = mesh->triangle_count,
        .areas = mesh->areas != NULL,
    };
    np_mesh_put_response answer = {0};
    navd_status r;
    do {
        uint64_t count = total - sent < part ? total - sent : part;
        navd_mesh_bytes_store(mesh, sent, bytes, count);
        request.offset = sent;
        request.data = (np_bin){bytes, (uint32_t)count};
        s = np_encode_mesh_put_request(&c->out, navd_client_next_id(c), &request);
        r = navd_client_finish(c, s, take_put, &answer);
        sent += count;
        if (r == NAVD_OK && progress) progress(user, sent, total);
    } while (r == NAVD_OK && sent < total && !answer.complete);
    free(bytes);
    if (r == NAVD_OK && !answer.complete) {
        r = navd_client_fail(c, NAV_ERR_FORMAT,
                             "the daemon has %llu of %llu bytes of a mesh, and does not say that it is whole",
                             (unsigned long long)answer.received, (unsigned long long)total);
    }
    if (r == NAVD_OK && skipped) *skipped = answer.skipped_triangles;
    return r;
}
