// The polygons of a tile, in order: rings of half-edges from the contours, triangles, border joints off, polygons,
// cells.
#include "core/polygon/polygons.h"

#include "core/polygon/cells/cells.h"
#include "core/polygon/triangulation/triangulate.h"

#include <string.h>

typedef struct polygon_work {
    half_edges m;
    int32_t *vert_of; // per contour corner; later per vertex: its number in the result
    int32_t *table;   // hash table of vertices, then of edges
    int32_t table_size;
    bool pending;                               // there are edges between regions
    half_hole *hole;                            // holes of one group
    int32_t *low;                               // per loop: its lowest corner
    int32_t *poly_next, *poly_twin, *poly_face; // the half-edges as they were when polygons were done
    int32_t *poly_region;                       // per face, at that time
    int32_t *number;                            // per face: its cell, then per face: its polygon
    uint8_t *seen;                              // per face: see nav_cells_improve()
    bool same;                                  // every cell is one polygon: nothing was kept
} polygon_work;

// Half-edge i is the edge that begins in corner i of the contours.
static void make_rings(polygon_work *w, const nav_contours *in)
{
    half_edges *m = &w->m;
    m->count = in->vert_count;
    for (int32_t l = 0; l < in->loop_count; l++) {
        int32_t first = in->loop_first[l], last = in->loop_first[l + 1] - 1;
        w->low[l] = first;
        for (int32_t i = first; i <= last; i++) {
            m->org[i] = w->vert_of[i];
            m->flags[i] = HALF_FIXED;
            half_follow(m, i, i < last ? i + 1 : first);
            m->twin[i] = in->behind[i] < 0 ? in->behind[i] : HALF_PENDING;
            w->pending |= in->behind[i] >= 0;
            if (nav_point_before(half_at(m, i), half_at(m, w->low[l]))) w->low[l] = i;
        }
    }
}

static uint32_t edge_slot(int32_t a, int32_t b, uint32_t mask)
{
    uint64_t h = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(h >> 32) & mask;
}

// Links the edges of neighbouring regions: each with the first one not yet taken that runs the other way.
static void link_regions(polygon_work *w)
{
    half_edges *m = &w->m;
    uint32_t mask = (uint32_t)w->table_size - 1;
    if (!w->pending) return;
    memset(w->table, 0xff, (size_t)w->table_size * sizeof *w->table);
    for (int32_t i = 0; i < m->count; i++) {
        if (m->twin[i] != HALF_PENDING) continue;
        int32_t a = m->org[i], b = m->org[m->next[i]];
        uint32_t slot = edge_slot(b, a, mask);
        for (int32_t j; (j = w->table[slot]) >= 0; slot = (slot + 1) & mask) {
            if (m->twin[j] != HALF_PENDING || m->org[j] != b || m->org[m->next[j]] != a) continue;
            m->twin[i] = j;
            m->twin[j] = i;
            break;
        }
        if (m->twin[i] != HALF_PENDING) continue;
        slot = edge_slot(a, b, mask);
        while (w->table[slot] >= 0) slot = (slot + 1) & mask;
        w->table[slot] = i;
    }
    for (int32_t i = 0; i < m->count; i++)
        if (m->twin[i] == HALF_PENDING) m->twin[i] = NAV_EDGE_WALL;
}

// Triangulates the outer loop l with the holes behind it; returns the loop after them.
static int32_t triangulate_group(polygon_work *w, const nav_contours *in, int32_t l)
{
    int32_t first = in->loop_first[l], end = l + 1, holes = 0;
    for (; end < in->loop_count && in->loop_hole[end]; end++)
        w->hole[holes++] = (half_hole){w->low[end], in->loop_first[end + 1] - in->loop_first[end]};
    half_group g = {first, in->loop_first[l + 1] - first, w->hole, holes, in->loop_region[l], in->loop_area[l]};
    w->m.failed_loops += !nav_half_triangulate(&w->m, &g);
    return end;
}

// Keeps the half-edges as they are: these are the polygons.
static void keep_polygons(polygon_work *w)
{
    half_edges *m = &w->m;
    size_t bytes = (size_t)m->count * sizeof(int32_t);
    memcpy(w->poly_next, m->next, bytes);
    memcpy(w->poly_twin, m->twin, bytes);
    for (int32_t h = 0; h < m->count; h++)
        if (m->twin[h] != HALF_FREE) w->poly_face[h] = half_face(m, h);
    memcpy(w->poly_region, m->face_region, (size_t)m->face_count * sizeof(int32_t));
}

// Cells first, then the polygons as their pieces.
static void decompose(polygon_work *w, const nav_contours *in, const nav_config *cfg)
{
    half_edges *m = &w->m;
    bool settled = true;
    memset(w->seen, 0, (size_t)m->capacity);
    for (int32_t l = 0; l < in->loop_count;) {
        int32_t loops = 1, faces = m->face_count;
        while (l + loops < in->loop_count && in->loop_hole[l + loops]) loops++;
        if (!nav_cells_cut_group(m, in->loop_first + l, loops, in->loop_region[l], in->loop_area[l])) {
            l = triangulate_group(w, in, l);
            settled = false;
            continue;
        }
        bool linked = false;
        for (int32_t i = in->loop_first[l]; i < in->loop_first[l + loops]; i++) linked |= m->twin[i] >= 0;
        if (!linked) memset(w->seen + faces, CELL_SETTLED, (size_t)(m->face_count - faces));
        settled &= !linked;
        l += loops;
    }
    nav_half_remove_joints(m);
    if (!settled) {
        nav_half_merge(m, CELL_CORNERS, true);
        nav_cells_improve(m, w->seen);
    }
    int32_t cuts = nav_cells_split(m, cfg->polygon_max_vertices, m->blocker);
    w->same = cuts == 0 && cfg->relaxation == 0;
    if (w->same) return;
    keep_polygons(w);
    nav_cells_unsplit(m, m->blocker, cuts);
    memset(w->seen, 0, (size_t)m->face_count);
    if (cfg->relaxation > 0) nav_cells_relax(m, cfg->relaxation * cfg->unit, w->seen);
}

// Numbers the cells in the order of their first half-edge.
static void number_cells(polygon_work *w, nav_polygons *out)
{
    half_edges *m = &w->m;
    int32_t *cell_of = w->number;
    memset(cell_of, 0xff, (size_t)m->face_count * sizeof *cell_of);
    out->cell_count = 0;
    for (int32_t h = 0; h < m->count; h++) {
        if (m->twin[h] == HALF_FREE) continue;
        int32_t c = half_face(m, h);
        if (cell_of[c] >= 0) continue;
        cell_of[c] = out->cell_count++;
        if (out->cell_flags) out->cell_flags[cell_of[c]] = w->seen[c] ? NAV_CELL_RELAXED : 0;
    }
}

// Numbers the polygons by cell, and those of a cell in the order of their first half-edge.
static void number_polygons(polygon_work *w, nav_polygons *out)
{
    half_edges *m = &w->m;
    int32_t *cell_of = w->number, *poly_of = w->number + m->face_count;
    memset(poly_of, 0xff, (size_t)m->face_count * sizeof *poly_of);
    out->count = 0;
    // Counting sort of the polygons by cell. poly_face[] has union-find roots of the time, one per polygon.
    memset(out->cell_poly, 0, ((size_t)out->cell_count + 1) * sizeof *out->cell_poly);
    for (int32_t h = 0; h < m->count; h++) {
        if (w->poly_twin[h] == HALF_FREE) continue;
        int32_t p = w->poly_face[h];
        if (poly_of[p] >= 0) continue;
        poly_of[p] = 0;
        out->cell_poly[cell_of[half_face(m, h)] + 1]++;
        out->count++;
    }
    for (int32_t c = 0; c < out->cell_count; c++) out->cell_poly[c + 1] += out->cell_poly[c];
    memset(poly_of, 0xff, (size_t)m->face_count * sizeof *poly_of);
    for (int32_t h = 0; h < m->count; h++) {
        if (w->poly_twin[h] == HALF_FREE) continue;
        int32_t p = w->poly_face[h];
        if (poly_of[p] >= 0) continue;
        poly_of[p] = out->cell_poly[cell_of[half_face(m, h)]]++;
        out->region[poly_of[p]] = w->poly_region[p];
        out->area[poly_of[p]] = m->face_area[p];
    }
    for (int32_t c = out->cell_count; c > 0; c--) out->cell_poly[c] = out->cell_poly[c - 1];
    out->cell_poly[0] = 0;
}

// Polygons or cells: rings of corners per face, in the order of the faces' numbers.
typedef struct rings {
    const int32_t *next, *twin, *face, *number;
    int32_t count;
    int32_t *begin; // scratch: per face number: its first half-edge
    int32_t *first, *vert, *behind;
} rings;

static void write_rings(polygon_work *w, const rings *v, nav_polygons *out)
{
    const half_edges *m = &w->m;
    for (int32_t f = 0; f < v->count; f++) v->begin[f] = -1;
    for (int32_t h = m->count - 1; h >= 0; h--)
        if (v->twin[h] != HALF_FREE) v->begin[v->number[v->face[h]]] = h;
    int32_t n = 0;
    for (int32_t f = 0; f < v->count; f++) {
        v->first[f] = n;
        int32_t h = v->begin[f];
        do {
            int32_t vert = m->org[h], t = v->twin[h];
            if (w->vert_of[vert] < 0) {
                int32_t i = w->vert_of[vert] = out->vert_count++;
                out->x[i] = m->at[vert].x;
                out->z[i] = m->at[vert].z;
                out->y[i] = m->y[vert];
            }
            v->vert[n] = w->vert_of[vert];
            v->behind[n++] = t >= 0 ? v->number[v->face[t]] : t;
            h = v->next[h];
        } while (h != v->begin[f]);
    }
    v->first[v->count] = n;
}

// The polygons of cells that are one each: the same.
static void copy_cells(polygon_work *w, nav_polygons *out)
{
    half_edges *m = &w->m;
    int32_t count = out->count = out->cell_count, corners = out->cell_first[count];
    for (int32_t f = 0; f < m->face_count; f++) {
        int32_t c = w->number[f];
        if (c < 0) continue;
        out->region[c] = m->face_region[f];
        out->area[c] = m->face_area[f];
    }
    for (int32_t c = 0; c <= count; c++) out->cell_poly[c] = c;
    memcpy(out->first, out->cell_first, ((size_t)count + 1) * sizeof *out->first);
    memcpy(out->vert, out->cell_vert, (size_t)corners * sizeof *out->vert);
    memcpy(out->behind, out->cell_behind, (size_t)corners * sizeof *out->behind);
}

static void write_polygons(polygon_work *w, nav_polygons *out)
{
    half_edges *m = &w->m;
    number_cells(w, out);
    if (!w->same) number_polygons(w, out);
    for (int32_t h = 0; h < m->count; h++)
        if (m->twin[h] != HALF_FREE) (void)half_face(m, h);
    memset(w->vert_of, 0xff, (size_t)m->vert_count * sizeof *w->vert_of);
    out->vert_count = 0;
    rings polys = {w->poly_next, w->poly_twin, w->poly_face, w->number + m->face_count, out->count, m->blocker,
                   out->first,   out->vert,    out->behind};
    rings cells = {m->next,    m->twin,         m->face,        w->number,       out->cell_count,
                   m->blocker, out->cell_first, out->cell_vert, out->cell_behind};
    if (!w->same) write_rings(w, &polys, out);
    write_rings(w, &cells, out);
    if (w->same) copy_cells(w, out);
}

static bool take_result(nav_polygons *out, nav_arena *arena, size_t verts, size_t faces)
{
    out->x = NAV_TAKE(arena, int32_t, verts);
    out->z = NAV_TAKE(arena, int32_t, verts);
    out->y = NAV_TAKE(arena, int32_t, verts);
    out->first = NAV_TAKE(arena, int32_t, faces + 1);
    out->vert = NAV_TAKE(arena, int32_t, 3 * faces);
    out->behind = NAV_TAKE(arena, int32_t, 3 * faces);
    out->area = NAV_TAKE(arena, uint8_t, faces);
    out->region = NAV_TAKE(arena, int32_t, faces);
    out->cell_poly = NAV_TAKE(arena, int32_t, faces + 1);
    out->cell_first = NAV_TAKE(arena, int32_t, faces + 1);
    out->cell_vert = NAV_TAKE(arena, int32_t, 3 * faces);
    out->cell_behind = NAV_TAKE(arena, int32_t, 3 * faces);
    return out->x && out->z && out->y && out->first && out->vert && out->behind && out->area && out->region &&
           out->cell_poly && out->cell_first && out->cell_vert && out->cell_behind;
}

static bool take_work(polygon_work *w, nav_arena *arena, const nav_contours *in)
{
    if (!nav_half_edges_take(&w->m, arena, in)) return false;
    size_t n = (size_t)w->m.capacity, loops = (size_t)in->loop_count;
    size_t table = 16;
    while (table < 2 * (size_t)in->vert_count) table *= 2;
    w->table_size = (int32_t)table;
    w->table = NAV_TAKE(arena, int32_t, table);
    w->vert_of = NAV_TAKE(arena, int32_t, w->m.vert_capacity);
    w->hole = NAV_TAKE(arena, half_hole, loops);
    w->low = NAV_TAKE(arena, int32_t, loops);
    w->poly_next = NAV_TAKE(arena, int32_t, n);
    w->poly_twin = NAV_TAKE(arena, int32_t, n);
    w->poly_face = NAV_TAKE(arena, int32_t, n);
    w->poly_region = NAV_TAKE(arena, int32_t, n);
    w->number = NAV_TAKE(arena, int32_t, 2 * n);
    w->seen = NAV_TAKE(arena, uint8_t, n);
    return w->table && w->vert_of && w->hole && w->low && w->poly_next && w->poly_twin && w->poly_face &&
           w->poly_region && w->number && w->seen;
}

nav_status nav_polygons_build(const nav_contours *in, const nav_config *cfg, nav_arena *arena, nav_polygons *out)
{
    *out = (nav_polygons){0};
    size_t verts = 2 * (size_t)in->vert_count, faces = verts;
    for (int32_t l = 0; l < in->loop_count; l++) faces += in->loop_hole[l] ? 2 : 0;
    if (3 * faces > INT32_MAX) return NAV_ERR_LIMIT;
    if (!take_result(out, arena, verts, faces)) return nav_arena_failure(arena);
    if (cfg->partition == NAV_PARTITION_CONVEX && cfg->relaxation > 0) {
        out->cell_flags = NAV_TAKE(arena, uint8_t, faces);
        if (!out->cell_flags) return nav_arena_failure(arena);
    }
    nav_arena_mark scratch = nav_arena_get_mark(arena);
    nav_status status = NAV_OK;
    polygon_work w = {0};
    if (!take_work(&w, arena, in)) {
        status = nav_arena_failure(arena);
        goto done;
    }
    w.m.method = cfg->triangulation;
    w.m.wide = cfg->tile_units >= 1 << 15;
    w.m.unit = cfg->unit;
    w.m.voxel_aspect = cfg->cell_height_m / cfg->unit_size_m;
    nav_half_weld(&w.m, in, w.vert_of, w.table, w.table_size);
    make_rings(&w, in);
    link_regions(&w);
    if (cfg->partition == NAV_PARTITION_CONVEX) {
        decompose(&w, in, cfg);
    } else {
        for (int32_t l = 0; l < in->loop_count;) l = triangulate_group(&w, in, l);
        nav_half_remove_joints(&w.m);
        nav_half_merge(&w.m, cfg->polygon_max_vertices, false);
        keep_polygons(&w);
        nav_half_merge(&w.m, CELL_CORNERS, true);
    }
    write_polygons(&w, out);
    out->failed_loops = w.m.failed_loops;
done:
    nav_arena_release(arena, scratch);
    return status;
}
