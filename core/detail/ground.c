// Looking up the floor under a polygon.
//
//      . . r r r .       r: columns with a span of the region. The contour was simplified, so a polygon may reach a
//      . r r r r .       column without one (*): the nearest column in growing square rings answers for it then.
//      . * r r . .
//
// Floods, for polygons of several regions: breadth first over the connections from the spans whose floor is a corner's
// height, over the columns of the polygon's bounds and one more on each side.
#include "core/detail/ground.h"

#include <assert.h>

enum { MAX_RING = 16 };

nav_status nav_ground_init(nav_ground *g, const nav_compact_heightfield *f, const nav_regions *regions,
                           const nav_config *cfg, bool floods, nav_arena *arena)
{
    *g = (nav_ground){.field = f,
                      .regions = regions,
                      .unit_shift = cfg->unit_shift,
                      .ring = cfg->edge_max_error < MAX_RING - 3 ? 3 + (int32_t)cfg->edge_max_error : MAX_RING};
    if (!floods) return NAV_OK;
    g->reached = NAV_TAKE_ZERO(arena, int32_t, f->span_count);
    g->queue = NAV_TAKE(arena, int32_t, f->span_count);
    if (!g->reached || !g->queue) return nav_arena_failure(arena);
    return NAV_OK;
}

static bool column_of(const nav_ground *g, int32_t x, int32_t z, int32_t *column)
{
    const nav_compact_heightfield *f = g->field;
    x += f->border;
    z += f->border;
    if (x < 0 || z < 0 || x >= f->width || z >= f->width) return false;
    *column = z * f->width + x;
    return true;
}

typedef struct bounds {
    int32_t min_x, min_z, max_x, max_z; // columns of the padded grid, inclusive
} bounds;

static void flood(nav_ground *g, const bounds *b, int32_t queued)
{
    const nav_compact_heightfield *f = g->field;
    for (int32_t head = 0; head < queued; head++) {
        int32_t s = g->queue[head];
        int32_t x = f->column[s] % f->width, z = f->column[s] / f->width;
        for (int d = 0; d < 4; d++) {
            int32_t n = f->connection[d][s];
            if (n == NAV_NOT_CONNECTED || g->reached[n] == g->flood) continue;
            int32_t nx = x + nav_dir_x[d], nz = z + nav_dir_z[d];
            if (nx < b->min_x || nx > b->max_x || nz < b->min_z || nz > b->max_z) continue;
            g->reached[n] = g->flood;
            g->queue[queued++] = n;
        }
    }
}

void nav_ground_select(nav_ground *g, int32_t region, int32_t corner_count, const int32_t *x, const int32_t *z,
                       const int32_t *y)
{
    const nav_compact_heightfield *f = g->field;
    g->owner = g->regions->id;
    g->want = region;
    if (region != NAV_REGION_NONE) return;
    assert(g->reached);
    g->owner = g->reached;
    g->want = ++g->flood;
    bounds b = {f->width, f->width, -1, -1};
    int32_t queued = 0, inside = (1 << g->unit_shift) - 1;
    for (int32_t i = 0; i < corner_count; i++) {
        // The columns whose closed squares hold the corner: its height is the floor of one of them.
        int32_t x1 = x[i] >> g->unit_shift, z1 = z[i] >> g->unit_shift;
        int32_t x0 = x[i] & inside ? x1 : x1 - 1, z0 = z[i] & inside ? z1 : z1 - 1;
        if (x0 + f->border < b.min_x) b.min_x = x0 + f->border;
        if (z0 + f->border < b.min_z) b.min_z = z0 + f->border;
        if (x1 + f->border > b.max_x) b.max_x = x1 + f->border;
        if (z1 + f->border > b.max_z) b.max_z = z1 + f->border;
        for (int k = 0; k < 4; k++) {
            int32_t c;
            if (((k & 1) && x0 == x1) || ((k >> 1) && z0 == z1)) continue;
            if (!column_of(g, k & 1 ? x0 : x1, k >> 1 ? z0 : z1, &c)) continue;
            for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++)
                if (f->floor[s] == y[i] && f->area[s] != NAV_AREA_NONE && g->reached[s] != g->flood) {
                    g->reached[s] = g->flood;
                    g->queue[queued++] = s;
                }
        }
    }
    flood(g, &b, queued);
}

bool nav_ground_around_column(const nav_ground *g, int32_t x, int32_t z, int32_t *height)
{
    // Ring by ring, and in a ring by distance: the first found is the nearest of its ring.
    for (int32_t r = 1; r <= g->ring; r++)
        for (int32_t m = 0; m <= r; m++) {
            const int32_t dx[8] = {-m, m, -r, r, -r, r, -m, m}, dz[8] = {-r, -r, -m, -m, m, m, r, r};
            for (int k = 0; k < 8; k++)
                if (nav_ground_in_column(g, x + dx[k], z + dz[k], height)) return true;
        }
    return false;
}

bool nav_ground_at_point(const nav_ground *g, int32_t x, int32_t z, int shift, int32_t *height)
{
    int32_t mask = (1 << shift) - 1, cx = x >> shift, cz = z >> shift;
    bool found = false;
    for (int32_t bz = (z & mask) == 0 ? cz - 1 : cz; bz <= cz; bz++)
        for (int32_t bx = (x & mask) == 0 ? cx - 1 : cx; bx <= cx; bx++) {
            int32_t floor;
            if (!nav_ground_in_column(g, bx, bz, &floor)) continue;
            if (!found || floor > *height) *height = floor;
            found = true;
        }
    return found;
}
