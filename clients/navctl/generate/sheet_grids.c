#include "clients/navctl/generate/sheet_grids.h"

#include <math.h>

static const uint64_t MAX_TILES = (uint64_t)1 << 26;

bool sheet_grid_of(const scene *s, const nav_settings *settings, int32_t first[2], int32_t count[2])
{
    static const int axis[2] = {0, 2};
    const double world_min[3] = {(double)s->min[0], (double)s->min[1], (double)s->min[2]};
    const double world_max[3] = {(double)s->max[0], (double)s->max[1], (double)s->max[2]};
    double min[3], max[3], origin[3];
    double tile_m = (double)settings->cell_size_m * settings->tile_cells;
    nav_sheet_box_to_frame(settings->sheet, world_min, world_max, min, max);
    nav_sheet_to_frame(settings->sheet, settings->origin_m, origin);
    for (int k = 0; k < 2; k++) {
        double low = floor((min[axis[k]] - origin[axis[k]]) / tile_m);
        double high = ceil((max[axis[k]] - origin[axis[k]]) / tile_m);
        if (high <= low) high = low + 1;
        if (!(low > -1e9 && high < 1e9 && high - low <= (double)MAX_TILES)) return false;
        first[k] = (int32_t)low;
        count[k] = (int32_t)(high - low);
    }
    return (uint64_t)count[0] * (uint64_t)count[1] <= MAX_TILES;
}

static sheet_grid *add_grid(sheet_grids *g, nav_sheet sheet)
{
    sheet_grid *grid = &g->grids[g->count++];
    *grid = (sheet_grid){.sheet = sheet, .place = g->total};
    return grid;
}

bool sheet_grids_of(const scene *s, const nav_settings *settings, sheet_grids *out)
{
    nav_settings own = *settings;
    *out = (sheet_grids){0};
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        if (!(settings->sheets >> sheet & 1)) continue;
        own.sheet = (nav_sheet)sheet;
        sheet_grid *grid = add_grid(out, own.sheet);
        if (!sheet_grid_of(s, &own, grid->first, grid->count)) return false;
        out->total += (uint64_t)grid->count[0] * (uint64_t)grid->count[1];
    }
    return out->total <= MAX_TILES;
}

void sheet_grids_of_tile(const nav_settings *settings, const int32_t tile[2], sheet_grids *out)
{
    *out = (sheet_grids){0};
    for (int sheet = 0; sheet < NAV_SHEET_COUNT; sheet++) {
        if (!(settings->sheets >> sheet & 1)) continue;
        sheet_grid *grid = add_grid(out, (nav_sheet)sheet);
        for (int k = 0; k < 2; k++) {
            grid->first[k] = tile[k];
            grid->count[k] = 1;
        }
        out->total++;
    }
}

const sheet_grid *sheet_grids_at(const sheet_grids *g, uint64_t place, int32_t *x, int32_t *z)
{
    uint32_t i = g->count - 1;
    while (i > 0 && g->grids[i].place > place) i--;
    const sheet_grid *grid = &g->grids[i];
    const uint64_t in = place - grid->place;
    *x = grid->first[0] + (int32_t)(in % (uint64_t)grid->count[0]);
    *z = grid->first[1] + (int32_t)(in / (uint64_t)grid->count[0]);
    return grid;
}
