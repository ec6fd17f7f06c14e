// Reads navd's tile. After nav_tile_open() answered NAV_OK nothing in the bytes can lead an accessor outside of them,
// and the shape (tile_check.c) is what a client may build on.

#include "core/base/endian.h"
#include "core/geometry/place.h"
#include "core/tile/tile_check.h"
#include "core/tile/tile_layout.h"

#include <assert.h>

typedef struct reader {
    nav_tile_view *view;
    char *why;
    size_t why_bytes;
} reader;

#define REFUSE(r, ...) nav_refuse(NAV_ERR_FORMAT, (r)->why, (r)->why_bytes, __VA_ARGS__)

static uint32_t load_index(const nav_tile_view *v, const uint8_t *section, uint64_t at)
{
    return v->index_bytes == 2 ? nav_load_u16(section + 2 * at) : nav_load_u32(section + 4 * at);
}

// A cell, or a code for a wall or portal.
static int64_t load_behind(const nav_tile_view *v, const uint8_t *section, uint64_t at)
{
    uint32_t behind = load_index(v, section, at);
    uint32_t codes = v->index_bytes == 2 ? 0xFFF0u : 0xFFFFFFF0u; // from here on: -16 to -1
    return behind < codes ? (int64_t)behind : (int64_t)behind - codes - 16;
}

static bool positive(float v)
{
    return v > 0 && v <= 1e9f; // false for NaN
}

static bool in_reach(float v)
{
    return v >= -1e9f && v <= 1e9f; // false for NaN
}

static void load_header(const uint8_t *bytes, nav_tile_view *v)
{
    uint32_t word = nav_load_u32(bytes + TILE_AT_UNIT);
    int32_t unit = (int32_t)(word & ((1u << TILE_SHEET_SHIFT) - 1));
    *v = (nav_tile_view){
        .content_key = nav_key_load(bytes + TILE_AT_KEY),
        .revision = nav_load_u64(bytes + TILE_AT_REVISION),
        .generator_version = nav_load_u32(bytes + TILE_AT_GENERATOR),
        .sheet = (nav_sheet)(word >> TILE_SHEET_SHIFT),
        .tile_x = nav_load_i32(bytes + TILE_AT_X),
        .tile_z = nav_load_i32(bytes + TILE_AT_Z),
        .tile_cells = nav_load_i32(bytes + TILE_AT_TILE_CELLS),
        .unit = unit == 0 ? 1 : unit,
        .cell_size_m = nav_load_f32(bytes + TILE_AT_CELL_SIZE),
        .cell_height_m = nav_load_f32(bytes + TILE_AT_CELL_HEIGHT),
        .agent_height_m = nav_load_f32(bytes + TILE_AT_AGENT_HEIGHT),
        .agent_radius_m = nav_load_f32(bytes + TILE_AT_AGENT_RADIUS),
        .agent_climb_m = nav_load_f32(bytes + TILE_AT_AGENT_CLIMB),
        .relaxation_m = nav_load_f32(bytes + TILE_AT_RELAXATION),
        .min_y = nav_load_f32(bytes + TILE_AT_MIN_Y),
        .max_y = nav_load_f32(bytes + TILE_AT_MAX_Y),
        .vert_count = nav_load_u32(bytes + TILE_AT_VERTS),
        .detail_vert_count = nav_load_u32(bytes + TILE_AT_DETAIL_VERTS),
        .cell_count = nav_load_u32(bytes + TILE_AT_CELLS),
        .corner_count = nav_load_u32(bytes + TILE_AT_CORNERS),
        .triangle_count = nav_load_u32(bytes + TILE_AT_TRIANGLES),
        .portal_count = nav_load_u32(bytes + TILE_AT_PORTALS),
        .link_count = nav_load_u32(bytes + TILE_AT_LINKS),
        .index_bytes = nav_load_u32(bytes + TILE_AT_INDEX_BYTES),
    };
    for (int a = 0; a < 3; a++) {
        uint64_t bits = nav_load_u64(bytes + TILE_AT_ORIGIN + 8 * a);
        memcpy(&v->origin_m[a], &bits, sizeof bits);
    }
}

static nav_status check_header(const reader *r, const uint8_t *bytes, size_t count)
{
    const nav_tile_view *v = r->view;
    if (v->index_bytes != 2 && v->index_bytes != 4) return REFUSE(r, "indices of %u bytes", v->index_bytes);
    uint64_t size = tile_layout_of(v).size;
    if (size != nav_load_u32(bytes + TILE_AT_SIZE))
        return REFUSE(r, "the header says %u bytes, its counts make %llu", nav_load_u32(bytes + TILE_AT_SIZE),
                      (unsigned long long)size);
    if (count < size)
        return nav_refuse(NAV_ERR_TRUNCATED, r->why, r->why_bytes, "%zu bytes where the header asks for %llu", count,
                          (unsigned long long)size);
    if (count > size) return REFUSE(r, "%llu bytes too many", (unsigned long long)(count - size));
    if (nav_tile_checksum(bytes, count) != nav_load_u64(bytes + TILE_AT_CHECKSUM))
        return REFUSE(r, "the checksum does not fit the bytes");
    if (v->tile_cells < 1 || v->tile_cells > 0xFFFF) return REFUSE(r, "a tile of %d cells", v->tile_cells);
    if (v->unit < 1 || v->unit > NAV_TILE_UNIT_MOST || (v->unit & (v->unit - 1)) || v->tile_cells % v->unit)
        return REFUSE(r, "a tile of %d cells, %d to a column", v->tile_cells, v->unit);
    if ((unsigned)v->sheet >= NAV_SHEET_COUNT) return REFUSE(r, "sheet %u", (unsigned)v->sheet);
    if (!positive(v->cell_size_m) || !positive(v->cell_height_m))
        return REFUSE(r, "cells of %g by %g m", (double)v->cell_size_m, (double)v->cell_height_m);
    if (!positive(v->agent_height_m) || !in_reach(v->agent_radius_m) || v->agent_radius_m < 0 ||
        !in_reach(v->agent_climb_m) || v->agent_climb_m < 0)
        return REFUSE(r, "an agent of height %g, radius %g, climb %g", (double)v->agent_height_m,
                      (double)v->agent_radius_m, (double)v->agent_climb_m);
    if (!in_reach(v->relaxation_m) || v->relaxation_m < 0)
        return REFUSE(r, "cells relaxed by %g m", (double)v->relaxation_m);
    for (int a = 0; a < 3; a++)
        if (!(v->origin_m[a] >= -1e9 && v->origin_m[a] <= 1e9)) return REFUSE(r, "the origin is not a finite position");
    if (!in_reach(v->min_y) || !in_reach(v->max_y) || v->min_y > v->max_y)
        return REFUSE(r, "heights from %g to %g", (double)v->min_y, (double)v->max_y);
    return NAV_OK;
}

// In the frame of the tile's sheet.
static void get_frame_place(const nav_tile_view *v, uint32_t index, float out[3])
{
    double at[3], origin[3];
    if (index < v->vert_count) {
        int32_t whole[3];
        nav_tile_get_vert(v, index, whole);
        for (int a = 0; a < 3; a++) at[a] = whole[a];
    } else {
        size_t extra = index - v->vert_count;
        assert(extra < v->detail_vert_count);
        at[0] = (double)nav_load_f32(v->detail_x + 4 * extra);
        at[1] = (double)nav_load_f32(v->detail_y + 4 * extra);
        at[2] = (double)nav_load_f32(v->detail_z + 4 * extra);
    }
    nav_sheet_to_frame(v->sheet, v->origin_m, origin);
    out[0] = nav_place(origin[0], v->tile_x, v->tile_cells, (double)v->cell_size_m, at[0]);
    out[1] = nav_place(origin[1], 0, 0, (double)v->cell_height_m, at[1]);
    out[2] = nav_place(origin[2], v->tile_z, v->tile_cells, (double)v->cell_size_m, at[2]);
}

static nav_status check_places(const reader *r)
{
    const nav_tile_view *v = r->view;
    for (uint32_t i = 0; i < v->vert_count; i++) {
        int32_t at[3];
        nav_tile_get_vert(v, i, at);
        if (at[0] > v->tile_cells || at[2] > v->tile_cells)
            return REFUSE(r, "vertex %u at %d, %d is outside of the tile", i, at[0], at[2]);
    }
    float cells = (float)v->tile_cells;
    for (uint32_t i = 0; i < v->detail_vert_count; i++) {
        float x = nav_load_f32(v->detail_x + 4 * (size_t)i), z = nav_load_f32(v->detail_z + 4 * (size_t)i);
        if (!(x >= 0 && x <= cells && z >= 0 && z <= cells))
            return REFUSE(r, "detail vertex %u at %g, %g is outside of the tile", i, (double)x, (double)z);
    }
    uint64_t points = (uint64_t)v->vert_count + v->detail_vert_count;
    if (points > UINT32_MAX) return REFUSE(r, "too many vertices");
    for (uint32_t i = 0; i < points; i++) {
        float at[3];
        get_frame_place(v, i, at);
        if (!(at[1] >= v->min_y && at[1] <= v->max_y))
            return REFUSE(r, "vertex %u at height %g is not within the tile's heights", i, (double)at[1]);
    }
    return NAV_OK;
}

static nav_status check_ranges(const reader *r)
{
    const nav_tile_view *v = r->view;
    uint32_t corner = 0, triangle = 0;
    for (uint64_t c = 0; c <= v->cell_count; c++) {
        uint32_t next_corner = load_index(v, v->cell_first, c), next_triangle = load_index(v, v->cell_triangle, c);
        if (c == 0 ? next_corner != 0 || next_triangle != 0
                   : next_corner < corner || next_corner - corner < 3 || next_triangle <= triangle)
            return REFUSE(r, "the corners or triangles of cell %llu are not in order", (unsigned long long)c);
        corner = next_corner;
        triangle = next_triangle;
        if (c < v->cell_count && (v->cell_area[c] == NAV_AREA_NONE || v->cell_area[c] >= NAV_AREA_COUNT))
            return REFUSE(r, "cell %llu has area %d", (unsigned long long)c, v->cell_area[c]);
        if (c < v->cell_count && (v->cell_flags[c] & ~NAV_CELL_FLAGS))
            return REFUSE(r, "cell %llu has flags %#x", (unsigned long long)c, v->cell_flags[c]);
    }
    if (corner != v->corner_count || triangle != v->triangle_count)
        return REFUSE(r, "the cells do not use all corners and triangles");
    for (uint32_t k = 0; k < v->corner_count; k++) {
        nav_tile_corner at;
        nav_tile_get_corner(v, k, &at);
        if (at.vert >= v->vert_count) return REFUSE(r, "corner %u has vertex %u", k, at.vert);
        if (at.behind >= (int64_t)v->cell_count || at.behind < NAV_EDGE_SEAM)
            return REFUSE(r, "corner %u has %lld behind it", k, (long long)at.behind);
    }
    if (v->portal_count > v->corner_count) return REFUSE(r, "%u portals", v->portal_count);
    for (uint64_t k = 0; k < 3 * (uint64_t)v->triangle_count; k++)
        if (load_index(v, v->triangles, k) >= (uint64_t)v->vert_count + v->detail_vert_count)
            return REFUSE(r, "triangle %llu has vertex %u", (unsigned long long)(k / 3),
                          load_index(v, v->triangles, k));
    return NAV_OK;
}

static nav_status check_link(const reader *r, uint32_t k)
{
    nav_link link;
    nav_tile_get_link(r->view, k, &link);
    if (link.area == NAV_AREA_NONE || link.area >= NAV_AREA_COUNT || link.both_ways > 1)
        return REFUSE(r, "link %u has area %d, both ways %d", k, link.area, link.both_ways);
    if (!positive(link.radius_m)) return REFUSE(r, "link %u has radius %g", k, (double)link.radius_m);
    for (int a = 0; a < 3; a++)
        if (!in_reach(link.start[a]) || !in_reach(link.end[a])) return REFUSE(r, "link %u is not a finite position", k);
    return NAV_OK;
}

uint64_t nav_tile_checksum(const uint8_t *bytes, size_t count)
{
    return nav_key_of(bytes + TILE_AT_SIZE, count - TILE_AT_SIZE).low;
}

nav_status nav_tile_open(const uint8_t *bytes, size_t count, nav_tile_view *out, char *why, size_t why_bytes)
{
    reader r = {.view = out, .why = why, .why_bytes = why_bytes};
    if (count < NAV_TILE_HEADER_BYTES)
        return nav_refuse(NAV_ERR_TRUNCATED, why, why_bytes, "%zu bytes are less than a header's %d", count,
                          NAV_TILE_HEADER_BYTES);
    if (nav_load_u32(bytes + TILE_AT_MAGIC) != TILE_MAGIC) return REFUSE(&r, "not a navd tile");
    if (nav_load_u32(bytes + TILE_AT_VERSION) != NAV_TILE_VERSION)
        return nav_refuse(NAV_ERR_VERSION, why, why_bytes, "version %u, not %d", nav_load_u32(bytes + TILE_AT_VERSION),
                          NAV_TILE_VERSION);
    load_header(bytes, out);
    nav_status s = check_header(&r, bytes, count);
    if (s != NAV_OK) return s;

    tile_layout l = tile_layout_of(out);
    out->verts_x = bytes + l.verts_x;
    out->verts_z = bytes + l.verts_z;
    out->verts_y = bytes + l.verts_y;
    out->cell_first = bytes + l.cell_first;
    out->cell_triangle = bytes + l.cell_triangle;
    out->cell_area = bytes + l.cell_area;
    out->cell_flags = bytes + l.cell_flags;
    out->corner_vert = bytes + l.corner_vert;
    out->corner_behind = bytes + l.corner_behind;
    out->portal_cell = bytes + l.portal_cell;
    out->portal_behind = bytes + l.portal_behind;
    out->portal_from = bytes + l.portal_from;
    out->portal_to = bytes + l.portal_to;
    out->portal_width = bytes + l.portal_width;
    out->portal_clearance = bytes + l.portal_clearance;
    out->detail_x = bytes + l.detail_x;
    out->detail_z = bytes + l.detail_z;
    out->detail_y = bytes + l.detail_y;
    out->triangles = bytes + l.triangles;
    out->links = bytes + l.links;

    s = check_places(&r);
    if (s == NAV_OK) s = check_ranges(&r);
    if (s == NAV_OK) s = nav_tile_check_shape(out, why, why_bytes);
    for (uint32_t k = 0; s == NAV_OK && k < out->link_count; k++) s = check_link(&r, k);
    return s;
}

int32_t nav_tile_columns(const nav_tile_view *v)
{
    return v->tile_cells / v->unit;
}

float nav_tile_column_m(const nav_tile_view *v)
{
    return v->cell_size_m * (float)v->unit;
}

void nav_tile_get_cell(const nav_tile_view *v, uint32_t cell, nav_tile_cell *out)
{
    assert(cell < v->cell_count);
    out->first_corner = load_index(v, v->cell_first, cell);
    out->corner_count = load_index(v, v->cell_first, (uint64_t)cell + 1) - out->first_corner;
    out->first_triangle = load_index(v, v->cell_triangle, cell);
    out->triangle_count = load_index(v, v->cell_triangle, (uint64_t)cell + 1) - out->first_triangle;
    out->area = v->cell_area[cell];
    out->flags = v->cell_flags[cell];
}

void nav_tile_get_corner(const nav_tile_view *v, uint32_t corner, nav_tile_corner *out)
{
    assert(corner < v->corner_count);
    out->vert = load_index(v, v->corner_vert, corner);
    out->behind = load_behind(v, v->corner_behind, corner);
}

void nav_tile_get_portal(const nav_tile_view *v, uint32_t portal, nav_tile_portal *out)
{
    assert(portal < v->portal_count);
    out->cell = load_index(v, v->portal_cell, portal);
    out->behind = load_behind(v, v->portal_behind, portal);
    out->from = load_index(v, v->portal_from, portal);
    out->to = load_index(v, v->portal_to, portal);
    out->width_m = nav_load_f32(v->portal_width + 4 * (size_t)portal);
    out->clearance_m = nav_load_f32(v->portal_clearance + 4 * (size_t)portal);
}

void nav_tile_get_triangle(const nav_tile_view *v, uint32_t triangle, uint32_t out[3])
{
    assert(triangle < v->triangle_count);
    for (uint64_t k = 0; k < 3; k++) out[k] = load_index(v, v->triangles, 3 * (uint64_t)triangle + k);
}

void nav_tile_get_vert(const nav_tile_view *v, uint32_t vert, int32_t out[3])
{
    assert(vert < v->vert_count);
    out[0] = nav_load_u16(v->verts_x + 2 * (size_t)vert);
    out[1] = nav_load_i32(v->verts_y + 4 * (size_t)vert);
    out[2] = nav_load_u16(v->verts_z + 2 * (size_t)vert);
}

void nav_tile_get_place(const nav_tile_view *v, uint32_t index, float out[3])
{
    get_frame_place(v, index, out);
    if (v->sheet == NAV_SHEET_UP) return;
    double at[3] = {(double)out[0], (double)out[1], (double)out[2]};
    nav_sheet_to_world(v->sheet, at, at);
    for (int a = 0; a < 3; a++) out[a] = (float)at[a];
}

void nav_tile_get_link(const nav_tile_view *v, uint32_t link, nav_link *out)
{
    assert(link < v->link_count);
    const uint8_t *p = v->links + (size_t)link * TILE_LINK_BYTES;
    *out = (nav_link){
        .id = nav_load_u32(p + 28),
        .radius_m = nav_load_f32(p + 24),
        .area = p[34],
        .both_ways = p[35],
        .flags = nav_load_u16(p + 32),
    };
    for (int a = 0; a < 3; a++) {
        out->start[a] = nav_load_f32(p + 4 * a);
        out->end[a] = nav_load_f32(p + 12 + 4 * a);
    }
}
