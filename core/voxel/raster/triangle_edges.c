// Rasterisation by rows, edge by edge. In a row of columns the triangle's part is a convex polygon; over each column,
// its lowest and highest points lie on the polygon's edges, at a corner or where an edge crosses a column border. So
// each edge is walked once along x and hands its heights to the columns it passes; nothing is clipped.
//
//     z+1 ----p-------q-----      edges of the row's polygon: p-q on the upper grid line, r-s on the lower one,
//            /|   |  |\           and what the triangle's own edges leave between the lines
//     z   --r--------- -s---
//
// Source: own; the exact-cover rule is that of M. Mononen's Recast.
#include "core/voxel/raster/triangle.h"

// An edge of a triangle, from its lower end in z: how x and y change along z, and y along x.
typedef struct edge {
    point a;
    double x_by_z, y_by_z, y_by_x;
} edge;

// The part of cover_line() over more than one column.
static void cover_columns(const raster *r, const row *to, const point *a, const point *b, double slope)
{
    int32_t first = a->cell - r->first_x, last = b->cell - r->first_x;
    double *restrict low = to->low, *restrict high = to->high;
    // Grid lines between the ends: each gives its height to the columns on both sides. World coordinates, not the
    // tile's: the same rounding in every tile.
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

// Hands the heights of a straight line, y = a.y + slope * (x - a.x), from a to b with a.x <= b.x, to the columns of a
// row.
static inline void cover_line(const raster *r, const row *to, const point *a, const point *b, double slope)
{
    int32_t first = a->cell - r->first_x, last = b->cell - r->first_x;
    if (first >= r->width || last < 0) return;
    if (first != last) {
        cover_columns(r, to, a, b, slope);
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

static inline void empty_column(const row *r, int32_t c)
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
    int32_t first = column_of(left) - r->first_x, last = ceil_to_int(right - SLACK) - 1 - r->first_x;
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
        empty_column(here, c);
        // Rounding must not reach beyond the triangle itself.
        if (low <= high) emit(r, base + c, 1, max2(low, lowest), min2(high, highest));
    }
    // Points within the slack of the ends have gone to the next column.
    if (at.from > 0 && at.from <= r->width) empty_column(here, at.from - 1);
    if (at.to >= -1) empty_column(here, at.to + 1);
}

static inline point edge_at(const edge *e, double z)
{
    double t = z - e->a.z;
    double x = e->a.x + e->x_by_z * t;
    return (point){x, e->a.y + e->y_by_z * t, z, column_of(x)};
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

// A corner just below a grid line is moved onto it.
static inline point make_corner(double x, double y, double z)
{
    int32_t cell = column_of(x);
    return (point){max2(x, (double)cell), y, z, cell};
}

static inline bool is_below(const point *a, const point *b)
{
    return a->z < b->z || (a->z == b->z && (a->x < b->x || (a->x == b->x && a->y < b->y)));
}

static inline void order(const point **a, const point **b)
{
    if (is_below(*a, *b)) return;
    const point *t = *a;
    *a = *b;
    *b = t;
}

// What the walks need to know of a triangle; false where nothing is left to walk.
static bool prepare(raster *r, const point corners[3], triangle *t)
{
    const point *a = &corners[0], *b = &corners[1], *c = &corners[2];
    double least_x = min2(min2(a->x, b->x), c->x), most_x = max2(max2(a->x, b->x), c->x);
    if (most_x < (double)r->first_x || least_x > (double)(r->first_x + r->width)) return false;
    double least_z = min2(min2(a->z, b->z), c->z), most_z = max2(max2(a->z, b->z), c->z);
    t->bottom_row = column_of(least_z);
    t->top_row = ceil_to_int(most_z - SLACK) - 1;
    if (t->top_row < t->bottom_row) t->top_row = t->bottom_row;
    t->first = t->bottom_row > r->first_z ? t->bottom_row : r->first_z;
    t->last = t->top_row < r->first_z + r->width ? t->top_row : r->first_z + r->width - 1;
    if (t->first > t->last) return false;
    t->lowest = min2(min2(a->y, b->y), c->y);
    t->highest = max2(max2(a->y, b->y), c->y);
    int32_t left = column_of(least_x) - r->first_x, right = ceil_to_int(most_x - SLACK) - 1 - r->first_x;
    if (t->bottom_row == t->top_row && right <= left) { // many are smaller than a column
        int32_t z = t->bottom_row - r->first_z;
        if (left >= 0 && left < r->width) emit(r, z * r->width + left, 1, t->lowest, t->highest);
        return false;
    }
    right = right > left ? right : left;
    t->left = left > 0 ? left : 0;
    t->right = right < r->width ? right : r->width - 1;
    // Sorted, not in the order given: two triangles compute a shared edge alike.
    order(&a, &b);
    order(&b, &c);
    order(&a, &b);
    t->a = a, t->b = b, t->c = c;
    return t->left <= t->right;
}

// A triangle that stands on a grid line belongs to the column behind it, on the side of the matter: so a box from line
// to line fills the columns between them and no more. It is moved to the middle of that column; its heights stay what
// they are.
static void settle(point p[3])
{
    double least_x = min2(min2(p[0].x, p[1].x), p[2].x), most_x = max2(max2(p[0].x, p[1].x), p[2].x);
    double least_z = min2(min2(p[0].z, p[1].z), p[2].z), most_z = max2(max2(p[0].z, p[1].z), p[2].z);
    bool thin_x = most_x - least_x < 2 * SLACK, thin_z = most_z - least_z < 2 * SLACK;
    if (!thin_x && !thin_z) return;
    double uy = p[1].y - p[0].y, wy = p[2].y - p[0].y;
    if (thin_x) {
        int32_t line = floor_to_int(most_x + SLACK);
        double normal_x = uy * (p[2].z - p[0].z) - (p[1].z - p[0].z) * wy;
        if (least_x > (double)line - SLACK && most_x < (double)line + SLACK)
            for (int c = 0; c < 3; c++) p[c] = make_corner((double)line + (normal_x > 0 ? -0.5 : 0.5), p[c].y, p[c].z);
    }
    if (thin_z) {
        int32_t line = floor_to_int(most_z + SLACK);
        double normal_z = (p[1].x - p[0].x) * wy - uy * (p[2].x - p[0].x);
        if (least_z > (double)line - SLACK && most_z < (double)line + SLACK)
            for (int c = 0; c < 3; c++) p[c].z = (double)line + (normal_z > 0 ? -0.5 : 0.5);
    }
}

// Walks the rows of a triangle upwards, its long edge on one side and the two short ones on the other.
static void walk_edges(raster *r, const triangle *t)
{
    const point *a = t->a, *b = t->b, *c = t->c;
    double lowest = t->lowest, highest = t->highest;
    int32_t first = t->first, last = t->last;
    const edge whole = make_edge(a, c), part[2] = {make_edge(a, b), make_edge(b, c)};
    bool flat = lowest == highest;
    // p runs up the long edge, q up the short ones; side: the short edge that q is on.
    point p = *a, q = *a;
    int side = 0;
    if (first > t->bottom_row) {
        side = b->z <= (double)first;
        p = edge_at(&whole, (double)first);
        q = edge_at(&part[side], (double)first);
        if (!flat) cover_grid_line(r, &r->here, NULL, &p, &q);
    }
    for (int32_t z = first; z <= last; z++) {
        bool end = z == t->top_row;
        double line = (double)z + 1.0;
        point p2 = end ? *c : edge_at(&whole, line);
        double left = min2(min2(p.x, p2.x), q.x), right = max2(max2(p.x, p2.x), q.x);
        if (!flat) cover_piece(r, &r->here, &p, &p2, whole.y_by_x);
        if (side == 0 && (end || b->z < line)) {
            if (!flat) cover_piece(r, &r->here, &q, b, part[0].y_by_x);
            q = *b;
            side = 1;
            left = min2(left, q.x);
            right = max2(right, q.x);
        }
        point q2 = end ? *c : edge_at(&part[side], line);
        reach at = columns_between(r, min2(left, q2.x), max2(right, q2.x));
        if (flat) {
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

void nav_triangle_by_edges(raster *r, const float v[9])
{
    point p[3];
    for (int c = 0; c < 3; c++)
        p[c] = make_corner(((double)v[3 * c] - r->origin[0]) * r->inv_cell_size,
                           ((double)v[3 * c + 1] - r->origin[1]) * r->inv_cell_height,
                           ((double)v[3 * c + 2] - r->origin[2]) * r->inv_cell_size);
    settle(p);
    triangle t;
    if (prepare(r, p, &t)) walk_edges(r, &t);
}
