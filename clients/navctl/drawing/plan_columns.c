#include "clients/navctl/drawing/plan_columns.h"

#include <stdlib.h>
#include <string.h>

void plan_columns_deinit(plan_columns *c)
{
    free(c->columns);
    free(c->lines);
    *c = (plan_columns){.side = 0};
}

static nav_status begin(plan_columns *c, const nav_config *cfg)
{
    plan_columns_deinit(c);
    c->columns = calloc((size_t)cfg->tile_columns * (size_t)cfg->tile_columns, sizeof *c->columns);
    if (!c->columns) return NAV_ERR_MEMORY;
    c->side = cfg->tile_columns;
    c->first_x = cfg->first_column_x + cfg->border;
    c->first_z = cfg->first_column_z + cfg->border;
    c->origin_x = (float)cfg->origin_m[0];
    c->origin_y = (float)cfg->origin_m[1];
    c->origin_z = (float)cfg->origin_m[2];
    c->cell_m = (float)cfg->cell_size_m;
    c->cell_height_m = (float)cfg->cell_height_m;
    return NAV_OK;
}

// The column of the picture that a column of the padded grid is; NULL for those of the padding.
static plan_column *own_column(const plan_columns *c, const nav_config *cfg, int32_t column)
{
    int32_t x = column % cfg->width - cfg->border, z = column / cfg->width - cfg->border;
    bool own = x >= 0 && z >= 0 && x < c->side && z < c->side;
    return own ? &c->columns[(size_t)z * (size_t)c->side + (size_t)x] : NULL;
}

static nav_status take_heightfield(plan_columns *c, const nav_made *made, nav_arena *scratch)
{
    nav_heightfield f;
    nav_status s = nav_voxels_as_heightfield(made->voxels, made->config, scratch, &f);
    for (int32_t i = 0; s == NAV_OK && i < f.width * f.width; i++) {
        plan_column *p = own_column(c, made->config, i);
        int32_t end = f.column_first[i + 1];
        if (p && end > f.column_first[i]) *p = (plan_column){.ground = PLAN_GROUND_SOLID, .height = f.top[end - 1]};
    }
    return s;
}

// Floors that are left, or that are there before volumes and erosion; spans of a column are sorted upwards.
static void take_floors(plan_columns *c, const nav_config *cfg, const nav_compact_heightfield *f, plan_ground ground)
{
    for (int32_t i = 0; i < f->width * f->width; i++) {
        plan_column *p = own_column(c, cfg, i);
        int32_t first = f->column_first[i], end = f->column_first[i + 1];
        if (!p || first == end) continue;
        p->ground = (uint8_t)ground;
        p->height = f->floor[end - 1];
        if (ground == PLAN_GROUND_FLOOR) p->floors = (uint8_t)(end - first < 255 ? end - first : 255);
    }
}

static nav_status take_compact(plan_columns *c, const nav_made *made, nav_arena *scratch)
{
    nav_compact_heightfield f;
    nav_status s = nav_voxels_as_compact(made->voxels, made->field, made->config, scratch, &f);
    if (s == NAV_OK && f.span_count) take_floors(c, made->config, &f, PLAN_GROUND_TAKEN);
    return s;
}

static nav_status take_regions(plan_columns *c, const nav_made *made, nav_arena *scratch)
{
    nav_compact_heightfield f = *made->field;
    nav_status s = f.distance ? NAV_OK : nav_compact_measure(&f, scratch);
    c->regions = made->regions->count;
    for (int32_t i = 0; s == NAV_OK && i < f.width * f.width; i++) {
        plan_column *p = own_column(c, made->config, i);
        int32_t first = f.column_first[i], end = f.column_first[i + 1];
        if (!p || first == end) continue;
        p->distance = f.distance[end - 1];
        p->region = made->regions->id[end - 1] > 0 ? made->regions->id[end - 1] : 0;
    }
    return s;
}

static void place(const nav_made *made, int32_t v, float out[3])
{
    const nav_config *cfg = made->config;
    const nav_contours *c = made->contours;
    double x = (double)cfg->tile_x * cfg->tile_units + c->x[v], z = (double)cfg->tile_z * cfg->tile_units + c->z[v];
    out[0] = (float)(cfg->origin_m[0] + x * cfg->unit_size_m);
    out[1] = (float)(cfg->origin_m[1] + c->y[v] * cfg->cell_height_m);
    out[2] = (float)(cfg->origin_m[2] + z * cfg->unit_size_m);
}

// Of the last stage that made any: true outlines take the place of the contours that they were made from.
static nav_status take_contours(plan_columns *c, const nav_made *made)
{
    const nav_contours *in = made->contours;
    free(c->lines);
    c->line_count = 0;
    c->lines = malloc(((size_t)in->vert_count + 1) * sizeof *c->lines);
    if (!c->lines) return NAV_ERR_MEMORY;
    for (int32_t l = 0; l < in->loop_count; l++) {
        int32_t first = in->loop_first[l], end = in->loop_first[l + 1];
        for (int32_t v = first; v < end; v++) {
            plan_line *line = &c->lines[c->line_count++];
            int32_t behind = in->behind[v];
            place(made, v, line->ends[0]);
            place(made, v + 1 < end ? v + 1 : first, line->ends[1]);
            line->hole = in->loop_hole[l];
            line->kind = behind == NAV_EDGE_WALL      ? PLAN_LINE_WALL
                         : nav_edge_is_portal(behind) ? PLAN_LINE_BORDER
                                                      : PLAN_LINE_REGION;
        }
    }
    return NAV_OK;
}

nav_status plan_columns_take(void *user, nav_stage s, const nav_made *made, nav_arena *scratch)
{
    plan_columns *c = user;
    nav_arena_mark mark = nav_arena_get_mark(scratch);
    nav_status status = NAV_OK;
    if (s == NAV_STAGE_RASTERIZE) status = begin(c, made->config);
    if (status == NAV_OK && s == NAV_STAGE_RASTERIZE) status = take_heightfield(c, made, scratch);
    if (s == NAV_STAGE_COMPACT) status = take_compact(c, made, scratch);
    if (s == NAV_STAGE_ERODE && made->field->span_count) take_floors(c, made->config, made->field, PLAN_GROUND_FLOOR);
    if (s == NAV_STAGE_REGIONS) status = take_regions(c, made, scratch);
    if (s == NAV_STAGE_CONTOURS || s == NAV_STAGE_OUTLINES) status = take_contours(c, made);
    nav_arena_release(scratch, mark);
    return status;
}
