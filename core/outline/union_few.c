// Few shapes without a grid: what is near an edge is a word of bits, found by comparing its box with all boxes at once.
//
// Nodes are found by their place in a table with open addresses, and by box once all of them are known.
// Source: G. H. Gonnet and R. Baeza-Yates, Handbook of Algorithms and Data Structures (1991), for the table.
#include "core/base/grow.h"
#include "core/lanes/i32xn.h"
#include "core/outline/union_work.h"

#include <string.h>

enum {
    LEAST_SLOTS = 256,
    NOWHERE = 1 << 24, // farther than any place
};

// Room for lanes: whole registers, on the boundary of one.
static int32_t *take_lanes(nav_arena *arena, int32_t count)
{
    int32_t *at = NAV_TAKE(arena, int32_t, (size_t)count + 2 * I32_LANES);
    if (!at) return NULL;
    size_t off = (uintptr_t)at % NAV_SIMD_BYTES;
    return off ? at + (NAV_SIMD_BYTES - off) / sizeof *at : at;
}

// Lists the edges of the shape that come into what is looked at.
static void list_edges(union_work *w, int32_t shape, union_box box)
{
    const nav_shapes *s = w->shapes;
    bool whole = union_holds(w->inside, box.min) && union_holds(w->inside, box.max);
    for (int32_t k = s->first[shape]; k < s->first[shape + 1]; k++) {
        w->live[w->live_count] = (struct union_live){k, shape};
        w->live_count += whole || union_meets(w->inside, union_box_of(s->at[k], union_edge_end(s, shape, k)));
    }
}

static nav_status take_slots(union_work *w, uint32_t size)
{
    union_few *t = &w->table;
    t->slot = NAV_TAKE(w->arena, int32_t, size);
    if (!t->slot) return nav_arena_failure(w->arena);
    memset(t->slot, 0xff, size * sizeof *t->slot);
    t->mask = size - 1;
    return NAV_OK;
}

nav_status nav_union_find_few(union_work *w)
{
    const nav_shapes *s = w->shapes;
    nav_arena *arena = w->arena;
    union_few *t = &w->table;
    int64_t edges = s->first[s->count], room = edges + (int64_t)UNION_LINE_PAD * s->count;
    w->live = NAV_TAKE(arena, struct union_live, edges + 1);
    w->lines = (union_lines){NAV_TAKE(arena, int32_t, s->count), NAV_TAKE(arena, double, room),
                             NAV_TAKE(arena, double, room), NAV_TAKE(arena, double, room)};
    for (int i = 0; i < 4; i++) t->box[i] = take_lanes(arena, s->count);
    if (!w->live || !w->lines.first || !w->lines.a || !w->lines.b || !w->lines.c || !t->box[0] || !t->box[1] ||
        !t->box[2] || !t->box[3])
        return nav_arena_failure(arena);
    nav_point least = s->at[0];
    for (int32_t i = 0; i < s->count; i++) {
        union_box box = union_box_of_shape(s, i);
        bool meets = union_meets(box, w->inside);
        t->box[0][i] = meets ? box.min.x : NOWHERE;
        t->box[1][i] = meets ? box.max.x : -NOWHERE;
        t->box[2][i] = box.min.z;
        t->box[3][i] = box.max.z;
        least = (nav_point){union_least(least.x, box.min.x), union_least(least.z, box.min.z)};
        if (meets) list_edges(w, i, box);
    }
    for (int32_t i = s->count; i % I32_LANES; i++) {
        t->box[0][i] = NOWHERE;
        t->box[1][i] = -NOWHERE;
        t->box[2][i] = t->box[3][i] = 0;
    }
    w->cells.origin = (nav_point){least.x - 2, least.z - 2};
    for (int32_t i = 0, line = 0; i < s->count; i++) line = nav_union_put_lines(w, i, line);
    uint32_t size = LEAST_SLOTS;
    while (size < 2 * (uint32_t)w->live_count) size *= 2;
    return take_slots(w, size);
}

uint64_t nav_union_few_near(const union_work *w, union_box box)
{
    uint64_t near = 0;
    int32_t *const *of = w->table.box;
    for (int32_t i = 0; i < w->shapes->count; i += I32_LANES) {
        i32xn off = (box.max.x - i32xn_load(of[0] + i)) | (i32xn_load(of[1] + i) - box.min.x) |
                    (box.max.z - i32xn_load(of[2] + i)) | (i32xn_load(of[3] + i) - box.min.z);
        near |= (uint64_t)(~i32xn_signs(off) & (uint32_t)((UINT64_C(1) << I32_LANES) - 1)) << i;
    }
    return near;
}

static uint32_t slot_of(const union_few *t, nav_point p)
{
    uint64_t h = ((uint64_t)(uint32_t)p.x << 32 | (uint32_t)p.z) * 0x9e3779b97f4a7c15u;
    return (uint32_t)((h ^ h >> 29) >> 16) & t->mask;
}

static void put_node(union_work *w, int32_t node)
{
    union_few *t = &w->table;
    uint32_t slot = slot_of(t, w->nodes[node]);
    while (t->slot[slot] >= 0) slot = (slot + 1) & t->mask;
    t->slot[slot] = node;
}

nav_status nav_union_few_node(union_work *w, nav_point p, int32_t *out)
{
    union_few *t = &w->table;
    *out = t->newest;
    if (w->node_count > 0 && nav_point_same(w->nodes[*out], p)) return NAV_OK; // a part goes on where another ended
    for (uint32_t slot = slot_of(t, p); (*out = t->slot[slot]) >= 0; slot = (slot + 1) & t->mask) {
        if (!nav_point_same(w->nodes[*out], p)) continue;
        t->newest = *out;
        return NAV_OK;
    }
    nav_status st =
        nav_grow(w->arena, (void **)&w->nodes, &w->node_capacity, (int64_t)w->node_count + 1, sizeof *w->nodes);
    bool full = 2 * ((uint32_t)w->node_count + 1) > t->mask;
    if (st == NAV_OK && full) st = take_slots(w, 2 * (t->mask + 1));
    if (st != NAV_OK) return st;
    for (int32_t n = 0; n < w->node_count && full; n++) put_node(w, n);
    w->nodes[w->node_count] = p;
    put_node(w, w->node_count);
    *out = t->newest = w->node_count++;
    return NAV_OK;
}

nav_status nav_union_few_settle(union_work *w)
{
    int32_t *x = w->table.at[0] = take_lanes(w->arena, w->node_count),
            *z = w->table.at[1] = take_lanes(w->arena, w->node_count);
    if (!x || !z) return nav_arena_failure(w->arena);
    for (int32_t n = 0; n < w->node_count; n++) {
        x[n] = w->nodes[n].x;
        z[n] = w->nodes[n].z;
    }
    for (int32_t n = w->node_count; n % I32_LANES; n++) x[n] = z[n] = NOWHERE;
    return NAV_OK;
}

int32_t nav_union_few_nodes(const union_work *w, union_box box, int32_t *to)
{
    int32_t count = 0;
    for (int32_t i = 0; i < w->node_count; i += I32_LANES) {
        i32xn x = i32xn_load(w->table.at[0] + i), z = i32xn_load(w->table.at[1] + i);
        i32xn off = (x - box.min.x) | (box.max.x - x) | (z - box.min.z) | (box.max.z - z);
        uint32_t in = ~i32xn_signs(off) & (uint32_t)((UINT64_C(1) << I32_LANES) - 1);
        for (; in; in &= in - 1) to[count++] = i + __builtin_ctz(in);
    }
    return count;
}
