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

#include "core/outline/shapes.h"
#include "core/surface/surface.h"

#include <math.h>
#include <string.h>

enum {
    TRIANGLES_MOST = 1 << 14, // of a mesh that is looked at
    LEVELS_MOST = 255,
    ID_BITS = 16, // of places: fewer than 3 * TRIANGLES_MOST
    NONE = -1,
    LOAD = 2, // entries of a table for each corner, at the least
};
static const double WALL_ERROR = 1e-3; // parts of the height: what walls may miss by rounding

struct surface_prism {
    int32_t capacity; // corners that there is room for
    int32_t corner_count;
    float *x, *y, *z; // per corner, of the mesh
    int32_t *id;      // per corner: of its place as seen from above
    int32_t *level;   // per corner: of its height
    int32_t *corner;  // per id: a corner there
    int32_t *twin;    // per half-edge of a sheet: the other one of its edge, or NONE
    int32_t *outline; // half-edges of the top's outline
    double *wall;     // per half-edge of it: how much of its wall is there
    int32_t id_count, level_count, outline_count, top;
    int32_t outline_of[LEVELS_MOST]; // per level: edges of its outline
    float height[LEVELS_MOST];
    int32_t *table; // of corners by their place, then of half-edges by their level and ends
    uint32_t mask;
    bool mirrored; // the triangles of the top are seen from below, where the instance stands
    // Of its place.
    nav_point *seen_at; // per id
    bool *seen;         // per half-edge
    nav_point *tri, *at;
    int32_t *first;
};

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
    p->corner = NAV_TAKE(arena, int32_t, n);
    p->twin = NAV_TAKE(arena, int32_t, n);
    p->outline = NAV_TAKE(arena, int32_t, n);
    p->wall = NAV_TAKE(arena, double, n);
    p->table = NAV_TAKE(arena, int32_t, 2 * LOAD * n);
    p->seen_at = NAV_TAKE(arena, nav_point, n);
    p->seen = NAV_TAKE(arena, bool, n);
    p->tri = NAV_TAKE(arena, nav_point, n);
    p->at = NAV_TAKE(arena, nav_point, n);
    p->first = NAV_TAKE(arena, int32_t, n + 1);
    if (!p->x || !p->y || !p->z || !p->id || !p->level || !p->corner || !p->twin || !p->outline || !p->wall ||
        !p->table || !p->seen_at || !p->seen || !p->tri || !p->at || !p->first)
        return nav_arena_failure(arena);
    p->capacity = (int32_t)n;
    return NAV_OK;
}

static void take_corners(surface_prism *p, const nav_mesh *m)
{
    p->corner_count = 3 * (int32_t)m->tri_count;
    p->id_count = p->level_count = p->outline_count = 0;
    for (p->mask = 7; p->mask + 1 < LOAD * (uint32_t)p->corner_count;) p->mask = 2 * p->mask + 1;
    for (int32_t t = 0; t < (int32_t)m->tri_count; t++)
        for (int k = 0; k < 3; k++) {
            float at[3];
            const int32_t c = 3 * t + k;
            nav_mesh_corner(m, (uint32_t)t, k, at);
            p->x[c] = at[0] + 0.0f; // one zero
            p->y[c] = at[1] + 0.0f;
            p->z[c] = at[2] + 0.0f;
        }
}

static void clear_table(surface_prism *p)
{
    memset(p->table, 0xff, ((size_t)p->mask + 1) * sizeof *p->table);
}

static uint32_t slot_of(const surface_prism *p, uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & p->mask;
}

static int32_t number_place(surface_prism *p, int32_t c)
{
    uint32_t bits[2];
    memcpy(&bits[0], &p->x[c], sizeof bits[0]);
    memcpy(&bits[1], &p->z[c], sizeof bits[1]);
    uint32_t slot = slot_of(p, (uint64_t)bits[0] << 32 | bits[1]);
    for (int32_t other; (other = p->table[slot]) != NONE; slot = (slot + 1) & p->mask)
        if (p->x[other] == p->x[c] && p->z[other] == p->z[c]) return p->id[other];
    p->table[slot] = c;
    p->corner[p->id_count] = c;
    return p->id_count++;
}

// False: too many heights.
static bool number_corners(surface_prism *p)
{
    clear_table(p);
    for (int32_t c = 0; c < p->corner_count; c++) {
        int32_t l = 0;
        p->id[c] = number_place(p, c);
        while (l < p->level_count && p->height[l] != p->y[c]) l++;
        if (l == LEVELS_MOST) return false;
        if (l == p->level_count) p->height[p->level_count++] = p->y[c];
        p->level[c] = l;
    }
    p->top = 0;
    for (int32_t l = 1; l < p->level_count; l++)
        if (p->height[l] > p->height[p->top]) p->top = l;
    return true;
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

// The slot of the edge between two places on a level: of the first half-edge there, or where it would be.
static uint32_t find_edge(const surface_prism *p, int32_t level, int32_t a, int32_t b)
{
    const uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    uint32_t slot = slot_of(p, (uint64_t)level << 2 * ID_BITS | low << ID_BITS | high);
    for (int32_t h; (h = p->table[slot]) != NONE; slot = (slot + 1) & p->mask) {
        const int32_t from = p->id[h], to = p->id[next_half(h)];
        if (p->level[h] == level && ((from == a && to == b) || (from == b && to == a))) break;
    }
    return slot;
}

// Twins. False: an edge has more than two triangles, or two that lie on the same side of it.
static bool join_sheets(surface_prism *p)
{
    clear_table(p);
    for (int32_t h = 0; h < p->corner_count; h++) {
        if (!is_level(p, h / 3)) continue;
        const int32_t a = p->id[h], b = p->id[next_half(h)];
        const uint32_t slot = find_edge(p, p->level[h], a, b);
        const int32_t other = p->table[slot];
        p->twin[h] = NONE;
        if (a == b || (other != NONE && (p->twin[other] != NONE || p->id[other] == a))) return false;
        if (other == NONE) {
            p->table[slot] = h;
        } else {
            p->twin[h] = other;
            p->twin[other] = h;
        }
    }
    return true;
}

// The half-edge of the top's outline between two places, or NONE.
static int32_t find_side(const surface_prism *p, int32_t a, int32_t b)
{
    const int32_t h = p->table[find_edge(p, p->top, a, b)];
    return h != NONE && p->twin[h] == NONE ? h : NONE;
}

// Has each sheet the outline of the top?
static bool sheets_agree(surface_prism *p)
{
    memset(p->outline_of, 0, (size_t)p->level_count * sizeof *p->outline_of);
    for (int32_t h = 0; h < p->corner_count; h++) {
        if (!is_level(p, h / 3) || p->twin[h] != NONE) continue;
        p->outline_of[p->level[h]]++;
        if (p->level[h] == p->top) {
            p->wall[h] = 0;
            p->outline[p->outline_count++] = h;
        } else if (find_side(p, p->id[h], p->id[next_half(h)]) == NONE) {
            return false;
        }
    }
    for (int32_t l = 0; l < p->level_count; l++)
        if (p->outline_of[l] != 0 && p->outline_of[l] != p->outline_count) return false;
    return p->outline_count > 0;
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

static bool walls_close(surface_prism *p)
{
    float bottom = p->height[p->top];
    for (int32_t l = 0; l < p->level_count; l++) bottom = p->height[l] < bottom ? p->height[l] : bottom;
    const double height = (double)p->height[p->top] - (double)bottom;
    for (int32_t t = 0; 3 * t < p->corner_count; t++)
        if (!is_level(p, t) && !add_wall(p, t)) return false;
    for (int32_t k = 0; k < p->outline_count; k++)
        if (fabs(p->wall[p->outline[k]] - height) > WALL_ERROR * height) return false;
    return true;
}

static bool is_prism(surface_prism *p)
{
    return number_corners(p) && join_sheets(p) && sheets_agree(p) && walls_close(p);
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
    for (int32_t i = 0; i < p->id_count; i++) {
        const double px = (double)p->x[p->corner[i]], pz = (double)p->z[p->corner[i]];
        const double x = (double)t[0] * px + (double)t[2] * pz + (double)t[3];
        const double z = (double)t[8] * px + (double)t[10] * pz + (double)t[11];
        if (!place_of(cfg, (double)(float)x, (double)(float)z, &to[i])) return false;
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

static int64_t take_inside(const surface_prism *p, const nav_point *place, surface_footprint *out)
{
    int64_t right = 0;
    for (int32_t t = 0; 3 * t < p->corner_count; t++) {
        if (!is_level(p, t) || p->level[3 * t] != p->top) continue;
        nav_point *to = out->tri + 3 * (size_t)out->tri_count++;
        for (int k = 0; k < 3; k++) to[k] = place[p->id[3 * t + k]];
        right += nav_right(to[0], to[1], to[2]);
    }
    return right;
}

static void take_footprint(surface_prism *p, const nav_config *cfg, const float t[12], surface_footprint *out,
                           bool *solid)
{
    *out = (surface_footprint){.tri = p->tri, .first = p->first, .at = p->at};
    memset(p->seen, 0, (size_t)p->corner_count * sizeof *p->seen);
    p->first[0] = 0;
    if (!place_corners(p, cfg, t, p->seen_at)) return;
    p->mirrored = take_inside(p, p->seen_at, out) > 0;
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
