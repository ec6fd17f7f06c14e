// Volumes and links say where they are, instances only once their mesh is known: so each mesh of the world is read
// once, and kept no longer than it takes to find its triangles near the tile.
//
// What can be reached depends on the whole world. The file says it of this tile alone: a seed on each piece of ground
// that the daemon's tile shows as reached.
#include "clients/navctl/world_file/tile_dump.h"
#include "clients/c/convert.h"
#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/generate/generate.h"
#include "clients/navctl/output/progress.h"
#include "clients/navctl/remote/remote.h"
#include "clients/navctl/remote/remote_areas.h"
#include "clients/navctl/remote/world_objects.h"
#include "clients/navctl/world_file/world_put.h"
#include "clients/navctl/world_file/world_scene.h"
#include "core/tile/tile_format.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct placed {
    uint64_t id;
    navd_key mesh;
    float transform[12];
    uint8_t area;
} placed;

typedef struct dumping {
    navd_client *client;
    const tile_dump_request *request;
    tile_dump *out;
    navd_world world;
    navd_profile *profile;
    nav_settings settings;
    nav_area_table areas;
    double min[2], max[2]; // padded bounds, in the sheet's frame
    navd_reach_report *reach;
    navd_reach goal; // of the file
    float seeds[NAVD_MAX_SEEDS][3];
    nav_buffer tile; // the daemon's, at revision 0

    nav_buffer instances; // placed: all of the world
    nav_buffer shapes;    // navd_operation: volumes and links near the tile
    nav_key *written;     // meshes in the file
    world_put put;
} dumping;

static int no_memory(void)
{
    fprintf(stderr, "navctl: no memory left\n");
    return NAVCTL_FAILED;
}

static int no_process(void)
{
    fprintf(stderr, "navctl: no process to build the tile in: %s\n", strerror(errno));
    return NAVCTL_FAILED;
}

static int appended(nav_status s)
{
    return s == NAV_OK ? NAVCTL_OK : no_memory();
}

// --- what stands in the world ---

static int begin_objects(void *user)
{
    dumping *d = user;
    d->instances.size = d->shapes.size = 0;
    d->out->volumes = d->out->links = 0;
    return NAVCTL_OK;
}

static int take_objects(void *user, const navd_objects *page)
{
    dumping *d = user;
    int code = NAVCTL_OK;
    for (size_t i = 0; i < page->count && code == NAVCTL_OK; i++) {
        const navd_operation *o = &page->objects[i];
        np_op op;
        navd_operation_to_wire(o, &op);
        if (op.kind == NP_OP_PUT_INSTANCE) {
            placed p = {.id = o->id, .mesh = o->u.instance.mesh, .area = o->u.instance.area};
            memcpy(p.transform, o->u.instance.transform, sizeof p.transform);
            code = appended(nav_buffer_append(&d->instances, &p, sizeof p));
            continue;
        }
        bool is_volume = op.kind == NP_OP_PUT_VOLUME;
        bool near = is_volume ? nav_volume_touches_tile(&op.u.volume, d->request->sheet, d->min, d->max)
                              : nav_link_in_tile(&op.u.link, &d->settings, d->request->x, d->request->z);
        if (!near) continue;
        d->out->volumes += is_volume;
        d->out->links += !is_volume;
        code = appended(nav_buffer_append(&d->shapes, o, sizeof *o));
    }
    return code;
}

// --- meshes ---

// May a triangle of the instance touch the padded bounds? Rounding is allowed for; what is no number touches.
static bool touches(const dumping *d, const placed *p, const navd_mesh *m, const uint32_t *tri)
{
    int below[2] = {0, 0}, above[2] = {0, 0};
    for (int c = 0; c < 3; c++) {
        const float *v = m->vertices + 3 * (size_t)tri[c];
        double at[3];
        for (int k = 0; k < 3; k++) {
            const float *row = p->transform + 4 * k;
            at[k] = (double)row[0] * (double)v[0] + (double)row[1] * (double)v[1] + (double)row[2] * (double)v[2] +
                    (double)row[3];
        }
        nav_sheet_to_frame(d->request->sheet, at, at);
        for (int axis = 0; axis < 2; axis++) {
            double slack = (double)d->settings.cell_size_m + 1e-6 * fmax(fabs(d->min[axis]), fabs(d->max[axis]));
            below[axis] += at[2 * axis] < d->min[axis] - slack;
            above[axis] += at[2 * axis] > d->max[axis] + slack;
        }
    }
    return below[0] < 3 && below[1] < 3 && above[0] < 3 && above[1] < 3;
}

// The same of the box around a height grid.
static bool box_touches(const dumping *d, const placed *p, const navd_heights *h)
{
    const nav_heights_spec spec = navd_heights_to_core(h);
    nav_mesh *mesh;
    float min[3], max[3];
    if (nav_mesh_create_heights(&spec, &mesh) != NAV_OK) return true;
    nav_instance in = {.mesh = mesh};
    memcpy(in.transform, p->transform, sizeof in.transform);
    bool near = nav_instance_bounds(&in, min, max);
    if (near) {
        double low[3], high[3];
        for (int k = 0; k < 3; k++) low[k] = (double)min[k], high[k] = (double)max[k];
        nav_sheet_box_to_frame(d->request->sheet, low, high, low, high);
        for (int axis = 0; axis < 2; axis++)
            near = near && low[2 * axis] <= d->max[axis] && high[2 * axis] >= d->min[axis];
    }
    nav_mesh_destroy(mesh);
    return near;
}

static bool has_corners(const navd_mesh *m, const uint32_t *tri)
{
    return tri[0] < m->vertex_count && tri[1] < m->vertex_count && tri[2] < m->vertex_count;
}

// Moves the triangles that are wanted to the front, with their areas, and their vertices; the order stays. areas: NULL
// where it has none.
static bool cut_mesh(navd_mesh *m, float *verts, uint32_t *tris, uint8_t *areas, const bool *wanted)
{
    uint32_t *number = malloc(((size_t)m->vertex_count + 1) * sizeof *number), kept = 0, kept_verts = 0;
    if (!number) return false;
    memset(number, 0, ((size_t)m->vertex_count + 1) * sizeof *number);
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        if (!wanted[t]) continue;
        for (int c = 0; c < 3; c++) {
            number[tris[3 * (size_t)t + (size_t)c]] = 1;
            tris[3 * (size_t)kept + (size_t)c] = tris[3 * (size_t)t + (size_t)c];
        }
        if (areas) areas[kept] = areas[t];
        kept++;
    }
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        if (!number[v]) continue;
        memmove(verts + 3 * (size_t)kept_verts, verts + 3 * (size_t)v, 3 * sizeof *verts);
        number[v] = kept_verts++;
    }
    for (size_t k = 0; k < 3 * (size_t)kept; k++) tris[k] = number[tris[k]];
    free(number);
    m->vertex_count = kept_verts;
    m->triangle_count = kept;
    return true;
}

// Cut meshes may have become the same.
static int put_mesh_once(dumping *d, const navd_mesh *m, nav_key key)
{
    for (uint32_t i = 0; i < d->out->meshes; i++)
        if (nav_key_equal(d->written[i], key)) return NAVCTL_OK;
    nav_key *grown = realloc(d->written, ((size_t)d->out->meshes + 1) * sizeof *grown);
    if (!grown) return no_memory();
    d->written = grown;
    grown[d->out->meshes++] = key;
    d->out->triangles += m->triangle_count;
    return world_put_mesh(&d->put, key, m);
}

// A mesh, and those of its instances that have triangles near the tile.
static int put_instances(dumping *d, const placed *list, size_t count, navd_mesh_data *data)
{
    navd_mesh m = data->mesh;
    bool *wanted = calloc((size_t)m.triangle_count + 1, sizeof *wanted), *near = calloc(count, sizeof *near),
         any = false;
    int code = wanted && near ? NAVCTL_OK : no_memory();
    for (size_t i = 0; i < count && code == NAVCTL_OK; i++) {
        if (m.heights) near[i] = box_touches(d, &list[i], m.heights);
        any |= near[i];
        for (uint32_t t = 0; t < m.triangle_count; t++) {
            const uint32_t *tri = m.triangles + 3 * (size_t)t;
            if (!has_corners(&m, tri) || !touches(d, &list[i], &m, tri)) continue;
            wanted[t] = near[i] = any = true;
        }
    }
    if (code == NAVCTL_OK && any) {
        nav_key key = nav_key_load(list[0].mesh.bytes);
        if (m.heights) m.triangle_count = 2 * (m.heights->columns - 1) * (m.heights->rows - 1);
        d->out->all_triangles += m.triangle_count;
        // The mesh is this function's alone: what is borrowed from it may be changed.
        if (!d->request->whole_meshes && !m.heights) {
            if (!cut_mesh(&m, (float *)(uintptr_t)m.vertices, (uint32_t *)(uintptr_t)m.triangles,
                          (uint8_t *)(uintptr_t)m.areas, wanted))
                code = no_memory();
            key = navd_mesh_key(&m);
        }
        if (code == NAVCTL_OK) code = put_mesh_once(d, &m, key);
        for (size_t i = 0; i < count && code == NAVCTL_OK; i++) {
            if (!near[i]) continue;
            navd_operation o = {.kind = NAVD_PUT_INSTANCE, .id = list[i].id, .u.instance.area = list[i].area};
            nav_key_store(key, o.u.instance.mesh.bytes);
            memcpy(o.u.instance.transform, list[i].transform, sizeof o.u.instance.transform);
            code = world_put_objects(&d->put, &o, 1);
            d->out->instances++;
        }
    }
    free(wanted);
    free(near);
    return code;
}

static int compare_placed(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    int by_mesh = memcmp(&x->mesh, &y->mesh, sizeof x->mesh);
    return by_mesh ? by_mesh : (x->id > y->id) - (x->id < y->id);
}

static int put_meshes(dumping *d)
{
    placed *all = (placed *)(void *)d->instances.data;
    size_t count = d->instances.size / sizeof *all;
    int code = NAVCTL_OK;
    progress bar;
    if (count) qsort(all, count, sizeof *all, compare_placed);
    progress_begin(&bar, "Meshes");
    for (size_t first = 0, end; first < count && code == NAVCTL_OK; first = end) {
        navd_mesh_data data;
        for (end = first + 1; end < count && !memcmp(&all[end].mesh, &all[first].mesh, sizeof all->mesh);) end++;
        code = world_objects_mesh(d->client, d->request->world, all[first].mesh, &data);
        if (code != NAVCTL_OK) break;
        code = put_instances(d, all + first, end - first, &data);
        navd_mesh_data_free(&data);
        progress_update(&bar, end, count);
    }
    progress_end(&bar);
    return code;
}

// --- the daemon's tile ---

static void take_tile(void *user, const navd_tile *t)
{
    dumping *d = user;
    d->out->status = t->status;
    d->out->tile_revision = t->revision;
    snprintf(d->out->reason, sizeof d->out->reason, "%s", t->status == NAVD_TILE_FAILED ? t->reason : "");
    d->tile.size = 0;
    if (t->size && nav_buffer_append(&d->tile, t->data, t->size) == NAV_OK &&
        nav_tile_set_revision(d->tile.data, d->tile.size, 0) == NAV_OK)
        d->out->daemon_hash = nav_key_of(d->tile.data, d->tile.size);
}

static int read_tile(dumping *d)
{
    const int32_t at[1][2] = {{d->request->x, d->request->z}};
    navd_tile_story story;
    const navd_sheet sheet = (navd_sheet)d->request->sheet;
    navd_status s =
        navd_tiles_get_of(d->client, d->world.id, d->profile->name, sheet, NAVD_ENCODING_NAVD, at, 1, take_tile, d);
    if (s != NAVD_OK) return remote_failed(d->client, s, d->request->world);
    s = navd_tile_why_of(d->client, d->world.id, d->profile->name, sheet, at[0][0], at[0][1], &story);
    d->out->state = s == NAVD_OK ? story.state : "";
    return s == NAVD_OK || s == NAVD_ERR_NOT_FOUND ? NAVCTL_OK : remote_failed(d->client, s, d->request->world);
}

// The middle of a cell's first triangle.
static void place_on(const nav_tile_view *v, const nav_tile_cell *cell, float out[3])
{
    uint32_t corners[3];
    nav_tile_get_triangle(v, cell->first_triangle, corners);
    memset(out, 0, 3 * sizeof *out);
    for (int c = 0; c < 3; c++) {
        float at[3];
        nav_tile_get_place(v, corners[c], at);
        for (int k = 0; k < 3; k++) out[k] += at[k] / 3;
    }
}

// A seed on each connected piece of ground that is not marked as unreachable.
static int seed_pieces(dumping *d, const nav_tile_view *v)
{
    uint32_t *queue = malloc(((size_t)v->cell_count + 1) * sizeof *queue);
    bool *seen = calloc((size_t)v->cell_count + 1, sizeof *seen);
    int code = queue && seen ? NAVCTL_OK : no_memory();
    for (uint32_t start = 0; start < v->cell_count && code == NAVCTL_OK; start++) {
        nav_tile_cell cell;
        uint32_t count = 0;
        nav_tile_get_cell(v, start, &cell);
        if (seen[start] || cell.flags & NAV_CELL_UNREACHABLE) continue;
        d->out->seeds_cut |= d->goal.seed_count == NAVD_MAX_SEEDS;
        if (d->out->seeds_cut) break;
        place_on(v, &cell, d->seeds[d->goal.seed_count++]);
        seen[start] = true;
        queue[count++] = start;
        while (count) {
            nav_tile_get_cell(v, queue[--count], &cell);
            for (uint32_t k = 0; k < cell.corner_count; k++) {
                nav_tile_corner corner;
                nav_tile_get_corner(v, cell.first_corner + k, &corner);
                if (corner.behind < 0 || seen[corner.behind]) continue;
                seen[corner.behind] = true;
                queue[count++] = (uint32_t)corner.behind;
            }
        }
    }
    free(queue);
    free(seen);
    return code;
}

static int choose_goal(dumping *d)
{
    nav_tile_view v;
    char why[200];
    d->goal = d->reach->reach;
    bool has_tile = d->out->status == NAVD_TILE_OK || d->out->status == NAVD_TILE_EMPTY;
    if (d->goal.unreachable == NAVD_UNREACHABLE_KEEP || !has_tile) return NAVCTL_OK;
    d->goal = (navd_reach){.unreachable = d->goal.unreachable, .seeds = (const float(*)[3])d->seeds};
    if (d->tile.size) {
        if (nav_tile_open(d->tile.data, d->tile.size, &v, why, sizeof why) != NAV_OK) {
            fprintf(stderr, "navctl: the daemon's tile is no tile: %s\n", why);
            return NAVCTL_FAILED;
        }
        int code = seed_pieces(d, &v);
        if (code != NAVCTL_OK) return code;
    }
    if (!d->goal.seed_count) d->goal.island_min_area_m2 = 1e12; // none of it is reached
    return NAVCTL_OK;
}

// --- the file ---

static int write_file(dumping *d)
{
    navd_world world = d->world; // with the one profile
    world.profiles = d->profile;
    world.profile_count = 1;
    world.build = NAVD_BUILD_ALL;
    int code = world_put_begin(&d->put, d->out->path, d->request->world, &world, &d->goal, &d->areas);
    if (code == NAVCTL_OK) code = put_meshes(d);
    if (code == NAVCTL_OK)
        code = world_put_objects(&d->put, (const navd_operation *)(const void *)d->shapes.data,
                                 d->shapes.size / sizeof(navd_operation));
    if (code == NAVCTL_OK) code = world_put_commit(&d->put);
    d->out->file_bytes = d->put.file_bytes;
    return code;
}

// One tile is made of each sheet. NULL: the agent does not stand on this one.
static const generated_tile *tile_of(const generated *g, nav_sheet sheet)
{
    for (uint32_t i = 0; i < g->grids.count; i++)
        if (g->grids.grids[i].sheet == sheet) return &g->tiles[g->grids.grids[i].place];
    return NULL;
}

// Builds the tile from the file, as anybody will.
static int build_here(dumping *d)
{
    world_scene w;
    generated g = {0};
    int code = world_scene_read(d->out->path, &w);
    if (code != NAVCTL_OK) return code;
    generate_options options = {.settings = w.profiles[0].settings,
                                .threads = 1,
                                .encoding = GENERATE_NAVD,
                                .only_tile = true,
                                .tile = {d->request->x, d->request->z},
                                .goal = w.goal,
                                .unreachable = w.unreachable};
    nav_area_table_apply(&w.areas, &options.settings);
    const generated_tile *t = generate(&w.scene, &options, &g) ? tile_of(&g, d->request->sheet) : NULL;
    if (!t) {
        code = NAVCTL_FAILED;
    } else if (d->out->status != NAVD_TILE_OK && d->out->status != NAVD_TILE_EMPTY) {
        d->out->verdict = TILE_DUMP_NO_TILE;
    } else {
        bool same =
            t->status == NAV_OK && t->size == d->tile.size && (!t->size || !memcmp(t->bytes, d->tile.data, t->size));
        d->out->verdict = same ? TILE_DUMP_SAME : TILE_DUMP_OTHER;
    }
    if (t && t->size) d->out->own_hash = nav_key_of(t->bytes, t->size);
    generated_deinit(&g);
    world_scene_deinit(&w);
    return code;
}

typedef struct built_here {
    int code;
    tile_dump_verdict verdict;
    nav_key own_hash;
} built_here;

// In a process of its own: the tile may be one that crashes the generator.
static int compare(dumping *d)
{
    built_here b;
    int ends[2], status;
    if (pipe(ends)) return no_process();
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        b.code = build_here(d);
        b.verdict = d->out->verdict;
        b.own_hash = d->out->own_hash;
        fflush(stderr);
        _exit(write(ends[1], &b, sizeof b) != sizeof b);
    }
    close(ends[1]);
    bool came = child > 0 && read(ends[0], &b, sizeof b) == sizeof b;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child) return no_process();
    if (!came) {
        d->out->verdict = TILE_DUMP_CRASHES;
        d->out->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        return NAVCTL_OK;
    }
    d->out->verdict = b.verdict;
    d->out->own_hash = b.own_hash;
    return b.code;
}

// Where the user names no file: a name for a file here, whatever is in the world's name.
static void choose_path(const tile_dump_request *r, tile_dump *out)
{
    if (r->path) {
        snprintf(out->path, sizeof out->path, "%s", r->path);
        return;
    }
    bool is_up = r->sheet == NAV_SHEET_UP;
    snprintf(out->path, sizeof out->path, "%s%s%s-%d-%d.navdworld", r->world, is_up ? "" : "-",
             is_up ? "" : nav_sheet_name(r->sheet), r->x, r->z);
    for (char *p = out->path; *p; p++)
        if (*p == '/' || (p == out->path && *p == '.') || (unsigned char)*p < ' ') *p = '_';
}

static navd_profile *find_profile(const navd_world *w, const char *name)
{
    for (size_t i = 0; i < w->profile_count; i++)
        if (!strcmp(w->profiles[i].name, name)) return &w->profiles[i];
    return NULL;
}

int tile_dump_write(navd_client *c, const tile_dump_request *request, tile_dump *out)
{
    dumping d = {.client = c, .request = request, .out = out};
    const world_taker taker = {.user = &d, .begin = begin_objects, .page = take_objects};
    const char *profile = request->profile;
    *out = (tile_dump){.state = "", .status = NAVD_TILE_PENDING};
    choose_path(request, out);
    int code = remote_world(c, request->world, &d.world, &profile);
    if (code != NAVCTL_OK) return code;
    d.profile = find_profile(&d.world, profile);
    snprintf(out->profile, sizeof out->profile, "%s", profile);
    navd_settings_to_core(&d.profile->settings, d.world.origin_m, &d.settings);
    d.settings.sheet = request->sheet;
    nav_tile_padded_bounds(&d.settings, request->x, request->z, d.min, d.max);
    navd_status s = navd_world_reach(c, d.world.id, &d.reach);
    if (s != NAVD_OK) code = remote_failed(c, s, request->world);
    if (code == NAVCTL_OK) code = world_objects_read(c, request->world, d.world.id, &taker, &out->revision);
    if (code == NAVCTL_OK) code = remote_areas(c, request->world, d.world.id, &d.areas, NULL);
    if (code == NAVCTL_OK) code = read_tile(&d);
    if (code == NAVCTL_OK) code = choose_goal(&d);
    if (code == NAVCTL_OK) code = write_file(&d);
    if (code == NAVCTL_OK) code = compare(&d);
    world_put_deinit(&d.put);
    nav_buffer_deinit(&d.tile);
    nav_buffer_deinit(&d.instances);
    nav_buffer_deinit(&d.shapes);
    navd_world_free(&d.world);
    navd_reach_report_free(d.reach);
    free(d.written);
    return code;
}
