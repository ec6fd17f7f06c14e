#include "tests/bench/tile_builder.h"
#include "clients/navctl/generate/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_near(void *user, uint64_t id, const nav_box_xz *box)
{
    tile_builder *b = user;
    (void)box;
    b->near[b->near_count++] = b->instances[id];
    return true;
}

static nav_status prepare(tile_builder *b, const scene *s)
{
    b->meshes = calloc(s->mesh_count, sizeof(nav_mesh *));
    b->instances = calloc(s->instance_count, sizeof *b->instances);
    b->near = calloc(s->instance_count, sizeof *b->near);
    if (!b->meshes || !b->instances || !b->near) return NAV_ERR_MEMORY;
    b->mesh_count = s->mesh_count;
    for (uint32_t i = 0; i < s->mesh_count; i++) {
        const scene_mesh *m = &s->meshes[i];
        nav_status status = nav_mesh_create(m->verts, m->vert_count, m->tris, m->tri_count, &b->meshes[i]);
        if (status != NAV_OK) return status;
    }
    for (uint32_t i = 0; i < s->instance_count; i++) {
        float min[3], max[3];
        b->instances[i] = (nav_instance){.mesh = b->meshes[s->instances[i].mesh], .area = s->instances[i].area};
        memcpy(b->instances[i].transform, s->instances[i].transform, sizeof b->instances[i].transform);
        if (!nav_instance_bounds(&b->instances[i], min, max)) continue;
        const double world_min[3] = {(double)min[0], (double)min[1], (double)min[2]};
        const double world_max[3] = {(double)max[0], (double)max[1], (double)max[2]};
        double low[3], high[3];
        nav_sheet_box_to_frame(b->settings->sheet, world_min, world_max, low, high);
        nav_box_xz box = {{low[0], low[2]}, {high[0], high[2]}};
        nav_status status = nav_spatial_index_insert(&b->index, i, &box);
        if (status != NAV_OK) return status;
    }
    return NAV_OK;
}

bool tile_builder_init(tile_builder *b, const scene *s, const nav_settings *settings)
{
    *b = (tile_builder){.settings = settings};
    nav_arena_init(&b->arena, 0);
    nav_spatial_index_init(&b->index, (double)settings->cell_size_m * settings->tile_cells);
    nav_status status = sheet_grid_of(s, settings, b->first, b->count) ? prepare(b, s) : NAV_ERR_LIMIT;
    if (status != NAV_OK) fprintf(stderr, "bench: tiles: %s\n", nav_status_text(status));
    return status == NAV_OK;
}

void tile_builder_deinit(tile_builder *b)
{
    for (uint32_t i = 0; i < b->mesh_count; i++) nav_mesh_destroy(b->meshes[i]);
    nav_spatial_index_deinit(&b->index);
    nav_arena_deinit(&b->arena);
    free(b->meshes);
    free(b->instances);
    free(b->near);
    *b = (tile_builder){0};
}

nav_status tile_builder_build(tile_builder *b, int32_t x, int32_t z, const nav_hooks *hooks, nav_tile *out)
{
    nav_box_xz box;
    int32_t tile_x = b->first[0] + x, tile_z = b->first[1] + z;
    nav_tile_padded_bounds(b->settings, tile_x, tile_z, box.min, box.max);
    b->near_count = 0;
    nav_spatial_index_query(&b->index, &box, add_near, b);
    const nav_tile_source source = {.settings = b->settings,
                                    .tile_x = tile_x,
                                    .tile_z = tile_z,
                                    .instances = b->near,
                                    .instance_count = b->near_count};
    nav_arena_reset(&b->arena);
    return nav_build_tile(&source, NULL, hooks, &b->arena, out);
}
