// The three filters of the heightfield. They correct what the slope of a triangle alone says about walkable ground.
// Most tiles are filtered on planes (planes_read.c, planes_connect.c); this is their plain twin.
// Source: M. Mononen, Recast (low hanging obstacles, ledges, low height).
#include "core/voxel/spans/heightfield.h"

#include <limits.h>
#include <string.h>

static inline int32_t min2(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t max2(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

void nav_filter_low_obstacles(nav_heightfield *f, const nav_config *cfg)
{
    const int32_t *first = f->column_first;
    for (int32_t k = 0; k < f->crowded_count; k++) {
        int32_t c = f->crowded[k];
        bool below_walkable = false;
        uint8_t below_area = NAV_AREA_NONE;
        for (int32_t s = first[c]; s < first[c + 1]; s++) {
            bool walkable = f->area[s] != NAV_AREA_NONE;
            if (!walkable && below_walkable && f->top[s] - f->top[s - 1] <= cfg->climb_vx) f->area[s] = below_area;
            // Only what was walkable by itself lifts the next one: no climbing up a stack of obstacles.
            below_walkable = walkable;
            below_area = f->area[s];
        }
    }
}

// The arrays of the heightfield in locals: the filter stores to `area`, and a store of bytes may alias all else.
typedef struct ledge_view {
    const int32_t *first, *bottom, *top;
    int32_t height, climb;
} ledge_view;

// What the floors around a span look like from it.
typedef struct surroundings {
    int32_t drop;            // lowest step to a neighbour's floor, negative downwards
    int32_t lowest, highest; // floors within climb
} surroundings;

enum { ABYSS = INT32_MIN / 2 };

// The first span from n on whose gap ends above `need`: in a column of hundreds of storeys it is not searched one by
// one.
static int32_t skip_gaps_below(const ledge_view *v, int32_t n, int32_t end, int32_t need)
{
    int32_t last = end - 1; // its gap has no end
    while (n < last) {
        int32_t middle = n + (last - n) / 2;
        if (v->bottom[middle + 1] <= need)
            n = middle + 1;
        else
            last = middle;
    }
    return n;
}

static inline void look_into(const ledge_view *v, int32_t column, int32_t floor, int32_t ceiling, surroundings *seen)
{
    int32_t n = v->first[column], end = v->first[column + 1];
    int32_t need = floor + v->height; // a gap must reach above this to let the agent through
    // Below the lowest span there is nothing to land on.
    if (n == end || v->bottom[n] > need) {
        seen->drop = ABYSS;
        return;
    }
    if (end - n > 16) n = skip_gaps_below(v, n, end, need);
    for (; n < end; n++) {
        int32_t gap_end = n + 1 < end ? v->bottom[n + 1] : INT32_MAX;
        if (gap_end <= need) continue;
        int32_t other = v->top[n], step = other - floor;
        if (step > v->climb) return; // higher ones neither drop nor count as slope
        if (min2(ceiling, gap_end) <= other + v->height) continue;
        seen->drop = min2(seen->drop, step);
        if (step >= -v->climb) {
            seen->lowest = min2(seen->lowest, other);
            seen->highest = max2(seen->highest, other);
        }
    }
}

static void filter_column(const ledge_view *v, int32_t w, int32_t c, uint8_t *area)
{
    int32_t end = v->first[c + 1];
    for (int32_t s = v->first[c]; s < end; s++) {
        if (area[s] == NAV_AREA_NONE) continue;
        int32_t floor = v->top[s], ceiling = s + 1 < end ? v->bottom[s + 1] : INT32_MAX;
        surroundings seen = {0, floor, floor};
        if (ceiling > floor + v->height) { // with just the height, or less, no gap lets it through
            look_into(v, c - 1, floor, ceiling, &seen);
            look_into(v, c + 1, floor, ceiling, &seen);
            look_into(v, c - w, floor, ceiling, &seen);
            look_into(v, c + w, floor, ceiling, &seen);
        }
        if (seen.drop < -v->climb || seen.highest - seen.lowest > v->climb) area[s] = NAV_AREA_NONE;
    }
}

static void clear_columns(nav_heightfield *f, int32_t from, int32_t to)
{
    const int32_t *first = f->column_first;
    memset(f->area + first[from], NAV_AREA_NONE, (size_t)(first[to] - first[from]));
}

void nav_filter_ledges(nav_heightfield *f, const nav_config *cfg)
{
    const ledge_view v = {f->column_first, f->bottom, f->top, cfg->height_vx, cfg->climb_vx};
    int32_t w = f->width;
    for (int32_t z = 1; z < w - 1; z++)
        for (int32_t c = z * w + 1; c < z * w + w - 1; c++) filter_column(&v, w, c, f->area);
    // Beyond the outermost columns nothing is known.
    clear_columns(f, 0, w);
    clear_columns(f, (w - 1) * w, w * w);
    for (int32_t z = 1; z < w - 1; z++) {
        clear_columns(f, z * w, z * w + 1);
        clear_columns(f, z * w + w - 1, z * w + w);
    }
}

void nav_filter_low_ceilings(nav_heightfield *f, const nav_config *cfg)
{
    const int32_t *first = f->column_first, *bottom = f->bottom, *top = f->top;
    for (int32_t k = 0; k < f->crowded_count; k++) {
        int32_t c = f->crowded[k];
        for (int32_t s = first[c]; s + 1 < first[c + 1]; s++)
            if (bottom[s + 1] - top[s] < cfg->height_vx) f->area[s] = NAV_AREA_NONE;
    }
}
