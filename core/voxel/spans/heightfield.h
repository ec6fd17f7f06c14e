// The heightfield: the solid of a tile as spans of voxels in columns, with the area type of each span's top.
// Structure of arrays; columns run along x first: column = z * width + x.
#ifndef NAV_VOXEL_HEIGHTFIELD_H
#define NAV_VOXEL_HEIGHTFIELD_H

#include "core/base/arena.h"
#include "core/geometry/config.h"
#include "core/geometry/tile_source.h"
#include "core/voxel/spans/compact.h"

typedef struct nav_heightfield {
    int32_t width; // columns along x and along z, padding included
    int32_t span_count;
    int32_t *column_first; // width * width + 1; spans of a column are sorted upwards and do not touch
    int32_t *bottom, *top; // per span: voxels [bottom, top) are solid
    uint8_t *area;         // per span: area type of the top, NAV_AREA_NONE where one cannot stand
    int32_t *crowded;      // columns with more than one span, in order
    int32_t crowded_count;
} nav_heightfield;

// Voxelises triangles. Every column that a triangle covers gets the voxels between the lowest and the highest point of
// the triangle's part over it; spans that touch are joined. The top takes the highest area type among the pieces that
// end within the climb height of it. The result does not depend on the order of triangles, and two tiles that share a
// column have the same spans in it. Heights are limited by int32 only. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_heightfield_build(const nav_triangles *triangles, const nav_config *cfg, nav_arena *arena,
                                              nav_heightfield *out);

// A top within climb of a walkable one right below it becomes walkable: kerbs and steps.
void nav_filter_low_obstacles(nav_heightfield *f, const nav_config *cfg);
// A walkable top beside a drop of more than climb, or on a slope steeper than climb across the column, becomes
// unwalkable.
void nav_filter_ledges(nav_heightfield *f, const nav_config *cfg);
// A walkable top with less than the agent's height above it becomes unwalkable.
void nav_filter_low_ceilings(nav_heightfield *f, const nav_config *cfg);

// The walkable tops, with connections to those that can be stepped to: floors at most climb apart with the agent's
// height free above both. Connections are symmetric. There are no distances yet.
NAV_MUST_USE nav_status nav_compact_build(const nav_heightfield *solid, const nav_config *cfg, nav_arena *arena,
                                          nav_compact_heightfield *out);

// Volumes that block this agent remove spans (call before erosion); the others set area types (call after it).
NAV_MUST_USE nav_status nav_volumes_apply(nav_compact_heightfield *f, const nav_volume *volumes, uint32_t count,
                                          bool blocking, const nav_config *cfg, nav_arena *scratch);

// Does an include volume hold a floor of that height in column (x, z) of the padded grid?
bool nav_volumes_hold(const nav_volume *volumes, uint32_t count, int32_t x, int32_t z, int32_t floor,
                      const nav_config *cfg);
// Removes the spans outside of all include volumes, where there are any (call after erosion, which their edges do not
// take part in).
NAV_MUST_USE nav_status nav_volumes_include(nav_compact_heightfield *f, const nav_volume *volumes, uint32_t count,
                                            const nav_config *cfg, nav_arena *scratch);

// Removes floor that is closer to an edge than the agent's radius: such spans lose their area.
// Distance: two-pass 2-3 chamfer (G. Borgefors, Distance transformations in digital images, 1986).
NAV_MUST_USE nav_status nav_compact_erode(nav_compact_heightfield *f, const nav_config *cfg, nav_arena *scratch);

// Takes and fills distance, and max_distance: the same chamfer distance to the edge of each span's area, then a 3 x 3
// mean.
NAV_MUST_USE nav_status nav_compact_measure(nav_compact_heightfield *f, nav_arena *arena);

// Removes the connections that lead to or from spans without an area.
void nav_compact_cut(nav_compact_heightfield *f);

// Finishes it once all volumes are applied: drops the spans without an area, and fills rows.
NAV_MUST_USE nav_status nav_compact_finish(nav_compact_heightfield *f, nav_arena *arena);
// Empty rows. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_compact_rows_init(nav_compact_rows *rows, int32_t width, int32_t ranks, bool one_area,
                                              nav_arena *arena);
// Fills rows from the spans, each of which has an area. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_compact_rows_build(nav_compact_heightfield *f, nav_arena *arena);

#endif
