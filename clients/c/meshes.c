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
        .areas = navd_mesh_form(mesh) & NP_MESH_AREAS,
        .heights = np_mesh_height_bits(navd_mesh_form(mesh)),
    };
    navd_mesh_counts(mesh, &request.vertices, &request.triangles);
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

// --- several at once ---

enum { PUTS_UNDER_WAY = 64, PUT_BYTES_UNDER_WAY = 4 << 20 };

typedef struct put_many {
    size_t under_way;
    uint64_t bytes_under_way;
    bool moved; // one has ended
    nav_status failed;
    void (*sent)(void *user, size_t mesh, uint64_t bytes);
    void *user;
} put_many;

typedef struct put_one { // a call's; begins with what the answer is read into
    np_mesh_put_response answer;
    put_many *all; // NULL: nobody waits any more
    size_t mesh;
    uint64_t bytes;
} put_one;

static void finish_put(navd_client *c, call *k)
{
    put_one *one = k->user;
    put_many *all = one->all;
    (void)c;
    if (all) {
        all->under_way--;
        all->bytes_under_way -= one->bytes;
        all->moved = true;
        if (all->failed == NAV_OK) all->failed = k->status;
        if (k->status == NAV_OK && all->sent) all->sent(all->user, one->mesh, one->bytes);
    }
    free(one);
    free(k);
}

// A mesh that is one part.
static nav_status start_put(navd_client *c, const navd_mesh *mesh, size_t at, uint64_t bytes, put_many *all)
{
    np_mesh_put_request request = {
        .hash = navd_mesh_key(mesh),
        .areas = navd_mesh_form(mesh) & NP_MESH_AREAS,
        .heights = np_mesh_height_bits(navd_mesh_form(mesh)),
    };
    navd_mesh_counts(mesh, &request.vertices, &request.triangles);
    call *k = calloc(1, sizeof *k);
    put_one *one = calloc(1, sizeof *one);
    uint8_t *data = malloc(bytes + 1);
    nav_status s = k && one && data ? NAV_OK : NAV_ERR_MEMORY;
    if (s == NAV_OK) {
        navd_mesh_bytes_store(mesh, 0, data, bytes);
        request.data = (np_bin){data, (uint32_t)bytes};
        s = np_encode_mesh_put_request(&c->out, navd_client_next_id(c), &request);
    }
    free(data);
    if (s != NAV_OK) {
        free(one);
        free(k);
        return (nav_status)navd_client_fail(c, s, "cannot write the request: %s", nav_status_text(s));
    }
    *one = (put_one){.all = all, .mesh = at, .bytes = bytes};
    *k = (call){.take = take_put, .out = &one->answer, .finish = finish_put, .user = one};
    all->under_way++;
    all->bytes_under_way += bytes;
    return (nav_status)navd_client_start(c, NAV_OK, k);
}

// Until so few are under way. Where the daemon does not answer, those that are will be nobody's.
static nav_status wait_for_puts(navd_client *c, put_many *all, size_t most, uint64_t most_bytes)
{
    nav_status s = NAV_OK;
    double deadline_ms = navd_client_deadline(c);
    while (s == NAV_OK && (all->under_way > most || all->bytes_under_way > most_bytes)) {
        all->moved = false;
        s = navd_client_run_until(c, &all->moved, deadline_ms);
        if (all->moved) {
            s = NAV_OK;
            deadline_ms = navd_client_deadline(c);
        }
    }
    for (call *k = s == NAV_OK ? NULL : c->calls; k; k = k->next)
        if (k->finish == finish_put) ((put_one *)k->user)->all = NULL;
    if (s == NAV_ERR_TIMEOUT)
        return (nav_status)navd_client_fail(c, s, "%s: no answer within %d ms", c->address, c->timeout_ms);
    return s;
}

navd_status navd_meshes_put(navd_client *c, const navd_mesh *meshes, size_t count,
                            void (*sent)(void *user, size_t mesh, uint64_t bytes), void *user)
{
    put_many all = {.sent = sent, .user = user};
    nav_status s = navd_client_ready(c, true);
    for (size_t i = 0; i < count && s == NAV_OK && all.failed == NAV_OK; i++) {
        uint64_t bytes = navd_mesh_bytes(&meshes[i]);
        bool one_part = bytes <= c->limits.mesh_part_bytes && bytes <= NP_MESH_PART_BYTES;
        s = wait_for_puts(c, &all, one_part ? PUTS_UNDER_WAY : 0, one_part ? PUT_BYTES_UNDER_WAY : 0);
        if (s != NAV_OK || all.failed != NAV_OK) break;
        if (one_part) {
            s = start_put(c, &meshes[i], i, bytes, &all);
        } else {
            s = (nav_status)navd_mesh_put(c, &meshes[i], NULL, NULL, NULL);
            if (s == NAV_OK && sent) sent(user, i, bytes);
        }
    }
    if (all.under_way) {
        nav_status last = wait_for_puts(c, &all, 0, 0);
        if (s == NAV_OK) s = last;
    }
    return (navd_status)(all.failed != NAV_OK ? all.failed : s);
}
