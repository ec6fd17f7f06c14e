// The agent's radius: what is in the way is widened, united, and taken off the regions.
//
// A piece counts for the regions that its triangle of the floor hangs together with, not farther than the radius away:
// floors that only lie above or below are none of its business, nor is the next turn of a spiral. What lies behind is
// closed by thin strips: at the tile's sides and at the seams to other regions, exactly along them, and without a
// radius at the ends of the floor as well.
#include "core/surface/inset.h"

#include "core/base/sort.h"
#include "core/outline/fewer.h"
#include "core/outline/union.h"
#include "core/surface/faces_at.h"
#include "core/surface/sides.h"

#include <math.h>
#include <string.h>

enum {
    STRIP = SURFACE_STRIP,
    FIT = 8,       // steps: heights of the same corner in two regions that are one but for rounding
    PLAIN = -1000, // behind of an edge of the union, until it is known: a wall
};
static const double USUAL_ERROR = 1.3; // of edge_max_error_cells, as of true outlines

typedef struct pair {
    int32_t region, shape;
} pair;

typedef struct inset {
    surface_mesh *m;
    const surface_faces *f;
    const nav_surface *surface;
    surface_loops *loops; // as they are; replaced in the end
    surface_loops made;
    surface_blockers blockers;
    pair *pairs;
    int32_t pair_count, pair_capacity;
    int32_t *region_of; // per triangle: of its face, or 0
    int32_t *stamp, *queue, round;
    int32_t *region_stamp;
    faces_at at;
    // Of the region at work.
    nav_shapes shapes;
    uint64_t *shared; // places where its loops touch each other, sorted
    int32_t shared_count;
    surface_sides sides;
    int32_t *behind;  // per shape: what lies behind what it bounds
    int32_t *blocker; // per shape: that it is of, or SURFACE_NONE
    int32_t behind_capacity, blocker_capacity;
    nav_point *touches; // of the tile: where seams end on its sides
    int32_t touch_count, touch_capacity;
    uint32_t *corner_count;
} inset;

// --- which pieces count where

static nav_status add_pair(inset *w, int32_t region, int32_t shape)
{
    if (w->region_stamp[region] == w->round) return NAV_OK;
    w->region_stamp[region] = w->round;
    nav_status s =
        nav_grow(w->m->arena, (void **)&w->pairs, &w->pair_capacity, (int64_t)w->pair_count + 1, sizeof *w->pairs);
    if (s == NAV_OK) w->pairs[w->pair_count++] = (pair){region, shape};
    return s;
}

// Does the line between two corners come near the box?
static bool is_within(const surface_mesh *m, int32_t half, const surface_blocker *b)
{
    return nav_edge_is_near(surface_at(m, m->vert[half]), surface_at(m, m->vert[surface_next(half)]), b->low, b->high);
}

static bool is_triangle_within(const surface_mesh *m, int32_t t, const surface_blocker *b)
{
    const nav_point at[3] = {surface_at(m, m->vert[3 * t]), surface_at(m, m->vert[3 * t + 1]),
                             surface_at(m, m->vert[3 * t + 2])};
    nav_point low, high;
    nav_points_bound(at, 3, &low, &high);
    return low.x <= b->high.x && low.z <= b->high.z && high.x >= b->low.x && high.z >= b->low.z;
}

// Walks from a blocker's triangles over all that hangs together near it.
static nav_status find_regions(inset *w, int32_t shape)
{
    const surface_mesh *m = w->m;
    const surface_blocker *b = &w->blockers.of[shape];
    int32_t count = 0;
    nav_status s = NAV_OK;
    w->round++;
    for (int32_t i = b->start; i < b->start + b->start_count; i++)
        for (int32_t t = w->blockers.starts[i]; t >= 0; t = m->piece ? m->piece[t] : SURFACE_NONE) {
            if (w->stamp[t] == w->round || !is_triangle_within(m, t, b)) continue;
            w->stamp[t] = w->round;
            w->queue[count++] = t;
        }
    for (int32_t i = 0; i < count && s == NAV_OK; i++) {
        int32_t t = w->queue[i];
        if (w->region_of[t] > 0) s = add_pair(w, w->region_of[t], shape);
        for (int32_t h = 3 * t; h < 3 * t + 3; h++) {
            int32_t next = m->twin[h] >= 0 ? m->twin[h] / 3 : t;
            if (w->stamp[next] == w->round || !is_within(m, h, b)) continue;
            w->stamp[next] = w->round;
            w->queue[count++] = next;
        }
    }
    return s;
}

// The regions of the triangles' faces.
static nav_status find_faces(inset *w)
{
    const surface_mesh *m = w->m;
    w->region_of = NAV_TAKE_ZERO(m->arena, int32_t, m->tri_count);
    if (!w->region_of) return nav_arena_failure(m->arena);
    for (int32_t i = 0; i < w->f->count; i++) w->region_of[w->f->triangle[i]] = w->f->region[i];
    return NAV_OK;
}

static nav_status find_pairs(inset *w)
{
    const surface_mesh *m = w->m;
    w->stamp = NAV_TAKE_ZERO(m->arena, int32_t, m->tri_count);
    w->queue = NAV_TAKE(m->arena, int32_t, m->tri_count);
    w->region_stamp = NAV_TAKE_ZERO(m->arena, int32_t, w->f->region_count + 1);
    if (!w->stamp || !w->queue || !w->region_stamp) return nav_arena_failure(m->arena);
    nav_status s = NAV_OK;
    for (int32_t k = 0; k < w->blockers.shapes.count && s == NAV_OK; k++) s = find_regions(w, k);
    return s;
}

// --- shapes

static nav_status note_shape(inset *w, int32_t behind, int32_t blocker)
{
    const int64_t count = (int64_t)w->shapes.count + 1;
    nav_status s = nav_grow(w->m->arena, (void **)&w->behind, &w->behind_capacity, count, sizeof *w->behind);
    if (s == NAV_OK) s = nav_grow(w->m->arena, (void **)&w->blocker, &w->blocker_capacity, count, sizeof *w->blocker);
    if (s != NAV_OK) return s;
    w->behind[w->shapes.count] = behind;
    w->blocker[w->shapes.count] = blocker;
    return NAV_OK;
}

// To the left of a -> b.
static nav_status add_strip(inset *w, nav_point a, nav_point b, int32_t behind)
{
    double dx = (double)b.x - a.x, dz = (double)b.z - a.z, length = sqrt(dx * dx + dz * dz);
    if (length == 0) return NAV_OK;
    int32_t nx = (int32_t)floor(-dz / length * STRIP + 0.5), nz = (int32_t)floor(dx / length * STRIP + 0.5);
    nav_point at[4] = {a, b, {b.x + nx, b.z + nz}, {a.x + nx, a.z + nz}};
    nav_status s = note_shape(w, behind, SURFACE_NONE);
    return s == NAV_OK ? nav_shapes_add_hull(&w->shapes, w->m->arena, at, 4) : s;
}

static nav_status add_sides(inset *w)
{
    const int32_t t = w->m->cfg->tile_units, h = STRIP;
    const nav_point corner[SURFACE_SIDES][2] = {
        {{0, -h}, {0, t + h}}, {{-h, t}, {t + h, t}}, {{t, t + h}, {t, -h}}, {{t + h, 0}, {-h, 0}}};
    const int32_t behind[SURFACE_SIDES] = {NAV_EDGE_PORTAL_XMIN, NAV_EDGE_PORTAL_ZMAX, NAV_EDGE_PORTAL_XMAX,
                                           NAV_EDGE_PORTAL_ZMIN};
    nav_status s = NAV_OK;
    for (int d = 0; d < SURFACE_SIDES && s == NAV_OK; d++) s = add_strip(w, corner[d][0], corner[d][1], behind[d]);
    return s;
}

// loops: those of the region at work.
static nav_status add_seams(inset *w, const surface_loop *loops, int32_t count)
{
    const surface_loops *l = w->loops;
    nav_status s = NAV_OK;
    for (int32_t k = 0; k < count; k++)
        for (int32_t i = 0; i < loops[k].count && s == NAV_OK; i++) {
            const int32_t a = loops[k].first + i, b = loops[k].first + (i + 1 < loops[k].count ? i + 1 : 0);
            const int32_t behind = l->behind[a];
            const bool wall = behind == NAV_EDGE_WALL && w->m->cfg->climbs; // it may stay no distance away from it
            if (behind >= 0 || behind == NAV_EDGE_SEAM || wall)
                s = add_strip(w, (nav_point){l->x[a], l->z[a]}, (nav_point){l->x[b], l->z[b]}, wall ? PLAIN : behind);
        }
    return s;
}

static nav_status add_blocker(inset *w, int32_t shape)
{
    const nav_shapes *b = &w->blockers.shapes;
    nav_status s = note_shape(w, PLAIN, shape);
    if (s != NAV_OK) return s;
    return nav_shapes_add(&w->shapes, w->m->arena, b->at + b->first[shape], b->first[shape + 1] - b->first[shape]);
}

// --- loops of a region

// Is there floor of the region along the loop? Places two units to the right of the middle of some of its edges tell,
// most of them: where rounding is in the way one of them may be wrong.
static bool is_floor(const inset *w, const nav_loops *loops, int32_t l, int32_t region)
{
    enum { ASKED = 7 };
    int32_t first = loops->first[l], n = loops->first[l + 1] - first, asked = n < ASKED ? n : ASKED, on = 0, off = 0;
    for (int32_t k = 0; k < asked && 2 * on <= asked && 2 * off <= asked; k++) {
        int32_t i = (int32_t)((int64_t)k * n / asked);
        nav_point a = loops->at[first + i], b = loops->at[first + (i + 1 < n ? i + 1 : 0)];
        int64_t dx = (int64_t)b.x - a.x, dz = (int64_t)b.z - a.z, more = (dx < 0 ? -dx : dx) + (dz < 0 ? -dz : dz);
        if (more == 0) continue;
        int64_t x = ((int64_t)a.x + b.x) / 2 + 2 * dz / more, z = ((int64_t)a.z + b.z) / 2 - 2 * dx / more;
        double height;
        bool floor = nav_faces_at_holds(&w->at, region, (int32_t)x, (int32_t)z, 0, &height);
        on += floor;
        off += !floor;
    }
    return on > off;
}

static int32_t behind_of(const inset *w, const nav_loops *loops, int32_t corner, nav_point a, nav_point b)
{
    const int32_t side = w->m->cfg->tile_units, behind = w->behind[loops->shape[corner]];
    if (behind == PLAIN) return NAV_EDGE_WALL;
    if (behind == NAV_EDGE_PORTAL_XMIN) return a.x == 0 && b.x == 0 ? behind : NAV_EDGE_WALL;
    if (behind == NAV_EDGE_PORTAL_ZMIN) return a.z == 0 && b.z == 0 ? behind : NAV_EDGE_WALL;
    if (behind == NAV_EDGE_PORTAL_XMAX) return a.x == side && b.x == side ? behind : NAV_EDGE_WALL;
    if (behind == NAV_EDGE_PORTAL_ZMAX) return a.z == side && b.z == side ? behind : NAV_EDGE_WALL;
    return behind;
}

// Does the region end along a side of the tile, and its surface goes on in another sheet? Two strips lie there, of
// which the union's edge may be either's.
static bool is_seam_on_side(const inset *w, int32_t region, nav_point a, nav_point b)
{
    const surface_loops *l = w->loops;
    const int32_t side = w->m->cfg->tile_units;
    const bool on_x = a.x == b.x && (a.x == 0 || a.x == side), on_z = a.z == b.z && (a.z == 0 || a.z == side);
    if (!on_x && !on_z) return false;
    const int64_t middle = on_x ? (int64_t)a.z + b.z : (int64_t)a.x + b.x; // twice
    for (int32_t k = 0; k < l->count; k++) {
        const surface_loop *loop = &l->loop[k];
        for (int32_t i = 0; i < loop->count && loop->region == region; i++) {
            const int32_t p = loop->first + i, q = loop->first + (i + 1 < loop->count ? i + 1 : 0);
            if (l->behind[p] != NAV_EDGE_SEAM) continue;
            if (on_x ? l->x[p] != a.x || l->x[q] != a.x : l->z[p] != a.z || l->z[q] != a.z) continue;
            const int64_t from = 2 * (int64_t)(on_x ? l->z[p] : l->x[p]), to = 2 * (int64_t)(on_x ? l->z[q] : l->x[q]);
            if (from < to ? from < middle && middle < to : to < middle && middle < from) return true;
        }
    }
    return false;
}

// The height of the region on a side of the tile, the same for both tiles.
static bool height_on_side(const inset *w, int32_t region, nav_point p, int32_t *height)
{
    const surface_mesh *m = w->m;
    const surface_faces *f = w->f;
    const int32_t side = m->cfg->tile_units;
    bool on_x = p.x == 0 || p.x == side, on_z = p.z == 0 || p.z == side;
    if (!on_x && !on_z) return false;
    // That of a vertex, as the loops have it, else of the plane of the whole triangle; the highest of several. In a
    // corner of the tile the plane: edges may pass one side there or the other.
    enum { NOTHING, PLANE, VERTEX } found = NOTHING;
    for (int32_t c = 0; c < f->corner_count; c++) {
        int32_t face = f->face[c], v = f->vert[c];
        if (f->region[face] != region) continue;
        nav_point a = surface_at(m, v), b = surface_at(m, f->vert[surface_corner_after(f, c)]);
        if (!(on_x && on_z) && nav_point_same(a, p)) {
            *height = found == VERTEX && *height > m->y[v] ? *height : m->y[v];
            found = VERTEX;
        }
        if (found == VERTEX || !((on_x && a.x == p.x && b.x == p.x) || (on_z && a.z == p.z && b.z == p.z)) ||
            !(nav_point_same(a, p) || nav_point_same(b, p) || nav_between(a, b, p)))
            continue;
        int32_t y = nav_surface_height(m, surface_uncut(m, f->triangle[face]), p.x, p.z);
        *height = found == PLANE && *height > y ? *height : y;
        found = PLANE;
    }
    return found != NOTHING;
}

static int32_t height_at(const inset *w, int32_t region, nav_point p)
{
    double y = 0;
    int32_t height = 0;
    if (height_on_side(w, region, p, &height)) return height;
    (void)nav_faces_at_height(&w->at, region, p.x, p.z, 0, &y);
    return (int32_t)floor(y + 0.5);
}

static void write_corner(inset *w, int32_t at, int32_t region, nav_point p, int32_t behind, uint8_t joint)
{
    w->made.x[at] = p.x;
    w->made.z[at] = p.z;
    w->made.y[at] = height_at(w, region, p);
    w->made.joint[at] = joint;
    w->made.behind[at] = behind;
}

static uint64_t key_of(nav_point p)
{
    return (uint64_t)(uint32_t)p.x << 32 | (uint32_t)p.z;
}

// Notes the places where loops touch each other: a corner there stays, though its own loop may be straight.
static nav_status find_shared(inset *w, const nav_loops *loops)
{
    const int32_t n = loops->count ? loops->first[loops->count] : 0;
    uint64_t *keys = NAV_TAKE(w->m->arena, uint64_t, n);
    if (!keys) return nav_arena_failure(w->m->arena);
    for (int32_t i = 0; i < n; i++) keys[i] = key_of(loops->at[i]);
    nav_sort_u64(keys, n);
    w->shared = keys;
    w->shared_count = 0;
    for (int32_t i = 1; i < n; i++)
        if (keys[i] == keys[i - 1]) keys[w->shared_count++] = keys[i];
    return NAV_OK;
}

static bool is_shared(const inset *w, nav_point p)
{
    const uint64_t key = key_of(p);
    int32_t low = 0, high = w->shared_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (w->shared[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->shared_count && w->shared[low] == key;
}

static nav_status write_loop(inset *w, const nav_loops *few, int32_t l, int32_t region, uint8_t area)
{
    surface_loop *loop;
    int32_t first = few->first[l], n = few->first[l + 1] - first, extra = 0;
    for (int32_t turn = 0; turn < 2; turn++) {
        int32_t at = 0;
        if (turn == 1) {
            nav_status s = nav_surface_add_loop(w->m, &w->made, n + extra, &loop);
            if (s != NAV_OK) return s;
            loop->region = region;
            loop->area = area;
            at = loop->first;
        }
        for (int32_t i = 0; i < n; i++) {
            nav_point a = nav_surface_sides_settle(&w->sides, few->at[first + i]),
                      b = nav_surface_sides_settle(&w->sides, few->at[first + (i + 1 < n ? i + 1 : 0)]);
            int32_t behind = behind_of(w, few, first + i, a, b);
            if (w->m->cfg->climbs && is_seam_on_side(w, region, a, b)) behind = NAV_EDGE_SEAM;
            bool open = nav_edge_is_portal(behind) && !nav_surface_sides_block(&w->sides, a, b);
            if (nav_edge_is_portal(behind) && !open) behind = NAV_EDGE_WALL;
            bool stays = nav_surface_sides_touch(&w->sides, a) || is_shared(w, few->at[first + i]);
            if (turn == 1) write_corner(w, at++, region, a, behind, stays ? SURFACE_STAYS : 0);
            for (nav_point p = a; open && nav_surface_sides_next_touch(&w->sides, p, b, &p); extra += turn == 0)
                if (turn == 1) write_corner(w, at++, region, p, behind, SURFACE_STAYS);
        }
    }
    nav_surface_tidy(&w->made, w->m->cfg->climb_vx);
    return NAV_OK;
}

// Takes the loops of the union that are the region's, with their corners made fewer.
static nav_status take_loops(inset *w, const nav_loops *all, int32_t region, uint8_t area)
{
    nav_arena *arena = w->m->arena;
    const nav_config *cfg = w->m->cfg;
    int32_t corners = all->count ? all->first[all->count] : 0, *came;
    nav_loops own = {.first = NAV_TAKE(arena, int32_t, all->count + 1),
                     .at = NAV_TAKE(arena, nav_point, corners),
                     .shape = NAV_TAKE(arena, int32_t, corners)},
              few;
    uint8_t *fixed = NAV_TAKE_ZERO(arena, uint8_t, corners);
    if (!own.first || !own.at || !own.shape || !fixed) return nav_arena_failure(arena);
    own.first[0] = 0;
    for (int32_t l = 0; l < all->count; l++) {
        int32_t first = all->first[l], n = all->first[l + 1] - first, to = own.first[own.count];
        if (!is_floor(w, all, l, region)) continue;
        memcpy(own.at + to, all->at + first, (size_t)n * sizeof *own.at);
        memcpy(own.shape + to, all->shape + first, (size_t)n * sizeof *own.shape);
        for (int32_t i = 0; i < n; i++)
            if (behind_of(w, all, first + i, own.at[to + i], own.at[to + (i + 1 < n ? i + 1 : 0)]) != NAV_EDGE_WALL)
                fixed[to + i] = NAV_FEWER_SEAM;
        own.first[++own.count] = to + n;
    }
    nav_status s = find_shared(w, &own);
    for (int32_t i = 0; s == NAV_OK && i < own.first[own.count]; i++)
        if (is_shared(w, own.at[i])) fixed[i] |= NAV_FEWER_CORNER;
    few = own;
    if (s == NAV_OK && cfg->radius > 0 && own.count > 0) {
        nav_fewer how = nav_fewer_for(cfg->radius, cfg->unit, cfg->edge_max_error / USUAL_ERROR);
        s = nav_loops_simplify(&own, fixed, &how, arena, &few, &came);
    }
    for (int32_t l = 0; l < few.count && s == NAV_OK; l++) s = write_loop(w, &few, l, region, area);
    return s;
}

// Notes the places on sides where a seam ends exactly: both tiles have a corner there.
static nav_status find_touches(inset *w)
{
    const surface_mesh *m = w->m;
    const int32_t t = m->cfg->tile_units;
    nav_status s = NAV_OK;
    for (int32_t h = 0; h < 3 * m->tri_count && s == NAV_OK; h++) {
        if (m->twin[h] != SURFACE_NONE || m->away[h] >= 0) continue;
        for (int k = 0; k < 2 && s == NAV_OK; k++) {
            const nav_point p = surface_at(m, m->vert[k ? surface_next(h) : h]);
            if (p.x != 0 && p.x != t && p.z != 0 && p.z != t) continue;
            s = nav_grow(m->arena, (void **)&w->touches, &w->touch_capacity, (int64_t)w->touch_count + 1, sizeof p);
            if (s == NAV_OK) w->touches[w->touch_count++] = p;
        }
    }
    return s;
}

// loops: of the region.
static nav_status inset_region(inset *w, const surface_loop *loops, int32_t loop_count, const pair *pairs,
                               int32_t count)
{
    nav_loops all;
    const int32_t side = w->m->cfg->tile_units;
    nav_arena *arena = w->m->arena;
    w->shapes.count = 0;
    nav_status s = NAV_OK;
    // Of several shapes along an edge the first one names it: ends of the floor go before the tile's sides.
    for (int32_t i = 0; i < count && s == NAV_OK; i++)
        if (pairs[i].shape < w->blockers.ends) s = add_blocker(w, pairs[i].shape);
    int32_t first_side = w->shapes.count;
    if (s == NAV_OK) s = add_sides(w);
    if (s == NAV_OK) s = add_seams(w, loops, loop_count);
    for (int32_t i = 0; i < count && s == NAV_OK; i++)
        if (pairs[i].shape >= w->blockers.ends) s = add_blocker(w, pairs[i].shape);
    const surface_side_shapes of = {&w->shapes, w->blocker, &w->blockers, first_side, !w->m->cfg->climbs};
    if (s == NAV_OK) s = nav_surface_sides_find(&w->sides, &of);
    for (int32_t i = 0; i < w->touch_count && s == NAV_OK; i++)
        s = nav_surface_sides_add_touch(&w->sides, w->touches[i]);
    nav_point low = {-STRIP / 2, -STRIP / 2}, high = {side + STRIP / 2, side + STRIP / 2};
    if (s == NAV_OK) s = nav_union_build_inside(&w->shapes, low, high, arena, &all);
    if (s != NAV_OK) return s;
    w->corner_count[0] += (uint32_t)w->shapes.count;
    w->corner_count[1] += all.count ? (uint32_t)all.first[all.count] : 0;
    return take_loops(w, &all, loops->region, loops->area);
}

// Corners of several regions in one place have one height where they differ by rounding only.
// On the tile's sides they are exact already.
static void agree(surface_loops *l, int32_t side, int32_t *table, uint32_t mask)
{
    for (int32_t k = 0; k < l->count; k++)
        for (int32_t i = l->loop[k].first; i < l->loop[k].first + l->loop[k].count; i++) {
            if (l->x[i] == 0 || l->z[i] == 0 || l->x[i] == side || l->z[i] == side) continue;
            uint64_t hash = ((uint64_t)(uint32_t)l->x[i] << 32 | (uint32_t)l->z[i]) * 0x9e3779b97f4a7c15u;
            uint32_t slot = (uint32_t)(hash >> 32) & mask;
            for (int32_t j; (j = table[slot]) >= 0; slot = (slot + 1) & mask) {
                int64_t apart = (int64_t)l->y[i] - l->y[j];
                if (l->x[i] != l->x[j] || l->z[i] != l->z[j] || apart > FIT || apart < -FIT) continue;
                l->y[i] = l->y[j];
                break;
            }
            if (table[slot] < 0) table[slot] = i;
        }
}

static nav_status replace_loops(inset *w)
{
    const surface_loops *l = w->loops;
    nav_status s = NAV_OK;
    for (int32_t k = 0, end; k < l->count && s == NAV_OK; k = end) {
        int32_t region = l->loop[k].region, low = 0, high = w->pair_count;
        for (end = k + 1; end < l->count && l->loop[end].region == region;) end++;
        while (low < high) {
            int32_t middle = (low + high) / 2;
            if (w->pairs[middle].region < region)
                low = middle + 1;
            else
                high = middle;
        }
        for (high = low; high < w->pair_count && w->pairs[high].region == region;) high++;
        if (high > low) {
            s = inset_region(w, &l->loop[k], end - k, w->pairs + low, high - low);
            continue;
        }
        for (int32_t i = k; i < end && s == NAV_OK; i++) {
            surface_loop *loop;
            int32_t n = l->loop[i].count, from = l->loop[i].first;
            s = nav_surface_add_loop(w->m, &w->made, n, &loop);
            if (s != NAV_OK) break;
            loop->region = region;
            loop->area = l->loop[i].area;
            loop->area2 = l->loop[i].area2;
            for (int32_t c = 0; c < n; c++) {
                w->made.x[loop->first + c] = l->x[from + c];
                w->made.z[loop->first + c] = l->z[from + c];
                w->made.y[loop->first + c] = l->y[from + c];
                w->made.behind[loop->first + c] = l->behind[from + c];
                w->made.joint[loop->first + c] = l->joint[from + c];
            }
        }
    }
    return s;
}

// By region, and of a region in the order of shapes.
static nav_status sort_pairs(inset *w)
{
    int32_t regions = w->f->region_count, *first = NAV_TAKE_ZERO(w->m->arena, int32_t, regions + 2);
    pair *sorted = NAV_TAKE(w->m->arena, pair, w->pair_count);
    if (!first || !sorted) return nav_arena_failure(w->m->arena);
    for (int32_t i = 0; i < w->pair_count; i++) first[w->pairs[i].region + 1]++;
    for (int32_t r = 1; r < regions + 2; r++) first[r] += first[r - 1];
    for (int32_t i = 0; i < w->pair_count; i++) sorted[first[w->pairs[i].region]++] = w->pairs[i];
    w->pairs = sorted;
    return NAV_OK;
}

nav_status nav_surface_inset(surface_mesh *m, const surface_faces *f, const nav_surface *surface,
                             const nav_triangles *triangles, const nav_tile_source *source, bool several,
                             surface_loops *loops, uint32_t counts[2])
{
    inset w = {.m = m,
               .f = f,
               .surface = surface,
               .loops = loops,
               .sides = {.arena = m->arena, .tile_units = m->cfg->tile_units},
               .corner_count = counts};
    nav_status s = find_faces(&w);
    if (s == NAV_OK)
        s = nav_surface_find_blockers(m, triangles, source, several, w.region_of, f->region_count, &w.blockers);
    // Without a radius the ends of the floor are where the loops are: they are asked for only if something stands on
    // it.
    if (s != NAV_OK || w.blockers.shapes.count == (m->cfg->radius > 0 ? 0 : w.blockers.ends)) return s;
    s = find_pairs(&w);
    if (s == NAV_OK) s = sort_pairs(&w);
    if (s == NAV_OK) s = nav_faces_at_make(&w.at, surface, m->cfg->tile_units, m->arena);
    if (s == NAV_OK && m->cfg->climbs) s = find_touches(&w);
    if (s == NAV_OK) s = replace_loops(&w);
    if (s != NAV_OK) return s;
    int64_t size = 64;
    while (size < 2 * (int64_t)w.made.corner_count) size *= 2;
    int32_t *table = NAV_TAKE(m->arena, int32_t, size);
    if (!table) return nav_arena_failure(m->arena);
    memset(table, 0xff, (size_t)size * sizeof *table);
    agree(&w.made, m->cfg->tile_units, table, (uint32_t)size - 1);
    w.made.removed += loops->removed;
    *loops = w.made;
    return NAV_OK;
}
