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

static const double CLEAR = 1.01; // times: which of two axes is nearer needs no second look

static bool grips(const nav_config *cfg, uint8_t area)
{
    return area < NAV_AREA_COUNT && (cfg->grip_areas >> area & 1);
}

// Of ground that does not hold the agent: gravity does.
static uint8_t sheet_by_gravity(const nav_config *cfg, const double n[3])
{
    const double length2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    const bool stands = n[1] > 0 && n[1] * n[1] > cfg->slope_cos * cfg->slope_cos * length2;
    return stands ? NAV_SHEET_UP : SURFACE_NO_SHEET;
}

// The sheet of a triangle, whether it is one of the agent's or not.
static uint8_t sheet_of(const surface_sheets *s, const nav_config *cfg, uint32_t t)
{
    const uint8_t area = s->triangles->areas[t];
    double n[3];
    if (area == NAV_AREA_NONE || area == SURFACE_EXCLUDED) return SURFACE_NO_SHEET;
    if (s->settled[t] != SURFACE_NO_SHEET) return s->settled[t];
    nav_surface_world_normal(cfg->sheet, s->triangles->verts + 9 * (size_t)t, n);
    return grips(cfg, area) ? (uint8_t)nav_sheet_of_normal(n) : sheet_by_gravity(cfg, n);
}

bool nav_surface_is_ground(const surface_sheets *s, const nav_config *cfg, uint32_t t)
{
    const uint8_t sheet = sheet_of(s, cfg, t);
    return sheet != SURFACE_NO_SHEET && (cfg->sheets >> sheet & 1);
}

// Is it of the tile's sheet? The frame's numbers tell, unless two axes are equally near.
static bool is_mine(const surface_sheets *s, const nav_config *cfg, uint32_t t)
{
    const uint8_t area = s->triangles->areas[t];
    const float *v = s->triangles->verts + 9 * (size_t)t;
    if (s->settled[t] == SURFACE_NO_SHEET && grips(cfg, area) && area != NAV_AREA_NONE) {
        const double ux = (double)v[3] - (double)v[0], uy = (double)v[4] - (double)v[1],
                     uz = (double)v[5] - (double)v[2];
        const double wx = (double)v[6] - (double)v[0], wy = (double)v[7] - (double)v[1],
                     wz = (double)v[8] - (double)v[2];
        const double x = fabs(uy * wz - uz * wy), y = uz * wx - ux * wz, z = fabs(ux * wy - uy * wx);
        if (y > CLEAR * x && y > CLEAR * z) return true;
        if (CLEAR * y < x || CLEAR * y < z) return false;
    }
    return sheet_of(s, cfg, t) == (uint8_t)cfg->sheet;
}

nav_status nav_surface_choose_sheets(const nav_triangles *triangles, const nav_config *cfg, nav_arena *arena,
                                     surface_sheets *out, nav_triangles *mine)
{
    uint8_t *of = NAV_TAKE(arena, uint8_t, triangles->count), *areas = NAV_TAKE(arena, uint8_t, triangles->count);
    uint8_t *settled = NAV_TAKE(arena, uint8_t, triangles->count);
    if (!of || !areas || !settled) return nav_arena_failure(arena);
    *out = (surface_sheets){triangles, of, settled};
    nav_status s = nav_surface_settle_sheets(triangles, cfg, arena, settled);
    for (uint32_t t = 0; t < triangles->count && s == NAV_OK; t++) {
        of[t] = is_mine(out, cfg, t);
        areas[t] = of[t] ? triangles->areas[t] : NAV_AREA_NONE;
    }
    *mine = *triangles;
    mine->areas = areas;
    return s;
}
