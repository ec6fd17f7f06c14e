#include "core/surface/sheets.h"

#include <math.h>

void nav_surface_world_normal(nav_sheet sheet, const float *verts, double out[3])
{
    double p[3][3];
    for (int k = 0; k < 3; k++) {
        for (int a = 0; a < 3; a++) p[k][a] = (double)verts[3 * k + a];
        nav_sheet_to_world(sheet, p[k], p[k]);
    }
    double u[3], w[3];
    for (int a = 0; a < 3; a++) {
        u[a] = p[1][a] - p[0][a];
        w[a] = p[2][a] - p[0][a];
    }
    out[0] = u[1] * w[2] - u[2] * w[1];
    out[1] = u[2] * w[0] - u[0] * w[2];
    out[2] = u[0] * w[1] - u[1] * w[0];
}

uint8_t nav_surface_sheet_of(const nav_config *cfg, const float *verts, uint8_t area)
{
    double n[3];
    if (area == NAV_AREA_NONE || area == SURFACE_EXCLUDED) return SURFACE_NO_SHEET;
    nav_surface_world_normal(cfg->sheet, verts, n);
    if (!(cfg->grip_areas >> area & 1)) {
        const double length2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        const bool stands = n[1] > 0 && n[1] * n[1] > cfg->slope_cos * cfg->slope_cos * length2;
        return stands && (cfg->sheets & NAV_SHEETS_UP) ? NAV_SHEET_UP : SURFACE_NO_SHEET;
    }
    const nav_sheet s = nav_sheet_of_normal(n);
    return cfg->sheets >> s & 1 ? (uint8_t)s : SURFACE_NO_SHEET;
}

// The same, but only whether it is the tile's: the frame's numbers tell, unless two axes are equally near.
static bool is_mine(const nav_config *cfg, const float *v, uint8_t area)
{
    if (area == NAV_AREA_NONE || area == SURFACE_EXCLUDED) return false;
    if (cfg->grip_areas >> area & 1) {
        const double ux = (double)v[3] - (double)v[0], uy = (double)v[4] - (double)v[1],
                     uz = (double)v[5] - (double)v[2];
        const double wx = (double)v[6] - (double)v[0], wy = (double)v[7] - (double)v[1],
                     wz = (double)v[8] - (double)v[2];
        const double x = fabs(uy * wz - uz * wy), y = uz * wx - ux * wz, z = fabs(ux * wy - uy * wx);
        if (y > x && y > z) return true;
        if (y < x || y < z) return false;
    }
    return nav_surface_sheet_of(cfg, v, area) == (uint8_t)cfg->sheet;
}

nav_status nav_surface_choose_sheets(const nav_triangles *triangles, const nav_config *cfg, nav_arena *arena,
                                     surface_sheets *out, nav_triangles *mine)
{
    uint8_t *of = NAV_TAKE(arena, uint8_t, triangles->count), *areas = NAV_TAKE(arena, uint8_t, triangles->count);
    if (!of || !areas) return nav_arena_failure(arena);
    for (uint32_t t = 0; t < triangles->count; t++) {
        of[t] = is_mine(cfg, triangles->verts + 9 * (size_t)t, triangles->areas[t]);
        areas[t] = of[t] ? triangles->areas[t] : NAV_AREA_NONE;
    }
    *out = (surface_sheets){triangles, of};
    *mine = *triangles;
    mine->areas = areas;
    return NAV_OK;
}
