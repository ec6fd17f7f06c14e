// Which edges matter at all: a grid of cells, each with a shape that covers all of it, or with the shapes that come to
// it.
//
//      +---+---+---+---+       # covered. An edge that stays in covered cells is buried and is dropped. What covers a
//      |  .|---|-. |   |       place of another edge is the owner of its cell, or in the list of its cell: nothing else
//      +-/-+###+--\+---+       has to be looked at.
//      |/  |###|###|\  |
//      +---+---+---+---+       A row that a shape fills from below to above is covered between its left side, which is
//      |\  |###|###|/  |       the rightmost of the lines of the edges there, and its right side. A side is convex, so
//                              both ends of a row tell how far inwards it comes.
//
#include "core/lanes/f64xn.h"
#include "core/outline/union_work.h"

#include <string.h>

enum { CELLS_PER_EDGE = 4, LEAST_CELLS = 1024, ROWS_PER_EDGE = 4 };

// Boxes, and the size of cells: not many more of them than edges, and edges come to few.
static void measure(union_work *w)
{
    const nav_shapes *s = w->shapes;
    int32_t edges = s->first[s->count];
    union_box all = {s->at[0], s->at[0]};
    int64_t length = 0;
    for (int32_t i = 0; i < s->count; i++) {
        union_box box = w->boxes[i] = union_box_of_shape(s, i);
        all.min = (nav_point){union_least(all.min.x, box.min.x), union_least(all.min.z, box.min.z)};
        all.max = (nav_point){union_most(all.max.x, box.max.x), union_most(all.max.z, box.max.z)};
        length += (int64_t)(box.max.x - box.min.x) + (box.max.z - box.min.z);
    }
    union_cells *c = &w->cells;
    c->origin = (nav_point){all.min.x - 2, all.min.z - 2};
    for (c->shift = 2;; c->shift++) {
        c->columns = ((all.max.x - c->origin.x + 2) >> c->shift) + 1;
        c->rows = ((all.max.z - c->origin.z + 2) >> c->shift) + 1;
        if (c->columns < UINT16_MAX && c->rows < UINT16_MAX &&
            (int64_t)c->columns * c->rows <= (int64_t)CELLS_PER_EDGE * edges + LEAST_CELLS &&
            length >> c->shift <= (int64_t)ROWS_PER_EDGE * edges)
            break;
    }
}

// x = at + z * slope on the lines of edges that fall, and that rise. A shape's left side is the most of the first, its
// right side the least of the others.
typedef struct sides {
    double fall_at[NAV_SHAPE_MAX_CORNERS + 1], fall_slope[NAV_SHAPE_MAX_CORNERS + 1];
    double rise_at[NAV_SHAPE_MAX_CORNERS + 1], rise_slope[NAV_SHAPE_MAX_CORNERS + 1];
    int falls, rises;
} sides;

// Places of both sides at the lower end of each row, as far as the shape goes, and at the upper end of the last.
static void find_sides(const sides *e, double low, double step, double min, double max, int32_t count, double *left,
                       double *right)
{
    f64xn numbers = f64xn_count(), vmin = f64xn_of(min), vmax = f64xn_of(max);
    for (int32_t r = 0; r < count; r += F64_LANES) {
        f64xn z = f64xn_add(f64xn_of(low + r * step), f64xn_mul(numbers, f64xn_of(step)));
        z = f64xn_max(f64xn_min(z, vmax), vmin);
        f64xn l = f64xn_of(-1e30), g = f64xn_of(1e30);
        for (int i = 0; i < e->falls; i++)
            l = f64xn_max(l, f64xn_add(f64xn_of(e->fall_at[i]), f64xn_mul(f64xn_of(e->fall_slope[i]), z)));
        for (int i = 0; i < e->rises; i++)
            g = f64xn_min(g, f64xn_add(f64xn_of(e->rise_at[i]), f64xn_mul(f64xn_of(e->rise_slope[i]), z)));
        f64xn_store(left + r, l);
        f64xn_store(right + r, g);
    }
}

// Of one shape, per row.
typedef struct row_table {
    double *left, *right;   // sides at the ends of rows
    int32_t *min, *max;     // of corners in the row
    int32_t *falls, *rises; // cells without an owner in the rows before, of either side
} row_table;

int32_t nav_union_put_lines(union_work *w, int32_t shape, int32_t line)
{
    const nav_shapes *s = w->shapes;
    const nav_point *at = s->at + s->first[shape], origin = w->cells.origin;
    const int32_t n = s->first[shape + 1] - s->first[shape];
    double *restrict a = w->lines.a + line, *restrict b = w->lines.b + line, *restrict c = w->lines.c + line;
    w->lines.first[shape] = line;
    for (int32_t k = 0, from = n - 1; k < n; from = k++) {
        double x = at[from].x - origin.x, z = at[from].z - origin.z;
        a[k] = at[k].z - at[from].z;
        b[k] = at[from].x - at[k].x;
        c[k] = a[k] * x + b[k] * z;
    }
    int32_t end = n;
    for (; end % UNION_LINE_PAD; end++) a[end] = b[end] = 0, c[end] = 1;
    return line + end;
}

// The spans of a shape, and the cells that it owns.
static void enter_shape(union_work *w, int32_t shape, const row_table *at)
{
    union_cells *c = &w->cells;
    const nav_shapes *s = w->shapes;
    union_box box = w->boxes[shape];
    int32_t row = (box.min.z - c->origin.z) >> c->shift, count = ((box.max.z - c->origin.z) >> c->shift) - row + 1;
    c->row[shape] = row;
    c->first[shape + 1] = c->first[shape] + count;
    for (int32_t r = 0; r < count; r++) at->min[r] = INT32_MAX, at->max[r] = INT32_MIN;
    sides e;
    e.falls = e.rises = 0;
    int32_t n = s->first[shape + 1] - s->first[shape];
    nav_point last = s->at[s->first[shape + 1] - 1];
    int32_t ax = last.x - c->origin.x, az = last.z - c->origin.z;
    for (int32_t k = 0; k < n; k++) {
        nav_point b = s->at[s->first[shape] + k];
        int32_t bx = b.x - c->origin.x, bz = b.z - c->origin.z, r = (bz >> c->shift) - row;
        at->min[r] = union_least(at->min[r], bx);
        at->max[r] = union_most(at->max[r], bx);
        double dx = bx - ax, dz = bz - az, slope = dx / dz, start = ax - slope * az;
        e.fall_at[e.falls] = e.rise_at[e.rises] = start;
        e.fall_slope[e.falls] = e.rise_slope[e.rises] = slope;
        e.falls += dz < 0;
        e.rises += dz > 0;
        ax = bx;
        az = bz;
    }
    int32_t min = box.min.z - c->origin.z, max = box.max.z - c->origin.z;
    find_sides(&e, row << c->shift, 1 << c->shift, min, max, count + 1, at->left, at->right);
    const double more = 0.75;
    for (int32_t r = 0; r < count; r++) {
        double l0 = at->left[r], l1 = at->left[r + 1], g0 = at->right[r], g1 = at->right[r + 1];
        int32_t left = union_least((int32_t)((l0 < l1 ? l0 : l1) - more), at->min[r] - 1) >> c->shift;
        int32_t right = union_most((int32_t)((g0 > g1 ? g0 : g1) + more), at->max[r] + 1) >> c->shift;
        int32_t fall = (int32_t)((l0 > l1 ? l0 : l1) + more) >> c->shift;
        int32_t rise = (int32_t)((g0 < g1 ? g0 : g1) - more) >> c->shift;
        bool fills = (row + r) << c->shift > min && (row + r + 1) << c->shift < max && fall < rise;
        fall = fills ? fall : right;
        rise = fills ? rise : left;
        c->spans[c->first[shape] + r] = (union_span){(uint16_t)left, (uint16_t)fall, (uint16_t)rise, (uint16_t)right};
        int32_t *owner = c->owner + (int64_t)(row + r) * c->columns;
        for (int32_t i = fall + 1; i < rise; i++) owner[i] = shape;
        c->shape_link_room += fills ? fall - left + 1 + right - rise + 1 : right - left + 1;
    }
}

// Puts the shape into the lists of the cells without an owner from low to high; returns how many there are.
static int32_t list_cells(union_cells *c, int32_t shape, int64_t low, int64_t high)
{
    int32_t count = c->shape_link_count;
    for (int64_t cell = low; cell <= high; cell++) { // lists of cells with an owner are never read
        c->shapes[count] = (union_link){shape, c->list[cell]};
        c->list[cell] = count;
        count += c->owner[cell] < 0;
    }
    int32_t more = count - c->shape_link_count;
    c->shape_link_count = count;
    return more;
}

// Lists the shape, and which of its edges are live.
static void list_shape(union_work *w, int32_t shape, const row_table *at)
{
    union_cells *c = &w->cells;
    int32_t row = c->row[shape], count = c->first[shape + 1] - c->first[shape], falls = 0, rises = 0;
    const union_span *span = c->spans + c->first[shape];
    int64_t cell = (int64_t)row * c->columns;
    for (int32_t r = 0; r < count; r++, cell += c->columns) {
        at->falls[r] = falls;
        at->rises[r] = rises;
        int32_t live = list_cells(c, shape, cell + span[r].left, cell + span[r].fall);
        falls += live;
        if (span[r].fall < span[r].rise) live = list_cells(c, shape, cell + span[r].rise, cell + span[r].right);
        rises += live;
    }
    at->falls[count] = falls;
    at->rises[count] = rises;
    if (falls + rises == 0) return;
    const nav_shapes *s = w->shapes;
    bool whole = union_holds(w->inside, w->boxes[shape].min) && union_holds(w->inside, w->boxes[shape].max);
    int32_t first = s->first[shape], end = s->first[shape + 1], z = s->at[first].z - c->origin.z, start = z;
    for (int32_t k = first; k < end; k++) {
        int32_t next = k + 1 < end ? s->at[k + 1].z - c->origin.z : start;
        int32_t low = (union_least(z, next) >> c->shift) - row, high = (union_most(z, next) >> c->shift) - row + 1;
        const int32_t *before = next < z ? at->falls : at->rises;
        w->live[w->live_count] = (struct union_live){k, shape};
        w->live_count += before[high] > before[low] &&
                         (whole || union_meets(w->inside, union_box_of(s->at[k], union_edge_end(s, shape, k))));
        z = next;
    }
}

nav_status nav_union_find_cells(union_work *w)
{
    const nav_shapes *s = w->shapes;
    nav_arena *arena = w->arena;
    union_cells *c = &w->cells;
    int64_t edges = s->first[s->count], lines = edges + (int64_t)UNION_LINE_PAD * s->count;
    w->boxes = NAV_TAKE(arena, union_box, s->count);
    if (!w->boxes) return nav_arena_failure(arena);
    measure(w);
    size_t cells = (size_t)c->columns * (size_t)c->rows;
    c->owner = NAV_TAKE(arena, int32_t, cells);
    c->list = NAV_TAKE(arena, int32_t, cells);
    c->nodes = NAV_TAKE(arena, int32_t, cells);
    c->row = NAV_TAKE(arena, int32_t, s->count);
    c->first = NAV_TAKE(arena, int32_t, s->count + 1);
    c->spans = NAV_TAKE(arena, union_span, ROWS_PER_EDGE * edges + 2 * (int64_t)s->count);
    w->live = NAV_TAKE(arena, struct union_live, edges + 1);
    w->lines = (union_lines){NAV_TAKE(arena, int32_t, s->count), NAV_TAKE(arena, double, lines),
                             NAV_TAKE(arena, double, lines), NAV_TAKE(arena, double, lines)};
    int32_t ends = c->rows + 1 + UNION_LINE_PAD;
    row_table r = {NAV_TAKE(arena, double, ends),  NAV_TAKE(arena, double, ends),  NAV_TAKE(arena, int32_t, ends),
                   NAV_TAKE(arena, int32_t, ends), NAV_TAKE(arena, int32_t, ends), NAV_TAKE(arena, int32_t, ends)};
    if (!c->owner || !c->list || !c->nodes || !c->row || !c->first || !c->spans || !w->live || !w->lines.first ||
        !w->lines.a || !w->lines.b || !w->lines.c || !r.left || !r.right || !r.min || !r.max || !r.falls || !r.rises)
        return nav_arena_failure(arena);
    memset(c->owner, 0xff, cells * sizeof *c->owner);
    memset(c->list, 0xff, cells * sizeof *c->list);
    memset(c->nodes, 0xff, cells * sizeof *c->nodes);
    c->first[0] = 0;
    for (int32_t i = 0, line = 0; i < s->count; i++) {
        line = nav_union_put_lines(w, i, line);
        enter_shape(w, i, &r);
    }
    c->shapes = NAV_TAKE(arena, union_link, c->shape_link_room + 1);
    if (!c->shapes) return nav_arena_failure(arena);
    for (int32_t i = 0; i < s->count; i++) list_shape(w, i, &r);
    return NAV_OK;
}
