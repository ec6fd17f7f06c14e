// The triangles of a tile: those of every instance that overlap the padded bounds, in world space, with the area type
// that their slope allows, and the content key of all input. The key sums the hashes of the triangles, so it does not
// depend on the order in which an index, or a user, hands them over.
#include "core/geometry/tile_source.h"

#include "core/base/endian.h"

#include <math.h>
#include <string.h>

// Cells and levels must stay far from the ends of int32, and exact in double arithmetic.
static const double GRID_LIMIT = 1 << 29;

typedef struct gather {
    const nav_config *cfg;
    const nav_instance *instance;
    bool identity, mirrored;
    uint8_t area;
    double min[2], max[2];
    double grid_min[3], grid_max[3]; // metres: what lies outside is too far for the voxel grid
    uint64_t capacity;               // counting pass: triangles in the leaves that were met
    nav_triangles *out;
    nav_key sum;
} gather;

static void count_run(void *user, uint32_t first, uint32_t count)
{
    (void)first;
    ((gather *)user)->capacity += count;
}

static void transform_point(const float t[12], const float *p, float out[3])
{
    for (int r = 0; r < 3; r++)
        out[r] = (float)((double)t[4 * r] * (double)p[0] + (double)t[4 * r + 1] * (double)p[1] +
                         (double)t[4 * r + 2] * (double)p[2] + (double)t[4 * r + 3]);
}

static bool in_grid(const gather *g, const float *p)
{
    for (int k = 0; k < 3; k++)
        if (!((double)p[k] > g->grid_min[k] && (double)p[k] < g->grid_max[k])) return false; // NaN too
    return true;
}

static float lowest(float a, float b, float c)
{
    float m = a < b ? a : b;
    return m < c ? m : c;
}

static float highest(float a, float b, float c)
{
    float m = a > b ? a : b;
    return m > c ? m : c;
}

static void take_triangle(gather *g, float v[9])
{
    const float *a = v, *b = v + 3, *c = v + 6;
    // Finite triangles elsewhere are none of this tile's business; NaN fails every comparison and goes on to in_grid().
    if ((double)highest(a[0], b[0], c[0]) < g->min[0] || (double)lowest(a[0], b[0], c[0]) > g->max[0] ||
        (double)highest(a[2], b[2], c[2]) < g->min[1] || (double)lowest(a[2], b[2], c[2]) > g->max[1])
        return;
    if (!in_grid(g, a) || !in_grid(g, b) || !in_grid(g, c)) {
        g->out->skipped_count++;
        return;
    }
    double ux = (double)b[0] - (double)a[0], uy = (double)b[1] - (double)a[1], uz = (double)b[2] - (double)a[2];
    double wx = (double)c[0] - (double)a[0], wy = (double)c[1] - (double)a[1], wz = (double)c[2] - (double)a[2];
    double nx = uy * wz - uz * wy, ny = uz * wx - ux * wz, nz = ux * wy - uy * wx;
    double length2 = nx * nx + ny * ny + nz * nz;
    if (!(length2 > 0)) {
        g->out->skipped_count++;
        return;
    }
    bool walkable = ny > 0 && ny * ny > g->cfg->slope_cos * g->cfg->slope_cos * length2;
    uint8_t area = walkable ? g->area : NAV_AREA_NONE;

    nav_triangles *out = g->out;
    memcpy(out->verts + 9 * (size_t)out->count, v, 9 * sizeof(float));
    out->areas[out->count++] = area;
    uint8_t record[40] = {0};
    for (int k = 0; k < 9; k++) nav_store_f32(record + 4 * k, v[k]);
    record[36] = area;
    record[37] = 't';
    g->sum = nav_key_add(g->sum, nav_key_of(record, sizeof record));
}

static void take_run(void *user, uint32_t first, uint32_t count)
{
    gather *g = user;
    const nav_mesh *m = g->instance->mesh;
    for (uint32_t t = first; t < first + count; t++) {
        const uint32_t *tri = m->tris + 3 * (size_t)t;
        float v[9];
        for (int c = 0; c < 3; c++) {
            const float *p = m->verts + 3 * (size_t)tri[g->mirrored ? 2 - c : c];
            if (g->identity)
                memcpy(v + 3 * c, p, 12);
            else
                transform_point(g->instance->transform, p, v + 3 * c);
        }
        take_triangle(g, v);
    }
}

static double determinant(const float t[12])
{
    return (double)t[0] * ((double)t[5] * (double)t[10] - (double)t[6] * (double)t[9]) -
           (double)t[1] * ((double)t[4] * (double)t[10] - (double)t[6] * (double)t[8]) +
           (double)t[2] * ((double)t[4] * (double)t[9] - (double)t[5] * (double)t[8]);
}

static void each_instance(gather *g, const nav_tile_source *src, void (*visit)(void *, uint32_t, uint32_t))
{
    static const float identity[12] = NAV_TRANSFORM_IDENTITY;
    for (uint32_t i = 0; i < src->instance_count; i++) {
        const nav_instance *in = &src->instances[i];
        g->instance = in;
        g->identity = memcmp(in->transform, identity, sizeof identity) == 0;
        g->mirrored = determinant(in->transform) < 0;
        bool allowed = in->area < NAV_AREA_COUNT && (g->cfg->walkable_areas >> in->area & 1);
        g->area = allowed ? in->area : NAV_AREA_NONE;
        nav_mesh_query(in->mesh, in->transform, g->min, g->max, visit, g);
        if (g->capacity > NAV_MESH_MAX_TRIANGLES) return; // no need to count on: it is refused
    }
}

nav_status nav_triangles_gather(const nav_tile_source *src, const nav_config *cfg, nav_arena *arena, nav_triangles *out)
{
    *out = (nav_triangles){0};
    gather g = {.cfg = cfg, .out = out};
    nav_tile_padded_bounds(src->settings, src->tile_x, src->tile_z, g.min, g.max);
    for (int k = 0; k < 3; k++) {
        double reach = GRID_LIMIT * (k == 1 ? cfg->level_m : cfg->cell_m);
        g.grid_min[k] = cfg->origin_m[k] - reach;
        g.grid_max[k] = cfg->origin_m[k] + reach;
    }
    each_instance(&g, src, count_run);
    if (g.capacity > NAV_MESH_MAX_TRIANGLES) return NAV_ERR_LIMIT; // many instances of a large mesh in one place
    out->verts = NAV_TAKE(arena, float, 9 * (size_t)g.capacity);
    if (!out->verts) return nav_arena_failure(arena);
    out->areas = NAV_TAKE(arena, uint8_t, g.capacity);
    if (!out->areas) return nav_arena_failure(arena);
    each_instance(&g, src, take_run);

    for (uint32_t i = 0; i < src->volume_count; i++)
        if (nav_volume_touches(&src->volumes[i], g.min, g.max))
            g.sum = nav_key_add(g.sum, nav_volume_key(&src->volumes[i]));
    for (uint32_t i = 0; i < src->link_count; i++)
        if (nav_link_in_tile(&src->links[i], src->settings, src->tile_x, src->tile_z))
            g.sum = nav_key_add(g.sum, nav_link_key(&src->links[i]));
    out->content_key = nav_key_join(nav_settings_key(src->settings, src->tile_x, src->tile_z), g.sum);
    return NAV_OK;
}
