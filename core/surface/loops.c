// Loops: the boundaries of the regions, walked along the corners of their faces.
//
//       o---o---o       At the end of an edge the next one is the face's own; while a face of the same region lies
//       | \ | / |       behind that, it is turned around the corner, face by face. So loops are right wherever edges
//       o--[o]--o       are: faces may have been turned over by rounding, and heights may be apart at steps.
//
// Corners on straight edges with the same thing behind both are left out, for both regions of an edge and both tiles of
// a border alike. Some on a border stay (find_staying()): one of the tiles may see only one area there, or no end.
#include "core/surface/buckets.h"
#include "core/surface/surface_work.h"

#include <math.h>

static bool is_boundary(const surface_faces *f, int32_t corner, int32_t region)
{
    return f->behind[corner] < 0 || f->region[f->face[f->behind[corner]]] != region;
}

static int32_t behind_of(const surface_faces *f, int32_t corner)
{
    int32_t b = f->behind[corner];
    return b < 0 ? b : f->region[f->face[b]];
}

static int32_t next_edge(const surface_faces *f, int32_t corner, int32_t region)
{
    int32_t c = surface_corner_after(f, corner);
    while (!is_boundary(f, c, region)) c = surface_corner_after(f, f->behind[c]);
    return c;
}

nav_status nav_surface_add_loop(surface_mesh *m, surface_loops *l, int32_t corners, surface_loop **out)
{
    int64_t count = (int64_t)l->corner_count + corners;
    int32_t **arrays[4] = {&l->x, &l->z, &l->y, &l->behind};
    nav_status s = nav_grow(m->arena, (void **)&l->loop, &l->capacity, (int64_t)l->count + 1, sizeof *l->loop);
    for (int i = 0; i < 4 && s == NAV_OK; i++)
        s = nav_grow(m->arena, (void **)arrays[i], &l->corner_capacity[i], count, sizeof(int32_t));
    if (s == NAV_OK) s = nav_grow(m->arena, (void **)&l->joint, &l->corner_capacity[4], count, 1);
    if (s != NAV_OK) return s;
    *out = &l->loop[l->count++];
    **out = (surface_loop){.first = l->corner_count, .count = corners};
    l->corner_count += corners;
    return NAV_OK;
}

static bool is_straight(const surface_loops *l, int32_t a, int32_t b, int32_t c)
{
    nav_point p = {l->x[a], l->z[a]}, q = {l->x[b], l->z[b]}, r = {l->x[c], l->z[c]};
    return nav_right(p, q, r) == 0;
}

// Do the ways from b to a and from b to c, in one direction, lie above each other by more than climb?
static bool is_apart(const surface_loops *l, int32_t a, int32_t b, int32_t c, int32_t climb)
{
    nav_point p = {l->x[a], l->z[a]}, q = {l->x[b], l->z[b]}, r = {l->x[c], l->z[c]};
    int64_t to_a = nav_distance2(q, p), to_c = nav_distance2(q, r);
    int32_t near = to_a < to_c ? a : c, far = to_a < to_c ? c : a;
    double whole = (double)(to_a < to_c ? to_c : to_a), part = (double)(to_a < to_c ? to_a : to_c);
    if (whole == 0) return false;
    double y = l->y[b] + sqrt(part / whole) * ((double)l->y[far] - l->y[b]) - l->y[near];
    return y > climb + SURFACE_ROUNDING || y < -climb - SURFACE_ROUNDING;
}

// Is corner b, behind a and before c, needed? A spike, which leads there and back, is not.
static bool is_needed(const surface_loops *l, int32_t a, int32_t b, int32_t c, int32_t climb)
{
    nav_point p = {l->x[a], l->z[a]}, q = {l->x[b], l->z[b]}, r = {l->x[c], l->z[c]};
    if (nav_point_same(p, q)) return false;
    if (!is_straight(l, a, b, c)) return true;
    if (!nav_between(p, r, q)) return is_apart(l, a, b, c, climb);
    return l->behind[a] != l->behind[b] || (l->joint[b] & SURFACE_STAYS);
}

static void copy_corner(surface_loops *l, int32_t to, int32_t from)
{
    l->x[to] = l->x[from];
    l->z[to] = l->z[from];
    l->y[to] = l->y[from];
    l->behind[to] = l->behind[from];
    l->joint[to] = l->joint[from];
}

void nav_surface_tidy(surface_loops *l, int32_t climb)
{
    surface_loop *loop = &l->loop[l->count - 1];
    int32_t first = loop->first, n = loop->count;
    for (int32_t before = n + 1; n >= 3 && n < before;) {
        int32_t kept = 0;
        before = n;
        // What was kept so far is on a stack: a corner that goes may make the one before it needless.
        for (int32_t i = 0; i < n; i++) {
            copy_corner(l, first + kept++, first + i);
            while (kept >= 3 && !is_needed(l, first + kept - 3, first + kept - 2, first + kept - 1, climb)) {
                bool same = l->x[first + kept - 3] == l->x[first + kept - 2] &&
                            l->z[first + kept - 3] == l->z[first + kept - 2];
                if (same) l->behind[first + kept - 3] = l->behind[first + kept - 2];
                copy_corner(l, first + kept - 2, first + kept - 1);
                kept--;
            }
        }
        // Around the end.
        while (kept >= 3 && !is_needed(l, first + kept - 2, first + kept - 1, first, climb)) kept--;
        while (kept >= 3 && !is_needed(l, first + kept - 1, first, first + 1, climb)) {
            for (int32_t i = 1; i < kept; i++) copy_corner(l, first + i - 1, first + i);
            kept--;
        }
        n = kept;
    }
    loop->count = n;
    loop->area2 = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t a = first + i, b = first + (i + 1 < n ? i + 1 : 0);
        loop->area2 += (int64_t)l->x[a] * l->z[b] - (int64_t)l->x[b] * l->z[a];
        l->joint[a] &= 1;
    }
    if (n >= 3 && loop->area2 != 0) {
        l->corner_count = first + n;
        return;
    }
    l->corner_count = first;
    l->count--;
    l->removed++;
}

// Marks the vertices that stay where a loop is straight: triangles of several areas meet there, or floors end there in
// more than one way, or on a side of the tile. Both tiles of a border see the same.
static nav_status find_staying(const surface_mesh *m, uint8_t **out)
{
    enum { MANY = 3 };
    uint8_t *stays = *out = NAV_TAKE_ZERO(m->arena, uint8_t, m->vert_count);
    const int32_t side = m->cfg->tile_units;
    bool one = true;
    if (!stays) return nav_arena_failure(m->arena);
    for (int32_t t = 1; t < m->tri_count; t++) one &= m->area[t] == m->area[0];
    if (one && m->open == 0 && !m->sheets) return NAV_OK;
    // Ends of floors first, counted; then areas.
    for (int32_t h = 0; h < 3 * m->tri_count; h++) {
        if (m->twin[h] != SURFACE_NONE) continue;
        stays[m->vert[h]] += stays[m->vert[h]] < MANY;
        stays[m->vert[surface_next(h)]] += stays[m->vert[surface_next(h)]] < MANY;
    }
    for (int32_t v = 0; v < m->vert_count; v++) {
        bool on_side = m->x[v] == 0 || m->z[v] == 0 || m->x[v] == side || m->z[v] == side;
        stays[v] = stays[v] >= MANY || (stays[v] && on_side) ? SURFACE_STAYS : 0;
    }
    if (one) return NAV_OK;
    uint8_t *area = NAV_TAKE_ZERO(m->arena, uint8_t, m->vert_count);
    if (!area) return nav_arena_failure(m->arena);
    for (int32_t h = 0; h < 3 * m->tri_count; h++) {
        int32_t v = m->vert[h];
        bool on_side = m->x[v] == 0 || m->z[v] == 0 || m->x[v] == side || m->z[v] == side;
        if (on_side && area[v] && area[v] != m->area[h / 3]) stays[v] = SURFACE_STAYS;
        area[v] = m->area[h / 3];
    }
    for (int32_t i = 0; i < m->loose_count; i++) stays[m->loose[i]] = 0;
    // Behind an edge that is joined with another height it is another vertex.
    for (int32_t h = 0; h < 3 * m->tri_count; h++) {
        int32_t twin = m->twin[h];
        if (twin >= 0) stays[m->vert[h]] |= stays[m->vert[surface_next(twin)]];
    }
    return NAV_OK;
}

// Do two regions of one area meet on the tile's side, in the vertex between two edges of a loop, of which one is the
// side and the other the seam? Then faces lead around the vertex from the side to the same side again, and the other
// tile may have nothing there.
static bool is_joint(const surface_faces *f, int32_t before, int32_t corner)
{
    bool in = nav_edge_is_portal(f->behind[before]) && f->behind[corner] >= 0;
    bool out = nav_edge_is_portal(f->behind[corner]) && f->behind[before] >= 0;
    uint8_t area = f->area[f->face[corner]];
    int32_t c = in ? corner : before, side = in ? f->behind[before] : f->behind[corner];
    if (!in && !out) return false;
    for (int32_t steps = 0; f->behind[c] >= 0 && steps < f->corner_count; steps++) {
        int32_t b = f->behind[c];
        if (f->area[f->face[b]] != area) return false;
        c = in ? surface_corner_after(f, b) : surface_corner_before(f, b);
    }
    return f->behind[c] == side;
}

static nav_status trace_loop(surface_mesh *m, const surface_faces *f, int32_t corner, uint8_t *seen,
                             const uint8_t *stays, surface_loops *out)
{
    int32_t region = f->region[f->face[corner]], n = 0, c = corner;
    do n++;
    while ((c = next_edge(f, c, region)) != corner);
    surface_loop *loop;
    nav_status s = nav_surface_add_loop(m, out, n, &loop);
    if (s != NAV_OK) return s;
    loop->region = region;
    loop->area = f->area[f->face[corner]];
    int32_t before = SURFACE_NONE; // the vertex at which the edge before ended: another one at a step
    int32_t edge = SURFACE_NONE;
    for (int32_t i = 0; i < n; i++, edge = c, c = next_edge(f, c, region)) {
        int32_t at = loop->first + i, v = f->vert[c];
        seen[c] = 1;
        out->x[at] = m->x[v];
        out->z[at] = m->z[v];
        out->y[at] = before >= 0 && m->y[before] > m->y[v] ? m->y[before] : m->y[v];
        out->behind[at] = behind_of(f, c);
        out->joint[at] = stays[v];
        if (i > 0 && is_joint(f, edge, c)) out->joint[at] |= 1;
        before = f->vert[surface_corner_after(f, c)];
    }
    if (m->y[before] > out->y[loop->first]) out->y[loop->first] = m->y[before];
    if (is_joint(f, edge, c)) out->joint[loop->first] |= 1;
    nav_surface_tidy(out, m->cfg->climb_vx);
    return NAV_OK;
}

nav_status nav_surface_trace(surface_mesh *m, const surface_faces *f, int32_t region, surface_loops *out)
{
    uint8_t *seen = NAV_TAKE_ZERO(m->arena, uint8_t, f->corner_count), *stays;
    if (!seen) return nav_arena_failure(m->arena);
    nav_status s = find_staying(m, &stays);
    for (int32_t c = 0; c < f->corner_count && s == NAV_OK; c++) {
        int32_t r = f->region[f->face[c]];
        if (seen[c] || r <= 0 || (region > 0 && r != region) || !is_boundary(f, c, r)) continue;
        s = trace_loop(m, f, c, seen, stays, out);
    }
    return s;
}

// --- do they cross?

typedef struct edges {
    nav_point *from, *to;
    int32_t count;
} edges;

// Do two edges meet anywhere but in a corner that both have?
static bool meet(nav_point a, nav_point b, nav_point c, nav_point d)
{
    int64_t ac = nav_right(a, b, c), ad = nav_right(a, b, d), ca = nav_right(c, d, a), cb = nav_right(c, d, b);
    if ((ac > 0 && ad > 0) || (ac < 0 && ad < 0) || (ca > 0 && cb > 0) || (ca < 0 && cb < 0)) return false;
    bool common = nav_point_same(a, c) || nav_point_same(a, d) || nav_point_same(b, c) || nav_point_same(b, d);
    if (ac == 0 && ad == 0) {
        if (nav_between(a, b, c) || nav_between(a, b, d) || nav_between(c, d, a) || nav_between(c, d, b)) return true;
        return nav_point_same(a, c) ? nav_point_same(b, d) : nav_point_same(a, d) && nav_point_same(b, c);
    }
    return !common;
}

static bool row_is_simple(const edges *e, const surface_buckets *b, int32_t first, int32_t end)
{
    for (int32_t i = first; i < end; i++)
        for (int32_t k = first; k < i; k++) {
            int32_t p = b->item[i], q = b->item[k];
            if (meet(e->from[p], e->to[p], e->from[q], e->to[q])) return false;
        }
    return true;
}

nav_status nav_surface_is_simple(const surface_loops *l, int32_t first, int32_t count, nav_arena *arena, bool *simple)
{
    enum { FEW = 24 };
    edges e = {0};
    int32_t corners = 0, outer = 0, low = INT32_MAX, high = INT32_MIN;
    nav_status s = NAV_OK;
    for (int32_t k = first; k < first + count; k++) {
        corners += l->loop[k].count;
        outer += l->loop[k].area2 < 0;
    }
    *simple = outer == 1;
    if (!*simple) return NAV_OK;
    nav_arena_mark mark = nav_arena_get_mark(arena);
    e.from = NAV_TAKE(arena, nav_point, corners);
    e.to = NAV_TAKE(arena, nav_point, corners);
    if (!e.from || !e.to) {
        s = nav_arena_failure(arena);
        goto done;
    }
    for (int32_t k = first; k < first + count; k++)
        for (int32_t i = 0, n = l->loop[k].count; i < n; i++, e.count++) {
            int32_t a = l->loop[k].first + i, b = l->loop[k].first + (i + 1 < n ? i + 1 : 0);
            e.from[e.count] = (nav_point){l->x[a], l->z[a]};
            e.to[e.count] = (nav_point){l->x[b], l->z[b]};
            low = l->x[a] < low ? l->x[a] : low;
            low = l->z[a] < low ? l->z[a] : low;
            high = l->x[a] > high ? l->x[a] : high;
            high = l->z[a] > high ? l->z[a] : high;
        }
    if (corners <= FEW) {
        for (int32_t i = 0; i < corners && *simple; i++)
            for (int32_t k = 0; k < i && *simple; k++) *simple = !meet(e.from[i], e.to[i], e.from[k], e.to[k]);
        goto done;
    }
    surface_buckets b;
    s = nav_buckets_build(e.from, e.to, corners, low, high, arena, &b);
    for (int32_t c = 0; s == NAV_OK && c < b.side * b.side && *simple; c++)
        *simple = row_is_simple(&e, &b, b.first[c], b.first[c + 1]);
done:
    nav_arena_release(arena, mark);
    return s;
}
