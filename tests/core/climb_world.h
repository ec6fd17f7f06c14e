// Worlds of walls and ceilings: the tiles of all sheets of a scene, and plain triangles as patches of a set.
#ifndef NAV_TESTS_CLIMB_WORLD_H
#define NAV_TESTS_CLIMB_WORLD_H

#include "core/climb/climb_work.h"
#include "navcore/buffer.h"
#include "tests/core/scene.h"

enum { CLIMB_WORLD_TILES = 512 };

typedef struct climb_tile {
    nav_sheet sheet;
    int32_t x, z;
    nav_buffer bytes;
} climb_tile;

typedef struct climb_world {
    nav_settings settings;
    uint32_t count;
    climb_tile tile[CLIMB_WORLD_TILES]; // those with ground
} climb_world;

nav_settings climb_world_settings(int32_t tile_cells, float radius_m);
// Every sheet's tiles of a scene; areas: of its triangles, NULL: none.
void climb_world_build(climb_world *w, const scene *s, const uint8_t *areas, const nav_settings *settings);
void climb_world_free(climb_world *w);
nav_climb_set *climb_world_set(const climb_world *w); // of all its tiles, joined

// An inside-out box: a room.
void climb_world_room(scene *s, float x0, float y0, float z0, float x1, float y1, float z1);
// A ball of triangles, each of 20 * 4^level of them, with hills.
void climb_world_ball(scene *s, int level, double radius, double hills, uint32_t *seed);

// A scene's triangles themselves, by sheet and in squares of a side, as patches.
nav_climb_set *climb_world_soup(const scene *s, double side);

// An answer, which has to be one.
nav_climb_path climb_world_find(nav_climb_finder *f, const nav_climb_set *set, const double from[3],
                                const double to[3]);

// What the shortest way over a box's surface is, by unfolding it in all ways: the judge. size: along x, y, z from 0.
double climb_world_box_judge(const double size[3], const double from[3], const double to[3]);
// An upper bound of the shortest way over a scene's triangles, whose corners are shared: by a graph that has the
// corners and `places` on each side, all of a triangle's joined to each other.
double climb_world_graph_judge(const scene *s, int places, const double from[3], const double to[3]);

#endif
