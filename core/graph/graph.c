// The graph of many tiles: one set of cells made of all of them, with the borders sewn up, handed to the same search
// for portals that each tile went through.
#include "core/graph/graph.h"

#include "core/geometry/place.h"
#include "core/graph/graph_work.h"
#include "core/polygon/portals.h"
#include "core/tile/refuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int64_t nav_graph_tile_at(const graph_work *w, int64_t x, int64_t z)
{
    uint32_t low = 0, high = w->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const nav_tile_view *v = &w->tiles[w->order[middle]];
        if (v->tile_z < z || (v->tile_z == z && v->tile_x < x))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == w->count) return -1;
    const nav_tile_view *v = &w->tiles[w->order[low]];
    return v->tile_x == x && v->tile_z == z ? (int64_t)w->order[low] : -1;
}

static bool same_grid(const nav_tile_view *a, const nav_tile_view *b)
{
    return a->tile_cells == b->tile_cells && a->unit == b->unit &&
           !memcmp(a->origin_m, b->origin_m, sizeof a->origin_m) &&
           !memcmp(&a->cell_size_m, &b->cell_size_m, sizeof a->cell_size_m) &&
           !memcmp(&a->cell_height_m, &b->cell_height_m, sizeof a->cell_height_m);
}

// Heap sort of the tiles' indices by place: no memory of its own, and places are all different in the end.
static bool comes_before(const graph_work *w, uint32_t a, uint32_t b)
{
    const nav_tile_view *p = &w->tiles[a], *q = &w->tiles[b];
    if (p->tile_z != q->tile_z) return p->tile_z < q->tile_z;
    return p->tile_x != q->tile_x ? p->tile_x < q->tile_x : a < b;
}

static void sift(graph_work *w, uint32_t at, uint32_t end)
{
    uint32_t moved = w->order[at];
    for (uint32_t down; (down = 2 * at + 1) < end; at = down) {
        if (down + 1 < end && comes_before(w, w->order[down], w->order[down + 1])) down++;
        if (!comes_before(w, moved, w->order[down])) break;
        w->order[at] = w->order[down];
    }
    w->order[at] = moved;
}

static void sort_tiles(graph_work *w)
{
    for (uint32_t i = 0; i < w->count; i++) w->order[i] = i;
    for (uint32_t i = w->count / 2; i-- > 0;) sift(w, i, w->count);
    for (uint32_t end = w->count; end-- > 1;) {
        uint32_t last = w->order[0];
        w->order[0] = w->order[end];
        w->order[end] = last;
        sift(w, 0, end);
    }
}

static nav_status take_tiles(graph_work *w, nav_arena *arena, char *why, size_t why_bytes)
{
    w->order = NAV_TAKE(arena, uint32_t, w->count);
    w->first_node = NAV_TAKE(arena, uint32_t, (size_t)w->count + 1);
    w->first_corner = NAV_TAKE(arena, uint64_t, (size_t)w->count + 1);
    if (!w->order || !w->first_node || !w->first_corner) return nav_arena_failure(arena);
    sort_tiles(w);
    uint64_t nodes = 0, corners = 0, verts = 0;
    int64_t least[2] = {INT32_MAX, INT32_MAX}, most[2] = {INT32_MIN, INT32_MIN};
    for (uint32_t t = 0; t < w->count; t++) {
        const nav_tile_view *v = &w->tiles[t];
        const int64_t at[2] = {v->tile_x, v->tile_z};
        if (!same_grid(v, &w->tiles[0]))
            return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "tile %d,%d has another grid than tile %d,%d",
                              v->tile_x, v->tile_z, w->tiles[0].tile_x, w->tiles[0].tile_z);
        for (int a = 0; a < 2; a++) {
            least[a] = at[a] < least[a] ? at[a] : least[a];
            most[a] = at[a] > most[a] ? at[a] : most[a];
        }
        w->first_node[t] = (uint32_t)nodes;
        w->first_corner[t] = corners;
        nodes += v->cell_count;
        corners += v->corner_count;
        verts += v->vert_count;
        if (nodes > INT32_MAX || corners > INT32_MAX || verts > INT32_MAX) return NAV_ERR_LIMIT;
    }
    w->first_node[w->count] = (uint32_t)nodes;
    w->first_corner[w->count] = corners;
    for (uint32_t i = 1; i < w->count; i++) {
        const nav_tile_view *p = &w->tiles[w->order[i - 1]], *q = &w->tiles[w->order[i]];
        if (p->tile_x == q->tile_x && p->tile_z == q->tile_z)
            return nav_refuse(NAV_ERR_ARGUMENT, why, why_bytes, "tile %d,%d appears twice", p->tile_x, p->tile_z);
    }
    for (int a = 0; a < 2; a++) {
        w->least_tile[a] = (int32_t)least[a];
        if (w->count && (most[a] - least[a] + 1) * w->tiles[0].tile_cells > INT32_MAX) return NAV_ERR_LIMIT;
    }
    return NAV_OK;
}

// All cells as one set, with vertices in squares of the grid from the lower corner of the least tile.
typedef struct merging {
    const graph_work *w;
    nav_polygons all;
    int32_t first_vert; // of the tile at hand
    uint64_t join;      // the next one
} merging;

static nav_status take_cells(merging *m, nav_arena *arena)
{
    const graph_work *w = m->w;
    uint64_t verts = 2 * w->join_count, corners = w->first_corner[w->count] + 2 * w->join_count;
    for (uint32_t t = 0; t < w->count; t++) verts += w->tiles[t].vert_count;
    if (verts > INT32_MAX || corners > INT32_MAX) return NAV_ERR_LIMIT;
    m->all.x = NAV_TAKE(arena, int32_t, verts);
    m->all.y = NAV_TAKE(arena, int32_t, verts);
    m->all.z = NAV_TAKE(arena, int32_t, verts);
    m->all.cell_first = NAV_TAKE(arena, int32_t, (size_t)w->first_node[w->count] + 1);
    m->all.cell_vert = NAV_TAKE(arena, int32_t, corners);
    m->all.cell_behind = NAV_TAKE(arena, int32_t, corners);
    if (!m->all.x || !m->all.y || !m->all.z || !m->all.cell_first || !m->all.cell_vert || !m->all.cell_behind)
        return nav_arena_failure(arena);
    m->all.cell_first[0] = 0;
    return NAV_OK;
}

static void add_corner(merging *m, int32_t vert, int32_t behind)
{
    int32_t at = m->all.cell_first[m->all.cell_count + 1]++;
    m->all.cell_vert[at] = vert;
    m->all.cell_behind[at] = behind;
}

// The vertex at a place along the straight edge from vertex a to b: one of them, or a new one.
static int32_t vert_between(merging *m, int32_t a, int32_t b, bool along_z, int32_t place)
{
    nav_polygons *p = &m->all;
    const int32_t *axis = along_z ? p->z : p->x;
    if (axis[a] == place) return a;
    if (axis[b] == place) return b;
    double t = ((double)place - axis[a]) / ((double)axis[b] - axis[a]);
    int32_t v = p->vert_count++;
    p->x[v] = along_z ? p->x[a] : place;
    p->z[v] = along_z ? place : p->z[a];
    p->y[v] = (int32_t)floor(p->y[a] + t * ((double)p->y[b] - p->y[a]) + 0.5);
    return v;
}

// The edge from vertex a to b on the border `behind`, cut where the other tile's cells begin and end.
static void add_border_edge(merging *m, uint32_t tile, int64_t corner, int32_t a, int32_t b, int32_t behind)
{
    const graph_work *w = m->w;
    uint64_t begin = m->join, end = begin;
    while (end < w->join_count && w->joins[end].corner == corner) end++;
    m->join = end;
    bool along_z = behind == NAV_EDGE_PORTAL_XMAX || behind == NAV_EDGE_PORTAL_XMIN;
    const nav_tile_view *v = &w->tiles[tile];
    int32_t base =
        along_z ? (v->tile_z - w->least_tile[1]) * v->tile_cells : (v->tile_x - w->least_tile[0]) * v->tile_cells;
    bool upwards = along_z ? m->all.z[a] < m->all.z[b] : m->all.x[a] < m->all.x[b];
    int32_t at = a;
    for (uint64_t i = 0; i < end - begin; i++) {
        const border_join *j = &w->joins[upwards ? begin + i : end - 1 - i];
        int32_t from = vert_between(m, at, b, along_z, base + (upwards ? j->low : j->high));
        int32_t to = vert_between(m, from, b, along_z, base + (upwards ? j->high : j->low));
        if (from != at) add_corner(m, at, behind);
        add_corner(m, from, (int32_t)j->node);
        at = to;
    }
    if (at != b) add_corner(m, at, behind);
}

static void add_cell(merging *m, uint32_t tile, uint32_t c)
{
    const graph_work *w = m->w;
    const nav_tile_view *v = &w->tiles[tile];
    nav_tile_cell cell;
    nav_tile_get_cell(v, c, &cell);
    m->all.cell_first[m->all.cell_count + 1] = m->all.cell_first[m->all.cell_count];
    for (uint32_t k = 0; k < cell.corner_count; k++) {
        nav_tile_corner corner, next;
        nav_tile_get_corner(v, cell.first_corner + k, &corner);
        nav_tile_get_corner(v, cell.first_corner + (k + 1) % cell.corner_count, &next);
        int32_t a = m->first_vert + (int32_t)corner.vert, b = m->first_vert + (int32_t)next.vert;
        if (corner.behind >= 0)
            add_corner(m, a, (int32_t)(w->first_node[tile] + (uint32_t)corner.behind));
        else if (corner.behind == NAV_EDGE_WALL || corner.behind == NAV_EDGE_SEAM)
            add_corner(m, a, NAV_EDGE_WALL);
        else
            add_border_edge(m, tile, (int64_t)(w->first_corner[tile] + cell.first_corner + k), a, b,
                            (int32_t)corner.behind);
    }
    m->all.cell_count++;
}

static nav_status merge_tiles(merging *m, nav_arena *arena)
{
    const graph_work *w = m->w;
    nav_status s = take_cells(m, arena);
    if (s != NAV_OK) return s;
    for (uint32_t t = 0; t < w->count; t++) {
        const nav_tile_view *v = &w->tiles[t];
        m->first_vert = m->all.vert_count;
        for (uint32_t i = 0; i < v->vert_count; i++) {
            int32_t at[3], k = m->all.vert_count++;
            nav_tile_get_vert(v, i, at);
            m->all.x[k] = (v->tile_x - w->least_tile[0]) * v->tile_cells + at[0];
            m->all.y[k] = at[1];
            m->all.z[k] = (v->tile_z - w->least_tile[1]) * v->tile_cells + at[2];
        }
        for (uint32_t c = 0; c < v->cell_count; c++) add_cell(m, t, c);
    }
    return NAV_OK;
}

static void describe_node(const nav_tile_view *v, uint32_t c, nav_graph_node *out)
{
    nav_tile_cell cell;
    nav_tile_get_cell(v, c, &cell);
    double sum[3] = {0}, weight = 0, doubled = 0;
    for (uint32_t t = 0; t < cell.triangle_count; t++) {
        uint32_t verts[3];
        double p[3][3], seen[3][3];
        nav_tile_get_triangle(v, cell.first_triangle + t, verts);
        for (int k = 0; k < 3; k++) {
            float at[3];
            nav_tile_get_place(v, verts[k], at);
            for (int a = 0; a < 3; a++) p[k][a] = (double)at[a];
            nav_sheet_to_frame(v->sheet, p[k], seen[k]);
        }
        const double twice = fabs((seen[1][2] - seen[0][2]) * (seen[2][0] - seen[0][0]) -
                                  (seen[1][0] - seen[0][0]) * (seen[2][2] - seen[0][2]));
        for (int a = 0; a < 3; a++) sum[a] += twice * (p[0][a] + p[1][a] + p[2][a]) / 3;
        weight += twice;
        for (int a = 0; t == 0 && a < 3; a++) out->centroid_m[a] = p[0][a];
    }
    for (int a = 0; weight > 0 && a < 3; a++) out->centroid_m[a] = sum[a] / weight;
    for (uint32_t k = 0; k < cell.corner_count; k++) {
        nav_tile_corner corner, next;
        int32_t a[3], b[3];
        nav_tile_get_corner(v, cell.first_corner + k, &corner);
        nav_tile_get_corner(v, cell.first_corner + (k + 1) % cell.corner_count, &next);
        nav_tile_get_vert(v, corner.vert, a);
        nav_tile_get_vert(v, next.vert, b);
        doubled += (double)((int64_t)b[0] * a[2] - (int64_t)a[0] * b[2]);
    }
    out->area_m2 = doubled / 2 * (double)v->cell_size_m * (double)v->cell_size_m;
    out->cell = c;
    out->area = cell.area;
    out->flags = cell.flags;
}

static void add_portals(const graph_work *w, const nav_polygons *all, const nav_portals *p, nav_graph *out)
{
    const nav_tile_view *v = w->tiles;
    for (int32_t i = 0; i < p->count; i++) {
        if (p->behind[i] < 0) {
            out->open_portals++;
            continue;
        }
        nav_graph_edge *e = &out->edges[out->edge_count++];
        *e = (nav_graph_edge){.nodes = {(uint32_t)p->cell[i], (uint32_t)p->behind[i]}, .both_ways = true};
        bool one_tile = out->nodes[e->nodes[0]].tile == out->nodes[e->nodes[1]].tile;
        e->kind = one_tile ? NAV_GRAPH_PORTAL : NAV_GRAPH_BORDER;
        const int32_t ends[2] = {p->from[i], p->to[i]};
        for (int k = 0; k < 2; k++) {
            int32_t at = ends[k];
            double cell_size_m = (double)v->cell_size_m, cell_height_m = (double)v->cell_height_m, o[3];
            nav_sheet_to_frame(v->sheet, v->origin_m, o);
            double end[3] = {
                (double)nav_place(o[0], w->least_tile[0], v->tile_cells, cell_size_m, all->x[at]),
                (double)nav_place(o[1], 0, 0, cell_height_m, all->y[at]),
                (double)nav_place(o[2], w->least_tile[1], v->tile_cells, cell_size_m, all->z[at]),
            };
            nav_sheet_to_world(v->sheet, end, end);
            for (int a = 0; a < 3; a++) e->ends_m[k][a] = (float)end[a];
        }
        e->width_m = p->width[i] * (double)v->cell_size_m;
        e->clearance_m = p->clearance[i] * (double)v->cell_size_m;
    }
}

static void add_links(const graph_work *w, nav_link *links, nav_graph *out)
{
    for (uint32_t t = 0; t < w->count; t++) {
        for (uint32_t k = 0; k < w->tiles[t].link_count; k++) {
            nav_link *link = links++;
            nav_tile_get_link(&w->tiles[t], k, link);
            int64_t start = nav_graph_node_below(w, link->start, link->radius_m);
            int64_t end = nav_graph_node_below(w, link->end, link->radius_m);
            if (start < 0 || end < 0) {
                out->loose_links++;
                continue;
            }
            nav_graph_edge *e = &out->edges[out->edge_count++];
            *e = (nav_graph_edge){.kind = NAV_GRAPH_LINK,
                                  .nodes = {(uint32_t)start, (uint32_t)end},
                                  .width_m = 2 * (double)link->radius_m,
                                  .clearance_m = (double)link->radius_m,
                                  .both_ways = link->both_ways != 0,
                                  .link = link};
            memcpy(e->ends_m[0], link->start, sizeof link->start);
            memcpy(e->ends_m[1], link->end, sizeof link->end);
        }
    }
}

nav_status nav_graph_build_sheet(const nav_tile_view *tiles, uint32_t count, nav_arena *arena, nav_graph *out,
                                 char *why, size_t why_bytes)
{
    *out = (nav_graph){0};
    if (why_bytes) why[0] = '\0';
    graph_work w = {.tiles = tiles, .count = count};
    merging m = {.w = &w};
    nav_portals portals;
    uint64_t links = 0;
    int32_t unit = count ? tiles[0].unit : 1;
    nav_status s = take_tiles(&w, arena, why, why_bytes);
    if (s == NAV_OK) s = nav_graph_join_borders(&w, arena);
    if (s == NAV_OK) s = merge_tiles(&m, arena);
    if (s == NAV_OK) s = nav_portals_build(&m.all, unit, NAV_CLEARANCE_MAX_COLUMNS * unit, arena, &portals);
    if (s != NAV_OK) return s;
    for (uint32_t t = 0; t < count; t++) links += tiles[t].link_count;
    out->nodes = NAV_TAKE_ZERO(arena, nav_graph_node, w.first_node[count]);
    out->edges = NAV_TAKE(arena, nav_graph_edge, (uint64_t)portals.count + links);
    nav_link *link_room = NAV_TAKE(arena, nav_link, links);
    if (!out->nodes || !out->edges || !link_room) return nav_arena_failure(arena);
    for (uint32_t t = 0; t < count; t++) {
        for (uint32_t c = 0; c < tiles[t].cell_count; c++) {
            nav_graph_node *n = &out->nodes[out->node_count++];
            n->tile = t;
            describe_node(&tiles[t], c, n);
        }
    }
    add_portals(&w, &m.all, &portals, out);
    add_links(&w, link_room, out);
    return NAV_OK;
}

static double distance(const double a[3], const double b[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

double nav_graph_edge_cost(const nav_graph *g, const nav_graph_edge *e, const nav_area_table *areas)
{
    const nav_graph_node *from = &g->nodes[e->nodes[0]], *to = &g->nodes[e->nodes[1]];
    double ends[2][3]; // where the edge is entered and left
    for (int k = 0; k < 3; k++) {
        const double first = (double)e->ends_m[0][k], second = (double)e->ends_m[1][k];
        ends[0][k] = e->link ? first : (first + second) / 2;
        ends[1][k] = e->link ? second : ends[0][k];
    }
    double cost = distance(from->centroid_m, ends[0]) * (double)nav_area_table_cost(areas, from->area) +
                  distance(ends[1], to->centroid_m) * (double)nav_area_table_cost(areas, to->area);
    if (e->link) cost += distance(ends[0], ends[1]) * (double)nav_area_table_cost(areas, e->link->area);
    return cost;
}
