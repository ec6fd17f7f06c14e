// Rasterisation by rows, several cells at a time, after several triangles at a time have been made ready
// (triangle_block.h).
//
// The lowest and highest point of the triangle over a cell lie on the cell's four sides, or at a corner of the triangle
// inside of the cell. A side is part of a grid line, and the triangle's cut along a grid line is one piece of a
// straight line. Its heights over the side are where two intervals meet: from the lowest to the highest point of the
// whole cut, and from the lowest to the highest that the triangle's plane has along the side.
//
//             X    X+1
//     Z+1 ----+-----+----      side X: the cut along X, from `least` to `most`, and the plane between (X, Z) and
//          ___|_____|           (X, Z+1)
//     Z   /---+-----+----      side Z: the cut along Z, and the plane between (X, Z) and (X+1, Z)
//        a    |     |           b, c: elsewhere
//
// So each grid line is cut once, and a cell costs two minima and two maxima for each side: no branches, all lanes
// alike. Upright triangles have no plane; there each cut lies in one cell and its heights alone count. Rows are cut
// LANES at a time, too, and where the triangle is no wider than that, its columns stay in registers from row to row.
// Source: own.
#include "core/voxel/triangle_bits.h"
#include "core/voxel/triangle_block.h"

// The cuts along some grid lines in x.
typedef struct cut {
    lanes from_cell, to_cell; // cells of the ends
    lanes last;               // the last cell that it is not just at the border of
    lanes low, high;          // lowest and highest point
    lanes rise;               // height of the plane above that at the first corner, as far as z goes
} cut;

// Rows of a triangle. Each array has one more use: its lanes are read one by one, by all lanes of the cells.
typedef struct rows {
    _Alignas(NAV_SIMD_BYTES) double from[LANES];
    double to[LANES];                          // cells that a row covers, inside of the field
    double left[LANES], right[LANES];          // cells of the ends: borders between them are cut
    double low[LANES], high[LANES];            // of the plane over the row, as far as z goes
    double b_cell[LANES];                      // of the corner in the middle where it is in the row
    double below_from[LANES], below_to[LANES]; // the cut below the row
    double below_low[LANES], below_high[LANES], below_rise[LANES];
    double above_from[LANES], above_to[LANES]; // and above it
    double above_low[LANES], above_high[LANES], above_rise[LANES];
    unsigned straddle; // rows with a cut that is in more than one cell
    int32_t count;
} rows;

// The columns at hand: cells x, the plane and the cuts at their borders.
typedef struct columns {
    lanes x;
    lanes plane, plane2, plane_low, plane_high; // left, right, the lower, the higher
    lanes low, high, low2, high2;               // the cut left, the cut right
} columns;

static inline lanes field(const double *values, int i)
{
    return lanes_of(values[i]);
}

static inline cut cut_along_x(const triangle_block *t, int i, lanes z)
{
    // The lines around the triangle are moved to its ends.
    lane_mask at_a = lanes_at_most(z, field(t->bottom_line, i)), at_c = lanes_at_most(field(t->top_line, i), z);
    z = lanes_select(at_a, field(t->az, i), lanes_select(at_c, field(t->cz, i), z));
    lanes dz = lanes_sub(z, field(t->az, i));
    lanes x = lanes_add(field(t->ax, i), lanes_mul(field(t->ac_x, i), dz));
    lanes y = lanes_add(field(t->ay, i), lanes_mul(field(t->ac_y, i), dz));
    // The other end is on the lower edge or on the upper one.
    lane_mask lower = lanes_either(at_a, lanes_less(z, field(t->bz, i)));
    lanes dz2 = lanes_select(lower, dz, lanes_sub(z, field(t->bz, i)));
    lanes x2 = lanes_add(lanes_select(lower, field(t->ax, i), field(t->bx, i)),
                         lanes_mul(lanes_select(lower, field(t->ab_x, i), field(t->bc_x, i)), dz2));
    lanes y2 = lanes_add(lanes_select(lower, field(t->ay, i), field(t->by, i)),
                         lanes_mul(lanes_select(lower, field(t->ab_y, i), field(t->bc_y, i)), dz2));
    x = lanes_select(at_c, field(t->cx, i), x), x2 = lanes_select(at_c, field(t->cx, i), x2);
    y = lanes_select(at_c, field(t->cy, i), y), y2 = lanes_select(at_c, field(t->cy, i), y2);
    // Rounding must not reach beyond the triangle itself.
    lanes least = field(t->least_x, i), most = field(t->most_x, i), slack = lanes_of(SLACK);
    lanes from = lanes_max(lanes_min(x, x2), least), to = lanes_min(lanes_max(x, x2), most);
    return (cut){
        .from_cell = lanes_floor(lanes_add(from, slack)),
        .to_cell = lanes_floor(lanes_add(to, slack)),
        .last = lanes_sub(lanes_ceil(lanes_sub(to, slack)), lanes_of(1)),
        .low = lanes_min(y, y2),
        .high = lanes_max(y, y2),
        .rise = lanes_mul(field(t->plane_z, i), dz),
    };
}

// The rows from z on, up to the triangle's last.
static inline void cut_rows(const raster *r, const triangle_block *t, int i, int32_t z, rows *out)
{
    lanes z_low = lanes_add(lanes_of((double)z), lanes_count());
    cut below = cut_along_x(t, i, z_low), above = cut_along_x(t, i, lanes_add(z_low, lanes_of(1)));
    lane_mask with_b = lanes_equal(z_low, field(t->b_row, i));
    lanes nowhere = lanes_of(-BEYOND), b_cell = field(t->b_cell, i);
    lanes left = lanes_min(below.from_cell, above.from_cell), right = lanes_max(below.to_cell, above.to_cell);
    left = lanes_min_where(with_b, left, b_cell, left);
    right = lanes_max_where(with_b, right, b_cell, right);
    lanes last = lanes_max(below.last, above.last);
    last = lanes_max(lanes_max_where(with_b, last, field(t->b_last, i), last), left);
    lanes first_x = lanes_of((double)r->first_x), last_x = lanes_of((double)(r->first_x + r->width - 1));
    lanes_store(out->from, lanes_max(left, first_x));
    lanes_store(out->to, lanes_min(last, last_x));
    lanes_store(out->left, left);
    lanes_store(out->right, right);
    lanes_store(out->low, lanes_min(below.rise, above.rise));
    lanes_store(out->high, lanes_max(below.rise, above.rise));
    lanes_store(out->b_cell, lanes_select(with_b, b_cell, nowhere));
    lanes_store(out->below_from, below.from_cell), lanes_store(out->below_to, below.to_cell);
    lanes_store(out->below_low, below.low), lanes_store(out->below_high, below.high);
    lanes_store(out->below_rise, below.rise);
    lanes_store(out->above_from, above.from_cell), lanes_store(out->above_to, above.to_cell);
    lanes_store(out->above_low, above.low), lanes_store(out->above_high, above.high);
    lanes_store(out->above_rise, above.rise);
    out->count = t->last[i] - z + 1 < LANES ? t->last[i] - z + 1 : LANES;
    out->straddle = lanes_bits(lanes_either(lanes_less(below.from_cell, below.to_cell),
                                            lanes_less(above.from_cell, above.to_cell))) &
                    ((1u << out->count) - 1);
}

// The cuts along z at borders x.
static inline void cut_along_z(const triangle_block *t, int i, lanes x, lanes *low, lanes *high)
{
    lanes ux = field(t->ux, i), uy = field(t->uy, i), vx = field(t->vx, i);
    lane_mask before_v = lanes_less(x, vx);
    lanes y = lanes_add(uy, lanes_mul(field(t->uw, i), lanes_sub(x, ux)));
    lanes y2 = lanes_add(lanes_select(before_v, uy, field(t->vy, i)),
                         lanes_mul(lanes_select(before_v, field(t->uv, i), field(t->vw, i)),
                                   lanes_sub(x, lanes_select(before_v, ux, vx))));
    *low = lanes_min(y, y2);
    *high = lanes_max(y, y2);
}

static inline lanes plane_at(const triangle_block *t, int i, lanes x)
{
    return lanes_add(field(t->ay, i), lanes_mul(field(t->plane_x, i), lanes_sub(x, field(t->ax, i))));
}

static inline void widen(range *h, lanes low, lanes high)
{
    h->low = lanes_min(h->low, low);
    h->high = lanes_max(h->high, high);
}

// The heights over the sides along a cut.
static inline range side_z(const columns *c, double from, double to, double low, double high, double rise, bool upright)
{
    lane_mask m = lanes_both(lanes_at_most(lanes_of(from), c->x), lanes_at_most(c->x, lanes_of(to)));
    lanes none_low = lanes_of(BEYOND), none_high = lanes_of(-BEYOND);
    if (upright) return (range){lanes_select(m, lanes_of(low), none_low), lanes_select(m, lanes_of(high), none_high)};
    return (range){lanes_max_where(m, lanes_add(c->plane_low, lanes_of(rise)), lanes_of(low), none_low),
                   lanes_min_where(m, lanes_add(c->plane_high, lanes_of(rise)), lanes_of(high), none_high)};
}

static inline range side_below(const columns *c, const rows *at, int k, bool upright)
{
    return side_z(c, at->below_from[k], at->below_to[k], at->below_low[k], at->below_high[k], at->below_rise[k],
                  upright);
}

static inline range side_above(const columns *c, const rows *at, int k, bool upright)
{
    return side_z(c, at->above_from[k], at->above_to[k], at->above_low[k], at->above_high[k], at->above_rise[k],
                  upright);
}

// The heights over the cells of row k that are active; the others' mean nothing.
static inline range heights_over(const columns *c, const rows *at, int k, range below, range above, double b_y,
                                 bool upright)
{
    range h = below;
    widen(&h, above.low, above.high);
    lane_mask left = lanes_less(lanes_of(at->left[k]), c->x), right = lanes_less(c->x, lanes_of(at->right[k]));
    lane_mask b = lanes_equal(c->x, lanes_of(at->b_cell[k]));
    lanes none_low = lanes_of(BEYOND), none_high = lanes_of(-BEYOND);
    if (upright) {
        widen(&h, lanes_select(left, c->low, none_low), lanes_select(left, c->high, none_high));
        widen(&h, lanes_select(right, c->low2, none_low), lanes_select(right, c->high2, none_high));
    } else {
        lanes low = lanes_of(at->low[k]), high = lanes_of(at->high[k]);
        widen(&h, lanes_max_where(left, lanes_add(c->plane, low), c->low, none_low),
              lanes_min_where(left, lanes_add(c->plane, high), c->high, none_high));
        widen(&h, lanes_max_where(right, lanes_add(c->plane2, low), c->low2, none_low),
              lanes_min_where(right, lanes_add(c->plane2, high), c->high2, none_high));
    }
    h.low = lanes_min_where(b, h.low, lanes_of(b_y), h.low);
    h.high = lanes_max_where(b, h.high, lanes_of(b_y), h.high);
    return h;
}

// Rounding must not reach beyond the triangle itself.
static inline range within(range h, double lowest, double highest)
{
    return (range){lanes_max(h.low, lanes_of(lowest)), lanes_min(h.high, lanes_of(highest))};
}

static inline lane_mask covered(const columns *c, const rows *at, int k)
{
    return lanes_both(lanes_at_most(lanes_of(at->from[k]), c->x), lanes_at_most(c->x, lanes_of(at->to[k])));
}

static inline columns columns_at(const triangle_block *t, int i, int32_t cell)
{
    columns c;
    c.x = lanes_add(lanes_of((double)cell), lanes_count());
    lanes x2 = lanes_add(c.x, lanes_of(1));
    cut_along_z(t, i, c.x, &c.low, &c.high);
    cut_along_z(t, i, x2, &c.low2, &c.high2);
    c.plane = plane_at(t, i, c.x);
    c.plane2 = plane_at(t, i, x2);
    c.plane_low = lanes_min(c.plane, c.plane2);
    c.plane_high = lanes_max(c.plane, c.plane2);
    return c;
}

static inline bit_target bits_of_triangle(const raster *r, const triangle_block *t, int i)
{
    return r->in_bits ? bits_between(r, r->tops, t->low_level[i], t->end_level[i]) : (bit_target){0};
}

// A triangle no wider than there are lanes.
static inline void walk_slim(raster *r, const triangle_block *t, int i, bool upright)
{
    const columns c = columns_at(t, i, r->first_x + t->left[i]);
    const bit_target to = bits_of_triangle(r, t, i);
    const double lowest = t->lowest[i], highest = t->highest[i], b_y = t->by[i];
    int32_t width = r->width, cell = (t->first[i] - r->first_z) * width + t->left[i];
    for (int32_t z = t->first[i]; z <= t->last[i]; z += LANES) {
        rows at;
        cut_rows(r, t, i, z, &at);
        range below = side_below(&c, &at, 0, upright);
        for (int32_t k = 0; k < at.count; k++, cell += width) {
            range above = side_above(&c, &at, k, upright);
            range h = heights_over(&c, &at, k, below, above, b_y, upright);
            emit_heights(r, &to, cell, within(h, lowest, highest), covered(&c, &at, k));
            below = above;
        }
    }
}

// A wide one: its columns wait in memory.
static inline void walk_wide(raster *r, const triangle_block *t, int i, bool upright)
{
    double *least = r->least, *most = r->most, *plane = r->plane;
    int32_t first_x = r->first_x, first_z = r->first_z, width = r->width;
    for (int32_t k = t->left[i]; k <= t->right[i] + 1; k += LANES) {
        lanes x = lanes_add(lanes_of((double)(first_x + k)), lanes_count()), low, high;
        cut_along_z(t, i, x, &low, &high);
        lanes_store(least + k, low);
        lanes_store(most + k, high);
        if (!upright) lanes_store(plane + k, plane_at(t, i, x));
    }
    const bit_target to = bits_of_triangle(r, t, i);
    const double lowest = t->lowest[i], highest = t->highest[i], b_y = t->by[i];
    for (int32_t z = t->first[i]; z <= t->last[i]; z += LANES) {
        rows at;
        cut_rows(r, t, i, z, &at);
        for (int32_t k = 0; k < at.count; k++) {
            int32_t from = (int32_t)at.from[k] - first_x, end = (int32_t)at.to[k] - first_x;
            int32_t line = (z + k - first_z) * width;
            for (int32_t x = from; x <= end; x += LANES) {
                columns c = {.x = lanes_add(lanes_of((double)(first_x + x)), lanes_count()),
                             .low = lanes_load(least + x),
                             .high = lanes_load(most + x),
                             .low2 = lanes_load(least + x + 1),
                             .high2 = lanes_load(most + x + 1)};
                if (!upright) {
                    c.plane = lanes_load(plane + x);
                    c.plane2 = lanes_load(plane + x + 1);
                    c.plane_low = lanes_min(c.plane, c.plane2);
                    c.plane_high = lanes_max(c.plane, c.plane2);
                }
                range h = heights_over(&c, &at, k, side_below(&c, &at, k, upright), side_above(&c, &at, k, upright),
                                       b_y, upright);
                emit_heights(r, &to, line + x, within(h, lowest, highest), covered(&c, &at, k));
            }
        }
    }
}

// A level one: the same levels over all cells.
static inline void walk_level(raster *r, const triangle_block *t, int i)
{
    int32_t bottom = t->low_level[i], top = t->high_level[i] + 1, first_x = r->first_x, width = r->width;
    int32_t line = (t->first[i] - r->first_z) * width;
    for (int32_t z = t->first[i]; z <= t->last[i]; z += LANES) {
        rows at;
        cut_rows(r, t, i, z, &at);
        for (int32_t k = 0; k < at.count; k++, line += width) {
            int32_t from = (int32_t)at.from[k] - first_x, count = (int32_t)at.to[k] - first_x - from + 1;
            if (count > 0) fill(r, line + from, count, bottom, top);
        }
    }
}

// One within a column: several rows at a time, each between the cuts below and above it.
static inline void walk_column(raster *r, const triangle_block *t, int i)
{
    int32_t width = r->width, cell = (t->first[i] - r->first_z) * width + t->left[i];
    const double lowest = t->lowest[i], highest = t->highest[i];
    for (int32_t z = t->first[i]; z <= t->last[i]; z += LANES) {
        lanes z_low = lanes_add(lanes_of((double)z), lanes_count());
        cut below = cut_along_x(t, i, z_low), above = cut_along_x(t, i, lanes_add(z_low, lanes_of(1)));
        lane_mask with_b = lanes_equal(z_low, field(t->b_row, i));
        range h = {lanes_min(below.low, above.low), lanes_max(below.high, above.high)};
        h.low = lanes_min_where(with_b, h.low, field(t->by, i), h.low);
        h.high = lanes_max_where(with_b, h.high, field(t->by, i), h.high);
        h = within(h, lowest, highest);
        double low[LANES], high[LANES];
        lanes_store(low, h.low);
        lanes_store(high, h.high);
        int32_t count = t->last[i] - z + 1 < LANES ? t->last[i] - z + 1 : LANES;
        for (int32_t k = 0; k < count; k++, cell += width) emit(r, cell, 1, low[k], high[k]);
    }
}

static inline void walk(raster *r, const triangle_block *t, int i, bool upright)
{
    if (t->right[i] - t->left[i] < LANES)
        walk_slim(r, t, i, upright);
    else
        walk_wide(r, t, i, upright);
}

// Cuts of a steep triangle are short: where each lies in one cell, it is as good as upright.
static inline bool is_as_upright(const raster *r, const triangle_block *t, int i)
{
    unsigned straddle = 0;
    for (int32_t z = t->first[i]; z <= t->last[i]; z += LANES) {
        rows at;
        cut_rows(r, t, i, z, &at);
        straddle |= at.straddle;
    }
    return !straddle;
}

void nav_triangles_by_lanes(raster *r, const nav_triangles *tris)
{
    triangle_block t;
    for (uint32_t start = 0; start < tris->count && r->fragments.status == NAV_OK; start += LANES) {
        const float *verts = tris->verts + 9 * (size_t)start;
        nav_triangle_block_fill(&t, r, verts, tris->count - start);
        const uint8_t *areas = tris->areas + start;
#define EACH_OF(set)                                                                                                   \
    for (unsigned todo = (set), i; todo && (i = (unsigned)__builtin_ctz(todo), set_area(r, areas[i]), true);           \
         todo &= todo - 1)
        EACH_OF(t.tiny)
        fill(r, (t.first[i] - r->first_z) * r->width + t.left[i], 1, t.low_level[i], t.high_level[i] + 1);
        EACH_OF(t.level) walk_level(r, &t, (int)i);
        EACH_OF(t.narrow) walk_column(r, &t, (int)i);
        EACH_OF(t.plain) walk(r, &t, (int)i, false);
        EACH_OF(t.upright) walk(r, &t, (int)i, true);
        EACH_OF(t.steep)
        {
            if (is_as_upright(r, &t, (int)i))
                walk(r, &t, (int)i, true);
            else
                nav_triangle_by_edges(r, verts + 9 * i);
        }
#undef EACH_OF
    }
}
