// A prism is recognised by its edges. Each level sheet is cut into triangles in some way of its own; edges that two of
// its triangles share are inner ones, and those of one triangle are its outline:
//
//        +-------+      top: sheets of all levels have the same outline
//       /|  .  ' /|
//      +-------+  |     walls: each stands on an edge of the outline, and all of them together are as large as
//      | +  .  '| +     the outline is long, times the height
//      |/      |/
//      +-------+
#include "core/surface/footprint.h"

#include "core/base/sort.h"
#include "core/outline/shapes.h"
#include "core/surface/surface.h"

#include <math.h>
#include <string.h>

enum {
    TRIANGLES_MOST = 1 << 14, // of a mesh that is looked at
    LEVELS_MOST = 255,
    ID_BITS = 16, // of places and of half-edges: both are fewer than 3 * TRIANGLES_MOST
    NONE = -1,
};
static const double WALL_ERROR = 1e-3; // parts of the height: what walls may miss by rounding

struct surface_prism {
    int32_t capacity; // corners that there is room for
    int32_t tri_count;
    float *x, *y, *z; // per corner, of the mesh
    int32_t *id;      // per corner: of its place as seen from above
    int32_t *level;   // per corner: of its height
    uint64_t *place;  // per id, sorted: x and z
    uint64_t *edge;   // of level triangles, sorted: level, lower id, higher id, half-edge
    int32_t *outline; // half-edges of the top's outline, in the order of their ids
    double *wall;     // per edge of the outline: how much of its wall is there
    int32_t *twin;    // per half-edge of the top: the other one of its edge, or NONE
    int32_t id_count, level_count, edge_count, outline_count;
    float height[LEVELS_MOST];
    bool mirrored; // the triangles of the top are seen from below, where the instance stands
    // Of its place.
    nav_point *seen_at; // per id
    bool *seen;         // per half-edge
    nav_point *tri, *at;
    int32_t *first;
};

static uint32_t order_bits(float f)
{
    uint32_t u;
    f += 0.0f; // one zero
    memcpy(&u, &f, sizeof u);
    return u >> 31 ? ~u : u | UINT32_C(1) << 31;
}

static nav_status reserve(surface_prism **work, nav_arena *arena, int32_t corners)
{
    if (*work && (*work)->capacity >= corners) return NAV_OK;
    const size_t n = *work ? 2 * (size_t)corners : (size_t)corners;
    surface_prism *p = *work = NAV_TAKE_ZERO(arena, surface_prism, 1);
    if (!p) return nav_arena_failure(arena);
    p->x = NAV_TAKE(arena, float, n);
    p->y = NAV_TAKE(arena, float, n);
    p->z = NAV_TAKE(arena, float, n);
    p->id = NAV_TAKE(arena, int32_t, n);
    p->level = NAV_TAKE(arena, int32_t, n);
    p->place = NAV_TAKE(arena, uint64_t, n);
    p->edge = NAV_TAKE(arena, uint64_t, n);
    p->outline = NAV_TAKE(arena, int32_t, n);
    p->wall = NAV_TAKE(arena, double, n);
    p->twin = NAV_TAKE(arena, int32_t, n);
    p->seen_at = NAV_TAKE(arena, nav_point, n);
    p->seen = NAV_TAKE(arena, bool, n);
    p->tri = NAV_TAKE(arena, nav_point, n);
    p->at = NAV_TAKE(arena, nav_point, n);
    p->first = NAV_TAKE(arena, int32_t, n + 1);
    if (!p->x || !p->y || !p->z || !p->id || !p->level || !p->place || !p->edge || !p->outline || !p->wall ||
        !p->twin || !p->seen_at || !p->seen || !p->tri || !p->at || !p->first)
        return nav_arena_failure(arena);
    p->capacity = (int32_t)n;
    return NAV_OK;
}

static void take_corners(surface_prism *p, const nav_mesh *m)
{
    p->tri_count = (int32_t)m->tri_count;
    p->id_count = p->level_count = p->edge_count = p->outline_count = 0;
    for (uint32_t t = 0; t < m->tri_count; t++)
        for (int k = 0; k < 3; k++) {
            float at[3];
            const size_t c = 3 * (size_t)t + (size_t)k;
            nav_mesh_corner(m, t, k, at);
            p->x[c] = at[0];
            p->y[c] = at[1];
            p->z[c] = at[2];
            p->place[c] = (uint64_t)order_bits(at[0]) << 32 | order_bits(at[2]);
        }
}

static int32_t find_place(const surface_prism *p, uint64_t place)
{
    int32_t low = 0, high = p->id_count - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (p->place[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// False: too many heights.
static bool number_corners(surface_prism *p)
{
    const int32_t n = 3 * p->tri_count;
    nav_sort_u64(p->place, n);
    for (int32_t i = 0; i < n; i++)
        if (p->id_count == 0 || p->place[i] != p->place[p->id_count - 1]) p->place[p->id_count++] = p->place[i];
    for (int32_t c = 0; c < n; c++) {
        int32_t l = 0;
        p->id[c] = find_place(p, (uint64_t)order_bits(p->x[c]) << 32 | order_bits(p->z[c]));
        while (l < p->level_count && p->height[l] != p->y[c]) l++;
        if (l == LEVELS_MOST) return false;
        if (l == p->level_count) p->height[p->level_count++] = p->y[c];
        p->level[c] = l;
    }
    return true;
}

static int32_t highest(const surface_prism *p)
{
    int32_t best = 0;
    for (int32_t l = 1; l < p->level_count; l++)
        if (p->height[l] > p->height[best]) best = l;
    return best;
}

static bool is_level(const surface_prism *p, int32_t t)
{
    const int32_t *l = p->level + 3 * (size_t)t;
    return l[0] == l[1] && l[1] == l[2];
}

static int32_t next_half(int32_t h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

static uint64_t edge_name(uint64_t edge)
{
    return edge >> ID_BITS;
}

static uint64_t edge_ids(uint64_t edge)
{
    return edge >> ID_BITS & ((UINT64_C(1) << 2 * ID_BITS) - 1);
}

static int32_t edge_half(uint64_t edge)
{
    return (int32_t)(edge & ((1 << ID_BITS) - 1));
}

// The edges of sheets, in order. False: a sheet has a triangle that is none.
static bool list_edges(surface_prism *p)
{
    for (int32_t t = 0; t < p->tri_count; t++) {
        const int32_t *id = p->id + 3 * (size_t)t;
        if (!is_level(p, t)) continue;
        if (id[0] == id[1] || id[1] == id[2] || id[2] == id[0]) return false;
        for (int32_t h = 3 * t; h < 3 * t + 3; h++) {
            const uint64_t a = (uint64_t)p->id[h], b = (uint64_t)p->id[next_half(h)], level = (uint64_t)p->level[h];
            p->edge[p->edge_count++] =
                level << 3 * ID_BITS | (a < b ? a : b) << 2 * ID_BITS | (a < b ? b : a) << ID_BITS | (uint64_t)h;
        }
    }
    nav_sort_u64(p->edge, p->edge_count);
    return p->edge_count > 0;
}

// Twins and the outline of the top. False: an edge has more than two triangles, or two that lie on the same side of it.
static bool find_outline(surface_prism *p, int32_t top)
{
    for (int32_t i = 0, end; i < p->edge_count; i = end) {
        const int32_t h = edge_half(p->edge[i]);
        for (end = i + 1; end < p->edge_count && edge_name(p->edge[end]) == edge_name(p->edge[i]);) end++;
        if (p->level[h] != top) continue;
        if (end - i > 2) return false;
        p->twin[h] = NONE;
        if (end - i == 1) {
            p->wall[p->outline_count] = 0;
            p->outline[p->outline_count++] = h;
            continue;
        }
        const int32_t other = edge_half(p->edge[i + 1]);
        if (p->id[other] == p->id[h]) return false;
        p->twin[h] = other;
        p->twin[other] = h;
    }
    return p->outline_count > 0;
}

static uint64_t outline_ids(const surface_prism *p, int32_t k)
{
    const uint64_t a = (uint64_t)p->id[p->outline[k]], b = (uint64_t)p->id[next_half(p->outline[k])];
    return (a < b ? a : b) << ID_BITS | (a < b ? b : a);
}

// Has each sheet the outline of the top?
static bool sheets_agree(const surface_prism *p)
{
    int32_t found = 0;
    for (int32_t i = 0, end; i < p->edge_count; i = end) {
        const int32_t level = p->level[edge_half(p->edge[i])];
        bool last = false;
        for (end = i + 1; end < p->edge_count && edge_name(p->edge[end]) == edge_name(p->edge[i]);) end++;
        if (end - i > 2) return false;
        if (end - i == 1) {
            if (found == p->outline_count || edge_ids(p->edge[i]) != outline_ids(p, found)) return false;
            found++;
        }
        last = end == p->edge_count || p->level[edge_half(p->edge[end])] != level;
        if (!last) continue;
        if (found != p->outline_count) return false;
        found = 0;
    }
    return true;
}

// The edge of the outline between two places, or NONE.
static int32_t find_side(const surface_prism *p, int32_t a, int32_t b)
{
    const uint64_t ids = (uint64_t)(a < b ? a : b) << ID_BITS | (uint64_t)(a < b ? b : a);
    int32_t low = 0, high = p->outline_count - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (outline_ids(p, middle) < ids)
            low = middle + 1;
        else
            high = middle;
    }
    return outline_ids(p, low) == ids ? low : NONE;
}

// A wall's triangle has two corners over each other: what it is of its wall. False: it is no part of a wall.
static bool add_wall(surface_prism *p, int32_t t)
{
    const int32_t *id = p->id + 3 * (size_t)t;
    for (int k = 0; k < 3; k++) {
        const int32_t c = 3 * t + k, d = 3 * t + (k + 1) % 3, apex = id[(k + 2) % 3];
        if (p->id[c] != p->id[d] || p->id[c] == apex) continue;
        const int32_t side = find_side(p, p->id[c], apex);
        if (side == NONE) return false;
        p->wall[side] += fabs((double)p->y[c] - (double)p->y[d]) / 2;
        return true;
    }
    return false;
}

static bool walls_close(surface_prism *p, double height)
{
    for (int32_t t = 0; t < p->tri_count; t++)
        if (!is_level(p, t) && !add_wall(p, t)) return false;
    for (int32_t k = 0; k < p->outline_count; k++)
        if (fabs(p->wall[k] - height) > WALL_ERROR * height) return false;
    return true;
}

static bool is_prism(surface_prism *p)
{
    if (!number_corners(p) || !list_edges(p)) return false;
    const int32_t top = highest(p);
    double bottom = (double)p->height[top];
    for (int32_t l = 0; l < p->level_count; l++) bottom = fmin(bottom, (double)p->height[l]);
    return find_outline(p, top) && sheets_agree(p) && walls_close(p, (double)p->height[top] - bottom);
}

// --- its place

// Units from the tile's corner. False: it lies too far away.
static bool place_of(const nav_config *cfg, double x, double z, nav_point *out)
{
    const double at[2] = {x, z}, origin[2] = {cfg->origin_m[0], cfg->origin_m[2]};
    const double shift[2] = {(double)cfg->tile_x * cfg->tile_units, (double)cfg->tile_z * cfg->tile_units};
    double to[2];
    for (int k = 0; k < 2; k++) {
        to[k] = floor((at[k] - origin[k]) / cfg->unit_size_m + 0.5) - shift[k];
        if (!(to[k] > -NAV_SURFACE_REACH && to[k] < NAV_SURFACE_REACH)) return false;
    }
    *out = (nav_point){(int32_t)to[0], (int32_t)to[1]};
    return true;
}

// Does the transform leave upright what is upright?
static bool stands(const float t[12])
{
    return t[1] == 0 && t[9] == 0 && t[4] == 0 && t[6] == 0 && t[5] != 0;
}

// Places per id. False: it lies too far away.
static bool place_corners(const surface_prism *p, const nav_config *cfg, const float t[12], nav_point *to)
{
    for (int32_t c = 0; c < 3 * p->tri_count; c++) {
        const double x = (double)t[0] * p->x[c] + (double)t[2] * p->z[c] + (double)t[3];
        const double z = (double)t[8] * p->x[c] + (double)t[10] * p->z[c] + (double)t[11];
        if (!place_of(cfg, (float)x, (float)z, &to[p->id[c]])) return false;
    }
    return true;
}

static void bound(surface_footprint *f, int32_t corners)
{
    if (corners > 0) nav_points_bound(f->at, corners, &f->low, &f->high);
}

// The half-edge of the outline that begins where this one ends.
static int32_t outline_after(const surface_prism *p, int32_t h)
{
    for (h = next_half(h); p->twin[h] != NONE;) h = next_half(p->twin[h]);
    return h;
}

// Loops in the order of their half-edges; turned around where the top is seen from below.
static int32_t take_loops(const surface_prism *p, const nav_point *place, bool *seen, surface_footprint *out)
{
    int32_t count = 0;
    for (int32_t k = 0; k < p->outline_count; k++) {
        const int32_t begin = p->outline[k], first = count;
        if (seen[begin]) continue;
        for (int32_t h = begin; !seen[h]; h = outline_after(p, h)) {
            seen[h] = true;
            nav_point at = place[p->id[h]];
            if (count == first || !nav_point_same(out->at[count - 1], at)) out->at[count++] = at;
        }
        while (count > first + 1 && nav_point_same(out->at[count - 1], out->at[first])) count--;
        if (count < first + 2) {
            count = first; // a place, and nothing of it is left
            continue;
        }
        for (int32_t i = first, j = count - 1; p->mirrored && i < j; i++, j--) {
            nav_point t = out->at[i];
            out->at[i] = out->at[j];
            out->at[j] = t;
        }
        out->first[++out->loop_count] = count;
    }
    return count;
}

static int64_t take_inside(surface_prism *p, const nav_point *place, int32_t top, surface_footprint *out)
{
    int64_t right = 0;
    for (int32_t t = 0; t < p->tri_count; t++) {
        if (!is_level(p, t) || p->level[3 * t] != top) continue;
        nav_point *to = out->tri + 3 * (size_t)out->tri_count++;
        for (int k = 0; k < 3; k++) to[k] = place[p->id[3 * t + k]];
        right += nav_right(to[0], to[1], to[2]);
    }
    return right;
}

static void take_footprint(surface_prism *p, const nav_config *cfg, const float t[12], surface_footprint *out,
                           bool *solid)
{
    const int32_t top = highest(p);
    *out = (surface_footprint){.tri = p->tri, .first = p->first, .at = p->at};
    memset(p->seen, 0, 3 * (size_t)p->tri_count * sizeof *p->seen);
    p->first[0] = 0;
    if (!place_corners(p, cfg, t, p->seen_at)) return;
    p->mirrored = take_inside(p, p->seen_at, top, out) > 0;
    bound(out, take_loops(p, p->seen_at, p->seen, out));
    double height[2] = {INFINITY, -INFINITY};
    for (int32_t l = 0; l < p->level_count; l++) {
        const double y = (float)((double)t[5] * p->height[l] + (double)t[7]);
        const double steps = (y - cfg->origin_m[1]) / cfg->cell_height_m;
        height[0] = fmin(height[0], steps);
        height[1] = fmax(height[1], steps);
    }
    out->bottom = height[0];
    out->top = height[1];
    *solid = true;
}

nav_status nav_surface_footprint_of(const nav_config *cfg, const nav_instance *instance, nav_arena *arena,
                                    surface_prism **work, surface_footprint *out, bool *solid)
{
    const nav_mesh *m = instance->mesh;
    *out = (surface_footprint){0};
    *solid = false;
    if (m->heights || m->skipped_count > 0 || m->tri_count > TRIANGLES_MOST || !stands(instance->transform))
        return NAV_OK;
    nav_status s = reserve(work, arena, 3 * (int32_t)m->tri_count);
    if (s != NAV_OK) return s;
    take_corners(*work, m);
    if (is_prism(*work)) take_footprint(*work, cfg, instance->transform, out, solid);
    return NAV_OK;
}

nav_status nav_surface_footprint_of_volume(const nav_config *cfg, const nav_volume *v, nav_arena *arena,
                                           surface_footprint *out, bool *solid)
{
    const uint32_t n = v->point_count;
    nav_point *at = NAV_TAKE(arena, nav_point, n);
    *out = (surface_footprint){.bottom = ((double)v->min_y - cfg->origin_m[1]) / cfg->cell_height_m,
                               .top = ((double)v->max_y - cfg->origin_m[1]) / cfg->cell_height_m};
    *solid = false;
    out->at = NAV_TAKE(arena, nav_point, 2 * (size_t)n + 2);
    out->tri = NAV_TAKE(arena, nav_point, 3 * (size_t)n);
    out->first = NAV_TAKE_ZERO(arena, int32_t, 2);
    if (!at || !out->at || !out->tri || !out->first) return nav_arena_failure(arena);
    for (uint32_t i = 0; i < n; i++)
        if (!place_of(cfg, (double)v->points[2 * i], (double)v->points[2 * i + 1], &at[i])) return NAV_OK;
    const int32_t count = nav_convex_hull(at, (int32_t)n, out->at);
    if (count >= 2) out->first[++out->loop_count] = count;
    for (int32_t k = 2; k < count; k++) {
        nav_point *to = out->tri + 3 * (size_t)out->tri_count++;
        to[0] = out->at[0];
        to[1] = out->at[k - 1];
        to[2] = out->at[k];
    }
    bound(out, count);
    *solid = true;
    return NAV_OK;
}
