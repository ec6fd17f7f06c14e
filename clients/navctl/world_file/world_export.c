// Objects first, as they must all be of one revision and a page costs little; then their meshes, which never change.
// The file has them the other way round: whoever replays it has each mesh before it is named.
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/world_file/world_copy.h"
#include "clients/navctl/world_file/world_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_PAGE = 4096, LARGEST_PAGE = 16384, MAX_ATTEMPTS = 40 };
enum { WAIT_MS = 50, MAX_WAITS = 1200 }; // for a mesh that the daemon is still reading from disk

typedef struct export
{
    navd_client *client;
    const char *name;
    navd_world world;
    navd_reach_report *reach;
    nav_buffer edits; // world.edit requests
    uint32_t edit_count, next_id;
    nav_key *keys; // of the meshes of all instances; sorted, each once, when all are read
    size_t key_count, key_capacity;
    nav_buffer scratch;
    world_writer writer;
    world_copy *out;
}
export;

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static int compare_keys(const void *a, const void *b)
{
    const nav_key *x = a, *y = b;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

static void sort_keys(export *e)
{
    size_t kept = 0;
    qsort(e->keys, e->key_count, sizeof *e->keys, compare_keys);
    for (size_t i = 0; i < e->key_count; i++) {
        if (!kept || !nav_key_equal(e->keys[kept - 1], e->keys[i])) e->keys[kept++] = e->keys[i];
    }
    e->key_count = kept;
}

static bool keep_page(export *e, const navd_objects *page)
{
    np_op *ops = calloc(page->count + 1, sizeof *ops);
    if (e->key_capacity - e->key_count < page->count) {
        size_t capacity = 2 * e->key_capacity + page->count;
        nav_key *grown = realloc(e->keys, capacity * sizeof *grown);
        if (!grown || !ops) {
            free(ops);
            e->keys = grown ? grown : e->keys;
            return false;
        }
        e->keys = grown;
        e->key_capacity = capacity;
    }
    for (size_t i = 0; ops && i < page->count; i++) {
        operation_to_wire(&page->objects[i], &ops[i]);
        if (ops[i].kind == NP_OP_PUT_INSTANCE) e->keys[e->key_count++] = ops[i].u.instance.mesh;
    }
    np_world_edit_request request = {.op_count = (uint32_t)page->count, .ops = ops};
    nav_status s = ops ? np_encode_world_edit_request(&e->edits, e->next_id++, &request) : NAV_ERR_MEMORY;
    e->edit_count++;
    free(ops);
    e->out->objects += page->count;
    return s == NAV_OK;
}

// All pages, of one revision. NAVD_ERR_STATE: the world moved on meanwhile.
static navd_status read_pages(export *e, uint32_t limit)
{
    navd_objects page = {0}, next;
    bool first = true;
    navd_status s;
    e->edits.size = e->key_count = 0;
    e->edit_count = 0;
    e->out->objects = 0;
    do {
        s = navd_world_objects(e->client, e->world.id, first ? NULL : &page, limit, &next);
        navd_objects_free(&page);
        page = next;
        first = false;
        if (s == NAVD_OK && page.count && !keep_page(e, &page)) s = NAVD_ERR_MEMORY;
    } while (s == NAVD_OK && page.next);
    e->out->revision = page.revision;
    navd_objects_free(&page);
    return s;
}

static int read_objects(export *e)
{
    uint32_t limit = FIRST_PAGE;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        navd_status s = read_pages(e, limit);
        if (s == NAVD_OK) {
            sort_keys(e);
            return NAVCTL_OK;
        }
        if (s == NAVD_ERR_MEMORY) return no_memory();
        if (s != NAVD_ERR_STATE) return remote_failed(e->client, s, e->name);
        limit = LARGEST_PAGE; // fewer pages, less time in which the world can move on
    }
    fprintf(stderr, "navctl: %s: the world is edited without a pause; there was no moment to read all of it\n",
            e->name);
    return NAVCTL_FAILED;
}

// Writes the request that is in the scratch buffer.
static int write_scratch(export *e, nav_status encoded)
{
    if (encoded != NAV_OK) return no_memory();
    bool ok = world_writer_add(&e->writer, &e->scratch, 1);
    e->scratch.size = 0;
    return ok ? NAVCTL_OK : NAVCTL_FAILED;
}

static int write_open(export *e)
{
    np_profile *profiles = calloc(e->world.profile_count + 1, sizeof *profiles);
    if (!profiles) return no_memory();
    const navd_reach *reach = &e->reach->reach;
    np_world_open_request r = {.name = np_str_of(e->name),
                               .create = true,
                               .profile_count = (uint32_t)e->world.profile_count,
                               .profiles = profiles,
                               .has_reach = reach->unreachable != NAVD_UNREACHABLE_KEEP,
                               .reach = {.unreachable = (nav_unreachable)reach->unreachable,
                                         .seed_count = (uint32_t)reach->seed_count,
                                         .seeds = (const np_seed *)(const void *)reach->seeds,
                                         .island_min_area_m2 = reach->island_min_area_m2}};
    memcpy(r.origin_m, e->world.origin_m, sizeof r.origin_m);
    for (size_t i = 0; i < e->world.profile_count; i++) {
        profiles[i].name = np_str_of(e->world.profiles[i].name);
        settings_to_core(&e->world.profiles[i].settings, e->world.origin_m, &profiles[i].settings);
    }
    int code = write_scratch(e, np_encode_world_open_request(&e->scratch, e->next_id++, &r));
    free(profiles);
    return code;
}

static int write_mesh(export *e, nav_key key)
{
    navd_key name;
    navd_mesh_data m;
    nav_key_store(key, name.bytes);
    navd_status s;
    int tries = 0;
    while ((s = navd_mesh_get(e->client, name, &m)) == NAVD_ERR_AGAIN && ++tries < MAX_WAITS) usleep(WAIT_MS * 1000);
    if (s != NAVD_OK) return remote_failed(e->client, s, e->name);
    uint64_t total = 12 * ((uint64_t)m.mesh.vertex_count + m.mesh.triangle_count);
    uint8_t *part = malloc(NP_MESH_PART_BYTES);
    np_mesh_put_request r = {
        .hash = key, .vertices = m.mesh.vertex_count, .triangles = m.mesh.triangle_count, .data = {part, 0}};
    int code = part ? NAVCTL_OK : no_memory();
    do {
        if (code != NAVCTL_OK) break;
        uint64_t left = total - r.offset;
        r.data.size = (uint32_t)(left < NP_MESH_PART_BYTES ? left : NP_MESH_PART_BYTES);
        mesh_bytes_store(&m.mesh, r.offset, part, r.data.size);
        code = write_scratch(e, np_encode_mesh_put_request(&e->scratch, e->next_id++, &r));
        r.offset += r.data.size;
    } while (r.offset < total);
    free(part);
    navd_mesh_data_free(&m);
    return code;
}

static int write_all(export *e)
{
    progress bar;
    int code = write_open(e);
    progress_begin(&bar, "Meshes");
    for (size_t i = 0; i < e->key_count && code == NAVCTL_OK; i++) {
        code = write_mesh(e, e->keys[i]);
        progress_update(&bar, i + 1, e->key_count);
    }
    progress_end(&bar);
    if (code != NAVCTL_OK) return code;
    if (!world_writer_add(&e->writer, &e->edits, e->edit_count)) return NAVCTL_FAILED;
    e->writer.counts.objects = e->out->objects;
    e->writer.counts.meshes = e->out->meshes = e->key_count;
    if (!world_writer_commit(&e->writer)) return NAVCTL_FAILED;
    e->out->file_bytes = e->writer.counts.packed_bytes + WORLD_FILE_HEADER_BYTES;
    return NAVCTL_OK;
}

int world_export(navd_client *c, const char *name, const char *path, world_copy *out)
{
    export e = {.client = c, .name = name, .next_id = 1, .out = out};
    *out = (world_copy){.revision = 0};
    snprintf(out->name, sizeof out->name, "%s", name);
    int code = remote_find_world(c, name, &e.world);
    navd_status s = code == NAVCTL_OK ? navd_world_reach(c, e.world.id, &e.reach) : NAVD_OK;
    if (s != NAVD_OK) code = remote_failed(c, s, name);
    if (code == NAVCTL_OK) code = read_objects(&e);
    if (code == NAVCTL_OK && !world_writer_open(&e.writer, path)) code = NAVCTL_FAILED;
    if (code == NAVCTL_OK) code = write_all(&e);
    world_writer_discard(&e.writer);
    navd_world_free(&e.world);
    navd_reach_report_free(e.reach);
    nav_buffer_deinit(&e.edits);
    nav_buffer_deinit(&e.scratch);
    free(e.keys);
    return code;
}
