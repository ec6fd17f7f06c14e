// Worlds to find paths in, as encoded tiles, and the judge: the shortest path by a graph of all corners that see each
// other. It knows nothing of cells and cones: only walls, and whether a point is on the ground.
#ifndef NAV_TESTS_PATH_WORLD_H
#define NAV_TESTS_PATH_WORLD_H

#include "core/geometry/tile_source.h"
#include "navcore/buffer.h"
#include "navcore/path.h"
#include "tests/core/scene.h"

enum { PATH_WORLD_TILES = 64 };

// A way that is not on the ground, for the judge: metres. cost: as that of ground.
typedef struct path_world_jump {
    float from[3], to[3];
    double cost;
} path_world_jump;

typedef struct path_world {
    nav_settings settings;
    nav_mesh *mesh;
    uint32_t count;
    nav_buffer tiles[PATH_WORLD_TILES];
    nav_buffer detour[PATH_WORLD_TILES]; // the same in Detour's encoding; empty where there is no ground
    nav_path_set *set;
    // What the judge minds beside the tiles.
    uint64_t excluded; // areas that are no ground
    const path_world_jump *jumps;
    uint32_t jump_count;
} path_world;

// A floor of `size` metres with boxes on it, a third of them turned.
void path_world_boxes(scene *s, uint32_t *seed, float size, int boxes, float y);
// The default settings but for these.
nav_settings path_world_settings(int32_t tile_cells, float radius_m);

// Builds the scene's tiles and puts them into a set.
void path_world_build(path_world *w, const scene *s, const nav_settings *settings);
// The same of a mesh, which is the world's from then on.
void path_world_build_mesh(path_world *w, nav_mesh *mesh, const nav_settings *settings);
// The same with the volumes and links of a source, whose other members do not count.
void path_world_build_with(path_world *w, const scene *s, const nav_settings *settings, const nav_tile_source *more);
void path_world_free(path_world *w);

// Is it a plane? Outlines on both sides of a thin wall are made straight each by itself and may cross, and then ground
// lies over ground that it does not hang together with.
bool path_world_can_judge(const path_world *w, float low_y, float high_y);
// Of the floor between two heights (metres). from, to: where a path begins and ends, as nav_path_find() told. The
// length seen from above (with jumps: the cost), or a negative number where there is no way.
double path_world_judge(const path_world *w, const float from[3], const float to[3], float low_y, float high_y);

// Two storeys that hang together by ramps which cross the line x = gate_m, where a border of tiles is: before it a ramp
// belongs to the lower storey, behind it to the upper. Each storey is a plane of its own, with the heights low[0] to
// low[1] and high[0] to high[1]; only ramps have heights of both.
typedef struct path_storeys {
    double gate_m;
    float low[2], high[2];
} path_storeys;
double path_world_judge_storeys(const path_world *w, const path_storeys *storeys, const float from[3],
                                const float to[3]);

// Is the straight line between two places open? Of the floor between two heights.
bool path_world_sees(const path_world *w, const float from[3], const float to[3], float low_y, float high_y);
// How far it goes from a place that is at no wall, metres.
double path_world_open(const path_world *w, const float from[3], const float to[3], float low_y, float high_y);
// How far the nearest wall of that floor is, seen from above, metres.
double path_world_wall(const path_world *w, const float at[3], float low_y, float high_y);
// The walls of the floor between two heights, on the fine grid: the ground is on the right. A heap block.
typedef struct path_world_line {
    double ax, az, bx, bz;
} path_world_line;
path_world_line *path_world_walls(const path_world *w, float low_y, float high_y, uint32_t *count);

#endif
