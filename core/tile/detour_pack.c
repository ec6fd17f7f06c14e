// Packs Detour tiles. What the streams of packed_layout.h cannot say shows in the comparison at the end, so the writers
// below need not prove anything about a tile.
#include "core/tile/detour_packed.h"
#include "core/tile/packed_layout.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

// No stream takes more than twice the bytes of the records it is made from (a vertex 17 of 12, a polygon 44 of 32, a
// detail vertex 23 of 12), and what stands before them less than this.
enum { HEAD_MOST = 96 };

typedef struct packer {
    nav_detour_view v;
    packed_grid grid;
    int32_t ground_verts;
    uint8_t *at; // where the next byte goes
} packer;

static void put(packer *p, uint32_t v)
{
    p->at += nav_varint_store(p->at, v);
}

static void put_signed(packer *p, int32_t v)
{
    put(p, nav_zigzag(v));
}

static void put_bytes(packer *p, const void *bytes, size_t count)
{
    memcpy(p->at, bytes, count);
    p->at += count;
}

static void put_f32(packer *p, float v)
{
    nav_store_f32(p->at, v);
    p->at += 4;
}

static void put_f64(packer *p, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    nav_store_u64(p->at, bits);
    p->at += 8;
}

// --- head ---

static bool same_numbers(const packed_grid *a, const packed_grid *b)
{
    return a->cell_size_m == b->cell_size_m && a->cell_height_m == b->cell_height_m && a->tile_cells == b->tile_cells &&
           !memcmp(a->agent, b->agent, sizeof a->agent);
}

static void put_head(packer *p)
{
    const packed_grid *g = &p->grid;
    const packed_grid usual = packed_default_grid();
    unsigned flags = p->v.header.bv_node_count ? 0 : PACKED_NO_TREE;
    if (!same_numbers(g, &usual)) flags |= PACKED_OWN_GRID;
    if (g->unit_shift) flags |= PACKED_UNITS;
    for (int a = 0; a < 3; a++) {
        if (g->origin_m[a] != 0) flags |= (unsigned)PACKED_ORIGIN << a;
        if ((double)(float)g->origin_m[a] != g->origin_m[a]) flags |= PACKED_ORIGIN_WIDE;
    }
    *p->at++ = PACKED_TILE;
    put(p, flags);
    if (flags & PACKED_OWN_GRID) {
        put_f32(p, g->cell_size_m);
        put_f32(p, g->cell_height_m);
        for (int k = 0; k < 3; k++) put_f32(p, g->agent[k]);
        put(p, (uint32_t)g->tile_cells);
    }
    if (flags & PACKED_UNITS) put(p, (uint32_t)g->unit_shift);
    for (int a = 0; a < 3; a++) {
        if (!(flags >> a & PACKED_ORIGIN)) continue;
        if (flags & PACKED_ORIGIN_WIDE)
            put_f64(p, g->origin_m[a]);
        else
            put_f32(p, (float)g->origin_m[a]);
    }
    put_signed(p, g->tile_x);
    put_signed(p, g->tile_z);
    put(p, (uint32_t)p->v.header.off_mesh_base);
    put(p, (uint32_t)p->ground_verts);
    put(p, (uint32_t)p->v.header.off_mesh_count);
}

// --- polygons ---

static const uint8_t *poly_at(const packer *p, int32_t i)
{
    return p->v.polys + (size_t)i * DETOUR_POLY_BYTES;
}

static const uint8_t *mesh_at(const packer *p, int32_t i)
{
    return p->v.detail_meshes + (size_t)i * DETOUR_DETAIL_MESH_BYTES;
}

static const uint8_t *tris_at(const packer *p, int32_t i)
{
    return p->v.detail_tris + (size_t)nav_load_u32(mesh_at(p, i) + DETAIL_TRI_BASE) * DETOUR_DETAIL_TRI_BYTES;
}

static bool is_fan(const packer *p, int32_t i)
{
    uint8_t fan[NAV_DETOUR_POLY_VERTS * DETOUR_DETAIL_TRI_BYTES];
    const uint8_t *mesh = mesh_at(p, i);
    int corners = poly_at(p, i)[POLY_VERT_COUNT];
    if (mesh[DETAIL_VERT_COUNT] || mesh[DETAIL_TRI_COUNT] != corners - 2) return false;
    nav_detour_write_fan(fan, corners);
    return !memcmp(fan, tris_at(p, i), (size_t)(corners - 2) * DETOUR_DETAIL_TRI_BYTES);
}

static void put_polygons(packer *p)
{
    int32_t count = p->v.header.off_mesh_base;
    uint8_t area = PACKED_AREA, *shapes = p->at;
    uint16_t flags = PACKED_AREA_FLAGS;
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *poly = poly_at(p, i);
        bool changed = poly[POLY_TYPE_AREA] != area || nav_load_u16(poly + POLY_FLAGS) != flags;
        area = poly[POLY_TYPE_AREA];
        flags = nav_load_u16(poly + POLY_FLAGS);
        *p->at++ =
            (uint8_t)((poly[POLY_VERT_COUNT] - 3) | (is_fan(p, i) ? SHAPE_FAN : 0) | (changed ? SHAPE_ATTRIBUTES : 0));
    }
    for (int32_t i = 0; i < count; i++) {
        if (!(shapes[i] & SHAPE_ATTRIBUTES)) continue;
        *p->at++ = poly_at(p, i)[POLY_TYPE_AREA];
        put_bytes(p, poly_at(p, i) + POLY_FLAGS, 2);
    }
    for (int32_t i = 0; i < count; i++) {
        if (shapes[i] & SHAPE_FAN) continue;
        const uint8_t *mesh = mesh_at(p, i);
        int fan = poly_at(p, i)[POLY_VERT_COUNT] - 2, extra = mesh[DETAIL_VERT_COUNT];
        put(p, (uint32_t)extra);
        put(p, (uint32_t)(mesh[DETAIL_TRI_COUNT] - fan - extra));
    }
    uint32_t seen = 0;
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *poly = poly_at(p, i);
        for (int k = 0; k < poly[POLY_VERT_COUNT]; k++) {
            uint32_t v = nav_load_u16(poly + POLY_VERTS + 2 * k);
            put(p, seen - v);
            if (v == seen) seen++;
        }
    }
}

static int32_t steps(double at, double step)
{
    double n = at / step;
    return n > -1e9 && n < 1e9 ? (int32_t)lrint(n) : 0;
}

static int32_t vx_of(const packer *p, const uint8_t *place)
{
    return steps((double)nav_load_f32(place + 4) - (double)(float)p->grid.origin_m[1], (double)p->grid.cell_height_m);
}

static const uint8_t *vert_at(const packer *p, int32_t v)
{
    return p->v.verts + (size_t)v * DETOUR_VERT_BYTES;
}

// Along an axis, 0 or 2, from the tile's lower corner, in parts of a column. Where a float is too coarse to tell one
// part from the next, any that it stands for will do.
static int32_t parts_of(const packer *p, const uint8_t *place, int axis, int32_t parts)
{
    const packed_grid *g = &p->grid;
    double column = (double)g->cell_size_m, corner = (double)(axis ? g->tile_z : g->tile_x) * g->tile_cells * column;
    return steps((double)nav_load_f32(place + 4 * axis) - g->origin_m[axis] - corner, column / parts);
}

static int32_t units_of(const packer *p, const uint8_t *place, int axis)
{
    return parts_of(p, place, axis, 1 << p->grid.unit_shift);
}

static float place_at(const packer *p, double units, int axis)
{
    return axis == 0 ? packed_x(&p->grid, units) : packed_z(&p->grid, units);
}

// The coarser of the grids that all vertices may be on.
static int32_t find_unit_shift(const packer *p)
{
    for (int32_t v = 0; v < p->ground_verts; v++)
        for (int axis = 0; axis <= 2; axis += 2)
            if (place_at(p, units_of(p, vert_at(p, v), axis), axis) != nav_load_f32(vert_at(p, v) + 4 * axis))
                return __builtin_ctz((uint32_t)nav_unit_most(p->grid.tile_cells));
    return 0;
}

static void put_verts(packer *p)
{
    int shift = p->grid.unit_shift;
    for (int axis = 0; axis <= 2; axis += 2) {
        int32_t before = 0;
        for (int32_t v = 0; v < p->ground_verts; v++) {
            int32_t column = units_of(p, vert_at(p, v), axis) >> shift;
            put_signed(p, column - before);
            before = column;
        }
        for (int32_t v = 0; v < p->ground_verts && shift; v++)
            *p->at++ = (uint8_t)(units_of(p, vert_at(p, v), axis) & ((1 << shift) - 1));
    }
    int32_t before = 0;
    for (int32_t v = 0; v < p->ground_verts; v++) {
        int32_t vx = vx_of(p, vert_at(p, v));
        put_signed(p, vx - before);
        before = vx;
    }
}

// --- detail ---

static void put_detail_place(packer *p, const uint8_t *place, int axis)
{
    float at = nav_load_f32(place + 4 * axis);
    int32_t shift = p->grid.unit_shift, halves = parts_of(p, place, axis, 2), units = units_of(p, place, axis);
    uint32_t most = 2 * (uint32_t)p->grid.tile_cells;
    if (halves >= 0 && (uint32_t)halves <= most && at == place_at(p, 0.5 * halves * (1 << shift), axis)) {
        put(p, (uint32_t)halves);
    } else if (shift && units >= 0 && units <= p->grid.tile_cells << shift && at == place_at(p, units, axis)) {
        put(p, most + PACKED_AT_UNITS);
        put(p, (uint32_t)units);
    } else {
        put(p, most + PACKED_AT_FLOAT);
        put_f32(p, at);
    }
}

static void put_detail(packer *p)
{
    const uint8_t *verts = p->v.detail_verts;
    int32_t count = p->v.header.detail_vert_count, before = 0;
    for (int axis = 0; axis <= 2; axis += 2)
        for (int32_t v = 0; v < count; v++) put_detail_place(p, verts + (size_t)v * DETOUR_VERT_BYTES, axis);
    for (int32_t v = 0; v < count; v++) {
        int32_t vx = vx_of(p, verts + (size_t)v * DETOUR_VERT_BYTES);
        put_signed(p, vx - before);
        before = vx;
    }
    for (int32_t i = 0; i < p->v.header.off_mesh_base; i++) {
        if (is_fan(p, i)) continue;
        const uint8_t *tri = tris_at(p, i);
        for (int t = 0; t < mesh_at(p, i)[DETAIL_TRI_COUNT]; t++, tri += DETOUR_DETAIL_TRI_BYTES) put_bytes(p, tri, 3);
    }
}

// --- the rest ---

static void put_links(packer *p)
{
    const uint8_t *con = p->v.off_mesh;
    for (int32_t k = 0; k < p->v.header.off_mesh_count; k++, con += DETOUR_OFF_MESH_BYTES) {
        const uint8_t *poly = poly_at(p, p->v.header.off_mesh_base + k);
        put_bytes(p, con, DETOUR_OFF_MESH_BYTES);
        put_bytes(p, poly + POLY_FLAGS, 2);
        *p->at++ = poly[POLY_TYPE_AREA] & 63;
    }
}

// For every edge along a border that no polygon is behind, in order: 0 where one may leave there.
static void put_borders(packer *p)
{
    unsigned bits = 0, count = 0;
    for (int32_t i = 0; i < p->v.header.off_mesh_base; i++) {
        const uint8_t *poly = poly_at(p, i);
        int corners = poly[POLY_VERT_COUNT];
        for (int k = 0; k < corners; k++) {
            unsigned behind = nav_load_u16(poly + POLY_NEIGHBOURS + 2 * k);
            if (behind != 0 && !(behind & NAV_DETOUR_PORTAL)) continue;
            const uint8_t *a = vert_at(p, nav_load_u16(poly + POLY_VERTS + 2 * k)),
                          *b = vert_at(p, nav_load_u16(poly + POLY_VERTS + 2 * (k + 1 < corners ? k + 1 : 0)));
            int32_t most = p->grid.tile_cells << p->grid.unit_shift;
            if (!(packed_sides(units_of(p, a, 0), units_of(p, a, 2), most) &
                  packed_sides(units_of(p, b, 0), units_of(p, b, 2), most)))
                continue;
            bits |= (unsigned)(behind == 0) << count++;
            if (count < 8) continue;
            *p->at++ = (uint8_t)bits;
            bits = count = 0;
        }
    }
    if (count) *p->at++ = (uint8_t)bits;
}

static void put_all(packer *p)
{
    put_head(p);
    put_polygons(p);
    put_verts(p);
    put_detail(p);
    put_links(p);
    put_borders(p);
}

// Does it come back as it is? out has room for it, so that the packed bytes stay in their place meanwhile.
static bool comes_back(const uint8_t *tile, size_t count, size_t from, nav_buffer *out)
{
    size_t end = out->size;
    nav_status s = nav_detour_unpack(out->data + from, end - from, count, out);
    bool same = s == NAV_OK && !memcmp(out->data + end, tile, count);
    out->size = end;
    return same;
}

nav_status nav_detour_pack(const uint8_t *tile, size_t count, const nav_settings *settings, nav_buffer *out)
{
    packer p = {.grid = {.origin_m = {settings->origin_m[0], settings->origin_m[1], settings->origin_m[2]},
                         .cell_size_m = settings->cell_size_m,
                         .cell_height_m = nav_height_step_m(settings),
                         .tile_cells = settings->tile_cells,
                         .agent = {settings->agent_height_m, settings->agent_radius_m, settings->agent_climb_m}}};
    size_t from = out->size, most = 2 * count + HEAD_MOST;
    const nav_detour_header *h = &p.v.header;
    nav_status s;
    if (nav_detour_open(tile, count, &p.v, NULL, 0) == NAV_OK && h->vert_count > 2 * h->off_mesh_count) {
        s = nav_buffer_reserve(out, most + packed_room(count, (size_t)h->off_mesh_base, (size_t)h->vert_count));
        if (s != NAV_OK) return s;
        p.grid.tile_x = h->x;
        p.grid.tile_z = h->z;
        p.ground_verts = h->vert_count - 2 * h->off_mesh_count;
        p.grid.unit_shift = find_unit_shift(&p);
        p.at = out->data + from;
        put_all(&p);
        out->size = (size_t)(p.at - out->data);
        assert(out->size - from <= most);
        if (comes_back(tile, count, from, out)) return NAV_OK;
        out->size = from;
    }
    s = nav_buffer_reserve(out, count + 1);
    if (s != NAV_OK) return s;
    out->data[out->size++] = PACKED_AS_IT_IS;
    memcpy(out->data + out->size, tile, count);
    out->size += count;
    return NAV_OK;
}
