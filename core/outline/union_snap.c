// Snap rounding: from parts to pieces that meet at nodes only.
//
//         . . . . .        The nodes are the rounded ends of all parts. Each stands for the square of one unit around
//         it,
//        . +-----+ .       with its left and lower sides. A part goes from node to node through every node whose square
//     ---.-|--o  |-.--     it crosses. What several parts run along then counts once for each, with its direction: what
//        . +-----+ .       runs both ways is gone, and around every node as much arrives as leaves.
#include "core/base/grow.h"
#include "core/base/sort.h"
#include "core/outline/union_work.h"

#include <assert.h>

typedef struct span {
    int32_t low, high; // nodes
    int32_t shape;
    bool back; // it runs from high to low
} span;

static uint64_t key_of(nav_point p)
{
    return (uint64_t)((uint32_t)p.x ^ 0x80000000u) << 32 | ((uint32_t)p.z ^ 0x80000000u);
}

static nav_point point_of(uint64_t key)
{
    return (nav_point){(int32_t)((uint32_t)(key >> 32) ^ 0x80000000u), (int32_t)((uint32_t)key ^ 0x80000000u)};
}

static int32_t node_at(const union_work *w, nav_point p)
{
    int32_t low = 0, high = w->node_count;
    while (high - low > 1) {
        int32_t mid = low + (high - low) / 2;
        if (nav_point_before(p, w->nodes[mid]))
            high = mid;
        else
            low = mid;
    }
    return low;
}

static nav_status find_nodes(union_work *w)
{
    int64_t most = 2 * (int64_t)w->part_count + w->mark_count;
    uint64_t *keys = NAV_TAKE(w->arena, uint64_t, most);
    w->nodes = NAV_TAKE(w->arena, nav_point, most);
    if (!keys || !w->nodes) return nav_arena_failure(w->arena);
    int32_t count = 0;
    for (int32_t i = 0; i < w->part_count; i++) {
        keys[count++] = key_of(w->parts[i].from);
        keys[count++] = key_of(w->parts[i].to);
    }
    for (int32_t i = 0; i < w->mark_count; i++) keys[count++] = key_of(w->marks[i]);
    nav_sort_u64(keys, count);
    for (int32_t i = 0; i < count; i++)
        if (i == 0 || keys[i] != keys[i - 1]) w->nodes[w->node_count++] = point_of(keys[i]);
    return NAV_OK;
}

// Does the line through a and b cross the square of p? Its corners lie on both sides, or its lower left one on the
// line.
static bool crosses_square(nav_point a, nav_point b, nav_point p)
{
    int64_t dx = b.x - a.x, dz = b.z - a.z, middle = 2 * nav_right(a, b, p);
    int64_t reach = (dx < 0 ? -dx : dx) + (dz < 0 ? -dz : dz);
    return (middle < reach && -middle < reach) || middle - dz + dx == 0;
}

// The order in which a line from a to b comes to the squares that it crosses.
static bool earlier(nav_point a, nav_point b, nav_point p, nav_point q)
{
    if (p.x != q.x && b.x != a.x) return (p.x < q.x) == (b.x > a.x);
    return p.z != q.z && (p.z < q.z) == (b.z > a.z);
}

typedef struct span_list {
    span *at;
    int32_t count, capacity;
} span_list;

static nav_status add_span(nav_arena *arena, span_list *l, int32_t from, int32_t to, int32_t shape)
{
    nav_status st = nav_grow(arena, (void **)&l->at, &l->capacity, (int64_t)l->count + 1, sizeof *l->at);
    if (st == NAV_OK) l->at[l->count++] = from < to ? (span){from, to, shape, false} : (span){to, from, shape, true};
    return st;
}

static nav_status cut_part(union_work *w, const union_part *p, int32_t *through, span_list *spans)
{
    int32_t from = node_at(w, p->from), to = node_at(w, p->to), count = 0;
    if (from == to) return NAV_OK;
    int32_t low_x = p->from.x < p->to.x ? p->from.x : p->to.x, high_x = p->from.x < p->to.x ? p->to.x : p->from.x;
    for (int32_t i = node_at(w, (nav_point){low_x, INT32_MIN}); i < w->node_count && w->nodes[i].x <= high_x; i++) {
        nav_point h = w->nodes[i];
        if (!earlier(p->a, p->b, p->from, h) || !earlier(p->a, p->b, h, p->to) || !crosses_square(p->a, p->b, h))
            continue;
        int32_t k = count++;
        for (; k > 0 && earlier(p->a, p->b, h, w->nodes[through[k - 1]]); k--) through[k] = through[k - 1];
        through[k] = i;
    }
    for (int32_t i = 0; i < count; i++) {
        nav_status st = add_span(w->arena, spans, from, through[i], p->shape);
        if (st != NAV_OK) return st;
        from = through[i];
    }
    return add_span(w->arena, spans, from, to, p->shape);
}

static bool same_ends(const span *p, const span *q)
{
    return p->low == q->low && p->high == q->high;
}

// What is left of spans between the same two nodes, as pieces. Returns how many.
static int32_t add_up(const span *s, int32_t count, union_piece *out)
{
    int32_t sum = 0, ahead = INT32_MAX, back = INT32_MAX;
    for (int32_t i = 0; i < count; i++) {
        sum += s[i].back ? -1 : 1;
        int32_t *lowest = s[i].back ? &back : &ahead;
        if (s[i].shape < *lowest) *lowest = s[i].shape;
    }
    assert(sum >= -1 && sum <= 1);
    if (sum == 0) return 0;
    *out = sum > 0 ? (union_piece){s->low, s->high, ahead} : (union_piece){s->high, s->low, back};
    return 1;
}

nav_status nav_union_snap(union_work *w)
{
    nav_status st = find_nodes(w);
    if (st != NAV_OK) return st;
    span_list spans = {0};
    int32_t *through = NAV_TAKE(w->arena, int32_t, w->node_count);
    if (!through) return nav_arena_failure(w->arena);
    for (int32_t i = 0; i < w->part_count; i++) {
        st = cut_part(w, &w->parts[i], through, &spans);
        if (st != NAV_OK) return st;
    }
    int32_t nodes = w->node_count;
    int32_t *first = NAV_TAKE_ZERO(w->arena, int32_t, nodes + 2);
    w->leaving = NAV_TAKE_ZERO(w->arena, int32_t, nodes + 2);
    uint64_t *keys = NAV_TAKE(w->arena, uint64_t, spans.count);
    span *sorted = NAV_TAKE(w->arena, span, spans.count);
    union_piece *found = NAV_TAKE(w->arena, union_piece, spans.count);
    w->pieces = NAV_TAKE(w->arena, union_piece, spans.count);
    if (!first || !w->leaving || !keys || !sorted || !found || !w->pieces) return nav_arena_failure(w->arena);
    // By their lower node, then by the higher one.
    for (int32_t i = 0; i < spans.count; i++) first[spans.at[i].low + 2]++;
    for (int32_t n = 0; n < nodes; n++) first[n + 2] += first[n + 1];
    for (int32_t i = 0; i < spans.count; i++)
        keys[first[spans.at[i].low + 1]++] = (uint64_t)spans.at[i].high << 32 | (uint32_t)i;
    for (int32_t n = 0; n < nodes; n++) nav_sort_u64(keys + first[n], first[n + 1] - first[n]);
    for (int32_t i = 0; i < spans.count; i++) sorted[i] = spans.at[(uint32_t)keys[i]];
    int32_t count = 0;
    for (int32_t i = 0, end; i < spans.count; i = end) {
        for (end = i + 1; end < spans.count && same_ends(&sorted[i], &sorted[end]); end++) continue;
        count += add_up(sorted + i, end - i, found + count);
    }
    // By where they begin, then by where they end.
    for (int32_t i = 0; i < count; i++) w->leaving[found[i].from + 2]++;
    for (int32_t n = 0; n < nodes; n++) w->leaving[n + 2] += w->leaving[n + 1];
    for (int32_t i = 0; i < count; i++)
        keys[w->leaving[found[i].from + 1]++] = (uint64_t)found[i].to << 32 | (uint32_t)i;
    for (int32_t n = 0; n < nodes; n++) nav_sort_u64(keys + w->leaving[n], w->leaving[n + 1] - w->leaving[n]);
    for (int32_t i = 0; i < count; i++) w->pieces[i] = found[(uint32_t)keys[i]];
    w->piece_count = count;
    return NAV_OK;
}
