// Reads Detour's tile, version 7. Checks what Detour itself trusts: every index it follows, the one triangle edge that
// its nearest-point search needs, numbers whose squares stay finite. Links and their list heads are not looked at:
// Detour makes them again when a tile is added, so a file written after linking is as good as one before.

#include "core/base/endian.h"
#include "core/tile/detour_layout.h"

#include <assert.h>

static const float COORDINATE_MAX_M = 1e9f; // squared distances must stay finite, else Detour finds no nearest edge

typedef struct reader {
    nav_detour_view *view;
    char *why;
    size_t why_bytes;
} reader;

#define REFUSE(r, ...) nav_refuse(NAV_ERR_FORMAT, (r)->why, (r)->why_bytes, __VA_ARGS__)

static bool in_reach(float v)
{
    return v >= -COORDINATE_MAX_M && v <= COORDINATE_MAX_M; // false for NaN
}

static void read_header(const uint8_t *bytes, nav_detour_header *h)
{
    int32_t i[13];
    float f[10];
    for (int k = 0; k < 13; k++) i[k] = nav_load_i32(bytes + 8 + 4 * k);
    for (int k = 0; k < 10; k++) f[k] = nav_load_f32(bytes + 60 + 4 * k);
    *h = (nav_detour_header){
        .x = i[0],
        .z = i[1],
        .layer = i[2],
        .user_id = (uint32_t)i[3],
        .poly_count = i[4],
        .vert_count = i[5],
        .max_link_count = i[6],
        .detail_mesh_count = i[7],
        .detail_vert_count = i[8],
        .detail_tri_count = i[9],
        .bv_node_count = i[10],
        .off_mesh_count = i[11],
        .off_mesh_base = i[12],
        .walkable_height = f[0],
        .walkable_radius = f[1],
        .walkable_climb = f[2],
        .min = {f[3], f[4], f[5]},
        .max = {f[6], f[7], f[8]},
        .bv_quant_factor = f[9],
    };
}

static nav_status check_header(const reader *r)
{
    const nav_detour_header *h = &r->view->header;
    if (h->off_mesh_base < 1 || h->off_mesh_count < 0 || h->poly_count > 0xFFFF ||
        (int64_t)h->off_mesh_base + h->off_mesh_count != h->poly_count)
        return REFUSE(r, "%d polygons are not %d on the ground and %d off-mesh links", h->poly_count, h->off_mesh_base,
                      h->off_mesh_count);
    if (h->detail_mesh_count != h->off_mesh_base)
        return REFUSE(r, "%d detail meshes for %d ground polygons", h->detail_mesh_count, h->off_mesh_base);
    if (h->vert_count < 3 || h->vert_count > 0xFFFF) return REFUSE(r, "%d vertices", h->vert_count);
    if (h->max_link_count < 1) return REFUSE(r, "room for %d links", h->max_link_count);
    if (h->detail_vert_count < 0 || h->detail_tri_count < 1)
        return REFUSE(r, "%d detail vertices, %d detail triangles", h->detail_vert_count, h->detail_tri_count);
    if (h->bv_node_count < 0 || h->bv_node_count > 2 * h->off_mesh_base)
        return REFUSE(r, "%d tree nodes for %d polygons", h->bv_node_count, h->off_mesh_base);
    if (!in_reach(h->walkable_height) || !in_reach(h->walkable_radius) || !in_reach(h->walkable_climb))
        return REFUSE(r, "the agent's size is not a number");
    for (int a = 0; a < 3; a++) {
        if (!in_reach(h->min[a]) || !in_reach(h->max[a]) || h->min[a] > h->max[a])
            return REFUSE(r, "bounds %g to %g on axis %d", (double)h->min[a], (double)h->max[a], a);
        if (h->bv_node_count && !((h->max[a] - h->min[a]) * h->bv_quant_factor < 65535.0f))
            return REFUSE(r, "the bounds do not fit into 16 bits at %g steps a metre", (double)h->bv_quant_factor);
    }
    if (h->bv_node_count && !(h->bv_quant_factor > 0))
        return REFUSE(r, "%g tree steps a metre", (double)h->bv_quant_factor);
    return NAV_OK;
}

static nav_status check_places(const reader *r, const uint8_t *places, int32_t count, const char *what)
{
    for (int32_t i = 0; i < count; i++)
        for (int a = 0; a < 3; a++)
            if (!in_reach(nav_load_f32(places + (size_t)i * DETOUR_VERT_BYTES + 4 * a)))
                return REFUSE(r, "%s %d is not a finite position", what, i);
    return NAV_OK;
}

static nav_status check_polygon(const reader *r, int32_t p)
{
    const nav_detour_header *h = &r->view->header;
    nav_detour_poly poly;
    nav_detour_get_poly(r->view, (uint32_t)p, &poly);
    bool ground = p < h->off_mesh_base;
    if (poly.type != (ground ? NAV_DETOUR_GROUND : NAV_DETOUR_OFF_MESH))
        return REFUSE(r, "polygon %d has type %d", p, poly.type);
    if (ground ? poly.vert_count < 3 || poly.vert_count > NAV_DETOUR_POLY_VERTS : poly.vert_count != 2)
        return REFUSE(r, "polygon %d has %d vertices", p, poly.vert_count);
    for (int k = 0; k < poly.vert_count; k++) {
        if (poly.vert[k] >= h->vert_count)
            return REFUSE(r, "polygon %d has vertex %d of %d", p, poly.vert[k], h->vert_count);
        int behind = poly.neighbour[k];
        if (behind & NAV_DETOUR_PORTAL ? behind & ~(NAV_DETOUR_PORTAL | 6) : behind > h->off_mesh_base)
            return REFUSE(r, "polygon %d has neighbour code %d", p, behind);
    }
    return NAV_OK;
}

static nav_status check_detail(const reader *r, int32_t p)
{
    const nav_detour_header *h = &r->view->header;
    nav_detour_poly poly;
    nav_detour_get_poly(r->view, (uint32_t)p, &poly);
    if ((uint64_t)poly.detail_vert_base + poly.detail_vert_count > (uint32_t)h->detail_vert_count ||
        (uint64_t)poly.detail_tri_base + poly.detail_tri_count > (uint32_t)h->detail_tri_count)
        return REFUSE(r, "the detail of polygon %d leaves its arrays", p);
    int edges = 0;
    const uint8_t *tri = r->view->detail_tris + (size_t)poly.detail_tri_base * DETOUR_DETAIL_TRI_BYTES;
    for (int t = 0; t < poly.detail_tri_count; t++, tri += DETOUR_DETAIL_TRI_BYTES) {
        for (int k = 0; k < 3; k++)
            if (tri[k] >= poly.vert_count + poly.detail_vert_count)
                return REFUSE(r, "triangle %d of polygon %d has vertex %d", t, p, tri[k]);
        edges |= tri[3];
    }
    if (!(edges & DETAIL_EDGES_BOUNDARY)) return REFUSE(r, "polygon %d has no triangle edge on its boundary", p);
    return NAV_OK;
}

static nav_status check_tree(const reader *r)
{
    const nav_detour_header *h = &r->view->header;
    for (int32_t i = 0; i < h->bv_node_count; i++) {
        int32_t index = nav_load_i32(r->view->bv_nodes + (size_t)i * DETOUR_NODE_BYTES + 12);
        if (index >= 0 ? index >= h->off_mesh_base : index < i - h->bv_node_count)
            return REFUSE(r, "tree node %d leads to %d", i, index);
    }
    return NAV_OK;
}

static nav_status check_link(const reader *r, int32_t k)
{
    nav_detour_link link;
    nav_detour_get_link(r->view, (uint32_t)k, &link);
    if (link.poly < r->view->header.off_mesh_base || link.poly >= r->view->header.poly_count)
        return REFUSE(r, "off-mesh link %d has polygon %d", k, link.poly);
    if (!in_reach(link.radius)) return REFUSE(r, "off-mesh link %d has radius %g", k, (double)link.radius);
    for (int a = 0; a < 3; a++)
        if (!in_reach(link.start[a]) || !in_reach(link.end[a]))
            return REFUSE(r, "off-mesh link %d is not a finite position", k);
    return NAV_OK;
}

nav_status nav_detour_open(const uint8_t *bytes, size_t count, nav_detour_view *out, char *why, size_t why_bytes)
{
    reader r = {out, why, why_bytes};
    if (count < NAV_DETOUR_HEADER_BYTES)
        return nav_refuse(NAV_ERR_TRUNCATED, why, why_bytes, "%zu bytes are less than a header's 100", count);
    if (nav_load_u32(bytes) != NAV_DETOUR_MAGIC) return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "not a Detour tile");
    if (nav_load_u32(bytes + 4) != NAV_DETOUR_VERSION)
        return nav_refuse(NAV_ERR_VERSION, why, why_bytes, "version %u, not 7", nav_load_u32(bytes + 4));
    read_header(bytes, &out->header);
    nav_status s = check_header(&r);
    if (s != NAV_OK) return s;

    detour_layout l = detour_layout_of(&out->header);
    if (count < l.size)
        return nav_refuse(NAV_ERR_TRUNCATED, why, why_bytes, "%zu bytes where the header asks for %llu", count,
                          (unsigned long long)l.size);
    if (count > l.size) return REFUSE(&r, "%llu bytes too many", (unsigned long long)(count - l.size));
    out->verts = bytes + l.verts;
    out->polys = bytes + l.polys;
    out->detail_meshes = bytes + l.detail_meshes;
    out->detail_verts = bytes + l.detail_verts;
    out->detail_tris = bytes + l.detail_tris;
    out->bv_nodes = bytes + l.bv_nodes;
    out->off_mesh = bytes + l.off_mesh;

    s = check_places(&r, out->verts, out->header.vert_count, "vertex");
    if (s == NAV_OK) s = check_places(&r, out->detail_verts, out->header.detail_vert_count, "detail vertex");
    for (int32_t p = 0; s == NAV_OK && p < out->header.poly_count; p++) s = check_polygon(&r, p);
    for (int32_t p = 0; s == NAV_OK && p < out->header.off_mesh_base; p++) s = check_detail(&r, p);
    if (s == NAV_OK) s = check_tree(&r);
    for (int32_t k = 0; s == NAV_OK && k < out->header.off_mesh_count; k++) s = check_link(&r, k);
    return s;
}

nav_status nav_detour_check(const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    nav_detour_view view;
    return nav_detour_open(bytes, count, &view, why, why_bytes);
}

static void load_place(const uint8_t *p, float out[3])
{
    for (int a = 0; a < 3; a++) out[a] = nav_load_f32(p + 4 * a);
}

void nav_detour_get_vert(const nav_detour_view *v, uint32_t index, float out[3])
{
    assert(index < (uint32_t)v->header.vert_count);
    load_place(v->verts + (size_t)index * DETOUR_VERT_BYTES, out);
}

void nav_detour_get_poly(const nav_detour_view *v, uint32_t index, nav_detour_poly *out)
{
    assert(index < (uint32_t)v->header.poly_count);
    const uint8_t *p = v->polys + (size_t)index * DETOUR_POLY_BYTES;
    *out = (nav_detour_poly){
        .flags = nav_load_u16(p + POLY_FLAGS),
        .vert_count = p[POLY_VERT_COUNT],
        .type = (uint8_t)(p[POLY_TYPE_AREA] >> 6),
        .area = p[POLY_TYPE_AREA] & 63,
    };
    for (int k = 0; k < NAV_DETOUR_POLY_VERTS; k++) {
        out->vert[k] = nav_load_u16(p + POLY_VERTS + 2 * k);
        out->neighbour[k] = nav_load_u16(p + POLY_NEIGHBOURS + 2 * k);
    }
    if (index >= (uint32_t)v->header.detail_mesh_count) return;
    p = v->detail_meshes + (size_t)index * DETOUR_DETAIL_MESH_BYTES;
    out->detail_vert_base = nav_load_u32(p + DETAIL_VERT_BASE);
    out->detail_tri_base = nav_load_u32(p + DETAIL_TRI_BASE);
    out->detail_vert_count = p[DETAIL_VERT_COUNT];
    out->detail_tri_count = p[DETAIL_TRI_COUNT];
}

void nav_detour_get_detail_vert(const nav_detour_view *v, uint32_t index, float out[3])
{
    assert(index < (uint32_t)v->header.detail_vert_count);
    load_place(v->detail_verts + (size_t)index * DETOUR_VERT_BYTES, out);
}

static const uint8_t *triangle_at(const nav_detour_view *v, const nav_detour_poly *poly, uint32_t index)
{
    assert(index < poly->detail_tri_count);
    return v->detail_tris + ((size_t)poly->detail_tri_base + index) * DETOUR_DETAIL_TRI_BYTES;
}

void nav_detour_get_triangle_points(const nav_detour_view *v, const nav_detour_poly *poly, uint32_t index,
                                    uint32_t out[3])
{
    const uint8_t *tri = triangle_at(v, poly, index);
    for (int k = 0; k < 3; k++)
        out[k] = tri[k] < poly->vert_count
                     ? poly->vert[tri[k]]
                     : (uint32_t)v->header.vert_count + poly->detail_vert_base + tri[k] - poly->vert_count;
}

void nav_detour_get_triangle(const nav_detour_view *v, const nav_detour_poly *poly, uint32_t index, float out[3][3],
                             uint8_t *flags)
{
    uint32_t points[3], verts = (uint32_t)v->header.vert_count;
    nav_detour_get_triangle_points(v, poly, index, points);
    for (int k = 0; k < 3; k++) {
        if (points[k] < verts)
            nav_detour_get_vert(v, points[k], out[k]);
        else
            nav_detour_get_detail_vert(v, points[k] - verts, out[k]);
    }
    *flags = triangle_at(v, poly, index)[3];
}

void nav_detour_get_link(const nav_detour_view *v, uint32_t index, nav_detour_link *out)
{
    assert(index < (uint32_t)v->header.off_mesh_count);
    const uint8_t *p = v->off_mesh + (size_t)index * DETOUR_OFF_MESH_BYTES;
    load_place(p, out->start);
    load_place(p + 12, out->end);
    out->radius = nav_load_f32(p + OFF_MESH_RADIUS);
    out->poly = nav_load_u16(p + OFF_MESH_POLY);
    out->flags = p[OFF_MESH_FLAGS];
    out->side = p[OFF_MESH_SIDE];
    out->user_id = nav_load_u32(p + OFF_MESH_USER_ID);
}

void nav_detour_get_node(const nav_detour_view *v, uint32_t index, nav_detour_node *out)
{
    assert(index < (uint32_t)v->header.bv_node_count);
    const uint8_t *p = v->bv_nodes + (size_t)index * DETOUR_NODE_BYTES;
    for (int a = 0; a < 3; a++) {
        out->min[a] = nav_load_u16(p + 2 * a);
        out->max[a] = nav_load_u16(p + 6 + 2 * a);
    }
    out->index = nav_load_i32(p + 12);
}
