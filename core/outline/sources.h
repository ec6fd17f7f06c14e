// Sources: what ends the floor, found in the triangles. Walls, drops and blocking volumes, as convex pieces seen from
// above (shapes.h), in units of the outline grid, not yet widened by the radius.
//
//          |   |        wall: the part of a triangle between the floor and the climb, and the floor and the height.
//      ____|   |____    Both as the voxels count them, above the floor of a span in voxels: what they let pass is no
//          '___'        wall, what they stop at is one.
//      ____
//          |            drop: an edge of a walkable triangle beyond which none goes on within the climb.
//          |____
//
// Voxels decide what counts: only pieces over columns that the caller calls near, which lie around the boundary of the
// floor. Far from it there are no sources.
//
// All is computed from world coordinates on a grid of a 16th of a unit and then moved: two tiles of a border find the
// same sources, moved by a tile, as far as they see the same floors.
#ifndef NAV_OUTLINE_SOURCES_H
#define NAV_OUTLINE_SOURCES_H

#include "core/geometry/config.h"
#include "core/geometry/tile_source.h"
#include "core/outline/shapes.h"
#include "core/voxel/spans/compact.h"

enum {
    NAV_SOURCES_MOST = 1 << 15,      // of one floor set, or NAV_ERR_LIMIT
    NAV_SOURCES_MOST_WORK = 1 << 22, // pieces that are looked at for one floor set, or NAV_ERR_LIMIT
};

// Columns x0..x1 - 1 and z0..z1 - 1 of the padded grid.
typedef struct nav_column_box {
    int32_t x0, z0, x1, z1;
} nav_column_box;

// The floor of one region: its own spans and those it has in the padding, each once.
typedef struct nav_floor_set {
    const nav_compact_heightfield *field;
    const int32_t *span;
    int32_t count;
    // Columns around the boundary of the set, on both sides of it: column x of row z is bit x & 63 of word
    // z * words + (x >> 6). At least two columns to both sides; radius + 2 on the outer side finds all that leans
    // outwards, and is the most. Bits beyond the width are 0.
    const uint64_t *near;
    int32_t words;
    nav_column_box known; // of columns outside nothing is known
    int32_t border;       // 1 + the side of the tile that it is a band of; 0: of none
} nav_floor_set;

typedef struct nav_sources nav_sources;

// What all floor sets of a tile share. Keeps the pointers; lives in the arena, as does its scratch memory, which
// grows with the sets. unit: of the outline grid, a power of two. NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_sources_create(const nav_triangles *triangles, const nav_volume *volumes,
                                           uint32_t volume_count, const nav_config *cfg, int32_t unit, nav_arena *arena,
                                           nav_sources **out);

// Appends the sources of a floor set, each once, ordered by their corners. Corners lie within 2^20 units of the tile's
// own lower corner. NAV_ERR_LIMIT: more than the limits above, out has then the shapes that it had before.
// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_sources_find(nav_sources *s, const nav_floor_set *set, nav_shapes *out);

#endif
