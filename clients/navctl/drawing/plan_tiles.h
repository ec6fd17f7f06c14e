// What a plan (plan.h) shows of tiles at the moment they are generated, kept by their place in the grid.
#ifndef NAVCTL_PLAN_TILES_H
#define NAVCTL_PLAN_TILES_H

#include "clients/navctl/drawing/draw_mesh.h"
#include "clients/navctl/drawing/plan_columns.h"
#include "core/base/buffer.h"

typedef struct plan_tile {
    draw_mesh mesh;
    nav_buffer encoded; // as a navd tile, for its portals
    plan_columns columns;
} plan_tile;

typedef struct plan_tiles {
    plan_tile *tiles;
    uint64_t count;
} plan_tiles;

// Room for the tiles of a grid. False: no memory.
bool plan_tiles_init(plan_tiles *p, uint64_t count);
void plan_tiles_deinit(plan_tiles *p); // accepts a zeroed one

// For generate_options.made, with the plan_tiles as user: takes a tile, in place of what its place had before.
nav_status plan_tiles_take(void *user, uint64_t place, const nav_tile *tile);

// For generate_options.stage, likewise: takes what the voxel stages made.
nav_status plan_tiles_take_stage(void *user, uint64_t place, nav_stage s, const nav_made *made, nav_arena *scratch);

// All tiles as one mesh, with the portals between them. NAV_ERR_MEMORY and the like.
NAV_MUST_USE nav_status plan_tiles_join(const plan_tiles *p, draw_mesh *out, char *why, size_t why_bytes);
// All tiles as a mesh of their cells, as they are encoded. Likewise.
NAV_MUST_USE nav_status plan_tiles_join_cells(const plan_tiles *p, draw_mesh *out, char *why, size_t why_bytes);

#endif
