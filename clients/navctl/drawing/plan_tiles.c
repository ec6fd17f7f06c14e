#include "clients/navctl/drawing/plan_tiles.h"

#include <stdlib.h>
#include <string.h>

bool plan_tiles_init(plan_tiles *p, uint64_t count)
{
    *p = (plan_tiles){.tiles = calloc(count ? count : 1, sizeof *p->tiles), .count = count};
    return p->tiles != NULL;
}

void plan_tiles_deinit(plan_tiles *p)
{
    for (uint64_t i = 0; p->tiles && i < p->count; i++) {
        draw_mesh_deinit(&p->tiles[i].mesh);
        nav_buffer_deinit(&p->tiles[i].encoded);
        plan_columns_deinit(&p->tiles[i].columns);
    }
    free(p->tiles);
    *p = (plan_tiles){0};
}

static bool has_corner(const draw_mesh *m, const float at[3])
{
    for (uint32_t k = 0; k < m->corner_count; k++)
        if (!memcmp(m->corners + 3 * (size_t)k, at, 3 * sizeof *at)) return true;
    return false;
}

// A tile that was masked has no contours any more; its notches are those of before, on the ground
// left.
static void keep_notches(draw_mesh *m, draw_mesh *before)
{
    m->notches = before->notches;
    m->notch_capacity = before->notch_capacity;
    for (uint32_t i = 0; i < before->notch_count; i++) {
        const float *at = before->notches + 3 * (size_t)i;
        if (has_corner(m, at)) memmove(m->notches + 3 * (size_t)m->notch_count++, at, 3 * sizeof *at);
    }
    m->layer_count = m->cell_count ? before->layer_count : 0;
    m->has_regions = before->has_regions;
    before->notches = NULL;
}

nav_status plan_tiles_take(void *user, uint64_t place, const nav_tile *tile)
{
    plan_tile *t = &((plan_tiles *)user)->tiles[place];
    draw_mesh before = t->mesh;
    draw_mesh_init(&t->mesh);
    t->encoded.size = 0;
    nav_status s = draw_mesh_add_built(&t->mesh, tile);
    if (!tile->contours.loop_count) keep_notches(&t->mesh, &before);
    draw_mesh_deinit(&before);
    if (s == NAV_OK && tile->polygons.cell_count) s = nav_tile_encode(tile, &t->encoded);
    return s;
}

nav_status plan_tiles_take_stage(void *user, uint64_t place, nav_stage s, const nav_made *made, nav_arena *scratch)
{
    return plan_columns_take(&((plan_tiles *)user)->tiles[place].columns, s, made, scratch);
}

nav_status plan_tiles_join(const plan_tiles *p, draw_mesh *out, char *why, size_t why_bytes)
{
    uint32_t count = 0;
    nav_tile_view *views = malloc(sizeof *views * (p->count + 1));
    nav_status s = views ? NAV_OK : NAV_ERR_MEMORY;
    for (uint64_t i = 0; i < p->count && s == NAV_OK; i++) {
        const plan_tile *t = &p->tiles[i];
        s = draw_mesh_append(out, &t->mesh);
        if (s == NAV_OK && t->encoded.size)
            s = nav_tile_open(t->encoded.data, t->encoded.size, &views[count++], why, why_bytes);
    }
    if (s == NAV_OK) s = draw_mesh_add_graph(out, views, count, why, why_bytes);
    free(views);
    return s;
}

nav_status plan_tiles_join_cells(const plan_tiles *p, draw_mesh *out, char *why, size_t why_bytes)
{
    nav_status s = NAV_OK;
    for (uint64_t i = 0; i < p->count && s == NAV_OK; i++) {
        const nav_buffer *b = &p->tiles[i].encoded;
        if (b->size) s = draw_mesh_add_navd(out, b->data, b->size, why, why_bytes);
    }
    return s;
}
