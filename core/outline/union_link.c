// From pieces to loops.
//
//         \ |free           At a node the next piece is the first one counterclockwise from the way back, so that
//      ----->o----->        what is free to the right of both has nothing between them. A walk that comes to a node
//       free |\             again leaves the loop between its two visits as a loop of its own.
#include "core/base/sort.h"
#include "core/outline/union_work.h"

#include <assert.h>

typedef struct walker {
    union_work *w;
    bool *used;          // per piece
    int32_t *path;       // pieces of the walk
    int32_t *met;        // per node: where in the path a piece leaves it, or -1
    int32_t *loops;      // pieces of the loops found, each from its lowest node
    int32_t *loop_first; // per loop, and one more
    int32_t loop_count;
} walker;

// Is the direction v -> p before v -> q, counterclockwise from v -> back?
static bool turns_less(nav_point v, nav_point back, nav_point p, nav_point q)
{
    int64_t at_p = nav_right(v, back, p), at_q = nav_right(v, back, q); // < 0: in the first half turn
    bool late_p = at_p > 0 || (at_p == 0 && nav_between(back, p, v)),
         late_q = at_q > 0 || (at_q == 0 && nav_between(back, q, v));
    if (late_p != late_q) return late_q;
    if (at_p == 0 && late_p && at_q != 0) return true; // straight on: the first of the second half turn
    if (at_q == 0 && late_q && at_p != 0) return false;
    return nav_right(v, p, q) < 0;
}

static int32_t next_piece(const walker *l, int32_t piece)
{
    const union_work *w = l->w;
    int32_t n = w->pieces[piece].to, first = w->leaving[n], end = w->leaving[n + 1], best = -1;
    if (end - first == 1) return first;
    l->w->steps += end - first;
    for (int32_t i = first; i < end; i++)
        if (best < 0 || turns_less(w->nodes[n], w->nodes[w->pieces[piece].from], w->nodes[w->pieces[i].to],
                                   w->nodes[w->pieces[best].to]))
            best = i;
    return best;
}

static nav_point beginning(const walker *l, int32_t piece)
{
    return l->w->nodes[l->w->pieces[piece].from];
}

// The pieces of the path from `start` on are a loop.
static int32_t keep_loop(walker *l, int32_t start, int32_t end)
{
    const union_piece *pieces = l->w->pieces;
    int32_t low = start, count = end - start, *to = l->loops + l->loop_first[l->loop_count];
    assert(count >= 3);
    for (int32_t i = start; i < end; i++) {
        l->met[pieces[l->path[i]].from] = -1;
        if (nav_point_before(beginning(l, l->path[i]), beginning(l, l->path[low]))) low = i;
    }
    for (int32_t i = 0; i < count; i++) to[i] = l->path[low + i < end ? low + i : low + i - count];
    l->loop_first[l->loop_count + 1] = l->loop_first[l->loop_count] + count;
    l->loop_count++;
    return start;
}

static void walk(walker *l, int32_t piece)
{
    int32_t count = 0;
    while (!l->used[piece]) {
        l->used[piece] = true;
        int32_t from = l->w->pieces[piece].from, to = l->w->pieces[piece].to;
        l->met[from] = count;
        l->path[count++] = piece;
        if (l->met[to] >= 0) count = keep_loop(l, l->met[to], count);
        piece = next_piece(l, piece);
    }
    assert(count == 0);
}

static bool comes_first(const walker *l, uint32_t p, uint32_t q)
{
    return nav_point_before(beginning(l, l->loops[l->loop_first[p] + 1]), beginning(l, l->loops[l->loop_first[q] + 1]));
}

// Loops in the order of their first two corners, which no two have in common.
static nav_status put_in_order(const walker *l, nav_loops *out)
{
    const union_work *w = l->w;
    enum { NUMBER_BITS = 20, PLACE_BITS = 22 };
    const uint64_t number = ((uint64_t)1 << NUMBER_BITS) - 1;
    if (l->loop_count > (int32_t)number) return NAV_ERR_LIMIT;
    uint64_t *keys = NAV_TAKE(w->arena, uint64_t, l->loop_count);
    if (!keys) return nav_arena_failure(w->arena);
    for (int32_t i = 0; i < l->loop_count; i++) {
        nav_point p = beginning(l, l->loops[l->loop_first[i]]);
        uint64_t x = (uint64_t)(p.x - w->cells.origin.x), z = (uint64_t)(p.z - w->cells.origin.z);
        keys[i] = (x << PLACE_BITS | z) << NUMBER_BITS | (uint32_t)i;
    }
    nav_sort_u64(keys, l->loop_count);
    for (int32_t i = 1; i < l->loop_count; i++) {
        uint64_t key = keys[i];
        int32_t k = i;
        for (; k > 0 && keys[k - 1] >> NUMBER_BITS == key >> NUMBER_BITS; k--) {
            if (!comes_first(l, (uint32_t)(key & number), (uint32_t)(keys[k - 1] & number))) break;
            keys[k] = keys[k - 1];
        }
        keys[k] = key;
    }
    out->first[0] = 0;
    for (int32_t i = 0; i < l->loop_count; i++) {
        uint32_t loop = (uint32_t)(keys[i] & number);
        int32_t k = out->first[i];
        for (int32_t j = l->loop_first[loop]; j < l->loop_first[loop + 1]; j++, k++) {
            out->at[k] = beginning(l, l->loops[j]);
            out->shape[k] = w->pieces[l->loops[j]].shape;
        }
        out->first[i + 1] = k;
    }
    out->count = l->loop_count;
    return NAV_OK;
}

nav_status nav_union_link(union_work *w, nav_loops *out)
{
    walker l = {.w = w,
                .used = NAV_TAKE_ZERO(w->arena, bool, w->piece_count),
                .path = NAV_TAKE(w->arena, int32_t, w->piece_count),
                .met = NAV_TAKE(w->arena, int32_t, w->node_count),
                .loops = NAV_TAKE(w->arena, int32_t, w->piece_count),
                .loop_first = NAV_TAKE(w->arena, int32_t, w->piece_count / 3 + 1)};
    if (!l.used || !l.path || !l.met || !l.loops || !l.loop_first) return nav_arena_failure(w->arena);
    for (int32_t n = 0; n < w->node_count; n++) l.met[n] = -1;
    l.loop_first[0] = 0;
    for (int32_t i = 0; i < w->piece_count; i++)
        if (!l.used[i]) walk(&l, i);
    if (w->steps > NAV_UNION_MAX_STEPS) return NAV_ERR_LIMIT;
    return put_in_order(&l, out);
}
