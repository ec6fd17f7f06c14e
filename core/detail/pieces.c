// Cutting polygons that have too much detail for one polygon.
//
//      o-------o               o              A polygon of four corners or more is cut along a diagonal: the one whose
//      | \     |              /|\             halves differ least in area. A triangle is cut into three, from a point
//      |   \   |             / x \            of the outline grid inside it (x). Neither adds a vertex to an edge that
//      |     \ |            / / \ \           another polygon or tile knows.
//      o-------o           o-------o
//
// Each cut leaves pieces that are at least half a square of that grid smaller, so cutting ends.
#include "core/detail/pieces.h"

#include "core/base/grow.h"
#include "core/detail/patch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

nav_status nav_pieces_init(nav_pieces *p, const nav_polygons *polys, nav_arena *arena)
{
    *p = (nav_pieces){0};
    p->poly_first = NAV_TAKE(arena, int32_t, (size_t)polys->count + 1);
    if (!p->poly_first) return nav_arena_failure(arena);
    return nav_grow(arena, (void **)&p->piece, &p->capacity, polys->count, sizeof *p->piece);
}

static nav_status append(nav_pieces *p, const nav_piece *piece, nav_arena *arena)
{
    nav_status s = nav_grow(arena, (void **)&p->piece, &p->capacity, (int64_t)p->count + 1, sizeof *p->piece);
    if (s == NAV_OK) p->piece[p->count++] = *piece;
    return s;
}

nav_status nav_pieces_add(nav_pieces *p, const nav_polygons *polys, int32_t poly, const int32_t *edge, nav_arena *arena)
{
    nav_piece piece = {.poly = poly, .count = polys->first[poly + 1] - polys->first[poly]};
    assert(piece.count <= NAV_PIECE_CORNERS);
    memcpy(piece.vert, polys->vert + polys->first[poly], (size_t)piece.count * sizeof *piece.vert);
    memcpy(piece.edge, edge, (size_t)piece.count * sizeof *piece.edge);
    p->poly_first[poly] = p->count;
    p->poly_first[poly + 1] = p->count + 1;
    return append(p, &piece, arena);
}

static int64_t corner_area2(const nav_polygons *polys, int32_t a, int32_t b, int32_t c)
{
    return nav_area2(polys->x[a], polys->z[a], polys->x[b], polys->z[b], polys->x[c], polys->z[c]);
}

// Corners i..j of a piece, and the edge that closes them.
static nav_piece part_of(const nav_piece *whole, int32_t i, int32_t j, int32_t closing)
{
    nav_piece part = {.poly = whole->poly};
    for (;; i = (i + 1) % whole->count) {
        part.vert[part.count] = whole->vert[i];
        part.edge[part.count++] = i == j ? closing : whole->edge[i];
        if (i == j) return part;
    }
}

static int64_t part_area2(const nav_polygons *polys, const nav_piece *whole, int32_t i, int32_t j)
{
    int64_t sum = 0;
    int32_t at = (i + 1) % whole->count;
    while (at != j) {
        int32_t next = (at + 1) % whole->count;
        sum += corner_area2(polys, whole->vert[i], whole->vert[at], whole->vert[next]);
        at = next;
    }
    return sum;
}

static nav_status cut_diagonal(nav_pieces *p, int32_t k, nav_edges *edges, const nav_ground *ground,
                               const nav_polygons *polys, nav_arena *arena, bool *cut)
{
    nav_piece whole = p->piece[k];
    int32_t from = -1, to = -1;
    int64_t best = INT64_MAX;
    for (int32_t i = 0; i < whole.count; i++)
        for (int32_t j = i + 2; j < whole.count && j - i < whole.count - 1; j++) {
            int64_t a = part_area2(polys, &whole, i, j), b = part_area2(polys, &whole, j, i);
            int64_t apart = a > b ? a - b : b - a;
            if (a <= 0 || b <= 0 || apart >= best) continue;
            best = apart;
            from = i;
            to = j;
        }
    *cut = from >= 0;
    if (!*cut) return NAV_OK;
    int32_t edge;
    nav_status s =
        nav_edges_add(edges, polys, whole.vert[to], whole.vert[from], NAV_EDGE_WALL, ground, NULL, arena, &edge);
    if (s != NAV_OK) return s;
    nav_piece rest = part_of(&whole, to, from, edge);
    p->piece[k] = part_of(&whole, from, to, edge);
    return append(p, &rest, arena);
}

static int32_t plane_height(const nav_polygons *polys, const int32_t *v, int32_t x, int32_t z)
{
    double total = (double)corner_area2(polys, v[0], v[1], v[2]), y = 0;
    for (int i = 0; i < 3; i++) {
        int32_t a = v[i], b = v[(i + 1) % 3], c = v[(i + 2) % 3];
        y += (double)nav_area2(polys->x[a], polys->z[a], polys->x[b], polys->z[b], x, z) / total * polys->y[c];
    }
    return (int32_t)floor(y + 0.5);
}

static bool strictly_inside(const nav_polygons *polys, const int32_t *v, int32_t x, int32_t z)
{
    for (int i = 0; i < 3; i++) {
        int32_t a = v[i], b = v[(i + 1) % 3];
        if (nav_area2(polys->x[a], polys->z[a], polys->x[b], polys->z[b], x, z) <= 0) return false;
    }
    return true;
}

// The point of the outline grid nearest to the middle of a triangle, or one beside it, if any is inside.
static bool middle_of(const nav_polygons *polys, const int32_t *v, int32_t *x, int32_t *z)
{
    int32_t mx = (int32_t)(((int64_t)polys->x[v[0]] + polys->x[v[1]] + polys->x[v[2]] + 1) / 3);
    int32_t mz = (int32_t)(((int64_t)polys->z[v[0]] + polys->z[v[1]] + polys->z[v[2]] + 1) / 3);
    static const int8_t beside[9][2] = {{0, 0}, {-1, 0}, {0, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    for (int i = 0; i < 9; i++) {
        *x = mx + beside[i][0];
        *z = mz + beside[i][1];
        if (strictly_inside(polys, v, *x, *z)) return true;
    }
    return false;
}

static nav_status add_vertex(nav_pieces *p, nav_polygons *polys, int32_t x, int32_t z, int32_t y, nav_arena *arena)
{
    int32_t **arrays[3] = {&polys->x, &polys->z, &polys->y}, values[3] = {x, z, y}, capacity = p->vert_capacity;
    for (int i = 0; i < 3; i++) {
        capacity = p->vert_capacity ? p->vert_capacity : polys->vert_count; // as they came they have no room
        nav_status s = nav_grow(arena, (void **)arrays[i], &capacity, (int64_t)polys->vert_count + 1, sizeof(int32_t));
        if (s != NAV_OK) return s;
        (*arrays[i])[polys->vert_count] = values[i];
    }
    p->vert_capacity = capacity;
    polys->vert_count++;
    return NAV_OK;
}

static nav_status cut_from_inside(nav_pieces *p, int32_t k, nav_edges *edges, const nav_ground *ground,
                                  nav_polygons *polys, nav_arena *arena, bool *cut)
{
    nav_piece whole = p->piece[k];
    int32_t x, z, y, middle = polys->vert_count, spoke[3];
    int shift = edges->cfg->unit_shift;
    *cut = middle_of(polys, whole.vert, &x, &z);
    if (!*cut) return NAV_OK;
    if (!ground ||
        (!nav_ground_at_point(ground, x, z, shift, &y) && !nav_ground_near_column(ground, x >> shift, z >> shift, &y)))
        y = plane_height(polys, whole.vert, x, z);
    nav_status s = add_vertex(p, polys, x, z, y, arena);
    for (int i = 0; s == NAV_OK && i < 3; i++)
        s = nav_edges_add(edges, polys, whole.vert[i], middle, NAV_EDGE_WALL, ground, NULL, arena, &spoke[i]);
    for (int i = 0; s == NAV_OK && i < 3; i++) {
        int j = (i + 1) % 3;
        nav_piece part = {.poly = whole.poly,
                          .count = 3,
                          .vert = {whole.vert[i], whole.vert[j], middle},
                          .edge = {whole.edge[i], spoke[j], spoke[i]}};
        if (i == 0)
            p->piece[k] = part;
        else
            s = append(p, &part, arena);
    }
    return s;
}

nav_status nav_pieces_cut(nav_pieces *p, int32_t k, nav_edges *edges, const nav_ground *ground, nav_polygons *polys,
                          nav_arena *arena, bool *cut)
{
    nav_status s = p->piece[k].count > 3 ? cut_diagonal(p, k, edges, ground, polys, arena, cut)
                                         : cut_from_inside(p, k, edges, ground, polys, arena, cut);
    p->poly_first[p->piece[k].poly + 1] = p->count;
    return s;
}

nav_status nav_pieces_apply(nav_pieces *p, nav_edges *edges, nav_polygons *polys, nav_arena *arena)
{
    int32_t corners = 0;
    for (int32_t k = 0; k < p->count; k++) corners += p->piece[k].count;
    int32_t *first = NAV_TAKE(arena, int32_t, (size_t)p->count + 1), *vert = NAV_TAKE(arena, int32_t, corners);
    int32_t *behind = NAV_TAKE(arena, int32_t, corners), *region = NAV_TAKE(arena, int32_t, p->count);
    uint8_t *area = NAV_TAKE(arena, uint8_t, p->count);
    if (!first || !vert || !behind || !region || !area) return nav_arena_failure(arena);
    for (int32_t k = 0; k < p->count; k++) {
        const nav_piece *piece = &p->piece[k];
        for (int32_t i = 0; i < piece->count; i++) {
            nav_edge *e = &edges->edge[piece->edge[i]];
            e->side[piece->vert[i] == e->low ? 0 : 1] = k;
        }
    }
    int32_t c = 0;
    for (int32_t k = 0; k < p->count; k++) {
        const nav_piece *piece = &p->piece[k];
        first[k] = c;
        area[k] = polys->area[piece->poly];
        region[k] = polys->region[piece->poly];
        for (int32_t i = 0; i < piece->count; i++, c++) {
            const nav_edge *e = &edges->edge[piece->edge[i]];
            vert[c] = piece->vert[i];
            behind[c] = e->side[piece->vert[i] == e->low ? 1 : 0];
        }
    }
    first[p->count] = c;
    for (int32_t i = 0; i <= polys->cell_count; i++)
        polys->cell_poly[i] = polys->cell_poly[i] == polys->count ? p->count : p->poly_first[polys->cell_poly[i]];
    polys->first = first;
    polys->vert = vert;
    polys->behind = behind;
    polys->area = area;
    polys->region = region;
    polys->count = p->count;
    return NAV_OK;
}
