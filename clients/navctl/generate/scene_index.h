// A scene's meshes, indexed, and for each sheet an index of what is placed in the scene: what touches a tile.
#ifndef NAVCTL_SCENE_INDEX_H
#define NAVCTL_SCENE_INDEX_H

#include "clients/navctl/scene/scene.h"
#include "core/base/buffer.h"
#include "core/geometry/spatial_index.h"
#include "navcore/parallel.h"
#include "navcore/tile_source.h"

typedef struct scene_index {
    const scene *scene; // borrowed
    nav_mesh **meshes;
    nav_instance *instances;
    // Of the settings' sheets. Instances, then volumes, then links: each kind's numbers follow those of the one before.
    nav_spatial_index sheets[NAV_SHEET_COUNT];
    bool bounded;     // the scene has include volumes
    uint64_t skipped; // triangles that no mesh has taken
} scene_index;

// What touches a tile. Zeroed it is empty; it grows and is used again.
typedef struct scene_near {
    nav_buffer instances, volumes, links;
    nav_status status; // of growing
} scene_near;

// NAV_ERR_MEMORY and the like; deinit in any case.
NAV_MUST_USE nav_status scene_index_init(scene_index *s, const scene *of, const nav_settings *settings,
                                         const nav_parallel *parallel);
void scene_index_deinit(scene_index *s); // accepts a zeroed one

// What touches a tile of settings->sheet, as the source of that tile. Any thread, with a scene_near of its own, whose
// memory `out` borrows.
NAV_MUST_USE nav_status scene_index_find(const scene_index *s, const nav_settings *settings, int32_t x, int32_t z,
                                         scene_near *near, nav_tile_source *out);
void scene_near_deinit(scene_near *n); // accepts a zeroed one

// Triangles in the leaves of meshes that touch a tile: about what it costs.
uint64_t scene_index_cost(const nav_tile_source *source);

#endif
