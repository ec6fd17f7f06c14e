// A tile as a search reads it, made from ground of any format: convex cells with the same edge on both sides, heights,
// and buckets to find a cell by place.
#include "core/path/ground.h"

#include "core/tile/refuse.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct builder {
    const path_ground *g;
    const path_piece *pieces; // NULL: edges on borders are open as they are
    uint32_t piece_count;
    path_tile *t;
    uint32_t *made;        // of each corner of the ground, then of each piece: that of a cell; PATH_NONE: none
    uint32_t *piece_verts; // of each piece: at low, and at high
    uint32_t next_piece;   // while the polygons are gone through
    path_ring *ring;
} builder;

// --- Polygons whose edges are cut ---

static uint32_t next_corner(const path_ground *g, uint32_t poly, uint32_t k)
{
    return k + 1 == g->first[poly + 1] ? g->first[poly] : k + 1;
}

static int side_of(const path_ground *g, uint32_t corner)
{
    return NAV_EDGE_PORTAL_XMAX - g->behind[corner];
}

static int32_t along(int side, path_spot s)
{
    return side % 2 == 0 ? s.z : s.x;
}

// The vertex of an edge at a place along its border: one of its ends, the one that was made last, or a new one.
static uint32_t cut_edge(const builder *b, uint32_t from, uint32_t to, int side, int32_t at)
{
    path_tile *t = b->t;
    path_spot p = t->at[from], q = t->at[to];
    int32_t low = along(side, p), high = along(side, q);
    if (at == low) return from;
    if (at == high) return to;
    path_spot s = side % 2 == 0 ? (path_spot){p.x, at} : (path_spot){at, p.z};
    double k = ((double)at - low) / ((double)high - low);
    int32_t y = (int32_t)lround(t->y[from] + k * ((double)t->y[to] - t->y[from]));
    uint32_t last = t->vert_count - 1;
    if (last >= b->g->vert_count && t->at[last].x == s.x && t->at[last].z == s.z && t->y[last] == y) return last;
    t->at[t->vert_count] = s;
    t->y[t->vert_count] = y;
    return t->vert_count++;
}

static void cut_edges(builder *b)
{
    const path_ground *g = b->g;
    uint32_t i = 0;
    for (uint32_t p = 0; p < g->poly_count; p++)
        for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++)
            for (; i < b->piece_count && b->pieces[i].edge == k; i++) {
                const path_piece *piece = &b->pieces[i];
                uint32_t from = g->vert[k], to = g->vert[next_corner(g, p, k)];
                b->piece_verts[2 * (size_t)i] = cut_edge(b, from, to, side_of(g, k), piece->low);
                b->piece_verts[2 * (size_t)i + 1] = cut_edge(b, from, to, side_of(g, k), piece->high);
            }
}

static uint32_t add_ring(builder *b, uint32_t n, uint32_t vert, uint32_t key)
{
    b->ring[n] = (path_ring){vert, key};
    return n + 1;
}

// An edge on a border as its pieces, with walls between them. Returns how long the ring is then.
static uint32_t add_pieces(builder *b, uint32_t n, uint32_t corner, uint32_t from, uint32_t to)
{
    uint32_t first = b->next_piece, end = first;
    int side = side_of(b->g, corner);
    bool up = along(side, b->t->at[from]) < along(side, b->t->at[to]);
    while (end < b->piece_count && b->pieces[end].edge == corner) end++;
    b->next_piece = end;
    for (uint32_t i = 0; i < end - first; i++) {
        uint32_t piece = up ? first + i : end - 1 - i;
        const uint32_t *verts = &b->piece_verts[2 * (size_t)piece];
        if (verts[up ? 0 : 1] != from) n = add_ring(b, n, from, PATH_NONE);
        n = add_ring(b, n, verts[up ? 0 : 1], b->g->corner_count + piece);
        from = verts[up ? 1 : 0];
    }
    return from == to ? n : add_ring(b, n, from, PATH_NONE);
}

// The corners of a polygon, without edges that have no length on the grid. With its pieces, if they are asked for from
// the first polygon on.
static uint32_t make_ring(builder *b, uint32_t poly, bool with_pieces)
{
    const path_ground *g = b->g;
    uint32_t n = 0;
    for (uint32_t k = g->first[poly]; k < g->first[poly + 1]; k++) {
        uint32_t from = g->vert[k], to = g->vert[next_corner(g, poly, k)];
        if (g->at[from].x == g->at[to].x && g->at[from].z == g->at[to].z) continue;
        if (with_pieces && g->behind[k] < NAV_EDGE_WALL)
            n = add_pieces(b, n, k, from, to);
        else
            n = add_ring(b, n, from, k);
    }
    return n;
}

// False: a polygon is none.
static bool add_polygons(builder *b, uint32_t *bad)
{
    const path_ground *g = b->g;
    b->next_piece = 0;
    for (uint32_t p = 0; p < g->poly_count; p++) {
        if (!g->is_ground[p]) continue;
        uint32_t first_piece = b->next_piece, n = make_ring(b, p, b->pieces);
        if (nav_path_add_polygon(b->t, p, g->area[p], b->ring, n, b->made)) continue;
        *bad = p;
        if (!g->lenient) return false;
        b->t->left_out++;
        for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++) b->made[k] = PATH_NONE;
        for (uint32_t i = first_piece; i < b->next_piece; i++) b->made[g->corner_count + i] = PATH_NONE;
    }
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

static int compare_pieces(const void *a, const void *b)
{
    const path_border *p = a, *q = b;
    if (p->edge != q->edge) return p->edge < q->edge ? -1 : 1;
    return p->low < q->low ? -1 : 1;
}

static void add_border(builder *b, uint32_t edge, uint32_t corner, uint32_t side_count[4])
{
    path_tile *t = b->t;
    uint32_t from = t->vert[corner], to = t->vert[path_next(t, corner)];
    int side = side_of(b->g, edge);
    int32_t p = along(side, t->at[from]), q = along(side, t->at[to]);
    bool up = p < q;
    t->border[t->border_count++] = (path_border){.corner = corner,
                                                 .edge = edge,
                                                 .low = up ? p : q,
                                                 .high = up ? q : p,
                                                 .y_low = t->y[up ? from : to],
                                                 .y_high = t->y[up ? to : from],
                                                 .other = PATH_NONE,
                                                 .other_corner = (uint32_t)side}; // until they are sorted
    side_count[side]++;
}

// The corner of a cell where the edge between two vertices begins in the polygon behind it. PATH_NONE: it has none.
static uint32_t corner_behind(const builder *b, uint32_t poly, uint32_t from, uint32_t to)
{
    const path_ground *g = b->g;
    for (uint32_t k = g->first[poly]; k < g->first[poly + 1]; k++)
        if (g->vert[k] == from && g->vert[next_corner(g, poly, k)] == to) return b->made[k];
    return PATH_NONE;
}

// Twins within the tile, and its borders.
static void join_cells(builder *b)
{
    const path_ground *g = b->g;
    path_tile *t = b->t;
    uint32_t side_count[4] = {0};
    for (uint32_t p = 0; p < g->poly_count; p++)
        for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++) {
            int32_t behind = g->behind[k];
            uint32_t mine = b->made[k];
            if (mine == PATH_NONE || behind == NAV_EDGE_WALL) continue;
            if (behind < 0) {
                add_border(b, k, mine, side_count);
                continue;
            }
            uint32_t twin = corner_behind(b, (uint32_t)behind, g->vert[next_corner(g, p, k)], g->vert[k]);
            if (twin != PATH_NONE) t->twin[mine] = (int32_t)twin;
        }
    for (uint32_t k = 0; k < t->corner_count;
         k++) { // an edge that only one side has behind it is in damaged tiles only
        int32_t twin = t->twin[k];
        if (twin >= 0 && (t->twin[twin] != (int32_t)k || t->cell[twin] == t->cell[k])) t->twin[k] = PATH_WALL;
    }
    for (uint32_t i = 0; i < b->piece_count; i++)
        if (b->made[g->corner_count + i] != PATH_NONE)
            add_border(b, b->pieces[i].edge, b->made[g->corner_count + i], side_count);
    for (int s = 0; s < 4; s++) t->side_first[s + 1] = t->side_first[s] + side_count[s];
}

static void sort_borders(path_tile *t, path_border *scratch, int (*compare)(const void *, const void *))
{
    if (t->border_count) memcpy(scratch, t->border, t->border_count * sizeof *scratch);
    uint32_t at[4];
    for (int s = 0; s < 4; s++) at[s] = t->side_first[s];
    for (uint32_t b = 0; b < t->border_count; b++) t->border[at[scratch[b].other_corner]++] = scratch[b];
    for (int s = 0; s < 4; s++)
        qsort(t->border + t->side_first[s], t->side_first[s + 1] - t->side_first[s], sizeof *t->border, compare);
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

// Two obstacles that touch at a vertex have a sector on each side.
static void number_sectors(path_tile *t)
{
    for (uint32_t k = 0; k < t->corner_count; k++) t->sector[k] = PATH_NONE;
    for (uint32_t k = 0; k < t->corner_count; k++) {
        if (t->sector[k] != PATH_NONE) continue;
        uint32_t here = k;
        for (;;) { // to one side, around or up to a wall or a border
            t->sector[here] = t->sector_count;
            if (t->twin[here] < 0) break;
            here = path_next(t, (uint32_t)t->twin[here]);
            if (t->sector[here] != PATH_NONE) break;
        }
        for (here = k;;) {
            int32_t twin = t->twin[path_before(t, here)];
            if (twin < 0 || t->sector[twin] != PATH_NONE) break;
            here = (uint32_t)twin;
            t->sector[here] = t->sector_count;
        }
        t->sector_count++;
    }
}

// --- The whole tile ---

// How many there may be.
typedef struct tile_counts {
    uint64_t cells, corners;
    uint32_t borders;
} tile_counts;

static void count_all(builder *b, tile_counts *out)
{
    const path_ground *g = b->g;
    *out = (tile_counts){.borders = b->piece_count};
    uint32_t piece = 0;
    for (uint32_t p = 0; p < g->poly_count; p++) {
        uint32_t first_piece = piece;
        for (uint32_t k = g->first[p]; k < g->first[p + 1]; k++) {
            while (piece < b->piece_count && b->pieces[piece].edge == k) piece++;
            out->borders += !b->pieces && g->is_ground[p] && g->behind[k] < NAV_EDGE_WALL;
        }
        if (!g->is_ground[p]) continue;
        uint32_t n = make_ring(b, p, false);
        bool whole = nav_path_is_convex(g->at, b->ring, n);
        uint64_t most = (uint64_t)n + 2 * (uint64_t)(piece - first_piece); // pieces lie on straight edges
        out->cells += whole || most < 3 ? 1 : most - 2;
        out->corners += whole || most < 3 ? most : 3 * (most - 2);
    }
}

uint64_t nav_path_stamp(void)
{
    static atomic_uint_least64_t stamps = 1;
    return atomic_fetch_add_explicit(&stamps, 1, memory_order_relaxed);
}

// Room for all arrays whose size is known beforehand, in one block behind the struct.
static path_tile *take_tile(const path_ground *g, uint32_t piece_count, const tile_counts *n)
{
    size_t verts = g->vert_count + 2 * (size_t)piece_count;
    const path_array arrays[] = {
        {offsetof(path_tile, at), verts, sizeof(path_spot)},
        {offsetof(path_tile, y), verts, 4},
        {offsetof(path_tile, first), n->cells + 1, 4},
        {offsetof(path_tile, vert), n->corners, 4},
        {offsetof(path_tile, cell), n->corners, 4},
        {offsetof(path_tile, spot), n->corners, sizeof(path_spot)},
        {offsetof(path_tile, sector), n->corners, 4},
        {offsetof(path_tile, twin), n->corners, 4},
        {offsetof(path_tile, part), n->cells, 4},
        {offsetof(path_tile, piece), n->cells, 4},
        {offsetof(path_tile, dead_end), n->corners, sizeof(bool)},
        {offsetof(path_tile, way_out), n->cells, 4},
        {offsetof(path_tile, source), n->cells, 4},
        {offsetof(path_tile, area), n->cells, 1},
        {offsetof(path_tile, border), n->borders, sizeof(path_border)},
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
    t->layer = g->layer;
    t->above = PATH_NONE;
    t->stamp = nav_path_stamp();
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
    if (t->ground) nav_path_ground_deinit(t->ground);
    free(t->ground);
    free(t->bucket_first);
    free(t->bucket_cell);
    free(t);
}

nav_status nav_path_tile_create(const nav_path_set *set, const path_ground *g, const path_piece *pieces,
                                uint32_t piece_count, path_tile **out, char *why, size_t why_bytes)
{
    nav_status s = NAV_ERR_MEMORY;
    builder b = {.g = g, .pieces = pieces, .piece_count = piece_count};
    tile_counts n = {0};
    uint32_t *up = NULL, bad;
    path_border *scratch = NULL;
    size_t made = (size_t)g->corner_count + piece_count;
    b.made = malloc((made + 1) * sizeof *b.made);
    b.piece_verts = malloc((2 * (size_t)piece_count + 1) * sizeof *b.piece_verts);
    b.ring = malloc(((size_t)g->corner_count + 2 * (size_t)piece_count + 1) * sizeof *b.ring);
    if (!b.made || !b.piece_verts || !b.ring) goto done;
    for (size_t i = 0; i < made; i++) b.made[i] = PATH_NONE;
    count_all(&b, &n);
    if (n.corners > INT32_MAX / 4) {
        s = nav_refuse(NAV_ERR_LIMIT, why, why_bytes, "%llu corners are too many", (unsigned long long)n.corners);
        goto done;
    }
    b.t = take_tile(g, piece_count, &n);
    up = malloc((n.cells + 1) * sizeof *up);
    scratch = malloc(((size_t)n.borders + 1) * sizeof *scratch);
    if (!b.t || !up || !scratch) goto done;
    copy_points(b.t, g);
    cut_edges(&b);
    if (!add_polygons(&b, &bad)) {
        s = nav_refuse(NAV_ERR_FORMAT, why, why_bytes, "polygon %u crosses itself, or has no area", bad);
        goto done;
    }
    for (uint32_t c = 0; c < b.t->cell_count; c++) b.t->areas |= UINT64_C(1) << b.t->area[c];
    join_cells(&b);
    sort_borders(b.t, scratch, pieces ? compare_pieces : compare_borders);
    number_parts(b.t, up);
    nav_path_find_dead_ends(b.t, up);
    number_sectors(b.t);
    s = nav_path_make_buckets(set, b.t);
done:
    free(b.made);
    free(b.piece_verts);
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
