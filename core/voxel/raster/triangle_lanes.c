// Rasterisation by rows, several columns at a time. The triangles were prepared several at a time (triangle_block.h).
//
// In a row of columns the triangle's part is a convex polygon, whose corners are the ends of the triangle's cuts along
// the grid lines below and above the row, and perhaps a corner of the triangle. Over a column, its lowest and highest
// points are among those corners, or lie on the borders to the columns beside. A border's heights are where two
// intervals meet: from the lowest to the highest point of the triangle's whole cut along it, and from the lowest to the
// highest that the plane has along the border's piece in the row.
//
//             X    X+1
//     Z+1 ----p-----+q---      p, q, r, s: ends of the cuts along Z and Z + 1
//            /|     | \        border X + 1: the cut along X + 1, from `low` to `high`, and the plane between
//     Z   --r-+-----+--s-                    (X + 1, Z) and (X + 1, Z + 1)
//
// So each grid line is cut once, and a column costs a few minima and maxima: no branches, all lanes alike. Upright
// triangles have no plane; there each cut lies in one column and its heights alone count. Rows are cut F64_LANES at a
// time, too, and columns stay in registers from row to row. Triangles of a few columns are walked side by side, a
// triangle in each lane, by the same functions. Source: own.
#include "core/voxel/raster/triangle_bits.h"
#include "core/voxel/raster/triangle_block.h"

#include <stddef.h>

// What is known of one triangle, in all lanes; or of all of them, each in its lane.
typedef struct view {
    const char *fields;
    bool all;
} view;

static inline view view_of(const triangle_block *t, int i)
{
    return (view){(const char *)t + (size_t)i * sizeof(double), false};
}

static inline f64xn field_at(view v, size_t offset)
{
    const double *values = (const double *)(const void *)(v.fields + offset);
    return v.all ? f64xn_load(values) : f64xn_of(*values);
}

#define FIELD(v, name) field_at(v, offsetof(triangle_block, name))

// The cuts along some grid lines in x.
typedef struct cut {
    f64xn from, to; // columns of the ends
    f64xn last;     // the last column that it is not just at the border of
    f64xn from_y, to_y;
    f64xn rise; // height of the plane above that at the first corner, as far as z goes
} cut;

// A row of columns, or several.
typedef struct strip {
    cut below, above;
    f64xn from, to;    // columns that it covers, inside of the field
    f64xn left, right; // columns of the ends: borders between them are cut
    f64xn low, high;   // of the plane, as far as z goes
    f64xn b_column;    // of the corner in the middle where it is in the row
} strip;

// Rows, to be read one by one. More than there are lanes: the columns are worked out once for all of them.
enum { ROWS = 16 };
typedef struct rows {
    _Alignas(NAV_SIMD_BYTES) double from[ROWS];
    double to[ROWS], left[ROWS], right[ROWS], low[ROWS], high[ROWS], b_column[ROWS];
    double cut_from[ROWS + 1], cut_to[ROWS + 1], cut_from_y[ROWS + 1], cut_to_y[ROWS + 1];
} rows;

// The columns at hand: columns x, the plane and the cuts at their borders.
typedef struct columns {
    f64xn x;
    f64xn plane, plane2;          // left, right
    f64xn low, high, low2, high2; // the cut left, the cut right
} columns;

// Rounding must not reach beyond the triangle itself: below its lowest voxel there may be no bits.
static inline f64xn within(view t, f64xn y)
{
    return f64xn_min(f64xn_max(y, FIELD(t, lowest)), FIELD(t, highest));
}

static inline cut cut_along_x(view t, f64xn z)
{
    // The lines around the triangle are moved to its ends.
    f64xn az = FIELD(t, az), bz = FIELD(t, bz);
    f64xn_mask at_a = f64xn_at_most(z, FIELD(t, bottom_line)), at_c = f64xn_at_most(FIELD(t, top_line), z);
    z = f64xn_select(at_a, az, f64xn_select(at_c, FIELD(t, cz), z));
    f64xn ax = FIELD(t, ax), ay = FIELD(t, ay), dz = f64xn_sub(z, az);
    f64xn x = f64xn_add(ax, f64xn_mul(FIELD(t, ac_x), dz));
    f64xn y = f64xn_add(ay, f64xn_mul(FIELD(t, ac_y), dz));
    // The other end is on the lower edge or on the upper one.
    f64xn_mask lower = f64xn_either(at_a, f64xn_less(z, bz));
    f64xn dz2 = f64xn_select(lower, dz, f64xn_sub(z, bz));
    f64xn x2 = f64xn_add(f64xn_select(lower, ax, FIELD(t, bx)),
                         f64xn_mul(f64xn_select(lower, FIELD(t, ab_x), FIELD(t, bc_x)), dz2));
    f64xn y2 = f64xn_add(f64xn_select(lower, ay, FIELD(t, by)),
                         f64xn_mul(f64xn_select(lower, FIELD(t, ab_y), FIELD(t, bc_y)), dz2));
    f64xn cx = FIELD(t, cx), cy = FIELD(t, cy);
    x = f64xn_select(at_c, cx, x), x2 = f64xn_select(at_c, cx, x2);
    y = f64xn_select(at_c, cy, y), y2 = f64xn_select(at_c, cy, y2);
    f64xn_mask turned = f64xn_less(x2, x);
    f64xn slack = f64xn_of(SLACK); // nor along x
    f64xn left = f64xn_max(f64xn_min(x, x2), FIELD(t, least_x)), right = f64xn_min(f64xn_max(x, x2), FIELD(t, most_x));
    return (cut){
        .from = f64xn_floor(f64xn_add(left, slack)),
        .to = f64xn_floor(f64xn_add(right, slack)),
        .last = f64xn_sub(f64xn_ceil(f64xn_sub(right, slack)), f64xn_of(1)),
        .from_y = within(t, f64xn_select(turned, y2, y)),
        .to_y = within(t, f64xn_select(turned, y, y2)),
        .rise = f64xn_mul(FIELD(t, plane_z), dz),
    };
}

// The rows from z up, between two cuts.
static inline strip strip_between(const raster *r, view t, f64xn z, cut below, cut above)
{
    strip s = {.below = below, .above = above};
    f64xn b_column = FIELD(t, b_column);
    f64xn_mask with_b = f64xn_equal(z, FIELD(t, b_row));
    f64xn left = f64xn_min(below.from, above.from), right = f64xn_max(below.to, above.to);
    s.left = f64xn_min_where(with_b, left, b_column, left);
    s.right = f64xn_max_where(with_b, right, b_column, right);
    f64xn last = f64xn_max(below.last, above.last);
    last = f64xn_max(f64xn_max_where(with_b, last, FIELD(t, b_last), last), s.left);
    s.from = f64xn_max(s.left, f64xn_of((double)r->first_x));
    s.to = f64xn_min(last, f64xn_of((double)(r->first_x + r->width - 1)));
    s.low = f64xn_min(below.rise, above.rise);
    s.high = f64xn_max(below.rise, above.rise);
    s.b_column = f64xn_select(with_b, b_column, f64xn_of(-BEYOND));
    return s;
}

static inline f64xn counted_from(int32_t first)
{
    return f64xn_add(f64xn_of((double)first), f64xn_count());
}

static inline cut shift_in(const cut *a, const cut *b)
{
    return (cut){f64xn_shift_in(a->from, b->from), f64xn_shift_in(a->to, b->to),
                 f64xn_shift_in(a->last, b->last), f64xn_shift_in(a->from_y, b->from_y),
                 f64xn_shift_in(a->to_y, b->to_y), f64xn_shift_in(a->rise, b->rise)};
}

// The rows of a triangle from z to `last`, or as many as there are lanes. next: the cuts below them, and in return
// those below what follows.
static inline strip strip_from(const raster *r, view t, int32_t z, int32_t last, cut *next)
{
    cut below = *next;
    if (last - z + 1 >= F64_LANES) *next = cut_along_x(t, counted_from(z + F64_LANES));
    return strip_between(r, t, counted_from(z), below, shift_in(&below, next));
}

static inline void store_cuts(double *out, f64xn below, f64xn above)
{
    f64xn_store(out, below);
    f64xn_store(out + 1, above);
}

static inline void store_rows(rows *out, int32_t k, const strip *s)
{
    f64xn_store(out->from + k, s->from), f64xn_store(out->to + k, s->to);
    f64xn_store(out->left + k, s->left), f64xn_store(out->right + k, s->right);
    f64xn_store(out->low + k, s->low), f64xn_store(out->high + k, s->high);
    f64xn_store(out->b_column + k, s->b_column);
    store_cuts(out->cut_from + k, s->below.from, s->above.from);
    store_cuts(out->cut_to + k, s->below.to, s->above.to);
    store_cuts(out->cut_from_y + k, s->below.from_y, s->above.from_y);
    store_cuts(out->cut_to_y + k, s->below.to_y, s->above.to_y);
}

// Those of the first `count` rows that cover some of F64_LANES columns from x on, a bit for each.
static inline unsigned rows_over(const rows *at, int32_t count, int32_t x)
{
    f64xn first = f64xn_of((double)x), last = f64xn_of((double)(x + F64_LANES - 1));
    unsigned over = 0;
    for (int32_t k = 0; k < count; k += F64_LANES) {
        f64xn from = f64xn_load(at->from + k), to = f64xn_load(at->to + k);
        over |= f64xn_bits(f64xn_both(f64xn_at_most(from, last), f64xn_at_most(f64xn_max(first, from), to))) << k;
    }
    return over & ((2u << (count - 1)) - 1);
}

static inline cut cut_at(const rows *at, int32_t k)
{
    return (cut){.from = f64xn_of(at->cut_from[k]),
                 .to = f64xn_of(at->cut_to[k]),
                 .from_y = f64xn_of(at->cut_from_y[k]),
                 .to_y = f64xn_of(at->cut_to_y[k])};
}

// Row k, in all lanes.
static inline strip strip_at(const rows *at, int32_t k)
{
    return (strip){
        .below = cut_at(at, k),
        .above = cut_at(at, k + 1),
        .from = f64xn_of(at->from[k]),
        .to = f64xn_of(at->to[k]),
        .left = f64xn_of(at->left[k]),
        .right = f64xn_of(at->right[k]),
        .low = f64xn_of(at->low[k]),
        .high = f64xn_of(at->high[k]),
        .b_column = f64xn_of(at->b_column[k]),
    };
}

// The cuts along z at borders x.
static inline void cut_along_z(view t, f64xn x, f64xn *low, f64xn *high)
{
    f64xn ux = FIELD(t, ux), uy = FIELD(t, uy), vx = FIELD(t, vx);
    f64xn_mask before_v = f64xn_less(x, vx);
    f64xn y = f64xn_add(uy, f64xn_mul(FIELD(t, uw), f64xn_sub(x, ux)));
    f64xn y2 = f64xn_add(
        f64xn_select(before_v, uy, FIELD(t, vy)),
        f64xn_mul(f64xn_select(before_v, FIELD(t, uv), FIELD(t, vw)), f64xn_sub(x, f64xn_select(before_v, ux, vx))));
    *low = within(t, f64xn_min(y, y2));
    *high = within(t, f64xn_max(y, y2));
}

static inline f64xn plane_at(view t, f64xn x)
{
    return f64xn_add(FIELD(t, ay), f64xn_mul(FIELD(t, plane_x), f64xn_sub(x, FIELD(t, ax))));
}

static inline void widen(range *h, range other)
{
    h->low = f64xn_min(h->low, other.low);
    h->high = f64xn_max(h->high, other.high);
}

// Where a cut from `low` to `high` and a side of the plane meet, and where it is cut at all.
static inline range side(f64xn_mask is_cut, f64xn plane_low, f64xn plane_high, f64xn low, f64xn high, bool upright)
{
    f64xn none_low = f64xn_of(BEYOND), none_high = f64xn_of(-BEYOND);
    if (upright) return (range){f64xn_select(is_cut, low, none_low), f64xn_select(is_cut, high, none_high)};
    return (range){f64xn_max_where(is_cut, plane_low, low, none_low),
                   f64xn_min_where(is_cut, plane_high, high, none_high)};
}

// The ends of a cut. What lies between them over a side is bounded by them and by the sides across it.
static inline range ends_of(const columns *c, const cut *k)
{
    f64xn_mask from = f64xn_equal(c->x, k->from), to = f64xn_equal(c->x, k->to);
    f64xn low = f64xn_select(from, k->from_y, f64xn_of(BEYOND)),
          high = f64xn_select(from, k->from_y, f64xn_of(-BEYOND));
    return (range){f64xn_min_where(to, low, k->to_y, low), f64xn_max_where(to, high, k->to_y, high)};
}

// The heights over the columns that are covered, between the sides below and above; the others' mean nothing.
SPECIALISED range heights_over(const columns *c, const strip *s, range below, range above, f64xn b_y, bool upright)
{
    range h = below;
    widen(&h, above);
    widen(&h, side(f64xn_less(s->left, c->x), f64xn_add(c->plane, s->low), f64xn_add(c->plane, s->high), c->low,
                   c->high, upright));
    widen(&h, side(f64xn_less(c->x, s->right), f64xn_add(c->plane2, s->low), f64xn_add(c->plane2, s->high), c->low2,
                   c->high2, upright));
    f64xn_mask with_b = f64xn_equal(c->x, s->b_column);
    h.low = f64xn_min_where(with_b, h.low, b_y, h.low);
    h.high = f64xn_max_where(with_b, h.high, b_y, h.high);
    h.low = f64xn_min(h.low, h.high); // the plane is not exact
    return h;
}

static inline f64xn_mask covered(const columns *c, const strip *s)
{
    return f64xn_both(f64xn_at_most(s->from, c->x), f64xn_at_most(c->x, s->to));
}

static inline columns columns_at(view t, f64xn x)
{
    columns c = {.x = x};
    f64xn x2 = f64xn_add(x, f64xn_of(1));
    cut_along_z(t, x, &c.low, &c.high);
    cut_along_z(t, x2, &c.low2, &c.high2);
    c.plane = plane_at(t, x);
    c.plane2 = plane_at(t, x2);
    return c;
}

static inline bit_target bits_of_triangle(const raster *r, const triangle_block *t, int i)
{
    return r->in_bits ? bits_between(r, r->tops, t->low_vx[i], t->end_vx[i]) : (bit_target){0};
}

// Rows k to `last` of `at` over the columns c, whose first column in row 0 is `column`.
SPECIALISED void walk_rows(raster *r, const bit_target *to, const rows *at, int32_t k, int32_t last, const columns *c,
                           int32_t cell, f64xn b_y, bool upright, bool one_word)
{
    const int32_t width = r->width;
    strip s = strip_at(at, k);
    range below = ends_of(c, &s.below);
    cell += k * width;
    for (;;) {
        range above = ends_of(c, &s.above);
        range h = heights_over(c, &s, below, above, b_y, upright);
        emit_heights(r, to, cell, h, covered(c, &s), one_word);
        if (++k > last) return;
        s = strip_at(at, k);
        below = above;
        cell += width;
    }
}

// ROWS rows and F64_LANES columns at a time.
SPECIALISED void walk_blocks(raster *r, const triangle_block *t, int i, bool upright, bool one_word)
{
    const view v = view_of(t, i);
    const bit_target to = bits_of_triangle(r, t, i);
    const f64xn b_y = FIELD(v, by);
    // A tip just before a grid line is in the column behind it where its row has nothing else.
    const int32_t left = t->left[i], right = t->right[i] + 1 < r->width ? t->right[i] + 1 : t->right[i];
    const int32_t last = t->last[i];
    int32_t cell = (t->first[i] - r->first_z) * r->width;
    cut next = cut_along_x(v, counted_from(t->first[i]));
    for (int32_t z = t->first[i]; z <= last; z += ROWS, cell += ROWS * r->width) {
        rows at;
        int32_t count = last - z + 1 < ROWS ? last - z + 1 : ROWS;
        for (int32_t k = 0; k < count; k += F64_LANES) {
            strip s = strip_from(r, v, z + k, last, &next);
            store_rows(&at, k, &s);
        }
        for (int32_t x = left; x <= right; x += F64_LANES) {
            unsigned over = rows_over(&at, count, r->first_x + x); // neighbours: the triangle is convex
            if (!over) continue;
            columns c = columns_at(v, counted_from(r->first_x + x));
            walk_rows(r, &to, &at, __builtin_ctz(over), 31 - __builtin_clz(over), &c, cell + x, b_y, upright, one_word);
        }
    }
}

static void walk_plain(raster *r, const triangle_block *t, int i)
{
    if (spans_one_word(r, t->low_vx[i], t->end_vx[i]))
        walk_blocks(r, t, i, false, true);
    else
        walk_blocks(r, t, i, false, false);
}

static void walk_upright(raster *r, const triangle_block *t, int i)
{
    if (spans_one_word(r, t->low_vx[i], t->end_vx[i]))
        walk_blocks(r, t, i, true, true);
    else
        walk_blocks(r, t, i, true, false);
}

// A flat one: the same voxel over all columns.
static void walk_flat(raster *r, const triangle_block *t, int i)
{
    const view v = view_of(t, i);
    const voxel_target to = voxel_of_triangle(r, t->low_vx[i]);
    const int32_t width = r->width, last = t->last[i];
    int32_t line = (t->first[i] - r->first_z) * width;
    cut next = cut_along_x(v, counted_from(t->first[i]));
    for (int32_t z = t->first[i]; z <= last; z += F64_LANES) {
        int32_t from[F64_LANES], to_x[F64_LANES], count = last - z + 1 < F64_LANES ? last - z + 1 : F64_LANES;
        strip all = strip_from(r, v, z, last, &next);
        f64xn_store_ints(from, f64xn_sub(all.from, f64xn_of((double)r->first_x)));
        f64xn_store_ints(to_x, f64xn_sub(all.to, f64xn_of((double)r->first_x)));
        for (int32_t k = 0; k < count; k++, line += width)
            if (from[k] <= to_x[k]) emit_voxel(r, &to, line + from[k], to_x[k] - from[k] + 1);
    }
}

// One within a column: several rows at a time, each between the cuts below and above it.
static void walk_column(raster *r, const triangle_block *t, int i)
{
    const view v = view_of(t, i);
    const bit_target to = bits_of_triangle(r, t, i);
    const int32_t width = r->width, last = t->last[i];
    int32_t cell = (t->first[i] - r->first_z) * width + t->left[i];
    cut next = cut_along_x(v, counted_from(t->first[i]));
    for (int32_t z = t->first[i]; z <= last; z += F64_LANES) {
        cut below = next;
        if (last - z + 1 >= F64_LANES) next = cut_along_x(v, counted_from(z + F64_LANES));
        f64xn_mask with_b = f64xn_equal(counted_from(z), FIELD(v, b_row));
        cut above = shift_in(&below, &next);
        range h = {f64xn_min(f64xn_min(below.from_y, below.to_y), f64xn_min(above.from_y, above.to_y)),
                   f64xn_max(f64xn_max(below.from_y, below.to_y), f64xn_max(above.from_y, above.to_y))};
        h.low = f64xn_min_where(with_b, h.low, FIELD(v, by), h.low);
        h.high = f64xn_max_where(with_b, h.high, FIELD(v, by), h.high);
        int32_t count = last - z + 1 < F64_LANES ? last - z + 1 : F64_LANES;
        emit_down(r, &to, cell, width, count, h);
        cell += count * width;
    }
}

// One within a row: its corners, and its cuts at the borders between the columns.
static void walk_row(raster *r, const triangle_block *t, int i)
{
    const view v = view_of(t, i);
    const bit_target to = bits_of_triangle(r, t, i);
    const int32_t left = t->left[i], right = t->right[i], first_x = r->first_x;
    const f64xn first_column = FIELD(v, column),
                last_column = f64xn_floor(f64xn_add(FIELD(v, most_x), f64xn_of(SLACK)));
    const f64xn cells[3] = {FIELD(v, a_column), FIELD(v, b_column), FIELD(v, c_column)};
    const f64xn heights[3] = {FIELD(v, ay), FIELD(v, by), FIELD(v, cy)};
    const int32_t line = (t->first[i] - r->first_z) * r->width;
    for (int32_t k = left; k <= right; k += F64_LANES) {
        f64xn x = counted_from(first_x + k), none = f64xn_of(BEYOND), low, high, low2, high2;
        cut_along_z(v, x, &low, &high);
        cut_along_z(v, f64xn_add(x, f64xn_of(1)), &low2, &high2);
        range h = side(f64xn_less(first_column, x), none, none, low, high, true);
        widen(&h, side(f64xn_less(x, last_column), none, none, low2, high2, true));
        for (int c = 0; c < 3; c++) widen(&h, side(f64xn_equal(x, cells[c]), none, none, heights[c], heights[c], true));
        emit_heights(r, &to, line + k, h, f64xn_at_most(x, f64xn_of((double)(first_x + right))), false);
    }
}

_Static_assert(MIDDLE_COLUMNS - 1 <= NAV_BIT_ROWS_BEYOND, "columns of a lane that has no more rows are there");

// Triangles within a few columns of the field and a word of voxels, each in its lane. areas: theirs.
static void walk_few_columns(raster *r, const triangle_block *t, const uint8_t areas[F64_LANES], int cells)
{
    const view v = {(const char *)t, .all = true};
    column_target to = columns_of_triangles(r, t->first, t->left, t->low_vx, areas);
    columns c[MIDDLE_COLUMNS];
    for (int j = 0; j < cells; j++) c[j] = columns_at(v, f64xn_add(FIELD(v, column), f64xn_of(j)));
    f64xn loose = FIELD(v, loose);
    f64xn z = FIELD(v, bottom_line), top_line = FIELD(v, top_line), b_y = FIELD(v, by), one = f64xn_of(1);
    cut below = cut_along_x(v, z);
    for (int k = 0;; k++) {
        f64xn_mask there = f64xn_less(z, top_line);
        if (!f64xn_bits(there)) break;
        cut above = cut_along_x(v, f64xn_add(z, one));
        strip s = strip_between(r, v, z, below, above);
        s.low = f64xn_sub(s.low, loose);
        s.high = f64xn_add(s.high, loose);
        for (int j = 0; j < cells; j++) {
            f64xn_mask active = f64xn_both(there, covered(&c[j], &s));
            if (!f64xn_bits(active)) continue;
            range h = heights_over(&c[j], &s, ends_of(&c[j], &s.below), ends_of(&c[j], &s.above), b_y, false);
            emit_columns(&to, k * r->width + j, h, active);
        }
        z = f64xn_add(z, one);
        below = above;
    }
}

// Cuts of a steep triangle are short: where each lies in one column, it is as good as upright.
static bool is_as_upright(const triangle_block *t, int i)
{
    const view v = view_of(t, i);
    for (int32_t z = t->first[i]; z <= t->last[i] + 1; z += F64_LANES) {
        cut at = cut_along_x(v, counted_from(z));
        unsigned straddle = f64xn_bits(f64xn_less(at.from, at.to));
        int32_t count = t->last[i] + 2 - z;
        if (count < F64_LANES) straddle &= (1u << count) - 1;
        if (straddle) return false;
    }
    return true;
}

// Triangles of a kind that wait for others. Many are walked one after the other, so that the way is known.
enum { QUEUE_LENGTH = 8 * F64_LANES };
typedef struct queue {
    uint32_t triangle[QUEUE_LENGTH + F64_LANES];
    int32_t count;
} queue;

// Walks `count` of them; the lanes beyond are there, and hold one of them once more.
static void walk_block(raster *r, const nav_triangles *tris, triangle_kind kind, const uint32_t which[F64_LANES],
                       int32_t count)
{
    triangle_block t;
    nav_triangle_block_fill(&t, r, kind, tris, which);
    if (kind != TRIANGLE_FLAT)
        for (int i = 0; i < count; i++)
            r->bits.fragment_count += (int64_t)(t.last[i] - t.first[i] + 1) * (t.right[i] - t.left[i] + 1);
    if (kind == TRIANGLE_SMALL || kind == TRIANGLE_MIDDLE) {
        uint8_t areas[F64_LANES];
        for (int i = 0; i < F64_LANES; i++) areas[i] = tris->areas[which[i]];
        walk_few_columns(r, &t, areas, kind == TRIANGLE_SMALL ? SMALL_COLUMNS : MIDDLE_COLUMNS);
        return;
    }
    for (int i = 0; i < count; i++) {
        set_area(r, tris->areas[which[i]]);
        switch (kind) {
        case TRIANGLE_FLAT:
            walk_flat(r, &t, i);
            break;
        case TRIANGLE_COLUMN:
            walk_column(r, &t, i);
            break;
        case TRIANGLE_ROW:
            walk_row(r, &t, i);
            break;
        case TRIANGLE_UPRIGHT:
            walk_upright(r, &t, i);
            break;
        case TRIANGLE_STEEP:
            if (is_as_upright(&t, i))
                walk_upright(r, &t, i);
            else
                nav_triangle_by_edges(r, tris->verts + 9 * (size_t)which[i]);
            break;
        default:
            walk_plain(r, &t, i);
        }
    }
}

static void walk_queue(raster *r, const nav_triangles *tris, triangle_kind kind, queue *q)
{
    for (int32_t k = 0; k < F64_LANES; k++) q->triangle[q->count + k] = q->triangle[0];
    for (int32_t k = 0; k < q->count; k += F64_LANES)
        walk_block(r, tris, kind, q->triangle + k, q->count - k < F64_LANES ? q->count - k : F64_LANES);
    q->count = 0;
}

void nav_triangles_by_lanes(raster *r, const nav_triangles *tris)
{
    queue queues[TRIANGLE_KINDS];
    for (int k = 0; k < TRIANGLE_KINDS; k++) queues[k].count = 0;
    triangle_batch b;
    for (uint32_t first = 0; first < tris->count && r->fragments.status == NAV_OK; first += F64_LANES) {
        nav_triangle_batch_read(&b, r, tris, first);
        for (unsigned todo = b.of_kind[TRIANGLE_TINY]; todo; todo &= todo - 1) {
            int i = __builtin_ctz(todo);
            set_area(r, tris->areas[first + (uint32_t)i]);
            fill(r, b.row[i] * r->width + b.column[i], 1, b.low_vx[i], b.high_vx[i] + 1);
        }
        for (int k = TRIANGLE_TINY + 1; k < TRIANGLE_KINDS; k++) {
            queue *q = &queues[k];
            f64xn_store_numbers(q->triangle + q->count, b.of_kind[k], first);
            q->count += __builtin_popcount(b.of_kind[k]);
            if (q->count > QUEUE_LENGTH - F64_LANES) walk_queue(r, tris, (triangle_kind)k, q);
        }
    }
    for (int k = TRIANGLE_TINY + 1; k < TRIANGLE_KINDS; k++)
        if (queues[k].count) walk_queue(r, tris, (triangle_kind)k, &queues[k]);
}
