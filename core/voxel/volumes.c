// Convex volumes on the compact heightfield: a span is inside where its column's centre is inside of the polygon and
// its floor between the heights.
#include "core/voxel/planes/planes.h"

#include <math.h>

typedef struct prism {
    uint32_t count;
    double x[NAV_VOLUME_MAX_POINTS], z[NAV_VOLUME_MAX_POINTS]; // world grid coordinates: the same from any tile
    int32_t first_x, last_x, first_z, last_z;                  // columns to look at
    double low, high;                                          // voxels
} prism;

static int32_t clamp_column(double v, int32_t width)
{
    return v < 0 ? 0 : v > width - 1 ? width - 1 : (int32_t)v;
}

static prism to_grid(const nav_volume *v, const nav_config *cfg)
{
    prism p = {.count = v->point_count};
    double min_x = INFINITY, max_x = -INFINITY, min_z = INFINITY, max_z = -INFINITY;
    for (uint32_t i = 0; i < p.count; i++) {
        p.x[i] = ((double)v->points[2 * i] - cfg->origin_m[0]) / cfg->cell_size_m;
        p.z[i] = ((double)v->points[2 * i + 1] - cfg->origin_m[2]) / cfg->cell_size_m;
        min_x = p.x[i] < min_x ? p.x[i] : min_x;
        max_x = p.x[i] > max_x ? p.x[i] : max_x;
        min_z = p.z[i] < min_z ? p.z[i] : min_z;
        max_z = p.z[i] > max_z ? p.z[i] : max_z;
    }
    p.first_x = clamp_column(floor(min_x) - (double)cfg->first_column_x, cfg->width);
    p.last_x = clamp_column(floor(max_x) - (double)cfg->first_column_x, cfg->width);
    p.first_z = clamp_column(floor(min_z) - (double)cfg->first_column_z, cfg->width);
    p.last_z = clamp_column(floor(max_z) - (double)cfg->first_column_z, cfg->width);
    p.low = ((double)v->min_y - cfg->origin_m[1]) / cfg->cell_height_m;
    p.high = ((double)v->max_y - cfg->origin_m[1]) / cfg->cell_height_m;
    return p;
}

static bool contains(const prism *p, double x, double z)
{
    bool left = false, right = false;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t j = i + 1 < p->count ? i + 1 : 0;
        double side = (p->x[j] - p->x[i]) * (z - p->z[i]) - (p->z[j] - p->z[i]) * (x - p->x[i]);
        left |= side > 0;
        right |= side < 0;
    }
    return !(left && right);
}

typedef enum role { BLOCKS, SETS_AREA, INCLUDES } role;

static role role_of(const nav_volume *v, const nav_config *cfg)
{
    if (v->include) return INCLUDES;
    return v->area == NAV_AREA_NONE || !(cfg->walkable_areas >> v->area & 1) ? BLOCKS : SETS_AREA;
}

static bool has_role(const nav_volume *volumes, uint32_t count, role r, const nav_config *cfg)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++) any |= role_of(&volumes[i], cfg) == r;
    return any;
}

// Gives each span that a volume of the role has inside the volume's value (its area, or 1), the highest where volumes
// overlap, whatever their order. The others have 0.
static nav_status mark_spans(const nav_compact_heightfield *f, const nav_volume *volumes, uint32_t count, role wanted,
                             const nav_config *cfg, nav_arena *scratch, uint8_t **out)
{
    uint8_t *value = *out = NAV_TAKE_ZERO(scratch, uint8_t, f->span_count);
    if (!value) return nav_arena_failure(scratch);
    for (uint32_t i = 0; i < count; i++) {
        if (role_of(&volumes[i], cfg) != wanted) continue;
        const uint8_t given = wanted == SETS_AREA ? volumes[i].area : 1;
        prism p = to_grid(&volumes[i], cfg);
        for (int32_t z = p.first_z; z <= p.last_z; z++)
            for (int32_t x = p.first_x; x <= p.last_x; x++) {
                int32_t c = z * f->width + x;
                if (!contains(&p, (double)(cfg->first_column_x + x) + 0.5, (double)(cfg->first_column_z + z) + 0.5))
                    continue;
                for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++)
                    if (f->floor[s] >= p.low && f->floor[s] <= p.high && given > value[s]) value[s] = given;
            }
    }
    return NAV_OK;
}

nav_status nav_volumes_apply(nav_compact_heightfield *f, const nav_volume *volumes, uint32_t count, bool blocking,
                             const nav_config *cfg, nav_arena *scratch)
{
    const role wanted = blocking ? BLOCKS : SETS_AREA;
    if (!has_role(volumes, count, wanted, cfg)) return NAV_OK;
    nav_arena_mark mark = nav_arena_get_mark(scratch);
    uint8_t *value;
    nav_status status = mark_spans(f, volumes, count, wanted, cfg, scratch, &value);
    if (status != NAV_OK) return status;
    for (int32_t s = 0; s < f->span_count; s++)
        if (value[s] && f->area[s] != NAV_AREA_NONE) f->area[s] = blocking ? NAV_AREA_NONE : value[s];
    nav_arena_release(scratch, mark);
    if (blocking) nav_compact_cut(f);
    return NAV_OK;
}

nav_status nav_volumes_include(nav_compact_heightfield *f, const nav_volume *volumes, uint32_t count,
                               const nav_config *cfg, nav_arena *scratch)
{
    if (!has_role(volumes, count, INCLUDES, cfg)) return NAV_OK;
    nav_arena_mark mark = nav_arena_get_mark(scratch);
    uint8_t *inside;
    nav_status status = mark_spans(f, volumes, count, INCLUDES, cfg, scratch, &inside);
    if (status != NAV_OK) return status;
    for (int32_t s = 0; s < f->span_count; s++)
        if (!inside[s]) f->area[s] = NAV_AREA_NONE;
    nav_arena_release(scratch, mark);
    nav_compact_cut(f);
    return NAV_OK;
}

bool nav_volumes_hold(const nav_volume *volumes, uint32_t count, int32_t x, int32_t z, int32_t floor,
                      const nav_config *cfg)
{
    for (uint32_t i = 0; i < count; i++) {
        if (role_of(&volumes[i], cfg) != INCLUDES) continue;
        prism p = to_grid(&volumes[i], cfg);
        if (floor >= p.low && floor <= p.high &&
            contains(&p, (double)(cfg->first_column_x + x) + 0.5, (double)(cfg->first_column_z + z) + 0.5))
            return true;
    }
    return false;
}

nav_status nav_planes_block(nav_planes *p, const nav_volume *volumes, uint32_t count, const nav_config *cfg,
                            nav_arena *scratch)
{
    if (!has_role(volumes, count, BLOCKS, cfg)) return NAV_OK;
    nav_arena_mark mark = nav_arena_get_mark(scratch);
    size_t n = (size_t)p->width * (size_t)p->words;
    uint64_t *gone[NAV_PLANE_RANKS] = {NAV_TAKE_ZERO(scratch, uint64_t, n * (size_t)p->ranks)};
    if (!gone[0]) return nav_arena_failure(scratch);
    for (int r = 1; r < p->ranks; r++) gone[r] = gone[r - 1] + n;
    for (uint32_t i = 0; i < count; i++) {
        if (role_of(&volumes[i], cfg) != BLOCKS) continue;
        prism v = to_grid(&volumes[i], cfg);
        for (int32_t z = v.first_z; z <= v.last_z; z++)
            for (int32_t x = v.first_x; x <= v.last_x; x++) {
                if (!contains(&v, (double)(cfg->first_column_x + x) + 0.5, (double)(cfg->first_column_z + z) + 0.5))
                    continue;
                for (int r = 0; r < p->row_ranks[z]; r++) {
                    int32_t floor = p->base + p->floor[r][(size_t)z * (size_t)p->stride + (size_t)x];
                    if (floor < v.low || floor > v.high) continue;
                    gone[r][(size_t)z * (size_t)p->words + (size_t)(x >> 6)] |= UINT64_C(1) << (x & 63);
                }
            }
    }
    nav_planes_take_away(p, gone);
    nav_arena_release(scratch, mark);
    return NAV_OK;
}
