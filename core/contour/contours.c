// The contours of a tile, in order: mark and trace the boundary, simplify its arcs, untangle, write the loops.
#include "core/contour/contours.h"

#include "core/contour/contour_work.h"

#include <string.h>

typedef int32_t (*loop_key)(const contour_loop *l);

static int32_t hole_key(const contour_loop *l)
{
    return l->hole;
}

static int32_t block_key(const contour_loop *l)
{
    return l->block;
}

static int32_t region_key(const contour_loop *l)
{
    return l->region;
}

// Stable counting sort of `from` into `to`, by keys from 0 to most.
static void sort_loops(const contour_work *w, const int32_t *from, int32_t *to, loop_key key, int32_t most,
                       int32_t *count)
{
    memset(count, 0, ((size_t)most + 2) * sizeof *count);
    for (int32_t i = 0; i < w->loop_count; i++) count[key(&w->loops[from[i]]) + 1]++;
    for (int32_t k = 0; k <= most; k++) count[k + 1] += count[k];
    for (int32_t i = 0; i < w->loop_count; i++) to[count[key(&w->loops[from[i]])]++] = from[i];
}

// Loops of one region and block become a group, outer loops first, else as they were found.
static void group_loops(contour_work *w, int32_t region_count, int32_t block_count)
{
    int32_t *a = w->order, *b = w->vert;
    for (int32_t l = 0; l < w->loop_count; l++) b[l] = l;
    sort_loops(w, b, a, hole_key, 1, w->count);
    sort_loops(w, a, b, block_key, block_count - 1, w->count);
    sort_loops(w, b, a, region_key, region_count, w->count);
    w->group_count = 0;
    for (int32_t i = 0; i < w->loop_count; i++) {
        contour_loop *l = &w->loops[a[i]];
        const contour_loop *before = i > 0 ? &w->loops[a[i - 1]] : NULL;
        if (!before || before->region != l->region || before->block != l->block) w->group_first[w->group_count++] = i;
        l->group = w->group_count - 1;
    }
    w->group_first[w->group_count] = w->loop_count;
}

static void write_loop(const contour_work *w, const contour_loop *loop, nav_contours *out)
{
    int32_t l = out->loop_count++;
    out->loop_first[l] = out->vert_count;
    out->loop_region[l] = loop->region;
    out->loop_area[l] = loop->area;
    out->loop_hole[l] = loop->hole;
    // A loop begins with a vertex, and ends with a copy of it.
    int32_t end = loop->first + loop->count;
    for (int32_t k = loop->first; k < end; k = contour_next_flag(w, k + 1, CORNER_KEPT)) {
        int32_t v = out->vert_count++;
        out->x[v] = w->at[k].x;
        out->z[v] = w->at[k].z;
        out->y[v] = nav_corner_height(w->f, (int32_t)(w->code[k] >> 2), (int)((w->code[k] + 3) & 3));
        out->behind[v] = w->behind[k];
        out->border_joint[v] = (w->flags[k] & CORNER_JOINT) != 0;
    }
    out->loop_first[out->loop_count] = out->vert_count;
}

// Is the first raw corner of loop h inside loop o? Counted on the column behind the hole's edge, so never on a contour.
static bool loop_holds(const contour_work *w, const contour_loop *o, const contour_loop *h)
{
    nav_point p = w->at[h->first], q = w->at[h->first + 1];
    int32_t x2 = p.x + q.x + (q.z - p.z), z2 = p.z + q.z - (q.x - p.x); // centre of the region's column, doubled
    bool inside = false;
    for (int32_t k = o->first; k < o->first + o->count; k++) {
        nav_point a = w->at[k], b = w->at[k + 1];
        if (a.x == b.x && 2 * a.x > x2 && (2 * a.z > z2) != (2 * b.z > z2)) inside = !inside;
    }
    return inside;
}

static void write_group(const contour_work *w, int32_t group, nav_contours *out)
{
    int32_t begin = w->group_first[group], end = w->group_first[group + 1], outers = 0;
    while (begin + outers < end && !w->loops[w->order[begin + outers]].hole) outers++;
    for (int32_t o = begin; o < begin + outers; o++) {
        const contour_loop *outer = &w->loops[w->order[o]];
        if (outer->removed) continue;
        write_loop(w, outer, out);
        for (int32_t h = begin + outers; h < end; h++) {
            const contour_loop *hole = &w->loops[w->order[h]];
            if (!hole->removed && (outers == 1 || loop_holds(w, outer, hole))) write_loop(w, hole, out);
        }
    }
}

// Everything that is sized by the number of boundary edges. False when the arena is full.
static bool take_work(contour_work *w, nav_arena *arena, int32_t most_key)
{
    size_t n = (size_t)w->edge_count;
    w->at = NAV_TAKE(arena, nav_point, 3 * n);
    w->behind = NAV_TAKE(arena, int32_t, 3 * n);
    w->code = NAV_TAKE(arena, uint32_t, 3 * n);
    w->flags = NAV_TAKE(arena, uint8_t, 3 * n + CONTOUR_PADDING);
    w->loops = NAV_TAKE(arena, contour_loop, n);
    w->order = NAV_TAKE(arena, int32_t, n);
    w->group_first = NAV_TAKE(arena, int32_t, n + 1);
    w->count = NAV_TAKE(arena, int32_t, (size_t)most_key + 2);
    w->arc_end = NAV_TAKE(arena, uint64_t, n);
    w->vert = NAV_TAKE(arena, int32_t, n);
    w->loop_end = NAV_TAKE(arena, int32_t, n / 4);
    w->vert_next = NAV_TAKE(arena, int32_t, n);
    w->vert_prev = NAV_TAKE(arena, int32_t, n);
    w->sweep = NAV_TAKE(arena, uint64_t, n);
    w->dirty = NAV_TAKE(arena, uint8_t, n);
    return w->at && w->behind && w->code && w->flags && w->loops && w->order && w->group_first && w->count &&
           w->arc_end && w->vert && w->loop_end && w->vert_next && w->vert_prev && w->sweep && w->dirty;
}

static bool take_contours(nav_contours *out, nav_arena *arena, size_t n)
{
    out->loop_first = NAV_TAKE(arena, int32_t, n / 4 + 1);
    out->loop_region = NAV_TAKE(arena, int32_t, n / 4 + 1);
    out->loop_area = NAV_TAKE(arena, uint8_t, n / 4 + 1);
    out->loop_hole = NAV_TAKE(arena, uint8_t, n / 4 + 1);
    out->x = NAV_TAKE(arena, int32_t, n);
    out->z = NAV_TAKE(arena, int32_t, n);
    out->y = NAV_TAKE(arena, int32_t, n);
    out->behind = NAV_TAKE(arena, int32_t, n);
    out->border_joint = NAV_TAKE(arena, uint8_t, n);
    return out->loop_first && out->loop_region && out->loop_area && out->loop_hole && out->x && out->z && out->y &&
           out->behind && out->border_joint;
}

nav_status nav_contours_build(const nav_compact_heightfield *f, const nav_regions *regions, const nav_config *cfg,
                              nav_arena *arena, nav_contours *out)
{
    *out = (nav_contours){0};
    contour_work w = {.f = f, .region = regions->id, .cfg = cfg};
    size_t n = (size_t)f->span_count + CONTOUR_PADDING;
    // The sides stay in the arena below the result: one byte a span, and the size of all else follows from them.
    w.sides = NAV_TAKE(arena, uint8_t, n);
    if (!w.sides) return nav_arena_failure(arena);
    nav_status status = nav_contour_mark_edges(&w, arena);
    if (status != NAV_OK) return status;
    // Raw corners are counted in 32 bits.
    if (w.edge_count > INT32_MAX / 3) return NAV_ERR_LIMIT;
    n = (size_t)w.edge_count;
    if (!take_contours(out, arena, n)) return nav_arena_failure(arena);
    nav_arena_mark scratch = nav_arena_get_mark(arena);
    int32_t blocks = w.blocks * w.blocks;
    if (!take_work(&w, arena, regions->count > blocks ? regions->count : blocks)) {
        status = nav_arena_failure(arena);
        goto done;
    }
    nav_contour_trace(&w);
    status = nav_contour_simplify(&w, arena);
    if (status != NAV_OK) goto done;
    group_loops(&w, regions->count, blocks);
    memset(w.dirty, 1, (size_t)w.group_count);
    nav_contour_untangle(&w);
    out->loop_first[0] = 0;
    for (int32_t g = 0; g < w.group_count; g++) write_group(&w, g, out);
    out->removed_loops = w.loop_count - out->loop_count;
    out->max_deviation = nav_contour_largest_deviation(&w);
done:
    nav_arena_release(arena, scratch);
    return status;
}

void nav_contours_scale(nav_contours *contours, int32_t unit)
{
    if (unit == 1) return;
    for (int32_t i = 0; i < contours->vert_count; i++) {
        contours->x[i] *= unit;
        contours->z[i] *= unit;
    }
}
