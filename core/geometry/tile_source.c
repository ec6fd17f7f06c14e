#include "core/geometry/tile_source.h"

#include "core/base/endian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void nav_tile_padded_bounds(const nav_settings *s, int32_t tile_x, int32_t tile_z, double min_xz[2], double max_xz[2])
{
    const int32_t border = nav_border_columns(s), tile[2] = {tile_x, tile_z};
    const double cell = s->cell_size_m;
    double origin[3];
    nav_sheet_to_frame(s->sheet, s->origin_m, origin);
    for (int k = 0; k < 2; k++) {
        const int64_t first = (int64_t)tile[k] * s->tile_cells - border;
        min_xz[k] = origin[2 * k] + (double)first * cell;
        max_xz[k] = origin[2 * k] + (double)(first + s->tile_cells + 2 * border) * cell;
    }
}

static int32_t clamp_tile(double t)
{
    const double limit = 1 << 24; // 16 million tiles from the origin
    t = t < -limit ? -limit : t > limit ? limit : t;
    return (int32_t)t;
}

void nav_tile_range(const nav_settings *s, const double min_xz[2], const double max_xz[2], int32_t first[2],
                    int32_t last[2])
{
    const double cell = s->cell_size_m, tile_m = s->tile_cells * cell, pad_m = nav_border_columns(s) * cell;
    double origin[3];
    nav_sheet_to_frame(s->sheet, s->origin_m, origin);
    for (int k = 0; k < 2; k++) {
        first[k] = clamp_tile(floor((min_xz[k] - pad_m - origin[2 * k]) / tile_m));
        last[k] = clamp_tile(floor((max_xz[k] + pad_m - origin[2 * k]) / tile_m));
    }
}

void nav_tile_at(const nav_settings *s, double x, double z, int32_t *tile_x, int32_t *tile_z)
{
    double cell = s->cell_size_m, origin[3];
    nav_sheet_to_frame(s->sheet, s->origin_m, origin);
    *tile_x = clamp_tile(floor(floor((x - origin[0]) / cell) / s->tile_cells));
    *tile_z = clamp_tile(floor(floor((z - origin[2]) / cell) / s->tile_cells));
}

// Every field that can change a tile, in a fixed order. Fields are 4 or 8 bytes, so the record has no padding. A
// profile with voxel outlines, or of voxels, has the key that it had before there were others: what is cached of it
// stays good.
nav_key nav_settings_key(const nav_settings *s, int32_t tile_x, int32_t tile_z)
{
    uint8_t r[24 + 8 + 19 * 4 + 2 * NAV_AREA_COUNT + 8 + 24 + 36], *p = r;
    memset(r, 0, sizeof r);
    for (int k = 0; k < 3; k++, p += 8) {
        uint64_t bits;
        double v = s->origin_m[k] + 0.0; // -0 and 0 are the same origin
        memcpy(&bits, &v, 8);
        nav_store_u64(p, bits);
    }
    nav_store_u64(p, s->walkable_areas & ~(uint64_t)1);
    p += 8;
    const float floats[] = {s->cell_size_m,          s->cell_height_m,       s->agent_height_m,
                            s->agent_radius_m,       s->agent_climb_m,       s->agent_slope_deg,
                            s->region_min_cells,     s->region_merge_cells,  s->edge_max_length_m,
                            s->edge_max_error_cells, s->detail_sample_cells, s->detail_max_error_voxels,
                            s->relaxation_m};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++, p += 4) nav_store_f32(p, floats[i]);
    const int32_t ints[] = {
        s->tile_cells, (int32_t)s->partition, s->polygon_max_vertices, (int32_t)s->triangulation, tile_x, tile_z};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++, p += 4) nav_store_i32(p, ints[i]);
    for (int a = 0; a < NAV_AREA_COUNT; a++, p += 2) nav_store_u16(p, s->area_flags[a]);
    if (s->outlines != NAV_OUTLINES_VOXEL) {
        nav_store_i32(p, (int32_t)s->outlines);
        nav_store_i32(p + 4, NAV_OUTLINE_VERSION);
        p += 8;
    }
    if (s->generator != NAV_GENERATOR_VOXEL) {
        nav_store_i32(p, -(int32_t)s->generator); // below 0: no outlines are
        nav_store_i32(p + 4, NAV_SURFACE_VERSION);
        nav_store_f32(p + 8, s->surface_error_m);
        nav_store_i32(p + 12, (int32_t)s->corners);
        nav_store_f32(p + 16, s->corners == NAV_CORNERS_MITRE ? s->mitre_limit : 0);
        nav_store_f32(p + 20, s->corners == NAV_CORNERS_ROUND ? s->arc_error_m : 0);
        p += 24;
    }
    if (s->sheets != NAV_SHEETS_UP) {
        nav_store_u32(p, s->sheets);
        nav_store_i32(p + 4, (int32_t)s->sheet);
        nav_store_u64(p + 8, s->grip_areas & ~(uint64_t)1);
        nav_store_f32(p + 16, s->seam_smooth_deg);
        nav_store_f32(p + 20, s->seam_inner_deg);
        nav_store_f32(p + 24, s->seam_outer_deg);
        nav_store_i32(p + 28, NAV_SHEET_VERSION);
        p += 32;
    }
    nav_key k = nav_key_of(r, (size_t)(p - r));
    k.low += NAV_GENERATOR_VERSION;
    return k;
}

nav_key nav_volume_key(const nav_volume *v)
{
    uint8_t r[16 + 8 * NAV_VOLUME_MAX_POINTS] = {'v'};
    r[1] = v->include ? NAV_AREA_NONE : v->area;
    r[2] = v->include;
    nav_store_u32(r + 4, v->point_count);
    nav_store_f32(r + 8, v->min_y);
    nav_store_f32(r + 12, v->max_y);
    for (uint32_t i = 0; i < 2 * v->point_count; i++) nav_store_f32(r + 16 + 4 * i, v->points[i]);
    return nav_key_of(r, 16 + 8 * (size_t)v->point_count);
}

nav_key nav_link_key(const nav_link *l)
{
    uint8_t r[40] = {'l', l->area, l->both_ways};
    nav_store_u32(r + 4, l->id);
    nav_store_u16(r + 8, l->flags);
    for (int k = 0; k < 3; k++) {
        nav_store_f32(r + 12 + 4 * k, l->start[k]);
        nav_store_f32(r + 24 + 4 * k, l->end[k]);
    }
    nav_store_f32(r + 36, l->radius_m);
    return nav_key_of(r, sizeof r);
}

bool nav_link_in_tile(const nav_link *l, const nav_settings *s, int32_t tile_x, int32_t tile_z)
{
    int32_t x, z;
    if (s->sheet != NAV_SHEET_UP) return false; // links are between floors
    nav_tile_at(s, l->start[0], l->start[2], &x, &z);
    return x == tile_x && z == tile_z;
}

bool nav_volume_touches(const nav_volume *v, const double min_xz[2], const double max_xz[2])
{
    for (int k = 0; k < 2; k++) {
        bool below = true, above = true;
        for (uint32_t i = 0; i < v->point_count; i++) {
            below &= (double)v->points[2 * i + (uint32_t)k] < min_xz[k];
            above &= (double)v->points[2 * i + (uint32_t)k] > max_xz[k];
        }
        if (below || above) return false;
    }
    return true;
}

bool nav_volume_touches_tile(const nav_volume *v, nav_sheet sheet, const double min_xz[2], const double max_xz[2])
{
    if (sheet == NAV_SHEET_UP) return nav_volume_touches(v, min_xz, max_xz);
    double low[3] = {INFINITY, (double)v->min_y, INFINITY}, high[3] = {-INFINITY, (double)v->max_y, -INFINITY};
    for (uint32_t i = 0; i < v->point_count; i++)
        for (int k = 0; k < 2; k++) {
            const double at = (double)v->points[2 * i + (uint32_t)k];
            low[2 * k] = at < low[2 * k] ? at : low[2 * k];
            high[2 * k] = at > high[2 * k] ? at : high[2 * k];
        }
    nav_sheet_box_to_frame(sheet, low, high, low, high);
    for (int k = 0; k < 2; k++)
        if (high[2 * k] < min_xz[k] || low[2 * k] > max_xz[k]) return false;
    return true;
}

bool nav_tile_is_bounded(const nav_tile_source *src)
{
    bool bounded = src->bounded;
    for (uint32_t i = 0; i < src->volume_count && !bounded; i++) bounded = src->volumes[i].include;
    return bounded;
}

bool nav_tile_is_left_out(const nav_tile_source *src)
{
    double min[2], max[2];
    if (!nav_tile_is_bounded(src)) return false;
    nav_tile_padded_bounds(src->settings, src->tile_x, src->tile_z, min, max);
    for (uint32_t i = 0; i < src->volume_count; i++)
        if (src->volumes[i].include && nav_volume_touches_tile(&src->volumes[i], src->settings->sheet, min, max))
            return false;
    return true;
}

nav_status nav_source_to_frame(const nav_tile_source *src, nav_arena *arena, nav_tile_source *out)
{
    *out = *src;
    if (src->settings->sheet == NAV_SHEET_UP) return NAV_OK;
    nav_instance *turned = NAV_TAKE(arena, nav_instance, src->instance_count);
    if (!turned) return nav_arena_failure(arena);
    for (uint32_t i = 0; i < src->instance_count; i++) {
        turned[i] = src->instances[i];
        for (int c = 0; c < 4; c++) {
            double column[3];
            for (int r = 0; r < 3; r++) column[r] = (double)src->instances[i].transform[4 * r + c];
            nav_sheet_to_frame(src->settings->sheet, column, column);
            for (int r = 0; r < 3; r++) turned[i].transform[4 * r + c] = (float)column[r];
        }
    }
    out->instances = turned;
    return NAV_OK;
}

nav_key nav_bounded_key(void)
{
    static const uint8_t r[] = {'b'};
    return nav_key_of(r, sizeof r);
}

nav_key nav_instance_key(const nav_instance *in)
{
    uint8_t r[NAV_KEY_BYTES + 48 + 8] = {0};
    nav_key_store(in->mesh->hash, r);
    for (int k = 0; k < 12; k++) nav_store_f32(r + NAV_KEY_BYTES + 4 * k, in->transform[k] + 0.0f);
    r[NAV_KEY_BYTES + 48] = in->area;
    r[NAV_KEY_BYTES + 49] = 'i';
    return nav_key_of(r, sizeof r);
}

nav_key nav_tile_source_key(const nav_tile_source *src)
{
    nav_key sum = {0, 0};
    double min[2], max[2];
    bool left_out = nav_tile_is_left_out(src);
    nav_tile_padded_bounds(src->settings, src->tile_x, src->tile_z, min, max);
    if (nav_tile_is_bounded(src)) sum = nav_key_add(sum, nav_bounded_key());
    for (uint32_t i = 0; i < src->instance_count && !left_out; i++)
        sum = nav_key_add(sum, nav_instance_key(&src->instances[i]));
    for (uint32_t i = 0; i < src->volume_count && !left_out; i++)
        if (nav_volume_touches_tile(&src->volumes[i], src->settings->sheet, min, max))
            sum = nav_key_add(sum, nav_volume_key(&src->volumes[i]));
    for (uint32_t i = 0; i < src->link_count; i++)
        if (nav_link_in_tile(&src->links[i], src->settings, src->tile_x, src->tile_z))
            sum = nav_key_add(sum, nav_link_key(&src->links[i]));
    return nav_key_join(nav_settings_key(src->settings, src->tile_x, src->tile_z), sum);
}
