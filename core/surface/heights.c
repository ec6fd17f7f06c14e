// Heights: the faces themselves, as detail of the polygons.
//
//      o-------o-------o     Faces are cut along the polygon, and their pieces are its detail triangles. Where the
//      |\      | \    /|     polygon is a plane within the error, it has none but those of its corners.
//      | \     |  \  / |
//      |   \  /|   \/  |     Along an edge of the polygon, heights keep to a line through few of the points there, the
//      o-----x---------o     same for both sides of the edge, and for both tiles of a border: points between are moved
//                            up or down onto that line, within the error. So the surface has no gaps, whatever each
//                            side has for detail.
//
// Source of the line: D. Douglas and T. Peucker, Algorithms for the reduction of the number of points (1973).
#include "core/surface/heights_work.h"

#include <math.h>
#include <string.h>

static void find_square(heights *h)
{
    int64_t most = (int64_t)h->cfg->tile_units << h->shift;
    h->square = h->corner_count == 4;
    for (int32_t i = 0; i < h->corner_count && h->square; i++) {
        int32_t j = i + 1 < h->corner_count ? i + 1 : 0;
        h->square = (h->cx[i] == 0 || h->cx[i] == most) && (h->cz[i] == 0 || h->cz[i] == most);
        int side = h->cx[i] == h->cx[j] ? (h->cx[i] == 0 ? 0 : 1) : (h->cz[i] == 0 ? 2 : 3);
        h->side_edge[side] = 1u << i;
    }
}

static double corner_area(const heights *h, int32_t a, int32_t b, int32_t c)
{
    return (double)heights_right(h->cx[a], h->cz[a], h->cx[b], h->cz[b], h->cx[c], h->cz[c]);
}

// The plane through the three corners with the most room between them.
static void find_plane(heights *h)
{
    int32_t *best = h->plane, n = h->corner_count;
    for (int32_t i = 0; i < 3; i++) best[i] = i;
    h->plane_area = corner_area(h, 0, 1, 2);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = i + 1; j < n; j++)
            for (int32_t k = j + 1; k < n; k++) {
                double area = corner_area(h, i, j, k);
                if (area <= h->plane_area) continue;
                h->plane_area = area;
                best[0] = i;
                best[1] = j;
                best[2] = k;
            }
    h->corners_off = h->others_off = 0;
}

// Are all points so far within the error of the plane, all together? Then the corners will do.
static bool is_flat(heights *h)
{
    if (h->measured == 0) find_plane(h);
    const point *a = &h->points[h->plane[0]], *b = &h->points[h->plane[1]], *c = &h->points[h->plane[2]];
    if (!(h->plane_area > 0)) return true; // nothing to be done
    for (; h->measured < h->point_count; h->measured++) {
        const point *p = &h->points[h->measured];
        double u = (double)heights_right(c->x, c->z, a->x, a->z, p->x, p->z) / h->plane_area;
        double v = (double)heights_right(a->x, a->z, b->x, b->z, p->x, p->z) / h->plane_area;
        double apart = fabs(a->y + u * (b->y - a->y) + v * (c->y - a->y) - p->from);
        double *most = h->measured < h->corner_count ? &h->corners_off : &h->others_off;
        *most = apart > *most ? apart : *most;
    }
    return h->corners_off + h->others_off <= h->error;
}

// Does it hold too much whatever comes?
static bool is_over(heights *h)
{
    return (h->tri_count > LIMIT || h->point_count > LIMIT) && !is_flat(h);
}

// Coordinates in units are whole, and twice an area is below 2^53: doubles are exact.
static void find_edges(heights *h, const nav_piece *piece)
{
    for (int32_t i = piece->count; i < LANES; i++) {
        h->edge_x[i] = h->edge_z[i] = 0;
        h->edge_at[i] = 1;
    }
    for (int32_t i = 0; i < piece->count; i++) {
        int32_t a = piece->vert[i], b = piece->vert[i + 1 < piece->count ? i + 1 : 0];
        double dx = (double)h->polys->x[b] - h->polys->x[a], dz = (double)h->polys->z[b] - h->polys->z[a];
        h->edge_x[i] = dz;
        h->edge_z[i] = -dx;
        h->edge_at[i] = dx * h->polys->z[a] - dz * h->polys->x[a];
    }
}

static void begin(heights *h, const nav_piece *piece)
{
    int32_t scale = 1 << h->shift;
    nav_surface_forget_points(h);
    h->tri_count = 0;
    h->corner_count = piece->count;
    for (int32_t i = 0; i < piece->count; i++) {
        int32_t v = piece->vert[i];
        h->cx[i] = (int64_t)h->polys->x[v] * scale;
        h->cz[i] = (int64_t)h->polys->z[v] * scale;
        h->points[i] =
            (point){h->polys->x[v] * scale, h->polys->z[v] * scale, h->polys->y[v], h->polys->y[v], 0, UNKNOWN};
        h->points[i].edges = 1u << i | 1u << (i > 0 ? i - 1 : piece->count - 1);
    }
    h->point_count = piece->count;
    find_square(h);
    find_edges(h, piece);
    h->measured = 0;
}

// Adds the faces that hang together in the box of a polygon that was joined from several regions, from one at its first
// corner on.
static nav_status flood_faces(heights *h, const nav_piece *piece, const int32_t low[2], const int32_t high[2])
{
    const nav_surface *s = h->surface;
    int32_t corner = piece->vert[0], x = h->polys->x[corner], z = h->polys->z[corner], start = -1, count = 0;
    int64_t least = INT64_MAX;
    int32_t cell = faces_at_cell(&h->at, z) * h->at.side + faces_at_cell(&h->at, x);
    for (int32_t k = h->at.first[cell]; k < h->at.first[cell + 1]; k++) {
        int32_t face = h->at.item[k];
        for (int32_t c = s->face_first[face]; c < s->face_first[face + 1]; c++) {
            int32_t v = s->corner_vert[c];
            int64_t dx = (int64_t)s->x[v] - x, dz = (int64_t)s->z[v] - z, dy = (int64_t)s->y[v] - h->polys->y[corner];
            if (dx * dx + dz * dz + dy * dy >= least) continue;
            least = dx * dx + dz * dz + dy * dy;
            start = face;
        }
    }
    if (start < 0) return NAV_OK;
    nav_status status = nav_grow(h->arena, (void **)&h->queue, &h->queue_capacity, s->face_count, sizeof *h->queue);
    h->round++;
    if (status == NAV_OK) h->queue[count++] = start;
    h->stamp[start] = h->round;
    for (int32_t i = 0; i < count && status == NAV_OK && !is_over(h); i++) {
        int32_t face = h->queue[i];
        status = nav_surface_add_face(h, face);
        for (int32_t c = s->face_first[face]; c < s->face_first[face + 1]; c++) {
            int32_t next = s->corner_behind[c] >= 0 ? s->corner_face[s->corner_behind[c]] : face;
            if (h->stamp[next] == h->round) continue;
            int32_t a = s->corner_vert[c],
                    b = s->corner_vert[c + 1 < s->face_first[face + 1] ? c + 1 : s->face_first[face]];
            if ((s->x[a] < low[0] && s->x[b] < low[0]) || (s->z[a] < low[1] && s->z[b] < low[1]) ||
                (s->x[a] > high[0] && s->x[b] > high[0]) || (s->z[a] > high[1] && s->z[b] > high[1]))
                continue;
            h->stamp[next] = h->round;
            h->queue[count++] = next;
        }
    }
    return status;
}

// The cells of a row that the piece may be in.
static bool find_row(const heights *h, const nav_piece *piece, int32_t row, int32_t *from, int32_t *to)
{
    double low = (double)row * h->at.cell - 1, high = low + h->at.cell + 2, least = INFINITY, most = -INFINITY;
    for (int32_t i = 0; i < piece->count; i++) {
        int32_t a = piece->vert[i], b = piece->vert[i + 1 < piece->count ? i + 1 : 0];
        double ax = h->polys->x[a], az = h->polys->z[a], bx = h->polys->x[b], bz = h->polys->z[b];
        if ((az < low && bz < low) || (az > high && bz > high)) continue;
        double slope = az < bz || az > bz ? (bx - ax) / (bz - az) : 0;
        double p = az < low ? ax + (low - az) * slope : az > high ? ax + (high - az) * slope : ax;
        double q = bz < low ? ax + (low - az) * slope : bz > high ? ax + (high - az) * slope : bx;
        least = fmin(least, fmin(p, q));
        most = fmax(most, fmax(p, q));
    }
    if (least > most) return false;
    *from = faces_at_cell(&h->at, (int32_t)least - 1);
    *to = faces_at_cell(&h->at, (int32_t)most + 1);
    return true;
}

static nav_status add_faces(heights *h, const nav_piece *piece)
{
    enum { WIDE = 3 }; // cells that a piece spans: more of them are no part of it
    const nav_surface *s = h->surface;
    int32_t region = h->polys->region[piece->poly], low[2] = {INT32_MAX, INT32_MAX}, high[2] = {0, 0}, from, to;
    nav_status status = NAV_OK;
    if (region > 0 && h->region_polys[region] == 1 && !h->is_part) {
        const int32_t end = h->region_first[region + 1];
        for (int32_t k = h->region_first[region]; k < end && status == NAV_OK && !is_over(h); k++)
            status = nav_surface_add_face(h, h->region_face[k]);
        return status;
    }
    if (h->at.side == 0) status = nav_faces_at_make(&h->at, s, h->cfg->tile_units, h->arena);
    if (status != NAV_OK) return status;
    for (int32_t i = 0; i < piece->count; i++)
        for (int k = 0; k < 2; k++) {
            const int32_t at = k ? h->polys->z[piece->vert[i]] : h->polys->x[piece->vert[i]];
            low[k] = at < low[k] ? at : low[k];
            high[k] = at > high[k] ? at : high[k];
        }
    if (region == 0) return flood_faces(h, piece, low, high);
    h->round++;
    const int32_t row0 = faces_at_cell(&h->at, low[1]), last = faces_at_cell(&h->at, high[1]);
    from = faces_at_cell(&h->at, low[0]);
    to = faces_at_cell(&h->at, high[0]);
    const bool wide = to - from >= WIDE && last - row0 >= WIDE;
    for (int32_t row = row0; row <= last && !is_over(h); row++) {
        if (wide && !find_row(h, piece, row, &from, &to)) continue;
        const int32_t *first = h->at.first + (size_t)row * (size_t)h->at.side;
        for (int32_t k = first[from]; k < first[to + 1] && status == NAV_OK; k++) {
            int32_t face = h->at.item[k];
            if (h->stamp[face] == h->round || s->face_region[face] != region) continue;
            h->stamp[face] = h->round;
            status = nav_surface_add_face(h, face);
        }
    }
    return status;
}

// The triangles of the corners alone.
static nav_status take_corners(heights *h)
{
    int32_t n = h->corner_count, root = 0;
    double best = -1;
    for (int32_t r = 0; r < n; r++) {
        double least = INFINITY;
        for (int32_t i = 1; i + 1 < n; i++) {
            double area = corner_area(h, r, (r + i) % n, (r + i + 1) % n);
            least = area < least ? area : least;
        }
        if (least <= best) continue;
        best = least;
        root = r;
    }
    nav_status s = nav_grow(h->arena, (void **)&h->tri, &h->tri_capacity, n, sizeof *h->tri);
    h->tri_count = 0;
    for (int32_t i = 1; i + 1 < n && s == NAV_OK; i++) {
        h->tri[h->tri_count][0] = root;
        h->tri[h->tri_count][1] = (root + i) % n;
        h->tri[h->tri_count++][2] = (root + i + 1) % n;
    }
    h->point_count = n;
    return s;
}

// Makes the detail of a piece. *fits: it is within the limits.
static nav_status fit(heights *h, const nav_piece *piece, bool *fits)
{
    begin(h, piece);
    int32_t kept = 0;
    nav_status s = add_faces(h, piece);
    *fits = s == NAV_OK && !is_over(h);
    for (int32_t i = 0; i < piece->count && *fits; i++) {
        int32_t n = nav_surface_straighten(h, i);
        if (n < 0) return nav_arena_failure(h->arena);
        kept += n;
    }
    if (!*fits) return s;
    if (h->tri_count == 0 || (kept == 0 && is_flat(h))) s = take_corners(h);
    *fits = h->point_count <= LIMIT && h->tri_count <= LIMIT;
    return s;
}

static nav_status grow_output(heights *h, int32_t k, int32_t extra)
{
    nav_detail *out = h->out;
    float **arrays[3] = {&out->x, &out->z, &out->y};
    int32_t capacity = h->vert_capacity;
    nav_status s = NAV_OK;
    for (int i = 0; i < 3 && s == NAV_OK; i++) {
        capacity = h->vert_capacity;
        s = nav_grow(h->arena, (void **)arrays[i], &capacity, (int64_t)out->vert_count + extra, sizeof(float));
    }
    if (s == NAV_OK) h->vert_capacity = capacity;
    if (s == NAV_OK)
        s = nav_grow(h->arena, (void **)&out->tri, &h->out_tri_capacity, (int64_t)out->tri_count + h->tri_count,
                     sizeof *out->tri);
    if (s == NAV_OK)
        s = nav_grow(h->arena, (void **)&out->vert_first, &h->vert_first_capacity, (int64_t)k + 2, sizeof(int32_t));
    if (s == NAV_OK)
        s = nav_grow(h->arena, (void **)&out->tri_first, &h->tri_first_capacity, (int64_t)k + 2, sizeof(int32_t));
    return s;
}

// Appends what was made to the output as polygon k's.
static nav_status emit(heights *h, int32_t k)
{
    nav_detail *out = h->out;
    int32_t n = h->corner_count, extra = h->point_count - n;
    const float unit = 1.0f / (float)(1 << h->shift);
    nav_status s = grow_output(h, k, extra);
    if (s != NAV_OK) return s;
    for (int32_t i = n; i < h->point_count; i++, out->vert_count++) {
        out->x[out->vert_count] = (float)h->points[i].x * unit; // exact: 24 bits and a power of two
        out->z[out->vert_count] = (float)h->points[i].z * unit;
        out->y[out->vert_count] = (float)h->points[i].y;
    }
    for (int32_t t = 0; t < h->tri_count; t++, out->tri_count++) {
        uint8_t flags = 0;
        for (int i = 0; i < 3; i++) {
            int32_t a = h->tri[t][i], b = h->tri[t][(i + 1) % 3];
            out->tri[out->tri_count][i] = (uint8_t)a;
            flags |= (uint8_t)((h->points[a].edges & h->points[b].edges) != 0) << (2 * i);
        }
        out->tri[out->tri_count][3] = flags;
    }
    out->vert_first[k + 1] = out->vert_count;
    out->tri_first[k + 1] = out->tri_count;
    out->inserted += extra;
    return NAV_OK;
}

// --- all of them

// Corners that the polygon stage has made on straight walls get the height of the faces there.
static nav_status settle_corners(heights *h)
{
    nav_polygons *p = h->polys;
    uint8_t *seen = NAV_TAKE_ZERO(h->arena, uint8_t, p->vert_count);
    if (!seen) return nav_arena_failure(h->arena);
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t c = p->first[i]; c < p->first[i + 1]; c++) {
            int32_t v = p->vert[c];
            double y;
            const int32_t side = h->cfg->tile_units;
            if (seen[v] || p->x[v] == 0 || p->z[v] == 0 || p->x[v] == side || p->z[v] == side) continue;
            seen[v] = 1;
            if (h->at.side == 0) {
                nav_status s = nav_faces_at_make(&h->at, h->surface, h->cfg->tile_units, h->arena);
                if (s != NAV_OK) return s;
            }
            if (nav_faces_at_height(&h->at, p->region[i], p->x[v], p->z[v], p->y[v], &y))
                p->y[v] = (int32_t)floor(y + 0.5);
        }
    return NAV_OK;
}

static nav_status sort_faces(heights *h)
{
    const nav_surface *s = h->surface;
    h->region_polys = NAV_TAKE_ZERO(h->arena, int32_t, s->region_count + 1);
    h->region_first = NAV_TAKE_ZERO(h->arena, int32_t, s->region_count + 3);
    h->region_face = NAV_TAKE(h->arena, int32_t, s->face_count);
    if (!h->region_polys || !h->region_first || !h->region_face) return nav_arena_failure(h->arena);
    for (int32_t p = 0; p < h->polys->count; p++) h->region_polys[h->polys->region[p]]++;
    for (int32_t i = 0; i < s->face_count; i++) h->region_first[s->face_region[i] + 2]++;
    for (int32_t r = 2; r < s->region_count + 3; r++) h->region_first[r] += h->region_first[r - 1];
    for (int32_t i = 0; i < s->face_count; i++) h->region_face[h->region_first[s->face_region[i] + 1]++] = i;
    return NAV_OK;
}

static nav_piece piece_of(const nav_polygons *polys, int32_t poly)
{
    nav_piece piece = {.poly = poly, .count = polys->first[poly + 1] - polys->first[poly]};
    memcpy(piece.vert, polys->vert + polys->first[poly], (size_t)piece.count * sizeof *piece.vert);
    return piece;
}

// The corner of polygon q where its edge b -> a begins, or -1.
static int32_t corner_of_edge(const nav_polygons *polys, int32_t q, int32_t b, int32_t a)
{
    int32_t first = polys->first[q], end = polys->first[q + 1];
    for (int32_t c = first; c < end; c++)
        if (polys->vert[c] == b && polys->vert[c + 1 < end ? c + 1 : first] == a) return c;
    return -1;
}

static nav_status make_edges(heights *h, nav_edges *edges, int32_t *corner_edge)
{
    const nav_polygons *polys = h->polys;
    nav_status s = NAV_OK;
    for (int32_t p = 0; s == NAV_OK && p < polys->count; p++) {
        int32_t first = polys->first[p], end = polys->first[p + 1];
        for (int32_t c = first; s == NAV_OK && c < end; c++) {
            int32_t from = polys->vert[c], to = polys->vert[c + 1 < end ? c + 1 : first], q = polys->behind[c];
            int32_t twin = q >= 0 && q < p ? corner_of_edge(polys, q, to, from) : -1;
            if (twin >= 0)
                corner_edge[c] = corner_edge[twin];
            else
                s = nav_edges_add(edges, polys, from, to, q, NULL, NULL, h->arena, &corner_edge[c]);
        }
    }
    return s;
}

// Goes on at a polygon that does not fit: it is cut, and so are those behind it that do not.
static nav_status cut_polygons(heights *h, int32_t known)
{
    nav_polygons *polys = h->polys;
    nav_edges edges;
    nav_pieces pieces;
    int32_t polygons = polys->count, *corner_edge = NAV_TAKE(h->arena, int32_t, polys->first[polygons]);
    if (!corner_edge) return nav_arena_failure(h->arena);
    h->plain = *h->cfg;
    h->plain.detail_sample = 0;
    nav_status s = nav_edges_init(&edges, &h->plain, polys->first[polygons], h->arena);
    if (s == NAV_OK) s = nav_pieces_init(&pieces, polys, h->arena);
    if (s == NAV_OK) s = make_edges(h, &edges, corner_edge);
    for (int32_t p = 0, k = 0; p < polygons && s == NAV_OK; p++) {
        s = nav_pieces_add(&pieces, polys, p, corner_edge + polys->first[p], h->arena);
        while (s == NAV_OK && k < pieces.count) {
            bool fits = false, cut = false;
            int32_t verts = polys->vert_count;
            if (p < known) {
                k++; // it is there already
                continue;
            }
            h->is_part = pieces.count > pieces.poly_first[p] + 1;
            if (p > known || h->is_part) s = fit(h, &pieces.piece[k], &fits);
            if (s == NAV_OK && !fits) s = nav_pieces_cut(&pieces, k, &edges, NULL, polys, h->arena, &cut);
            if (s == NAV_OK && polys->vert_count > verts) {
                double y = 0;
                if (h->at.side == 0) s = nav_faces_at_make(&h->at, h->surface, h->cfg->tile_units, h->arena);
                if (s == NAV_OK && nav_faces_at_height(&h->at, polys->region[p], polys->x[verts], polys->z[verts],
                                                       polys->y[verts], &y))
                    polys->y[verts] = (int32_t)floor(y + 0.5);
            }
            if (s != NAV_OK || cut) continue;
            if (!fits) {
                h->out->coarsened++;
                if (p == known && !h->is_part) begin(h, &pieces.piece[k]);
                s = take_corners(h);
            }
            if (s == NAV_OK) s = emit(h, k++);
        }
        if (s == NAV_OK && pieces.count > pieces.poly_first[p] + 1) h->out->split_polygons++;
    }
    if (s == NAV_OK && pieces.count > polygons) s = nav_pieces_apply(&pieces, &edges, polys, h->arena);
    return s;
}

nav_status nav_surface_detail(const nav_surface *surface, const nav_config *cfg, nav_arena *arena, nav_polygons *polys,
                              nav_detail *out)
{
    *out = (nav_detail){0};
    heights h = {.surface = surface, .cfg = cfg, .arena = arena, .polys = polys, .out = out};
    int bits = 0;
    while (((int64_t)1 << bits) < cfg->tile_units) bits++;
    h.shift = FLOAT_BITS - bits;
    h.error = cfg->surface_error;
    h.notes = NAV_TAKE_ZERO(arena, vert_note, surface->vert_count);
    h.stamp = NAV_TAKE_ZERO(arena, int32_t, surface->face_count);
    if (!h.notes || !h.stamp) return nav_arena_failure(arena);
    nav_status s = nav_grow(arena, (void **)&h.points, &h.point_capacity, LIMIT, sizeof *h.points);
    if (s == NAV_OK) s = grow_output(&h, polys->count, LIMIT);
    if (s == NAV_OK) s = sort_faces(&h);
    if (s == NAV_OK && polys->count > surface->region_count) s = settle_corners(&h);
    if (s != NAV_OK) return s;
    out->vert_first[0] = out->tri_first[0] = 0;
    for (int32_t p = 0; s == NAV_OK && p < polys->count; p++) {
        nav_piece piece = piece_of(polys, p);
        bool fits;
        s = fit(&h, &piece, &fits);
        if (s == NAV_OK && !fits) return cut_polygons(&h, p);
        if (s == NAV_OK) s = emit(&h, p);
    }
    return s;
}
