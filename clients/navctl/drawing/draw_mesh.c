#include "clients/navctl/drawing/draw_mesh.h"
#include "clients/navctl/scene/heap_array.h"
#include "core/contour/floor_plans.h"
#include "core/geometry/place.h"
#include "core/graph/graph.h"
#include "core/tile/detour.h"
#include "core/tile/tile_format.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void draw_mesh_init(draw_mesh *m)
{
    *m = (draw_mesh){.min = {INFINITY, INFINITY, INFINITY}, .max = {-INFINITY, -INFINITY, -INFINITY}};
}

void draw_mesh_deinit(draw_mesh *m)
{
    free(m->polygons);
    free(m->corners);
    free(m->edges);
    free(m->places);
    free(m->tris);
    free(m->links);
    free(m->portals);
    free(m->notches);
    free(m->tiles);
    *m = (draw_mesh){0};
}

static bool begin_tile(draw_mesh *m, nav_sheet sheet, int32_t x, int32_t z)
{
    if (!heap_array_grow(&m->tiles, &m->tile_capacity, m->listed_count + 1, sizeof *m->tiles)) return false;
    m->tiles[m->listed_count++] = (draw_place){.x = x, .z = z, .sheet = sheet, .first_polygon = m->polygon_count};
    return true;
}

static bool begin_polygon(draw_mesh *m, uint8_t area, uint32_t number)
{
    if (!heap_array_grow(&m->polygons, &m->polygon_capacity, m->polygon_count + 1, sizeof *m->polygons)) return false;
    m->polygons[m->polygon_count++] = (draw_polygon){.first = m->corner_count,
                                                     .first_tri = m->tri_count,
                                                     .area = area,
                                                     .sheet = (uint8_t)m->tiles[m->listed_count - 1].sheet,
                                                     .number = number};
    return true;
}

// place: its border counts on a portal's edge.
static bool add_corner(draw_mesh *m, const float p[3], draw_edge edge, draw_corner place)
{
    uint32_t capacity = m->corner_capacity, place_capacity = m->corner_capacity;
    if (!heap_array_grow(&m->edges, &capacity, m->corner_count + 1, sizeof *m->edges) ||
        !heap_array_grow(&m->places, &place_capacity, m->corner_count + 1, sizeof *m->places) ||
        !heap_array_grow(&m->corners, &m->corner_capacity, m->corner_count + 1, 3 * sizeof *m->corners)) {
        return false;
    }
    memcpy(m->corners + 3 * (size_t)m->corner_count, p, 3 * sizeof *p);
    m->places[m->corner_count] = place;
    m->edges[m->corner_count++] = (uint8_t)edge;
    m->polygons[m->polygon_count - 1].corner_count++;
    for (int k = 0; k < 3; k++) {
        if (p[k] < m->min[k]) m->min[k] = p[k];
        if (p[k] > m->max[k]) m->max[k] = p[k];
    }
    return true;
}

static bool add_link(draw_mesh *m, const float a[3], const float b[3], uint32_t id, bool both_ways)
{
    if (!heap_array_grow(&m->links, &m->link_capacity, m->link_count + 1, sizeof *m->links)) return false;
    draw_link *to = &m->links[m->link_count++];
    *to = (draw_link){.id = id, .both_ways = both_ways};
    memcpy(to->ends[0], a, sizeof to->ends[0]);
    memcpy(to->ends[1], b, sizeof to->ends[1]);
    return true;
}

// NAV_EDGE_PORTAL_* of an edge; nothing where it is none.
static uint8_t border_of(int64_t behind)
{
    return behind < NAV_EDGE_WALL && behind != NAV_EDGE_SEAM ? (uint8_t)(NAV_EDGE_PORTAL_XMAX - behind) : 0;
}

// Room for one more triangle of the polygon added last; NULL without memory.
static float *add_triangle(draw_mesh *m)
{
    if (!heap_array_grow(&m->tris, &m->tri_capacity, m->tri_count + 1, 9 * sizeof *m->tris)) return NULL;
    m->polygons[m->polygon_count - 1].tri_count++;
    return m->tris + 9 * (size_t)m->tri_count++;
}

nav_status draw_mesh_add_detour(draw_mesh *m, const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    nav_detour_view v;
    nav_status s = nav_detour_open(bytes, count, &v, why, why_bytes);
    if (s != NAV_OK) return s;
    m->tile_count++;
    if (!begin_tile(m, NAV_SHEET_UP, v.header.x, v.header.z)) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < (uint32_t)v.header.poly_count; i++) {
        nav_detour_poly p;
        nav_detour_get_poly(&v, i, &p);
        if (p.type != NAV_DETOUR_GROUND) continue;
        if (!begin_polygon(m, p.area, i)) return NAV_ERR_MEMORY;
        for (uint32_t k = 0; k < p.vert_count; k++) {
            float at[3];
            nav_detour_get_vert(&v, p.vert[k], at);
            draw_edge kind = p.neighbour[k] == 0                  ? DRAW_EDGE_WALL
                             : p.neighbour[k] & NAV_DETOUR_PORTAL ? DRAW_EDGE_PORTAL
                                                                  : DRAW_EDGE_INNER;
            // Detour's codes of the sides are 0, 2, 4, 6, in the order of draw_border.
            const draw_corner place = {.vertex = p.vert[k], .border = (p.neighbour[k] & 6) / 2};
            if (!add_corner(m, at, kind, place)) return NAV_ERR_MEMORY;
        }
        for (uint32_t t = 0; t < p.detail_tri_count; t++) {
            float places[3][3], *out = add_triangle(m);
            uint8_t flags;
            if (!out) return NAV_ERR_MEMORY;
            nav_detour_get_triangle(&v, &p, t, places, &flags);
            memcpy(out, places, sizeof places);
        }
    }
    for (uint32_t i = 0; i < (uint32_t)v.header.off_mesh_count; i++) {
        nav_detour_link link;
        nav_detour_get_link(&v, i, &link);
        if (!add_link(m, link.start, link.end, link.user_id, link.flags & 1)) return NAV_ERR_MEMORY;
    }
    return NAV_OK;
}

nav_status draw_mesh_add_navd(draw_mesh *m, const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    nav_tile_view v;
    nav_status s = nav_tile_open(bytes, count, &v, why, why_bytes);
    if (s != NAV_OK) return s;
    m->tile_count++;
    if (!begin_tile(m, v.sheet, v.tile_x, v.tile_z)) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < v.cell_count; i++) {
        nav_tile_cell cell;
        nav_tile_get_cell(&v, i, &cell);
        if (!begin_polygon(m, cell.area, i)) return NAV_ERR_MEMORY;
        m->polygons[m->polygon_count - 1].cell = m->cell_count++;
        m->polygons[m->polygon_count - 1].flags = cell.flags;
        for (uint32_t k = 0; k < cell.corner_count; k++) {
            nav_tile_corner corner;
            float at[3];
            nav_tile_get_corner(&v, cell.first_corner + k, &corner);
            nav_tile_get_place(&v, corner.vert, at);
            draw_edge kind = corner.behind >= 0               ? DRAW_EDGE_INNER
                             : corner.behind == NAV_EDGE_WALL ? DRAW_EDGE_WALL
                             : corner.behind == NAV_EDGE_SEAM ? DRAW_EDGE_SEAM
                                                              : DRAW_EDGE_PORTAL;
            const draw_corner place = {.vertex = corner.vert, .border = border_of(corner.behind)};
            if (!add_corner(m, at, kind, place)) return NAV_ERR_MEMORY;
        }
        for (uint32_t t = 0; t < cell.triangle_count; t++) {
            uint32_t verts[3];
            float *out = add_triangle(m);
            if (!out) return NAV_ERR_MEMORY;
            nav_tile_get_triangle(&v, cell.first_triangle + t, verts);
            for (int k = 0; k < 3; k++) nav_tile_get_place(&v, verts[k], out + 3 * k);
        }
    }
    for (uint32_t i = 0; i < v.link_count; i++) {
        nav_link link;
        nav_tile_get_link(&v, i, &link);
        if (!add_link(m, link.start, link.end, link.id, link.both_ways)) return NAV_ERR_MEMORY;
    }
    return NAV_OK;
}

// World place of a point in the tile's outline units and voxels.
static void place_of(const nav_tile *tile, int32_t x, int32_t y, int32_t z, float out[3])
{
    const nav_config *c = &tile->config;
    out[0] = nav_place(c->origin_m[0], c->tile_x, c->tile_units, c->unit_size_m, x);
    out[1] = nav_place(c->origin_m[1], 0, 0, c->cell_height_m, y);
    out[2] = nav_place(c->origin_m[2], c->tile_z, c->tile_units, c->unit_size_m, z);
}

static bool add_notch(draw_mesh *m, const float at[3])
{
    if (!heap_array_grow(&m->notches, &m->notch_capacity, m->notch_count + 1, 3 * sizeof *m->notches)) return false;
    memcpy(m->notches + 3 * (size_t)m->notch_count++, at, 3 * sizeof *at);
    return true;
}

static draw_edge built_edge(const nav_polygons *p, int32_t cell, int32_t behind)
{
    if (behind == NAV_EDGE_WALL) return DRAW_EDGE_WALL;
    if (behind == NAV_EDGE_SEAM) return DRAW_EDGE_SEAM;
    if (behind < 0) return DRAW_EDGE_PORTAL;
    return behind >= p->cell_poly[cell] && behind < p->cell_poly[cell + 1] ? DRAW_EDGE_SPLIT : DRAW_EDGE_INNER;
}

static bool add_built_cell(draw_mesh *m, const nav_tile *tile, int32_t c)
{
    const nav_polygons *p = &tile->polygons;
    for (int32_t i = p->cell_poly[c]; i < p->cell_poly[c + 1]; i++) {
        if (!begin_polygon(m, p->area[i], (uint32_t)i)) return false;
        draw_polygon *out = &m->polygons[m->polygon_count - 1];
        out->cell = m->cell_count;
        out->layer = p->region ? (uint32_t)p->region[i] : 0;
        out->flags = p->cell_flags ? p->cell_flags[c] : 0;
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            float at[3];
            place_of(tile, p->x[p->vert[k]], p->y[p->vert[k]], p->z[p->vert[k]], at);
            const draw_corner place = {.vertex = (uint32_t)p->vert[k], .border = border_of(p->behind[k])};
            if (!add_corner(m, at, built_edge(p, c, p->behind[k]), place)) return false;
        }
    }
    m->cell_count++;
    return true;
}

nav_status draw_mesh_add_built(draw_mesh *m, const nav_tile *tile)
{
    const nav_contours *o = &tile->contours;
    if (!begin_tile(m, tile->config.sheet, tile->config.tile_x, tile->config.tile_z)) return NAV_ERR_MEMORY;
    for (int32_t c = 0; c < tile->polygons.cell_count; c++)
        if (!add_built_cell(m, tile, c)) return NAV_ERR_MEMORY;
    for (int32_t l = 0; l < o->loop_count; l++) {
        for (int32_t i = o->loop_first[l]; i < o->loop_first[l + 1]; i++) {
            float at[3];
            place_of(tile, o->x[i], o->y[i], o->z[i], at);
            if (nav_floor_plan_notch(o, l, i) && !add_notch(m, at)) return NAV_ERR_MEMORY;
        }
    }
    for (uint32_t i = 0; i < tile->link_count; i++)
        if (!add_link(m, tile->links[i]->start, tile->links[i]->end, tile->links[i]->id, tile->links[i]->both_ways))
            return NAV_ERR_MEMORY;
    m->tile_count += tile->polygons.cell_count > 0;
    m->layer_count += (uint32_t)tile->regions.count;
    m->has_regions |= tile->config.partition != NAV_PARTITION_CONVEX;
    return NAV_OK;
}

nav_status draw_mesh_add_graph(draw_mesh *m, const nav_tile_view *tiles, uint32_t count, char *why, size_t why_bytes)
{
    nav_arena arena;
    nav_graph g;
    nav_arena_init(&arena, 0);
    nav_status s = nav_graph_build(tiles, count, &arena, &g, why, why_bytes);
    for (uint32_t i = 0; s == NAV_OK && i < g.edge_count; i++) {
        const nav_graph_edge *e = &g.edges[i];
        if (e->kind == NAV_GRAPH_LINK) continue;
        if (!heap_array_grow(&m->portals, &m->portal_capacity, m->portal_count + 1, sizeof *m->portals)) {
            s = NAV_ERR_MEMORY;
            break;
        }
        draw_portal *out = &m->portals[m->portal_count++];
        *out = (draw_portal){.width_m = (float)e->width_m, .clearance_m = (float)e->clearance_m};
        memcpy(out->ends, e->ends_m, sizeof out->ends);
    }
    nav_arena_deinit(&arena);
    return s;
}

// Adds all of a part's items behind those that are there. False: no memory.
static bool append_items(void *array, uint32_t *count, uint32_t *capacity, const void *items, uint32_t more,
                         size_t size)
{
    if (!more) return true;
    if (!heap_array_grow(array, capacity, *count + more, size)) return false;
    memcpy(*(char **)array + (size_t)*count * size, items, more * size);
    *count += more;
    return true;
}

static void turn_place(nav_sheet sheet, float at[3])
{
    double p[3] = {(double)at[0], (double)at[1], (double)at[2]};
    nav_sheet_to_frame(sheet, p, p);
    for (int k = 0; k < 3; k++) at[k] = (float)p[k];
}

void draw_mesh_to_frame(draw_mesh *m, nav_sheet sheet)
{
    for (int k = 0; k < 3; k++) {
        m->min[k] = INFINITY;
        m->max[k] = -INFINITY;
    }
    for (uint32_t i = 0; i < m->corner_count; i++) {
        float *at = m->corners + 3 * (size_t)i;
        turn_place(sheet, at);
        for (int k = 0; k < 3; k++) {
            m->min[k] = fminf(m->min[k], at[k]);
            m->max[k] = fmaxf(m->max[k], at[k]);
        }
    }
    for (size_t i = 0; i < 3 * (size_t)m->tri_count; i++) turn_place(sheet, m->tris + 3 * i);
    for (size_t i = 0; i < m->notch_count; i++) turn_place(sheet, m->notches + 3 * i);
    for (uint32_t i = 0; i < m->link_count; i++)
        for (int e = 0; e < 2; e++) turn_place(sheet, m->links[i].ends[e]);
    for (uint32_t i = 0; i < m->portal_count; i++)
        for (int e = 0; e < 2; e++) turn_place(sheet, m->portals[i].ends[e]);
}

nav_status draw_mesh_append(draw_mesh *m, const draw_mesh *part)
{
    const uint32_t first_polygon = m->polygon_count, first_corner = m->corner_count, first_tri = m->tri_count;
    // They grow with the corners:
    uint32_t edges = m->corner_count, edge_capacity = m->corner_capacity;
    uint32_t places = m->corner_count, place_capacity = m->corner_capacity;
    const uint32_t first_tile = m->listed_count;
    if (!append_items(&m->polygons, &m->polygon_count, &m->polygon_capacity, part->polygons, part->polygon_count,
                      sizeof *m->polygons) ||
        !append_items(&m->edges, &edges, &edge_capacity, part->edges, part->corner_count, sizeof *m->edges) ||
        !append_items(&m->places, &places, &place_capacity, part->places, part->corner_count, sizeof *m->places) ||
        !append_items(&m->corners, &m->corner_count, &m->corner_capacity, part->corners, part->corner_count,
                      3 * sizeof *m->corners) ||
        !append_items(&m->tris, &m->tri_count, &m->tri_capacity, part->tris, part->tri_count, 9 * sizeof *m->tris) ||
        !append_items(&m->links, &m->link_count, &m->link_capacity, part->links, part->link_count, sizeof *m->links) ||
        !append_items(&m->tiles, &m->listed_count, &m->tile_capacity, part->tiles, part->listed_count,
                      sizeof *m->tiles) ||
        !append_items(&m->notches, &m->notch_count, &m->notch_capacity, part->notches, part->notch_count,
                      3 * sizeof *m->notches) ||
        !append_items(&m->portals, &m->portal_count, &m->portal_capacity, part->portals, part->portal_count,
                      sizeof *m->portals))
        return NAV_ERR_MEMORY;
    for (uint32_t i = first_polygon; i < m->polygon_count; i++) {
        m->polygons[i].first += first_corner;
        m->polygons[i].first_tri += first_tri;
        m->polygons[i].cell += m->cell_count;
    }
    for (uint32_t i = first_tile; i < m->listed_count; i++) m->tiles[i].first_polygon += first_polygon;
    for (int k = 0; k < 3; k++) {
        m->min[k] = fminf(m->min[k], part->min[k]);
        m->max[k] = fmaxf(m->max[k], part->max[k]);
    }
    m->tile_count += part->tile_count;
    m->cell_count += part->cell_count;
    m->layer_count += part->layer_count;
    m->has_regions |= part->has_regions;
    return NAV_OK;
}
