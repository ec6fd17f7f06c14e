// Parts by union-find over the polygons: two polygons with a common edge, or of one cell, belong together.

#include "core/reach/parts.h"

#include <stdlib.h>
#include <string.h>

static int compare_edges(const void *a, const void *b)
{
    const nav_border_edge *l = a, *r = b;
    const int32_t left[4] = {l->lo, l->hi, l->y_lo, l->y_hi}, right[4] = {r->lo, r->hi, r->y_lo, r->y_hi};
    for (int k = 0; k < 4; k++)
        if (left[k] != right[k]) return left[k] < right[k] ? -1 : 1;
    return (l->part > r->part) - (l->part < r->part); // equal ones are equal in every way
}

// --- polygons to parts

static int32_t root_of(int32_t *up, int32_t i)
{
    while (up[i] != i) i = up[i] = up[up[i]];
    return i;
}

// The lower number becomes the root, so that a part's root is its first polygon.
static void join(int32_t *up, int32_t a, int32_t b)
{
    a = root_of(up, a);
    b = root_of(up, b);
    if (a < b)
        up[b] = a;
    else
        up[a] = b;
}

nav_status nav_parts_of_polygons(const nav_polygons *polys, nav_arena *arena, int32_t **part, uint32_t *count)
{
    int32_t *up = NAV_TAKE(arena, int32_t, polys->count), *out = NAV_TAKE(arena, int32_t, polys->count);
    if (!up || !out) return nav_arena_failure(arena);
    for (int32_t p = 0; p < polys->count; p++) up[p] = p;
    for (int32_t p = 0; p < polys->count; p++)
        for (int32_t k = polys->first[p]; k < polys->first[p + 1]; k++)
            if (polys->behind[k] >= 0) join(up, p, polys->behind[k]);
    for (int32_t c = 0; c < polys->cell_count; c++)
        for (int32_t p = polys->cell_poly[c] + 1; p < polys->cell_poly[c + 1]; p++) join(up, polys->cell_poly[c], p);
    *count = 0;
    for (int32_t p = 0; p < polys->count; p++) {
        int32_t root = root_of(up, p);
        out[p] = root == p ? (int32_t)(*count)++ : out[root];
    }
    *part = out;
    return NAV_OK;
}

// --- where is the nearest ground?

typedef struct point2 {
    double x, z;
} point2;

// The triangle's point nearest to p in the plane, as weights of its corners.
static void nearest_on_triangle(const point2 t[3], point2 p, double weight[3])
{
    double best = -1;
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        point2 a = t[k], b = t[(k + 1) % 3];
        double ex = b.x - a.x, ez = b.z - a.z, px = p.x - a.x, pz = p.z - a.z;
        inside = inside && ex * pz - ez * px <= 0; // corners turn right-handed about +Y
        double length2 = ex * ex + ez * ez, at = length2 > 0 ? (px * ex + pz * ez) / length2 : 0;
        at = at < 0 ? 0 : at > 1 ? 1 : at;
        double dx = px - at * ex, dz = pz - at * ez, d2 = dx * dx + dz * dz;
        if (best >= 0 && d2 >= best) continue;
        best = d2;
        weight[k] = 1 - at;
        weight[(k + 1) % 3] = at;
        weight[(k + 2) % 3] = 0;
    }
    double area = (t[1].x - t[0].x) * (t[2].z - t[0].z) - (t[1].z - t[0].z) * (t[2].x - t[0].x);
    if (!inside || area == 0) return;
    for (int k = 0; k < 2; k++) {
        point2 a = t[(k + 1) % 3], b = t[(k + 2) % 3];
        weight[k] = ((a.x - p.x) * (b.z - p.z) - (a.z - p.z) * (b.x - p.x)) / area;
    }
    weight[2] = 1 - weight[0] - weight[1];
}

typedef struct finder {
    const nav_tile *tile;
    const nav_place_query *query;
    double at[3]; // outline units, and the height in voxels
    double best2; // metres; negative: none yet
} finder;

static void corner_place(const nav_tile *tile, int32_t poly, int32_t local, double out[3])
{
    const nav_polygons *p = &tile->polygons;
    const nav_detail *d = &tile->detail;
    int32_t corners = p->first[poly + 1] - p->first[poly];
    if (local < corners) {
        int32_t v = p->vert[p->first[poly] + local];
        out[0] = p->x[v];
        out[1] = p->y[v];
        out[2] = p->z[v];
    } else {
        int32_t v = d->vert_first[poly] + local - corners;
        out[0] = (double)d->x[v];
        out[1] = (double)d->y[v];
        out[2] = (double)d->z[v];
    }
}

// Is this triangle nearer than what was found so far?
static bool look_at(finder *f, int32_t poly, int32_t a, int32_t b, int32_t c)
{
    const nav_config *cfg = &f->tile->config;
    const int32_t local[3] = {a, b, c};
    double place[3][3], weight[3], at[3] = {0};
    point2 t[3];
    for (int k = 0; k < 3; k++) {
        corner_place(f->tile, poly, local[k], place[k]);
        t[k] = (point2){place[k][0], place[k][2]};
    }
    nearest_on_triangle(t, (point2){f->at[0], f->at[2]}, weight);
    for (int k = 0; k < 3; k++)
        for (int axis = 0; axis < 3; axis++) at[axis] += weight[k] * place[k][axis];
    double dx = (at[0] - f->at[0]) * cfg->unit_size_m, dz = (at[2] - f->at[2]) * cfg->unit_size_m;
    double dy = (at[1] - f->at[1]) * cfg->cell_height_m, flat2 = dx * dx + dz * dz;
    double radius = (double)f->query->radius_m, height = (double)f->query->height_m;
    dy = dy < 0 ? -dy : dy;
    if (flat2 > radius * radius || dy > height) return false;
    if (flat2 < 1e-6 * cfg->cell_size_m * cfg->cell_size_m) { // above or below it
        double climb = (double)f->tile->settings->agent_climb_m;
        dy = dy < climb ? 0 : dy - climb;
    }
    double d2 = flat2 + dy * dy;
    if (f->best2 >= 0 && d2 >= f->best2) return false;
    f->best2 = d2;
    return true;
}

int32_t nav_parts_find(const nav_tile *tile, const int32_t *part, const nav_place_query *q, double *distance2)
{
    const nav_polygons *p = &tile->polygons;
    const nav_config *cfg = &tile->config;
    finder f = {.tile = tile, .query = q, .best2 = -1};
    f.at[0] = ((double)q->at[0] - cfg->origin_m[0]) / cfg->unit_size_m - (double)cfg->tile_x * cfg->tile_units;
    f.at[1] = ((double)q->at[1] - cfg->origin_m[1]) / cfg->cell_height_m;
    f.at[2] = ((double)q->at[2] - cfg->origin_m[2]) / cfg->unit_size_m - (double)cfg->tile_z * cfg->tile_units;
    double reach = (double)q->radius_m / cfg->unit_size_m;
    int32_t found = -1;
    for (int32_t i = 0; i < p->count; i++) {
        int32_t corners = p->first[i + 1] - p->first[i], low[2] = {INT32_MAX, INT32_MAX},
                high[2] = {INT32_MIN, INT32_MIN};
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++) {
            const int32_t at[2] = {p->x[p->vert[k]], p->z[p->vert[k]]};
            for (int a = 0; a < 2; a++) {
                if (at[a] < low[a]) low[a] = at[a];
                if (at[a] > high[a]) high[a] = at[a];
            }
        }
        if (f.at[0] < low[0] - reach || f.at[0] > high[0] + reach || f.at[2] < low[1] - reach ||
            f.at[2] > high[1] + reach)
            continue;
        bool nearer = false;
        const nav_detail *d = &tile->detail;
        if (d->tri_first && d->tri_first[i + 1] > d->tri_first[i]) {
            for (int32_t t = d->tri_first[i]; t < d->tri_first[i + 1]; t++)
                nearer = look_at(&f, i, d->tri[t][0], d->tri[t][1], d->tri[t][2]) || nearer;
        } else {
            for (int32_t k = 2; k < corners; k++) nearer = look_at(&f, i, 0, k - 1, k) || nearer;
        }
        if (nearer) found = part[i];
    }
    *distance2 = f.best2;
    return found;
}

// --- border edges and links

static nav_border_edge edge_at(const nav_polygons *p, int32_t poly, int32_t corner, int32_t part)
{
    int32_t side = NAV_EDGE_PORTAL_XMAX - p->behind[corner];
    int32_t next = corner + 1 == p->first[poly + 1] ? p->first[poly] : corner + 1;
    const int32_t *along = side & 1 ? p->x : p->z;
    int32_t lo = p->vert[corner], hi = p->vert[next];
    if (along[lo] > along[hi]) {
        int32_t swap = lo;
        lo = hi;
        hi = swap;
    }
    return (nav_border_edge){along[lo], along[hi], p->y[lo], p->y[hi], (uint32_t)part};
}

static void collect_edges(const nav_polygons *p, const int32_t *part, nav_parts *out)
{
    uint32_t at[NAV_SIDES];
    memcpy(at, out->edge_first, sizeof at);
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++)
            if (nav_edge_is_portal(p->behind[k]))
                out->edges[at[NAV_EDGE_PORTAL_XMAX - p->behind[k]]++] = edge_at(p, i, k, part[i]);
    for (int s = 0; s < NAV_SIDES; s++) {
        uint32_t count = out->edge_first[s + 1] - out->edge_first[s];
        if (count > 1) qsort(out->edges + out->edge_first[s], count, sizeof *out->edges, compare_edges);
    }
}

static void collect_links(const nav_tile *tile, const int32_t *part, nav_parts *out)
{
    for (uint32_t i = 0; i < tile->link_count; i++) {
        const nav_link *l = tile->links[i];
        double distance2;
        nav_place_query q = {{l->start[0], l->start[1], l->start[2]}, l->radius_m, tile->settings->agent_climb_m};
        int32_t at = tile->config.walkable_areas >> l->area & 1 ? nav_parts_find(tile, part, &q, &distance2) : -1;
        if (at < 0) continue;
        out->links[out->link_count++] =
            (nav_part_link){{l->end[0], l->end[1], l->end[2]}, l->radius_m, (uint32_t)at, l->both_ways ? 1 : 0};
    }
}

static size_t padded(size_t count, size_t size)
{
    return (count * size + 7) & ~(size_t)7;
}

size_t nav_parts_bytes(const nav_parts *p)
{
    return padded(1, sizeof *p) + padded(p->count, sizeof *p->doubled_area) +
           padded(p->edge_first[NAV_SIDES], sizeof *p->edges) + padded(p->link_count, sizeof *p->links);
}

// Points the members of a block to its arrays, which have room for what `sizes` counts.
static void lay_out(nav_parts *p, const nav_parts *sizes)
{
    char *at = (char *)p + padded(1, sizeof *p);
    p->doubled_area = (int64_t *)(void *)at;
    p->edges = (nav_border_edge *)(void *)(at += padded(sizes->count, sizeof *p->doubled_area));
    p->links = (nav_part_link *)(void *)(at + padded(sizes->edge_first[NAV_SIDES], sizeof *p->edges));
}

nav_parts *nav_parts_copy(const nav_parts *p, void *memory)
{
    nav_parts *copy = memory;
    const size_t head = padded(1, sizeof *p);
    *copy = (nav_parts){.refs = 1, .count = p->count, .link_count = p->link_count}; // p's may change meanwhile
    memcpy(copy->edge_first, p->edge_first, sizeof copy->edge_first);
    memcpy((char *)memory + head, (const char *)p + head, nav_parts_bytes(p) - head);
    lay_out(copy, p);
    return copy;
}

nav_status nav_parts_create(const nav_tile *tile, nav_arena *scratch, nav_parts **out)
{
    const nav_polygons *p = &tile->polygons;
    nav_arena_mark mark = nav_arena_get_mark(scratch);
    nav_parts head = {0}, *made = NULL;
    int32_t *part;
    nav_status s = nav_parts_of_polygons(p, scratch, &part, &head.count);
    if (s != NAV_OK) goto done;
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = p->first[i]; k < p->first[i + 1]; k++)
            if (nav_edge_is_portal(p->behind[k])) head.edge_first[1 + NAV_EDGE_PORTAL_XMAX - p->behind[k]]++;
    for (int k = 0; k < NAV_SIDES; k++) head.edge_first[k + 1] += head.edge_first[k];

    head.link_count = tile->link_count; // at most
    made = calloc(1, nav_parts_bytes(&head));
    s = made ? NAV_OK : NAV_ERR_MEMORY;
    if (s != NAV_OK) goto done;
    *made = head;
    made->refs = 1;
    made->link_count = 0;
    lay_out(made, &head);
    for (int32_t i = 0; i < p->count; i++)
        for (int32_t k = p->first[i], end = p->first[i + 1]; k < end; k++) {
            int32_t a = p->vert[k], b = p->vert[k + 1 < end ? k + 1 : p->first[i]];
            made->doubled_area[part[i]] += (int64_t)p->x[b] * p->z[a] - (int64_t)p->x[a] * p->z[b];
        }
    for (uint32_t i = 0; i < made->count; i++) made->doubled_area[i] >>= 2 * tile->config.unit_shift;
    collect_edges(p, part, made);
    collect_links(tile, part, made);
    *out = made;
done:
    nav_arena_release(scratch, mark);
    return s;
}

nav_parts *nav_parts_ref(nav_parts *p)
{
    p->refs++;
    return p;
}

void nav_parts_unref(nav_parts *p)
{
    if (p && --p->refs == 0) free(p);
}

void nav_parts_guess(const nav_parts *p, const nav_parts *before, const uint8_t *before_off, int64_t min_doubled_area,
                     uint8_t *off)
{
    enum { ALONE, NEW, LINKED, WAS_OFF, WAS_ON }; // ascending: what more is known of a part
    memset(off, ALONE, p->count);
    for (uint32_t i = 0; i < p->link_count; i++) off[p->links[i].part] = LINKED;
    for (int s = 0; s < NAV_SIDES; s++) {
        uint32_t k = before ? before->edge_first[s] : 0, end = before ? before->edge_first[s + 1] : 0;
        for (uint32_t i = p->edge_first[s]; i < p->edge_first[s + 1]; i++) {
            nav_border_edge edge = p->edges[i];
            uint8_t *known = &off[edge.part], now = NEW;
            edge.part = 0;
            while (k < end && compare_edges(&before->edges[k], &edge) < 0) k++; // both are sorted
            if (k < end && before->edges[k].lo == edge.lo && before->edges[k].hi == edge.hi &&
                before->edges[k].y_lo == edge.y_lo && before->edges[k].y_hi == edge.y_hi)
                now = before_off[before->edges[k].part] ? WAS_OFF : WAS_ON;
            if (now > *known) *known = now;
        }
    }
    for (uint32_t i = 0; i < p->count; i++)
        off[i] = off[i] == WAS_OFF || (off[i] == NEW && before) ||
                 (off[i] == ALONE && p->doubled_area[i] < min_doubled_area);
}

bool nav_parts_same(const nav_parts *a, const nav_parts *b)
{
    return a->count == b->count && a->link_count == b->link_count &&
           !memcmp(a->edge_first, b->edge_first, sizeof a->edge_first) &&
           !memcmp(a->edges, b->edges, a->edge_first[NAV_SIDES] * sizeof *a->edges) &&
           !memcmp(a->links, b->links, a->link_count * sizeof *a->links);
}

bool nav_border_edges_join(const nav_border_edge *a, const nav_border_edge *b, double near_vx)
{
    int32_t lo = a->lo > b->lo ? a->lo : b->lo, hi = a->hi < b->hi ? a->hi : b->hi;
    double apart[2];
    if (lo >= hi) return false;
    for (int k = 0; k < 2; k++) {
        int32_t at = k ? hi : lo;
        double ya = a->y_lo + ((double)a->y_hi - a->y_lo) * ((double)at - a->lo) / ((double)a->hi - a->lo);
        double yb = b->y_lo + ((double)b->y_hi - b->y_lo) * ((double)at - b->lo) / ((double)b->hi - b->lo);
        apart[k] = ya - yb;
    }
    if ((apart[0] < 0) != (apart[1] < 0)) return true;
    for (int k = 0; k < 2; k++)
        if ((apart[k] < 0 ? -apart[k] : apart[k]) <= near_vx) return true;
    return false;
}
