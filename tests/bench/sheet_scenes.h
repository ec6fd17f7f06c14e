// Scenes to climb about in: walls, ceilings, slopes of any kind. Their triangles are wound so that normals point to
// where an agent stands. The same for the same size and seed; every coordinate is a whole number of millimetres, so an
// OBJ with three decimals holds them exactly.
#ifndef BENCH_SHEET_SCENES_H
#define BENCH_SHEET_SCENES_H

#include "clients/navctl/scene/scene.h"

#include <stdint.h>

// A box seen from within, with a pillar from floor to ceiling and a turned block on the floor. side_m: its longer one.
void sheet_scene_room(scene *out, double side_m);
// A closed pipe seen from within, bent in three dimensions.
void sheet_scene_pipe(scene *out, double length_m, double radius_m, uint64_t seed);
// A ring seen from outside. ring_m: from its middle to that of the tube.
void sheet_scene_torus(scene *out, double ring_m, double tube_m);
// A ball with noise on it, seen from outside: 20 * 4^level triangles.
void sheet_scene_asteroid(scene *out, double radius_m, uint32_t level, uint64_t seed);
// A corridor of eight sides, closed at both ends, seen from within, with ribs all around.
void sheet_scene_corridor(scene *out, double length_m, uint32_t ribs);
// A floor, boxes that stand in it and boxes that float, turned by 5 to 85 degrees about all axes.
void sheet_scene_boxes(scene *out, uint32_t boxes, uint64_t seed);
// A cube seen from within, with one stair that goes all around: over floor, wall, ceiling and wall.
void sheet_scene_escher(scene *out, double side_m);

// By name, at the size that the bench has: room, pipe, torus, asteroid, corridor, boxes, escher. False for any other.
bool sheet_scene_named(const char *name, scene *out);

enum { SHEET_SCENES = 7 };
extern const char *const sheet_scene_names[SHEET_SCENES];

#endif
