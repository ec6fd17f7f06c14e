#include "clients/c/convert.h"
#include "core/base/endian.h"

#include <string.h>

_Static_assert((int)NAVD_AREA_COUNT == (int)NAV_AREA_COUNT && (int)NAVD_AREA_NONE == (int)NAV_AREA_NONE &&
                   (int)NAVD_AREA_DEFAULT == (int)NAV_AREA_DEFAULT,
               "areas");
_Static_assert((int)NAVD_HEIGHTS_BLOCK == (int)NAV_HEIGHTS_BLOCK && (int)NAVD_AREA_HOLE == (int)NAV_AREA_HOLE &&
                   (int)NAVD_DIAGONAL_SHORTER == (int)NAV_DIAGONAL_SHORTER,
               "heights");
_Static_assert((int)NAVD_VOLUME_MAX_POINTS == (int)NAV_VOLUME_MAX_POINTS, "volumes");
_Static_assert((int)NAVD_PARTITION_MONOTONE == (int)NAV_PARTITION_MONOTONE &&
                   (int)NAVD_PARTITION_CONVEX == (int)NAV_PARTITION_CONVEX,
               "partitions");
_Static_assert((int)NAVD_TRIANGULATION_MIN_AREA == (int)NAV_TRIANGULATION_MIN_AREA &&
                   (int)NAVD_TRIANGULATION_DELAUNAY == (int)NAV_TRIANGULATION_DELAUNAY,
               "triangulations");
_Static_assert((int)NAVD_GENERATOR_SURFACE == (int)NAV_GENERATOR_SURFACE, "generators");
_Static_assert((int)NAVD_CORNERS_MITRE == (int)NAV_CORNERS_MITRE && (int)NAVD_CORNERS_BEVEL == (int)NAV_CORNERS_BEVEL,
               "corners");
_Static_assert((int)NAVD_SHEET_COUNT == (int)NAV_SHEET_COUNT && (int)NAVD_SHEETS_ALL == (int)NAV_SHEETS_ALL &&
                   (int)NAVD_SHEET_DOWN == (int)NAV_SHEET_DOWN && (int)NAVD_SHEET_XMINUS == (int)NAV_SHEET_XMINUS &&
                   (int)NAVD_SHEET_ZPLUS == (int)NAV_SHEET_ZPLUS,
               "sheets");
_Static_assert((int)NAVD_OUTLINES_TRUE == (int)NAV_OUTLINES_TRUE, "outlines");
_Static_assert((int)NAVD_MARK_DIRTY == (int)NP_OP_DIRTY && (int)NAVD_PUT_LINK == (int)NP_OP_PUT_LINK &&
                   (int)NAVD_SET_REACH == (int)NP_OP_SET_REACH && (int)NAVD_SET_BUILD == (int)NP_OP_SET_BUILD &&
                   (int)NAVD_BUILD_WATCHED == (int)NP_BUILD_WATCHED &&
                   (int)NAVD_PATCH_HEIGHTS == (int)NP_OP_PATCH_HEIGHTS,
               "operations");
_Static_assert((int)NAVD_UNREACHABLE_DROP == (int)NAV_UNREACHABLE_DROP && (int)NAVD_MAX_SEEDS == (int)NAV_MAX_SEEDS &&
                   sizeof(np_seed) == 3 * sizeof(float),
               "reach");
_Static_assert((int)NAVD_UP_Z == (int)NP_UP_Z, "axes");
_Static_assert((int)NAVD_TILE_PENDING == (int)NP_TILE_PENDING, "tile status");
_Static_assert((int)NAVD_ENCODING_DETOUR == (int)NP_ENCODING_DETOUR, "encodings");

void navd_text_copy(char *out, size_t size, np_str text)
{
    const size_t count = text.size < size ? text.size : size - 1;
    if (count) memcpy(out, text.data, count);
    out[count] = 0;
}

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
        .corners = (nav_corners)in->corners,
        .mitre_limit = in->mitre_limit,
        .arc_error_m = in->arc_error_m,
        .sheets = in->sheets,
        .sheet = nav_sheets_first(in->sheets),
        .grip_areas = in->grip_areas,
        .seam_smooth_deg = in->seam_smooth_deg,
        .seam_inner_deg = in->seam_inner_deg,
        .seam_outer_deg = in->seam_outer_deg,
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
        .corners = (navd_corners)in->corners,
        .mitre_limit = in->mitre_limit,
        .arc_error_m = in->arc_error_m,
        .sheets = in->sheets,
        .grip_areas = in->grip_areas,
        .seam_smooth_deg = in->seam_smooth_deg,
        .seam_inner_deg = in->seam_inner_deg,
        .seam_outer_deg = in->seam_outer_deg,
    };
    memcpy(out->area_flags, in->area_flags, sizeof out->area_flags);
}

const char *navd_sheet_name(navd_sheet s)
{
    return nav_sheet_name((nav_sheet)s);
}

void navd_sheet_to_frame(navd_sheet s, const double in[3], double out[3])
{
    nav_sheet_to_frame((nav_sheet)s, in, out);
}

void navd_sheet_to_world(navd_sheet s, const double in[3], double out[3])
{
    nav_sheet_to_world((nav_sheet)s, in, out);
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
    case NAVD_PATCH_HEIGHTS: {
        const uint32_t count = in->u.patch.columns * in->u.patch.rows;
        out->u.patch.column = in->u.patch.column;
        out->u.patch.row = in->u.patch.row;
        out->u.patch.columns = in->u.patch.columns;
        out->u.patch.rows = in->u.patch.rows;
        out->u.patch.samples = (np_bin){in->u.patch.samples, count * (in->u.patch.bits / 8)};
        if (in->u.patch.areas && in->u.patch.columns > 1 && in->u.patch.rows > 1)
            out->u.patch.areas = (np_bin){in->u.patch.areas, (in->u.patch.columns - 1) * (in->u.patch.rows - 1)};
        break;
    }
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

np_mesh_form navd_mesh_form(const navd_mesh *m)
{
    if (!m->heights) return np_mesh_form_of(m->areas != NULL, 0);
    return np_mesh_form_of(m->heights->areas != NULL, (uint8_t)m->heights->bits);
}

void navd_mesh_counts(const navd_mesh *m, uint32_t *vertices, uint32_t *triangles)
{
    const navd_heights *h = m->heights;
    *vertices = h ? h->columns * h->rows : m->vertex_count;
    *triangles = h ? 2 * (h->columns - 1) * (h->rows - 1) : m->triangle_count;
}

nav_heights_spec navd_heights_to_core(const navd_heights *h)
{
    return (nav_heights_spec){
        .columns = h->columns,
        .rows = h->rows,
        .first_column = h->first_column,
        .first_row = h->first_row,
        .spacing_m = h->spacing_m,
        .scale_m = h->scale_m,
        .offset_m = h->offset_m,
        .format = h->bits == 16 ? NAV_HEIGHTS_16 : NAV_HEIGHTS_FLOAT,
        .diagonal = (nav_diagonal)h->diagonal,
        .samples = h->samples,
        .areas = h->areas,
    };
}

navd_heights navd_heights_from_core(const nav_heights_spec *s)
{
    return (navd_heights){
        .columns = s->columns,
        .rows = s->rows,
        .first_column = s->first_column,
        .first_row = s->first_row,
        .spacing_m = s->spacing_m,
        .scale_m = s->scale_m,
        .offset_m = s->offset_m,
        .bits = s->format == NAV_HEIGHTS_16 ? 16 : 32,
        .diagonal = (navd_diagonal)s->diagonal,
        .samples = s->samples,
        .areas = s->areas,
    };
}

uint64_t navd_mesh_bytes(const navd_mesh *m)
{
    uint32_t vertices, triangles;
    navd_mesh_counts(m, &vertices, &triangles);
    return np_mesh_bytes(vertices, triangles, navd_mesh_form(m));
}

nav_key navd_mesh_key(const navd_mesh *m)
{
    if (m->heights) {
        const nav_heights_spec spec = navd_heights_to_core(m->heights);
        return nav_heights_hash(&spec);
    }
    return nav_mesh_hash_with_areas(m->vertices, m->vertex_count, m->triangles, m->triangle_count, m->areas);
}

static bool heights_from_bytes(uint8_t *bytes, uint32_t vertices, uint32_t triangles, np_mesh_form form,
                               navd_heights *heights, navd_mesh *out)
{
    nav_heights_spec s;
    const nav_height_format format = np_mesh_height_format(form);
    uint8_t *samples = bytes + NAV_HEIGHTS_HEAD_BYTES;
    nav_heights_load_head(bytes, &s);
    if (s.format != format || s.columns < 2 || s.rows < 2 || (uint64_t)s.columns * s.rows != vertices ||
        2 * (uint64_t)(s.columns - 1) * (s.rows - 1) != triangles || (unsigned)s.diagonal >= NAV_DIAGONAL_COUNT)
        return false;
    for (uint32_t i = 0; i < vertices; i++) {
        uint16_t whole = nav_load_u16(samples + 2 * (size_t)i);
        if (format == NAV_HEIGHTS_16) memcpy(samples + 2 * (size_t)i, &whole, sizeof whole);
        if (format == NAV_HEIGHTS_16) continue;
        uint32_t word = nav_load_u32(samples + 4 * (size_t)i);
        memcpy(samples + 4 * (size_t)i, &word, sizeof word);
    }
    s.samples = samples;
    if (form & NP_MESH_AREAS) s.areas = samples + nav_height_sample_bytes(format) * (size_t)vertices;
    *heights = navd_heights_from_core(&s);
    *out = (navd_mesh){.heights = heights};
    return true;
}

bool navd_mesh_from_bytes(uint8_t *bytes, uint32_t vertices, uint32_t triangles, np_mesh_form form,
                          navd_heights *heights, navd_mesh *out)
{
    if (form & NP_MESH_HEIGHTS) return heights_from_bytes(bytes, vertices, triangles, form, heights, out);
    const size_t words = np_mesh_bytes(vertices, triangles, 0);
    for (size_t i = 0; i < words; i += 4) {
        uint32_t word = nav_load_u32(bytes + i);
        memcpy(bytes + i, &word, 4);
    }
    *out = (navd_mesh){.vertices = (const float *)(const void *)bytes,
                       .vertex_count = vertices,
                       .triangles = (const uint32_t *)(const void *)bytes + (bytes ? 3 * (size_t)vertices : 0),
                       .triangle_count = triangles,
                       .areas = form & NP_MESH_AREAS && bytes ? bytes + words : NULL};
    return true;
}

// A part of the string of a grid. Head and samples begin at multiples of their size, and so does the part.
static void store_heights(const navd_heights *h, uint64_t offset, uint8_t *out, uint64_t count)
{
    const nav_heights_spec s = navd_heights_to_core(h);
    const uint64_t step = h->bits / 8, areas_at = NAV_HEIGHTS_HEAD_BYTES + step * h->columns * h->rows;
    uint8_t head[NAV_HEIGHTS_HEAD_BYTES];
    uint64_t at = offset, end = offset + count;
    nav_heights_store_head(&s, head);
    for (; at < end && at < NAV_HEIGHTS_HEAD_BYTES; at++) *out++ = head[at];
    for (; at < end && at < areas_at; at += step, out += step) {
        const uint64_t sample = (at - NAV_HEIGHTS_HEAD_BYTES) / step;
        if (h->bits == 16)
            nav_store_u16(out, ((const uint16_t *)h->samples)[sample]);
        else
            nav_store_f32(out, ((const float *)h->samples)[sample]);
    }
    if (at < end) memcpy(out, h->areas + (at - areas_at), end - at);
}

void navd_mesh_bytes_store(const navd_mesh *mesh, uint64_t offset, uint8_t *out, uint64_t count)
{
    if (mesh->heights) {
        store_heights(mesh->heights, offset, out, count);
        return;
    }
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
