// Cells of a tile as polygons. From a cell of more corners than wanted, pieces are cut off: a run of its corners,
// closed by a cut between the first and the last of them. Cells have corners in the middle of straight sides, so the
// cut is chosen that leaves the most ground on both sides. Cuts are edges between neighbours, which are found as all
// inner edges are: two edges between the same two points.
#include "navcore/tile.h"
#include "navd.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

navd_status navd_from_metres(const double to_metres[12], bool is_left_handed, double out[12])
{
    const double *m = to_metres;
    double co[9]; // the transposed cofactors
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int r1 = (c + 1) % 3, r2 = (c + 2) % 3, c1 = (r + 1) % 3, c2 = (r + 2) % 3;
            co[3 * r + c] = m[4 * r1 + c1] * m[4 * r2 + c2] - m[4 * r1 + c2] * m[4 * r2 + c1];
        }
    double det = m[0] * co[0] + m[1] * co[3] + m[2] * co[6];
    if (!isfinite(1 / det)) return NAVD_ERR_ARGUMENT;
    bool is_z_up = fabs(co[3 * 2 + 1]) > fabs(co[3 * 1 + 1]); // whichever of the caller's follows the world's height
    int mirrored = is_z_up ? 1 : 2;
    for (int r = 0; r < 3; r++) {
        double sign = is_left_handed && r == mirrored ? -1 : 1, *row = &out[4 * r];
        for (int c = 0; c < 3; c++) row[c] = sign * co[3 * r + c] / det;
        row[3] = -(row[0] * m[3] + row[1] * m[7] + row[2] * m[11]);
        for (int c = 0; c < 4; c++) row[c] += 0.0; // -0 becomes 0
    }
    return NAVD_OK;
}

static void convert(const double m[12], const float metres[3], double out[3])
{
    for (int r = 0; r < 3; r++)
        out[r] = m[4 * r] * (double)metres[0] + m[4 * r + 1] * (double)metres[1] + m[4 * r + 2] * (double)metres[2] +
                 m[4 * r + 3];
}

// Into how many pieces a cell is cut: each cut takes away most - 2 corners.
static uint32_t piece_count(uint32_t corners, uint32_t most)
{
    return most == 0 || corners <= most ? 1 : 1 + (corners - most + most - 3) / (most - 2);
}

// The arrays, one behind the other. Those of 8 bytes come first.
static navd_status make_room(const nav_tile_view *v, uint32_t most, navd_polygons *out)
{
    size_t polygons = 0;
    for (uint32_t c = 0; c < v->cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_get_cell(v, c, &cell);
        polygons += piece_count(cell.corner_count, most);
    }
    *out = (navd_polygons){.point_count = (size_t)v->vert_count + v->detail_vert_count,
                           .corner_count = v->corner_count + 2 * (polygons - v->cell_count),
                           .polygon_count = polygons,
                           .triangle_count = v->triangle_count,
                           .link_count = v->link_count};
    size_t points = out->point_count * sizeof *out->points, behind = out->corner_count * sizeof *out->behind;
    size_t links = out->link_count * sizeof *out->links, all = polygons * sizeof *out->polygons;
    size_t corners = out->corner_count * sizeof *out->corners, triangles = out->triangle_count * sizeof *out->triangles;
    char *at = calloc(1, points + behind + links + all + corners + triangles + 1);
    if (!at) return NAVD_ERR_MEMORY;
    out->memory = at;
    out->points = (void *)at;
    out->behind = (void *)(at += points);
    out->links = (void *)(at += behind);
    out->polygons = (void *)(at += links);
    out->corners = (void *)(at += all);
    out->triangles = (void *)(at + corners);
    return NAVD_OK;
}

// What is left of a cell: its corners, and what is behind the edge from each to the next.
typedef struct ring {
    const nav_tile_view *view;
    nav_tile_corner *corners;
    uint32_t count;
} ring;

// Twice the area of `count` corners from the first on, in squares of the grid; counter-clockwise seen from above it is
// above 0.
static int64_t area_of_run(const ring *r, uint32_t first, uint32_t count)
{
    int64_t area = 0;
    int32_t a[3], b[3];
    nav_tile_get_vert(r->view, r->corners[(first + count - 1) % r->count].vert, a);
    for (uint32_t k = 0; k < count; k++) {
        nav_tile_get_vert(r->view, r->corners[(first + k) % r->count].vert, b);
        area += (int64_t)a[2] * b[0] - (int64_t)a[0] * b[2];
        memcpy(a, b, sizeof a);
    }
    return area;
}

static uint32_t choose_cut(const ring *r, uint32_t most)
{
    int64_t all = area_of_run(r, 0, r->count), best = INT64_MIN;
    uint32_t first = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        int64_t piece = area_of_run(r, i, most), smaller = piece < all - piece ? piece : all - piece;
        if (smaller > best) first = i;
        if (smaller > best) best = smaller;
    }
    return first;
}

// The polygon of `count` corners from the first on. The last edge is a cut, unless these are all of them.
static void add_polygon(const ring *r, uint32_t first, uint32_t count, int64_t cell, navd_polygon *to,
                        navd_polygons *out, uint32_t *corner)
{
    to->first_corner = *corner;
    to->corner_count = count;
    for (uint32_t k = 0; k < count; k++, ++*corner) {
        const nav_tile_corner *from = &r->corners[(first + k) % r->count];
        out->corners[*corner] = from->vert;
        out->behind[*corner] = k + 1 == count && count < r->count ? cell : from->behind;
    }
}

// The corners between the ends of a piece are gone; it is behind the edge that closes the gap.
static void shorten(ring *r, uint32_t first, uint32_t count, int64_t cell)
{
    uint32_t kept = 0;
    r->corners[first].behind = cell;
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t in_run = (i + r->count - first) % r->count;
        if (in_run == 0 || in_run >= count - 1) r->corners[kept++] = r->corners[i];
    }
    r->count = kept;
}

// An inner edge has the first polygon of a cell behind it until the neighbours are known.
static void cut_cell(uint32_t c, uint32_t most, const uint32_t *first_of_cell, ring *r, navd_polygons *out,
                     uint32_t *corner)
{
    nav_tile_cell cell;
    nav_tile_get_cell(r->view, c, &cell);
    navd_polygon *to = &out->polygons[first_of_cell[c]];
    const navd_polygon like = {
        .first_triangle = cell.first_triangle, .area = cell.area, .is_unreachable = cell.flags & NAV_CELL_UNREACHABLE};
    r->count = cell.corner_count;
    for (uint32_t k = 0; k < r->count; k++) {
        nav_tile_get_corner(r->view, cell.first_corner + k, &r->corners[k]);
        if (r->corners[k].behind >= 0) r->corners[k].behind = first_of_cell[r->corners[k].behind];
    }
    navd_polygon *first_piece = to;
    for (; most && r->count > most; to++) {
        uint32_t first = choose_cut(r, most);
        *to = like;
        add_polygon(r, first, most, first_of_cell[c], to, out, corner);
        shorten(r, first, most, first_of_cell[c]);
    }
    *to = like;
    add_polygon(r, 0, r->count, first_of_cell[c], to, out, corner);
    first_piece->triangle_count = cell.triangle_count;
}

typedef struct edge {
    uint32_t low, high; // points
    uint32_t corner, polygon;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return x->corner < y->corner ? -1 : x->corner > y->corner;
}

// Two edges between the same points are neighbours.
static navd_status find_neighbours(navd_polygons *p)
{
    edge *edges = malloc((p->corner_count + 1) * sizeof *edges);
    size_t count = 0;
    if (!edges) return NAVD_ERR_MEMORY;
    for (uint32_t i = 0; i < p->polygon_count; i++) {
        const navd_polygon *polygon = &p->polygons[i];
        for (uint32_t k = 0; k < polygon->corner_count; k++) {
            uint32_t at = polygon->first_corner + k, other = polygon->first_corner + (k + 1) % polygon->corner_count;
            uint32_t a = p->corners[at], b = p->corners[other];
            if (p->behind[at] >= 0) edges[count++] = (edge){a < b ? a : b, a < b ? b : a, at, i};
        }
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i + 1 < count; i++) {
        const edge *a = &edges[i], *b = &edges[i + 1];
        if (a->low != b->low || a->high != b->high) continue;
        p->behind[a->corner] = b->polygon;
        p->behind[b->corner] = a->polygon;
        i++;
    }
    free(edges);
    return NAVD_OK;
}

static void copy_places(const nav_tile_view *v, const double m[12], navd_polygons *out)
{
    float at[3];
    double scale = sqrt(m[0] * m[0] + m[4] * m[4] + m[8] * m[8]); // the same along all axes
    for (uint32_t i = 0; i < out->point_count; i++) {
        nav_tile_get_place(v, i, at);
        convert(m, at, out->points[i]);
    }
    for (uint32_t i = 0; i < v->triangle_count; i++) nav_tile_get_triangle(v, i, out->triangles[i]);
    for (uint32_t i = 0; i < v->link_count; i++) {
        nav_link link;
        nav_tile_get_link(v, i, &link);
        navd_polygon_link *to = &out->links[i];
        convert(m, link.start, to->start);
        convert(m, link.end, to->end);
        to->radius = scale * (double)link.radius_m;
        to->area = link.area;
        to->both_ways = link.both_ways;
    }
}

navd_status navd_polygons_read(const navd_tile *tile, uint32_t most_corners, const double from_metres[12],
                               navd_polygons *out, char *why, size_t why_bytes)
{
    nav_tile_view v;
    char words[200] = "";
    uint32_t *first_of_cell = NULL;
    ring left = {.view = &v};
    navd_status s = NAVD_OK;
    *out = (navd_polygons){0};
    if (tile->size == 0) return NAVD_OK;
    if (tile->encoding != NAVD_ENCODING_NAVD || (most_corners && most_corners < 3)) {
        s = NAVD_ERR_ARGUMENT;
        snprintf(words, sizeof words, "%s",
                 most_corners && most_corners < 3 ? "a polygon has at least 3 corners"
                                                  : "subscribe with NAVD_ENCODING_NAVD to get polygons");
        goto done;
    }
    s = (navd_status)nav_tile_open(tile->data, tile->size, &v, words, sizeof words);
    if (s == NAVD_OK) s = make_room(&v, most_corners, out);
    if (s != NAVD_OK) goto done;
    first_of_cell = malloc((v.cell_count + 1) * sizeof *first_of_cell);
    left.corners = malloc((v.corner_count + 1) * sizeof *left.corners);
    if (!first_of_cell || !left.corners) s = NAVD_ERR_MEMORY;
    if (s != NAVD_OK) goto done;
    uint32_t polygons = 0, corner = 0;
    for (uint32_t c = 0; c < v.cell_count; c++) {
        nav_tile_cell cell;
        nav_tile_get_cell(&v, c, &cell);
        first_of_cell[c] = polygons;
        polygons += piece_count(cell.corner_count, most_corners);
    }
    for (uint32_t c = 0; c < v.cell_count; c++) cut_cell(c, most_corners, first_of_cell, &left, out, &corner);
    copy_places(&v, from_metres, out);
    s = find_neighbours(out);
done:
    free(first_of_cell);
    free(left.corners);
    if (s == NAVD_OK) return s;
    navd_polygons_free(out);
    if (why && why_bytes)
        snprintf(why, why_bytes, "tile %d, %d: %s", (int)tile->x, (int)tile->z, words[0] ? words : navd_status_name(s));
    return s;
}

void navd_polygons_free(navd_polygons *p)
{
    free(p->memory);
    *p = (navd_polygons){0};
}
