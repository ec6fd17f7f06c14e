// Which cell lies under a point: the ends of off-mesh links.
#include "core/graph/graph_work.h"

#include <math.h>

// The point of segment a-b that is nearest to p, seen from above.
static void nearest_on_segment(const double p[3], const double a[3], const double b[3], double out[3])
{
    double x = b[0] - a[0], z = b[2] - a[2], length2 = x * x + z * z;
    double t = length2 > 0 ? ((p[0] - a[0]) * x + (p[2] - a[2]) * z) / length2 : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int k = 0; k < 3; k++) out[k] = a[k] + t * (b[k] - a[k]);
}

static double turn(const double a[3], const double b[3], const double p[3])
{
    return (b[0] - a[0]) * (p[2] - a[2]) - (b[2] - a[2]) * (p[0] - a[0]);
}

static double distance2(const double a[3], const double b[3])
{
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[2] - b[2]) * (a[2] - b[2]);
}

// The point of a triangle that is nearest to p, seen from above.
static void nearest_on_triangle(const double p[3], double tri[3][3], double out[3])
{
    double w[3], sum = 0, best = INFINITY;
    for (int k = 0; k < 3; k++) sum += w[k] = turn(tri[(k + 1) % 3], tri[(k + 2) % 3], p);
    if (sum != 0 && w[0] / sum >= 0 && w[1] / sum >= 0 && w[2] / sum >= 0) {
        out[0] = p[0];
        out[1] = (w[0] * tri[0][1] + w[1] * tri[1][1] + w[2] * tri[2][1]) / sum;
        out[2] = p[2];
        return;
    }
    for (int k = 0; k < 3; k++) out[k] = tri[0][k];
    for (int k = 0; k < 3; k++) {
        double at[3];
        nearest_on_segment(p, tri[k], tri[(k + 1) % 3], at);
        if (!(distance2(p, at) < best)) continue;
        best = distance2(p, at);
        for (int i = 0; i < 3; i++) out[i] = at[i];
    }
}

typedef struct ground {
    double point[3], radius2, climb;
    double best2, best_height; // of the node found: squared distance and height difference
    int64_t node;
} ground;

static void look_in_tile(const graph_work *w, uint32_t tile, ground *g)
{
    const nav_tile_view *v = &w->tiles[tile];
    for (uint32_t c = 0; c < v->cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_get_cell(v, c, &cell);
        for (uint32_t t = 0; t < cell.triangle_count; t++) {
            uint32_t verts[3];
            double tri[3][3], at[3];
            nav_tile_get_triangle(v, cell.first_triangle + t, verts);
            for (int k = 0; k < 3; k++) {
                float place[3];
                nav_tile_get_place(v, verts[k], place);
                for (int a = 0; a < 3; a++) tri[k][a] = (double)place[a];
            }
            nearest_on_triangle(g->point, tri, at);
            double d2 = distance2(g->point, at), height = fabs(at[1] - g->point[1]);
            if (d2 > g->radius2 || height > g->climb) continue;
            if (d2 > g->best2 || (d2 == g->best2 && height >= g->best_height)) continue;
            g->best2 = d2;
            g->best_height = height;
            g->node = (int64_t)w->first_node[tile] + c;
        }
    }
}

int64_t nav_graph_node_below(const graph_work *w, const float point_m[3], float radius_m)
{
    const nav_tile_view *v = &w->tiles[0];
    ground g = {.radius2 = (double)radius_m * (double)radius_m,
                .climb = (double)v->agent_climb_m,
                .best2 = INFINITY,
                .best_height = INFINITY,
                .node = -1};
    double side_m = (double)v->cell_size_m * v->tile_cells;
    for (int a = 0; a < 3; a++) g.point[a] = (double)point_m[a];
    double x = (g.point[0] - v->origin_m[0]) / side_m, z = (g.point[2] - v->origin_m[2]) / side_m;
    double reach = (double)radius_m / side_m;
    // A link's radius is small against a tile; one that is not is looked for around its end only.
    if (reach > 1) reach = 1;
    if (!(fabs(x) < 1e9 && fabs(z) < 1e9)) return -1;
    for (int64_t tz = (int64_t)floor(z - reach); tz <= (int64_t)floor(z + reach); tz++) {
        for (int64_t tx = (int64_t)floor(x - reach); tx <= (int64_t)floor(x + reach); tx++) {
            int64_t tile = nav_graph_tile_at(w, tx, tz);
            if (tile >= 0) look_in_tile(w, (uint32_t)tile, &g);
        }
    }
    return g.node;
}
