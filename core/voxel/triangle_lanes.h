// Rasterisation by rows, several cells at a time. Included once for each number of LANES.
//
// The lowest and highest point of the triangle over a cell lie on the cell's four sides, or at a corner of the triangle
// inside of the cell. A side is part of a grid line, and the triangle's cut along a grid line is one piece of a
// straight line. Its heights over the side are where two intervals meet: from the lowest to the highest point of the
// whole cut, and from the lowest to the highest that the triangle's plane has along the side.
//
//             X    X+1
//     Z+1 ----+-----+----      side X: the cut along X, from `least` to `most`, and the plane between (X, Z) and (X,
//     Z+1)
//          ___|_____|           side Z: the cut along Z, from `from_y` to `to_y`, and the plane between (X, Z) and
//          (X+1, Z)
//     Z   /---+-----+----
//        a    |     |           b, c: elsewhere
//
// So each grid line is cut once, and a cell costs two minima and two maxima for each side: no branches, all lanes
// alike. Upright triangles have no plane; there the cut alone counts. Source: own.
#include "core/voxel/lanes.h"
#include "core/voxel/triangle.h"

// More than any height, so that adding it takes a value out of a minimum. The sum need not be exact.
static const double BEYOND = 1e300;

static inline lanes beyond_where(lane_mask m)
{
    return lanes_where(m, lanes_of(BEYOND));
}

// How x and y change between two corners: along z, and y along x.
typedef struct slopes {
    double x_by_z, y_by_z, y_by_x;
} slopes;

static inline slopes slopes_between(const point *a, const point *b)
{
    double dx = b->x - a->x, dy = b->y - a->y, dz = b->z - a->z;
    double by_z = dz > 0 ? 1.0 / dz : 0;
    return (slopes){dx * by_z, dy * by_z, dx < 0 || dx > 0 ? dy / dx : 0};
}

// The triangle and its plane, which rises by plane_x and plane_z.
typedef struct shape {
    const triangle *t;
    slopes ac, ab, bc;
    double plane_x, plane_z;
    bool upright;
} shape;

static inline shape make_shape(const triangle *t)
{
    const point *a = t->a, *b = t->b, *c = t->c;
    double ux = b->x - a->x, uy = b->y - a->y, uz = b->z - a->z;
    double wx = c->x - a->x, wy = c->y - a->y, wz = c->z - a->z;
    double n = ux * wz - uz * wx;
    shape s = {t, slopes_between(a, c), slopes_between(a, b), slopes_between(b, c), 0, 0, !(n < 0 || n > 0)};
    if (s.upright) return s;
    double by_n = 1.0 / n;
    s.plane_x = (uy * wz - uz * wy) * by_n;
    s.plane_z = (ux * wy - uy * wx) * by_n;
    return s;
}

// The cuts along x: lines `first` to `last + 1`. Where the first or the last row holds the triangle's end, the corner
// takes the place of the line.
static inline void cut_lines_along_x(const raster *r, const shape *s)
{
    const grid_lines *g = &r->lines;
    const triangle *t = s->t;
    const point *a = t->a, *b = t->b, *c = t->c;
    double least_x = min2(min2(a->x, b->x), c->x), most_x = max2(max2(a->x, b->x), c->x);
    int32_t n = t->last - t->first + 2;
    double loose = s->upright ? BEYOND : 0;
    for (int32_t k = 0; k < n; k += LANES) {
        lanes z = lanes_from((double)(t->first + k)), dz = lanes_sub(z, lanes_of(a->z));
        lanes dz_b = lanes_sub(z, lanes_of(b->z));
        lanes x = lanes_add(lanes_of(a->x), lanes_mul(lanes_of(s->ac.x_by_z), dz));
        lanes y = lanes_add(lanes_of(a->y), lanes_mul(lanes_of(s->ac.y_by_z), dz));
        lane_mask below_b = lanes_less(z, lanes_of(b->z));
        lanes x2 = lanes_select(below_b, lanes_add(lanes_of(a->x), lanes_mul(lanes_of(s->ab.x_by_z), dz)),
                                lanes_add(lanes_of(b->x), lanes_mul(lanes_of(s->bc.x_by_z), dz_b)));
        lanes y2 = lanes_select(below_b, lanes_add(lanes_of(a->y), lanes_mul(lanes_of(s->ab.y_by_z), dz)),
                                lanes_add(lanes_of(b->y), lanes_mul(lanes_of(s->bc.y_by_z), dz_b)));
        // Lines beyond the triangle's ends must stay within what an integer holds.
        lanes least = lanes_of(least_x), most = lanes_of(most_x);
        lanes from = lanes_min(lanes_max(lanes_min(x, x2), least), most);
        lanes to = lanes_min(lanes_max(lanes_max(x, x2), least), most);
        lanes shift = lanes_of(SHIFT), slack = lanes_of(SLACK), one = lanes_of(1);
        lanes from_cell = lanes_sub(lanes_truncate(lanes_add(lanes_add(from, slack), shift)), shift);
        lanes to_cell = lanes_sub(lanes_truncate(lanes_add(lanes_add(to, slack), shift)), shift);
        lanes end = lanes_sub(shift, lanes_truncate(lanes_sub(shift, lanes_sub(to, slack))));
        lanes rise = lanes_mul(lanes_of(s->plane_z), dz);
        lanes_store(g->from_x + k, from);
        lanes_store(g->to_x + k, to);
        lanes_store(g->from_cell + k, from_cell);
        lanes_store(g->to_cell + k, to_cell);
        lanes_store(g->from_y + k, lanes_min(y, y2));
        lanes_store(g->to_y + k, lanes_max(y, y2));
        lanes_store(g->rise + k, rise);
        lanes_store(g->side_low + k, lanes_sub(rise, lanes_of(loose)));
        lanes_store(g->side_high + k, lanes_add(rise, lanes_of(loose)));
        lanes first_x = lanes_of((double)r->first_x);
        lanes_store_ints(g->first + k, lanes_sub(from_cell, first_x));
        lanes_store_ints(g->last + k, lanes_sub(lanes_sub(end, one), first_x));
    }
}

static inline void put_corner(const raster *r, int32_t k, const point *p)
{
    const grid_lines *g = &r->lines;
    g->from_x[k] = g->to_x[k] = p->x;
    g->from_cell[k] = g->to_cell[k] = (double)p->cell;
    g->from_y[k] = g->to_y[k] = p->y;
    g->side_low[k] = -BEYOND;
    g->side_high[k] = BEYOND;
    g->first[k] = p->cell - r->first_x;
    g->last[k] = ceil_to_int(p->x - SLACK) - 1 - r->first_x;
}

// The cuts along z: borders of the columns that the triangle covers.
static inline void cut_lines_along_z(const raster *r, const shape *s)
{
    const grid_lines *g = &r->lines;
    const triangle *t = s->t;
    // The corners by x, and the slopes of the edges between them.
    const point *u = t->a, *v = t->b, *w = t->c;
    double uv = s->ab.y_by_x, vw = s->bc.y_by_x, uw = s->ac.y_by_x, swap;
    if (v->x < u->x) {
        const point *p = u;
        u = v, v = p;
        swap = vw, vw = uw, uw = swap;
    }
    if (w->x < v->x) {
        const point *p = v;
        v = w, w = p;
        swap = uv, uv = uw, uw = swap;
    }
    if (v->x < u->x) {
        const point *p = u;
        u = v, v = p;
        swap = vw, vw = uw, uw = swap;
    }
    for (int32_t k = t->left; k <= t->right + 1; k += LANES) {
        lanes x = lanes_from((double)(r->first_x + k)), dx = lanes_sub(x, lanes_of(u->x));
        lanes y = lanes_add(lanes_of(u->y), lanes_mul(lanes_of(uw), dx));
        lanes y2 = lanes_select(lanes_less(x, lanes_of(v->x)), lanes_add(lanes_of(u->y), lanes_mul(lanes_of(uv), dx)),
                                lanes_add(lanes_of(v->y), lanes_mul(lanes_of(vw), lanes_sub(x, lanes_of(v->x)))));
        lanes_store(g->least + k, lanes_min(y, y2));
        lanes_store(g->most + k, lanes_max(y, y2));
        lanes_store(g->plane + k,
                    lanes_add(lanes_of(t->a->y), lanes_mul(lanes_of(s->plane_x), lanes_sub(x, lanes_of(t->a->x)))));
    }
}

typedef struct range {
    lanes low, high;
} range;

static inline void widen(range *a, lanes low, lanes high, lane_mask none)
{
    lanes beyond = beyond_where(none);
    a->low = lanes_min(a->low, lanes_add(low, beyond));
    a->high = lanes_max(a->high, lanes_sub(high, beyond));
}

// Where a row lies: its grid lines `k` and `k + 1`, what it covers, and the corner in the middle if it is in this row.
typedef struct lane_row {
    int32_t k, from, to; // columns
    double left, right;  // ends; right with the slack within which a point goes to the next cell
    bool with_b;
} lane_row;

// The heights over the cells from column c on.
static inline range heights_from(const grid_lines *g, int32_t first_x, const triangle *t, const lane_row *at, int32_t c,
                                 lanes strip_low, lanes strip_high)
{
    lanes x = lanes_from((double)(first_x + c)), x2 = lanes_add(x, lanes_of(1));
    lanes plane = lanes_load(g->plane + c), plane2 = lanes_load(g->plane + c + 1);
    range h = {lanes_of(BEYOND), lanes_of(-BEYOND)};
    // No border right of the last column's can be left of the row, and none left of the first one's can be right of it.
    widen(&h, lanes_max(lanes_add(plane, strip_low), lanes_load(g->least + c)),
          lanes_min(lanes_add(plane, strip_high), lanes_load(g->most + c)), lanes_less(x, lanes_of(at->left)));
    widen(&h, lanes_max(lanes_add(plane2, strip_low), lanes_load(g->least + c + 1)),
          lanes_min(lanes_add(plane2, strip_high), lanes_load(g->most + c + 1)), lanes_less(lanes_of(at->right), x2));
    lanes side_low = lanes_min(plane, plane2), side_high = lanes_max(plane, plane2);
    for (int32_t k = at->k; k <= at->k + 1; k++)
        widen(&h, lanes_max(lanes_add(side_low, lanes_of(g->side_low[k])), lanes_of(g->from_y[k])),
              lanes_min(lanes_add(side_high, lanes_of(g->side_high[k])), lanes_of(g->to_y[k])),
              lanes_either(lanes_less(x, lanes_of(g->from_cell[k])), lanes_less(lanes_of(g->to_cell[k]), x)));
    if (at->with_b) widen(&h, lanes_of(t->b->y), lanes_of(t->b->y), lanes_differ(x, lanes_of((double)t->b->cell)));
    // Rounding must not reach beyond the triangle itself.
    lanes lowest = lanes_of(t->lowest), highest = lanes_of(t->highest);
    h.low = lanes_min(lanes_max(h.low, lowest), highest);
    h.high = lanes_max(lanes_min(h.high, highest), lowest);
    return h;
}

#if LANES == 4
// The bits of the first `count` of four neighbouring columns, all in one word of each: `base` is the level of its first
// bit.
static inline void emit_bits(raster *r, size_t word, int32_t base, const range *h, int32_t count)
{
    __m256d shift = lanes_of(SHIFT), slack = lanes_of(SLACK);
    __m128i bottom = _mm_sub_epi32(_mm256_cvttpd_epi32(lanes_add(lanes_add(h->low, slack), shift)),
                                   _mm_set1_epi32((1 << 30) + base));
    __m128i top = _mm_sub_epi32(_mm_set1_epi32((1 << 30) - base - 1),
                                _mm256_cvttpd_epi32(lanes_sub(shift, lanes_sub(h->high, slack))));
    top = _mm_max_epi32(top, bottom);
    __m256i low = _mm256_cvtepi32_epi64(bottom), high = _mm256_cvtepi32_epi64(top), all = _mm256_set1_epi64x(-1);
    __m256i active = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_set_epi64x(3, 2, 1, 0));
    __m256i bits = _mm256_and_si256(_mm256_sllv_epi64(all, low),
                                    _mm256_srlv_epi64(all, _mm256_sub_epi64(_mm256_set1_epi64x(63), high)));
    __m256i *solid = (__m256i *)(r->bits.solid + word);
    _mm256_storeu_si256(solid, _mm256_or_si256(_mm256_loadu_si256(solid), _mm256_and_si256(bits, active)));
    if (!r->tops) return;
    __m256i *tops = (__m256i *)(r->tops + word);
    __m256i bit = _mm256_and_si256(_mm256_sllv_epi64(_mm256_set1_epi64x(1), high), active);
    _mm256_storeu_si256(tops, _mm256_or_si256(_mm256_loadu_si256(tops), bit));
}
#endif

static inline void emit_lanes(raster *r, int32_t column, int32_t count, const range *h)
{
    int32_t bottom[LANES], top[LANES];
    lanes shift = lanes_of(SHIFT), slack = lanes_of(SLACK);
    lanes_store_ints(bottom, lanes_add(lanes_add(h->low, slack), shift));
    lanes_store_ints(top, lanes_sub(shift, lanes_sub(h->high, slack)));
    for (int32_t k = 0; k < LANES && k < count; k++) {
        int32_t b = bottom[k] - (1 << 30), e = (1 << 30) - top[k];
        fill(r, column + k, 1, b, e > b ? e : b + 1);
    }
}

// The row between the lines k and k + 1. b: the corner in it, if there is one.
static inline lane_row row_between(const grid_lines *g, int32_t k, const point *b, int32_t first_x, int32_t width)
{
    lane_row at = {
        .k = k,
        .from = g->first[k] < g->first[k + 1] ? g->first[k] : g->first[k + 1],
        .to = g->last[k] > g->last[k + 1] ? g->last[k] : g->last[k + 1],
        .left = min2(g->from_x[k], g->from_x[k + 1]),
        .right = max2(g->to_x[k], g->to_x[k + 1]),
        .with_b = b != NULL,
    };
    if (b) {
        int32_t first = b->cell - first_x, last = ceil_to_int(b->x - SLACK) - 1 - first_x;
        at.from = first < at.from ? first : at.from;
        at.to = last > at.to ? last : at.to;
        at.left = min2(at.left, b->x);
        at.right = max2(at.right, b->x);
    }
    at.right += SLACK;
    if (at.to < at.from) { // all within the slack of a grid line
        at.to = at.from;
        at.left = BEYOND;
    }
    at.from = at.from > 0 ? at.from : 0;
    at.to = at.to < width ? at.to : width - 1;
    return at;
}

static inline void walk_rows(raster *r, const shape *s)
{
    // In locals: what is written to the bits may alias all else.
    const triangle local = *s->t, *t = &local;
    const grid_lines lines = r->lines, *g = &lines;
    const point *b = t->b;
    int32_t first_x = r->first_x, first_z = r->first_z, width = r->width;
    bool level = t->lowest == t->highest;
    // The corner between the ends belongs to the last row where it is not above the grid line.
    int32_t row_of_b = floor_to_int(b->z);
    row_of_b = row_of_b > t->bottom_row ? row_of_b : t->bottom_row;
    row_of_b = row_of_b < t->top_row ? row_of_b : t->top_row;
    if (row_of_b == t->first && t->first > t->bottom_row && b->z <= (double)t->first) row_of_b--;
    double loose = s->upright ? BEYOND : 0;
#if LANES == 4
    int32_t low_bit = floor_to_int(t->lowest + SLACK) - r->bits.base;
    int32_t high_bit = floor_to_int(t->highest + SLACK) - r->bits.base;
    bool one_word = r->in_bits && low_bit >> 6 == high_bit >> 6;
    int32_t base = r->bits.base + (low_bit & ~63);
    size_t plane = (size_t)(low_bit >> 6) * (size_t)r->bits.columns;
#endif
    for (int32_t z = t->first; z <= t->last; z++) {
        int32_t k = z - t->first;
        lane_row at = row_between(g, k, z == row_of_b ? b : NULL, first_x, width);
        int32_t row_base = (z - first_z) * width;
        if (at.from > at.to) continue;
        if (level) {
            emit(r, row_base + at.from, at.to - at.from + 1, t->lowest, t->highest);
            continue;
        }
        lanes strip_low = lanes_of(min2(g->rise[k], g->rise[k + 1]) - loose);
        lanes strip_high = lanes_of(max2(g->rise[k], g->rise[k + 1]) + loose);
#if LANES == 4
        if (one_word) {
            r->bits.fragment_count += at.to - at.from + 1;
            for (int32_t c = at.from; c <= at.to; c += LANES) {
                range h = heights_from(g, first_x, t, &at, c, strip_low, strip_high);
                emit_bits(r, plane + (size_t)(row_base + c), base, &h, at.to - c + 1);
            }
            continue;
        }
#endif
        for (int32_t c = at.from; c <= at.to; c += LANES) {
            range h = heights_from(g, first_x, t, &at, c, strip_low, strip_high);
            emit_lanes(r, row_base + c, at.to - c + 1, &h);
        }
    }
}

static inline void walk_in_lanes(raster *r, const triangle *t)
{
    shape s = make_shape(t);
    cut_lines_along_x(r, &s);
    if (t->first == t->bottom_row) put_corner(r, 0, t->a);
    if (t->last == t->top_row) put_corner(r, t->last - t->first + 1, t->c);
    if (t->lowest < t->highest) cut_lines_along_z(r, &s);
    walk_rows(r, &s);
}
