#include "core/levels.h"

#include "core/contour/floor_plans.h"
#include "core/geometry/links.h"
#include "core/outline/outlines.h"
#include "core/partition/regions.h"
#include "core/surface/surface.h"

#include <string.h>

const char *nav_stage_name(nav_stage s)
{
    static const char *const names[] = {
#define NAV_STAGE_NAME(id, name) name,
        NAV_STAGE_LIST(NAV_STAGE_NAME)
#undef NAV_STAGE_NAME
    };
    return (unsigned)s < NAV_STAGE_COUNT ? names[s] : "unknown";
}

void nav_counts_add(nav_counts *sum, const nav_counts *tile)
{
#define NAV_COUNT_ADD(name) sum->name += tile->name;
    NAV_COUNT_LIST(NAV_COUNT_ADD)
#undef NAV_COUNT_ADD
    if (tile->contour_deviation > sum->contour_deviation) sum->contour_deviation = tile->contour_deviation;
}

static nav_status enter(const nav_hooks *h, nav_stage s)
{
    if (h && h->cancelled && h->cancelled(h->user)) return NAV_ERR_CANCELLED;
    if (h && h->enter) h->enter(h->user, s);
    return NAV_OK;
}

static void leave(const nav_hooks *h, nav_stage s)
{
    if (h && h->leave) h->leave(h->user, s);
}

// Runs one stage between its hooks.
#define STAGE(id, call)                                                                                                \
    do {                                                                                                               \
        status = enter(hooks, id);                                                                                     \
        if (status != NAV_OK) return status;                                                                           \
        status = (call);                                                                                               \
        leave(hooks, id);                                                                                              \
        if (status == NAV_OK && hooks && hooks->made) status = hooks->made(hooks->user, id, &made, arena);             \
        if (status != NAV_OK) return status;                                                                           \
    } while (0)

static nav_status partition(const nav_compact_heightfield *field, const nav_config *cfg, nav_arena *arena,
                            nav_regions *out)
{
    switch (cfg->partition) {
    case NAV_PARTITION_CONVEX:
        return nav_regions_layers(field, cfg, arena, out);
    case NAV_PARTITION_MONOTONE:
        return nav_regions_monotone(field, cfg, arena, out);
    case NAV_PARTITION_WATERSHED:
        break;
    }
    return nav_regions_watershed(field, cfg, arena, out);
}

// Do regions meet? Where none do, their contours in columns are not asked for.
static bool regions_meet(const nav_compact_heightfield *f, const nav_regions *regions)
{
    for (int32_t s = 0; regions->count > 1 && s < f->span_count; s++)
        for (int d = 1; d <= 2 && regions->id[s] > 0; d++) {
            int32_t n = f->connection[d][s];
            if (n != NAV_NOT_CONNECTED && regions->id[n] > 0 && regions->id[n] != regions->id[s]) return true;
        }
    return false;
}

static nav_status trace(const nav_compact_heightfield *field, const nav_regions *regions, const nav_config *cfg,
                        nav_arena *arena, nav_contours *out)
{
    *out = (nav_contours){0};
    if (cfg->outlines == NAV_OUTLINES_TRUE && !regions_meet(field, regions)) return NAV_OK;
    nav_status s = nav_contours_build(field, regions, cfg, arena, out);
    if (s == NAV_OK && cfg->outlines == NAV_OUTLINES_VOXEL) nav_contours_scale(out, cfg->unit);
    return s;
}

// Erosion is for voxel outlines; true ones keep their distance themselves.
static nav_status erode(nav_voxels *voxels, const nav_tile_source *source, const nav_config *cfg, nav_arena *arena,
                        nav_compact_heightfield *field)
{
    nav_config whole = *cfg;
    if (cfg->outlines == NAV_OUTLINES_TRUE) whole.radius_columns = 0;
    return nav_voxels_erode(voxels, source, &whole, arena, field);
}

static void count_made(nav_tile *t)
{
    const nav_contours *contours = &t->contours;
    t->counts.contour_vertices = (uint64_t)contours->vert_count;
    t->counts.outline_shapes = contours->outline_shapes;
    t->counts.outline_corners = contours->outline_corners;
    t->counts.coarse_outlines = contours->coarse_outlines;
    t->counts.contour_deviation = contours->max_deviation;
    nav_floor_plans plans = nav_floor_plans_measure(contours);
    t->counts.floor_plans = plans.count;
    t->counts.floor_holes = plans.holes;
    t->counts.notches = plans.notches;
    t->counts.least_cells = plans.least_cells;
    t->counts.polygons = (uint64_t)t->polygons.count;
    t->counts.cells = (uint64_t)t->polygons.cell_count;
    t->counts.detail_triangles = (uint64_t)t->detail.tri_count;
    t->counts.failed_loops = (uint64_t)t->polygons.failed_loops;
    t->counts.split_polygons = (uint64_t)t->detail.split_polygons;
    t->counts.coarse_heights = (uint64_t)t->detail.coarsened;
}

// From triangles to heights without voxels.
static nav_status build_surface(const nav_tile_source *source, const nav_triangles *triangles, const nav_hooks *hooks,
                                nav_arena *arena, nav_tile *out)
{
    const nav_config *cfg = &out->config;
    nav_status status;
    nav_surface surface;
    nav_contours contours;
    nav_made made = {.config = cfg, .triangles = triangles, .contours = &contours};
    STAGE(NAV_STAGE_SURFACE, nav_surface_build(triangles, source, cfg, arena, &surface, &contours));
    out->counts.skipped_triangles += surface.skipped;
    if (contours.loop_count == 0) return NAV_OK;
    made.polygons = &out->polygons;
    STAGE(NAV_STAGE_POLYGONS, nav_polygons_build(&contours, cfg, arena, &out->polygons));
    made.detail = &out->detail;
    STAGE(NAV_STAGE_DETAIL, nav_surface_detail(&surface, cfg, arena, &out->polygons, &out->detail));
    out->contours = contours;
    out->counts.regions = (uint64_t)surface.region_count;
    count_made(out);
    return NAV_OK;
}

#ifndef NAV_BUILD // the function of the level that this is compiled for
#define NAV_BUILD nav_build_base
#endif

nav_status NAV_BUILD(const nav_tile_source *given, const nav_key *known, const nav_hooks *hooks, nav_arena *arena,
                     nav_tile *out)
{
    nav_tile_source turned;
    const nav_tile_source *source = &turned;
    *out = (nav_tile){.settings = given->settings, .arena = arena};
    nav_status status = nav_settings_check(given->settings, NULL, 0);
    if (status == NAV_OK) status = nav_source_to_frame(given, arena, &turned);
    if (status != NAV_OK) return status;
    nav_config *cfg = &out->config;
    nav_config_init(cfg, source->settings, source->tile_x, source->tile_z);
    cfg->plain = hooks && hooks->plain;
    if (hooks && hooks->unit && cfg->generator == NAV_GENERATOR_VOXEL) {
        int32_t most = nav_unit_most(cfg->tile_columns);
        nav_config_set_unit(cfg, hooks->unit < most ? hooks->unit : most);
    }

    nav_triangles triangles;
    nav_voxels voxels = {0};
    nav_compact_heightfield field;
    nav_regions regions;
    nav_contours contours;
    nav_made made = {.config = cfg};

    made.triangles = &triangles;
    STAGE(NAV_STAGE_GATHER, nav_triangles_gather(source, cfg, arena, &triangles));
    out->links = NAV_TAKE(arena, const nav_link *, source->link_count);
    if (!out->links) return nav_arena_failure(arena);
    out->link_count = nav_links_collect(source, out->links);
    out->content_key = nav_links_content(triangles.content_key, out->links, out->link_count);
    out->counts.triangles = triangles.count + triangles.piece_triangles;
    out->counts.skipped_triangles = triangles.skipped_count;
    if (known && nav_key_equal(*known, out->content_key)) return NAV_ERR_EXISTS;

    if (out->counts.triangles == 0) return NAV_OK;
    if (cfg->generator == NAV_GENERATOR_SURFACE) return build_surface(source, &triangles, hooks, arena, out);

    made.voxels = &voxels;
    STAGE(NAV_STAGE_RASTERIZE, nav_rasterize(&triangles, cfg, arena, &voxels.bits, &voxels.solid));
    STAGE(NAV_STAGE_FILTER, nav_voxels_filter(&voxels, cfg, arena));
    made.field = &field;
    STAGE(NAV_STAGE_COMPACT, nav_voxels_connect(&voxels, cfg, arena, &field));
    out->counts.solid_spans = (uint64_t)voxels.solid_count;
    out->counts.walkable_spans = (uint64_t)voxels.open_count;
    if (voxels.open_count == 0) return NAV_OK;
    STAGE(NAV_STAGE_ERODE, erode(&voxels, source, cfg, arena, &field));
    if (field.span_count == 0) return NAV_OK;
    if (cfg->plain) field.rows.ranks = 0; // what works on rows of bits goes from span to span without them
    if (cfg->partition == NAV_PARTITION_WATERSHED) STAGE(NAV_STAGE_DISTANCE, nav_compact_measure(&field, arena));
    made.regions = &regions;
    STAGE(NAV_STAGE_REGIONS, partition(&field, cfg, arena, &regions));
    made.contours = &contours;
    STAGE(NAV_STAGE_CONTOURS, trace(&field, &regions, cfg, arena, &contours));
    if (cfg->outlines == NAV_OUTLINES_TRUE) {
        const nav_contours coarse = contours;
        STAGE(NAV_STAGE_OUTLINES,
              nav_outlines_build(&triangles, source, &field, &regions, &coarse, cfg, arena, &contours));
    }
    made.polygons = &out->polygons;
    STAGE(NAV_STAGE_POLYGONS, nav_polygons_build(&contours, cfg, arena, &out->polygons));
    made.detail = &out->detail;
    STAGE(NAV_STAGE_DETAIL, nav_detail_build(&field, &regions, cfg, arena, &out->polygons, &out->detail));

    out->field = field;
    out->regions = regions;
    out->contours = contours;
    out->counts.regions = (uint64_t)regions.count;
    count_made(out);
    return NAV_OK;
}
