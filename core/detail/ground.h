// The ground of one polygon: which spans of the compact heightfield it stands on, and their floors.
//
// Columns and points are in columns relative to the tile's lower corner, corners in outline units. A polygon whose
// region is known stands on the spans of that region, of which a column holds at most one, so storeys cannot mix. A
// polygon joined from several regions stands on the spans that are reached through connections from its corners without
// leaving its bounds. Owner: one thread; scratch of the detail stage.
#ifndef NAV_DETAIL_GROUND_H
#define NAV_DETAIL_GROUND_H

#include "core/base/arena.h"
#include "core/geometry/config.h"
#include "core/partition/regions.h"
#include "core/voxel/spans/compact.h"

typedef struct nav_ground {
    const nav_compact_heightfield *field;
    const nav_regions *regions;
    int unit_shift;       // of the outline units that corners are in
    int32_t ring;         // columns searched around a column that has no span of the polygon
    const int32_t *owner; // per span: the polygon stands on those where this is `want`: the region's, or
    int32_t want;         // those reached by the newest flood
    int32_t flood;        // number of the newest flood
    int32_t *reached;     // per span: the newest flood that came here; NULL where no polygon needs floods
    int32_t *queue;
} nav_ground;

// floods: will nav_ground_select() be called with region 0?
NAV_MUST_USE nav_status nav_ground_init(nav_ground *g, const nav_compact_heightfield *f, const nav_regions *regions,
                                        const nav_config *cfg, bool floods, nav_arena *arena);

// Selects the polygon of the lookups below. Its corners, in outline units and voxels, are only read where region is 0.
void nav_ground_select(nav_ground *g, int32_t region, int32_t corner_count, const int32_t *x, const int32_t *z,
                       const int32_t *y);

// Floor of the polygon's span in column (x, z). False where the column has none. Asked for every height: in line.
static inline bool nav_ground_in_column(const nav_ground *g, int32_t x, int32_t z, int32_t *height)
{
    const nav_compact_heightfield *f = g->field;
    x += f->border;
    z += f->border;
    if ((uint32_t)x >= (uint32_t)f->width || (uint32_t)z >= (uint32_t)f->width) return false;
    const int32_t *column = f->column_first + z * f->width + x;
    for (int32_t s = column[0], end = column[1]; s < end; s++)
        if (g->owner[s] == g->want) {
            *height = f->floor[s];
            return true;
        }
    return false;
}

// The floor of the nearest column within the ring around (x, z), itself excepted, that has one.
bool nav_ground_around_column(const nav_ground *g, int32_t x, int32_t z, int32_t *height);

// That of the column, or of the nearest one.
static inline bool nav_ground_near_column(const nav_ground *g, int32_t x, int32_t z, int32_t *height)
{
    return nav_ground_in_column(g, x, z, height) || nav_ground_around_column(g, x, z, height);
}

// Highest floor among the columns whose closed squares hold the point (x, z), given in columns times 2^shift.
bool nav_ground_at_point(const nav_ground *g, int32_t x, int32_t z, int shift, int32_t *height);

#endif
