// Which edges matter at all: a grid of cells, each with a shape that covers all of it, or with the shapes whose edges
// come to it.
//
//      +---+---+---+---+       # covered. An edge that stays in covered cells is buried and is dropped. What covers a
//      |  .|---|-. |   |       place of another edge is the owner of its cell, or in the list of its cell: nothing else
//      +-/-+###+--\+---+       has to be looked at.
//      |/  |###|###|\  |
//      +---+---+---+---+       A shape covers what lies between the cells of its left edges and those of its right
//      |\  |###|###|/  |       edges, in rows that it fills from below to above.
//
#include "core/outline/union_work.h"

#include <string.h>

enum { CELLS_PER_EDGE = 4, LEAST_CELLS = 1024, REACHES_PER_EDGE = 4 };

static int32_t least(int32_t p, int32_t q)
{
    return p < q ? p : q;
}

static int32_t most(int32_t p, int32_t q)
{
    return p > q ? p : q;
}

// Chooses the size of cells: not many more than edges, and edges come to few of them.
static void measure(union_cells *c, const nav_shapes *s)
{
    int32_t edges = s->first[s->count];
    nav_point min = s->at[0], max = s->at[0];
    int64_t length = 0;
    for (int32_t i = 0; i < s->count; i++) {
        nav_point a = s->at[s->first[i + 1] - 1];
        for (int32_t k = s->first[i]; k < s->first[i + 1]; k++) {
            nav_point b = s->at[k];
            min = (nav_point){least(min.x, b.x), least(min.z, b.z)};
            max = (nav_point){most(max.x, b.x), most(max.z, b.z)};
            int32_t dx = b.x - a.x, dz = b.z - a.z;
            length += most(dx < 0 ? -dx : dx, dz < 0 ? -dz : dz);
            a = b;
        }
    }
    c->origin = (nav_point){min.x - 2, min.z - 2};
    for (c->shift = 2;; c->shift++) {
        c->columns = ((max.x - c->origin.x + 2) >> c->shift) + 1;
        c->rows = ((max.z - c->origin.z + 2) >> c->shift) + 1;
        if (c->columns <= UINT16_MAX && c->rows <= UINT16_MAX &&
            (int64_t)c->columns * c->rows <= (int64_t)CELLS_PER_EDGE * edges + LEAST_CELLS &&
            length >> c->shift <= (int64_t)REACHES_PER_EDGE * edges)
            break;
    }
}

// Writes the reach of the edge from a to b, relative to the origin, in each of its rows. Returns their number.
static int32_t reach_of(const union_cells *c, nav_point a, nav_point b, int32_t *row, union_reach *out)
{
    int32_t shift = c->shift, low_z = (least(a.z, b.z) - 1) >> shift, high_z = (most(a.z, b.z) + 1) >> shift;
    int32_t min_x = least(a.x, b.x), max_x = most(a.x, b.x);
    union_reach all = {(uint16_t)((min_x - 1) >> shift), (uint16_t)((max_x + 1) >> shift)};
    *row = low_z;
    if (low_z == high_z || all.low == all.high || a.z == b.z) {
        for (int32_t r = low_z; r <= high_z; r++) *out++ = all;
        return high_z - low_z + 1;
    }
    double slope = (double)(b.x - a.x) / (b.z - a.z);
    int32_t min_z = least(a.z, b.z), max_z = most(a.z, b.z);
    for (int32_t r = low_z; r <= high_z; r++) {
        int32_t z0 = most((r << shift) - 1, min_z), z1 = least(((r + 1) << shift) + 1, max_z);
        double x0 = a.x + (z0 - a.z) * slope, x1 = a.x + (z1 - a.z) * slope;
        int32_t low = (int32_t)(x0 < x1 ? x0 : x1) - 1, high = (int32_t)(x0 < x1 ? x1 : x0) + 2;
        *out++ = (union_reach){(uint16_t)(most(low, min_x - 1) >> shift), (uint16_t)(least(high, max_x + 1) >> shift)};
    }
    return high_z - low_z + 1;
}

// The reaches of a shape's edges, and the cells that it owns. left and right: per row, scratch.
static void enter_shape(union_work *w, int32_t shape, int32_t *left, int32_t *right)
{
    union_cells *c = &w->cells;
    const nav_shapes *s = w->shapes;
    int32_t first = s->first[shape], end = s->first[shape + 1], min = INT32_MAX, max = INT32_MIN;
    for (int32_t k = first; k < end; k++) min = least(min, s->at[k].z), max = most(max, s->at[k].z);
    min -= c->origin.z;
    max -= c->origin.z;
    int32_t low = (min + (1 << c->shift) - 1) >> c->shift, high = (max >> c->shift) - 1; // rows it fills
    for (int32_t r = low; r <= high; r++) left[r] = -1, right[r] = INT32_MAX;
    nav_point a = {s->at[first].x - c->origin.x, s->at[first].z - c->origin.z}, start = a;
    for (int32_t k = first; k < end; k++) {
        nav_point b = start;
        if (k + 1 < end) b = (nav_point){s->at[k + 1].x - c->origin.x, s->at[k + 1].z - c->origin.z};
        union_reach *reach = c->reach + c->first[k];
        int32_t count = reach_of(c, a, b, &c->row[k], reach), row = c->row[k];
        c->first[k + 1] = c->first[k] + count;
        for (int32_t i = 0; i < count; i++) c->touched += reach[i].high - reach[i].low + 1;
        int32_t r0 = most(row, low), r1 = least(row + count - 1, high);
        if (b.z < a.z)
            for (int32_t r = r0; r <= r1; r++) left[r] = most(left[r], reach[r - row].high);
        else if (b.z > a.z)
            for (int32_t r = r0; r <= r1; r++) right[r] = least(right[r], reach[r - row].low);
        a = b;
    }
    for (int32_t r = low; r <= high; r++) {
        int32_t *row = c->owner + (int64_t)r * c->columns;
        for (int32_t i = left[r] + 1; i < right[r]; i++) row[i] = shape;
    }
}

// Puts the shape into the lists of the cells without an owner that its edges come to.
static void list_shape(union_work *w, int32_t shape)
{
    union_cells *c = &w->cells;
    for (int32_t k = w->shapes->first[shape]; k < w->shapes->first[shape + 1]; k++) {
        bool live = false;
        int64_t row = (int64_t)c->row[k] * c->columns;
        for (int32_t i = c->first[k]; i < c->first[k + 1]; i++, row += c->columns) {
            for (int64_t cell = row + c->reach[i].low; cell <= row + c->reach[i].high; cell++) {
                if (c->owner[cell] >= 0) continue;
                live = true;
                if (c->list[cell] >= 0 && c->links[c->list[cell]].shape == shape) continue;
                c->links[c->link_count] = (union_link){shape, c->list[cell]};
                c->list[cell] = c->link_count++;
            }
        }
        if (!live) continue;
        w->live_shape[w->live_count] = shape;
        w->live[w->live_count++] = k;
    }
}

nav_status nav_union_find_cells(union_work *w)
{
    const nav_shapes *s = w->shapes;
    union_cells *c = &w->cells;
    int32_t edges = s->first[s->count];
    measure(c, s);
    size_t cells = (size_t)c->columns * (size_t)c->rows;
    c->owner = NAV_TAKE(w->arena, int32_t, cells);
    c->list = NAV_TAKE(w->arena, int32_t, cells);
    c->nodes = NAV_TAKE(w->arena, int32_t, cells);
    c->row = NAV_TAKE(w->arena, int32_t, edges);
    c->first = NAV_TAKE(w->arena, int32_t, edges + 1);
    // A row for each height of a cell, one more at either end, and one for the unit around.
    c->reach = NAV_TAKE(w->arena, union_reach, (int64_t)(REACHES_PER_EDGE + 4) * edges);
    w->live = NAV_TAKE(w->arena, int32_t, edges);
    w->live_shape = NAV_TAKE(w->arena, int32_t, edges);
    int32_t *left = NAV_TAKE(w->arena, int32_t, c->rows), *right = NAV_TAKE(w->arena, int32_t, c->rows);
    if (!c->owner || !c->list || !c->nodes || !c->row || !c->first || !c->reach || !w->live || !w->live_shape ||
        !left || !right)
        return nav_arena_failure(w->arena);
    memset(c->owner, 0xff, cells * sizeof *c->owner);
    memset(c->list, 0xff, cells * sizeof *c->list);
    memset(c->nodes, 0xff, cells * sizeof *c->nodes);
    c->first[0] = 0;
    for (int32_t i = 0; i < s->count; i++) enter_shape(w, i, left, right);
    c->links = NAV_TAKE(w->arena, union_link, c->touched);
    if (!c->links) return nav_arena_failure(w->arena);
    for (int32_t i = 0; i < s->count; i++) list_shape(w, i);
    return NAV_OK;
}
