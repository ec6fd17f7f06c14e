#include "clients/navctl/remote/scene_sync.h"
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/output/output.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/output/text.h"
#include "clients/navctl/remote/world_objects.h"
#include "clients/navctl/scene/heap_array.h"
#include "protocol/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *scene_sync_source_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// heights: of meshes that are height grids.
static navd_mesh mesh_of(const scene_mesh *m, navd_heights *heights)
{
    if (m->heights) {
        *heights = navd_heights_from_core(m->heights);
        return (navd_mesh){.heights = heights};
    }
    return (navd_mesh){.vertices = m->verts,
                       .vertex_count = m->vert_count,
                       .triangles = m->tris,
                       .triangle_count = m->tri_count,
                       .areas = m->areas};
}

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

// "@..." as a file's own name is no number: the instance has its place in the file as its id then, as in the scene of a
// world, where none has a name.
static uint64_t id_of(const scene *s, uint32_t i)
{
    uint64_t id;
    const char *name = s->instances[i].name;
    return (name && remote_instance_id(name, &id) ? id : i) + s->instances[i].block;
}

// What the daemon can keep as a name; other names stay in the file.
static const char *kept_name(const char *name)
{
    char why[200];
    return name && np_name_check("name", np_str_of(name), why, sizeof why) == NAV_OK ? name : "";
}

static uint64_t *ids_of(const scene *s)
{
    uint64_t *ids = malloc(((size_t)s->instance_count + 1) * sizeof *ids);
    for (uint32_t i = 0; ids && i < s->instance_count; i++) ids[i] = id_of(s, i);
    return ids;
}

static navd_sync_object *list_of(const scene *s, const navd_key *keys, const uint64_t *ids)
{
    navd_sync_object *list = malloc(((size_t)s->instance_count + 1) * sizeof *list);
    for (uint32_t i = 0; list && i < s->instance_count; i++) {
        const scene_instance *from = &s->instances[i];
        list[i] = (navd_sync_object){
            .id = ids[i], .mesh = keys[from->mesh], .area = from->area, .name = kept_name(from->name)};
        memcpy(list[i].transform, from->transform, sizeof list[i].transform);
    }
    return list;
}

// --- names that another source of the world uses too ---

typedef struct taken {
    const char *source;
    uint64_t *ids; // of other sources
    uint32_t count, capacity;
} taken;

static int begin_taken(void *user)
{
    ((taken *)user)->count = 0;
    return NAVCTL_OK;
}

static int keep_taken(void *user, const navd_objects *page)
{
    taken *t = user;
    if (!heap_array_grow(&t->ids, &t->capacity, t->count + (uint32_t)page->count, sizeof *t->ids)) return no_memory();
    for (size_t i = 0; i < page->count; i++) {
        const navd_operation *o = &page->objects[i];
        if (o->kind == NAVD_PUT_INSTANCE && o->source[0] && strcmp(o->source, t->source) != 0)
            t->ids[t->count++] = o->id;
    }
    return NAVCTL_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Of the source and the name.
static uint64_t own_id(const char *source, const char *name)
{
    const nav_key both[] = {nav_key_of(source, strlen(source)), nav_key_of(name, strlen(name))};
    return nav_key_of(both, sizeof both).low;
}

// Gives instances whose ids are another source's their own. An id that an instance without a source has stays: the
// daemon refuses it and says how to adopt that instance. Returns an exit code.
static int leave_taken(navd_client *c, const navd_world *world, const char *world_name, const scene *s,
                       const char *source, uint64_t *ids, navd_sync_object *list)
{
    taken t = {.source = source};
    const world_taker taker = {.user = &t, .begin = begin_taken, .page = keep_taken};
    uint64_t revision;
    int code = world_objects_read(c, world_name, world->id, &taker, &revision);
    if (code == NAVCTL_OK && t.count) {
        qsort(t.ids, t.count, sizeof *t.ids, compare_numbers);
        for (uint32_t i = 0; i < s->instance_count; i++) {
            uint64_t plain = id_of(s, i);
            bool is_taken = bsearch(&plain, t.ids, t.count, sizeof *t.ids, compare_numbers) != NULL;
            list[i].id = ids[i] = is_taken ? own_id(source, s->instances[i].name) + s->instances[i].block : plain;
        }
    }
    free(t.ids);
    return code;
}

// --- the meshes that the daemon lacks ---

typedef struct upload {
    progress bar;
    uint64_t done, total;
    scene_sync *out;
} upload;

static void show_sent(void *user, size_t mesh, uint64_t bytes)
{
    upload *u = user;
    (void)mesh;
    u->done += bytes;
    u->out->meshes_sent++;
    u->out->bytes_sent += bytes;
    progress_update(&u->bar, u->done, u->total);
}

static int compare_keys(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(navd_key));
}

static int send_missing(navd_client *c, const scene *s, const navd_key *keys, navd_sync_result *r, scene_sync *out)
{
    upload u = {.out = out};
    size_t count = 0;
    navd_mesh *meshes = malloc(((size_t)s->mesh_count + 1) * sizeof *meshes);
    navd_heights *heights = malloc(((size_t)s->mesh_count + 1) * sizeof *heights);
    if (!meshes || !heights) {
        free(meshes);
        free(heights);
        return no_memory();
    }
    qsort(r->missing, r->missing_count, sizeof *r->missing, compare_keys);
    for (uint32_t i = 0; i < s->mesh_count; i++) {
        if (!bsearch(&keys[i], r->missing, r->missing_count, sizeof *r->missing, compare_keys)) continue;
        meshes[count] = mesh_of(&s->meshes[i], &heights[i]);
        u.total += navd_mesh_bytes(&meshes[count++]);
    }
    progress_begin(&u.bar, "Sending meshes");
    navd_status status = navd_meshes_put(c, meshes, count, show_sent, &u);
    progress_end(&u.bar);
    free(meshes);
    free(heights);
    return status == NAVD_OK ? NAVCTL_OK : remote_failed(c, status, "sending a mesh");
}

int scene_sync_run(navd_client *c, const navd_world *world, const char *world_name, const scene *s,
                   const scene_sync_options *o, scene_sync *out)
{
    double began_s = now_s();
    *out = (scene_sync){0};
    navd_key *keys = malloc(((size_t)s->mesh_count + 1) * sizeof *keys);
    for (uint32_t i = 0; keys && i < s->mesh_count; i++) {
        navd_heights heights;
        navd_mesh mesh = mesh_of(&s->meshes[i], &heights);
        keys[i] = navd_mesh_hash(&mesh);
    }
    out->ids = ids_of(s);
    navd_sync_object *list = keys && out->ids ? list_of(s, keys, out->ids) : NULL;
    int code = list ? NAVCTL_OK : no_memory();
    const navd_sync_request request = {.world = world->id,
                                       .source = o->source,
                                       .objects = list,
                                       .count = s->instance_count,
                                       .dry_run = o->dry_run,
                                       .adopt = o->adopt};
    bool done = false, looked = false;
    while (code == NAVCTL_OK && !done) {
        navd_status status = navd_sync(c, &request, &out->result);
        if (status == NAVD_ERR_EXISTS && !looked) {
            looked = true;
            code = leave_taken(c, world, world_name, s, o->source, out->ids, list);
            continue;
        }
        if (status != NAVD_OK) {
            code = remote_failed(c, status, world_name);
            break;
        }
        if (!out->compare_s) out->compare_s = now_s() - began_s;
        done = o->dry_run || !out->result.missing_count;
        if (done) break;
        double upload_began_s = now_s();
        code = send_missing(c, s, keys, &out->result, out);
        out->upload_s += now_s() - upload_began_s;
        navd_sync_result_free(&out->result);
    }
    out->sync_s = now_s() - began_s;
    free(list);
    free(keys);
    return code;
}

void scene_sync_imagine(const scene *s, scene_sync *out)
{
    enum { MOST = 4096 }; // as navd_sync() names
    *out = (scene_sync){.result = {.complete = true, .added = s->instance_count, .missing_count = s->mesh_count}};
    out->ids = ids_of(s);
    out->result.added_ids.ids = out->ids ? malloc(MOST * sizeof(uint64_t)) : NULL;
    for (uint32_t i = 0; out->result.added_ids.ids && i < s->instance_count && i < MOST; i++)
        out->result.added_ids.ids[out->result.added_ids.count++] = out->ids[i];
}

void scene_sync_deinit(scene_sync *s)
{
    navd_sync_result_free(&s->result);
    free(s->ids);
    s->ids = NULL;
}

// --- words ---

typedef struct id_name {
    uint64_t id;
    const char *name;
} id_name;

static int compare_ids(const void *a, const void *b)
{
    const id_name *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

// By id. NULL: no memory, all are shown as numbers.
static id_name *names_of(const scene_sync *sync, const scene *s)
{
    id_name *all = sync->ids ? malloc(((size_t)s->instance_count + 1) * sizeof *all) : NULL;
    if (!all) return NULL;
    for (uint32_t i = 0; i < s->instance_count; i++) all[i] = (id_name){sync->ids[i], s->instances[i].name};
    qsort(all, s->instance_count, sizeof *all, compare_ids);
    return all;
}

static const char *name_of(const id_name *all, const scene *s, uint64_t id, char text[24])
{
    const id_name wanted = {id, NULL};
    const id_name *found = all ? bsearch(&wanted, all, s->instance_count, sizeof *all, compare_ids) : NULL;
    snprintf(text, 24, "@%" PRIu64, id);
    return found ? found->name : text;
}

static void print_ids(const char *word, const navd_ids *ids, uint64_t all, const id_name *names, const scene *s)
{
    char text[24], shown[256];
    for (size_t i = 0; i < ids->count; i++) {
        text_printable(name_of(names, s, ids->ids[i], text), shown, sizeof shown, 200);
        printf("  %-8s %s\n", word, shown);
    }
    if (all > ids->count) printf("  %-8s and %" PRIu64 " more\n", word, all - ids->count);
}

static void print_renamed(const navd_sync_result *r, const id_name *names, const scene *s)
{
    char text[24], shown[256];
    for (size_t i = 0; i < r->renamed_to.count; i++) {
        text_printable(name_of(names, s, r->renamed_to.ids[i], text), shown, sizeof shown, 200);
        printf("  renamed  @%" PRIu64 " to %s\n", r->renamed_from.ids[i], shown);
    }
    if (r->renamed > r->renamed_to.count) printf("  renamed  and %" PRIu64 " more\n", r->renamed - r->renamed_to.count);
}

void scene_sync_print(const scene_sync *sync, const scene *s, bool dry_run)
{
    const navd_sync_result *r = &sync->result;
    const struct {
        const char *word;
        uint64_t count;
    } kinds[] = {{"new", r->added},       {"changed", r->changed}, {"moved", r->moved},
                 {"renamed", r->renamed}, {"gone", r->removed},    {"as before", r->unchanged}};
    if (dry_run) {
        id_name *names = names_of(sync, s);
        print_ids("new", &r->added_ids, r->added, names, s);
        print_ids("changed", &r->changed_ids, r->changed, names, s);
        print_ids("moved", &r->moved_ids, r->moved, names, s);
        print_renamed(r, names, s);
        print_ids("gone", &r->removed_ids, r->removed, names, s);
        free(names);
    }
    const char *comma = "";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i].count) continue;
        printf("%s%" PRIu64 " %s", comma, kinds[i].count, kinds[i].word);
        comma = ", ";
    }
    if (!*comma) printf("nothing");
}

static void report_ids(const char *key, const navd_ids *ids, const id_name *names, const scene *s, json_writer *w)
{
    char text[24];
    json_open(w, key, '[');
    for (size_t i = 0; i < ids->count; i++) json_text(w, NULL, name_of(names, s, ids->ids[i], text));
    json_close(w, ']');
}

void scene_sync_report(const scene_sync *sync, const scene *s, bool dry_run, json_writer *w)
{
    const navd_sync_result *r = &sync->result;
    json_int(w, "added", (int64_t)r->added);
    json_int(w, "changed", (int64_t)r->changed);
    json_int(w, "moved", (int64_t)r->moved);
    json_int(w, "renamed", (int64_t)r->renamed);
    json_int(w, "removed", (int64_t)r->removed);
    json_int(w, "unchanged", (int64_t)r->unchanged);
    if (!dry_run) return;
    id_name *names = names_of(sync, s);
    json_int(w, "meshes_missing", (int64_t)r->missing_count);
    report_ids("added_names", &r->added_ids, names, s, w);
    report_ids("changed_names", &r->changed_ids, names, s, w);
    report_ids("moved_names", &r->moved_ids, names, s, w);
    report_ids("renamed_from", &r->renamed_from, names, s, w);
    report_ids("renamed_to", &r->renamed_to, names, s, w);
    report_ids("removed_names", &r->removed_ids, names, s, w);
    free(names);
}
