// Which sheet fine surface is of, where two are nearly equally near.
//
// All is counted in the world, and sums are of whole numbers: tiles of all frames find the same, in whatever order
// triangles come.
#include "core/surface/sheets.h"

#include <math.h>
#include <string.h>

static const double CLEAR = 0.8;         // of a normal's components: the second is so near to the first, or it is clear
static const double MUCH_THE_SAME = 0.5; // the cosine of 60 degrees
static const double STEEPEST = 0.42;     // the cosine of 65 degrees: no sheet has surface that is steeper in its frame
static const double PARTS = 1048576;     // of a square metre: what normals are counted in

typedef struct settler {
    const nav_triangles *triangles;
    const nav_config *cfg;
    double cell; // metres, of a grid that middles are found by
    int32_t *table, *next;
    uint32_t mask;
    double (*middle)[3], (*normal)[3]; // of the world, per triangle
} settler;

static void world_corner(const settler *w, uint32_t t, int k, double out[3])
{
    for (int a = 0; a < 3; a++) out[a] = (double)w->triangles->verts[9 * (size_t)t + (size_t)(3 * k + a)];
    nav_sheet_to_world(w->cfg->sheet, out, out);
}

static void middle_of(const settler *w, uint32_t t, double out[3])
{
    double c[3][3];
    for (int k = 0; k < 3; k++) world_corner(w, t, k, c[k]);
    for (int a = 0; a < 3; a++) out[a] = (c[0][a] + c[1][a] + c[2][a]) / 3;
}

// In the frame: the same numbers but for their order.
static bool is_small(const settler *w, uint32_t t)
{
    const float *v = w->triangles->verts + 9 * (size_t)t;
    for (int a = 0; a < 3; a++) {
        const float low = fminf(v[a], fminf(v[3 + a], v[6 + a])), high = fmaxf(v[a], fmaxf(v[3 + a], v[6 + a]));
        if ((double)high - (double)low > w->cfg->radius_m) return false;
    }
    return true;
}

static bool is_unclear(const settler *w, uint32_t t)
{
    const uint8_t area = w->triangles->areas[t];
    if (area == NAV_AREA_NONE || area >= NAV_AREA_COUNT || !(w->cfg->grip_areas >> area & 1)) return false;
    double n[3];
    nav_surface_world_normal(NAV_SHEET_UP, w->triangles->verts + 9 * (size_t)t, n); // in the frame: the sizes count
    double first = 0, second = 0;
    for (int a = 0; a < 3; a++) {
        const double size = fabs(n[a]);
        second = size > first ? first : size > second ? size : second;
        first = size > first ? size : first;
    }
    return second >= CLEAR * first && is_small(w, t);
}

static uint32_t slot_of(const settler *w, const int64_t at[3])
{
    uint64_t h = (uint64_t)at[0] * 0x9e3779b97f4a7c15u ^ (uint64_t)at[1] * 0xd6e8feb86659fd93u;
    h = (h ^ (uint64_t)at[2] * 0xa0761d6478bd642fu) * 0xe7037ed1a0b428dbu;
    return (uint32_t)(h >> 32) & w->mask;
}

static void cell_of(const settler *w, const double at[3], int64_t out[3])
{
    for (int a = 0; a < 3; a++) out[a] = (int64_t)floor(at[a] / w->cell);
}

static nav_status index_middles(settler *w, nav_arena *arena)
{
    int64_t size = 64;
    while (size < 2 * (int64_t)w->triangles->count) size *= 2;
    if (size > INT32_MAX) return NAV_ERR_LIMIT;
    w->mask = (uint32_t)size - 1;
    w->table = NAV_TAKE(arena, int32_t, size);
    w->next = NAV_TAKE(arena, int32_t, w->triangles->count);
    w->middle = nav_arena_take(arena, w->triangles->count, sizeof *w->middle);
    w->normal = nav_arena_take(arena, w->triangles->count, sizeof *w->normal);
    if (!w->table || !w->next || !w->middle || !w->normal) return nav_arena_failure(arena);
    memset(w->table, 0xff, (size_t)size * sizeof *w->table);
    for (uint32_t t = 0; t < w->triangles->count; t++) {
        int64_t cell[3];
        middle_of(w, t, w->middle[t]);
        nav_surface_world_normal(w->cfg->sheet, w->triangles->verts + 9 * (size_t)t, w->normal[t]);
        cell_of(w, w->middle[t], cell);
        const uint32_t slot = slot_of(w, cell);
        w->next[t] = w->table[slot];
        w->table[slot] = (int32_t)t;
    }
    return NAV_OK;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Adds the normals of a cell's triangles that are near one and look much the same way.
static void add_cell(const settler *w, const int64_t cell[3], uint32_t t, int64_t sum[3])
{
    const double *own = w->normal[t], *middle = w->middle[t];
    for (int32_t i = w->table[slot_of(w, cell)]; i >= 0; i = w->next[i]) {
        const double *n = w->normal[i], *at = w->middle[i], along = dot(n, own);
        double apart2 = 0;
        for (int a = 0; a < 3; a++) apart2 += (at[a] - middle[a]) * (at[a] - middle[a]);
        if (apart2 > w->cell * w->cell) continue;
        if (along <= 0 || along * along < MUCH_THE_SAME * MUCH_THE_SAME * dot(n, n) * dot(own, own)) continue;
        int64_t there[3];
        cell_of(w, at, there);
        if (memcmp(there, cell, sizeof there) != 0) continue; // another one with the same slot
        for (int a = 0; a < 3; a++) sum[a] += (int64_t)floor(n[a] * PARTS + 0.5);
    }
}

static uint8_t settle(const settler *w, uint32_t t)
{
    const double *own = w->normal[t];
    double mean[3];
    int64_t cell[3], sum[3] = {0, 0, 0};
    cell_of(w, w->middle[t], cell);
    for (int k = 0; k < 27; k++) {
        const int64_t beside[3] = {cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k / 9 - 1};
        add_cell(w, beside, t, sum);
    }
    for (int a = 0; a < 3; a++) mean[a] = (double)sum[a];
    const nav_sheet s = nav_sheet_of_normal(mean);
    double up[3] = {0, 1, 0};
    nav_sheet_to_world(s, up, up);
    const double along = dot(own, up);
    if (along > 0 && along * along >= STEEPEST * STEEPEST * dot(own, own)) return (uint8_t)s;
    return (uint8_t)nav_sheet_of_normal(own);
}

nav_status nav_surface_settle_sheets(const nav_triangles *triangles, const nav_config *cfg, nav_arena *arena,
                                     uint8_t *settled)
{
    settler w = {.triangles = triangles, .cfg = cfg, .cell = cfg->radius_m};
    nav_status s = NAV_OK;
    memset(settled, SURFACE_NO_SHEET, triangles->count);
    if (!(cfg->radius_m > 0)) return NAV_OK;
    for (uint32_t t = 0; t < triangles->count && s == NAV_OK; t++) {
        if (!is_unclear(&w, t)) continue;
        if (!w.table) s = index_middles(&w, arena);
        if (s == NAV_OK) settled[t] = settle(&w, t);
    }
    return s;
}
