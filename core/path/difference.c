#include "core/path/difference.h"

#include "core/path/path_work.h"

#include <math.h>
#include <string.h>

// The square around what has changed is looked at in patches, SIDE along a side, or columns where those are larger.
enum { SIDE = 32 };
#define ROUNDING 1e-6 // columns

struct path_print_cell {
    uint64_t hash; // of its corners, its kinds of edges, its area and the heights within
    uint32_t first, count;
    float y_low, y_high;   // voxels
    double min[2], max[2]; // columns from the tile's corner
    uint8_t area;
};

struct path_print_corner {
    double at[2];   // columns
    float y;        // voxels
    uint64_t bound; // a number for the edge from here on, if ground ends there, or another area or tile begins; else 0
};

typedef struct patch {
    uint64_t bounds; // of all edges that touch it, in any order
    uint64_t floors; // a number for the areas at its middle
    uint64_t areas;  // a bit for each, of edges and at the middle
    uint32_t count;  // floors at its middle
    // Voxels: of those edges, and of the cell at the middle.
    float edge_low, edge_high, y_low, y_high;
} patch;

typedef struct patches {
    double min[2], size; // columns
    int32_t count[2];
    patch *before, *after;
} patches;

static const nav_path_box nothing = {{INFINITY, INFINITY}, {-INFINITY, -INFINITY}};

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 29) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 32;
}

void nav_path_print_deinit(nav_path_print *p)
{
    free(p->cells);
    free(p->corners);
    *p = (nav_path_print){0};
}

// --- Prints ---

static uint64_t hash_vert(const path_tile *t, uint32_t corner)
{
    path_spot s = path_corner(t, corner);
    return mix(mix(3, (uint64_t)(uint32_t)s.x << 32 | (uint32_t)s.z), (uint32_t)t->y[t->vert[corner]]);
}

// What lies behind an edge: 0 is a cell of the same area.
static uint64_t kind_of(const path_tile *t, uint32_t corner)
{
    int32_t twin = t->twin[corner];
    uint8_t mine = t->area[t->cell[corner]];
    if (twin == PATH_WALL) return 1;
    if (twin < PATH_WALL) return 2;
    uint8_t other = t->area[t->cell[twin]];
    return mine == other ? 0 : 3 + ((uint64_t)mine << 8 | other);
}

// In whatever order the triangles and their points are. The cell's range of heights grows by theirs.
static uint64_t hash_heights(const path_tile *t, uint32_t source, path_print_cell *c)
{
    uint64_t sum = 0;
    for (uint32_t k = t->triangle_first[source]; k < t->triangle_first[source + 1]; k++) {
        uint64_t triangle = 0;
        for (int i = 0; i < 3; i++) {
            const float *p = &t->point[3 * (size_t)t->triangle[3 * (size_t)k + i]];
            uint32_t bits[3];
            c->y_low = fminf(c->y_low, p[1]);
            c->y_high = fmaxf(c->y_high, p[1]);
            memcpy(bits, p, sizeof bits);
            triangle += mix(mix(5, (uint64_t)bits[0] << 32 | bits[1]), bits[2]);
        }
        sum += mix(7, triangle);
    }
    return sum;
}

static void add_cell(nav_path_print *p, const path_tile *t, uint32_t cell, const double corner_at[2])
{
    path_print_cell *c = &p->cells[p->cell_count++];
    *c = (path_print_cell){.first = p->corner_count,
                           .count = t->first[cell + 1] - t->first[cell],
                           .y_low = INFINITY,
                           .y_high = -INFINITY,
                           .min = {INFINITY, INFINITY},
                           .max = {-INFINITY, -INFINITY},
                           .area = t->area[cell]};
    uint64_t sum = 0;
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        path_print_corner *to = &p->corners[p->corner_count++];
        path_spot s = path_corner(t, k);
        uint64_t kind = kind_of(t, k), edge = mix(mix(hash_vert(t, k), hash_vert(t, path_next(t, k))), kind);
        *to = (path_print_corner){
            {s.x / (double)NAV_PATH_FINE - corner_at[0], s.z / (double)NAV_PATH_FINE - corner_at[1]},
            (float)t->y[t->vert[k]],
            kind ? edge | 1 : 0};
        sum += edge;
        c->y_low = fminf(c->y_low, to->y);
        c->y_high = fmaxf(c->y_high, to->y);
        for (int a = 0; a < 2; a++) {
            c->min[a] = fmin(c->min[a], to->at[a]);
            c->max[a] = fmax(c->max[a], to->at[a]);
        }
    }
    c->hash = mix(mix(sum, c->area), hash_heights(t, t->source[cell], c));
}

static bool make_room(nav_path_print *p, uint32_t cells, uint32_t corners)
{
    if (cells > p->cell_room) {
        path_print_cell *grown = realloc(p->cells, cells * sizeof *grown);
        if (!grown) return false;
        p->cells = grown;
        p->cell_room = cells;
    }
    if (corners > p->corner_room) {
        path_print_corner *grown = realloc(p->corners, corners * sizeof *grown);
        if (!grown) return false;
        p->corners = grown;
        p->corner_room = corners;
    }
    return true;
}

nav_status nav_path_print_take(nav_path_print *p, const nav_path_set *set, int32_t tile_x, int32_t tile_z)
{
    uint32_t lowest = nav_path_set_find(set, tile_x, tile_z), cells = 0, corners = 0;
    double columns = set->grid.tile_cells,
           at[2] = {columns * ((double)tile_x - set->base_x), columns * ((double)tile_z - set->base_z)};
    double voxel_m = (double)set->grid.cell_height_m;
    p->x = tile_x;
    p->z = tile_z;
    p->columns = columns;
    p->same_floor = voxel_m > 0 ? (double)set->grid.agent_height_m / voxel_m - 2 : 0;
    p->cell_count = p->corner_count = 0;
    for (uint32_t i = lowest; i != PATH_NONE; i = set->tiles[i]->above) {
        cells += set->tiles[i]->cell_count;
        corners += set->tiles[i]->corner_count;
    }
    if (!make_room(p, cells, corners)) return NAV_ERR_MEMORY;
    for (uint32_t i = lowest; i != PATH_NONE; i = set->tiles[i]->above)
        for (uint32_t c = 0; c < set->tiles[i]->cell_count; c++) add_cell(p, set->tiles[i], c, at);
    return NAV_OK;
}

// --- Cells that only one of both has ---

static int compare_cells(const void *a, const void *b)
{
    const path_print_cell *p = a, *q = b;
    return p->hash < q->hash ? -1 : p->hash > q->hash;
}

static void enclose(nav_path_box *box, const double min[2], const double max[2])
{
    for (int a = 0; a < 2; a++) {
        box->min[a] = fmin(box->min[a], min[a]);
        box->max[a] = fmax(box->max[a], max[a]);
    }
}

// Columns.
static nav_path_box compare(nav_path_print *before, nav_path_print *after)
{
    nav_path_box box = nothing;
    nav_path_print *both[2] = {before, after};
    uint32_t at[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        if (both[i]->cell_count) qsort(both[i]->cells, both[i]->cell_count, sizeof *both[i]->cells, compare_cells);
    while (at[0] < before->cell_count || at[1] < after->cell_count) {
        const path_print_cell *p = at[0] < before->cell_count ? &before->cells[at[0]] : NULL;
        const path_print_cell *q = at[1] < after->cell_count ? &after->cells[at[1]] : NULL;
        bool first = p && (!q || p->hash <= q->hash), second = q && (!p || q->hash <= p->hash);
        if (first != second) enclose(&box, first ? p->min : q->min, first ? p->max : q->max);
        at[0] += first;
        at[1] += second;
    }
    return box;
}

// --- Where ways may have opened ---

static int32_t clamp_index(double v, int32_t count)
{
    return v < 0 ? 0 : v >= count ? count - 1 : (int32_t)v;
}

static void touch(patch *to, const path_print_corner *a, const path_print_corner *b, uint8_t area)
{
    float low = fminf(a->y, b->y), high = fmaxf(a->y, b->y);
    to->edge_low = to->bounds ? fminf(to->edge_low, low) : low;
    to->edge_high = to->bounds ? fmaxf(to->edge_high, high) : high;
    to->bounds += a->bound;
    to->areas |= UINT64_C(1) << (area & 63);
}

// All patches that the edge touches, and now and then one beside it.
static void draw_edge(const patches *ps, patch *to, const path_print_corner *a, const path_print_corner *b,
                      uint8_t area)
{
    double p[2], q[2];
    for (int i = 0; i < 2; i++) {
        p[i] = (a->at[i] - ps->min[i]) / ps->size;
        q[i] = (b->at[i] - ps->min[i]) / ps->size;
    }
    double low = fmin(p[1], q[1]) - ROUNDING, high = fmax(p[1], q[1]) + ROUNDING;
    if (high < 0 || low > ps->count[1] || fmax(p[0], q[0]) + ROUNDING < 0 || fmin(p[0], q[0]) - ROUNDING > ps->count[0])
        return;
    for (int32_t z = clamp_index(low, ps->count[1]), last = clamp_index(high, ps->count[1]); z <= last; z++) {
        double from = 0, to_k = 1; // the part of the edge within the row
        if (fabs(q[1] - p[1]) > ROUNDING) {
            double k0 = (z - ROUNDING - p[1]) / (q[1] - p[1]), k1 = (z + 1 + ROUNDING - p[1]) / (q[1] - p[1]);
            from = fmax(fmin(k0, k1), 0);
            to_k = fmin(fmax(k0, k1), 1);
        }
        double x0 = p[0] + from * (q[0] - p[0]), x1 = p[0] + to_k * (q[0] - p[0]);
        double left = fmin(x0, x1) - ROUNDING, right = fmax(x0, x1) + ROUNDING;
        if (right < 0 || left > ps->count[0]) continue;
        for (int32_t x = clamp_index(left, ps->count[0]), end = clamp_index(right, ps->count[0]); x <= end; x++)
            touch(&to[z * ps->count[0] + x], a, b, area);
    }
}

// Where a row through the middles of patches enters the cell, and where it leaves it. Cells that share an edge get the
// same number. False: it does not meet it.
static bool cross_row(const nav_path_print *p, const path_print_cell *c, double z, double out[2])
{
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (uint32_t k = 0; k < c->count; k++) {
        const double *a = p->corners[c->first + k].at, *b = p->corners[c->first + (k + 1 == c->count ? 0 : k + 1)].at;
        const double *low = a[1] < b[1] ? a : b, *high = a[1] < b[1] ? b : a;
        if (z < low[1] || z >= high[1]) continue;
        double x = low[0] + (z - low[1]) / (high[1] - low[1]) * (high[0] - low[0]);
        out[0] = fmin(out[0], x);
        out[1] = fmax(out[1], x);
    }
    return out[0] < out[1];
}

static void draw_cell(const patches *ps, patch *to, const nav_path_print *p, const path_print_cell *c)
{
    for (uint32_t k = 0; k < c->count; k++) {
        const path_print_corner *a = &p->corners[c->first + k];
        if (a->bound) draw_edge(ps, to, a, &p->corners[c->first + (k + 1 == c->count ? 0 : k + 1)], c->area);
    }
    for (int32_t z = 0; z < ps->count[1]; z++) {
        double at = ps->min[1] + (z + 0.5) * ps->size, row[2];
        if (at < c->min[1] || at >= c->max[1] || !cross_row(p, c, at, row)) continue;
        for (int32_t x = 0; x < ps->count[0]; x++) {
            double middle = ps->min[0] + (x + 0.5) * ps->size;
            if (middle < row[0] || middle >= row[1]) continue;
            patch *here = &to[z * ps->count[0] + x];
            here->count++;
            here->floors += mix(11, c->area);
            here->areas |= UINT64_C(1) << (c->area & 63);
            here->y_low = c->y_low;
            here->y_high = c->y_high;
        }
    }
}

static void draw(const patches *ps, patch *to, const nav_path_print *p)
{
    double far[2];
    for (int a = 0; a < 2; a++) far[a] = ps->min[a] + ps->count[a] * ps->size;
    for (uint32_t i = 0; i < p->cell_count; i++) {
        const path_print_cell *c = &p->cells[i];
        if (c->min[0] > far[0] || c->min[1] > far[1] || c->max[0] < ps->min[0] || c->max[1] < ps->min[1]) continue;
        draw_cell(ps, to, p, c);
    }
}

// The same ground with the same ends; or less than one whole floor of before, of which nothing is another floor.
static bool opens(const patch *before, const patch *after, double same_floor)
{
    if (before->bounds == after->bounds && before->floors == after->floors) return false;
    if (!after->count && !after->bounds) return false;
    if (before->bounds || before->count != 1 || after->count > 1 || (after->areas & ~before->areas)) return true;
    if (!after->bounds) return false;
    float low = fminf(before->y_low, after->edge_low), high = fmaxf(before->y_high, after->edge_high);
    return (double)(high - low) > same_floor;
}

static nav_status find_opened(const nav_path_print *before, const nav_path_print *after, const nav_path_box *changed,
                              nav_path_box *out)
{
    patches ps = {.size = fmax(1, fmax(changed->max[0] - changed->min[0], changed->max[1] - changed->min[1]) / SIDE)};
    for (int a = 0; a < 2; a++) {
        ps.min[a] = changed->min[a];
        ps.count[a] = (int32_t)fmax(1, fmin(SIDE, ceil((changed->max[a] - changed->min[a]) / ps.size - ROUNDING)));
    }
    size_t count = (size_t)ps.count[0] * (size_t)ps.count[1];
    ps.before = calloc(2 * count, sizeof *ps.before);
    if (!ps.before) return NAV_ERR_MEMORY;
    ps.after = ps.before + count;
    draw(&ps, ps.before, before);
    draw(&ps, ps.after, after);
    for (int32_t z = 0; z < ps.count[1]; z++)
        for (int32_t x = 0; x < ps.count[0]; x++) {
            size_t i = (size_t)z * (size_t)ps.count[0] + (size_t)x;
            if (!opens(&ps.before[i], &ps.after[i], before->same_floor)) continue;
            const double min[2] = {ps.min[0] + x * ps.size, ps.min[1] + z * ps.size};
            const double max[2] = {min[0] + ps.size, min[1] + ps.size};
            enclose(out, min, max);
        }
    free(ps.before);
    return NAV_OK;
}

static void to_tiles(nav_path_box *box, const nav_path_print *p)
{
    const double at[2] = {p->x, p->z};
    for (int a = 0; a < 2; a++) {
        box->min[a] = at[a] + box->min[a] / p->columns;
        box->max[a] = at[a] + box->max[a] / p->columns;
    }
}

nav_status nav_path_difference_find(nav_path_print *before, nav_path_print *after, nav_path_difference *out)
{
    *out = (nav_path_difference){nothing, nothing};
    nav_path_box changed = compare(before, after), opened = nothing;
    nav_status s = NAV_OK;
    if (nav_path_box_is_empty(&changed)) return NAV_OK;
    if (!before->cell_count)
        opened = changed;
    else if (after->cell_count)
        s = find_opened(before, after, &changed, &opened);
    if (s != NAV_OK) return s;
    to_tiles(&changed, after);
    to_tiles(&opened, after);
    *out = (nav_path_difference){changed, opened};
    return NAV_OK;
}
