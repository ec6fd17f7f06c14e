// A tile as a search reads it: cells with the same edge on both sides, heights, and buckets to find a cell by place.
#include "core/path/path_work.h"

#include "core/base/endian.h"
#include "core/tile/refuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(...) nav_refuse(NAV_ERR_FORMAT, why, why_bytes, __VA_ARGS__)

typedef struct loader {
    const nav_tile_view *v;
    path_tile *t;
    uint32_t *piece_corner; // of each corner of the tile: that of a cell; PATH_NONE: it is no ground
    uint32_t *ring;         // of a cell that is cut
} loader;

static uint32_t corners_of(const nav_tile_view *v, uint32_t cell, nav_tile_cell *out)
{
    nav_tile_get_cell(v, cell, out);
    return out->corner_count;
}

static uint32_t vert_at(const nav_tile_view *v, uint32_t corner)
{
    nav_tile_corner c;
    nav_tile_get_corner(v, corner, &c);
    return c.vert;
}

static bool is_ground(const nav_tile_cell *cell)
{
    return !(cell->flags & NAV_CELL_UNREACHABLE);
}

static bool is_convex(const loader *l, const nav_tile_cell *cell)
{
    if (!(cell->flags & NAV_CELL_RELAXED)) return true;
    uint32_t n = cell->corner_count;
    for (uint32_t k = 0; k < n; k++) {
        uint32_t a = vert_at(l->v, cell->first_corner + k), b = vert_at(l->v, cell->first_corner + (k + 1) % n),
                 c = vert_at(l->v, cell->first_corner + (k + 2) % n);
        if (path_side(l->t->at[a], l->t->at[b], l->t->at[c]) > 0) return false;
    }
    return true;
}

static void load_points(const nav_path_set *set, loader *l)
{
    const nav_tile_view *v = l->v;
    path_tile *t = l->t;
    int64_t cells = v->tile_cells;
    int64_t x0 = ((int64_t)v->tile_x - set->base_x) * cells, z0 = ((int64_t)v->tile_z - set->base_z) * cells;
    t->low_y = INFINITY;
    t->high_y = -INFINITY;
    for (uint32_t i = 0; i < v->vert_count; i++) {
        int32_t p[3];
        nav_tile_get_vert(v, i, p);
        t->at[i] = (path_spot){(int32_t)((x0 + p[0]) * NAV_PATH_FINE), (int32_t)((z0 + p[2]) * NAV_PATH_FINE)};
        t->y[i] = p[1];
        t->low_y = fmin(t->low_y, p[1]);
        t->high_y = fmax(t->high_y, p[1]);
        t->point[3 * (size_t)i] = (float)p[0];
        t->point[3 * (size_t)i + 1] = (float)p[1];
        t->point[3 * (size_t)i + 2] = (float)p[2];
    }
    for (uint32_t i = 0; i < v->detail_vert_count; i++) {
        float *to = &t->point[3 * ((size_t)v->vert_count + i)];
        to[0] = nav_load_f32(v->detail_x + 4 * (size_t)i);
        to[1] = nav_load_f32(v->detail_y + 4 * (size_t)i);
        to[2] = nav_load_f32(v->detail_z + 4 * (size_t)i);
        t->low_y = fmin(t->low_y, (double)to[1]);
        t->high_y = fmax(t->high_y, (double)to[1]);
    }
    for (uint32_t c = 0, n = 0; c < v->cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_get_cell(v, c, &cell);
        t->triangle_first[c] = n;
        n += cell.triangle_count;
        t->triangle_first[c + 1] = n;
        for (uint32_t k = 0; k < cell.triangle_count; k++)
            nav_tile_get_triangle(v, cell.first_triangle + k, &t->triangle[3 * ((size_t)t->triangle_first[c] + k)]);
    }
}

static void begin_cell(path_tile *t, uint32_t source)
{
    t->source[t->cell_count] = source;
    t->first[++t->cell_count] = t->corner_count;
}

static uint32_t add_corner(path_tile *t, uint32_t vert)
{
    uint32_t k = t->corner_count++;
    t->vert[k] = vert;
    t->cell[k] = t->cell_count - 1;
    t->twin[k] = PATH_WALL;
    t->first[t->cell_count] = t->corner_count;
    return k;
}

// Corner i of a ring of n: can it be cut off as a triangle that holds no other corner?
static bool is_ear(const loader *l, const uint32_t *ring, uint32_t n, uint32_t i)
{
    const path_tile *t = l->t;
    uint32_t before = ring[(i + n - 1) % n], here = ring[i], next = ring[(i + 1) % n];
    path_spot a = t->at[vert_at(l->v, before)], b = t->at[vert_at(l->v, here)], c = t->at[vert_at(l->v, next)];
    if (path_side(a, b, c) >= 0) return false;
    for (uint32_t k = 0; k < n; k++) {
        if (ring[k] == before || ring[k] == here || ring[k] == next) continue;
        path_spot s = t->at[vert_at(l->v, ring[k])];
        if (path_side(a, b, s) <= 0 && path_side(b, c, s) <= 0 && path_side(c, a, s) <= 0) return false;
    }
    return true;
}

// A dented cell as triangles. ring holds its corners (of the tile's); edge[i]: what the edge from ring[i] to the next
// is among the corners of cells, which a cut replaces by the new triangle's.
static bool cut_cell(loader *l, uint32_t source, const nav_tile_cell *cell, uint32_t *ring, uint32_t *edge)
{
    path_tile *t = l->t;
    uint32_t n = cell->corner_count;
    for (uint32_t k = 0; k < n; k++) {
        ring[k] = cell->first_corner + k;
        edge[k] = PATH_NONE; // still the tile's own
    }
    while (n >= 3) {
        uint32_t i = 0;
        while (i < n && !(n == 3 ? path_side(t->at[vert_at(l->v, ring[0])], t->at[vert_at(l->v, ring[1])],
                                             t->at[vert_at(l->v, ring[2])]) < 0
                                 : is_ear(l, ring, n, i)))
            i++;
        if (i == n) return false;
        uint32_t order[3] = {(i + n - 1) % n, i, (i + 1) % n};
        uint32_t made[3];
        begin_cell(t, source);
        for (int k = 0; k < 3; k++) made[k] = add_corner(t, vert_at(l->v, ring[order[k]]));
        for (int k = 0; k < (n == 3 ? 3 : 2); k++) {
            uint32_t e = edge[order[k]];
            if (e == PATH_NONE) {
                l->piece_corner[ring[order[k]]] = made[k];
            } else {
                t->twin[made[k]] = (int32_t)e;
                t->twin[e] = (int32_t)made[k];
            }
        }
        if (n == 3) break;
        edge[order[0]] = made[2]; // the cut, from before to next, seen from the triangle
        memmove(&ring[i], &ring[i + 1], (n - i - 1) * sizeof *ring);
        memmove(&edge[i], &edge[i + 1], (n - i - 1) * sizeof *edge);
        n--;
    }
    return true;
}

static int compare_borders(const void *a, const void *b)
{
    const path_border *p = a, *q = b;
    if (p->low != q->low) return p->low < q->low ? -1 : 1;
    if (p->high != q->high) return p->high < q->high ? -1 : 1;
    if (p->y_low != q->y_low) return p->y_low < q->y_low ? -1 : 1;
    if (p->y_high != q->y_high) return p->y_high < q->y_high ? -1 : 1;
    return p->corner < q->corner ? -1 : 1;
}

static path_border border_of(const path_tile *t, uint32_t corner, int side)
{
    uint32_t a = t->vert[corner], b = t->vert[path_next(t, corner)];
    int32_t p = side % 2 == 0 ? t->at[a].z : t->at[a].x, q = side % 2 == 0 ? t->at[b].z : t->at[b].x;
    bool up = p < q;
    return (path_border){.corner = corner,
                         .low = up ? p : q,
                         .high = up ? q : p,
                         .y_low = t->y[up ? a : b],
                         .y_high = t->y[up ? b : a],
                         .other = PATH_NONE};
}

// Twins within the tile, and its borders. PATH_WALL - side - 1 marks the borders of a side until they are sorted.
static void join_cells(loader *l)
{
    const nav_tile_view *v = l->v;
    path_tile *t = l->t;
    uint32_t side_count[4] = {0};
    for (uint32_t c = 0; c < v->cell_count; c++) {
        nav_tile_cell cell, behind;
        nav_tile_get_cell(v, c, &cell);
        if (!is_ground(&cell)) continue;
        for (uint32_t k = 0; k < cell.corner_count; k++) {
            nav_tile_corner corner;
            nav_tile_get_corner(v, cell.first_corner + k, &corner);
            uint32_t mine = l->piece_corner[cell.first_corner + k];
            if (corner.behind == NAV_EDGE_WALL) continue;
            if (corner.behind < 0) {
                int side = (int)(NAV_EDGE_PORTAL_XMAX - corner.behind);
                t->border[t->border_count++] = border_of(t, mine, side);
                t->border[t->border_count - 1].other_corner = (uint32_t)side; // until they are sorted
                side_count[side]++;
                continue;
            }
            uint32_t next = vert_at(v, cell.first_corner + (k + 1) % cell.corner_count);
            uint32_t n = corners_of(v, (uint32_t)corner.behind, &behind);
            if (!is_ground(&behind)) continue;
            for (uint32_t j = 0; j < n; j++)
                if (vert_at(v, behind.first_corner + j) == next &&
                    vert_at(v, behind.first_corner + (j + 1) % n) == corner.vert)
                    t->twin[mine] = (int32_t)l->piece_corner[behind.first_corner + j];
        }
    }
    for (int s = 0; s < 4; s++) t->side_first[s + 1] = t->side_first[s] + side_count[s];
}

static void sort_borders(path_tile *t, path_border *scratch)
{
    if (t->border_count) memcpy(scratch, t->border, t->border_count * sizeof *scratch);
    uint32_t at[4];
    for (int s = 0; s < 4; s++) at[s] = t->side_first[s];
    for (uint32_t b = 0; b < t->border_count; b++) t->border[at[scratch[b].other_corner]++] = scratch[b];
    for (int s = 0; s < 4; s++)
        qsort(t->border + t->side_first[s], t->side_first[s + 1] - t->side_first[s], sizeof *t->border,
              compare_borders);
    for (uint32_t b = 0; b < t->border_count; b++) {
        t->twin[t->border[b].corner] = -2 - (int32_t)b;
        t->border[b].other_corner = 0;
    }
}

static uint32_t root_of(uint32_t *up, uint32_t c)
{
    while (up[c] != c) c = up[c] = up[up[c]];
    return c;
}

static void number_parts(path_tile *t, uint32_t *up)
{
    for (uint32_t c = 0; c < t->cell_count; c++) up[c] = c;
    for (uint32_t k = 0; k < t->corner_count; k++) {
        if (t->twin[k] < 0) continue;
        uint32_t a = root_of(up, t->cell[k]), b = root_of(up, t->cell[t->twin[k]]);
        if (a < b) up[b] = a;
        if (b < a) up[a] = b;
    }
    for (uint32_t c = 0; c < t->cell_count; c++)
        t->part[c] = up[c] == c ? t->part_count++ : t->part[root_of(up, c)]; // the root is the least of its cells
}

// --- Buckets ---

static void bucket_range(const path_tile *t, uint32_t cell, int32_t x0, int32_t z0, int64_t side, uint32_t range[4])
{
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (uint32_t k = t->first[cell]; k < t->first[cell + 1]; k++) {
        path_spot s = path_corner(t, k);
        int64_t p[2] = {(int64_t)s.x - x0, (int64_t)s.z - z0};
        for (int a = 0; a < 2; a++) {
            if (p[a] < low[a]) low[a] = p[a];
            if (p[a] > high[a]) high[a] = p[a];
        }
    }
    for (int a = 0; a < 2; a++) {
        int64_t from = low[a] * t->bucket_count / side, to = high[a] * t->bucket_count / side;
        if (to >= t->bucket_count) to = t->bucket_count - 1;
        if (from > to) from = to;
        range[2 * a] = (uint32_t)from;
        range[2 * a + 1] = (uint32_t)to;
    }
}

// Counts, or fills in what was counted.
static uint32_t fill_buckets(path_tile *t, int32_t x0, int32_t z0, int64_t side, bool fill)
{
    uint32_t buckets = t->bucket_count * t->bucket_count, total = 0;
    for (uint32_t c = 0; c < t->cell_count; c++) {
        uint32_t r[4];
        bucket_range(t, c, x0, z0, side, r);
        for (uint32_t z = r[2]; z <= r[3]; z++)
            for (uint32_t x = r[0]; x <= r[1]; x++) {
                uint32_t b = z * t->bucket_count + x;
                if (fill)
                    t->bucket_cell[t->bucket_first[b]++] = c;
                else
                    t->bucket_first[b + 1]++;
                total++;
            }
    }
    if (fill) { // where each begins, again
        for (uint32_t b = buckets; b > 0; b--) t->bucket_first[b] = t->bucket_first[b - 1];
        t->bucket_first[0] = 0;
    } else {
        for (uint32_t b = 0; b < buckets; b++) t->bucket_first[b + 1] += t->bucket_first[b];
    }
    return total;
}

static nav_status make_buckets(const nav_path_set *set, path_tile *t)
{
    int64_t cells = set->grid.tile_cells;
    int32_t x0 = (int32_t)(((int64_t)t->x - set->base_x) * cells * NAV_PATH_FINE);
    int32_t z0 = (int32_t)(((int64_t)t->z - set->base_z) * cells * NAV_PATH_FINE);
    t->bucket_count = 1;
    while (t->bucket_count < 128 && t->bucket_count < cells && 4 * t->bucket_count * t->bucket_count < t->cell_count)
        t->bucket_count *= 2;
    size_t buckets = (size_t)t->bucket_count * t->bucket_count;
    t->bucket_first = calloc(buckets + 1, sizeof *t->bucket_first);
    if (!t->bucket_first) return NAV_ERR_MEMORY;
    uint32_t total = fill_buckets(t, x0, z0, cells * NAV_PATH_FINE, false);
    t->bucket_cell = malloc((total + 1) * sizeof *t->bucket_cell);
    if (!t->bucket_cell) return NAV_ERR_MEMORY;
    (void)fill_buckets(t, x0, z0, cells * NAV_PATH_FINE, true);
    t->bytes += (buckets + 1 + total + 1) * sizeof(uint32_t);
    return NAV_OK;
}

// --- The whole tile ---

// Room for all arrays whose size is known beforehand, in one block behind the struct.
static path_tile *take_tile(const nav_tile_view *v, uint32_t cells, uint32_t corners, uint32_t borders)
{
    size_t verts = v->vert_count, points = verts + v->detail_vert_count, bytes = sizeof(path_tile);
    struct {
        size_t offset, count, size;
    } parts[] = {
        {offsetof(path_tile, at), verts, sizeof(path_spot)},
        {offsetof(path_tile, y), verts, 4},
        {offsetof(path_tile, first), (size_t)cells + 1, 4},
        {offsetof(path_tile, vert), corners, 4},
        {offsetof(path_tile, cell), corners, 4},
        {offsetof(path_tile, twin), corners, 4},
        {offsetof(path_tile, part), cells, 4},
        {offsetof(path_tile, source), cells, 4},
        {offsetof(path_tile, border), borders, sizeof(path_border)},
        {offsetof(path_tile, triangle_first), (size_t)v->cell_count + 1, 4},
        {offsetof(path_tile, triangle), 3 * (size_t)v->triangle_count, 4},
        {offsetof(path_tile, point), 3 * points, 4},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) bytes += (parts[i].count * parts[i].size + 7) / 8 * 8;
    char *block = calloc(1, bytes);
    if (!block) return NULL;
    size_t at = sizeof(path_tile);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        void *array = block + at;
        memcpy(block + parts[i].offset, &array, sizeof array);
        at += (parts[i].count * parts[i].size + 7) / 8 * 8;
    }
    path_tile *t = (path_tile *)(void *)block;
    t->bytes = bytes;
    t->x = v->tile_x;
    t->z = v->tile_z;
    return t;
}

void nav_path_tile_destroy(path_tile *t)
{
    if (!t) return;
    free(t->bucket_first);
    free(t->bucket_cell);
    free(t);
}

nav_status nav_path_tile_create(const nav_path_set *set, const nav_tile_view *v, path_tile **out, char *why,
                                size_t why_bytes)
{
    uint32_t borders = 0;
    uint64_t corners = 0, cells = 0;
    nav_status s = NAV_ERR_MEMORY;
    for (uint32_t c = 0; c < v->cell_count; c++) { // as if all relaxed cells were dented
        nav_tile_cell cell;
        bool cut = (nav_tile_get_cell(v, c, &cell), cell.flags & NAV_CELL_RELAXED);
        cells += cut ? cell.corner_count - 2 : 1;
        corners += cut ? 3 * (uint64_t)(cell.corner_count - 2) : cell.corner_count;
        for (uint32_t k = 0; k < cell.corner_count; k++) {
            nav_tile_corner corner;
            nav_tile_get_corner(v, cell.first_corner + k, &corner);
            borders += corner.behind < NAV_EDGE_WALL;
        }
    }
    if (corners > INT32_MAX / 4) return nav_refuse(NAV_ERR_LIMIT, why, why_bytes, "too many corners");
    loader l = {.v = v, .t = take_tile(v, (uint32_t)cells, (uint32_t)corners, borders)};
    l.piece_corner = malloc(((size_t)v->corner_count + 1) * sizeof *l.piece_corner);
    l.ring = malloc(2 * ((size_t)v->corner_count + 1) * sizeof *l.ring);
    uint32_t *up = malloc((cells + 1) * sizeof *up);
    path_border *scratch = malloc(((size_t)borders + 1) * sizeof *scratch);
    if (!l.t || !l.piece_corner || !l.ring || !up || !scratch) goto done;
    load_points(set, &l);
    for (uint32_t c = 0; c < v->cell_count; c++) {
        nav_tile_cell cell;
        uint32_t n = corners_of(v, c, &cell);
        if (!is_ground(&cell)) continue;
        if (is_convex(&l, &cell)) {
            begin_cell(l.t, c);
            for (uint32_t k = 0; k < n; k++)
                l.piece_corner[cell.first_corner + k] = add_corner(l.t, vert_at(v, cell.first_corner + k));
        } else if (!cut_cell(&l, c, &cell, l.ring, l.ring + n)) {
            s = REFUSE("the relaxed cell %u cannot be cut into convex pieces", c);
            goto done;
        }
    }
    join_cells(&l);
    sort_borders(l.t, scratch);
    number_parts(l.t, up);
    s = make_buckets(set, l.t);
done:
    free(l.piece_corner);
    free(l.ring);
    free(up);
    free(scratch);
    if (s != NAV_OK) {
        if (s == NAV_ERR_MEMORY) s = nav_refuse(s, why, why_bytes, "no memory for the tile");
        nav_path_tile_destroy(l.t);
        l.t = NULL;
    }
    *out = l.t;
    return s;
}

// --- Heights ---

double nav_path_tile_height(const path_tile *t, uint32_t source, double x, double z)
{
    double best = -INFINITY, height = 0;
    for (uint32_t k = t->triangle_first[source]; k < t->triangle_first[source + 1]; k++) {
        const float *p[3];
        for (int i = 0; i < 3; i++) p[i] = &t->point[3 * (size_t)t->triangle[3 * (size_t)k + i]];
        double ax = (double)p[0][0], az = (double)p[0][2];
        double bx = (double)p[1][0] - ax, bz = (double)p[1][2] - az, cx = (double)p[2][0] - ax,
               cz = (double)p[2][2] - az, px = x - ax, pz = z - az;
        double area = bx * cz - bz * cx;
        if (area == 0) continue;
        double v = (px * cz - pz * cx) / area, w = (bx * pz - bz * px) / area, u = 1 - v - w;
        double inside = fmin(u, fmin(v, w)); // how far within, below 0 outside
        if (!(inside > best)) continue;
        best = inside;
        if (inside < 0) { // a place on the edge, rounded
            v = fmin(fmax(v, 0), 1);
            w = fmin(fmax(w, 0), 1 - v);
            u = 1 - v - w;
        }
        height = u * (double)p[0][1] + v * (double)p[1][1] + w * (double)p[2][1];
        if (inside >= 0) break;
    }
    if (best == -INFINITY)
        height = (double)t->point[3 * (size_t)t->triangle[3 * (size_t)t->triangle_first[source]] + 1];
    return height;
}
