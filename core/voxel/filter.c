// The three filters of the solid field: what looks walkable by its slope alone, and is not, or the reverse.
// Source: M. Mononen, Recast (low hanging obstacles, ledges, low height).
#include "core/voxel/solid_field.h"

#include <limits.h>

static inline int32_t min2(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static inline int32_t max2(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// Where the space above a span ends: the bottom of the next one in the column.
static inline int32_t ceiling_of(const nav_solid_field *f, int32_t span, int32_t column_end)
{
    return span + 1 < column_end ? f->bottom[span + 1] : INT32_MAX;
}

void nav_filter_low_obstacles(nav_solid_field *f, const nav_config *cfg)
{
    for (int32_t c = 0; c < f->width * f->width; c++) {
        bool below_walkable = false;
        uint8_t below_area = NAV_AREA_NONE;
        for (int32_t s = f->column_first[c]; s < f->column_first[c + 1]; s++) {
            bool walkable = f->area[s] != NAV_AREA_NONE;
            if (!walkable && below_walkable && f->top[s] - f->top[s - 1] <= cfg->climb_vx) f->area[s] = below_area;
            // Only what was walkable by itself lifts the next one: no climbing up a stack of obstacles.
            below_walkable = walkable;
            below_area = f->area[s];
        }
    }
}

// What the floors around a span look like from it.
typedef struct surroundings {
    int32_t drop;            // lowest step to a neighbour's floor, negative downwards
    int32_t lowest, highest; // floors within climb
} surroundings;

// The gap that begins at `floor` with the given ceilings counts where the agent fits through it.
static inline bool fits(int32_t floor_a, int32_t ceiling_a, int32_t floor_b, int32_t ceiling_b, int32_t height)
{
    return (int64_t)min2(ceiling_a, ceiling_b) - max2(floor_a, floor_b) > height;
}

static void look_into(const nav_solid_field *f, int32_t column, int32_t floor, int32_t ceiling, const nav_config *cfg,
                      surroundings *seen)
{
    int32_t first = f->column_first[column], end = f->column_first[column + 1];
    // Below the lowest span there is nothing to land on.
    if (first == end || (int64_t)min2(ceiling, f->bottom[first]) - floor > cfg->height_vx) {
        seen->drop = INT32_MIN / 2;
        return;
    }
    for (int32_t n = first; n < end; n++) {
        int32_t other = f->top[n];
        if (other >= ceiling) return;
        if (!fits(floor, ceiling, other, ceiling_of(f, n, end), cfg->height_vx)) continue;
        int32_t step = other - floor;
        seen->drop = min2(seen->drop, step);
        if (step <= cfg->climb_vx && step >= -cfg->climb_vx) {
            seen->lowest = min2(seen->lowest, other);
            seen->highest = max2(seen->highest, other);
        }
    }
}

void nav_filter_ledges(nav_solid_field *f, const nav_config *cfg)
{
    int32_t w = f->width;
    for (int32_t z = 0; z < w; z++) {
        for (int32_t x = 0; x < w; x++) {
            int32_t c = z * w + x, end = f->column_first[c + 1];
            bool at_edge = x == 0 || z == 0 || x == w - 1 || z == w - 1;
            for (int32_t s = f->column_first[c]; s < end; s++) {
                if (f->area[s] == NAV_AREA_NONE) continue;
                int32_t floor = f->top[s];
                surroundings seen = {at_edge ? INT32_MIN / 2 : INT32_MAX / 2, floor, floor};
                for (int d = 0; d < 4 && seen.drop >= -cfg->climb_vx; d++)
                    look_into(f, c + nav_dir_x[d] + nav_dir_z[d] * w, floor, ceiling_of(f, s, end), cfg, &seen);
                if (seen.drop < -cfg->climb_vx || seen.highest - seen.lowest > cfg->climb_vx)
                    f->area[s] = NAV_AREA_NONE;
            }
        }
    }
}

void nav_filter_low_ceilings(nav_solid_field *f, const nav_config *cfg)
{
    for (int32_t c = 0; c < f->width * f->width; c++) {
        int32_t end = f->column_first[c + 1];
        for (int32_t s = f->column_first[c]; s + 1 < end; s++)
            if (f->bottom[s + 1] - f->top[s] < cfg->height_vx) f->area[s] = NAV_AREA_NONE;
    }
}
