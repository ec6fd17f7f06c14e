#include "clients/navctl/generate/scene_index.h"

#include "core/geometry/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct world_box {
    double min[3], max[3];
} world_box;

static void widen(world_box *box, float x, float y, float z)
{
    const double at[3] = {(double)x, (double)y, (double)z};
    for (int k = 0; k < 3; k++) {
        box->min[k] = fmin(box->min[k], at[k]);
        box->max[k] = fmax(box->max[k], at[k]);
    }
}

static nav_status insert(scene_index *s, nav_sheet sheet, uint64_t id, const world_box *box)
{
    double min[3], max[3];
    nav_sheet_box_to_frame(sheet, box->min, box->max, min, max);
    return nav_spatial_index_insert(&s->sheets[sheet], id, &(nav_box_xz){{min[0], min[2]}, {max[0], max[2]}});
}

static nav_status index_instances(scene_index *s, nav_sheet sheet)
{
    nav_status status = NAV_OK;
    for (uint32_t i = 0; i < s->scene->instance_count && status == NAV_OK; i++) {
        float min[3], max[3];
        if (!nav_instance_bounds(&s->instances[i], min, max)) continue;
        status = insert(s, sheet, i,
                        &(world_box){{(double)min[0], (double)min[1], (double)min[2]},
                                     {(double)max[0], (double)max[1], (double)max[2]}});
    }
    return status;
}

static nav_status index_shapes(scene_index *s, nav_sheet sheet)
{
    static const world_box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const scene *of = s->scene;
    nav_status status = NAV_OK;
    uint64_t id = of->instance_count;
    for (uint32_t i = 0; i < of->volume_count && status == NAV_OK; i++) {
        const nav_volume *v = &of->volumes[i];
        world_box box = nothing;
        for (uint32_t k = 0; k < v->point_count; k++) {
            widen(&box, v->points[2 * k], v->min_y, v->points[2 * k + 1]);
            widen(&box, v->points[2 * k], v->max_y, v->points[2 * k + 1]);
        }
        s->bounded |= v->include;
        status = insert(s, sheet, id++, &box);
    }
    for (uint32_t i = 0; i < of->link_count && status == NAV_OK; i++) {
        const float *start = of->links[i].start;
        world_box box = nothing;
        widen(&box, start[0], start[1], start[2]);
        status = insert(s, sheet, id++, &box);
    }
    return status;
}

static nav_status create_meshes(scene_index *s, const nav_parallel *parallel)
{
    const scene *of = s->scene;
    nav_status status = NAV_OK;
    for (uint32_t i = 0; i < of->mesh_count; i++) {
        const scene_mesh *m = &of->meshes[i];
        if (m->heights)
            status = nav_mesh_create_heights(m->heights, &s->meshes[i]);
        else
            status = nav_mesh_create_with_areas(parallel, m->verts, m->vert_count, m->tris, m->tri_count, m->areas,
                                                &s->meshes[i]);
        if (status != NAV_OK) return status;
        s->skipped += s->meshes[i]->skipped_count;
    }
    return status;
}

nav_status scene_index_init(scene_index *s, const scene *of, const nav_settings *settings, const nav_parallel *parallel)
{
    *s = (scene_index){.scene = of};
    s->meshes = calloc(of->mesh_count + (size_t)1, sizeof(nav_mesh *));
    s->instances = calloc(of->instance_count + (size_t)1, sizeof *s->instances);
    if (!s->meshes || !s->instances) return NAV_ERR_MEMORY;
    nav_status status = create_meshes(s, parallel);
    for (uint32_t i = 0; i < of->instance_count && status == NAV_OK; i++) {
        nav_instance *instance = &s->instances[i];
        *instance = (nav_instance){.mesh = s->meshes[of->instances[i].mesh], .area = of->instances[i].area};
        memcpy(instance->transform, of->instances[i].transform, sizeof instance->transform);
    }
    for (int sheet = 0; sheet < NAV_SHEET_COUNT && status == NAV_OK; sheet++) {
        if (!(settings->sheets >> sheet & 1)) continue;
        nav_spatial_index *index = &s->sheets[sheet];
        nav_spatial_index_init(index, (double)settings->cell_size_m * settings->tile_cells);
        status = nav_spatial_index_reserve(index, of->instance_count + of->volume_count + of->link_count);
        if (status == NAV_OK) status = index_instances(s, (nav_sheet)sheet);
        if (status == NAV_OK) status = index_shapes(s, (nav_sheet)sheet);
    }
    return status;
}

void scene_index_deinit(scene_index *s)
{
    for (uint32_t i = 0; s->meshes && i < s->scene->mesh_count; i++) nav_mesh_destroy(s->meshes[i]);
    for (int i = 0; i < NAV_SHEET_COUNT; i++) nav_spatial_index_deinit(&s->sheets[i]);
    free(s->meshes);
    free(s->instances);
    *s = (scene_index){0};
}

typedef struct finding {
    const scene_index *index;
    scene_near *near;
} finding;

static bool add_near(void *user, uint64_t id, const nav_box_xz *box)
{
    finding *f = user;
    const scene *s = f->index->scene;
    scene_near *near = f->near;
    (void)box;
    if (id < s->instance_count)
        near->status = nav_buffer_append(&near->instances, &f->index->instances[id], sizeof(nav_instance));
    else if ((id -= s->instance_count) < s->volume_count)
        near->status = nav_buffer_append(&near->volumes, &s->volumes[id], sizeof(nav_volume));
    else
        near->status = nav_buffer_append(&near->links, &s->links[id - s->volume_count], sizeof(nav_link));
    return near->status == NAV_OK;
}

nav_status scene_index_find(const scene_index *s, const nav_settings *settings, int32_t x, int32_t z, scene_near *near,
                            nav_tile_source *out)
{
    nav_box_xz box;
    finding f = {.index = s, .near = near};
    nav_tile_padded_bounds(settings, x, z, box.min, box.max);
    near->instances.size = near->volumes.size = near->links.size = 0;
    near->status = NAV_OK;
    nav_spatial_index_query(&s->sheets[settings->sheet], &box, add_near, &f);
    *out = (nav_tile_source){.settings = settings,
                             .tile_x = x,
                             .tile_z = z,
                             .instances = (const nav_instance *)(const void *)near->instances.data,
                             .instance_count = (uint32_t)(near->instances.size / sizeof(nav_instance)),
                             .volumes = (const nav_volume *)(const void *)near->volumes.data,
                             .volume_count = (uint32_t)(near->volumes.size / sizeof(nav_volume)),
                             .links = (const nav_link *)(const void *)near->links.data,
                             .link_count = (uint32_t)(near->links.size / sizeof(nav_link)),
                             .bounded = s->bounded};
    return near->status;
}

void scene_near_deinit(scene_near *n)
{
    nav_buffer_deinit(&n->instances);
    nav_buffer_deinit(&n->volumes);
    nav_buffer_deinit(&n->links);
    *n = (scene_near){0};
}

static void add_leaves(void *user, uint32_t first, unsigned which)
{
    (void)first;
    *(uint64_t *)user += (uint64_t)__builtin_popcount(which) * NAV_MESH_FANOUT;
}

// Where the mesh lies in the sheet's frame.
static void turn_transform(nav_sheet sheet, const float in[12], float out[12])
{
    for (int column = 0; column < 4; column++) {
        double at[3];
        for (int row = 0; row < 3; row++) at[row] = (double)in[4 * row + column];
        nav_sheet_to_frame(sheet, at, at);
        for (int row = 0; row < 3; row++) out[4 * row + column] = (float)at[row];
    }
}

uint64_t scene_index_cost(const nav_tile_source *source)
{
    uint64_t triangles = 0;
    double min[2], max[2];
    nav_tile_padded_bounds(source->settings, source->tile_x, source->tile_z, min, max);
    for (uint32_t i = 0; i < source->instance_count; i++) {
        float transform[12];
        turn_transform(source->settings->sheet, source->instances[i].transform, transform);
        nav_mesh_query(source->instances[i].mesh, transform, min, max, add_leaves, &triangles);
    }
    return triangles;
}
