// Rasterisation by rows, edge by edge. In a row of cells the triangle's part is a convex polygon; over each cell, its
// lowest and highest points lie on the polygon's edges, at a corner or where an edge crosses a cell border. So each
// edge is walked once along x and hands its heights to the cells it passes; nothing is clipped.
//
//     z+1 ----p-------q-----      edges of the row's polygon: p-q on the upper grid line, r-s on the lower one,
//            /|   |  |\           and what the triangle's own edges leave between the lines
//     z   --r--------- -s---
//
// Source: own; the exact-cover rule is that of M. Mononen's Recast.
#include "core/voxel/triangle.h"

// An edge of a triangle, from its lower end in z: how x and y change along z, and y along x.
typedef struct edge {
    point a;
    double x_by_z, y_by_z, y_by_x;
} edge;

// The part of cover_line() over more than one cell.
static void cover_cells(const raster *r, const row *to, const point *a, const point *b, double slope)
{
    int32_t first = a->cell - r->first_x, last = b->cell - r->first_x;
    double *restrict low = to->low, *restrict high = to->high;
    // Grid lines between the ends: each gives its height to the cells on both sides. World coordinates, not the tile's:
    // the same rounding in every tile.
    if (first >= 0) {
        double y = a->y + slope * ((double)(a->cell + 1) - a->x);
        low[first] = min2(low[first], min2(y, a->y));
        high[first] = max2(high[first], max2(y, a->y));
    }
    if (last < r->width) {
        double y = a->y + slope * ((double)b->cell - a->x);
        low[last] = min2(low[last], min2(y, b->y));
        high[last] = max2(high[last], max2(y, b->y));
    }
    int32_t from = first + 1 > 0 ? first + 1 : 0, end = last < r->width ? last : r->width;
    if (from >= end) return;
    double down = slope < 0 ? slope : 0, up = slope > 0 ? slope : 0;
    for (int32_t c = from; c < end; c++) {
        double y = a->y + slope * ((double)(r->first_x + c) - a->x);
        low[c] = min2(low[c], y + down);
        high[c] = max2(high[c], y + up);
    }
}

// Hands the heights of a straight line, y = a.y + slope * (x - a.x), from a to b with a.x <= b.x, to the cells of a
// row.
static inline void cover_line(const raster *r, const row *to, const point *a, const point *b, double slope)
{
    int32_t first = a->cell - r->first_x, last = b->cell - r->first_x;
    if (first >= r->width || last < 0) return;
    if (first != last) {
        cover_cells(r, to, a, b, slope);
        return;
    }
    to->low[first] = min2(to->low[first], min2(a->y, b->y));
    to->high[first] = max2(to->high[first], max2(a->y, b->y));
}

static inline void cover_piece(const raster *r, const row *to, const point *a, const point *b, double slope)
{
    if (a->x <= b->x)
        cover_line(r, to, a, b, slope);
    else
        cover_line(r, to, b, a, slope);
}

static inline void empty_cell(const row *r, int32_t c)
{
    r->low[c] = NOTHING_LOW;
    r->high[c] = NOTHING_HIGH;
}

// The columns of a row that the triangle's part from `left` to `right` covers; empty where from > to.
typedef struct reach {
    int32_t from, to;
} reach;

static inline reach columns_between(const raster *r, double left, double right)
{
    int32_t first = cell_of(left) - r->first_x, last = ceil_to_int(right - SLACK) - 1 - r->first_x;
    if (last < first) last = first;
    return (reach){first > 0 ? first : 0, last < r->width ? last : r->width - 1};
}

// Turns the row at hand into fragments and empties it.
static void emit_row(raster *r, int32_t z, reach at, double lowest, double highest)
{
    const row *here = &r->here;
    int32_t base = (z - r->first_z) * r->width;
    for (int32_t c = at.from; c <= at.to; c++) {
        double low = here->low[c], high = here->high[c];
        empty_cell(here, c);
        // Rounding must not reach beyond the triangle itself.
        if (low <= high) emit(r, base + c, 1, max2(low, lowest), min2(high, highest));
    }
    // Points within the slack of the ends have gone to the next cell.
    if (at.from > 0 && at.from <= r->width) empty_cell(here, at.from - 1);
    if (at.to >= -1) empty_cell(here, at.to + 1);
}

static inline point edge_at(const edge *e, double z)
{
    double t = z - e->a.z;
    double x = e->a.x + e->x_by_z * t;
    return (point){x, e->a.y + e->y_by_z * t, z, cell_of(x)};
}

static edge make_edge(const point *a, const point *b)
{
    double dx = b->x - a->x, dy = b->y - a->y, dz = b->z - a->z;
    double by_z = dz > 0 ? 1.0 / dz : 0;
    return (edge){*a, dx * by_z, dy * by_z, dx < 0 || dx > 0 ? dy / dx : 0};
}

// A grid line between the long edge and the short ones: it bounds the rows on both sides of it.
static void cover_grid_line(const raster *r, const row *to, const row *too, const point *p, const point *q)
{
    const point *a = p->x <= q->x ? p : q, *b = a == p ? q : p;
    if (a->cell == b->cell) return; // the edges have given both ends
    double slope = (b->y - a->y) / (b->x - a->x);
    cover_line(r, to, a, b, slope);
    if (too) cover_line(r, too, a, b, slope);
}

// Walks the rows of a triangle upwards, its long edge on one side and the two short ones on the other.
void nav_triangle_by_edges(raster *r, const triangle *t)
{
    const point *a = t->a, *b = t->b, *c = t->c;
    double lowest = t->lowest, highest = t->highest;
    int32_t first = t->first, last = t->last;
    const edge whole = make_edge(a, c), part[2] = {make_edge(a, b), make_edge(b, c)};
    bool level = lowest == highest;
    // p runs up the long edge, q up the short ones; side: the short edge that q is on.
    point p = *a, q = *a;
    int side = 0;
    if (first > t->bottom_row) {
        side = b->z <= (double)first;
        p = edge_at(&whole, (double)first);
        q = edge_at(&part[side], (double)first);
        if (!level) cover_grid_line(r, &r->here, NULL, &p, &q);
    }
    for (int32_t z = first; z <= last; z++) {
        bool end = z == t->top_row;
        double line = (double)z + 1.0;
        point p2 = end ? *c : edge_at(&whole, line);
        double left = min2(min2(p.x, p2.x), q.x), right = max2(max2(p.x, p2.x), q.x);
        if (!level) cover_piece(r, &r->here, &p, &p2, whole.y_by_x);
        if (side == 0 && (end || b->z < line)) {
            if (!level) cover_piece(r, &r->here, &q, b, part[0].y_by_x);
            q = *b;
            side = 1;
            left = min2(left, q.x);
            right = max2(right, q.x);
        }
        point q2 = end ? *c : edge_at(&part[side], line);
        reach at = columns_between(r, min2(left, q2.x), max2(right, q2.x));
        if (level) {
            int32_t count = at.to - at.from + 1;
            if (count > 0) emit(r, (z - r->first_z) * r->width + at.from, count, lowest, highest);
        } else {
            cover_piece(r, &r->here, &q, &q2, part[side].y_by_x);
            if (!end) cover_grid_line(r, &r->here, z < last ? &r->above : NULL, &p2, &q2);
            emit_row(r, z, at, lowest, highest);
            row emptied = r->here;
            r->here = r->above;
            r->above = emptied;
        }
        p = p2;
        q = q2;
    }
}
