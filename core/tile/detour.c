// Writes Detour's tile, version 7: one pass to count, one to write each section at its offset.
//
//   header | verts | polys | links (zero) | detail meshes | detail verts | detail tris | box tree | off-mesh links
//
// Polygons keep their order: Detour's polygon k is the tile's polygon k, and the off-mesh links follow. Vertices are
// placed by nav_place(), so that a border vertex is the same float in both tiles.
//
// The bounds in y are wider than the mesh by DETOUR_CLEARANCE_COLUMNS: Detour clamps a query to the bounds, and a box
// that is far above must not be pulled down onto the highest polygons (an off-mesh link would be tied to ground far
// below it). Source: DetourNavMesh.h of Detour 1.5.1 and 1.6.

#include "core/tile/detour.h"

#include "core/base/endian.h"
#include "core/geometry/place.h"
#include "core/tile/detour_layout.h"
#include "core/tile/detour_split.h"

#include <assert.h>

enum {
    PORTAL_LINKS = 4, // as many neighbours as Detour takes for one edge
    SPARE_LINKS = 16, // for off-mesh links that land here from other tiles
};
static const float TREE_MAX_CELLS = 65530; // a taller tile goes without a tree: Detour then looks at every polygon

// What the passes share.
typedef struct writer {
    const nav_tile *tile;
    nav_detour_header header;
    detour_layout layout;
    uint8_t *bytes; // of the tile
    bv_item *items; // ground polygons' boxes, and as much again to sort with
    float cell_size_m;
    float min_y, max_y; // of the mesh
} writer;

static int32_t corner_count(const nav_polygons *polys, int32_t p)
{
    return polys->first[p + 1] - polys->first[p];
}

// Triangles that the detail stage made for polygon p. 0: the writer makes a fan of its corners.
static int32_t given_tris(const nav_detail *d, int32_t p)
{
    return d->tri_first ? d->tri_first[p + 1] - d->tri_first[p] : 0;
}

static int32_t extra_verts(const nav_detail *d, int32_t p)
{
    return given_tris(d, p) ? d->vert_first[p + 1] - d->vert_first[p] : 0;
}

static nav_status count_polygons(writer *w)
{
    const nav_polygons *polys = &w->tile->polygons;
    const nav_detail *detail = &w->tile->detail;
    int64_t links = SPARE_LINKS + (int64_t)DETOUR_LINKS_PER_OFF_MESH * w->tile->link_count;
    int64_t verts = 0, tris = 0;
    for (int32_t p = 0; p < polys->count; p++) {
        int32_t corners = corner_count(polys, p), extra = extra_verts(detail, p), given = given_tris(detail, p);
        assert(corners >= 3 && corners <= NAV_DETOUR_POLY_VERTS);
        if (corners + extra > 255 || given > 255) return NAV_ERR_LIMIT;
        verts += extra;
        tris += given ? given : corners - 2;
        for (int32_t k = polys->first[p]; k < polys->first[p + 1]; k++)
            links += nav_edge_is_portal(polys->behind[k]) ? PORTAL_LINKS : polys->behind[k] >= 0;
    }
    if (links > INT32_MAX || tris > INT32_MAX) return NAV_ERR_LIMIT;
    w->header.max_link_count = (int32_t)links;
    w->header.detail_vert_count = (int32_t)verts;
    w->header.detail_tri_count = (int32_t)tris;
    return NAV_OK;
}

static nav_status measure(writer *w)
{
    const nav_tile *tile = w->tile;
    const nav_config *cfg = &tile->config;
    int64_t polys = (int64_t)tile->polygons.count + tile->link_count;
    int64_t verts = (int64_t)tile->polygons.vert_count + 2 * (int64_t)tile->link_count;
    if (polys > NAV_DETOUR_MAX_POLYS || verts > NAV_DETOUR_MAX_VERTS) return NAV_ERR_LIMIT;
    w->cell_size_m = (float)cfg->cell_size_m;
    w->header = (nav_detour_header){
        .x = cfg->tile_x,
        .z = cfg->tile_z,
        .poly_count = (int32_t)polys,
        .vert_count = (int32_t)verts,
        .detail_mesh_count = tile->polygons.count,
        .bv_node_count = 2 * tile->polygons.count - 1,
        .off_mesh_count = (int32_t)tile->link_count,
        .off_mesh_base = tile->polygons.count,
        .walkable_height = tile->settings->agent_height_m,
        .walkable_radius = tile->settings->agent_radius_m,
        .walkable_climb = tile->settings->agent_climb_m,
        .bv_quant_factor = 1.0f / w->cell_size_m,
    };
    nav_status s = count_polygons(w);
    w->layout = detour_layout_of(&w->header);
    return s == NAV_OK && w->layout.size > INT32_MAX ? NAV_ERR_LIMIT : s;
}

// units: outline units from the tile's lower corner.
static float place_x(const nav_config *c, double units)
{
    return nav_place(c->origin_m[0], c->tile_x, c->tile_units, c->unit_size_m, units);
}

static float place_y(const nav_config *c, double vx)
{
    return nav_place(c->origin_m[1], 0, 0, c->cell_height_m, vx);
}

static float place_z(const nav_config *c, double units)
{
    return nav_place(c->origin_m[2], c->tile_z, c->tile_units, c->unit_size_m, units);
}

static void store_place(writer *w, uint8_t *p, double x, double y, double z)
{
    const nav_config *cfg = &w->tile->config;
    float height = place_y(cfg, y);
    if (height < w->min_y) w->min_y = height;
    if (height > w->max_y) w->max_y = height;
    nav_store_f32(p, place_x(cfg, x));
    nav_store_f32(p + 4, height);
    nav_store_f32(p + 8, place_z(cfg, z));
}

static void write_verts(writer *w)
{
    const nav_polygons *polys = &w->tile->polygons;
    uint8_t *p = w->bytes + w->layout.verts;
    w->min_y = w->max_y = place_y(&w->tile->config, polys->y[polys->vert[0]]);
    for (int32_t v = 0; v < polys->vert_count; v++, p += DETOUR_VERT_BYTES)
        store_place(w, p, polys->x[v], polys->y[v], polys->z[v]);
}

static uint16_t neighbour_code(int32_t behind)
{
    if (behind >= 0) return (uint16_t)(behind + 1);
    if (behind == NAV_EDGE_WALL || behind == NAV_EDGE_SEAM) return 0;
    return (uint16_t)(NAV_DETOUR_PORTAL | 2 * (NAV_EDGE_PORTAL_XMAX - behind));
}

static void write_ground(writer *w)
{
    const nav_polygons *polys = &w->tile->polygons;
    uint8_t *p = w->bytes + w->layout.polys;
    for (int32_t i = 0; i < polys->count; i++, p += DETOUR_POLY_BYTES) {
        int32_t first = polys->first[i], corners = corner_count(polys, i);
        for (int32_t k = 0; k < corners; k++) {
            nav_store_u16(p + POLY_VERTS + 2 * k, (uint16_t)polys->vert[first + k]);
            nav_store_u16(p + POLY_NEIGHBOURS + 2 * k, neighbour_code(polys->behind[first + k]));
        }
        bool marked = polys->unreached && polys->unreached[i]; // without flags no filter lets anybody on it
        nav_store_u16(p + POLY_FLAGS, marked ? 0 : w->tile->settings->area_flags[polys->area[i]]);
        p[POLY_VERT_COUNT] = (uint8_t)corners;
        p[POLY_TYPE_AREA] = (uint8_t)(NAV_DETOUR_GROUND << 6 | polys->area[i]);
    }
}

// Where a link's end is, seen from the tile: 0xFF inside, else the octant from x+ towards z+.
static uint8_t side_of(const nav_detour_header *h, const float end[3])
{
    static const uint8_t octants[3][3] = {{5, 6, 7}, {4, 0xFF, 0}, {3, 2, 1}}; // [z][x]: below, within, above
    int x = end[0] < h->min[0] ? 0 : end[0] < h->max[0] ? 1 : 2;
    int z = end[2] < h->min[2] ? 0 : end[2] < h->max[2] ? 1 : 2;
    return octants[z][x];
}

void nav_detour_write_links(const nav_detour_header *h, const nav_link *const *links, uint8_t *bytes)
{
    detour_layout l = detour_layout_of(h);
    int32_t ground = h->off_mesh_base, first_vert = h->vert_count - 2 * h->off_mesh_count;
    uint8_t *vert = bytes + l.verts + (size_t)first_vert * DETOUR_VERT_BYTES;
    uint8_t *poly = bytes + l.polys + (size_t)ground * DETOUR_POLY_BYTES;
    uint8_t *con = bytes + l.off_mesh;
    for (int32_t k = 0; k < h->off_mesh_count; k++) {
        const nav_link *link = links[k];
        nav_store_u16(poly + POLY_VERTS, (uint16_t)(first_vert + 2 * k));
        nav_store_u16(poly + POLY_VERTS + 2, (uint16_t)(first_vert + 2 * k + 1));
        nav_store_u16(poly + POLY_FLAGS, link->flags);
        poly[POLY_VERT_COUNT] = 2;
        poly[POLY_TYPE_AREA] = (uint8_t)(NAV_DETOUR_OFF_MESH << 6 | link->area);
        for (int a = 0; a < 3; a++) {
            nav_store_f32(vert + 4 * a, link->start[a]);
            nav_store_f32(vert + DETOUR_VERT_BYTES + 4 * a, link->end[a]);
            nav_store_f32(con + 4 * a, link->start[a]);
            nav_store_f32(con + 12 + 4 * a, link->end[a]);
        }
        nav_store_f32(con + OFF_MESH_RADIUS, link->radius_m);
        nav_store_u16(con + OFF_MESH_POLY, (uint16_t)(ground + k));
        con[OFF_MESH_FLAGS] = link->both_ways ? 1 : 0;
        con[OFF_MESH_SIDE] = side_of(h, link->end);
        nav_store_u32(con + OFF_MESH_USER_ID, link->id);
        vert += 2 * (size_t)DETOUR_VERT_BYTES;
        poly += DETOUR_POLY_BYTES;
        con += DETOUR_OFF_MESH_BYTES;
    }
}

uint8_t *nav_detour_write_fan(uint8_t *tri, int32_t corners)
{
    for (int32_t k = 2; k < corners; k++, tri += DETOUR_DETAIL_TRI_BYTES) {
        tri[0] = 0;
        tri[1] = (uint8_t)(k - 1);
        tri[2] = (uint8_t)k;
        tri[3] = (uint8_t)((k == 2 ? 1 : 0) | 1 << 2 | (k == corners - 1 ? 1 << 4 : 0));
    }
    return tri;
}

static void write_detail(writer *w)
{
    const nav_polygons *polys = &w->tile->polygons;
    const nav_detail *detail = &w->tile->detail;
    uint8_t *mesh = w->bytes + w->layout.detail_meshes, *vert = w->bytes + w->layout.detail_verts;
    uint8_t *first_tri = w->bytes + w->layout.detail_tris, *tri = first_tri;
    uint32_t vert_base = 0;
    for (int32_t p = 0; p < polys->count; p++, mesh += DETOUR_DETAIL_MESH_BYTES) {
        int32_t tris = given_tris(detail, p), extra = extra_verts(detail, p);
        nav_store_u32(mesh + DETAIL_VERT_BASE, vert_base);
        nav_store_u32(mesh + DETAIL_TRI_BASE, (uint32_t)((tri - first_tri) / DETOUR_DETAIL_TRI_BYTES));
        mesh[DETAIL_VERT_COUNT] = (uint8_t)extra;
        mesh[DETAIL_TRI_COUNT] = (uint8_t)(tris ? tris : corner_count(polys, p) - 2);
        for (int32_t k = 0; k < extra; k++, vert += DETOUR_VERT_BYTES) {
            int32_t from = detail->vert_first[p] + k;
            store_place(w, vert, (double)detail->x[from], (double)detail->y[from], (double)detail->z[from]);
        }
        vert_base += (uint32_t)extra;
        if (tris) {
            memcpy(tri, detail->tri[detail->tri_first[p]], (size_t)tris * DETOUR_DETAIL_TRI_BYTES);
            tri += (size_t)tris * DETOUR_DETAIL_TRI_BYTES;
        } else {
            tri = nav_detour_write_fan(tri, corner_count(polys, p));
        }
    }
}

static void set_bounds(writer *w)
{
    const nav_config *cfg = &w->tile->config;
    nav_detour_header *h = &w->header;
    h->min[0] = place_x(cfg, 0);
    h->max[0] = place_x(cfg, cfg->tile_units);
    h->min[2] = place_z(cfg, 0);
    h->max[2] = place_z(cfg, cfg->tile_units);
    h->min[1] = w->min_y - DETOUR_CLEARANCE_COLUMNS * w->cell_size_m;
    h->max[1] = w->max_y + DETOUR_CLEARANCE_COLUMNS * w->cell_size_m;
}

static uint16_t quantise(float v, float min, float factor)
{
    float q = (v - min) * factor;
    q = q > 0 ? q : 0; // one after the other: without branches
    return (uint16_t)(int32_t)(q < 65535 ? q : 65535);
}

static void add_to_box(const nav_detour_header *h, const uint8_t *place, bv_item *box)
{
    for (int a = 0; a < 3; a++) {
        uint16_t q = quantise(nav_load_f32(place + 4 * a), h->min[a], h->bv_quant_factor);
        if (q < box->min[a]) box->min[a] = q;
        if (q > box->max[a]) box->max[a] = q;
    }
}

void nav_detour_write_boxes(const nav_detour_header *h, uint8_t *bytes, bv_item *items)
{
    detour_layout l = detour_layout_of(h);
    const uint8_t *poly = bytes + l.polys, *mesh = bytes + l.detail_meshes, *extra = bytes + l.detail_verts;
    for (int32_t p = 0; p < h->off_mesh_base; p++, poly += DETOUR_POLY_BYTES, mesh += DETOUR_DETAIL_MESH_BYTES) {
        bv_item box = {{65535, 65535, 65535}, {0, 0, 0}, p};
        for (int k = 0; k < poly[POLY_VERT_COUNT]; k++) {
            uint16_t vert = nav_load_u16(poly + POLY_VERTS + 2 * k);
            add_to_box(h, bytes + l.verts + (size_t)vert * DETOUR_VERT_BYTES, &box);
        }
        for (int k = mesh[DETAIL_VERT_COUNT]; k > 0; k--, extra += DETOUR_VERT_BYTES) add_to_box(h, extra, &box);
        items[p] = box;
    }
    nav_detour_write_tree(items, h->off_mesh_base, items + h->off_mesh_base, bytes + l.bv_nodes);
}

void nav_detour_write_header(const nav_detour_header *h, uint8_t *bytes)
{
    const int32_t ints[] = {NAV_DETOUR_MAGIC,
                            NAV_DETOUR_VERSION,
                            h->x,
                            h->z,
                            h->layer,
                            (int32_t)h->user_id,
                            h->poly_count,
                            h->vert_count,
                            h->max_link_count,
                            h->detail_mesh_count,
                            h->detail_vert_count,
                            h->detail_tri_count,
                            h->bv_node_count,
                            h->off_mesh_count,
                            h->off_mesh_base};
    const float floats[] = {h->walkable_height, h->walkable_radius, h->walkable_climb, h->min[0], h->min[1],
                            h->min[2],          h->max[0],          h->max[1],         h->max[2], h->bv_quant_factor};
    uint8_t *p = bytes;
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++, p += 4) nav_store_i32(p, ints[i]);
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++, p += 4) nav_store_f32(p, floats[i]);
}

// Writes a tile whose borders are not crowded.
static nav_status encode(const nav_tile *tile, nav_buffer *out)
{
    writer w = {.tile = tile};
    nav_status s = measure(&w);
    if (s != NAV_OK) return s;
    // Behind the tile the buffer holds the boxes while the tree is built.
    size_t boxes = 2 * (size_t)tile->polygons.count * sizeof(bv_item) + _Alignof(bv_item);
    s = nav_buffer_reserve(out, (size_t)w.layout.size + boxes);
    if (s != NAV_OK) return s;
    w.bytes = out->data + out->size;
    uint8_t *spare = w.bytes + w.layout.size;
    w.items = (bv_item *)(void *)(spare + (size_t)(-(uintptr_t)spare & (_Alignof(bv_item) - 1)));
    memset(w.bytes, 0, (size_t)w.layout.size);

    write_verts(&w);
    write_ground(&w);
    write_detail(&w);
    set_bounds(&w);
    nav_detour_write_links(&w.header, tile->links, w.bytes);
    if ((w.header.max[1] - w.header.min[1]) * w.header.bv_quant_factor < TREE_MAX_CELLS) {
        nav_detour_write_boxes(&w.header, w.bytes, w.items);
    } else { // the section closes up
        uint8_t *from = w.bytes + w.layout.off_mesh;
        w.header.bv_node_count = 0;
        w.layout = detour_layout_of(&w.header);
        memmove(w.bytes + w.layout.off_mesh, from, (size_t)w.header.off_mesh_count * DETOUR_OFF_MESH_BYTES);
    }
    nav_detour_write_header(&w.header, w.bytes);
    out->size += (size_t)w.layout.size;
    return NAV_OK;
}

nav_status nav_detour_encode(const nav_tile *tile, nav_buffer *out)
{
    if (tile->polygons.count == 0) return NAV_OK;
    detour_cuts cuts;
    detour_copy copy = {0};
    nav_status s = nav_detour_find_cuts(tile, &cuts);
    if (s == NAV_OK && cuts.count) s = nav_detour_make_cuts(tile, &cuts, &copy);
    if (s == NAV_OK) s = encode(cuts.count ? &copy.tile : tile, out);
    nav_detour_copy_deinit(&copy);
    nav_detour_cuts_deinit(&cuts);
    return s;
}
