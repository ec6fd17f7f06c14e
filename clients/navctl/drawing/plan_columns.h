// What the voxel stages made of the tiles of a plan (plan.h): columns seen from above, and the loops of contours.
#ifndef NAVCTL_PLAN_COLUMNS_H
#define NAVCTL_PLAN_COLUMNS_H

#include "core/build.h"

typedef enum plan_ground {
    PLAN_GROUND_NONE,  // nothing is there
    PLAN_GROUND_SOLID, // matter, and no floor for this agent
    PLAN_GROUND_TAKEN, // floor that a volume or the agent's radius takes
    PLAN_GROUND_FLOOR  // floor that is left
} plan_ground;

// A column, by its uppermost span of the highest kind.
typedef struct plan_column {
    uint8_t ground, floors; // floors: how many are left
    uint16_t distance;      // to the nearest edge, in half columns
    int32_t height;         // voxels
    int32_t region;         // from 1; 0: none
} plan_column;

typedef enum plan_line_kind { PLAN_LINE_WALL, PLAN_LINE_BORDER, PLAN_LINE_REGION } plan_line_kind;

// An edge of a contour.
typedef struct plan_line {
    float ends[2][3];
    uint8_t kind; // plan_line_kind: what lies behind it
    uint8_t hole;
} plan_line;

typedef struct plan_columns {
    int64_t first_x, first_z; // of the tile's own columns, in the grid of the world
    int32_t side;             // columns along x and along z; 0: nothing is known of the tile
    float origin_x, origin_y, origin_z, cell_m, cell_height_m; // metres
    plan_column *columns;                                      // side * side, z major
    plan_line *lines;
    uint32_t line_count;
    int32_t regions;
} plan_columns;

void plan_columns_deinit(plan_columns *c); // accepts a zeroed one

// For nav_hooks.made, with a plan_columns as user: takes what the stage made. The distances are measured here where the
// partition needs none. NAV_ERR_MEMORY, NAV_ERR_LIMIT.
NAV_MUST_USE nav_status plan_columns_take(void *user, nav_stage s, const nav_made *made, nav_arena *scratch);

#endif
