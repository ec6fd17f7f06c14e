// Unpacks Detour tiles: fills each section from its streams, then works out what was left out.
//
//   corners: 0 is the next vertex that no polygon had before, k > 0 the k-th before it
//   neighbours: two polygons with one edge in opposite directions; an edge without, along a border, has a bit
//   boundary flags: a triangle's edge that no triangle of the polygon has in the opposite direction
//
// Every count is held against the tile's size, which the caller gives, before anything is written.
#include "core/tile/detour_packed.h"
#include "core/tile/packed_layout.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

static const float COORDINATE_MAX_M = 1e9f; // as the reader has it
enum { ROW_WORDS = 4 };                     // a bit for each of a polygon's 255 detail vertices

// A stream's reader. bad: it ran over the end, or a number did not fit; all that it reads from then on is 0.
typedef struct stream {
    const uint8_t *at, *end;
    bool bad;
} stream;

// An edge of a polygon is 8 * polygon + corner.
enum { EDGES_A_POLYGON = 8, PROBES_MOST = 64 };
#define TAKEN UINT32_MAX // no edge: from a vertex to itself

typedef struct waiting_edge {
    uint32_t verts; // from << 16 | to
    uint32_t edge;  // plus one; 0: nothing
} waiting_edge;

typedef struct unpacker {
    stream in;
    stream attributes, counts; // where they begin: read again when the sections are written
    const uint8_t *shapes;
    packed_grid grid;
    nav_detour_header h;
    detour_layout layout;
    int32_t ground_verts;
    uint8_t *bytes; // of the tile
    // Scratch behind it.
    bv_item *items;        // the polygons' boxes, and as much again to sort with
    waiting_edge *waiting; // a table of edges whose other polygon has not come yet
    uint32_t waiting_mask, waiting_shift;
    uint8_t *sides;     // of the vertices: packed_sides()
    float min_y, max_y; // of the mesh
} unpacker;

static uint32_t get_long(stream *s)
{
    uint64_t v = 0;
    const size_t taken = nav_varint_load(s->at, (size_t)(s->end - s->at), 32, &v);
    s->bad |= !taken;
    s->at = taken ? s->at + taken : s->end;
    return (uint32_t)v;
}

// Most numbers take a byte.
static inline uint32_t get(stream *s)
{
    return s->at < s->end && *s->at < 128 ? *s->at++ : get_long(s);
}

static inline int32_t get_signed(stream *s)
{
    return nav_unzigzag(get(s));
}

static const uint8_t *get_bytes(stream *s, size_t count)
{
    static const uint8_t none[PACKED_LINK_BYTES];
    assert(count <= sizeof none);
    if ((size_t)(s->end - s->at) < count) {
        s->bad = true;
        s->at = s->end;
        return none;
    }
    s->at += count;
    return s->at - count;
}

static float get_f32(stream *s)
{
    return nav_load_f32(get_bytes(s, 4));
}

// --- what the tile holds ---

static void read_grid(unpacker *u, unsigned flags)
{
    stream *s = &u->in;
    packed_grid *g = &u->grid;
    *g = packed_default_grid();
    if (flags & PACKED_OWN_GRID) {
        g->cell_size_m = get_f32(s);
        g->cell_height_m = get_f32(s);
        for (int k = 0; k < 3; k++) g->agent[k] = get_f32(s);
        g->tile_cells = (int32_t)(get(s) & 0xFFFF);
    }
    if (flags & PACKED_UNITS) g->unit_shift = (int32_t)(get(s) & 15);
    if (g->unit_shift > PACKED_UNIT_SHIFT_MOST) {
        s->bad = true;
        g->unit_shift = 0;
    }
    for (int a = 0; a < 3; a++) {
        if (!(flags >> a & PACKED_ORIGIN)) continue;
        if (flags & PACKED_ORIGIN_WIDE) {
            uint64_t bits = nav_load_u64(get_bytes(s, 8));
            memcpy(&g->origin_m[a], &bits, sizeof bits);
        } else {
            g->origin_m[a] = (double)get_f32(s);
        }
    }
    g->tile_x = get_signed(s);
    g->tile_z = get_signed(s);
}

static nav_status read_detail_counts(unpacker *u)
{
    int64_t extras = 0, tris = 0;
    for (int32_t p = 0; p < u->h.off_mesh_base; p++) {
        uint32_t plain = 1 + (u->shapes[p] & SHAPE_CORNERS), extra = 0, inner = 0; // plain: triangles of the fan
        if (u->shapes[p] > SHAPE_ALL) return NAV_ERR_FORMAT;
        if (!(u->shapes[p] & SHAPE_FAN)) {
            extra = get(&u->in);
            inner = get(&u->in);
        }
        if (extra > 255 || inner > 255 || plain + 2 + extra > 255 || plain + extra + inner > 255) return NAV_ERR_FORMAT;
        extras += extra;
        tris += plain + extra + inner;
    }
    u->h.detail_vert_count = (int32_t)extras;
    u->h.detail_tri_count = (int32_t)tris;
    return u->in.bad ? NAV_ERR_TRUNCATED : NAV_OK;
}

// As far as the counts, and the layout that follows from them: the room for links is what is left of the tile's size.
static nav_status read_counts(unpacker *u, uint64_t size)
{
    stream *s = &u->in;
    unsigned flags = get(s);
    if (flags & ~(unsigned)PACKED_FLAGS) return NAV_ERR_FORMAT;
    read_grid(u, flags);
    uint32_t polys = get(s), verts = get(s), links = get(s);
    if (s->bad) return NAV_ERR_TRUNCATED;
    if (polys == 0 || polys > NAV_DETOUR_MAX_POLYS || verts > NAV_DETOUR_MAX_VERTS ||
        links > NAV_DETOUR_MAX_POLYS - polys || verts + 2 * links > NAV_DETOUR_MAX_VERTS)
        return NAV_ERR_FORMAT;
    u->ground_verts = (int32_t)verts;
    u->h = (nav_detour_header){.x = u->grid.tile_x,
                               .z = u->grid.tile_z,
                               .poly_count = (int32_t)(polys + links),
                               .vert_count = (int32_t)(verts + 2 * links),
                               .detail_mesh_count = (int32_t)polys,
                               .bv_node_count = flags & PACKED_NO_TREE ? 0 : 2 * (int32_t)polys - 1,
                               .off_mesh_count = (int32_t)links,
                               .off_mesh_base = (int32_t)polys};
    if ((size_t)(s->end - s->at) < polys) return NAV_ERR_TRUNCATED;
    u->shapes = s->at;
    s->at += polys;
    u->attributes = *s;
    for (uint32_t p = 0; p < polys; p++)
        if (u->shapes[p] & SHAPE_ATTRIBUTES) (void)get_bytes(s, PACKED_ATTRIBUTE_BYTES);
    u->counts = *s;
    nav_status status = read_detail_counts(u);
    if (status != NAV_OK) return status;
    uint64_t rest = detour_layout_of(&u->h).size;
    if (size <= rest || size > INT32_MAX || (size - rest) % DETOUR_LINK_BYTES) return NAV_ERR_FORMAT;
    u->h.max_link_count = (int32_t)((size - rest) / DETOUR_LINK_BYTES);
    u->layout = detour_layout_of(&u->h);
    return NAV_OK;
}

// --- sections ---

// The loops below work on copies of the stream and the grid: a store to the tile's bytes may be a store to anything,
// and they would be loaded again behind each.
static void read_corners(unpacker *u)
{
    stream in = u->in;
    uint8_t *p = u->bytes + u->layout.polys;
    uint32_t seen = 0, verts = (uint32_t)u->ground_verts;
    uint16_t flags = PACKED_AREA_FLAGS;
    uint8_t area = PACKED_AREA;
    const uint8_t *shapes = u->shapes;
    for (int32_t i = 0, n = u->h.off_mesh_base; i < n; i++, p += DETOUR_POLY_BYTES) {
        int corners = 3 + (shapes[i] & SHAPE_CORNERS);
        for (int k = 0; k < corners; k++) {
            uint32_t back = get(&in), v = seen - back;
            seen += back == 0;
            if (v >= verts) {
                in.bad = true;
                v = 0;
            }
            nav_store_u16(p + POLY_VERTS + 2 * k, (uint16_t)v);
        }
        if (shapes[i] & SHAPE_ATTRIBUTES) {
            const uint8_t *a = get_bytes(&u->attributes, PACKED_ATTRIBUTE_BYTES);
            area = a[0] & 63;
            flags = nav_load_u16(a + 1);
        }
        nav_store_u16(p + POLY_FLAGS, flags);
        p[POLY_VERT_COUNT] = (uint8_t)corners;
        p[POLY_TYPE_AREA] = (uint8_t)(NAV_DETOUR_GROUND << 6 | area);
    }
    if (seen != verts) in.bad = true;
    u->in = in;
}

static bool in_reach(float v)
{
    return v >= -COORDINATE_MAX_M && v <= COORDINATE_MAX_M; // false for NaN
}

// Reads the heights of a section of places, and widens the tile's bounds by them.
static void read_heights(unpacker *u, uint8_t *places, int32_t count)
{
    stream in = u->in;
    const packed_grid grid = u->grid;
    float min_y = u->min_y, max_y = u->max_y;
    int64_t y = 0; // 2^23 steps of 32 bits at most
    for (int32_t v = 0; v < count; v++, places += DETOUR_VERT_BYTES) {
        y += get_signed(&in);
        float at = packed_y(&grid, (double)y);
        min_y = at < min_y ? at : min_y;
        max_y = at > max_y ? at : max_y;
        nav_store_f32(places + 4, at);
    }
    u->min_y = min_y;
    u->max_y = max_y;
    u->in = in;
}

// The x or z of all vertices. Columns are kept where the places will be, until what is left of outline units follows.
static void read_axis(unpacker *u, int axis)
{
    stream in = u->in;
    const packed_grid grid = u->grid;
    uint8_t *sides = u->sides, *first = u->bytes + u->layout.verts + 4 * axis, *p = first;
    const int32_t count = u->ground_verts;
    const int shift = grid.unit_shift, low_side = axis == 0 ? 2 : 3, high_side = axis == 0 ? 0 : 1;
    const uint32_t cells = (uint32_t)grid.tile_cells, most = cells << shift;
    uint32_t column = 0; // unsigned: the steps are anybody's, and may wrap
    for (int32_t v = 0; v < count; v++, p += DETOUR_VERT_BYTES) {
        column += (uint32_t)get_signed(&in);
        if (column > cells) in.bad = true, column = 0;
        nav_store_u32(p, column << shift);
    }
    p = first;
    for (int32_t v = 0; v < count && shift; v++, p += DETOUR_VERT_BYTES) {
        uint32_t units = nav_load_u32(p) + *get_bytes(&in, 1);
        if (units > most) in.bad = true, units = 0;
        nav_store_u32(p, units);
    }
    p = first;
    for (int32_t v = 0; v < count; v++, p += DETOUR_VERT_BYTES) {
        uint32_t units = nav_load_u32(p);
        sides[v] |= (uint8_t)((unsigned)(units == most) << high_side | (unsigned)(units == 0) << low_side);
        nav_store_f32(p, axis == 0 ? packed_x(&grid, units) : packed_z(&grid, units));
    }
    u->in = in;
}

static void read_verts(unpacker *u)
{
    memset(u->sides, 0, (size_t)u->ground_verts);
    read_axis(u, 0);
    read_axis(u, 2);
    read_heights(u, u->bytes + u->layout.verts, u->ground_verts);
}

// The x or z of all detail vertices: half columns, outline units, or a float as it is.
static void read_detail_axis(unpacker *u, int axis)
{
    stream in = u->in;
    const packed_grid grid = u->grid;
    uint32_t most = 2 * (uint32_t)grid.tile_cells;
    double half = 0.5 * (1 << grid.unit_shift);
    uint8_t *p = u->bytes + u->layout.detail_verts + 4 * axis;
    for (int32_t v = 0, n = u->h.detail_vert_count; v < n; v++, p += DETOUR_VERT_BYTES) {
        uint32_t halves = get(&in);
        float at;
        if (halves == most + PACKED_AT_FLOAT) {
            at = get_f32(&in);
        } else {
            if (halves > most + PACKED_AT_UNITS) in.bad = true;
            double units = halves > most ? (double)get(&in) : half * halves;
            at = axis == 0 ? packed_x(&grid, units) : packed_z(&grid, units);
        }
        if (!in_reach(at)) in.bad = true;
        nav_store_f32(p, at);
    }
    u->in = in;
}

static void read_detail_verts(unpacker *u)
{
    read_detail_axis(u, 0);
    read_detail_axis(u, 2);
    read_heights(u, u->bytes + u->layout.detail_verts, u->h.detail_vert_count);
}

// Sets the flags of a polygon's triangles: an edge is on the boundary where no triangle has it the other way around.
// Bit b of row a says that there is an edge from a to b; a row has `words` words.
static inline void flag_boundary_in(uint8_t *tri, int count, uint64_t *rows, int words)
{
    for (int t = 0; t < count; t++) {
        const uint8_t *v = tri + t * DETOUR_DETAIL_TRI_BYTES;
        for (int k = 0; k < 3; k++) {
            int a = v[k], b = v[k == 2 ? 0 : k + 1];
            rows[a * words + (b >> 6)] |= UINT64_C(1) << (b & 63);
        }
    }
    for (int t = 0; t < count; t++) {
        uint8_t *v = tri + t * DETOUR_DETAIL_TRI_BYTES;
        unsigned inner = 0;
        for (int k = 0; k < 3; k++) {
            int a = v[k], b = v[k == 2 ? 0 : k + 1];
            inner |= (unsigned)(rows[b * words + (a >> 6)] >> (a & 63) & 1) << 2 * k;
        }
        v[3] = (uint8_t)(DETAIL_EDGES_BOUNDARY & ~inner);
    }
}

static void flag_boundary(uint8_t *tri, int count, int verts)
{
    uint64_t rows[256 * ROW_WORDS];
    if (verts <= 64) { // nearly all: a word for each, and the loops without a multiplication
        memset(rows, 0, (size_t)verts * sizeof *rows);
        flag_boundary_in(tri, count, rows, 1);
    } else {
        memset(rows, 0, sizeof rows);
        flag_boundary_in(tri, count, rows, ROW_WORDS);
    }
}

static void read_triangles(unpacker *u, uint8_t *tri, int count, int verts)
{
    const uint8_t *from = u->in.at;
    if (u->in.end - from < 3 * count) {
        u->in.bad = true;
        u->in.at = u->in.end;
        return;
    }
    u->in.at += 3 * count;
    int most = 0;
    for (int t = 0; t < count; t++, from += 3) {
        uint8_t *to = tri + t * DETOUR_DETAIL_TRI_BYTES;
        for (int k = 0; k < 3; k++) {
            to[k] = from[k];
            most = most > from[k] ? most : from[k];
        }
    }
    if (most >= verts) {
        u->in.bad = true;
        return;
    }
    flag_boundary(tri, count, verts);
}

static void read_detail(unpacker *u)
{
    uint8_t *mesh = u->bytes + u->layout.detail_meshes, *tris = u->bytes + u->layout.detail_tris;
    uint32_t vert = 0, tri = 0;
    for (int32_t p = 0; p < u->h.off_mesh_base; p++, mesh += DETOUR_DETAIL_MESH_BYTES) {
        uint32_t corners = 3 + (u->shapes[p] & SHAPE_CORNERS), extra = 0, count = corners - 2;
        uint8_t *at = tris + (size_t)tri * DETOUR_DETAIL_TRI_BYTES;
        if (u->shapes[p] & SHAPE_FAN) {
            nav_detour_write_fan(at, (int32_t)corners);
        } else {
            extra = get(&u->counts);
            count += extra + get(&u->counts);
            read_triangles(u, at, (int)count, (int)(corners + extra));
        }
        nav_store_u32(mesh + DETAIL_VERT_BASE, vert);
        nav_store_u32(mesh + DETAIL_TRI_BASE, tri);
        mesh[DETAIL_VERT_COUNT] = (uint8_t)extra;
        mesh[DETAIL_TRI_COUNT] = (uint8_t)count;
        vert += extra;
        tri += count;
    }
}

static void read_links(unpacker *u)
{
    int32_t ground = u->h.off_mesh_base;
    uint8_t *vert = u->bytes + u->layout.verts + (size_t)u->ground_verts * DETOUR_VERT_BYTES;
    uint8_t *poly = u->bytes + u->layout.polys + (size_t)ground * DETOUR_POLY_BYTES;
    uint8_t *con = u->bytes + u->layout.off_mesh;
    for (int32_t k = 0; k < u->h.off_mesh_count; k++) {
        const uint8_t *from = get_bytes(&u->in, PACKED_LINK_BYTES);
        memcpy(con, from, DETOUR_OFF_MESH_BYTES);
        memcpy(vert, from, 2 * DETOUR_VERT_BYTES);
        nav_store_u16(poly + POLY_VERTS, (uint16_t)(u->ground_verts + 2 * k));
        nav_store_u16(poly + POLY_VERTS + 2, (uint16_t)(u->ground_verts + 2 * k + 1));
        memcpy(poly + POLY_FLAGS, from + DETOUR_OFF_MESH_BYTES, 2);
        poly[POLY_VERT_COUNT] = 2;
        poly[POLY_TYPE_AREA] = (uint8_t)(NAV_DETOUR_OFF_MESH << 6 | (from[DETOUR_OFF_MESH_BYTES + 2] & 63));
        vert += 2 * DETOUR_VERT_BYTES;
        poly += DETOUR_POLY_BYTES;
        con += DETOUR_OFF_MESH_BYTES;
    }
}

// --- what follows from them ---

// Takes the edge b -> a that waits out of the table and returns its slot's edge plus one; where none waits, a -> b
// waits there from now on, and it is 0.
static uint32_t meet(unpacker *u, uint32_t a, uint32_t b, uint32_t edge)
{
    uint32_t wanted = b << 16 | a, mine = a << 16 | b, low = a < b ? a : b, high = a < b ? b : a;
    uint32_t at = (low * 0x9E3779B1u ^ high * 0x85EBCA77u) >> u->waiting_shift; // the same in both directions
    for (int probe = 0; probe < PROBES_MOST; probe++) {
        waiting_edge *w = &u->waiting[(at + (unsigned)probe) & u->waiting_mask];
        if (w->edge && w->verts == wanted) {
            uint32_t found = w->edge;
            w->verts = TAKEN;
            return found;
        }
        if (w->edge) continue;
        *w = (waiting_edge){mine, edge + 1};
        return 0;
    }
    u->in.bad = true; // no tile of navd's
    return 0;
}

static void set_neighbour(unpacker *u, uint32_t edge, uint32_t code)
{
    nav_store_u16(u->bytes + u->layout.polys + (size_t)(edge / EDGES_A_POLYGON) * DETOUR_POLY_BYTES + POLY_NEIGHBOURS +
                      2 * (edge % EDGES_A_POLYGON),
                  (uint16_t)code);
}

static void join_polygons(unpacker *u)
{
    const uint8_t *poly = u->bytes + u->layout.polys;
    for (uint32_t p = 0; p < (uint32_t)u->h.off_mesh_base; p++, poly += DETOUR_POLY_BYTES) {
        uint32_t corners = poly[POLY_VERT_COUNT], a = nav_load_u16(poly + POLY_VERTS + 2 * (corners - 1));
        for (uint32_t k = 0, before = corners - 1; k < corners; before = k++) {
            uint32_t b = nav_load_u16(poly + POLY_VERTS + 2 * k), edge = EDGES_A_POLYGON * p + before;
            uint32_t other = meet(u, a, b, edge);
            a = b;
            if (!other) continue;
            set_neighbour(u, edge, (other - 1) / EDGES_A_POLYGON + 1);
            set_neighbour(u, other - 1, p + 1);
        }
    }
}

static void open_borders(unpacker *u)
{
    uint8_t *poly = u->bytes + u->layout.polys;
    unsigned bits = 0, left = 0;
    for (int32_t p = 0; p < u->h.off_mesh_base; p++, poly += DETOUR_POLY_BYTES) {
        int corners = poly[POLY_VERT_COUNT];
        for (int k = 0; k < corners; k++) {
            unsigned sides = u->sides[nav_load_u16(poly + POLY_VERTS + 2 * k)] &
                             u->sides[nav_load_u16(poly + POLY_VERTS + 2 * (k + 1 < corners ? k + 1 : 0))];
            if (!sides || nav_load_u16(poly + POLY_NEIGHBOURS + 2 * k)) continue;
            if (left == 0) bits = *get_bytes(&u->in, 1), left = 8;
            if (!(bits & 1))
                nav_store_u16(poly + POLY_NEIGHBOURS + 2 * k, (uint16_t)(NAV_DETOUR_PORTAL | packed_first_side(sides)));
            bits >>= 1;
            left--;
        }
    }
}

// False where the places are out of reach: then their boxes cannot be worked out.
static bool set_header(unpacker *u)
{
    nav_detour_header *h = &u->h;
    const packed_grid *g = &u->grid;
    h->walkable_height = g->agent[0];
    h->walkable_radius = g->agent[1];
    h->walkable_climb = g->agent[2];
    h->bv_quant_factor = 1.0f / g->cell_size_m;
    h->min[0] = packed_x(g, 0);
    h->max[0] = packed_x(g, g->tile_cells << g->unit_shift);
    h->min[2] = packed_z(g, 0);
    h->max[2] = packed_z(g, g->tile_cells << g->unit_shift);
    h->min[1] = u->min_y - DETOUR_CLEARANCE_COLUMNS * g->cell_size_m;
    h->max[1] = u->max_y + DETOUR_CLEARANCE_COLUMNS * g->cell_size_m;
    nav_detour_write_header(h, u->bytes);
    for (int a = 0; a < 3; a++)
        if (!in_reach(h->min[a]) || !in_reach(h->max[a])) return false;
    return h->bv_quant_factor > 0 && h->bv_quant_factor < COORDINATE_MAX_M;
}

// --- all of it ---

// Room behind the tile while it is made.
static nav_status take_scratch(unpacker *u, size_t size, nav_buffer *out)
{
    size_t polys = (size_t)u->h.off_mesh_base;
    unsigned waiting_bits = packed_waiting_bits(polys);
    nav_status s = nav_buffer_reserve(out, packed_room(size, polys, (size_t)u->ground_verts));
    u->waiting_mask = (UINT32_C(1) << waiting_bits) - 1;
    u->waiting_shift = 32 - waiting_bits;
    if (s != NAV_OK) return s;
    u->bytes = out->data + out->size;
    uint8_t *at = u->bytes + size;
    at += -(uintptr_t)at & (_Alignof(bv_item) - 1);
    u->items = (bv_item *)(void *)at;
    u->waiting = (waiting_edge *)(void *)(at += 2 * polys * sizeof *u->items);
    u->sides = at + ((size_t)1 << waiting_bits) * sizeof *u->waiting;
    memset(u->bytes, 0, size);
    memset(u->waiting, 0, ((size_t)1 << waiting_bits) * sizeof *u->waiting);
    return NAV_OK;
}

static nav_status unpack(unpacker *u, size_t size, nav_buffer *out)
{
    nav_status s = read_counts(u, size);
    if (s == NAV_OK) s = take_scratch(u, size, out);
    if (s != NAV_OK) return s;
    read_corners(u);
    read_verts(u);
    read_detail_verts(u);
    read_detail(u);
    read_links(u);
    join_polygons(u);
    open_borders(u);
    if (u->in.bad || u->in.at != u->in.end || !set_header(u)) return NAV_ERR_FORMAT;
    if (u->h.bv_node_count) nav_detour_write_boxes(&u->h, u->bytes, u->items);
    out->size += size;
    return NAV_OK;
}

nav_status nav_detour_unpack(const uint8_t *packed, size_t count, size_t size, nav_buffer *out)
{
    if (count == 0) return NAV_ERR_TRUNCATED;
    switch (packed[0]) {
    case PACKED_AS_IT_IS:
        return count - 1 == size ? nav_buffer_append(out, packed + 1, size) : NAV_ERR_FORMAT;
    case PACKED_TILE: {
        unpacker u = {.in = {packed + 1, packed + count, false}, .min_y = HUGE_VALF, .max_y = -HUGE_VALF};
        return unpack(&u, size, out);
    }
    default:
        return NAV_ERR_VERSION;
    }
}
