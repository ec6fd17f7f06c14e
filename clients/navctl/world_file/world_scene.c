#include "clients/navctl/world_file/world_scene.h"
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/world_file/world_walk.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t MAX_BYTES = UINT64_C(32) << 30; // that a file may unpack to

typedef struct kept_mesh {
    nav_key key;
    uint32_t index;
} kept_mesh;

typedef struct reading {
    world_walk walk;
    world_scene *out;
    kept_mesh *meshes; // sorted by key once objects come
    bool sorted;
    uint64_t *ids[3]; // of instances, volumes, links
    size_t id_count[3];
} reading;

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

// Room for one more in a list whose capacity is the power of two at or above its count.
static void *grow(void *list, size_t count, size_t size)
{
    return count & (count - 1) ? list : realloc(list, (count ? 2 * count : 1) * size);
}

bool world_scene_is_world(const char *path)
{
    char start[8] = "";
    const char *dot = strrchr(path, '.');
    if (dot && !strcmp(dot, ".navdworld")) return true;
    FILE *f = fopen(path, "rb");
    bool is = f && fread(start, 1, sizeof start, f) == sizeof start && !memcmp(start, "navdwrld", sizeof start);
    if (f) fclose(f);
    return is;
}

static int take_open(void *user, const np_world_open_request *r)
{
    world_scene *w = ((reading *)user)->out;
    snprintf(w->name, sizeof w->name, "%.*s", (int)r->name.size, r->name.data);
    w->profiles = calloc(r->profile_count + (size_t)1, sizeof *w->profiles);
    if (!w->profiles) return no_memory();
    w->profile_count = r->profile_count;
    for (uint32_t i = 0; i < r->profile_count; i++) {
        const np_profile *from = &r->profiles[i];
        snprintf(w->profiles[i].name, NAVD_NAME_BYTES, "%.*s", (int)from->name.size, from->name.data);
        w->profiles[i].settings = from->settings;
    }
    np_areas_to_core(r->areas, r->area_count, &w->areas);
    w->unreachable = r->has_reach ? r->reach.unreachable : NAV_UNREACHABLE_KEEP;
    w->goal = (nav_reach_goal){.seed_count = r->reach.seed_count, .min_area_m2 = r->reach.island_min_area_m2};
    for (uint32_t i = 0; i < r->reach.seed_count; i++) memcpy(w->goal.seeds[i], r->reach.seeds[i].at, sizeof(float[3]));
    return NAVCTL_OK;
}

// NULL: no memory.
static nav_heights_spec *copy_heights(const navd_heights *from)
{
    const nav_heights_spec spec = navd_heights_to_core(from);
    const size_t samples = (size_t)spec.columns * spec.rows * (from->bits / 8);
    const size_t cells = (size_t)(spec.columns - 1) * (spec.rows - 1);
    nav_heights_spec *h = malloc(sizeof *h);
    void *own = malloc(samples), *own_areas = spec.areas ? malloc(cells) : NULL;
    if (!h || !own || (spec.areas && !own_areas)) {
        free(h);
        free(own);
        free(own_areas);
        return NULL;
    }
    *h = spec;
    h->samples = memcpy(own, spec.samples, samples);
    h->areas = spec.areas ? memcpy(own_areas, spec.areas, cells) : NULL;
    return h;
}

static int take_mesh(void *user, nav_key hash, const navd_mesh *mesh)
{
    reading *r = user;
    scene *s = &r->out->scene;
    scene_mesh *meshes = grow(s->meshes, s->mesh_count, sizeof *meshes);
    if (meshes) s->meshes = meshes;
    kept_mesh *kept = grow(r->meshes, s->mesh_count, sizeof *kept);
    if (kept) r->meshes = kept;
    if (!meshes || !kept) return no_memory();
    if (mesh->heights) {
        kept[s->mesh_count] = (kept_mesh){hash, s->mesh_count};
        meshes[s->mesh_count++] = (scene_mesh){.heights = copy_heights(mesh->heights)};
        scene_mesh *m = &meshes[s->mesh_count - 1];
        if (m->heights) m->tri_count = 2 * (m->heights->columns - 1) * (m->heights->rows - 1);
        return m->heights ? NAVCTL_OK : no_memory();
    }
    size_t vert_bytes = 12 * (size_t)mesh->vertex_count, tri_bytes = 12 * (size_t)mesh->triangle_count;
    scene_mesh m = {.verts = malloc(vert_bytes + 1),
                    .vert_count = mesh->vertex_count,
                    .tris = malloc(tri_bytes + 1),
                    .tri_count = mesh->triangle_count,
                    .areas = mesh->areas ? malloc(mesh->triangle_count) : NULL};
    kept[s->mesh_count] = (kept_mesh){hash, s->mesh_count};
    meshes[s->mesh_count++] = m; // freed with the scene
    if (!m.verts || !m.tris || (mesh->areas && !m.areas)) return no_memory();
    if (vert_bytes) memcpy(m.verts, mesh->vertices, vert_bytes);
    if (tri_bytes) memcpy(m.tris, mesh->triangles, tri_bytes);
    if (mesh->areas) memcpy(m.areas, mesh->areas, mesh->triangle_count);
    return NAVCTL_OK;
}

static int compare_meshes(const void *a, const void *b)
{
    const nav_key *x = &((const kept_mesh *)a)->key, *y = &((const kept_mesh *)b)->key;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

static uint32_t find_mesh(reading *r, nav_key key)
{
    const kept_mesh wanted = {.key = key};
    uint32_t count = r->out->scene.mesh_count;
    if (!r->sorted) qsort(r->meshes, count, sizeof *r->meshes, compare_meshes);
    r->sorted = true;
    return ((kept_mesh *)bsearch(&wanted, r->meshes, count, sizeof wanted, compare_meshes))
        ->index; // the walk has seen it
}

static int keep_id(reading *r, int kind, uint64_t id)
{
    uint64_t *ids = grow(r->ids[kind], r->id_count[kind], sizeof *ids);
    if (!ids) return no_memory();
    r->ids[kind] = ids;
    ids[r->id_count[kind]++] = id;
    return NAVCTL_OK;
}

static int take_instance(reading *r, const np_op *op)
{
    scene *s = &r->out->scene;
    scene_instance *list = grow(s->instances, s->instance_count, sizeof *list);
    if (!list) return no_memory();
    s->instances = list;
    scene_instance *i = &list[s->instance_count++];
    *i = (scene_instance){.mesh = find_mesh(r, op->u.instance.mesh), .area = op->u.instance.area};
    memcpy(i->transform, op->u.instance.transform, sizeof i->transform);
    return keep_id(r, 0, op->id);
}

static int take_volume(reading *r, const np_op *op)
{
    scene *s = &r->out->scene;
    char why[200];
    if (nav_volume_check(&op->u.volume, why, sizeof why) != NAV_OK)
        return world_walk_bad(&r->walk, "volume %llu: %s", (unsigned long long)op->id, why);
    nav_volume *list = grow(s->volumes, s->volume_count, sizeof *list);
    if (!list) return no_memory();
    s->volumes = list;
    list[s->volume_count++] = op->u.volume;
    return keep_id(r, 1, op->id);
}

static int take_link(reading *r, const np_op *op)
{
    scene *s = &r->out->scene;
    char why[200];
    if (nav_link_check(&op->u.link, why, sizeof why) != NAV_OK)
        return world_walk_bad(&r->walk, "link %llu: %s", (unsigned long long)op->id, why);
    nav_link *list = grow(s->links, s->link_count, sizeof *list);
    if (!list) return no_memory();
    s->links = list;
    list[s->link_count++] = op->u.link;
    return keep_id(r, 2, op->id);
}

static int take_object(void *user, const np_op *op)
{
    reading *r = user;
    if (op->kind == NP_OP_PUT_INSTANCE) return take_instance(r, op);
    return op->kind == NP_OP_PUT_VOLUME ? take_volume(r, op) : take_link(r, op);
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// What is put twice would be replaced in a daemon; an export has each object once.
static int check_ids(reading *r)
{
    static const char *const kinds[] = {"instance", "volume", "link"};
    for (int k = 0; k < 3; k++) {
        if (r->id_count[k]) qsort(r->ids[k], r->id_count[k], sizeof *r->ids[k], compare_ids);
        for (size_t i = 1; i < r->id_count[k]; i++)
            if (r->ids[k][i] == r->ids[k][i - 1])
                return world_walk_bad(&r->walk, "%s %llu comes twice", kinds[k], (unsigned long long)r->ids[k][i]);
    }
    return NAVCTL_OK;
}

static int check_settings(const reading *r)
{
    char why[256];
    for (uint32_t i = 0; i < r->out->profile_count; i++) {
        const world_scene_profile *p = &r->out->profiles[i];
        if (nav_settings_check(&p->settings, why, sizeof why) != NAV_OK)
            return world_walk_bad(&r->walk, "profile %s: %s", p->name, why);
    }
    if (nav_reach_goal_check(&r->out->goal, why, sizeof why) != NAV_OK) return world_walk_bad(&r->walk, "%s", why);
    return NAVCTL_OK;
}

int world_scene_read(const char *path, world_scene *out)
{
    reading r = {.out = out};
    const world_visitor visitor = {.user = &r, .open = take_open, .mesh = take_mesh, .object = take_object};
    *out = (world_scene){.profiles = NULL};
    int code = world_walk_open(&r.walk, path, MAX_BYTES, UINT64_MAX);
    if (code == NAVCTL_OK) code = world_walk_run(&r.walk, &visitor, "Reading");
    if (code == NAVCTL_OK) code = check_ids(&r);
    if (code == NAVCTL_OK) code = check_settings(&r);
    world_walk_close(&r.walk);
    for (int k = 0; k < 3; k++) free(r.ids[k]);
    free(r.meshes);
    scene_measure(&out->scene);
    if (code != NAVCTL_OK) world_scene_deinit(out);
    return code;
}

void world_scene_deinit(world_scene *w)
{
    scene_deinit(&w->scene);
    free(w->profiles);
    *w = (world_scene){.profiles = NULL};
}

const world_scene_profile *world_scene_find(const world_scene *w, const char *path, const char *name)
{
    for (uint32_t i = 0; i < w->profile_count; i++)
        if (!name || !strcmp(w->profiles[i].name, name)) return &w->profiles[i];
    if (name)
        fprintf(stderr, "navctl: %s: world %s has no agent profile %s\n", path, w->name, name);
    else
        fprintf(stderr, "navctl: %s: world %s has no agent profile\n", path, w->name);
    return NULL;
}
