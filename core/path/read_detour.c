// Detour's tiles as ground.
//
// A column of the grid is the step of the tile's box tree (bvQuantFactor is one by it), which is Recast's cell size:
// its vertices are then whole columns, or navd's outline units. Without one, a tile's width is divided by 1024. Heights
// are in steps of 1/1024 m. Vertices of borders are moved onto the line between the tiles, if they are as near to it as
// Detour asks for.
#include "core/path/ground.h"

#include "core/tile/refuse.h"

#include <math.h>
#include <string.h>

enum { STEPS_TO_METRE = 1024, COLUMNS_WITHOUT_STEP = 1024, MOST_COLUMNS = 1 << 16 };
static const double BORDER_M = 0.01;              // by which Detour lets the lines of two borders differ
static const double LEAST_M = 1e-3, MOST_M = 1e6; // of a tile
static const double SAME = 1e-5;                  // by how much sizes may differ

nav_status nav_path_detour_grid(const nav_path_set *set, const nav_detour_params *params, const nav_detour_view *v,
                                nav_tile_view *grid, char *why, size_t why_bytes)
{
    const nav_detour_header *h = &v->header;
    nav_detour_params alone = {.origin_m = {h->min[0], h->min[1], h->min[2]}};
    if (!params) { // the only place: its own bounds
        alone.tile_width_m = fmaxf(h->max[0] - h->min[0], h->max[2] - h->min[2]);
        alone.tile_height_m = alone.tile_width_m;
        params = &alone;
    }
    double wide = (double)params->tile_width_m, deep = (double)params->tile_height_m, side = fmax(wide, deep);
    for (int a = 0; a < 3; a++)
        if (!isfinite(params->origin_m[a]))
            return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "the grid begins at %g on axis %d",
                              (double)params->origin_m[a], a);
    if (!(wide > 0 && deep > 0 && side >= LEAST_M && side <= MOST_M))
        return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "tiles of %g by %g m", wide, deep);
    if ((h->x || h->z) && fabs(wide - deep) > SAME * side)
        return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "tiles of %g by %g m; only square ones have neighbours",
                          wide, deep);
    if (set->count) {
        *grid = set->grid;
        double before = (double)grid->tile_cells * (double)grid->cell_size_m;
        if (fabs(before - side) > SAME * side)
            return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "tile %d, %d is %g m wide, those before it %g m", h->x,
                              h->z, side, before);
    } else {
        double steps = side * (double)h->bv_quant_factor + 0.5;
        int32_t columns = steps >= 1 && steps < MOST_COLUMNS ? (int32_t)steps : COLUMNS_WITHOUT_STEP;
        *grid = (nav_tile_view){
            .tile_cells = columns, .cell_size_m = (float)(side / columns), .cell_height_m = 1.0f / STEPS_TO_METRE};
    }
    grid->origin_m[0] = (double)params->origin_m[0];
    grid->origin_m[1] = 0;
    grid->origin_m[2] = (double)params->origin_m[2];
    grid->agent_height_m = h->walkable_height;
    grid->agent_radius_m = h->walkable_radius;
    grid->agent_climb_m = h->walkable_climb;
    grid->tile_x = h->x;
    grid->tile_z = h->z;
    return NAV_OK;
}

// --- Vertices ---

typedef struct placer {
    const nav_path_set *set;
    double fine_m;
    int64_t low[2], side; // of the tile
    int64_t reach;        // of a border's line
} placer;

static bool place(const placer *p, const float at[3], path_spot *spot, int32_t *y)
{
    const nav_tile_view *grid = &p->set->grid;
    double base[2] = {(double)p->set->base_x * (double)p->side, (double)p->set->base_z * (double)p->side};
    double x = ((double)at[0] - grid->origin_m[0]) / p->fine_m - base[0],
           z = ((double)at[2] - grid->origin_m[2]) / p->fine_m - base[1], up = (double)at[1] * STEPS_TO_METRE;
    const double most = (1 << 30) - 1; // so that differences fit, too
    if (!(fabs(x) <= most) || !(fabs(z) <= most) || !(fabs(up) <= most)) return false;
    *spot = (path_spot){(int32_t)lround(x), (int32_t)lround(z)};
    *y = (int32_t)lround(up);
    return true;
}

static void put_point(const placer *p, const float at[3], float out[3])
{
    const nav_tile_view *grid = &p->set->grid;
    double column = (double)grid->cell_size_m;
    out[0] = (float)(((double)at[0] - grid->origin_m[0]) / column - (double)(p->low[0] / NAV_PATH_FINE) -
                     (double)p->set->base_x * grid->tile_cells);
    out[1] = at[1] * STEPS_TO_METRE;
    out[2] = (float)(((double)at[2] - grid->origin_m[2]) / column - (double)(p->low[1] / NAV_PATH_FINE) -
                     (double)p->set->base_z * grid->tile_cells);
}

// Both ends of an edge on a border onto the line between the tiles. It stays where it is if it is not near it: a portal
// to another layer of the same place.
static void straighten(const placer *p, path_ground *g, int side, uint32_t from, uint32_t to)
{
    int axis = side % 2;
    int64_t line = p->low[axis] + (side < 2 ? p->side : 0);
    int32_t *a = axis == 0 ? &g->at[from].x : &g->at[from].z, *b = axis == 0 ? &g->at[to].x : &g->at[to].z;
    if (llabs(*a - line) > p->reach || llabs(*b - line) > p->reach) return;
    *a = (int32_t)line;
    *b = (int32_t)line;
}

// Along its border, with the polygon on this side of it?
static bool is_border(const path_ground *g, int side, uint32_t from, uint32_t to)
{
    path_spot a = g->at[from], b = g->at[to];
    switch (side) {
    case 0:
        return a.x == b.x && a.z > b.z;
    case 1:
        return a.z == b.z && a.x < b.x;
    case 2:
        return a.x == b.x && a.z < b.z;
    default:
        return a.z == b.z && a.x > b.x;
    }
}

// --- Polygons ---

static int32_t behind_of(const nav_detour_poly *poly, uint32_t k)
{
    uint16_t n = poly->neighbour[k];
    if (n == 0) return NAV_EDGE_WALL;
    return n & NAV_DETOUR_PORTAL ? NAV_EDGE_PORTAL_XMAX - (n & 6) / 2 : n - 1;
}

static void read_polygons(const nav_detour_view *v, path_ground *g)
{
    uint32_t corner = 0, triangle = 0;
    for (uint32_t p = 0; p < g->poly_count; p++) {
        nav_detour_poly poly;
        nav_detour_get_poly(v, p, &poly);
        g->area[p] = poly.area;
        g->is_ground[p] = poly.flags != 0; // else no filter lets anybody on it
        for (uint32_t k = 0; k < poly.vert_count; k++) {
            g->vert[corner] = poly.vert[k];
            g->behind[corner++] = behind_of(&poly, k);
        }
        g->first[p + 1] = corner;
        for (uint32_t k = 0; k < poly.detail_tri_count; k++)
            nav_detour_get_triangle_points(v, &poly, k, &g->triangle[3 * (size_t)triangle++]);
        g->triangle_first[p + 1] = triangle;
    }
}

static void read_portals(const placer *p, path_ground *g)
{
    for (int pass = 0; pass < 2; pass++) // first all vertices find their place
        for (uint32_t poly = 0; poly < g->poly_count; poly++)
            for (uint32_t k = g->first[poly]; k < g->first[poly + 1]; k++) {
                uint32_t next = k + 1 == g->first[poly + 1] ? g->first[poly] : k + 1;
                int side = NAV_EDGE_PORTAL_XMAX - g->behind[k];
                if (side < 0) continue;
                if (pass == 0)
                    straighten(p, g, side, g->vert[k], g->vert[next]);
                else if (!is_border(g, side, g->vert[k], g->vert[next]))
                    g->behind[k] = NAV_EDGE_WALL;
            }
}

static void read_links(const nav_detour_view *v, path_ground *g)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < (uint32_t)v->header.off_mesh_count; i++) {
        nav_detour_link link;
        nav_detour_poly poly;
        nav_detour_get_link(v, i, &link);
        nav_detour_get_poly(v, link.poly, &poly);
        if (!poly.flags) continue;
        nav_link *to = &g->link[count++];
        *to = (nav_link){.id = link.user_id,
                         .radius_m = link.radius,
                         .area = poly.area,
                         .both_ways = link.flags & 1,
                         .flags = poly.flags};
        memcpy(to->start, link.start, sizeof to->start);
        memcpy(to->end, link.end, sizeof to->end);
    }
    g->link_count = count;
}

nav_status nav_path_read_detour(const nav_path_set *set, const nav_detour_view *v, path_ground *g, char *why,
                                size_t why_bytes)
{
    const nav_detour_header *h = &v->header;
    *g = (path_ground){.x = h->x,
                       .z = h->z,
                       .layer = h->layer,
                       .lenient = true,
                       .vert_count = (uint32_t)h->vert_count,
                       .point_count = (uint32_t)h->vert_count + (uint32_t)h->detail_vert_count,
                       .poly_count = (uint32_t)h->off_mesh_base,
                       .link_count = (uint32_t)h->off_mesh_count};
    for (uint32_t p = 0; p < g->poly_count; p++) {
        nav_detour_poly poly;
        nav_detour_get_poly(v, p, &poly);
        g->corner_count += poly.vert_count;
        g->triangle_count += poly.detail_tri_count;
    }
    if (!nav_path_ground_take(g)) return nav_refuse(NAV_ERR_MEMORY, why, why_bytes, "no memory for the tile");
    placer p = {.set = set,
                .fine_m = (double)set->grid.cell_size_m / NAV_PATH_FINE,
                .side = (int64_t)set->grid.tile_cells * NAV_PATH_FINE};
    p.low[0] = ((int64_t)h->x - set->base_x) * p.side;
    p.low[1] = ((int64_t)h->z - set->base_z) * p.side;
    p.reach = (int64_t)(BORDER_M / p.fine_m) + 1;
    read_polygons(v, g);
    read_links(v, g);
    for (uint32_t i = 0; i < g->point_count; i++) {
        float at[3];
        if (i < g->vert_count)
            nav_detour_get_vert(v, i, at);
        else
            nav_detour_get_detail_vert(v, i - g->vert_count, at);
        put_point(&p, at, &g->point[3 * (size_t)i]);
        if (i < g->vert_count && !place(&p, at, &g->at[i], &g->y[i]))
            return nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "vertex %u at %g, %g, %g is far from tile %d, %d", i,
                              (double)at[0], (double)at[1], (double)at[2], h->x, h->z);
    }
    read_portals(&p, g);
    return NAV_OK;
}
