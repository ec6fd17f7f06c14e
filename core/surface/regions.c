// Regions: faces of one area that hang together.
//
// How often a region covers a place is how often its loops wind around it. So one whose loops are an outer one and
// holes that do not meet lies beside itself everywhere, and nothing has to be asked of its faces. Only where loops meet
// is each face compared with those around it, and the region divided: a spiral, a fold. What is left then is a matter
// of rounding: the region's loops are those of the union of its faces, which is snapped to the grid (core/outline).
#include "core/outline/union.h"
#include "core/surface/surface_work.h"

#include <string.h>

typedef struct flood {
    surface_mesh *m;
    surface_faces *f;
    int32_t *queue;
    // Of the region that is divided: its faces in the cells of a grid.
    int32_t side, cell;
    int32_t *cell_first, *next, *item; // per cell the first entry, per entry the next one and its face
    int32_t entry_count, entry_capacity;
    int32_t *stamp, round; // per face: the look that has seen it
} flood;

static int64_t area2_of(const flood *w, int32_t face)
{
    const surface_faces *f = w->f;
    int64_t sum = 0;
    nav_point a = surface_at(w->m, f->vert[f->first[face]]);
    for (int32_t c = f->first[face] + 1; c + 1 < f->first[face + 1]; c++)
        sum += nav_right(a, surface_at(w->m, f->vert[c]), surface_at(w->m, f->vert[c + 1]));
    return sum;
}

// Is there an edge of face a that has all of face b on its outer side; strictly, or on it?
static bool edge_parts(const flood *w, int32_t a, int32_t b, bool strictly)
{
    const surface_faces *f = w->f;
    for (int32_t c = f->first[a]; c < f->first[a + 1]; c++) {
        nav_point p = surface_at(w->m, f->vert[c]), q = surface_at(w->m, f->vert[surface_corner_after(f, c)]);
        bool apart = true;
        for (int32_t k = f->first[b]; k < f->first[b + 1] && apart; k++)
            apart = nav_right(p, q, surface_at(w->m, f->vert[k])) <= (strictly ? -1 : 0);
        if (apart) return true;
    }
    return false;
}

static void box_of(const flood *w, int32_t face, int32_t low[2], int32_t high[2])
{
    const surface_faces *f = w->f;
    low[0] = low[1] = w->side - 1;
    high[0] = high[1] = 0;
    for (int32_t c = f->first[face]; c < f->first[face + 1]; c++) {
        const int32_t at[2] = {w->m->x[f->vert[c]] / w->cell, w->m->z[f->vert[c]] / w->cell};
        for (int k = 0; k < 2; k++) {
            low[k] = at[k] < low[k] ? at[k] : low[k];
            high[k] = at[k] > high[k] ? at[k] : high[k];
        }
    }
}

static nav_status put(flood *w, int32_t face)
{
    int32_t low[2], high[2];
    box_of(w, face, low, high);
    for (int32_t z = low[1]; z <= high[1]; z++)
        for (int32_t x = low[0]; x <= high[0]; x++) {
            int32_t capacity = w->entry_capacity;
            int64_t count = (int64_t)w->entry_count + 1;
            nav_status s = nav_grow(w->m->arena, (void **)&w->next, &capacity, count, sizeof(int32_t));
            capacity = w->entry_capacity;
            if (s == NAV_OK) s = nav_grow(w->m->arena, (void **)&w->item, &capacity, count, sizeof(int32_t));
            if (s != NAV_OK) return s;
            w->entry_capacity = capacity;
            w->next[w->entry_count] = w->cell_first[z * w->side + x];
            w->item[w->entry_count] = face;
            w->cell_first[z * w->side + x] = w->entry_count++;
        }
    return NAV_OK;
}

static void heights_of(const flood *w, int32_t face, int32_t *low, int32_t *high)
{
    const surface_faces *f = w->f;
    *low = INT32_MAX;
    *high = INT32_MIN;
    for (int32_t c = f->first[face]; c < f->first[face + 1]; c++) {
        int32_t y = w->m->y[f->vert[c]];
        *low = y < *low ? y : *low;
        *high = y > *high ? y : *high;
    }
}

// Do two faces lie above each other? Those that only touch do if they are more than a step apart.
static bool collide(const flood *w, int32_t a, int32_t b)
{
    if (!edge_parts(w, a, b, false) && !edge_parts(w, b, a, false)) return true;
    int32_t low_a, high_a, low_b, high_b, climb = w->m->cfg->climb_vx + SURFACE_ROUNDING;
    heights_of(w, a, &low_a, &high_a);
    heights_of(w, b, &low_b, &high_b);
    if ((int64_t)low_a - high_b <= climb && (int64_t)low_b - high_a <= climb) return false;
    return !edge_parts(w, a, b, true) && !edge_parts(w, b, a, true);
}

// Does the face lie above or below one that was put?
static bool overlaps(flood *w, int32_t face)
{
    int32_t low[2], high[2];
    box_of(w, face, low, high);
    w->round++;
    for (int32_t z = low[1]; z <= high[1]; z++)
        for (int32_t x = low[0]; x <= high[0]; x++)
            for (int32_t e = w->cell_first[z * w->side + x]; e >= 0; e = w->next[e]) {
                int32_t other = w->item[e];
                if (w->stamp[other] == w->round) continue;
                w->stamp[other] = w->round;
                if (collide(w, face, other)) return true;
            }
    return false;
}

// Makes all faces that hang together with `from` and are of region `old` of region `now`; divided: as far as they do
// not lie above each other.
static nav_status spread(flood *w, int32_t from, int32_t old, int32_t now, bool divided)
{
    surface_faces *f = w->f;
    int32_t count = 0;
    nav_status s = NAV_OK;
    w->queue[count++] = from;
    f->region[from] = now;
    if (divided && area2_of(w, from) > 0) s = put(w, from);
    for (int32_t i = 0; i < count && s == NAV_OK; i++)
        for (int32_t c = f->first[w->queue[i]]; c < f->first[w->queue[i] + 1] && s == NAV_OK; c++) {
            int32_t face = f->behind[c] >= 0 ? f->face[f->behind[c]] : -1;
            if (face < 0 || f->region[face] != old || f->area[face] != f->area[from]) continue;
            bool solid = divided && area2_of(w, face) > 0;
            if (solid && overlaps(w, face)) continue;
            f->region[face] = now;
            if (solid) s = put(w, face);
            w->queue[count++] = face;
        }
    return s;
}

static nav_status divide(flood *w, int32_t region)
{
    surface_faces *f = w->f;
    nav_status s = NAV_OK;
    int32_t faces = 0, first = 1;
    for (int32_t i = 0; i < f->count; i++) faces += f->region[i] == region;
    w->side = 1;
    while (w->side < 256 && w->side * w->side < faces) w->side *= 2;
    w->cell = w->m->cfg->tile_units / w->side + 1;
    w->cell_first = NAV_TAKE(w->m->arena, int32_t, (size_t)w->side * (size_t)w->side);
    if (!w->stamp) w->stamp = NAV_TAKE_ZERO(w->m->arena, int32_t, f->count);
    if (!w->cell_first || !w->stamp) return nav_arena_failure(w->m->arena);
    for (int32_t i = 0; i < f->count; i++)
        if (f->region[i] == region) f->region[i] = 0;
    for (int32_t i = 0; i < f->count && s == NAV_OK; i++) {
        if (f->region[i] != 0) continue;
        memset(w->cell_first, 0xff, (size_t)w->side * (size_t)w->side * sizeof *w->cell_first);
        w->entry_count = 0;
        s = spread(w, i, 0, first ? region : ++f->region_count, true);
        first = 0;
    }
    return s;
}

// The height of the region at a corner of the union: of the vertex there, else of the nearest corner of a face.
static int32_t height_near(const flood *w, int32_t region, nav_point p)
{
    const surface_faces *f = w->f;
    int64_t least = INT64_MAX;
    int32_t height = 0;
    for (int32_t c = 0; c < f->corner_count && least > 0; c++) {
        if (f->region[f->face[c]] != region) continue;
        int64_t apart = nav_distance2(p, surface_at(w->m, f->vert[c]));
        if (apart >= least) continue;
        least = apart;
        height = w->m->y[f->vert[c]];
    }
    return height;
}

// The loops of a region as those of the union of its faces.
static nav_status unite(flood *w, int32_t region, surface_loops *out)
{
    surface_faces *f = w->f;
    surface_mesh *m = w->m;
    nav_shapes shapes = {0};
    nav_loops loops;
    nav_status s = NAV_OK;
    uint8_t area = 0;
    const int32_t side = m->cfg->tile_units;
    for (int32_t i = 0; i < f->count && s == NAV_OK; i++) {
        nav_point at[8];
        int32_t n = f->first[i + 1] - f->first[i];
        if (f->region[i] != region) continue;
        area = f->area[i];
        for (int32_t k = 0; k < n; k++) at[k] = surface_at(m, f->vert[f->first[i] + k]);
        s = nav_shapes_add_hull(&shapes, m->arena, at, n);
    }
    if (s == NAV_OK && shapes.count == 0) return NAV_OK;
    if (s == NAV_OK) s = nav_union_build(&shapes, m->arena, &loops);
    for (int32_t l = 0; s == NAV_OK && l < loops.count; l++) {
        surface_loop *loop;
        int32_t first = loops.first[l], n = loops.first[l + 1] - first;
        s = nav_surface_add_loop(m, out, n, &loop);
        if (s != NAV_OK) break;
        loop->region = region;
        loop->area = area;
        for (int32_t i = 0; i < n; i++) { // what is free is to their right, the region to their left: backwards
            nav_point p = loops.at[first + n - 1 - i], q = loops.at[first + (2 * n - 2 - i) % n];
            int32_t at = loop->first + i;
            out->x[at] = p.x;
            out->z[at] = p.z;
            out->y[at] = height_near(w, region, p);
            out->joint[at] = 0;
            out->behind[at] = p.x == 0 && q.x == 0         ? NAV_EDGE_PORTAL_XMIN
                              : p.x == side && q.x == side ? NAV_EDGE_PORTAL_XMAX
                              : p.z == 0 && q.z == 0       ? NAV_EDGE_PORTAL_ZMIN
                              : p.z == side && q.z == side ? NAV_EDGE_PORTAL_ZMAX
                                                           : NAV_EDGE_WALL;
        }
        nav_surface_tidy(out, m->cfg->climb_vx);
    }
    return s;
}

// The loops of each region, and whether they are simple. Loops of a region stand together.
static nav_status check(flood *w, surface_loops *loops, uint8_t *simple)
{
    nav_status s = nav_surface_trace(w->m, w->f, 0, loops);
    // Insertion is enough: faces are numbered by region nearly in order.
    for (int32_t i = 1; i < loops->count && s == NAV_OK; i++) {
        surface_loop l = loops->loop[i];
        int32_t k = i;
        for (; k > 0 && loops->loop[k - 1].region > l.region; k--) loops->loop[k] = loops->loop[k - 1];
        loops->loop[k] = l;
    }
    for (int32_t i = 0, end; i < loops->count && s == NAV_OK; i = end) {
        int32_t region = loops->loop[i].region;
        bool is_simple;
        int32_t outer = 0;
        for (end = i; end < loops->count && loops->loop[end].region == region; end++)
            outer += loops->loop[end].area2 < 0;
        if (w->m->single && outer == 1) continue;
        s = nav_surface_is_simple(loops, i, end - i, w->m->arena, &is_simple);
        simple[region] = is_simple;
    }
    return s;
}

static void forget(surface_loops *l)
{
    l->count = l->corner_count = l->removed = 0;
}

nav_status nav_surface_regions(surface_mesh *m, surface_faces *f, surface_loops *out)
{
    flood w = {.m = m, .f = f};
    w.queue = NAV_TAKE(m->arena, int32_t, f->count);
    // Of a region that is divided there may be as many as it has faces.
    uint8_t *simple = NAV_TAKE(m->arena, uint8_t, (size_t)f->count + 1);
    if (!w.queue || !simple) return nav_arena_failure(m->arena);
    nav_status s = NAV_OK;
    for (int32_t i = 0; i < f->count; i++) f->region[i] = 0;
    for (int32_t i = 0; i < f->count && s == NAV_OK; i++)
        if (f->region[i] == 0) s = spread(&w, i, 0, ++f->region_count, false);
    memset(simple, 1, (size_t)f->count + 1);
    if (s == NAV_OK) s = check(&w, out, simple);
    int32_t regions = f->region_count;
    bool again = false;
    for (int32_t r = 1; r <= regions && s == NAV_OK; r++) {
        if (simple[r]) continue;
        s = divide(&w, r);
        again = true;
    }
    if (s != NAV_OK || !again) return s;
    forget(out);
    memset(simple, 1, (size_t)f->count + 1);
    s = check(&w, out, simple);
    int32_t kept = 0;
    for (int32_t i = 0; i < out->count; i++)
        if (simple[out->loop[i].region]) out->loop[kept++] = out->loop[i];
    out->count = kept;
    for (int32_t r = 1; r <= f->region_count && s == NAV_OK; r++)
        if (!simple[r]) s = unite(&w, r, out);
    return s;
}
