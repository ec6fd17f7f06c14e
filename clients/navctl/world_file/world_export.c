// Objects first, as they must all be of one revision and a page costs little, with the table of areas of that revision;
// then their meshes, which never change.
// The file has them the other way round: whoever replays it has each mesh before it is named.
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/remote/world_objects.h"
#include "clients/navctl/scene/heap_array.h"
#include "clients/navctl/world_file/world_copy.h"
#include "clients/navctl/world_file/world_put.h"

#include <stdlib.h>
#include <string.h>

typedef struct export
{
    navd_client *client;
    const char *name;
    navd_world world;
    navd_reach_report *reach;
    nav_area_table areas;
    navd_key *keys; // of the meshes of all instances; sorted, each once, when all are read
    uint32_t key_count, key_capacity;
    world_put put;
}
export;

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(navd_key));
}

static void sort_keys(export *e)
{
    uint32_t kept = 0;
    if (e->key_count) qsort(e->keys, e->key_count, sizeof *e->keys, compare_keys);
    for (uint32_t i = 0; i < e->key_count; i++) {
        if (!kept || compare_keys(&e->keys[kept - 1], &e->keys[i])) e->keys[kept++] = e->keys[i];
    }
    e->key_count = kept;
}

static int begin_pages(void *user)
{
    export *e = user;
    e->key_count = 0;
    world_put_forget_objects(&e->put);
    return NAVCTL_OK;
}

static int keep_page(void *user, const navd_objects *page)
{
    export *e = user;
    if (!heap_array_grow(&e->keys, &e->key_capacity, e->key_count + (uint32_t)page->count, sizeof *e->keys))
        return no_memory();
    for (size_t i = 0; i < page->count; i++) {
        const navd_operation *o = &page->objects[i];
        if (o->kind == NAVD_PUT_INSTANCE) e->keys[e->key_count++] = o->u.instance.mesh;
    }
    return world_put_objects(&e->put, page->objects, page->count);
}

static int put_meshes(export *e)
{
    progress bar;
    int code = NAVCTL_OK;
    progress_begin(&bar, "Meshes");
    for (size_t i = 0; i < e->key_count && code == NAVCTL_OK; i++) {
        navd_mesh_data m;
        code = world_objects_mesh(e->client, e->name, e->keys[i], &m);
        if (code != NAVCTL_OK) break;
        code = world_put_mesh(&e->put, nav_key_load(e->keys[i].bytes), &m.mesh);
        navd_mesh_data_free(&m);
        progress_update(&bar, i + 1, e->key_count);
    }
    progress_end(&bar);
    return code;
}

// Objects of one revision, and the table of areas that the world had at it: it is the same before and after them.
static int read_objects(export *e, world_copy *out)
{
    enum { MAX_ATTEMPTS = 10 };
    const world_taker taker = {.user = e, .begin = begin_pages, .page = keep_page};
    int code = remote_areas(e->client, e->name, e->world.id, &e->areas, NULL);
    for (int attempt = 0; attempt < MAX_ATTEMPTS && code == NAVCTL_OK; attempt++) {
        const nav_area_table before = e->areas;
        code = world_objects_read(e->client, e->name, e->world.id, &taker, &out->revision);
        if (code == NAVCTL_OK) code = remote_areas(e->client, e->name, e->world.id, &e->areas, NULL);
        if (code == NAVCTL_OK && nav_area_table_equal(&before, &e->areas)) return code;
    }
    if (code == NAVCTL_OK) fprintf(stderr, "navctl: %s: its table of areas changed during every attempt\n", e->name);
    return code == NAVCTL_OK ? NAVCTL_FAILED : code;
}

int world_export(navd_client *c, const char *name, const char *path, world_copy *out)
{
    export e = {.client = c, .name = name};
    *out = (world_copy){.revision = 0};
    snprintf(out->name, sizeof out->name, "%s", name);
    int code = remote_find_world(c, name, &e.world);
    navd_status s = code == NAVCTL_OK ? navd_world_reach(c, e.world.id, &e.reach) : NAVD_OK;
    if (s != NAVD_OK) code = remote_failed(c, s, name);
    if (code == NAVCTL_OK) code = read_objects(&e, out);
    sort_keys(&e);
    if (code == NAVCTL_OK) code = world_put_begin(&e.put, path, name, &e.world, &e.reach->reach, &e.areas);
    if (code == NAVCTL_OK) code = put_meshes(&e);
    if (code == NAVCTL_OK) code = world_put_commit(&e.put);
    out->objects = e.put.objects;
    out->meshes = e.put.meshes;
    out->file_bytes = e.put.file_bytes;
    world_put_deinit(&e.put);
    navd_world_free(&e.world);
    navd_reach_report_free(e.reach);
    free(e.keys);
    return code;
}
