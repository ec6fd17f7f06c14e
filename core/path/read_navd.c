// navd's own tiles as ground.
#include "core/path/ground.h"

#include "core/base/endian.h"

static void read_points(const nav_path_set *set, const nav_tile_view *v, path_ground *g)
{
    int64_t cells = v->tile_cells, fine = NAV_PATH_FINE / v->unit; // whole: see NAV_TILE_UNIT_MOST
    int64_t x0 = ((int64_t)v->tile_x - set->base_x) * cells, z0 = ((int64_t)v->tile_z - set->base_z) * cells;
    float column = 1.0f / (float)v->unit;
    for (uint32_t i = 0; i < v->vert_count; i++) {
        int32_t p[3];
        nav_tile_get_vert(v, i, p);
        g->at[i] = (path_spot){(int32_t)((x0 + p[0]) * fine), (int32_t)((z0 + p[2]) * fine)};
        g->y[i] = p[1];
        for (int a = 0; a < 3; a++) g->point[3 * (size_t)i + a] = a == 1 ? (float)p[a] : (float)p[a] * column;
    }
    for (uint32_t i = 0; i < v->detail_vert_count; i++) {
        float *to = &g->point[3 * ((size_t)v->vert_count + i)];
        to[0] = nav_load_f32(v->detail_x + 4 * (size_t)i) * column;
        to[1] = nav_load_f32(v->detail_y + 4 * (size_t)i);
        to[2] = nav_load_f32(v->detail_z + 4 * (size_t)i) * column;
    }
}

nav_status nav_path_read_navd(const nav_path_set *set, const nav_tile_view *v, path_ground *g)
{
    *g = (path_ground){.x = v->tile_x,
                       .z = v->tile_z,
                       .vert_count = v->vert_count,
                       .point_count = v->vert_count + v->detail_vert_count,
                       .poly_count = v->cell_count,
                       .corner_count = v->corner_count,
                       .triangle_count = v->triangle_count,
                       .link_count = v->link_count};
    if (!nav_path_ground_take(g)) return NAV_ERR_MEMORY;
    read_points(set, v, g);
    for (uint32_t c = 0; c < v->cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_get_cell(v, c, &cell);
        g->first[c + 1] = cell.first_corner + cell.corner_count;
        g->triangle_first[c + 1] = cell.first_triangle + cell.triangle_count;
        g->area[c] = cell.area;
        g->is_ground[c] = !(cell.flags & NAV_CELL_UNREACHABLE);
    }
    for (uint32_t k = 0; k < v->corner_count; k++) {
        nav_tile_corner corner;
        nav_tile_get_corner(v, k, &corner);
        g->vert[k] = corner.vert;
        g->behind[k] = corner.behind == NAV_EDGE_SEAM ? NAV_EDGE_WALL : (int32_t)corner.behind;
    }
    for (uint32_t k = 0; k < v->triangle_count; k++) nav_tile_get_triangle(v, k, &g->triangle[3 * (size_t)k]);
    for (uint32_t k = 0; k < v->link_count; k++) nav_tile_get_link(v, k, &g->link[k]);
    return NAV_OK;
}
