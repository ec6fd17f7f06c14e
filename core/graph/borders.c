// Where tiles join: overlaps of edges on the two sides of a border.
//
//      tile x        |        tile x + 1        Each edge is an interval along the border with a height at both ends.
//    ................|......................    Pairs that overlap and are within climb in the middle of the overlap
//      cell A  e1 ===|=== f1   cell C           are candidates, taken by their difference in height: a storey above
//    ................|                          is never joined where the same storey goes on.
//      cell B  e2 ===|=== f2   cell C
#include "core/graph/graph_work.h"

#include <math.h>
#include <stdlib.h>

// Pairs of edges looked at on one border. Real borders have some hundred.
static const int64_t PAIRS_MAX = (int64_t)1 << 26;

typedef struct border_edge {
    int64_t corner;
    uint32_t node;
    int32_t low, high;
    double y[2]; // at low and high, voxels
} border_edge;

typedef struct candidate {
    double difference; // of heights in the middle of the overlap, voxels
    int32_t a, b;      // edges of the two sides
    int32_t low, high;
} candidate;

typedef struct border {
    border_edge *side[2];
    int32_t count[2];
    candidate *candidates;
    int32_t candidate_count;
} border;

// The edges of a tile on one of its borders; out NULL: only counts them.
static int32_t list_edges(const graph_work *w, uint32_t tile, int64_t portal, border_edge *out)
{
    const nav_tile_view *v = &w->tiles[tile];
    int axis = portal == NAV_EDGE_PORTAL_XMAX || portal == NAV_EDGE_PORTAL_XMIN ? 2 : 0; // that the border runs along
    int32_t count = 0;
    for (uint32_t c = 0; c < v->cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_get_cell(v, c, &cell);
        for (uint32_t k = 0; k < cell.corner_count; k++) {
            nav_tile_corner corner, next;
            nav_tile_get_corner(v, cell.first_corner + k, &corner);
            if (corner.behind != portal) continue;
            count++;
            if (!out) continue;
            int32_t from[3], to[3];
            nav_tile_get_corner(v, cell.first_corner + (k + 1) % cell.corner_count, &next);
            nav_tile_get_vert(v, corner.vert, from);
            nav_tile_get_vert(v, next.vert, to);
            bool upwards = from[axis] < to[axis];
            out[count - 1] = (border_edge){
                .corner = (int64_t)(w->first_corner[tile] + cell.first_corner + k),
                .node = w->first_node[tile] + c,
                .low = upwards ? from[axis] : to[axis],
                .high = upwards ? to[axis] : from[axis],
                .y = {upwards ? from[1] : to[1], upwards ? to[1] : from[1]},
            };
        }
    }
    return count;
}

static double height_at(const border_edge *e, double place)
{
    return e->y[0] + (e->y[1] - e->y[0]) * (place - e->low) / (e->high - e->low);
}

// Pairs of edges that overlap within climb; list NULL: only counts them.
static int32_t list_candidates(const border *b, double climb, candidate *list)
{
    int32_t count = 0;
    for (int32_t i = 0; i < b->count[0]; i++) {
        for (int32_t j = 0; j < b->count[1]; j++) {
            const border_edge *e = &b->side[0][i], *f = &b->side[1][j];
            int32_t low = e->low > f->low ? e->low : f->low, high = e->high < f->high ? e->high : f->high;
            if (low >= high) continue;
            double middle = ((double)low + high) / 2, difference = fabs(height_at(e, middle) - height_at(f, middle));
            if (!(difference <= climb)) continue;
            if (list) list[count] = (candidate){difference, i, j, low, high};
            count++;
        }
    }
    return count;
}

static int compare_candidates(const void *x, const void *y)
{
    const candidate *p = x, *q = y;
    if (p->difference != q->difference) return p->difference < q->difference ? -1 : 1;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static bool is_taken(const candidate *taken, int32_t count, const candidate *c)
{
    for (int32_t i = 0; i < count; i++)
        if ((taken[i].a == c->a || taken[i].b == c->b) && taken[i].low < c->high && taken[i].high > c->low) return true;
    return false;
}

static void join_sides(graph_work *w, border *b)
{
    int32_t taken = 0;
    qsort(b->candidates, (size_t)b->candidate_count, sizeof *b->candidates, compare_candidates);
    for (int32_t i = 0; i < b->candidate_count; i++) {
        candidate c = b->candidates[i];
        if (is_taken(b->candidates, taken, &c)) continue;
        b->candidates[taken++] = c; // those before i have been looked at
        const border_edge *e = &b->side[0][c.a], *f = &b->side[1][c.b];
        w->joins[w->join_count++] = (border_join){e->corner, c.low, c.high, f->node};
        w->joins[w->join_count++] = (border_join){f->corner, c.low, c.high, e->node};
    }
}

static int compare_joins(const void *x, const void *y)
{
    const border_join *p = x, *q = y;
    if (p->corner != q->corner) return p->corner < q->corner ? -1 : 1;
    return (p->low > q->low) - (p->low < q->low);
}

// Visits the border of each tile with its neighbour at x + 1 and z + 1: makes room for its joins, or finds them.
static nav_status walk_borders(graph_work *w, nav_arena *arena, uint64_t *room)
{
    static const int64_t portals[2][2] = {{NAV_EDGE_PORTAL_XMAX, NAV_EDGE_PORTAL_XMIN},
                                          {NAV_EDGE_PORTAL_ZMAX, NAV_EDGE_PORTAL_ZMIN}};
    nav_status status = NAV_OK;
    for (uint32_t t = 0; t < w->count && status == NAV_OK; t++) {
        for (int axis = 0; axis < 2 && status == NAV_OK; axis++) {
            const nav_tile_view *v = &w->tiles[t];
            int64_t other = nav_graph_tile_at(w, (int64_t)v->tile_x + !axis, (int64_t)v->tile_z + axis);
            if (other < 0) continue;
            nav_arena_mark mark = nav_arena_get_mark(arena);
            const uint32_t both[2] = {t, (uint32_t)other};
            double climb = (double)v->agent_climb_m / (double)v->cell_height_m;
            border b = {0};
            for (int s = 0; s < 2 && status == NAV_OK; s++) {
                b.count[s] = list_edges(w, both[s], portals[axis][s], NULL);
                b.side[s] = NAV_TAKE(arena, border_edge, b.count[s]);
                if (!b.side[s]) status = nav_arena_failure(arena);
                if (status == NAV_OK) (void)list_edges(w, both[s], portals[axis][s], b.side[s]);
            }
            if ((int64_t)b.count[0] * b.count[1] > PAIRS_MAX) status = NAV_ERR_LIMIT;
            if (status == NAV_OK) b.candidate_count = list_candidates(&b, climb, NULL);
            if (room) {
                *room += 2 * (uint64_t)b.candidate_count;
            } else if (status == NAV_OK) {
                b.candidates = NAV_TAKE(arena, candidate, b.candidate_count);
                if (!b.candidates) status = nav_arena_failure(arena);
                if (status == NAV_OK) (void)list_candidates(&b, climb, b.candidates);
                if (status == NAV_OK) join_sides(w, &b);
            }
            nav_arena_release(arena, mark);
        }
    }
    return status;
}

nav_status nav_graph_join_borders(graph_work *w, nav_arena *arena)
{
    uint64_t room = 0;
    nav_status s = walk_borders(w, arena, &room);
    if (s != NAV_OK) return s;
    w->joins = NAV_TAKE(arena, border_join, room);
    if (!w->joins) return nav_arena_failure(arena);
    s = walk_borders(w, arena, NULL);
    if (s == NAV_OK && w->join_count > 1) qsort(w->joins, (size_t)w->join_count, sizeof *w->joins, compare_joins);
    return s;
}
