// Writes navd's tile: one pass to count, one to write each section at its offset. Layout: docs/formats.md.

#include "core/tile/tile_format.h"

#include "core/base/endian.h"
#include "core/geometry/place.h"
#include "core/polygon/portals.h"
#include "core/tile/tile_layout.h"

#include <assert.h>

typedef struct writer {
    const nav_tile *tile;
    nav_tile_view head; // counts and numbers of the header
    nav_portals portals;
    tile_layout layout;
    uint8_t *bytes;
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

static void store_index(const writer *w, uint8_t *section, uint64_t at, int64_t value)
{
    if (w->head.index_bytes == 2)
        nav_store_u16(section + 2 * at, (uint16_t)value);
    else
        nav_store_u32(section + 4 * at, (uint32_t)value);
}

static nav_status measure(writer *w)
{
    const nav_tile *tile = w->tile;
    const nav_polygons *polys = &tile->polygons;
    const nav_settings *set = tile->settings;
    nav_tile_view *h = &w->head;
    uint64_t triangles = 0;
    for (int32_t p = 0; p < polys->count; p++) {
        int32_t given = given_tris(&tile->detail, p);
        triangles += (uint32_t)(given ? given : corner_count(polys, p) - 2);
    }
    if (triangles > UINT32_MAX) return NAV_ERR_LIMIT;
    *h = (nav_tile_view){
        .content_key = tile->content_key,
        .generator_version = NAV_GENERATOR_VERSION,
        .tile_x = tile->config.tile_x,
        .tile_z = tile->config.tile_z,
        .tile_cells = tile->config.tile_units,
        .unit = tile->config.unit,
        .sheet = set->sheet,
        .origin_m = {set->origin_m[0], set->origin_m[1], set->origin_m[2]},
        .cell_size_m = set->cell_size_m / (float)tile->config.unit, // exact: a power of two
        .cell_height_m = (float)tile->config.cell_height_m,         // exact: it was one
        .agent_height_m = set->agent_height_m,
        .agent_radius_m = set->agent_radius_m,
        .agent_climb_m = set->agent_climb_m,
        .relaxation_m = set->relaxation_m,
        .vert_count = polys->count ? (uint32_t)polys->vert_count : 0,
        .detail_vert_count = polys->count && tile->detail.tri_first ? (uint32_t)tile->detail.vert_count : 0,
        .cell_count = (uint32_t)polys->cell_count,
        .corner_count = polys->cell_count ? (uint32_t)polys->cell_first[polys->cell_count] : 0,
        .triangle_count = (uint32_t)triangles,
        .portal_count = (uint32_t)w->portals.count,
        .link_count = tile->link_count,
    };
    uint64_t points = (uint64_t)h->vert_count + h->detail_vert_count;
    bool narrow = points <= TILE_NARROW_MAX && h->cell_count <= TILE_NARROW_MAX && h->corner_count <= TILE_NARROW_MAX &&
                  h->triangle_count <= TILE_NARROW_MAX; // there are fewer portals than corners
    h->index_bytes = narrow ? 2 : 4;
    w->layout = tile_layout_of(h);
    return w->layout.size > UINT32_MAX ? NAV_ERR_LIMIT : NAV_OK;
}

static void widen(writer *w, double vx)
{
    float y = nav_place(w->tile->config.origin_m[1], 0, 0, (double)w->head.cell_height_m, vx);
    if (y < w->head.min_y) w->head.min_y = y;
    if (y > w->head.max_y) w->head.max_y = y;
}

static void write_places(writer *w)
{
    const nav_polygons *polys = &w->tile->polygons;
    const nav_detail *d = &w->tile->detail;
    uint8_t *x = w->bytes + w->layout.verts_x, *z = w->bytes + w->layout.verts_z, *y = w->bytes + w->layout.verts_y;
    if (w->head.vert_count)
        w->head.min_y = w->head.max_y =
            nav_place(w->tile->config.origin_m[1], 0, 0, (double)w->head.cell_height_m, polys->y[0]);
    for (uint32_t v = 0; v < w->head.vert_count; v++) {
        assert(polys->x[v] >= 0 && polys->x[v] <= w->head.tile_cells);
        assert(polys->z[v] >= 0 && polys->z[v] <= w->head.tile_cells);
        nav_store_u16(x + 2 * (size_t)v, (uint16_t)polys->x[v]);
        nav_store_u16(z + 2 * (size_t)v, (uint16_t)polys->z[v]);
        nav_store_i32(y + 4 * (size_t)v, polys->y[v]);
        widen(w, polys->y[v]);
    }
    x = w->bytes + w->layout.detail_x;
    z = w->bytes + w->layout.detail_z;
    y = w->bytes + w->layout.detail_y;
    for (uint32_t v = 0; v < w->head.detail_vert_count; v++) {
        nav_store_f32(x + 4 * (size_t)v, d->x[v]);
        nav_store_f32(z + 4 * (size_t)v, d->z[v]);
        nav_store_f32(y + 4 * (size_t)v, d->y[v]);
        widen(w, (double)d->y[v]);
    }
}

// Appends polygon p's triangles at triangle `at`; returns where the next ones go.
static uint64_t write_triangles(const writer *w, int32_t p, uint64_t at)
{
    const nav_polygons *polys = &w->tile->polygons;
    const nav_detail *d = &w->tile->detail;
    uint8_t *section = w->bytes + w->layout.triangles;
    const int32_t *corners = polys->vert + polys->first[p];
    int32_t n = corner_count(polys, p);
    if (!given_tris(d, p)) {
        for (int32_t k = 2; k < n; k++, at++) {
            store_index(w, section, 3 * at, corners[0]);
            store_index(w, section, 3 * at + 1, corners[k - 1]);
            store_index(w, section, 3 * at + 2, corners[k]);
        }
        return at;
    }
    for (int32_t t = d->tri_first[p]; t < d->tri_first[p + 1]; t++, at++) {
        for (uint64_t k = 0; k < 3; k++) {
            int32_t local = d->tri[t][k];
            int64_t extra = (int64_t)w->head.vert_count + d->vert_first[p] + local - n;
            store_index(w, section, 3 * at + k, local < n ? corners[local] : extra);
        }
    }
    return at;
}

static void write_cells(const writer *w)
{
    const nav_polygons *polys = &w->tile->polygons;
    uint8_t *first = w->bytes + w->layout.cell_first, *triangle = w->bytes + w->layout.cell_triangle;
    uint8_t *area = w->bytes + w->layout.cell_area;
    uint64_t at = 0;
    for (uint32_t c = 0; c < w->head.cell_count; c++) {
        store_index(w, first, c, polys->cell_first[c]);
        store_index(w, triangle, c, (int64_t)at);
        area[c] = polys->area[polys->cell_poly[c]];
        if (polys->cell_flags) w->bytes[w->layout.cell_flags + c] = polys->cell_flags[c];
        for (int32_t p = polys->cell_poly[c]; p < polys->cell_poly[c + 1]; p++) at = write_triangles(w, p, at);
    }
    assert(at == w->head.triangle_count);
    store_index(w, first, w->head.cell_count, w->head.corner_count);
    store_index(w, triangle, w->head.cell_count, (int64_t)at);
    for (uint32_t k = 0; k < w->head.corner_count; k++) {
        store_index(w, w->bytes + w->layout.corner_vert, k, polys->cell_vert[k]);
        store_index(w, w->bytes + w->layout.corner_behind, k, polys->cell_behind[k]); // -1 to -6: the highest values
    }
}

static void write_portals(const writer *w)
{
    const nav_portals *p = &w->portals;
    double cell_size_m = (double)w->head.cell_size_m;
    for (uint32_t i = 0; i < w->head.portal_count; i++) {
        store_index(w, w->bytes + w->layout.portal_cell, i, p->cell[i]);
        store_index(w, w->bytes + w->layout.portal_behind, i, p->behind[i]);
        store_index(w, w->bytes + w->layout.portal_from, i, p->from[i]);
        store_index(w, w->bytes + w->layout.portal_to, i, p->to[i]);
        nav_store_f32(w->bytes + w->layout.portal_width + 4 * (size_t)i, (float)(p->width[i] * cell_size_m));
        nav_store_f32(w->bytes + w->layout.portal_clearance + 4 * (size_t)i, (float)(p->clearance[i] * cell_size_m));
    }
}

void nav_tile_write_links(const nav_link *const *links, uint32_t count, uint8_t *to)
{
    for (uint32_t k = 0; k < count; k++, to += TILE_LINK_BYTES) {
        const nav_link *link = links[k];
        for (int a = 0; a < 3; a++) {
            nav_store_f32(to + 4 * a, link->start[a]);
            nav_store_f32(to + 12 + 4 * a, link->end[a]);
        }
        nav_store_f32(to + 24, link->radius_m);
        nav_store_u32(to + 28, link->id);
        nav_store_u16(to + 32, link->flags);
        to[34] = link->area;
        to[35] = link->both_ways ? 1 : 0;
    }
}

static void write_header(const writer *w)
{
    const nav_tile_view *h = &w->head;
    const struct {
        int at;
        uint32_t value;
    } ints[] = {
        {TILE_AT_MAGIC, TILE_MAGIC},
        {TILE_AT_VERSION, NAV_TILE_VERSION},
        {TILE_AT_SIZE, (uint32_t)w->layout.size},
        {TILE_AT_INDEX_BYTES, h->index_bytes},
        {TILE_AT_GENERATOR, h->generator_version},
        {TILE_AT_X, (uint32_t)h->tile_x},
        {TILE_AT_Z, (uint32_t)h->tile_z},
        {TILE_AT_TILE_CELLS, (uint32_t)h->tile_cells},
        {TILE_AT_VERTS, h->vert_count},
        {TILE_AT_DETAIL_VERTS, h->detail_vert_count},
        {TILE_AT_CELLS, h->cell_count},
        {TILE_AT_CORNERS, h->corner_count},
        {TILE_AT_TRIANGLES, h->triangle_count},
        {TILE_AT_LINKS, h->link_count},
        {TILE_AT_PORTALS, h->portal_count},
        {TILE_AT_UNIT, (h->unit > 1 ? (uint32_t)h->unit : 0) | (uint32_t)h->sheet << TILE_SHEET_SHIFT},
    };
    const float floats[] = {h->cell_size_m,   h->cell_height_m, h->agent_height_m, h->agent_radius_m,
                            h->agent_climb_m, h->min_y,         h->max_y};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) nav_store_u32(w->bytes + ints[i].at, ints[i].value);
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        nav_store_f32(w->bytes + TILE_AT_CELL_SIZE + 4 * i, floats[i]);
    nav_store_f32(w->bytes + TILE_AT_RELAXATION, h->relaxation_m);
    for (int a = 0; a < 3; a++) {
        uint64_t bits;
        memcpy(&bits, &h->origin_m[a], sizeof bits);
        nav_store_u64(w->bytes + TILE_AT_ORIGIN + 8 * a, bits);
    }
    nav_key_store(h->content_key, w->bytes + TILE_AT_KEY);
    nav_store_u64(w->bytes + TILE_AT_CHECKSUM, nav_tile_checksum(w->bytes, (size_t)w->layout.size));
}

nav_status nav_tile_encode(const nav_tile *tile, nav_buffer *out)
{
    writer w = {.tile = tile};
    const nav_config *cfg = &tile->config;
    nav_arena own, *arena = tile->arena ? tile->arena : &own;
    nav_arena_init(&own, 0);
    const nav_arena_mark mark = nav_arena_get_mark(arena);
    nav_status s = nav_portals_build(&tile->polygons, cfg->unit, nav_clearance_most(cfg->tile_units, cfg->unit), arena,
                                     &w.portals);
    if (s == NAV_OK) s = measure(&w);
    if (s == NAV_OK) s = nav_buffer_reserve(out, (size_t)w.layout.size);
    if (s != NAV_OK) goto done;
    w.bytes = out->data + out->size;
    memset(w.bytes, 0, (size_t)w.layout.size);
    write_places(&w);
    write_cells(&w);
    write_portals(&w);
    nav_tile_write_links(tile->links, tile->link_count, w.bytes + w.layout.links);
    write_header(&w);
    out->size += (size_t)w.layout.size;
done:
    nav_arena_release(arena, mark);
    nav_arena_deinit(&own);
    return s;
}

nav_status nav_tile_set_revision(uint8_t *bytes, size_t count, uint64_t revision)
{
    if (count < NAV_TILE_HEADER_BYTES) return NAV_ERR_TRUNCATED;
    nav_store_u64(bytes + TILE_AT_REVISION, revision);
    return NAV_OK;
}
