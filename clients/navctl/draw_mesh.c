#include "clients/navctl/draw_mesh.h"
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
    *m = (draw_mesh){0};
}

static bool grow(void *array_pointer, uint32_t *capacity, uint32_t needed, size_t size)
{
    void **array = array_pointer;
    if (needed <= *capacity) return true;
    uint32_t wanted = *capacity ? *capacity : 256;
    while (wanted < needed) wanted = wanted < UINT32_MAX / 2 ? wanted * 2 : UINT32_MAX;
    void *bigger = realloc(*array, wanted * size);
    if (!bigger) return false;
    *array = bigger;
    *capacity = wanted;
    return true;
}

static bool begin_polygon(draw_mesh *m, uint8_t area)
{
    if (!grow(&m->polygons, &m->polygon_capacity, m->polygon_count + 1, sizeof *m->polygons)) return false;
    m->polygons[m->polygon_count++] = (draw_polygon){.first = m->corner_count, .first_tri = m->tri_count, .area = area};
    return true;
}

static bool add_corner(draw_mesh *m, const float p[3], draw_edge edge)
{
    uint32_t capacity = m->corner_capacity;
    if (!grow(&m->edges, &capacity, m->corner_count + 1, sizeof *m->edges) ||
        !grow(&m->corners, &m->corner_capacity, m->corner_count + 1, 3 * sizeof *m->corners)) {
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
    if (!grow(&m->links, &m->link_capacity, m->link_count + 1, 6 * sizeof *m->links)) return false;
    float *to = m->links + 6 * (size_t)m->link_count++;
    memcpy(to, a, 3 * sizeof *a);
    memcpy(to + 3, b, 3 * sizeof *b);
    return true;
}

// Room for one more triangle of the polygon added last; NULL without memory.
static float *add_triangle(draw_mesh *m)
{
    if (!grow(&m->tris, &m->tri_capacity, m->tri_count + 1, 9 * sizeof *m->tris)) return NULL;
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
