#include "clients/navctl/world_file/world_walk.h"
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/progress.h"
#include "core/base/endian.h"
#include "core/geometry/mesh.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

int world_walk_bad(const world_walk *w, const char *format, ...)
{
    char text[384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "navctl: %s: %s\n", w->path, text);
    return NAVCTL_INPUT;
}

static int take_open(world_walk *w, const np_message *m)
{
    np_world_open_request r;
    np_error err;
    if (np_decode_world_open_request(m, &r, &err) != NAV_OK) return world_walk_bad(w, "world.open: %s", err.message);
    for (uint32_t i = 0; i < r.profile_count; i++) np_profile_restore((np_profile *)&r.profiles[i]); // in m's zone
    return w->visitor->open ? w->visitor->open(w->visitor->user, &r) : NAVCTL_OK;
}

// --- meshes ---

static int keep_key(world_walk *w, nav_key key)
{
    if (w->key_count == w->key_capacity) {
        size_t capacity = 2 * w->key_capacity + 64;
        nav_key *grown = realloc(w->keys, capacity * sizeof *grown);
        if (!grown) return no_memory();
        w->keys = grown;
        w->key_capacity = capacity;
    }
    w->keys[w->key_count++] = key;
    return NAVCTL_OK;
}

static int finish_mesh(world_walk *w)
{
    char text[NAV_KEY_TEXT_BYTES];
    navd_mesh mesh;
    navd_heights heights;
    nav_key_text(w->mesh.hash, text);
    if (!navd_mesh_from_bytes(w->part.data, w->mesh.vertices, w->mesh.triangles,
                              np_mesh_form_of(w->mesh.areas, w->mesh.heights), &heights, &mesh))
        return world_walk_bad(w, "mesh %s is said to be a height grid, and is none", text);
    nav_key found = navd_mesh_key(&mesh);
    if (!nav_key_equal(found, w->mesh.hash)) return world_walk_bad(w, "mesh %s does not have that hash", text);
    int code = w->visitor->mesh ? w->visitor->mesh(w->visitor->user, found, &mesh) : NAVCTL_OK;
    w->in_mesh = false;
    w->part.size = 0;
    return code == NAVCTL_OK ? keep_key(w, found) : code;
}

static int take_mesh(world_walk *w, const np_message *m)
{
    np_mesh_put_request r;
    np_error err;
    char text[NAV_KEY_TEXT_BYTES];
    if (np_decode_mesh_put_request(m, &r, &err) != NAV_OK) return world_walk_bad(w, "mesh.put: %s", err.message);
    nav_key_text(r.hash, text);
    uint64_t total = np_mesh_bytes(r.vertices, r.triangles, np_mesh_form_of(r.areas, r.heights));
    bool same = w->in_mesh && nav_key_equal(r.hash, w->mesh.hash) && r.vertices == w->mesh.vertices &&
                r.triangles == w->mesh.triangles && r.areas == w->mesh.areas && r.heights == w->mesh.heights;
    if (r.offset != w->part.size || (r.offset ? !same : w->in_mesh) || (!r.data.size && total))
        return world_walk_bad(w, "mesh %s: its parts do not follow each other", text);
    if (total > w->mesh_bytes)
        return world_walk_bad(w, "mesh %s has %llu bytes, at most %llu are allowed (max_mesh_bytes)", text,
                              (unsigned long long)total, (unsigned long long)w->mesh_bytes);
    w->mesh = r;
    w->in_mesh = true;
    if (nav_buffer_append(&w->part, r.data.data, r.data.size) != NAV_OK) return no_memory();
    return w->part.size == total ? finish_mesh(w) : NAVCTL_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const nav_key *x = a, *y = b;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

static int end_of_meshes(world_walk *w)
{
    char text[NAV_KEY_TEXT_BYTES];
    if (w->in_mesh) return world_walk_bad(w, "a mesh ends too early");
    if (w->key_count != w->reader.counts.meshes)
        return world_walk_bad(w, "it has %zu meshes, its header says %llu", w->key_count,
                              (unsigned long long)w->reader.counts.meshes);
    if (w->key_count) qsort(w->keys, w->key_count, sizeof *w->keys, compare_keys);
    for (size_t k = 1; k < w->key_count; k++) {
        if (!nav_key_equal(w->keys[k - 1], w->keys[k])) continue;
        nav_key_text(w->keys[k], text);
        return world_walk_bad(w, "mesh %s comes twice", text);
    }
    return NAVCTL_OK;
}

// --- objects ---

static int take_edit(world_walk *w, const np_message *m)
{
    np_world_edit_request r;
    np_error err;
    char text[NAV_KEY_TEXT_BYTES];
    if (np_decode_world_edit_request(m, &r, &err) != NAV_OK) return world_walk_bad(w, "world.edit: %s", err.message);
    for (uint32_t k = 0; k < r.op_count; k++) {
        const np_op *op = &r.ops[k];
        bool is_instance = op->kind == NP_OP_PUT_INSTANCE;
        if (!is_instance && op->kind != NP_OP_PUT_VOLUME && op->kind != NP_OP_PUT_LINK)
            return world_walk_bad(w, "world.edit: it does more than put objects");
        if (is_instance &&
            (!w->key_count || !bsearch(&op->u.instance.mesh, w->keys, w->key_count, sizeof *w->keys, compare_keys))) {
            nav_key_text(op->u.instance.mesh, text);
            return world_walk_bad(w, "instance %llu is of mesh %s, which is not in it", (unsigned long long)op->id,
                                  text);
        }
        w->object_count++;
        int code = w->visitor->object ? w->visitor->object(w->visitor->user, op) : NAVCTL_OK;
        if (code != NAVCTL_OK) return code;
    }
    return NAVCTL_OK;
}

// --- the walk ---

// world.open comes first, then meshes, then edits.
static int take(world_walk *w, const np_message *m)
{
    np_method method = np_method_of(m), last = w->last;
    bool edit = method == NP_WORLD_EDIT;
    bool in_order =
        last == NP_UNKNOWN ? method == NP_WORLD_OPEN : edit || (method == NP_MESH_PUT && last != NP_WORLD_EDIT);
    if (!in_order)
        return world_walk_bad(w, "message %llu, %.*s, has no place there", (unsigned long long)w->reader.messages,
                              m->method.size < 40 ? (int)m->method.size : 40, m->method.data);
    w->last = method;
    if (method == NP_WORLD_OPEN) return take_open(w, m);
    if (method == NP_MESH_PUT) return take_mesh(w, m);
    int code = last == NP_WORLD_EDIT ? NAVCTL_OK : end_of_meshes(w);
    return code == NAVCTL_OK ? take_edit(w, m) : code;
}

static int finish(world_walk *w)
{
    int code = NAVCTL_OK;
    if (w->last == NP_UNKNOWN) return world_walk_bad(w, "it holds nothing");
    if (w->last != NP_WORLD_EDIT) code = end_of_meshes(w);
    if (code == NAVCTL_OK && w->object_count != w->reader.counts.objects)
        return world_walk_bad(w, "it has %llu objects, its header says %llu", (unsigned long long)w->object_count,
                              (unsigned long long)w->reader.counts.objects);
    return code;
}

int world_walk_run(world_walk *w, const world_visitor *visitor, const char *doing)
{
    np_message m;
    progress bar;
    int code = NAVCTL_OK;
    if (world_reader_rewind(&w->reader) != NAV_OK) return world_walk_bad(w, "%s", w->reader.why);
    w->visitor = visitor;
    w->last = NP_UNKNOWN;
    w->in_mesh = false;
    w->part.size = w->key_count = 0;
    w->object_count = 0;
    progress_begin(&bar, doing);
    while (code == NAVCTL_OK) {
        nav_status s = world_reader_next(&w->reader, &m);
        if (s == NAV_OK) code = take(w, &m);
        np_message_deinit(&m);
        if (s == NAV_ERR_CLOSED) {
            code = finish(w);
            break;
        }
        if (s != NAV_OK) code = world_walk_bad(w, "%s", w->reader.why);
        progress_update(&bar, w->reader.unpacked, w->reader.counts.unpacked_bytes);
    }
    progress_end(&bar);
    return code;
}

int world_walk_open(world_walk *w, const char *path, uint64_t max_bytes, uint64_t mesh_bytes)
{
    *w = (world_walk){.path = path, .mesh_bytes = mesh_bytes};
    if (world_reader_open(&w->reader, path, max_bytes) == NAV_OK) return NAVCTL_OK;
    return world_walk_bad(w, "%s", w->reader.why);
}

void world_walk_close(world_walk *w)
{
    world_reader_close(&w->reader);
    nav_buffer_deinit(&w->part);
    free(w->keys);
    w->keys = NULL;
}
