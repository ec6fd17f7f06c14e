#include "clients/c/convert.h"
#include "core/base/endian.h"

#include <string.h>

_Static_assert((int)NAVD_AREA_COUNT == (int)NAV_AREA_COUNT && (int)NAVD_AREA_NONE == (int)NAV_AREA_NONE &&
                   (int)NAVD_AREA_DEFAULT == (int)NAV_AREA_DEFAULT,
               "areas");
_Static_assert((int)NAVD_VOLUME_MAX_POINTS == (int)NAV_VOLUME_MAX_POINTS, "volumes");
_Static_assert((int)NAVD_PARTITION_MONOTONE == (int)NAV_PARTITION_MONOTONE &&
                   (int)NAVD_PARTITION_CONVEX == (int)NAV_PARTITION_CONVEX,
               "partitions");
_Static_assert((int)NAVD_TRIANGULATION_MIN_AREA == (int)NAV_TRIANGULATION_MIN_AREA &&
                   (int)NAVD_TRIANGULATION_DELAUNAY == (int)NAV_TRIANGULATION_DELAUNAY,
               "triangulations");
_Static_assert((int)NAVD_GENERATOR_SURFACE == (int)NAV_GENERATOR_SURFACE, "generators");
_Static_assert((int)NAVD_OUTLINES_TRUE == (int)NAV_OUTLINES_TRUE, "outlines");
_Static_assert((int)NAVD_MARK_DIRTY == (int)NP_OP_DIRTY && (int)NAVD_PUT_LINK == (int)NP_OP_PUT_LINK &&
                   (int)NAVD_SET_REACH == (int)NP_OP_SET_REACH && (int)NAVD_SET_BUILD == (int)NP_OP_SET_BUILD &&
                   (int)NAVD_BUILD_WATCHED == (int)NP_BUILD_WATCHED,
               "operations");
_Static_assert((int)NAVD_UNREACHABLE_DROP == (int)NAV_UNREACHABLE_DROP && (int)NAVD_MAX_SEEDS == (int)NAV_MAX_SEEDS &&
                   sizeof(np_seed) == 3 * sizeof(float),
               "reach");
_Static_assert((int)NAVD_UP_Z == (int)NP_UP_Z, "axes");
_Static_assert((int)NAVD_TILE_PENDING == (int)NP_TILE_PENDING, "tile status");
_Static_assert((int)NAVD_ENCODING_DETOUR == (int)NP_ENCODING_DETOUR, "encodings");

void navd_settings_to_core(const navd_settings *in, const double origin_m[3], nav_settings *out)
{
    *out = (nav_settings){
        .cell_size_m = in->cell_size_m,
        .cell_height_m = in->cell_height_m,
        .tile_cells = in->tile_cells,
        .agent_height_m = in->agent_height_m,
        .agent_radius_m = in->agent_radius_m,
        .agent_climb_m = in->agent_climb_m,
        .agent_slope_deg = in->agent_slope_deg,
        .walkable_areas = in->walkable_areas,
        .partition = (nav_partition)in->partition,
        .region_min_cells = in->region_min_cells,
        .region_merge_cells = in->region_merge_cells,
        .edge_max_length_m = in->edge_max_length_m,
        .edge_max_error_cells = in->edge_max_error_cells,
        .outlines = (nav_outlines)in->outlines,
        .polygon_max_vertices = in->polygon_max_vertices,
        .triangulation = (nav_triangulation)in->triangulation,
        .relaxation_m = in->relaxation_m,
        .detail_sample_cells = in->detail_sample_cells,
        .detail_max_error_voxels = in->detail_max_error_voxels,
        .generator = (nav_generator)in->generator,
        .surface_error_m = in->surface_error_m,
    };
    memcpy(out->origin_m, origin_m, sizeof out->origin_m);
    memcpy(out->area_flags, in->area_flags, sizeof out->area_flags);
}

void navd_settings_from_core(const nav_settings *in, navd_settings *out)
{
    *out = (navd_settings){
        .cell_size_m = in->cell_size_m,
        .cell_height_m = in->cell_height_m,
        .tile_cells = in->tile_cells,
        .agent_height_m = in->agent_height_m,
        .agent_radius_m = in->agent_radius_m,
        .agent_climb_m = in->agent_climb_m,
        .agent_slope_deg = in->agent_slope_deg,
        .walkable_areas = in->walkable_areas,
        .partition = (navd_partition)in->partition,
        .region_min_cells = in->region_min_cells,
        .region_merge_cells = in->region_merge_cells,
        .edge_max_length_m = in->edge_max_length_m,
        .edge_max_error_cells = in->edge_max_error_cells,
        .outlines = (navd_outlines)in->outlines,
        .polygon_max_vertices = in->polygon_max_vertices,
        .triangulation = (navd_triangulation)in->triangulation,
        .relaxation_m = in->relaxation_m,
        .detail_sample_cells = in->detail_sample_cells,
        .detail_max_error_voxels = in->detail_max_error_voxels,
        .generator = (navd_generator)in->generator,
        .surface_error_m = in->surface_error_m,
    };
    memcpy(out->area_flags, in->area_flags, sizeof out->area_flags);
}

void navd_settings_default(navd_settings *s)
{
    nav_settings defaults;
    nav_settings_default(&defaults);
    navd_settings_from_core(&defaults, s);
}

void navd_operation_to_wire(const navd_operation *in, np_op *out)
{
    *out = (np_op){.kind = (np_op_kind)in->kind, .id = in->id};
    if (in->kind == NAVD_PUT_INSTANCE || in->kind == NAVD_PUT_VOLUME || in->kind == NAVD_PUT_LINK) {
        out->source = np_str_of(in->source);
        out->name = np_str_of(in->name);
    }
    switch (in->kind) {
    case NAVD_PUT_INSTANCE:
    case NAVD_MOVE_INSTANCE:
        out->u.instance.mesh = nav_key_load(in->u.instance.mesh.bytes);
        memcpy(out->u.instance.transform, in->u.instance.transform, sizeof out->u.instance.transform);
        out->u.instance.area = in->u.instance.area;
        break;
    case NAVD_PUT_VOLUME:
        out->u.volume = (nav_volume){.point_count = in->u.volume.point_count,
                                     .min_y = in->u.volume.min_y,
                                     .max_y = in->u.volume.max_y,
                                     .area = in->u.volume.area,
                                     .include = in->u.volume.include};
        memcpy(out->u.volume.points, in->u.volume.points, sizeof out->u.volume.points);
        break;
    case NAVD_PUT_LINK:
        out->u.link = (nav_link){.id = (uint32_t)in->id,
                                 .radius_m = in->u.link.radius_m,
                                 .area = in->u.link.area,
                                 .both_ways = in->u.link.both_ways,
                                 .flags = in->u.link.flags};
        memcpy(out->u.link.start, in->u.link.start, sizeof out->u.link.start);
        memcpy(out->u.link.end, in->u.link.end, sizeof out->u.link.end);
        break;
    case NAVD_MARK_DIRTY:
        memcpy(out->u.dirty.min, in->u.dirty.min, sizeof out->u.dirty.min);
        memcpy(out->u.dirty.max, in->u.dirty.max, sizeof out->u.dirty.max);
        break;
    case NAVD_SET_REACH:
        out->u.reach = (np_reach){.unreachable = (nav_unreachable)in->u.reach.unreachable,
                                  .seed_count = (uint32_t)in->u.reach.seed_count,
                                  .seeds = (const np_seed *)(const void *)in->u.reach.seeds,
                                  .island_min_area_m2 = in->u.reach.island_min_area_m2};
        break;
    case NAVD_SET_BUILD:
        out->u.build = (np_build){(np_build_mode)in->u.build.mode, in->u.build.margin_m};
        break;
    default: // removals: the id is all
        break;
    }
}

void navd_object_from_wire(const np_op *in, navd_operation *out)
{
    *out = (navd_operation){.kind = (navd_operation_kind)in->kind, .id = in->id};
    if (in->source.size) memcpy(out->source, in->source.data, in->source.size); // checked: a name
    if (in->name.size) memcpy(out->name, in->name.data, in->name.size);         // the same
    if (in->kind == NP_OP_PUT_INSTANCE) {
        nav_key_store(in->u.instance.mesh, out->u.instance.mesh.bytes);
        memcpy(out->u.instance.transform, in->u.instance.transform, sizeof out->u.instance.transform);
        out->u.instance.area = in->u.instance.area;
    } else if (in->kind == NP_OP_PUT_VOLUME) {
        const nav_volume *v = &in->u.volume;
        out->u.volume.point_count = (uint32_t)v->point_count;
        memcpy(out->u.volume.points, v->points, sizeof out->u.volume.points);
        out->u.volume.min_y = v->min_y;
        out->u.volume.max_y = v->max_y;
        out->u.volume.area = v->area;
        out->u.volume.include = v->include;
    } else {
        const nav_link *l = &in->u.link;
        memcpy(out->u.link.start, l->start, sizeof out->u.link.start);
        memcpy(out->u.link.end, l->end, sizeof out->u.link.end);
        out->u.link.radius_m = l->radius_m;
        out->u.link.area = l->area;
        out->u.link.both_ways = l->both_ways;
        out->u.link.flags = l->flags;
    }
}

uint64_t navd_mesh_bytes(const navd_mesh *m)
{
    return np_mesh_bytes(m->vertex_count, m->triangle_count, m->areas != NULL);
}

nav_key navd_mesh_key(const navd_mesh *m)
{
    return nav_mesh_hash_with_areas(m->vertices, m->vertex_count, m->triangles, m->triangle_count, m->areas);
}

void navd_mesh_from_bytes(uint8_t *bytes, uint32_t vertices, uint32_t triangles, bool areas, navd_mesh *out)
{
    const size_t words = np_mesh_bytes(vertices, triangles, false);
    for (size_t i = 0; i < words; i += 4) {
        uint32_t word = nav_load_u32(bytes + i);
        memcpy(bytes + i, &word, 4);
    }
    *out = (navd_mesh){.vertices = (const float *)(const void *)bytes,
                       .vertex_count = vertices,
                       .triangles = (const uint32_t *)(const void *)bytes + (bytes ? 3 * (size_t)vertices : 0),
                       .triangle_count = triangles,
                       .areas = areas && bytes ? bytes + words : NULL};
}

void navd_mesh_bytes_store(const navd_mesh *mesh, uint64_t offset, uint8_t *out, uint64_t count)
{
    const uint64_t floats = 3 * (uint64_t)mesh->vertex_count, words = floats + 3 * (uint64_t)mesh->triangle_count;
    uint64_t at = offset, end = offset + count;
    for (; at < end && at / 4 < words; at += 4, out += 4) {
        if (at / 4 < floats)
            nav_store_f32(out, mesh->vertices[at / 4]);
        else
            nav_store_u32(out, mesh->triangles[at / 4 - floats]);
    }
    if (at < end) memcpy(out, mesh->areas + (at - 4 * words), end - at);
}
