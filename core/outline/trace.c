// Tracing: from labelled spans to closed loops of cell corners, cut at nodes.
//
// Each side of a span whose neighbour is not of the same region is an edge. Walking with the region to the right, the
// next edge is the first one found by turning right around the corner: the span's own next side, or else through its
// neighbour's, and so on. Links are followed, not columns, so floors above each other do not disturb.
//
//        +-----+-----+        d: 0 x-, 1 z+, 2 x+, 3 z-. Side d of a span ends in its corner d, where side d + 1
//        |  t  |  u  |        begins. After side 1 of s comes side 2 of s; if t..u are open on that side, side 1 of
//        +-----1-----+        the neighbour; or its side 0.
//        0  s  2
//        +--3--+
//
// Source: M. Mononen, Recast (contours from compact heightfields); the arcs and their nodes are navd's own.
#include "core/outline/outline_work.h"

#include <assert.h>
#include <string.h>

void outline_mark_edges(outline_work *w)
{
    const nav_open_field *f = w->f;
    const int32_t *id = w->region;
    int32_t count = 0;
    memset(w->sides, 0, (size_t)f->span_count);
    for (int32_t z = f->border; z < f->width - f->border; z++) {
        int32_t begin = f->column_first[z * f->width + f->border];
        int32_t end = f->column_first[z * f->width + f->width - f->border];
        for (int32_t s = begin; s < end; s++) {
            int32_t r = id[s];
            if (r <= 0) continue;
            unsigned m = 0;
            for (int d = 0; d < 4; d++) {
                int32_t n = f->link[d][s];
                m |= (unsigned)(n == NAV_LINK_NONE || id[n] != r) << d;
            }
            w->sides[s] = (uint8_t)(m | m << 4);
            count += (int32_t)((m & 1) + (m >> 1 & 1) + (m >> 2 & 1) + (m >> 3));
        }
    }
    w->edge_count = count;
}

void outline_next_edge(const outline_work *w, int32_t *s, int *d)
{
    int dir = (*d + 1) & 3;
    int32_t t = *s;
    while (!(w->sides[t] >> dir & 1)) {
        t = w->f->link[dir][t];
        dir = (dir + 3) & 3;
    }
    *s = t;
    *d = dir;
}

static int32_t what_is_behind(const outline_work *w, int32_t s, int d)
{
    int32_t n = w->f->link[d][s];
    if (n == NAV_LINK_NONE || w->region[n] == NAV_REGION_NONE) return NAV_EDGE_WALL;
    if (w->region[n] > 0) return w->region[n];
    static const int8_t portal[4] = {NAV_EDGE_PORTAL_XMIN, NAV_EDGE_PORTAL_ZMAX, NAV_EDGE_PORTAL_XMAX,
                                     NAV_EDGE_PORTAL_ZMIN};
    return portal[d];
}

// Node flags of the corner between edge `in` (side d0 of s0) and the next edge `out` (side d1 of s1).
static uint8_t corner_flags(const outline_work *w, int32_t in, int32_t s0, int d0, int32_t out, int32_t s1, int d1)
{
    const nav_open_field *f = w->f;
    if (in != out) {
        bool joint = false;
        if (nav_edge_is_portal(in) && out > 0) joint = nav_edge_continues(f, s0, d0, (d0 + 1) & 3);
        if (nav_edge_is_portal(out) && in > 0) joint = nav_edge_continues(f, s1, d1, (d1 + 3) & 3);
        return (uint8_t)(CORNER_KEPT | CORNER_NODE | (joint ? CORNER_JOINT : 0));
    }
    if (in == NAV_EDGE_WALL) return 0;
    if (in < 0) return nav_edge_continues(f, s0, d0, (d0 + 1) & 3) ? 0 : CORNER_KEPT | CORNER_NODE;
    // Two regions go on side by side only where the other one's outline has the same two edges in a row.
    int32_t t = f->link[d1][s1];
    int back = d1 ^ 2;
    outline_next_edge(w, &t, &back);
    return t == f->link[d0][s0] && back == (d0 ^ 2) ? 0 : CORNER_KEPT | CORNER_NODE;
}

// Moves the loop's beginning to its corner `skip`: the corners before it are copied to the end.
static void rotate_loop(outline_work *w, outline_loop *loop, int32_t skip)
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

// A loop without nodes is cut at its lowest and highest corner.
static int32_t cut_closed_loop(outline_work *w, outline_loop *loop)
{
    int32_t low = loop->first, high = loop->first;
    for (int32_t k = loop->first + 1; k < loop->first + loop->count; k++) {
        if (nav_point_before(w->at[k], w->at[low])) low = k;
        if (nav_point_before(w->at[high], w->at[k])) high = k;
    }
    loop->closed = true;
    w->flags[low] |= CORNER_KEPT | CORNER_NODE;
    w->flags[high] |= CORNER_KEPT | CORNER_NODE;
    return low - loop->first;
}

static void trace_loop(outline_work *w, int32_t s, int d, nav_point corner)
{
    outline_loop *loop = &w->loops[w->loop_count++];
    *loop = (outline_loop){.first = w->raw_count, .region = w->region[s], .area = w->f->area[s], .all_wall = true};
    int32_t k = w->raw_count, first_node = -1;
    int32_t start_s = s, last_s = s;
    int start_d = d, last_d = d;
    int64_t area = 0;
    do {
        w->sides[s] &= (uint8_t) ~(0x10u << d);
        w->at[k] = corner;
        w->code[k] = (uint32_t)s * 4 + (uint32_t)d;
        int32_t behind = what_is_behind(w, s, d);
        w->behind[k] = behind;
        loop->all_wall &= behind == NAV_EDGE_WALL;
        uint8_t flags = 0;
        if (k > loop->first) flags = corner_flags(w, w->behind[k - 1], last_s, last_d, behind, s, d);
        if (flags && first_node < 0) first_node = k;
        w->flags[k++] = flags;
        area += d == 1 ? corner.z : d == 3 ? -corner.z : 0;
        corner.x += nav_dir_x[(d + 1) & 3];
        corner.z += nav_dir_z[(d + 1) & 3];
        last_s = s;
        last_d = d;
        outline_next_edge(w, &s, &d);
    } while (s != start_s || d != start_d);
    loop->count = k - loop->first;
    loop->hole = area < 0;
    uint8_t flags = corner_flags(w, w->behind[k - 1], last_s, last_d, w->behind[loop->first], s, d);
    w->flags[loop->first] = flags;
    int32_t skip = flags ? 0 : first_node >= 0 ? first_node - loop->first : cut_closed_loop(w, loop);
    rotate_loop(w, loop, skip);
    k = loop->first + loop->count;
    w->at[k] = w->at[loop->first];
    w->flags[k] = w->flags[loop->first];
    w->raw_count = k + 1;
}

void outline_trace(outline_work *w)
{
    const nav_open_field *f = w->f;
    w->raw_count = w->loop_count = 0;
    for (int32_t z = f->border; z < f->width - f->border; z++) {
        int32_t row = z * f->width + f->border;
        int32_t begin = f->column_first[row], end = f->column_first[row - f->border + f->width - f->border];
        for (int32_t s = begin; s < end; s++) {
            while (w->sides[s] >> 4) {
                int d = 0;
                while (!(w->sides[s] >> (4 + d) & 1)) d++;
                // Side d begins in corner d - 1: (x, z), (x, z + 1), (x + 1, z + 1), (x + 1, z).
                nav_point p = {f->column[s] - row + (d >> 1), z - f->border + (d == 1 || d == 2)};
                trace_loop(w, s, d, p);
            }
        }
    }
    assert(w->raw_count <= 3 * w->edge_count);
}
