// Distances on the compact heightfield, for erosion and for the watershed.
//
//      3 2 3     two passes, down and up the field, each through half of the neighbours; steps along connections only
//      2 0 2     (2 straight, 3 diagonal), so distances run over bridges and not through walls
//      3 2 3
#include "core/voxel/spans/heightfield.h"

enum { FAR = UINT16_MAX - 8 };

static inline unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

// dist: 0 at the seeds, FAR elsewhere, and at dist[-1], where connections that lead nowhere point. All but seeds have a
// connection to every side. Spans are in row order, so one sweep forward and one backward suffice. In a sweep a span
// waits for nothing but the one before it, whose distance is at hand: what was stored a moment ago comes back from
// memory late.
static void chamfer(const nav_compact_heightfield *f, uint16_t *dist)
{
    const int32_t *left = f->connection[0], *up = f->connection[1], *right = f->connection[2], *down = f->connection[3];
    unsigned before = 0;
    for (int32_t i = 0; i < f->span_count; i++) {
        if (dist[i] != 0) {
            int32_t n = left[i], below = down[i];
            unsigned best = lesser(lesser(dist[below] + 2u, dist[right[below]] + 3u), dist[down[n]] + 3u);
            best = lesser(lesser(best, dist[i]), (n == i - 1 ? before : dist[n]) + 2u);
            dist[i] = (uint16_t)best;
        }
        before = dist[i];
    }
    for (int32_t i = f->span_count - 1; i >= 0; i--) {
        if (dist[i] != 0) {
            int32_t n = right[i], above = up[i];
            unsigned best = lesser(lesser(dist[above] + 2u, dist[left[above]] + 3u), dist[up[n]] + 3u);
            best = lesser(lesser(best, dist[i]), (n == i + 1 ? before : dist[n]) + 2u);
            dist[i] = (uint16_t)best;
        }
        before = dist[i];
    }
}

// Distances of all spans, still to be filled, with the one that chamfer() wants in front of them.
static uint16_t *take_distances(const nav_compact_heightfield *f, nav_arena *arena)
{
    uint16_t *dist = NAV_TAKE(arena, uint16_t, (size_t)f->span_count + 1);
    if (!dist) return NULL;
    dist[0] = FAR;
    return dist + 1;
}

static inline bool is_inside(const nav_compact_heightfield *f, int32_t i)
{
    return (f->connection[0][i] | f->connection[1][i] | f->connection[2][i] | f->connection[3][i]) >=
           0; // NAV_NOT_CONNECTED is the sign
}

// Erosion at any radius, by distances.
static nav_status erode_far(nav_compact_heightfield *f, int32_t radius_columns, nav_arena *scratch)
{
    nav_arena_mark mark = nav_arena_get_mark(scratch);
    uint16_t *dist = take_distances(f, scratch);
    if (!dist) return nav_arena_failure(scratch);
    for (int32_t i = 0; i < f->span_count; i++) dist[i] = is_inside(f, i) ? FAR : 0;
    chamfer(f, dist);
    for (int32_t i = 0; i < f->span_count; i++)
        if (dist[i] < 2 * radius_columns) f->area[i] = NAV_AREA_NONE;
    nav_arena_release(scratch, mark);
    return NAV_OK;
}

static void erode_around(const nav_compact_heightfield *f, uint8_t *area, int32_t edge)
{
    area[edge] = NAV_AREA_NONE;
    for (int d = 0; d < 4; d++) {
        int32_t n = f->connection[d][edge];
        if (n == NAV_NOT_CONNECTED) continue;
        area[n] = NAV_AREA_NONE;
        int32_t diagonal = f->connection[(d + 1) & 3][n];
        if (diagonal != NAV_NOT_CONNECTED) area[diagonal] = NAV_AREA_NONE;
    }
}

// The same at a radius of one or two columns, as most agents have: what is nearer than twice that is the edge itself,
// or one step from it, straight (2) or diagonal (3). Few spans are edges, and the others are passed by in blocks.
static void erode_near(nav_compact_heightfield *f, int32_t radius_columns)
{
    enum { BLOCK = 32 };
    const int32_t *l0 = f->connection[0], *l1 = f->connection[1], *l2 = f->connection[2], *l3 = f->connection[3];
    for (int32_t from = 0; from < f->span_count; from += BLOCK) {
        int32_t end = from + BLOCK < f->span_count ? from + BLOCK : f->span_count, all = 0;
        for (int32_t i = from; i < end; i++) all |= l0[i] | l1[i] | l2[i] | l3[i];
        if (all >= 0) continue;
        for (int32_t i = from; i < end; i++) {
            if (is_inside(f, i)) continue;
            if (radius_columns == 1)
                f->area[i] = NAV_AREA_NONE;
            else
                erode_around(f, f->area, i);
        }
    }
}

nav_status nav_compact_erode(nav_compact_heightfield *f, const nav_config *cfg, nav_arena *scratch)
{
    if (cfg->radius_columns == 0) return NAV_OK;
    nav_status status = NAV_OK;
    if (cfg->radius_columns <= 2 && !cfg->plain)
        erode_near(f, cfg->radius_columns);
    else
        status = erode_far(f, cfg->radius_columns, scratch);
    if (status == NAV_OK) nav_compact_cut(f);
    return status;
}

static void blur(const nav_compact_heightfield *f, const uint16_t *in, uint16_t *out)
{
    for (int32_t i = 0; i < f->span_count; i++) {
        unsigned own = in[i], sum = own;
        if (own <= 2) { // edges stay sharp
            out[i] = (uint16_t)own;
            continue;
        }
        for (int d = 0; d < 4; d++) {
            int32_t n = f->connection[d][i], diagonal = f->connection[(d + 1) & 3][n]; // only edges lack connections
            unsigned beyond = in[diagonal];                                            // in[-1] is there
            sum += in[n] + (diagonal == NAV_NOT_CONNECTED ? own : beyond);
        }
        out[i] = (uint16_t)((sum + 5) / 9);
    }
}

// The seeds: spans with a side to nothing, or to another area.
static void mark_edges(const nav_compact_heightfield *f, uint16_t *dist)
{
    const uint8_t *area = f->area;
    if (f->rows.ranks > 0 && f->rows.one_area) {
        for (int32_t i = 0; i < f->span_count; i++) dist[i] = is_inside(f, i) ? FAR : 0;
        return;
    }
    for (int32_t i = 0; i < f->span_count; i++) {
        bool inside = is_inside(f, i); // which those without an area are not: they have no connections
        for (int d = 0; d < 4 && inside; d++) inside = area[f->connection[d][i]] == area[i];
        dist[i] = inside ? FAR : 0;
    }
}

nav_status nav_compact_measure(nav_compact_heightfield *f, nav_arena *arena)
{
    f->distance = NAV_TAKE(arena, uint16_t, f->span_count);
    nav_arena_mark mark = nav_arena_get_mark(arena);
    uint16_t *dist = take_distances(f, arena);
    if (!f->distance || !dist) return nav_arena_failure(arena);
    mark_edges(f, dist);
    chamfer(f, dist);
    f->max_distance = 0;
    for (int32_t i = 0; i < f->span_count; i++)
        if (dist[i] > f->max_distance) f->max_distance = dist[i];
    blur(f, dist, f->distance);
    nav_arena_release(arena, mark);
    return NAV_OK;
}
