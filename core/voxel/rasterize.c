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

#include <string.h>

// Geometry this close to a grid line counts as on it (cells, levels): the rounding of floats must not make a floor at
// 0.6 m fill the level above it.
static const double SLACK = 1e-4;

typedef struct fragment {
    int32_t column, bottom, top;
    uint32_t area;
} fragment;

typedef struct point {
    double x, y, z;
} point;

typedef struct raster {
    int32_t width;
    int32_t first_x, first_z; // world grid coordinates of column 0
    nav_arena *arena;
    fragment *fragments;
    int32_t count, capacity;
    int32_t *column_count;
    double *low, *high; // of the row at hand, per column
    int32_t from, to;   // columns of the row at hand that the triangle covers
    nav_status status;
} raster;

// A cut of the triangle with a grid line of constant z: from its lowest x to its highest.
typedef struct cut {
    point left, right;
    bool empty;
} cut;

static inline int32_t floor_to_int(double v)
{
    int32_t i = (int32_t)v;
    return i - (v < (double)i);
}

static inline int32_t ceil_to_int(double v)
{
    int32_t i = (int32_t)v;
    return i + (v > (double)i);
}

static inline double min2(double a, double b)
{
    return a < b ? a : b;
}

static inline double max2(double a, double b)
{
    return a > b ? a : b;
}

static inline void cover(raster *r, int32_t column, double y)
{
    if (column < r->from || column > r->to) return;
    r->low[column] = min2(r->low[column], y);
    r->high[column] = max2(r->high[column], y);
}

static inline void cover_end(raster *r, double x, double y)
{
    int32_t c = floor_to_int(x);
    cover(r, c - r->first_x, y);
    if ((double)c == x) cover(r, c - 1 - r->first_x, y);
}

static void cover_edge(raster *r, const point *a, const point *b)
{
    if (a->x > b->x) {
        const point *t = a;
        a = b;
        b = t;
    }
    cover_end(r, a->x, a->y);
    cover_end(r, b->x, b->y);
    // Grid lines strictly between the ends give their height to the cells on both sides.
    int32_t line = floor_to_int(a->x) + 1, last = ceil_to_int(b->x) - 1;
    if (line < r->from + r->first_x) line = r->from + r->first_x;
    if (last > r->to + 1 + r->first_x) last = r->to + 1 + r->first_x;
    if (line > last) return;
    double slope = (b->y - a->y) / (b->x - a->x);
    double lowest = min2(a->y, b->y), highest = max2(a->y, b->y);
    for (; line <= last; line++) {
        double y = a->y + slope * ((double)line - a->x);
        y = min2(max2(y, lowest), highest);
        int32_t c = line - r->first_x;
        if (c > r->from) {
            r->low[c - 1] = min2(r->low[c - 1], y);
            r->high[c - 1] = max2(r->high[c - 1], y);
        }
        if (c <= r->to) {
            r->low[c] = min2(r->low[c], y);
            r->high[c] = max2(r->high[c], y);
        }
    }
}

static bool reserve(raster *r, int32_t more)
{
    if (r->count + more <= r->capacity) return true;
    int32_t capacity = 2 * r->capacity + more;
    fragment *bigger = NAV_TAKE(r->arena, fragment, capacity);
    if (!bigger) {
        r->status = nav_arena_failure(r->arena, (size_t)capacity, sizeof(fragment));
        return false;
    }
    if (r->count) memcpy(bigger, r->fragments, (size_t)r->count * sizeof(fragment));
    r->fragments = bigger;
    r->capacity = capacity;
    return true;
}

static inline void emit(raster *r, int32_t column, double low, double high, uint32_t area)
{
    int32_t bottom = floor_to_int(low + SLACK), top = ceil_to_int(high - SLACK);
    if (top <= bottom) top = bottom + 1;
    r->fragments[r->count++] = (fragment){column, bottom, top, area};
    r->column_count[column]++;
}

// A level triangle gives the same fragment all along the row.
static void emit_level_row(raster *r, int32_t base, double y, uint32_t area)
{
    int32_t bottom = floor_to_int(y + SLACK), top = ceil_to_int(y - SLACK);
    if (top <= bottom) top = bottom + 1;
    fragment *to = r->fragments + r->count;
    int32_t *count = r->column_count + base;
    int32_t n = r->to - r->from + 1, from = base + r->from;
    for (int32_t k = 0; k < n; k++) to[k] = (fragment){from + k, bottom, top, area};
    for (int32_t c = r->from; c <= r->to; c++) count[c]++;
    r->count += n;
}

static point edge_at(const point *a, const point *b, double z)
{
    double t = (z - a->z) / (b->z - a->z);
    return (point){a->x + (b->x - a->x) * t, a->y + (b->y - a->y) * t, z};
}

static void cut_add(cut *c, point p)
{
    if (c->empty) {
        c->left = c->right = p;
        c->empty = false;
        return;
    }
    if (p.x < c->left.x) c->left = p;
    if (p.x > c->right.x) c->right = p;
}

// v is sorted by z.
static cut cut_at(const point v[3], double z)
{
    cut c = {.empty = true};
    static const int ends[3][2] = {{0, 2}, {0, 1}, {1, 2}};
    for (int i = 0; i < 3; i++)
        if (v[i].z == z) cut_add(&c, v[i]);
    for (int e = 0; e < 3; e++) {
        const point *a = &v[ends[e][0]], *b = &v[ends[e][1]];
        if (a->z < z && b->z > z) cut_add(&c, edge_at(a, b, z));
    }
    return c;
}

static void triangle_row(raster *r, const point v[3], const cut *below, const cut *above, int32_t z, uint32_t area)
{
    double z0 = (double)z, z1 = z0 + 1.0;
    static const int ends[3][2] = {{0, 2}, {0, 1}, {1, 2}};
    point from[3], to[3];
    int edges = 0;
    double lowest_x = 1e300, highest_x = -1e300;
    for (int e = 0; e < 3; e++) {
        const point *a = &v[ends[e][0]], *b = &v[ends[e][1]];
        if (a->z > z1 || b->z < z0) continue;
        from[edges] = a->z >= z0 ? *a : edge_at(a, b, z0);
        to[edges] = b->z <= z1 ? *b : edge_at(a, b, z1);
        lowest_x = min2(lowest_x, min2(from[edges].x, to[edges].x));
        highest_x = max2(highest_x, max2(from[edges].x, to[edges].x));
        edges++;
    }
    if (edges == 0) return;
    int32_t first = floor_to_int(lowest_x + SLACK), last = ceil_to_int(highest_x - SLACK) - 1;
    if (last < first) last = first;
    r->from = first > r->first_x ? first - r->first_x : 0;
    r->to = last < r->first_x + r->width ? last - r->first_x : r->width - 1;
    if (r->from > r->to || !reserve(r, r->to - r->from + 1)) return;

    int32_t base = (z - r->first_z) * r->width;
    if (v[0].y == v[1].y && v[1].y == v[2].y) {
        emit_level_row(r, base, v[0].y, area);
        return;
    }
    for (int32_t c = r->from; c <= r->to; c++) {
        r->low[c] = 1e300;
        r->high[c] = -1e300;
    }
    for (int e = 0; e < edges; e++) cover_edge(r, &from[e], &to[e]);
    if (!below->empty) cover_edge(r, &below->left, &below->right);
    if (!above->empty) cover_edge(r, &above->left, &above->right);
    for (int32_t c = r->from; c <= r->to; c++)
        if (r->low[c] <= r->high[c]) emit(r, base + c, r->low[c], r->high[c], area);
}

static void sort_by_z(point v[3])
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < 2 - pass; i++) {
            bool swap = v[i].z > v[i + 1].z || (v[i].z == v[i + 1].z && v[i].x > v[i + 1].x) ||
                        (v[i].z == v[i + 1].z && v[i].x == v[i + 1].x && v[i].y > v[i + 1].y);
            if (!swap) continue;
            point t = v[i];
            v[i] = v[i + 1];
            v[i + 1] = t;
        }
}

static void triangle(raster *r, point v[3], uint32_t area)
{
    double lowest_x = min2(min2(v[0].x, v[1].x), v[2].x), highest_x = max2(max2(v[0].x, v[1].x), v[2].x);
    if (highest_x < (double)r->first_x || lowest_x > (double)(r->first_x + r->width)) return;
    // Sorted points, not the order given: a shared edge is computed the same from both of its triangles.
    sort_by_z(v);
    int32_t first = floor_to_int(v[0].z + SLACK), last = ceil_to_int(v[2].z - SLACK) - 1;
    if (last < first) last = first;
    if (first < r->first_z) first = r->first_z;
    if (last > r->first_z + r->width - 1) last = r->first_z + r->width - 1;
    if (first > last) return;
    cut below = cut_at(v, (double)first);
    for (int32_t z = first; z <= last; z++) {
        cut above = cut_at(v, (double)z + 1.0);
        triangle_row(r, v, &below, &above, z, area);
        below = above;
    }
}

static void sort_column(fragment *f, int32_t n)
{
    for (int32_t i = 1; i < n; i++) {
        fragment key = f[i];
        int32_t j = i;
        for (; j > 0 && f[j - 1].bottom > key.bottom; j--) f[j] = f[j - 1];
        f[j] = key;
    }
}

// Joins the touching fragments of one column. The outcome is a function of the set, not of the order.
static inline int32_t join_column(const fragment *f, int32_t n, int32_t climb, const nav_solid_field *out, int32_t at)
{
    for (int32_t i = 0; i < n;) {
        int32_t bottom = f[i].bottom, top = f[i].top, end = i + 1;
        for (; end < n && f[end].bottom <= top; end++)
            if (f[end].top > top) top = f[end].top;
        uint32_t area = 0;
        for (; i < end; i++)
            if (f[i].top >= top - climb && f[i].area > area) area = f[i].area;
        out->bottom[at] = bottom;
        out->top[at] = top;
        out->area[at++] = (uint8_t)area;
    }
    return at;
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
        .low = NAV_TAKE(arena, double, cfg->width),
        .high = NAV_TAKE(arena, double, cfg->width),
    };
    r.fragments = NAV_TAKE(arena, fragment, r.capacity);
    if (!out->column_first || !r.column_count || !r.low || !r.high || !r.fragments)
        return nav_arena_failure(arena, (size_t)r.capacity, sizeof(fragment));

    double inv_cell = 1.0 / cfg->cell_m, inv_level = 1.0 / cfg->level_m;
    for (uint32_t t = 0; t < tris->count && r.status == NAV_OK; t++) {
        const float *v = tris->verts + 9 * (size_t)t;
        point p[3];
        for (int c = 0; c < 3; c++)
            p[c] = (point){((double)v[3 * c] - cfg->origin_m[0]) * inv_cell,
                           ((double)v[3 * c + 1] - cfg->origin_m[1]) * inv_level,
                           ((double)v[3 * c + 2] - cfg->origin_m[2]) * inv_cell};
        triangle(&r, p, tris->areas[t]);
    }
    if (r.status != NAV_OK) return r.status;

    fragment *sorted = NAV_TAKE(arena, fragment, r.count);
    out->bottom = NAV_TAKE(arena, int32_t, r.count);
    out->top = NAV_TAKE(arena, int32_t, r.count);
    out->area = NAV_TAKE(arena, uint8_t, r.count);
    if (!sorted || !out->bottom || !out->top || !out->area)
        return nav_arena_failure(arena, (size_t)r.count, sizeof(fragment));
    int32_t total = 0;
    int32_t *next = out->column_first; // first as the place of each column's next fragment
    for (int32_t c = 0; c < columns; c++) {
        next[c] = total;
        total += r.column_count[c];
    }
    for (int32_t i = 0; i < r.count; i++) sorted[next[r.fragments[i].column]++] = r.fragments[i];
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
