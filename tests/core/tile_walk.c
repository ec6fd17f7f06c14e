#include "tests/core/tile_walk.h"

#include <stdlib.h>

static double sum_of(const float *f, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (double)f[i];
    return sum;
}

double walk_tile(const nav_tile_view *v)
{
    double sum = 0;
    float at[3];
    for (uint32_t c = 0; c < v->cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_get_cell(v, c, &cell);
        for (uint32_t k = 0; k < cell.corner_count; k++) {
            nav_tile_corner corner;
            nav_tile_get_corner(v, cell.first_corner + k, &corner);
            nav_tile_get_place(v, corner.vert, at);
            sum += sum_of(at, 3) + (double)corner.behind;
        }
        for (uint32_t t = 0; t < cell.triangle_count; t++) {
            uint32_t corner[3];
            nav_tile_get_triangle(v, cell.first_triangle + t, corner);
            for (int k = 0; k < 3; k++) {
                nav_tile_get_place(v, corner[k], at);
                sum += sum_of(at, 3);
            }
        }
    }
    for (uint32_t k = 0; k < v->portal_count; k++) {
        nav_tile_portal portal;
        nav_tile_cell cell;
        nav_tile_get_portal(v, k, &portal);
        nav_tile_get_cell(v, portal.cell, &cell);
        if (portal.behind >= 0) nav_tile_get_cell(v, (uint32_t)portal.behind, &cell);
        nav_tile_get_place(v, portal.from, at);
        sum += sum_of(at, 3) + cell.flags;
        nav_tile_get_place(v, portal.to, at);
        sum += sum_of(at, 3) + (double)portal.width_m + (double)portal.clearance_m;
    }
    for (uint32_t k = 0; k < v->link_count; k++) {
        nav_link link;
        nav_tile_get_link(v, k, &link);
        sum += sum_of(link.start, 3) + sum_of(link.end, 3) + link.area;
    }
    return sum;
}

double walk_detour(const nav_detour_view *v)
{
    double sum = 0;
    for (int32_t p = 0; p < v->header.poly_count; p++) {
        nav_detour_poly poly;
        nav_detour_get_poly(v, (uint32_t)p, &poly);
        float at[3];
        for (int k = 0; k < poly.vert_count; k++) {
            nav_detour_get_vert(v, poly.vert[k], at);
            sum += sum_of(at, 3);
        }
        for (uint32_t t = 0; t < poly.detail_tri_count; t++) {
            float tri[3][3];
            uint8_t flags;
            nav_detour_get_triangle(v, &poly, t, tri, &flags);
            sum += sum_of(tri[0], 3) + sum_of(tri[1], 3) + sum_of(tri[2], 3) + flags;
        }
    }
    // As Detour walks the tree when no box is missed, and when all are.
    for (int miss = 0; miss < 2; miss++) {
        for (int32_t i = 0; i < v->header.bv_node_count;) {
            nav_detour_node node;
            nav_detour_get_node(v, (uint32_t)i, &node);
            nav_detour_poly poly;
            if (node.index >= 0) nav_detour_get_poly(v, (uint32_t)node.index, &poly);
            sum += node.min[0] + node.max[2];
            i += miss && node.index < 0 ? -node.index : 1;
        }
    }
    for (int32_t k = 0; k < v->header.off_mesh_count; k++) {
        nav_detour_link link;
        nav_detour_get_link(v, (uint32_t)k, &link);
        nav_detour_poly poly;
        nav_detour_get_poly(v, link.poly, &poly);
        sum += sum_of(link.start, 3) + sum_of(link.end, 3) + poly.vert[1];
    }
    return sum;
}

double walk_mset(const nav_mset_view *v)
{
    double sum = 0;
    nav_mset_tile tile;
    for (size_t at = 0; nav_mset_next(v, &at, &tile);) {
        nav_detour_view view;
        if (nav_detour_open(tile.bytes, tile.size, &view, NULL, 0) != NAV_OK) abort();
        sum += walk_detour(&view) + tile.x + tile.z;
    }
    return sum;
}

double walk_tile_file(const nav_tile_file_view *v)
{
    double sum = 0;
    for (uint32_t i = 0; i < v->tile_count; i++) {
        nav_tile_file_tile tile;
        nav_tile_file_get(v, i, &tile);
        nav_tile_view view;
        if (nav_tile_open(tile.bytes, tile.size, &view, NULL, 0) != NAV_OK) abort();
        sum += walk_tile(&view) + tile.x + tile.z;
    }
    return sum;
}
