// Rasterisation by rows. In a row of cells the triangle's part is a convex polygon; over each cell, its lowest and
// highest points lie on the polygon's edges, at a corner or where an edge crosses a cell border. So each edge is walked
// once along x and hands its heights to the cells it passes; nothing is clipped.
//
//     z+1 ----p-------q-----      edges of the row's polygon: p-q on the upper grid line, r-s on the lower one,
//            /|   |  |\           and what the triangle's own edges leave between the lines
//     z   --r--------- -s---
//
// All arithmetic is in doubles on world grid coordinates: a cell's fragment is the same whichever tile asks for it.
// Source: own; the exact-cover rule is that of M. Mononen's Recast.
#include "core/voxel/solid_field.h"

#include <limits.h>
#include <string.h>

// Geometry this close to a grid line counts as on it (cells, levels): the rounding of floats must not make a floor at
// 0.6 m fill the level above it.
static const double SLACK = 1e-4;

// Levels [bottom, top) of a column with the area type of the top, in one word that sorts by bottom:
// bottom + 2^30 (31 bits), top - bottom (25 bits), area (8 bits).
typedef uint64_t fragment;
enum { FRAGMENT_MAX_HEIGHT = (1 << 25) - 1, LEVEL_BIAS = 1 << 30 };

static inline fragment make_fragment(int32_t bottom, int32_t top, uint32_t area)
{
    return (fragment)(uint32_t)(bottom + LEVEL_BIAS) << 33 | (fragment)(uint32_t)(top - bottom) << 8 | area;
}

static inline int32_t fragment_bottom(fragment f)
{
    return (int32_t)(f >> 33) - LEVEL_BIAS;
}

static inline int32_t fragment_top(fragment f)
{
    return fragment_bottom(f) + (int32_t)(f >> 8 & FRAGMENT_MAX_HEIGHT);
}

static inline uint32_t fragment_area(fragment f)
{
    return (uint32_t)(f & 0xff);
}

typedef struct point {
    double x, y, z;
    int32_t cell; // that x lies in
} point;

// An edge of a triangle, from its lower end in z: how x and y change along z, and y along x.
typedef struct edge {
    point a;
    double x_by_z, y_by_z, y_by_x;
} edge;

// Lowest and highest point over each cell of a row. One guard cell on both sides takes what lies outside of the field.
typedef struct row {
    double *low, *high;
} row;

typedef struct raster {
    int32_t width;
    int32_t first_x, first_z; // world grid coordinates of column 0
    nav_arena *arena;
    fragment *fragments; // in the order of triangles
    int32_t *columns;    // of each fragment
    int32_t count, capacity;
    int32_t *column_count;
    row here, above; // the row at hand and the next one; always empty between triangles
    nav_status status;
} raster;

static const double NOTHING_LOW = 1e300, NOTHING_HIGH = -1e300;

// Coordinates stay below 2^29, so a shift to the positive makes truncation round down: one conversion, no comparison.
static const double SHIFT = 1 << 30;

static inline int32_t floor_to_int(double v)
{
    return (int32_t)(v + SHIFT) - (1 << 30);
}

static inline int32_t ceil_to_int(double v)
{
    return (1 << 30) - (int32_t)(SHIFT - v);
}

static inline double min2(double a, double b)
{
    return a < b ? a : b;
}

static inline double max2(double a, double b)
{
    return a > b ? a : b;
}

// A point just below a grid line is moved onto it.
static inline point make_point(double x, double y, double z)
{
    int32_t cell = floor_to_int(x + SLACK);
    return (point){max2(x, (double)cell), y, z, cell};
}

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

static bool reserve(raster *r, int32_t more)
{
    if (more <= r->capacity - r->count) return true;
    if (r->capacity > INT32_MAX / 2 - more) {
        r->status = NAV_ERR_LIMIT;
        return false;
    }
    int32_t capacity = 2 * r->capacity + more;
    fragment *fragments = NAV_TAKE(r->arena, fragment, capacity);
    int32_t *columns = NAV_TAKE(r->arena, int32_t, capacity);
    if (!fragments || !columns) {
        r->status = nav_arena_failure(r->arena);
        return false;
    }
    if (r->count) memcpy(fragments, r->fragments, (size_t)r->count * sizeof *fragments);
    if (r->count) memcpy(columns, r->columns, (size_t)r->count * sizeof *columns);
    r->fragments = fragments;
    r->columns = columns;
    r->capacity = capacity;
    return true;
}

static inline void put(raster *r, int32_t column, fragment f)
{
    r->fragments[r->count] = f;
    r->columns[r->count++] = column;
    r->column_count[column]++;
}

// The solid between two heights of a column. Room for one fragment is reserved; a cliff of millions of levels takes
// more.
static inline void emit(raster *r, int32_t column, double low, double high, uint32_t area)
{
    int32_t bottom = floor_to_int(low + SLACK), top = ceil_to_int(high - SLACK);
    if (top <= bottom) top = bottom + 1;
    for (; top - bottom > FRAGMENT_MAX_HEIGHT; bottom += FRAGMENT_MAX_HEIGHT) {
        if (!reserve(r, r->width + 1)) return;
        put(r, column, make_fragment(bottom, bottom + FRAGMENT_MAX_HEIGHT, NAV_AREA_NONE));
    }
    put(r, column, make_fragment(bottom, top, area));
}

// The columns of a row that the triangle's part from `left` to `right` covers; empty where from > to.
typedef struct reach {
    int32_t from, to;
} reach;

static inline reach columns_between(const raster *r, double left, double right)
{
    int32_t first = floor_to_int(left + SLACK) - r->first_x, last = ceil_to_int(right - SLACK) - 1 - r->first_x;
    if (last < first) last = first;
    return (reach){first > 0 ? first : 0, last < r->width ? last : r->width - 1};
}

// Turns the row at hand into fragments and empties it.
static void emit_row(raster *r, int32_t z, reach at, double lowest, double highest, uint32_t area)
{
    const row *here = &r->here;
    if (at.from <= at.to && reserve(r, r->width)) {
        int32_t base = (z - r->first_z) * r->width;
        for (int32_t c = at.from; c <= at.to; c++) {
            double low = here->low[c], high = here->high[c];
            empty_cell(here, c);
            // Rounding must not reach beyond the triangle itself.
            if (low <= high) emit(r, base + c, max2(low, lowest), min2(high, highest), area);
        }
    }
    // Points within the slack of the ends have gone to the next cell.
    if (at.from > 0 && at.from <= r->width) empty_cell(here, at.from - 1);
    if (at.to >= -1) empty_cell(here, at.to + 1);
}

// A level triangle gives the same fragment all along the row.
static void emit_level_row(raster *r, int32_t z, reach at, double y, uint32_t area)
{
    if (at.from > at.to || !reserve(r, r->width)) return;
    int32_t bottom = floor_to_int(y + SLACK), top = ceil_to_int(y - SLACK);
    fragment f = make_fragment(bottom, top > bottom ? top : bottom + 1, area);
    int32_t n = at.to - at.from + 1, column = (z - r->first_z) * r->width + at.from;
    fragment *restrict fragments = r->fragments + r->count;
    int32_t *restrict columns = r->columns + r->count, *restrict count = r->column_count + column;
    for (int32_t k = 0; k < n; k++) {
        fragments[k] = f;
        columns[k] = column + k;
        count[k]++;
    }
    r->count += n;
}

static inline point edge_at(const edge *e, double z)
{
    double t = z - e->a.z;
    return make_point(e->a.x + e->x_by_z * t, e->a.y + e->y_by_z * t, z);
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

// Many triangles of real scenes are smaller than a cell.
static void emit_cell(raster *r, int32_t x, int32_t z, double lowest, double highest, uint32_t area)
{
    int32_t column = (z - r->first_z) * r->width + x - r->first_x;
    if (x < r->first_x || x >= r->first_x + r->width || !reserve(r, 1)) return;
    emit(r, column, lowest, highest, area);
}

// Walks the rows of a triangle upwards, its long edge on one side and the two short ones on the other.
static void triangle(raster *r, const point corners[3], uint32_t area)
{
    const point *a = &corners[0], *b = &corners[1], *c = &corners[2];
    double least_x = min2(min2(a->x, b->x), c->x), most_x = max2(max2(a->x, b->x), c->x);
    if (most_x < (double)r->first_x || least_x > (double)(r->first_x + r->width)) return;
    double least_z = min2(min2(a->z, b->z), c->z), most_z = max2(max2(a->z, b->z), c->z);
    int32_t bottom_row = floor_to_int(least_z + SLACK), top_row = ceil_to_int(most_z - SLACK) - 1;
    if (top_row < bottom_row) top_row = bottom_row;
    int32_t first = bottom_row > r->first_z ? bottom_row : r->first_z;
    int32_t last = top_row < r->first_z + r->width ? top_row : r->first_z + r->width - 1;
    if (first > last) return;
    double lowest = min2(min2(a->y, b->y), c->y), highest = max2(max2(a->y, b->y), c->y);
    int32_t cell = floor_to_int(least_x + SLACK);
    if (bottom_row == top_row && ceil_to_int(most_x - SLACK) - 1 <= cell) {
        emit_cell(r, cell, bottom_row, lowest, highest, area);
        return;
    }
    // Sorted, not in the order given: two triangles compute a shared edge alike.
    order(&a, &b);
    order(&b, &c);
    order(&a, &b);
    const edge whole = make_edge(a, c), part[2] = {make_edge(a, b), make_edge(b, c)};
    bool level = lowest == highest;
    // p runs up the long edge, q up the short ones; side: the short edge that q is on.
    point p = *a, q = *a;
    int side = 0;
    if (first > bottom_row) {
        side = b->z <= (double)first;
        p = edge_at(&whole, (double)first);
        q = edge_at(&part[side], (double)first);
        if (!level) cover_grid_line(r, &r->here, NULL, &p, &q);
    }
    for (int32_t z = first; z <= last && r->status == NAV_OK; z++) {
        bool end = z == top_row;
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
            emit_level_row(r, z, at, lowest, area);
        } else {
            cover_piece(r, &r->here, &q, &q2, part[side].y_by_x);
            if (!end) cover_grid_line(r, &r->here, z < last ? &r->above : NULL, &p2, &q2);
            emit_row(r, z, at, lowest, highest, area);
            row emptied = r->here;
            r->here = r->above;
            r->above = emptied;
        }
        p = p2;
        q = q2;
    }
}

static inline void sort_pair(fragment *a, fragment *b)
{
    fragment low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

static void sift_down(fragment *f, int32_t at, int32_t n)
{
    fragment moved = f[at];
    for (int32_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && f[child + 1] > f[child]) child++;
        if (f[child] <= moved) break;
        f[at] = f[child];
    }
    f[at] = moved;
}

// For a column that thousands of triangles crowd: n log n, in place.
static void sort_heap(fragment *f, int32_t n)
{
    for (int32_t i = n / 2; i-- > 0;) sift_down(f, i, n);
    for (int32_t end = n - 1; end > 0; end--) {
        fragment largest = f[0];
        f[0] = f[end];
        f[end] = largest;
        sift_down(f, 0, end);
    }
}

// Few fragments are the rule, and their order is random: networks without branches.
static inline void sort_column(fragment *f, int32_t n)
{
    if (n == 2) {
        sort_pair(&f[0], &f[1]);
    } else if (n == 3) {
        sort_pair(&f[0], &f[2]);
        sort_pair(&f[0], &f[1]);
        sort_pair(&f[1], &f[2]);
    } else if (n == 4) {
        sort_pair(&f[0], &f[2]);
        sort_pair(&f[1], &f[3]);
        sort_pair(&f[0], &f[1]);
        sort_pair(&f[2], &f[3]);
        sort_pair(&f[1], &f[2]);
    } else if (n > 64) {
        sort_heap(f, n);
    } else {
        for (int32_t i = 1; i < n; i++) {
            fragment key = f[i];
            int32_t j = i;
            for (; j > 0 && f[j - 1] > key; j--) f[j] = f[j - 1];
            f[j] = key;
        }
    }
}

// Joins the touching fragments of one column. The outcome is a function of the set, not of the order.
static inline int32_t join_column(const fragment *f, int32_t n, int32_t climb, const nav_solid_field *out, int32_t at)
{
    for (int32_t i = 0; i < n;) {
        int32_t bottom = fragment_bottom(f[i]), top = fragment_top(f[i]), end = i + 1;
        for (; end < n && fragment_bottom(f[end]) <= top; end++) {
            int32_t t = fragment_top(f[end]);
            top = t > top ? t : top;
        }
        uint32_t area = 0;
        for (; i < end; i++) {
            uint32_t a = fragment_top(f[i]) >= top - climb ? fragment_area(f[i]) : 0;
            area = a > area ? a : area;
        }
        out->bottom[at] = bottom;
        out->top[at] = top;
        out->area[at++] = (uint8_t)area;
    }
    return at;
}

// A triangle that stands on a grid line belongs to the cell behind it, on the side of the matter: so a box from line to
// line fills the cells between them and no more. It is moved to the middle of that cell; its heights stay what they
// are.
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
            for (int c = 0; c < 3; c++) p[c] = make_point((double)line + (normal_x > 0 ? -0.5 : 0.5), p[c].y, p[c].z);
    }
    if (thin_z) {
        int32_t line = floor_to_int(most_z + SLACK);
        double normal_z = (p[1].x - p[0].x) * wy - uy * (p[2].x - p[0].x);
        if (least_z > (double)line - SLACK && most_z < (double)line + SLACK)
            for (int c = 0; c < 3; c++) p[c].z = (double)line + (normal_z > 0 ? -0.5 : 0.5);
    }
}

nav_status nav_solid_field_build(const nav_triangles *tris, const nav_config *cfg, nav_arena *arena,
                                 nav_solid_field *out)
{
    int32_t columns = cfg->width * cfg->width;
    *out = (nav_solid_field){.width = cfg->width};
    out->column_first = NAV_TAKE(arena, int32_t, columns + 1);
    raster r = {
        .width = cfg->width,
        .first_x = (int32_t)cfg->first_cell_x,
        .first_z = (int32_t)cfg->first_cell_z,
        .arena = arena,
        .capacity = 4 * columns,
        .column_count = NAV_TAKE_ZERO(arena, int32_t, columns),
    };
    row *rows[2] = {&r.here, &r.above};
    for (int k = 0; k < 2; k++) {
        rows[k]->low = NAV_TAKE(arena, double, cfg->width + 1);
        rows[k]->high = NAV_TAKE(arena, double, cfg->width + 1);
        if (!rows[k]->low || !rows[k]->high) return nav_arena_failure(arena);
        for (int32_t c = 0; c <= cfg->width; c++) empty_cell(rows[k], c);
    }
    r.fragments = NAV_TAKE(arena, fragment, r.capacity);
    r.columns = NAV_TAKE(arena, int32_t, r.capacity);
    if (!out->column_first || !r.column_count || !r.fragments || !r.columns) return nav_arena_failure(arena);

    double inv_cell = 1.0 / cfg->cell_m, inv_level = 1.0 / cfg->level_m;
    for (uint32_t t = 0; t < tris->count && r.status == NAV_OK; t++) {
        const float *v = tris->verts + 9 * (size_t)t;
        point p[3];
        for (int c = 0; c < 3; c++)
            p[c] = make_point(((double)v[3 * c] - cfg->origin_m[0]) * inv_cell,
                              ((double)v[3 * c + 1] - cfg->origin_m[1]) * inv_level,
                              ((double)v[3 * c + 2] - cfg->origin_m[2]) * inv_cell);
        settle(p);
        triangle(&r, p, tris->areas[t]);
    }
    if (r.status != NAV_OK) return r.status;

    fragment *sorted = NAV_TAKE(arena, fragment, r.count);
    out->bottom = NAV_TAKE(arena, int32_t, r.count);
    out->top = NAV_TAKE(arena, int32_t, r.count);
    out->area = NAV_TAKE(arena, uint8_t, r.count);
    if (!sorted || !out->bottom || !out->top || !out->area) return nav_arena_failure(arena);
    int32_t total = 0;
    int32_t *next = out->column_first; // first as the place of each column's next fragment
    for (int32_t c = 0; c < columns; c++) {
        next[c] = total;
        total += r.column_count[c];
    }
    for (int32_t i = 0; i < r.count; i++) sorted[next[r.columns[i]]++] = r.fragments[i];
    const nav_solid_field spans = *out; // the arrays in locals: a store of bytes may alias all else
    int32_t from = 0, at = 0;
    for (int32_t c = 0; c < columns; c++) {
        int32_t n = r.column_count[c];
        spans.column_first[c] = at;
        if (n > 1) sort_column(sorted + from, n);
        at = join_column(sorted + from, n, cfg->climb_vx, &spans, at);
        from += n;
    }
    out->column_first[columns] = out->span_count = at;
    return NAV_OK;
}
