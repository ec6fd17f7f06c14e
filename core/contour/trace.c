// Tracing: from labelled spans to closed loops of column corners, cut at nodes.
//
// Each side of a span whose neighbour is not of the same region is an edge. Walking with the region to the right, the
// next edge is the first one found by turning right around the corner: the span's own next side, or else through its
// neighbour's, and so on. Connections are followed, not columns, so floors above each other do not disturb.
//
//        +-----+-----+        d: 0 x-, 1 z+, 2 x+, 3 z-. Side d of a span ends in its corner d, where side d + 1
//        |  t  |  u  |        begins. After side 1 of s comes side 2 of s; if t..u are open on that side, side 1 of
//        +-----1-----+        the neighbour; or its side 0.
//        0  s  2
//        +--3--+
//
// Source: M. Mononen, Recast (contours from compact heightfields); the arcs and their nodes are navd's own.
#include "core/contour/contour_work.h"

#include <assert.h>
#include <string.h>

// The edge that follows side d of span s, as nav_contour_next_edge() finds it. What points to the sides and connections
// stands in registers then: to the compiler, a byte that is stored may be part of any of it.
static inline void go_on(const uint8_t *sides, const int32_t *const connection[4], int32_t *s, int *d)
{
    int dir = (*d + 1) & 3;
    int32_t t = *s;
    while (!(sides[t] >> dir & 1)) {
        t = connection[dir][t];
        dir = (dir + 3) & 3;
    }
    *s = t;
    *d = dir;
}

void nav_contour_next_edge(const contour_work *w, int32_t *s, int *d)
{
    const int32_t *const connection[4] = {w->f->connection[0], w->f->connection[1], w->f->connection[2],
                                          w->f->connection[3]};
    go_on(w->sides, connection, s, d);
}

// What is behind side d, where n is the span connected to there.
static inline int32_t what_is_behind(const int32_t *region, int32_t n, int d)
{
    int32_t r = n == NAV_NOT_CONNECTED ? NAV_REGION_NONE : region[n];
    if (r == NAV_REGION_NONE) return NAV_EDGE_WALL;
    if (r > 0) return r;
    static const int8_t portal[4] = {NAV_EDGE_PORTAL_XMIN, NAV_EDGE_PORTAL_ZMAX, NAV_EDGE_PORTAL_XMAX,
                                     NAV_EDGE_PORTAL_ZMIN};
    return portal[d];
}

// Node flags of the corner between edge `in` (side d0 of s0) and the next edge `out` (side d1 of s1).
static uint8_t corner_flags(const contour_work *w, int32_t in, int32_t s0, int d0, int32_t out, int32_t s1, int d1)
{
    const nav_compact_heightfield *f = w->f;
    if (in != out) {
        bool joint = false;
        if (nav_edge_is_portal(in) && out > 0) joint = nav_edge_continues(f, s0, d0, (d0 + 1) & 3);
        if (nav_edge_is_portal(out) && in > 0) joint = nav_edge_continues(f, s1, d1, (d1 + 3) & 3);
        return (uint8_t)(CORNER_KEPT | CORNER_NODE | (joint ? CORNER_JOINT : 0));
    }
    if (in == NAV_EDGE_WALL) return 0;
    if (in < 0) return nav_edge_continues(f, s0, d0, (d0 + 1) & 3) ? 0 : CORNER_KEPT | CORNER_NODE;
    // Two regions go on side by side only where the other one's contour has the same two edges in a row.
    int32_t t = f->connection[d1][s1];
    int back = d1 ^ 2;
    nav_contour_next_edge(w, &t, &back);
    return t == f->connection[d0][s0] && back == (d0 ^ 2) ? 0 : CORNER_KEPT | CORNER_NODE;
}

// Moves the loop's beginning to its corner `skip`: the corners before it are copied to the end.
static void rotate_loop(contour_work *w, contour_loop *loop, int32_t skip)
{
    int32_t from = loop->first, to = loop->first + loop->count;
    for (int32_t k = 0; k < skip; k++) {
        w->at[to + k] = w->at[from + k];
        w->behind[to + k] = w->behind[from + k];
        w->code[to + k] = w->code[from + k];
        w->flags[to + k] = w->flags[from + k];
    }
    loop->first += skip;
}

// A loop without nodes begins at its lowest corner, of which there is only one, until a better beginning is chosen.
static int32_t begin_closed_loop(contour_work *w, contour_loop *loop)
{
    int32_t low = loop->first;
    for (int32_t k = loop->first + 1; k < loop->first + loop->count; k++)
        if (nav_point_before(w->at[k], w->at[low])) low = k;
    loop->closed = true;
    return low - loop->first;
}

static void trace_loop(contour_work *w, int32_t s, int d, nav_point corner)
{
    contour_loop *loop = &w->loops[w->loop_count++];
    *loop = (contour_loop){.first = w->raw_count, .region = w->region[s], .area = w->f->area[s], .all_wall = true};
    // Nothing of the work changes while a loop is walked but what these point to.
    const int32_t *const connection[4] = {w->f->connection[0], w->f->connection[1], w->f->connection[2],
                                          w->f->connection[3]},
                         *region = w->region;
    uint8_t *sides = w->sides, *flags = w->flags;
    nav_point *at = w->at;
    int32_t *behind = w->behind;
    uint32_t *code = w->code;
    int32_t k = w->raw_count, first = k, first_node = -1, last_s = s, start_s = s;
    int last_d = d, start_d = d;
    bool all_wall = true;
    int64_t area = 0;
    do {
        sides[s] &= (uint8_t) ~(0x10u << d);
        at[k] = corner;
        code[k] = (uint32_t)s * 4 + (uint32_t)d;
        int32_t what = what_is_behind(region, connection[d][s], d);
        behind[k] = what;
        uint8_t flag = 0;
        if (what != NAV_EDGE_WALL || !all_wall) {
            if (k > first) flag = corner_flags(w, behind[k - 1], last_s, last_d, what, s, d);
            if (flag && first_node < 0) first_node = k;
            all_wall = false;
        }
        flags[k++] = flag;
        area += d == 1 ? corner.z : d == 3 ? -corner.z : 0;
        corner.x += nav_dir_x[(d + 1) & 3];
        corner.z += nav_dir_z[(d + 1) & 3];
        last_s = s;
        last_d = d;
        go_on(sides, connection, &s, &d);
    } while (s != start_s || d != start_d);
    loop->count = k - first;
    loop->hole = area < 0;
    loop->all_wall = all_wall;
    flags[first] = corner_flags(w, behind[k - 1], last_s, last_d, behind[first], s, d);
    rotate_loop(w, loop, flags[first] ? 0 : first_node >= 0 ? first_node - first : begin_closed_loop(w, loop));
    k = loop->first + loop->count;
    at[k] = at[loop->first];
    flags[k] = flags[loop->first];
    w->raw_count = k + 1;
}

void nav_contour_trace(contour_work *w)
{
    const nav_compact_heightfield *f = w->f;
    w->raw_count = w->loop_count = 0;
    for (int32_t eight = 0; eight < f->span_count; eight += 8) {
        uint64_t open;
        memcpy(&open, w->sides + eight, sizeof open);
        if ((open & 0xf0f0f0f0f0f0f0f0u) == 0) continue;
        for (int32_t s = eight; s < eight + 8; s++) {
            while (w->sides[s] >> 4) {
                int d = 0;
                while (!(w->sides[s] >> (4 + d) & 1)) d++;
                int32_t x = f->column[s] % f->width - f->border, z = f->column[s] / f->width - f->border;
                // Side d begins in corner d - 1: (x, z), (x, z + 1), (x + 1, z + 1), (x + 1, z).
                trace_loop(w, s, d, (nav_point){x + (d >> 1), z + (d == 1 || d == 2)});
                w->loops[w->loop_count - 1].block = z / w->block_columns * w->blocks + x / w->block_columns;
            }
        }
    }
    assert(w->raw_count <= 3 * w->edge_count);
}
