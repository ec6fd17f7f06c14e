// Snap rounding: from parts to pieces that meet at nodes only.
//
//         . . . . .        The nodes are the rounded ends of all parts. Each stands for the square of one unit around
//        . +-----+ .       it, with its left and lower sides. A part goes from node to node through every node whose
//     ---.-|--o  |-.--     square it crosses. What several parts run along then counts once for each, with its
//        . +-----+ .       direction: what runs both ways is gone, and around every node as much arrives as leaves.
#include "core/base/grow.h"
#include "core/outline/union_work.h"

#include <assert.h>

// What runs between two nodes, in a list of the lower one.
typedef struct tie {
    int32_t low, high;   // nodes
    int32_t sum;         // parts from low to high, less those from high to low
    int32_t ahead, back; // the lowest shape of each of the two kinds
    int32_t next;
} tie;

typedef struct tie_list {
    tie *at;
    int32_t *first; // per node, or -1
    int32_t count, capacity;
} tie_list;

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

static nav_status add_tie(union_work *w, tie_list *l, int32_t from, int32_t to, int32_t shape)
{
    int32_t low = from < to ? from : to, high = from < to ? to : from, i = l->first[low];
    for (; i >= 0 && l->at[i].high != high; i = l->at[i].next) w->steps++;
    if (i < 0) {
        nav_status st = nav_grow(w->arena, (void **)&l->at, &l->capacity, (int64_t)l->count + 1, sizeof *l->at);
        if (st != NAV_OK) return st;
        i = l->count++;
        l->at[i] = (tie){low, high, 0, INT32_MAX, INT32_MAX, l->first[low]};
        l->first[low] = i;
    }
    tie *t = &l->at[i];
    t->sum += from == low ? 1 : -1;
    int32_t *lowest = from == low ? &t->ahead : &t->back;
    if (shape < *lowest) *lowest = shape;
    return NAV_OK;
}

// The ends of a part, and of the edge that it is of.
typedef struct path {
    nav_point a, b, from, to;
} path;

// Puts the node into the order of those that the path goes through, if it does go through it.
static int32_t add_through(const union_work *w, const path *p, int32_t n, int32_t *through, int32_t count)
{
    int32_t k = count;
    nav_point h = w->nodes[n];
    if (!crosses_square(p->a, p->b, h) || !earlier(p->a, p->b, p->from, h) || !earlier(p->a, p->b, h, p->to))
        return count;
    while (k > 0 && earlier(p->a, p->b, h, w->nodes[through[k - 1]])) k--;
    if (k > 0 && through[k - 1] == n) return count; // in two cells
    for (int32_t m = count; m > k; m--) through[m] = through[m - 1];
    through[k] = n;
    return count + 1;
}

// Finds the nodes that a part goes through, in its order. Returns how many. near: room for all nodes.
static int32_t find_through(union_work *w, const union_part *part, int32_t *near, int32_t *through)
{
    const union_cells *c = &w->cells;
    const path p = {w->shapes->at[part->edge], union_edge_end(w->shapes, part->shape, part->edge), w->nodes[part->from],
                    w->nodes[part->to]};
    union_box box = union_box_of(p.from, p.to);
    int32_t count = 0;
    if (w->few) {
        box = (union_box){{box.min.x - 1, box.min.z - 1}, {box.max.x + 1, box.max.z + 1}};
        int32_t found = nav_union_few_nodes(w, box, near);
        for (int32_t i = 0; i < found; i++)
            if (near[i] != part->from && near[i] != part->to) count = add_through(w, &p, near[i], through, count);
        return count;
    }
    union_rows rows = union_edge_rows(c, part->shape, p.a, p.b, box, 1);
    for (int32_t r = rows.low; r <= rows.high; r++) {
        int32_t low, high;
        union_edge_columns(&rows, r, &low, &high);
        for (int32_t i = low; i <= high; i++) {
            for (int32_t l = c->nodes[(int64_t)r * c->columns + i]; l >= 0; l = w->node_links[l].next) {
                w->steps++;
                count = add_through(w, &p, w->node_links[l].item, through, count);
            }
        }
    }
    return count;
}

static nav_status cut_part(union_work *w, const union_part *p, int32_t *near, int32_t *through, tie_list *ties)
{
    if (p->from == p->to) return NAV_OK;
    int32_t count = find_through(w, p, near, through), from = p->from;
    for (int32_t i = 0; i < count; i++) {
        nav_status st = add_tie(w, ties, from, through[i], p->shape);
        if (st != NAV_OK) return st;
        from = through[i];
    }
    return add_tie(w, ties, from, p->to, p->shape);
}

static int32_t beginning(const tie *t)
{
    return t->sum > 0 ? t->low : t->high;
}

// What ties leave, sorted by where it begins.
static nav_status collect_pieces(union_work *w, const tie_list *ties)
{
    w->leaving = NAV_TAKE_ZERO(w->arena, int32_t, w->node_count + 2);
    w->pieces = NAV_TAKE(w->arena, union_piece, ties->count);
    if (!w->leaving || !w->pieces) return nav_arena_failure(w->arena);
    for (int32_t i = 0; i < ties->count; i++) {
        const tie *t = &ties->at[i];
        assert(t->sum >= -1 && t->sum <= 1);
        if (t->sum != 0) w->leaving[beginning(t) + 2]++;
    }
    for (int32_t n = 0; n < w->node_count; n++) w->leaving[n + 2] += w->leaving[n + 1];
    for (int32_t i = 0; i < ties->count; i++) {
        const tie *t = &ties->at[i];
        if (t->sum == 0) continue;
        w->pieces[w->leaving[beginning(t) + 1]++] =
            t->sum > 0 ? (union_piece){t->low, t->high, t->ahead} : (union_piece){t->high, t->low, t->back};
        w->piece_count++;
    }
    return NAV_OK;
}

nav_status nav_union_snap(union_work *w)
{
    int32_t *through = NAV_TAKE(w->arena, int32_t, w->node_count), *near = NAV_TAKE(w->arena, int32_t, w->node_count);
    tie_list ties = {.first = NAV_TAKE(w->arena, int32_t, w->node_count)};
    if (!through || !near || !ties.first) return nav_arena_failure(w->arena);
    nav_status st = w->few ? nav_union_few_settle(w) : NAV_OK;
    for (int32_t n = 0; n < w->node_count; n++) ties.first[n] = -1;
    for (int32_t i = 0; i < w->part_count && st == NAV_OK; i++) {
        st = cut_part(w, &w->parts[i], near, through, &ties);
        if (w->steps > NAV_UNION_MAX_STEPS) return NAV_ERR_LIMIT;
    }
    return st == NAV_OK ? collect_pieces(w, &ties) : st;
}
