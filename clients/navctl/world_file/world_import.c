// Two walks over the file: the first only checks, the second does what it says. Both check the same, so that a file
// that changes in between cannot do more harm than the daemon's own checks allow.
//
//     walk ──► world.open | meshes, whole, hash checked | operations ──► second walk only: to the daemon
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/world_file/world_copy.h"
#include "clients/navctl/world_file/world_file.h"
#include "core/base/endian.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { EDIT_OPERATIONS = 32768 }; // in one edit: what fits into a message whatever the operations are

typedef struct import {
    navd_client *client;
    const char *path, *given_name;
    navd_limits limits;
    world_reader reader;
    bool for_real; // second walk
    world_copy *out;
    // The walk:
    np_method last;
    np_mesh_put_request mesh; // under way; its data is in mesh_bytes
    nav_buffer mesh_bytes;
    bool in_mesh;
    nav_key *keys; // of the meshes so far; sorted when the first edit comes
    size_t key_count, key_capacity;
    uint64_t objects;
    // Of world.open:
    char name[NAVD_NAME_BYTES];
    double origin_m[3];
    navd_profile *profiles;
    size_t profile_count;
    bool has_reach;
    navd_operation reach;
    float seeds[NAVD_MAX_SEEDS][3];
    // For real:
    navd_world world;
    navd_operation *ops; // not sent yet
    size_t op_count, op_limit;
} import;

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

NAV_PRINTF(2, 3) static int bad(const import *i, const char *format, ...)
{
    char text[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "navctl: %s: %s\n", i->path, text);
    return NAVCTL_INPUT;
}

// --- world.open ---

static int take_open(import *i, const np_message *m)
{
    np_world_open_request r;
    np_error err;
    if (np_decode_world_open_request(m, &r, &err) != NAV_OK) return bad(i, "world.open: %s", err.message);
    snprintf(i->name, sizeof i->name, "%.*s", (int)r.name.size, r.name.data);
    memcpy(i->origin_m, r.origin_m, sizeof i->origin_m);
    free(i->profiles);
    i->profile_count = r.profile_count;
    i->profiles = calloc(r.profile_count + (size_t)1, sizeof *i->profiles);
    if (!i->profiles) return no_memory();
    for (uint32_t p = 0; p < r.profile_count; p++) {
        snprintf(i->profiles[p].name, NAVD_NAME_BYTES, "%.*s", (int)r.profiles[p].name.size, r.profiles[p].name.data);
        settings_from_core(&r.profiles[p].settings, &i->profiles[p].settings);
    }
    i->has_reach = r.has_reach;
    i->reach = (navd_operation){.kind = NAVD_SET_REACH,
                                .u.reach = {.unreachable = (navd_unreachable)r.reach.unreachable,
                                            .seeds = (const float(*)[3])i->seeds,
                                            .seed_count = r.reach.seed_count,
                                            .island_min_area_m2 = r.reach.island_min_area_m2}};
    for (uint32_t k = 0; k < r.reach.seed_count; k++) memcpy(i->seeds[k], r.reach.seeds[k].at, sizeof i->seeds[k]);
    return NAVCTL_OK;
}

// --- meshes ---

static int keep_key(import *i, nav_key key)
{
    if (i->key_count == i->key_capacity) {
        size_t capacity = 2 * i->key_capacity + 64;
        nav_key *grown = realloc(i->keys, capacity * sizeof *grown);
        if (!grown) return no_memory();
        i->keys = grown;
        i->key_capacity = capacity;
    }
    i->keys[i->key_count++] = key;
    return NAVCTL_OK;
}

static int send_mesh(import *i, const navd_mesh *mesh)
{
    navd_key key;
    bool missing;
    nav_key_store(i->mesh.hash, key.bytes);
    navd_status s = navd_mesh_missing(i->client, &key, 1, &missing);
    if (s == NAVD_OK && missing) {
        s = navd_mesh_put(i->client, mesh, NULL, NULL, NULL);
        i->out->sent_meshes++;
    }
    return s == NAVD_OK ? NAVCTL_OK : remote_failed(i->client, s, i->path);
}

static int finish_mesh(import *i)
{
    char text[NAV_KEY_TEXT_BYTES];
    uint8_t *bytes = i->mesh_bytes.data;
    for (size_t k = 0; k + 4 <= i->mesh_bytes.size; k += 4) { // the machine's own byte order
        uint32_t word = nav_load_u32(bytes + k);
        memcpy(bytes + k, &word, 4);
    }
    navd_mesh mesh = {.vertices = (const float *)(const void *)bytes,
                      .vertex_count = i->mesh.vertices,
                      .triangles = (const uint32_t *)(const void *)bytes + (bytes ? 3 * (size_t)i->mesh.vertices : 0),
                      .triangle_count = i->mesh.triangles};
    nav_key found = nav_mesh_hash(mesh.vertices, mesh.vertex_count, mesh.triangles, mesh.triangle_count);
    nav_key_text(i->mesh.hash, text);
    if (!nav_key_equal(found, i->mesh.hash)) return bad(i, "mesh %s does not have that hash", text);
    int code = i->for_real ? send_mesh(i, &mesh) : NAVCTL_OK;
    i->in_mesh = false;
    i->mesh_bytes.size = 0;
    return code == NAVCTL_OK ? keep_key(i, i->mesh.hash) : code;
}

static int take_mesh(import *i, const np_message *m)
{
    np_mesh_put_request r;
    np_error err;
    char text[NAV_KEY_TEXT_BYTES];
    if (np_decode_mesh_put_request(m, &r, &err) != NAV_OK) return bad(i, "mesh.put: %s", err.message);
    nav_key_text(r.hash, text);
    uint64_t total = 12 * ((uint64_t)r.vertices + r.triangles);
    bool same = i->in_mesh && nav_key_equal(r.hash, i->mesh.hash) && r.vertices == i->mesh.vertices &&
                r.triangles == i->mesh.triangles;
    if (r.offset != i->mesh_bytes.size || (r.offset ? !same : i->in_mesh) || (!r.data.size && total))
        return bad(i, "mesh %s: its parts do not follow each other", text);
    if (total > i->limits.mesh_bytes)
        return bad(i, "mesh %s has %llu bytes; the daemon takes %u (max_mesh_bytes)", text, (unsigned long long)total,
                   i->limits.mesh_bytes);
    i->mesh = r;
    i->in_mesh = true;
    if (nav_buffer_append(&i->mesh_bytes, r.data.data, r.data.size) != NAV_OK) return no_memory();
    return i->mesh_bytes.size == total ? finish_mesh(i) : NAVCTL_OK;
}

// --- operations ---

static int compare_keys(const void *a, const void *b)
{
    const nav_key *x = a, *y = b;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

static int end_of_meshes(import *i)
{
    char text[NAV_KEY_TEXT_BYTES];
    if (i->in_mesh) return bad(i, "a mesh ends too early");
    if (i->key_count != i->reader.counts.meshes)
        return bad(i, "it has %zu meshes, its header says %llu", i->key_count,
                   (unsigned long long)i->reader.counts.meshes);
    if (i->key_count) qsort(i->keys, i->key_count, sizeof *i->keys, compare_keys);
    for (size_t k = 1; k < i->key_count; k++) {
        if (!nav_key_equal(i->keys[k - 1], i->keys[k])) continue;
        nav_key_text(i->keys[k], text);
        return bad(i, "mesh %s comes twice", text);
    }
    return NAVCTL_OK;
}

static int open_world(import *i)
{
    const char *name = i->given_name ? i->given_name : i->name;
    snprintf(i->out->name, sizeof i->out->name, "%s", name);
    navd_status s = navd_world_open(i->client, name, true, i->origin_m, i->profiles, i->profile_count, &i->world);
    if (s != NAVD_OK) return remote_failed(i->client, s, name);
    if (!i->world.created) {
        fprintf(stderr, "navctl: there is a world %s already (--world NAME imports under another name)\n", name);
        return NAVCTL_FAILED;
    }
    navd_edit_result result;
    if (i->has_reach) s = navd_edit(i->client, i->world.id, NULL, &i->reach, 1, &result);
    return s == NAVD_OK ? NAVCTL_OK : remote_failed(i->client, s, name);
}

// In one edit; in halves where the daemon's limit of what one edit may touch is hit.
static int send_ops(import *i, const navd_operation *ops, size_t count)
{
    navd_edit_result result;
    if (!count) return NAVCTL_OK;
    navd_status s = navd_edit(i->client, i->world.id, NULL, ops, count, &result);
    if (s == NAVD_ERR_LIMIT && count > 1) {
        int code = send_ops(i, ops, count / 2);
        return code == NAVCTL_OK ? send_ops(i, ops + count / 2, count - count / 2) : code;
    }
    if (s != NAVD_OK) return remote_failed(i->client, s, i->out->name);
    i->out->revision = result.revision;
    return NAVCTL_OK;
}

static int flush_ops(import *i)
{
    size_t count = i->op_count;
    i->op_count = 0;
    return send_ops(i, i->ops, count);
}

static int take_edit(import *i, const np_message *m)
{
    np_world_edit_request r;
    np_error err;
    char text[NAV_KEY_TEXT_BYTES];
    if (np_decode_world_edit_request(m, &r, &err) != NAV_OK) return bad(i, "world.edit: %s", err.message);
    for (uint32_t k = 0; k < r.op_count; k++) {
        const np_op *op = &r.ops[k];
        bool is_instance = op->kind == NP_OP_PUT_INSTANCE;
        if (!is_instance && op->kind != NP_OP_PUT_VOLUME && op->kind != NP_OP_PUT_LINK)
            return bad(i, "world.edit: it does more than put objects");
        if (is_instance &&
            (!i->key_count || !bsearch(&op->u.instance.mesh, i->keys, i->key_count, sizeof *i->keys, compare_keys))) {
            nav_key_text(op->u.instance.mesh, text);
            return bad(i, "instance %llu is of mesh %s, which is not in it", (unsigned long long)op->id, text);
        }
        i->objects++;
        if (!i->for_real) continue;
        if (i->op_count == i->op_limit) {
            int code = flush_ops(i);
            if (code != NAVCTL_OK) return code;
        }
        object_from_wire(op, &i->ops[i->op_count++]);
    }
    return NAVCTL_OK;
}

// --- the walk ---

// world.open comes first, then meshes, then edits.
static int take(import *i, const np_message *m)
{
    np_method method = np_method_of(m), last = i->last;
    bool edit = method == NP_WORLD_EDIT;
    bool in_order =
        last == NP_UNKNOWN ? method == NP_WORLD_OPEN : edit || (method == NP_MESH_PUT && last != NP_WORLD_EDIT);
    if (!in_order)
        return bad(i, "message %llu, %.*s, has no place there", (unsigned long long)i->reader.messages,
                   m->method.size < 40 ? (int)m->method.size : 40, m->method.data);
    i->last = method;
    if (method == NP_WORLD_OPEN) return take_open(i, m);
    if (method == NP_MESH_PUT) return take_mesh(i, m);
    int code = last == NP_WORLD_EDIT ? NAVCTL_OK : end_of_meshes(i);
    if (code == NAVCTL_OK && i->for_real && !i->world.created) code = open_world(i);
    return code == NAVCTL_OK ? take_edit(i, m) : code;
}

static int finish_walk(import *i)
{
    int code = NAVCTL_OK;
    if (i->last == NP_UNKNOWN) return bad(i, "it holds nothing");
    if (i->last != NP_WORLD_EDIT) code = end_of_meshes(i);
    if (code == NAVCTL_OK && i->objects != i->reader.counts.objects)
        return bad(i, "it has %llu objects, its header says %llu", (unsigned long long)i->objects,
                   (unsigned long long)i->reader.counts.objects);
    if (code != NAVCTL_OK || !i->for_real) return code;
    if (!i->world.created) code = open_world(i); // no objects
    return code == NAVCTL_OK ? flush_ops(i) : code;
}

static int walk(import *i, bool for_real)
{
    np_message m;
    progress bar;
    int code = NAVCTL_OK;
    if (world_reader_rewind(&i->reader) != NAV_OK) return bad(i, "%s", i->reader.why);
    i->for_real = for_real;
    i->last = NP_UNKNOWN;
    i->in_mesh = false;
    i->mesh_bytes.size = i->key_count = 0;
    i->objects = 0;
    progress_begin(&bar, for_real ? "Importing" : "Checking");
    while (code == NAVCTL_OK) {
        nav_status s = world_reader_next(&i->reader, &m);
        if (s == NAV_OK) code = take(i, &m);
        np_message_deinit(&m);
        if (s == NAV_ERR_CLOSED) {
            code = finish_walk(i);
            break;
        }
        if (s != NAV_OK) code = bad(i, "%s", i->reader.why);
        progress_update(&bar, i->reader.unpacked, i->reader.counts.unpacked_bytes);
    }
    progress_end(&bar);
    return code;
}

// What a refusal leaves behind.
static void undo(import *i)
{
    if (!i->world.created) return;
    navd_status s = navd_world_delete(i->client, i->world.id);
    fprintf(
        stderr, "navctl: the world %s, of which a part was there, %s%s\n", i->out->name,
        s == NAVD_OK ? "is deleted again" : "could not be deleted: ", s == NAVD_OK ? "" : navd_error_text(i->client));
}

int world_import(navd_client *c, const char *path, const char *name, uint64_t max_bytes, world_copy *out)
{
import i = {.client = c, .path = path, .given_name = name, .limits = navd_get_limits(c), .out = out };
    *out = (world_copy){.revision = 0};
    i.op_limit = i.limits.edit_operations < EDIT_OPERATIONS ? i.limits.edit_operations : EDIT_OPERATIONS;
    if (!i.op_limit) i.op_limit = 1;
    i.ops = malloc(i.op_limit * sizeof *i.ops);
    int code = i.ops ? NAVCTL_OK : no_memory();
    if (code == NAVCTL_OK && world_reader_open(&i.reader, path, max_bytes) != NAV_OK)
        code = bad(&i, "%s", i.reader.why);
    if (code == NAVCTL_OK) code = walk(&i, false);
    if (code == NAVCTL_OK) {
        code = walk(&i, true);
        if (code != NAVCTL_OK) undo(&i);
    }
    out->objects = i.objects;
    out->meshes = i.key_count;
    world_reader_close(&i.reader);
    nav_buffer_deinit(&i.mesh_bytes);
    navd_world_free(&i.world);
    free(i.keys);
    free(i.profiles);
    free(i.ops);
    return code;
}
