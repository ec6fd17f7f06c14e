#include "core/voxel/voxels.h"

nav_status nav_voxels_filter(nav_voxels *f, const nav_config *cfg, nav_arena *arena)
{
    nav_status status = NAV_OK;
    if (f->bits.columns > 0 && nav_planes_fit(cfg) && !cfg->plain) {
        status = nav_planes_read(&f->bits, cfg, arena, &f->planes);
        if (status != NAV_OK) return status;
        f->in_planes = f->planes.ranks > 0;
    }
    if (f->in_planes) {
        nav_planes_filter_ledges(&f->planes, cfg);
        f->solid_count = f->planes.run_count;
        f->open_count = nav_planes_count(&f->planes);
        return NAV_OK;
    }
    if (f->bits.columns > 0) status = nav_bit_columns_read(&f->bits, cfg->climb_vx, arena, &f->solid);
    if (status != NAV_OK) return status;
    nav_filter_low_obstacles(&f->solid, cfg);
    nav_filter_ledges(&f->solid, cfg);
    nav_filter_low_ceilings(&f->solid, cfg);
    f->solid_count = f->solid.span_count;
    return NAV_OK;
}

nav_status nav_voxels_connect(nav_voxels *f, const nav_config *cfg, nav_arena *arena, nav_compact_heightfield *field)
{
    if (f->in_planes) return nav_planes_connect(&f->planes, cfg, arena);
    nav_status status = nav_compact_build(&f->solid, cfg, arena, field);
    f->open_count = field->span_count;
    return status;
}

static nav_status erode_planes(nav_voxels *f, const nav_tile_source *src, const nav_config *cfg, nav_arena *arena,
                               nav_compact_heightfield *field)
{
    bool far = cfg->radius_columns > NAV_PLANE_RADIUS;
    nav_status s = nav_planes_block(&f->planes, src->volumes, src->volume_count, cfg, arena);
    if (s == NAV_OK && !far) s = nav_planes_erode(&f->planes, cfg, arena);
    if (s == NAV_OK) s = nav_planes_finish(&f->planes, cfg, arena, field);
    if (s == NAV_OK && far) s = nav_compact_erode(field, cfg, arena);
    if (s == NAV_OK) s = nav_volumes_apply(field, src->volumes, src->volume_count, false, cfg, arena);
    if (s == NAV_OK) s = nav_volumes_include(field, src->volumes, src->volume_count, cfg, arena);
    if (s == NAV_OK && (far || src->volume_count > 0)) s = nav_compact_finish(field, arena);
    return s;
}

nav_status nav_voxels_erode(nav_voxels *f, const nav_tile_source *src, const nav_config *cfg, nav_arena *arena,
                            nav_compact_heightfield *field)
{
    if (f->in_planes) return erode_planes(f, src, cfg, arena, field);
    nav_status s = nav_volumes_apply(field, src->volumes, src->volume_count, true, cfg, arena);
    if (s == NAV_OK) s = nav_compact_erode(field, cfg, arena);
    if (s == NAV_OK) s = nav_volumes_apply(field, src->volumes, src->volume_count, false, cfg, arena);
    if (s == NAV_OK) s = nav_volumes_include(field, src->volumes, src->volume_count, cfg, arena);
    if (s == NAV_OK) s = nav_compact_finish(field, arena);
    return s;
}

nav_status nav_voxels_as_heightfield(const nav_voxels *f, const nav_config *cfg, nav_arena *arena, nav_heightfield *out)
{
    *out = f->solid;
    return f->bits.columns > 0 ? nav_bit_columns_read(&f->bits, cfg->climb_vx, arena, out) : NAV_OK;
}

nav_status nav_voxels_as_compact(const nav_voxels *f, const nav_compact_heightfield *field, const nav_config *cfg,
                                 nav_arena *arena, nav_compact_heightfield *out)
{
    if (f->in_planes) return nav_planes_finish(&f->planes, cfg, arena, out);
    *out = *field;
    return NAV_OK;
}
