// A tile as a search reads it, made from ground of any format: convex cells with the same edge on both sides, heights,
// and buckets to find a cell by place.
#include "core/path/ground.h"

#include "core/tile/refuse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REFUSE(...) nav_refuse(NAV_ERR_FORMAT, why, why_bytes, __VA_ARGS__)

typedef struct builder {
    const path_ground *g;
    path_tile *t;
    uint32_t *made; // of each corner of the ground: that of a cell; PATH_NONE: it is no ground
    uint32_t *ring; // of a polygon that is cut
} builder;

static bool is_convex(const path_ground *g, uint32_t poly)
{
    uint32_t first = g->first[poly], n = g->first[poly + 1] - first;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t *vert = &g->vert[first];
        if (path_side(g->at[vert[k]], g->at[vert[(k + 1) % n]], g->at[vert[(k + 2) % n]]) > 0) return false;
    }
    return true;
}

// --- Cells ---

static void begin_cell(path_tile *t, uint32_t poly, uint8_t area)
{
    t->source[t->cell_count] = poly;
    t->area[t->cell_count] = area % NAV_AREA_COUNT; // others are in damaged tiles only
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
static bool is_ear(const path_ground *g, const uint32_t *ring, uint32_t n, uint32_t i)
{
    uint32_t before = ring[(i + n - 1) % n], here = ring[i], next = ring[(i + 1) % n];
    path_spot a = g->at[g->vert[before]], b = g->at[g->vert[here]], c = g->at[g->vert[next]];
    if (path_side(a, b, c) >= 0) return false;
    for (uint32_t k = 0; k < n; k++) {
        if (ring[k] == before || ring[k] == here || ring[k] == next) continue;
        path_spot s = g->at[g->vert[ring[k]]];
        if (path_side(a, b, s) <= 0 && path_side(b, c, s) <= 0 && path_side(c, a, s) <= 0) return false;
    }
    return true;
}

// A dented polygon as triangles. ring holds its corners; edge[i]: what the edge from ring[i] to the next is among the
// corners of cells, which a cut replaces by the new triangle's. False: it crosses itself.
static bool cut_polygon(const builder *b, uint32_t poly, uint32_t *ring, uint32_t *edge)
{
    const path_ground *g = b->g;
    path_tile *t = b->t;
    uint32_t n = g->first[poly + 1] - g->first[poly];
    for (uint32_t k = 0; k < n; k++) {
        ring[k] = g->first[poly] + k;
        edge[k] = PATH_NONE; // still the polygon's own
    }
    while (n >= 3) {
        uint32_t i = 0;
        while (i < n && !is_ear(g, ring, n, i)) i++;
        if (i == n) return false;
        uint32_t order[3] = {(i + n - 1) % n, i, (i + 1) % n};
        uint32_t made[3];
        begin_cell(t, poly, g->area[poly]);
        for (int k = 0; k < 3; k++) made[k] = add_corner(t, g->vert[ring[order[k]]]);
        for (int k = 0; k < (n == 3 ? 3 : 2); k++) {
            uint32_t e = edge[order[k]];
            if (e == PATH_NONE) {
                b->made[ring[order[k]]] = made[k];
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

static bool add_polygon(builder *b, uint32_t poly)
{
    const path_ground *g = b->g;
    uint32_t n = g->first[poly + 1] - g->first[poly];
    if (!is_convex(g, poly)) return cut_polygon(b, poly, b->ring, b->ring + n);
    begin_cell(b->t, poly, g->area[poly]);
    for (uint32_t k = g->first[poly]; k < g->first[poly + 1]; k++) b->made[k] = add_corner(b->t, g->vert[k]);
    return true;
}

// --- Twins and borders ---

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

// The corner of a cell where the edge between two vertices begins in the polygon behind it. PATH_NONE: it has none.
static uint32_t corner_behind(const builder *b, uint32_t poly, uint32_t from, uint32_t to)
{
    const path_ground *g = b->g;
    uint32_t first = g->first[poly], n = g->first[poly + 1] - first;
    for (uint32_t k = 0; g->is_ground[poly] && k < n; k++)
        if (g->vert[first + k] == from && g->vert[first + (k + 1) % n] == to) return b->made[first + k];
    return PATH_NONE;
}

// Twins within the tile, and its borders.
static void join_cells(builder *b)
{
    const path_ground *g = b->g;
    path_tile *t = b->t;
    uint32_t side_count[4] = {0};
    for (uint32_t p = 0; p < g->poly_count; p++) {
        if (!g->is_ground[p]) continue;
        uint32_t first = g->first[p], n = g->first[p + 1] - first;
        for (uint32_t k = 0; k < n; k++) {
            int32_t behind = g->behind[first + k];
            uint32_t mine = b->made[first + k];
            if (behind == NAV_EDGE_WALL) continue;
            if (behind < 0) {
                int side = NAV_EDGE_PORTAL_XMAX - behind;
                t->border[t->border_count++] = border_of(t, mine, side);
                t->border[t->border_count - 1].other_corner = (uint32_t)side; // until they are sorted
                side_count[side]++;
                continue;
            }
            uint32_t twin = corner_behind(b, (uint32_t)behind, g->vert[first + (k + 1) % n], g->vert[first + k]);
            if (twin != PATH_NONE) t->twin[mine] = (int32_t)twin;
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

// --- The whole tile ---

// Room for all arrays whose size is known beforehand, in one block behind the struct.
static path_tile *take_tile(const path_ground *g, uint32_t cells, uint32_t corners, uint32_t borders)
{
    const path_array arrays[] = {
        {offsetof(path_tile, at), g->vert_count, sizeof(path_spot)},
        {offsetof(path_tile, y), g->vert_count, 4},
        {offsetof(path_tile, first), (size_t)cells + 1, 4},
        {offsetof(path_tile, vert), corners, 4},
        {offsetof(path_tile, cell), corners, 4},
        {offsetof(path_tile, twin), corners, 4},
        {offsetof(path_tile, part), cells, 4},
        {offsetof(path_tile, source), cells, 4},
        {offsetof(path_tile, area), cells, 1},
        {offsetof(path_tile, border), borders, sizeof(path_border)},
        {offsetof(path_tile, link), g->link_count, sizeof(nav_link)},
        {offsetof(path_tile, triangle_first), (size_t)g->poly_count + 1, 4},
        {offsetof(path_tile, triangle), 3 * (size_t)g->triangle_count, 4},
        {offsetof(path_tile, point), 3 * (size_t)g->point_count, 4},
    };
    size_t bytes;
    path_tile *t = nav_path_take(NULL, sizeof *t, arrays, sizeof arrays / sizeof *arrays, &bytes);
    if (!t) return NULL;
    t->bytes = bytes;
    t->x = g->x;
    t->z = g->z;
    t->vert_count = g->vert_count;
    t->link_count = g->link_count;
    return t;
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (bytes) memcpy(to, from, bytes);
}

static void copy_points(path_tile *t, const path_ground *g)
{
    copy(t->at, g->at, g->vert_count * sizeof *t->at);
    copy(t->y, g->y, g->vert_count * sizeof *t->y);
    copy(t->point, g->point, 3 * (size_t)g->point_count * sizeof *t->point);
    copy(t->triangle_first, g->triangle_first, ((size_t)g->poly_count + 1) * sizeof *t->triangle_first);
    copy(t->triangle, g->triangle, 3 * (size_t)g->triangle_count * sizeof *t->triangle);
    copy(t->link, g->link, g->link_count * sizeof *t->link);
    t->low_y = INFINITY;
    t->high_y = -INFINITY;
    for (uint32_t i = 0; i < g->vert_count; i++) {
        t->low_y = fmin(t->low_y, (double)g->y[i]);
        t->high_y = fmax(t->high_y, (double)g->y[i]);
    }
    for (uint32_t i = g->vert_count; i < g->point_count; i++) {
        t->low_y = fmin(t->low_y, (double)g->point[3 * (size_t)i + 1]);
        t->high_y = fmax(t->high_y, (double)g->point[3 * (size_t)i + 1]);
    }
}

void nav_path_tile_destroy(path_tile *t)
{
    if (!t) return;
    free(t->bucket_first);
    free(t->bucket_cell);
    free(t);
}

nav_status nav_path_tile_create(const nav_path_set *set, const path_ground *g, path_tile **out, char *why,
                                size_t why_bytes)
{
    nav_status s = NAV_ERR_MEMORY;
    uint64_t cells = 0, corners = 0;
    uint32_t borders = 0;
    *out = NULL;
    for (uint32_t p = 0; p < g->poly_count; p++) {
        if (!g->is_ground[p]) continue;
        uint32_t n = g->first[p + 1] - g->first[p];
        bool whole = is_convex(g, p);
        cells += whole ? 1 : n - 2;
        corners += whole ? n : 3 * ((uint64_t)n - 2);
        for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++) borders += g->behind[k] < NAV_EDGE_WALL;
    }
    if (corners > INT32_MAX / 4) return nav_refuse(NAV_ERR_LIMIT, why, why_bytes, "too many corners");
    builder b = {.g = g, .t = take_tile(g, (uint32_t)cells, (uint32_t)corners, borders)};
    b.made = malloc(((size_t)g->corner_count + 1) * sizeof *b.made);
    b.ring = malloc(2 * ((size_t)g->corner_count + 1) * sizeof *b.ring);
    uint32_t *up = malloc((cells + 1) * sizeof *up);
    path_border *scratch = malloc(((size_t)borders + 1) * sizeof *scratch);
    if (!b.t || !b.made || !b.ring || !up || !scratch) goto done;
    copy_points(b.t, g);
    for (uint32_t p = 0; p < g->poly_count; p++) {
        if (!g->is_ground[p] || add_polygon(&b, p)) continue;
        s = REFUSE("cell %u cannot be cut into convex pieces", p);
        goto done;
    }
    for (uint32_t c = 0; c < b.t->cell_count; c++) b.t->areas |= UINT64_C(1) << b.t->area[c];
    join_cells(&b);
    sort_borders(b.t, scratch);
    number_parts(b.t, up);
    s = nav_path_make_buckets(set, b.t);
done:
    free(b.made);
    free(b.ring);
    free(up);
    free(scratch);
    if (s != NAV_OK) {
        if (s == NAV_ERR_MEMORY) s = nav_refuse(s, why, why_bytes, "no memory for the tile");
        nav_path_tile_destroy(b.t);
        b.t = NULL;
    }
    *out = b.t;
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
    if (best == -INFINITY && t->triangle_first[source] < t->triangle_first[source + 1])
        height = (double)t->point[3 * (size_t)t->triangle[3 * (size_t)t->triangle_first[source]] + 1];
    return height;
}
