// Distances on the open field, for eroding and for the watershed.
//
//      3 2 3     two passes, down and up the field, each through half of the neighbours; steps along links only
//      2 0 2     (2 straight, 3 diagonal), so distances run over bridges and not through walls
//      3 2 3
#include "core/voxel/plainly.h"

static inline uint16_t nearer(uint16_t best, const uint16_t *dist, int32_t via, unsigned step)
{
    unsigned d = dist[via] + step;
    return d < best ? (uint16_t)d : best;
}

static inline uint16_t pull(const nav_open_field *f, const uint16_t *dist, int32_t i, int d, int turn, uint16_t best)
{
    int32_t n = f->link[d][i];
    if (n == NAV_LINK_NONE) return best;
    best = nearer(best, dist, n, 2);
    int32_t diagonal = f->link[turn][n];
    return diagonal == NAV_LINK_NONE ? best : nearer(best, dist, diagonal, 3);
}

// dist: 0 at the seeds, limit elsewhere. Spans are in row order, so one sweep forward and one backward suffice.
static void chamfer(const nav_open_field *f, uint16_t *dist)
{
    for (int32_t i = 0; i < f->span_count; i++) {
        if (dist[i] == 0) continue;
        dist[i] = pull(f, dist, i, 0, 3, dist[i]);
        dist[i] = pull(f, dist, i, 3, 2, dist[i]);
    }
    for (int32_t i = f->span_count - 1; i >= 0; i--) {
        if (dist[i] == 0) continue;
        dist[i] = pull(f, dist, i, 2, 1, dist[i]);
        dist[i] = pull(f, dist, i, 1, 0, dist[i]);
    }
}

enum { FAR = UINT16_MAX - 8 };

static inline bool is_inside(const nav_open_field *f, int32_t i)
{
    return (f->link[0][i] | f->link[1][i] | f->link[2][i] | f->link[3][i]) >= 0; // NAV_LINK_NONE is the sign
}

// Erosion at any radius, by distances.
static nav_status erode_far(nav_open_field *f, int32_t radius_cells, nav_arena *scratch)
{
    nav_arena_mark mark = nav_arena_get_mark(scratch);
    uint16_t *dist = NAV_TAKE(scratch, uint16_t, f->span_count);
    if (!dist) return nav_arena_failure(scratch);
    for (int32_t i = 0; i < f->span_count; i++) dist[i] = is_inside(f, i) ? FAR : 0;
    chamfer(f, dist);
    for (int32_t i = 0; i < f->span_count; i++)
        if (dist[i] < 2 * radius_cells) f->area[i] = NAV_AREA_NONE;
    nav_arena_release(scratch, mark);
    return NAV_OK;
}

static void erode_around(const nav_open_field *f, uint8_t *area, int32_t edge)
{
    area[edge] = NAV_AREA_NONE;
    for (int d = 0; d < 4; d++) {
        int32_t n = f->link[d][edge];
        if (n == NAV_LINK_NONE) continue;
        area[n] = NAV_AREA_NONE;
        int32_t diagonal = f->link[(d + 1) & 3][n];
        if (diagonal != NAV_LINK_NONE) area[diagonal] = NAV_AREA_NONE;
    }
}

// The same at a radius of one or two cells, as most agents have: what is nearer than twice that is the edge itself, or
// one step from it, straight (2) or diagonal (3). Few spans are edges, and the others are passed by in blocks.
static void erode_near(nav_open_field *f, int32_t radius_cells)
{
    enum { BLOCK = 32 };
    const int32_t *l0 = f->link[0], *l1 = f->link[1], *l2 = f->link[2], *l3 = f->link[3];
    for (int32_t from = 0; from < f->span_count; from += BLOCK) {
        int32_t end = from + BLOCK < f->span_count ? from + BLOCK : f->span_count, all = 0;
        for (int32_t i = from; i < end; i++) all |= l0[i] | l1[i] | l2[i] | l3[i];
        if (all >= 0) continue;
        for (int32_t i = from; i < end; i++) {
            if (is_inside(f, i)) continue;
            if (radius_cells == 1)
                f->area[i] = NAV_AREA_NONE;
            else
                erode_around(f, f->area, i);
        }
    }
}

nav_status nav_open_field_erode_by(bool plainly, nav_open_field *f, const nav_config *cfg, nav_arena *scratch)
{
    if (cfg->radius_cells == 0) return NAV_OK;
    nav_status status = NAV_OK;
    if (cfg->radius_cells <= 2 && !plainly)
        erode_near(f, cfg->radius_cells);
    else
        status = erode_far(f, cfg->radius_cells, scratch);
    if (status == NAV_OK) nav_open_field_cut(f);
    return status;
}

nav_status nav_open_field_erode(nav_open_field *f, const nav_config *cfg, nav_arena *scratch)
{
    return nav_open_field_erode_by(false, f, cfg, scratch);
}

static void blur(const nav_open_field *f, const uint16_t *in, uint16_t *out)
{
    for (int32_t i = 0; i < f->span_count; i++) {
        unsigned own = in[i];
        if (own <= 2) { // edges stay sharp
            out[i] = (uint16_t)own;
            continue;
        }
        unsigned sum = own;
        for (int d = 0; d < 4; d++) {
            int32_t n = f->link[d][i];
            if (n == NAV_LINK_NONE) {
                sum += 2 * own;
                continue;
            }
            int32_t diagonal = f->link[(d + 1) & 3][n];
            sum += in[n] + (diagonal == NAV_LINK_NONE ? own : in[diagonal]);
        }
        out[i] = (uint16_t)((sum + 5) / 9);
    }
}

nav_status nav_open_field_measure(nav_open_field *f, nav_arena *arena)
{
    f->distance = NAV_TAKE(arena, uint16_t, f->span_count);
    nav_arena_mark mark = nav_arena_get_mark(arena);
    uint16_t *dist = NAV_TAKE(arena, uint16_t, f->span_count);
    if (!f->distance || !dist) return nav_arena_failure(arena);
    for (int32_t i = 0; i < f->span_count; i++) {
        bool inside = f->area[i] != NAV_AREA_NONE;
        for (int d = 0; d < 4 && inside; d++) {
            int32_t n = f->link[d][i];
            inside = n != NAV_LINK_NONE && f->area[n] == f->area[i];
        }
        dist[i] = inside ? FAR : 0;
    }
    chamfer(f, dist);
    f->max_distance = 0;
    for (int32_t i = 0; i < f->span_count; i++)
        if (dist[i] > f->max_distance) f->max_distance = dist[i];
    blur(f, dist, f->distance);
    nav_arena_release(arena, mark);
    return NAV_OK;
}
