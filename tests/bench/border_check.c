#include "tests/bench/border_check.h"
#include "clients/navctl/generate.h"
#include "core/geometry/spatial_index.h"
#include "tests/core/borders.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ground {
    const nav_settings *settings;
    nav_mesh **meshes;
    nav_instance *instances, *near;
    uint32_t near_count;
    nav_spatial_index index;
} ground;

static bool add_near(void *user, uint64_t id, const nav_box_xz *box)
{
    ground *g = user;
    (void)box;
    g->near[g->near_count++] = g->instances[id];
    return true;
}

static nav_status prepare(ground *g, const scene *s)
{
    g->meshes = calloc(s->mesh_count, sizeof(nav_mesh *));
    g->instances = calloc(s->instance_count, sizeof *g->instances);
    g->near = calloc(s->instance_count, sizeof *g->near);
    if (!g->meshes || !g->instances || !g->near) return NAV_ERR_MEMORY;
    nav_spatial_index_init(&g->index, (double)g->settings->cell_size_m * g->settings->tile_cells);
    for (uint32_t i = 0; i < s->mesh_count; i++) {
        const scene_mesh *m = &s->meshes[i];
        nav_status status = nav_mesh_create(m->verts, m->vert_count, m->tris, m->tri_count, &g->meshes[i]);
        if (status != NAV_OK) return status;
    }
    for (uint32_t i = 0; i < s->instance_count; i++) {
        float min[3], max[3];
        g->instances[i] = (nav_instance){.mesh = g->meshes[s->instances[i].mesh], .area = NAV_AREA_DEFAULT};
        memcpy(g->instances[i].transform, s->instances[i].transform, sizeof g->instances[i].transform);
        if (!nav_instance_bounds(&g->instances[i], min, max)) continue;
        nav_box_xz box = {{(double)min[0], (double)min[2]}, {(double)max[0], (double)max[2]}};
        nav_status status = nav_spatial_index_insert(&g->index, i, &box);
        if (status != NAV_OK) return status;
    }
    return NAV_OK;
}

static nav_status build(ground *g, int32_t x, int32_t z, nav_arena *arena, nav_tile *out)
{
    nav_box_xz box;
    nav_tile_padded_bounds(g->settings, x, z, box.min, box.max);
    g->near_count = 0;
    nav_spatial_index_query(&g->index, &box, add_near, g);
    const nav_tile_source source = {
        .settings = g->settings, .tile_x = x, .tile_z = z, .instances = g->near, .instance_count = g->near_count};
    nav_arena_reset(arena);
    return nav_build_tile(&source, NULL, NULL, arena, out);
}

static void compare(border_report *out, border_line *low_side, border_line *high_side)
{
    out->pairs++;
    out->points += (uint64_t)(low_side->count + high_side->count);
    out->different += (uint64_t)border_difference(low_side, high_side);
    border_line_free(low_side);
    border_line_free(high_side);
}

// Row by row; what a later tile will be compared with is kept: the right side of the tile before, and the far sides of
// the row before.
static void walk(ground *g, const int32_t first[2], const int32_t count[2], border_line *above, border_report *out)
{
    nav_arena arena;
    nav_arena_init(&arena, 0);
    for (int32_t z = 0; z < count[1]; z++) {
        border_line left = {0};
        for (int32_t x = 0; x < count[0]; x++) {
            nav_tile tile = {0};
            if (build(g, first[0] + x, first[1] + z, &arena, &tile) != NAV_OK) {
                out->failed_tiles++;
                tile = (nav_tile){0};
            }
            border_line xmin = border_line_of(&tile, NAV_EDGE_PORTAL_XMIN);
            border_line zmin = border_line_of(&tile, NAV_EDGE_PORTAL_ZMIN);
            if (x)
                compare(out, &left, &xmin);
            else
                border_line_free(&xmin);
            if (z)
                compare(out, &above[x], &zmin);
            else
                border_line_free(&zmin);
            left = border_line_of(&tile, NAV_EDGE_PORTAL_XMAX);
            above[x] = border_line_of(&tile, NAV_EDGE_PORTAL_ZMAX);
        }
        border_line_free(&left);
    }
    out->arena_peak_bytes = arena.peak_bytes;
    nav_arena_deinit(&arena);
}

bool border_check(const scene *s, const nav_settings *settings, border_report *out)
{
    ground g = {.settings = settings};
    int32_t first[2], count[2];
    border_line *above = NULL;
    *out = (border_report){0};
    nav_status status = generate_grid(s, settings, first, count) ? prepare(&g, s) : NAV_ERR_LIMIT;
    if (status == NAV_OK && !(above = calloc((size_t)count[0], sizeof *above))) status = NAV_ERR_MEMORY;
    if (status == NAV_OK)
        walk(&g, first, count, above, out);
    else
        fprintf(stderr, "bench: borders: %s\n", nav_status_text(status));
    for (int32_t x = 0; above && x < count[0]; x++) border_line_free(&above[x]);
    free(above);
    nav_spatial_index_deinit(&g.index);
    for (uint32_t i = 0; g.meshes && i < s->mesh_count; i++) nav_mesh_destroy(g.meshes[i]);
    free(g.meshes);
    free(g.instances);
    free(g.near);
    return status == NAV_OK;
}
