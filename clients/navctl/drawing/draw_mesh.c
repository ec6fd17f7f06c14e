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
    free(m->tris);
    free(m->links);
    free(m->portals);
    free(m->notches);
    *m = (draw_mesh){0};
}

static bool begin_polygon(draw_mesh *m, uint8_t area)
{
    if (!heap_array_grow(&m->polygons, &m->polygon_capacity, m->polygon_count + 1, sizeof *m->polygons)) return false;
    m->polygons[m->polygon_count++] = (draw_polygon){.first = m->corner_count, .first_tri = m->tri_count, .area = area};
    return true;
}

static bool add_corner(draw_mesh *m, const float p[3], draw_edge edge)
{
    uint32_t capacity = m->corner_capacity;
    if (!heap_array_grow(&m->edges, &capacity, m->corner_count + 1, sizeof *m->edges) ||
        !heap_array_grow(&m->corners, &m->corner_capacity, m->corner_count + 1, 3 * sizeof *m->corners)) {
        return false;
    }
    memcpy(m->corners + 3 * (size_t)m->corner_count, p, 3 * sizeof *p);
    m->edges[m->corner_count++] = (uint8_t)edge;
    m->polygons[m->polygon_count - 1].corner_count++;
    for (int k = 0; k < 3; k++) {
        if (p[k] < m->min[k]) m->min[k] = p[k];
        if (p[k] > m->max[k]) m->max[k] = p[k];
    }
    return true;
}

static bool add_link(draw_mesh *m, const float a[3], const float b[3])
{
    if (!heap_array_grow(&m->links, &m->link_capacity, m->link_count + 1, 6 * sizeof *m->links)) return false;
    float *to = m->links + 6 * (size_t)m->link_count++;
    memcpy(to, a, 3 * sizeof *a);
    memcpy(to + 3, b, 3 * sizeof *b);
    return true;
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
    for (uint32_t i = 0; i < (uint32_t)v.header.poly_count; i++) {
        nav_detour_poly p;
        nav_detour_get_poly(&v, i, &p);
        if (p.type != NAV_DETOUR_GROUND) continue;
        if (!begin_polygon(m, p.area)) return NAV_ERR_MEMORY;
        for (uint32_t k = 0; k < p.vert_count; k++) {
            float at[3];
            nav_detour_get_vert(&v, p.vert[k], at);
            draw_edge kind = p.neighbour[k] == 0                  ? DRAW_EDGE_WALL
                             : p.neighbour[k] & NAV_DETOUR_PORTAL ? DRAW_EDGE_PORTAL
                                                                  : DRAW_EDGE_INNER;
            if (!add_corner(m, at, kind)) return NAV_ERR_MEMORY;
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
        if (!add_link(m, link.start, link.end)) return NAV_ERR_MEMORY;
    }
    return NAV_OK;
}

nav_status draw_mesh_add_navd(draw_mesh *m, const uint8_t *bytes, size_t count, char *why, size_t why_bytes)
{
    nav_tile_view v;
    nav_status s = nav_tile_open(bytes, count, &v, why, why_bytes);
    if (s != NAV_OK) return s;
    m->tile_count++;
    for (uint32_t i = 0; i < v.cell_count; i++) {
        nav_tile_cell cell;
        nav_tile_get_cell(&v, i, &cell);
        if (!begin_polygon(m, cell.area)) return NAV_ERR_MEMORY;
        m->polygons[m->polygon_count - 1].cell = m->cell_count++;
        m->polygons[m->polygon_count - 1].flags = cell.flags;
        for (uint32_t k = 0; k < cell.corner_count; k++) {
            nav_tile_corner corner;
            float at[3];
            nav_tile_get_corner(&v, cell.first_corner + k, &corner);
            nav_tile_get_place(&v, corner.vert, at);
            draw_edge kind = corner.behind >= 0               ? DRAW_EDGE_INNER
                             : corner.behind == NAV_EDGE_WALL ? DRAW_EDGE_WALL
                                                              : DRAW_EDGE_PORTAL;
            if (!add_corner(m, at, kind)) return NAV_ERR_MEMORY;
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
        if (!add_link(m, link.start, link.end)) return NAV_ERR_MEMORY;
    }
    return NAV_OK;
}

// World place of a point in the tile's columns and voxels.
static void place_of(const nav_tile *tile, int32_t x, int32_t y, int32_t z, float out[3])
{
    const nav_config *c = &tile->config;
    out[0] = nav_place(c->origin_m[0], c->tile_x, c->tile_columns, c->cell_size_m, x);
    out[1] = nav_place(c->origin_m[1], 0, 0, c->cell_height_m, y);
    out[2] = nav_place(c->origin_m[2], c->tile_z, c->tile_columns, c->cell_size_m, z);
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
    if (behind < 0) return DRAW_EDGE_PORTAL;
    return behind >= p->cell_poly[cell] && behind < p->cell_poly[cell + 1] ? DRAW_EDGE_SPLIT : DRAW_EDGE_INNER;
}

static bool add_built_cell(draw_mesh *m, const nav_tile *tile, int32_t c)
{
    const nav_polygons *p = &tile->polygons;
    for (int32_t i = p->cell_poly[c]; i < p->cell_poly[c + 1]; i++) {
        if (!begin_polygon(m, p->area[i])) return false;
        draw_polygon *out = &m->polygons[m->polygon_count - 1];
        out->cell = m->cell_count;
        out->layer = p->region ? (uint32_t)p->region[i] : 0;
        out->flags = p->cell_flags ? p->cell_flags[c] : 0;
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            float at[3];
            place_of(tile, p->x[p->vert[k]], p->y[p->vert[k]], p->z[p->vert[k]], at);
            if (!add_corner(m, at, built_edge(p, c, p->behind[k]))) return false;
        }
    }
    m->cell_count++;
    return true;
}

nav_status draw_mesh_add_built(draw_mesh *m, const nav_tile *tile)
{
    const nav_contours *o = &tile->contours;
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
        if (!add_link(m, tile->links[i]->start, tile->links[i]->end)) return NAV_ERR_MEMORY;
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

nav_status draw_mesh_append(draw_mesh *m, const draw_mesh *part)
{
    for (uint32_t i = 0; i < part->polygon_count; i++) {
        const draw_polygon *p = &part->polygons[i];
        if (!begin_polygon(m, p->area)) return NAV_ERR_MEMORY;
        draw_polygon *out = &m->polygons[m->polygon_count - 1];
        out->flags = p->flags;
        out->cell = m->cell_count + p->cell;
        out->layer = p->layer;
        for (uint32_t k = p->first; k < p->first + p->corner_count; k++)
            if (!add_corner(m, part->corners + 3 * (size_t)k, part->edges[k])) return NAV_ERR_MEMORY;
        for (uint32_t t = p->first_tri; t < p->first_tri + p->tri_count; t++) {
            float *to = add_triangle(m);
            if (!to) return NAV_ERR_MEMORY;
            memcpy(to, part->tris + 9 * (size_t)t, 9 * sizeof *to);
        }
    }
    for (uint32_t i = 0; i < part->link_count; i++)
        if (!add_link(m, part->links + 6 * (size_t)i, part->links + 6 * (size_t)i + 3)) return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < part->notch_count; i++)
        if (!add_notch(m, part->notches + 3 * (size_t)i)) return NAV_ERR_MEMORY;
    if (part->portal_count &&
        !heap_array_grow(&m->portals, &m->portal_capacity, m->portal_count + part->portal_count, sizeof *m->portals))
        return NAV_ERR_MEMORY;
    for (uint32_t i = 0; i < part->portal_count; i++) m->portals[m->portal_count++] = part->portals[i];
    m->tile_count += part->tile_count;
    m->cell_count += part->cell_count;
    m->layer_count += part->layer_count;
    m->has_regions |= part->has_regions;
    return NAV_OK;
}
