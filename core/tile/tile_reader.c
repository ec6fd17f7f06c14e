// Reads navd's tile. After nav_tile_open() answered NAV_OK nothing in the bytes can lead an accessor outside of them,
// and the shape is what a client may build on:
//
//       a---b        every cell turns right-handed about +Y exactly once, without zero edges; what lies behind an edge
//       is
//      /  A  \       a wall, a portal on that border of the tile, or a cell that has the same edge the other way round
//     f       c      and names this cell behind it.
//      \     / \     .
//       e---d - - B

#include "core/base/endian.h"
#include "core/tile/tile_layout.h"

#include <assert.h>

// Comparing an edge with its neighbour's edges is quadratic in a cell's corners. Real tiles need thousands of steps.
static const uint64_t NEIGHBOUR_STEPS_MAX = 1u << 26;

typedef struct reader {
    nav_tile_view *view;
    uint64_t steps; // of NEIGHBOUR_STEPS_MAX
    char *why;
    size_t why_bytes;
} reader;

#define REFUSE(r, ...) nav_refuse(NAV_ERR_FORMAT, (r)->why, (r)->why_bytes, __VA_ARGS__)

static uint32_t load_index(const nav_tile_view *v, const uint8_t *section, uint64_t at)
{
    return v->index_bytes == 2 ? nav_load_u16(section + 2 * at) : nav_load_u32(section + 4 * at);
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
    *v = (nav_tile_view){
        .content_key = nav_key_load(bytes + TILE_AT_KEY),
        .revision = nav_load_u64(bytes + TILE_AT_REVISION),
        .generator_version = nav_load_u32(bytes + TILE_AT_GENERATOR),
        .tile_x = nav_load_i32(bytes + TILE_AT_X),
        .tile_z = nav_load_i32(bytes + TILE_AT_Z),
        .tile_cells = nav_load_i32(bytes + TILE_AT_TILE_CELLS),
        .cell_size_m = nav_load_f32(bytes + TILE_AT_CELL_SIZE),
        .cell_height_m = nav_load_f32(bytes + TILE_AT_CELL_HEIGHT),
        .agent_height_m = nav_load_f32(bytes + TILE_AT_AGENT_HEIGHT),
        .agent_radius_m = nav_load_f32(bytes + TILE_AT_AGENT_RADIUS),
        .agent_climb_m = nav_load_f32(bytes + TILE_AT_AGENT_CLIMB),
        .min_y = nav_load_f32(bytes + TILE_AT_MIN_Y),
        .max_y = nav_load_f32(bytes + TILE_AT_MAX_Y),
        .vert_count = nav_load_u32(bytes + TILE_AT_VERTS),
        .detail_vert_count = nav_load_u32(bytes + TILE_AT_DETAIL_VERTS),
        .cell_count = nav_load_u32(bytes + TILE_AT_CELLS),
        .corner_count = nav_load_u32(bytes + TILE_AT_CORNERS),
        .triangle_count = nav_load_u32(bytes + TILE_AT_TRIANGLES),
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
    if (nav_load_u32(bytes + TILE_AT_RESERVED)) return REFUSE(r, "the reserved bytes are not zero");
    if (v->tile_cells < 1 || v->tile_cells > 0xFFFF) return REFUSE(r, "a tile of %d cells", v->tile_cells);
    if (!positive(v->cell_size_m) || !positive(v->cell_height_m))
        return REFUSE(r, "cells of %g by %g m", (double)v->cell_size_m, (double)v->cell_height_m);
    if (!positive(v->agent_height_m) || !in_reach(v->agent_radius_m) || v->agent_radius_m < 0 ||
        !in_reach(v->agent_climb_m) || v->agent_climb_m < 0)
        return REFUSE(r, "an agent of height %g, radius %g, climb %g", (double)v->agent_height_m,
                      (double)v->agent_radius_m, (double)v->agent_climb_m);
    for (int a = 0; a < 3; a++)
        if (!(v->origin_m[a] >= -1e9 && v->origin_m[a] <= 1e9)) return REFUSE(r, "the origin is not a place");
    if (!in_reach(v->min_y) || !in_reach(v->max_y) || v->min_y > v->max_y)
        return REFUSE(r, "heights from %g to %g", (double)v->min_y, (double)v->max_y);
    return NAV_OK;
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
        nav_tile_get_place(v, i, at);
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
    }
    if (corner != v->corner_count || triangle != v->triangle_count)
        return REFUSE(r, "the cells do not use all corners and triangles");
    for (uint32_t k = 0; k < v->corner_count; k++) {
        nav_tile_corner at;
        nav_tile_get_corner(v, k, &at);
        if (at.vert >= v->vert_count) return REFUSE(r, "corner %u has vertex %u", k, at.vert);
        if (at.behind >= (int64_t)v->cell_count || (at.behind < 0 && at.behind < NAV_EDGE_PORTAL_ZMIN))
            return REFUSE(r, "corner %u has %lld behind it", k, (long long)at.behind);
    }
    for (uint64_t k = 0; k < 3 * (uint64_t)v->triangle_count; k++)
        if (load_index(v, v->triangles, k) >= (uint64_t)v->vert_count + v->detail_vert_count)
            return REFUSE(r, "triangle %llu has vertex %u", (unsigned long long)(k / 3),
                          load_index(v, v->triangles, k));
    return NAV_OK;
}

// Does a loop turn right-handed about +Y at every corner, and only once around? Convex it is then.
typedef struct turning {
    int64_t last[2]; // the edge before: x, z
    int quadrants;   // changes of the sign of x: two in a loop that goes around once
    int sign;        // of the last x that was not zero
} turning;

static int sign_of(int64_t v)
{
    return (v > 0) - (v < 0);
}

static bool turns_right(turning *t, const int64_t edge[2])
{
    if (edge[0] == 0 && edge[1] == 0) return false;
    int64_t cross = t->last[0] * edge[1] - t->last[1] * edge[0];
    int64_t dot = t->last[0] * edge[0] + t->last[1] * edge[1];
    if (cross > 0 || (cross == 0 && dot < 0)) return false;
    int sign = sign_of(edge[0]);
    if (sign && t->sign && sign != t->sign) t->quadrants++;
    if (sign) t->sign = sign;
    t->last[0] = edge[0];
    t->last[1] = edge[1];
    return true;
}

static void edge_of(const nav_tile_view *v, const nav_tile_cell *cell, uint32_t k, int64_t edge[2])
{
    nav_tile_corner a, b;
    int32_t from[3], to[3];
    nav_tile_get_corner(v, cell->first_corner + k, &a);
    nav_tile_get_corner(v, cell->first_corner + (k + 1 == cell->corner_count ? 0 : k + 1), &b);
    nav_tile_get_vert(v, a.vert, from);
    nav_tile_get_vert(v, b.vert, to);
    edge[0] = to[0] - from[0];
    edge[1] = to[2] - from[2];
}

static bool is_convex(const nav_tile_view *v, const nav_tile_cell *cell)
{
    turning t = {0};
    edge_of(v, cell, cell->corner_count - 1, t.last);
    if (t.last[0] == 0 && t.last[1] == 0) return false;
    int64_t turned = 0;
    for (uint32_t k = 0; k < cell->corner_count; k++) {
        int64_t edge[2], before[2] = {t.last[0], t.last[1]};
        edge_of(v, cell, k, edge);
        if (!turns_right(&t, edge)) return false;
        turned |= before[0] * edge[1] - before[1] * edge[0];
    }
    // The last change closes the loop: the first edge with an x is compared with the last one.
    for (uint32_t k = 0; k < cell->corner_count; k++) {
        int64_t edge[2];
        edge_of(v, cell, k, edge);
        if (!edge[0]) continue;
        t.quadrants += sign_of(edge[0]) != t.sign;
        break;
    }
    return turned && t.quadrants == 2;
}

// Is the edge from a to b on the border that the portal names?
static bool on_border(const nav_tile_view *v, int64_t portal, const int32_t a[3], const int32_t b[3])
{
    switch (portal) {
    case NAV_EDGE_PORTAL_XMAX:
        return a[0] == v->tile_cells && b[0] == v->tile_cells;
    case NAV_EDGE_PORTAL_ZMAX:
        return a[2] == v->tile_cells && b[2] == v->tile_cells;
    case NAV_EDGE_PORTAL_XMIN:
        return a[0] == 0 && b[0] == 0;
    default:
        return a[2] == 0 && b[2] == 0;
    }
}

static nav_status check_neighbour(reader *r, uint32_t self, uint32_t other, uint32_t from, uint32_t to)
{
    nav_tile_cell cell;
    nav_tile_get_cell(r->view, other, &cell);
    r->steps += cell.corner_count;
    if (r->steps > NEIGHBOUR_STEPS_MAX)
        return nav_refuse(NAV_ERR_LIMIT, r->why, r->why_bytes, "the cells have too many corners to compare them");
    for (uint32_t k = 0; k < cell.corner_count; k++) {
        nav_tile_corner a, b;
        nav_tile_get_corner(r->view, cell.first_corner + k, &a);
        if (a.vert != to || a.behind != (int64_t)self) continue;
        nav_tile_get_corner(r->view, cell.first_corner + (k + 1 == cell.corner_count ? 0 : k + 1), &b);
        if (b.vert == from) return NAV_OK;
    }
    return REFUSE(r, "cell %u has cell %u behind an edge, but not the reverse", self, other);
}

static nav_status check_cell(reader *r, uint32_t c)
{
    const nav_tile_view *v = r->view;
    nav_tile_cell cell;
    nav_tile_get_cell(v, c, &cell);
    if (!is_convex(v, &cell)) return REFUSE(r, "cell %u is not convex", c);
    for (uint32_t k = 0; k < cell.corner_count; k++) {
        nav_tile_corner a, b;
        nav_tile_get_corner(v, cell.first_corner + k, &a);
        nav_tile_get_corner(v, cell.first_corner + (k + 1 == cell.corner_count ? 0 : k + 1), &b);
        if (a.behind == NAV_EDGE_WALL) continue;
        if (a.behind < 0) {
            int32_t from[3], to[3];
            nav_tile_get_vert(v, a.vert, from);
            nav_tile_get_vert(v, b.vert, to);
            if (!on_border(v, a.behind, from, to)) return REFUSE(r, "cell %u has a portal off its border", c);
            continue;
        }
        nav_status s = check_neighbour(r, c, (uint32_t)a.behind, a.vert, b.vert);
        if (s != NAV_OK) return s;
    }
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
        if (!in_reach(link.start[a]) || !in_reach(link.end[a])) return REFUSE(r, "link %u is not a place", k);
    return NAV_OK;
}

nav_status nav_tile_open(const uint8_t *bytes, size_t count, nav_tile_view *out, char *why, size_t why_bytes)
{
    reader r = {.view = out, .why = why, .why_bytes = why_bytes};
    if (count < NAV_TILE_HEADER_BYTES)
        return nav_refuse(NAV_ERR_TRUNCATED, why, why_bytes, "%zu bytes are less than a header's %d", count,
                          NAV_TILE_HEADER_BYTES);
    if (nav_load_u32(bytes + TILE_AT_MAGIC) != TILE_MAGIC) return REFUSE(&r, "this is no navd tile");
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
    out->corner_vert = bytes + l.corner_vert;
    out->corner_behind = bytes + l.corner_behind;
    out->detail_x = bytes + l.detail_x;
    out->detail_z = bytes + l.detail_z;
    out->detail_y = bytes + l.detail_y;
    out->triangles = bytes + l.triangles;
    out->links = bytes + l.links;

    s = check_places(&r);
    if (s == NAV_OK) s = check_ranges(&r);
    for (uint32_t c = 0; s == NAV_OK && c < out->cell_count; c++) s = check_cell(&r, c);
    for (uint32_t k = 0; s == NAV_OK && k < out->link_count; k++) s = check_link(&r, k);
    return s;
}

void nav_tile_get_cell(const nav_tile_view *v, uint32_t cell, nav_tile_cell *out)
{
    assert(cell < v->cell_count);
    out->first_corner = load_index(v, v->cell_first, cell);
    out->corner_count = load_index(v, v->cell_first, (uint64_t)cell + 1) - out->first_corner;
    out->first_triangle = load_index(v, v->cell_triangle, cell);
    out->triangle_count = load_index(v, v->cell_triangle, (uint64_t)cell + 1) - out->first_triangle;
    out->area = v->cell_area[cell];
}

void nav_tile_get_corner(const nav_tile_view *v, uint32_t corner, nav_tile_corner *out)
{
    assert(corner < v->corner_count);
    uint32_t behind = load_index(v, v->corner_behind, corner);
    uint32_t codes = v->index_bytes == 2 ? 0xFFF0u : 0xFFFFFFF0u; // from here on: -16 to -1
    out->vert = load_index(v, v->corner_vert, corner);
    out->behind = behind < codes ? (int64_t)behind : (int64_t)behind - codes - 16;
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
    double at[3];
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
    out[0] = nav_place(v->origin_m[0], v->tile_x, v->tile_cells, (double)v->cell_size_m, at[0]);
    out[1] = nav_place(v->origin_m[1], 0, 0, (double)v->cell_height_m, at[1]);
    out[2] = nav_place(v->origin_m[2], v->tile_z, v->tile_cells, (double)v->cell_size_m, at[2]);
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
