#include "tests/core/path_weigh_judge.h"

#include "navcore/tile.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct point {
    double x, z; // metres
} point;

typedef struct cell {
    uint32_t first, count; // corners
    uint32_t node_first, node_count;
    double weight;
} cell;

typedef struct ground {
    cell *cells;
    point *corners;
    uint8_t *walls; // of the edge from each corner
    uint32_t cell_count, corner_count;
    point *nodes;
    uint32_t *of_cell; // nodes of each cell
    uint32_t node_count, node_room, listed, list_room;
} ground;

// Those of areas that are not excluded.
static void load(const path_world *w, const nav_path_costs *costs, ground *g)
{
    uint32_t corners = 0, cells = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        nav_tile_view v;
        ck_assert_int_eq(nav_tile_open(w->tiles[i].data, w->tiles[i].size, &v, NULL, 0), NAV_OK);
        corners += v.corner_count;
        cells += v.cell_count;
    }
    *g = (ground){.cells = malloc((cells + 1) * sizeof(cell)),
                  .corners = malloc((corners + 1) * sizeof(point)),
                  .walls = malloc(corners + 1)};
    for (uint32_t i = 0; i < w->count; i++) {
        nav_tile_view v;
        ck_assert_int_eq(nav_tile_open(w->tiles[i].data, w->tiles[i].size, &v, NULL, 0), NAV_OK);
        for (uint32_t c = 0; c < v.cell_count; c++) {
            nav_tile_cell from;
            nav_tile_get_cell(&v, c, &from);
            if (costs->excluded >> from.area & 1) continue;
            g->cells[g->cell_count++] =
                (cell){.first = g->corner_count, .count = from.corner_count, .weight = (double)costs->cost[from.area]};
            for (uint32_t k = 0; k < from.corner_count; k++) {
                nav_tile_corner at;
                float place[3];
                nav_tile_get_corner(&v, from.first_corner + k, &at);
                nav_tile_get_place(&v, at.vert, place);
                g->walls[g->corner_count] = at.behind == NAV_EDGE_WALL;
                g->corners[g->corner_count++] = (point){(double)place[0], (double)place[2]};
            }
        }
    }
}

static void unload(ground *g)
{
    free(g->cells);
    free(g->corners);
    free(g->walls);
    free(g->nodes);
    free(g->of_cell);
}

static bool same(point a, point b)
{
    return fabs(a.x - b.x) < 1e-5 && fabs(a.z - b.z) < 1e-5;
}

bool path_weigh_can_judge(const path_world *w)
{
    ground g;
    nav_path_costs costs;
    bool apart = true;
    nav_path_costs_default(&costs);
    load(w, &costs, &g);
    for (uint32_t i = 0; i < g.corner_count; i++) {
        uint32_t walls = 0;
        for (uint32_t k = 0; k < g.corner_count; k++) walls += g.walls[k] && same(g.corners[i], g.corners[k]);
        apart &= walls <= 1;
    }
    unload(&g);
    return apart;
}

static uint32_t node_at(ground *g, point p)
{
    for (uint32_t i = 0; i < g->node_count; i++)
        if (same(g->nodes[i], p)) return i;
    if (g->node_count == g->node_room) {
        g->node_room = g->node_room ? 2 * g->node_room : 256;
        g->nodes = realloc(g->nodes, g->node_room * sizeof *g->nodes);
    }
    g->nodes[g->node_count] = p;
    return g->node_count++;
}

static void list(ground *g, cell *c, point p)
{
    if (g->listed == g->list_room) {
        g->list_room = g->list_room ? 2 * g->list_room : 1024;
        g->of_cell = realloc(g->of_cell, g->list_room * sizeof *g->of_cell);
    }
    g->of_cell[g->listed++] = node_at(g, p);
    c->node_count++;
}

static bool has(const ground *g, const cell *c, point p, double slack)
{
    for (uint32_t k = 0; k < c->count; k++) {
        point a = g->corners[c->first + k], b = g->corners[c->first + (k + 1) % c->count];
        double length = hypot(b.x - a.x, b.z - a.z);
        if (((b.x - a.x) * (p.z - a.z) - (b.z - a.z) * (p.x - a.x)) / length > slack) return false;
    }
    return true;
}

double path_weigh_judge(const path_world *w, const nav_path_costs *costs, const float from[3], const float to[3],
                        double step_m)
{
    ground g;
    const point ends[2] = {{(double)from[0], (double)from[2]}, {(double)to[0], (double)to[2]}};
    load(w, costs, &g);
    for (int i = 0; i < 2; i++) (void)node_at(&g, ends[i]); // 0 and 1, or both 0
    for (uint32_t i = 0; i < g.cell_count; i++) {
        cell *c = &g.cells[i];
        c->node_first = g.listed;
        for (uint32_t k = 0; k < c->count; k++) {
            point a = g.corners[c->first + k], b = g.corners[c->first + (k + 1) % c->count];
            uint32_t steps = g.walls[c->first + k] ? 1 : (uint32_t)ceil(hypot(b.x - a.x, b.z - a.z) / step_m);
            for (uint32_t n = 0; n < steps; n++) // from the lesser end, so that both cells have the same
                list(&g, c,
                     a.x < b.x || (a.x == b.x && a.z < b.z)
                         ? (point){a.x + (b.x - a.x) * n / steps, a.z + (b.z - a.z) * n / steps}
                         : (point){b.x + (a.x - b.x) * (steps - n) / steps, b.z + (a.z - b.z) * (steps - n) / steps});
        }
        for (int n = 0; n < 2; n++)
            if (has(&g, c, ends[n], 1e-3)) list(&g, c, ends[n]);
    }
    uint32_t goal = node_at(&g, ends[1]);
    double *best = malloc(g.node_count * sizeof *best);
    bool *done = calloc(g.node_count, sizeof *done);
    for (uint32_t i = 0; i < g.node_count; i++) best[i] = i ? INFINITY : 0;
    for (;;) { // Dijkstra
        uint32_t at = g.node_count;
        for (uint32_t i = 0; i < g.node_count; i++)
            if (!done[i] && best[i] < INFINITY && (at == g.node_count || best[i] < best[at])) at = i;
        if (at == g.node_count || at == goal) break;
        done[at] = true;
        for (uint32_t i = 0; i < g.cell_count; i++) {
            const cell *c = &g.cells[i];
            bool here = false;
            for (uint32_t k = 0; k < c->node_count && !here; k++) here = g.of_cell[c->node_first + k] == at;
            for (uint32_t k = 0; k < c->node_count && here; k++) {
                uint32_t n = g.of_cell[c->node_first + k];
                double d = hypot(g.nodes[n].x - g.nodes[at].x, g.nodes[n].z - g.nodes[at].z) * c->weight;
                best[n] = fmin(best[n], best[at] + d);
            }
        }
    }
    double cost = best[goal];
    free(best);
    free(done);
    unload(&g);
    return isfinite(cost) ? cost : -1;
}

double path_weigh_measure(const path_world *w, const nav_path_costs *costs, const float *points, uint32_t count)
{
    ground g;
    double sum = 0;
    load(w, costs, &g);
    for (uint32_t i = 0; i + 1 < count; i++) {
        point a = {(double)points[3 * i], (double)points[3 * i + 2]};
        point b = {(double)points[3 * i + 3], (double)points[3 * i + 5]};
        double length = hypot(b.x - a.x, b.z - a.z);
        uint32_t steps = 1 + (uint32_t)(length * 200);
        for (uint32_t n = 0; n < steps; n++) {
            double t = (n + 0.5) / steps, weight = INFINITY;
            point p = {a.x + t * (b.x - a.x), a.z + t * (b.z - a.z)};
            for (uint32_t k = 0; k < g.cell_count; k++) // on an edge: what is cheaper
                if (g.cells[k].weight < weight && has(&g, &g.cells[k], p, 3e-3)) weight = g.cells[k].weight;
            ck_assert_msg(weight < INFINITY, "%.9g, %.9g is no ground", p.x, p.z);
            sum += length / steps * weight;
        }
    }
    unload(&g);
    return sum;
}
