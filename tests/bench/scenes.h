// Scenes of the bench's own, the same at every run. Each is made in memory as navctl's reader would give it.
#ifndef BENCH_SCENES_H
#define BENCH_SCENES_H

#include "clients/navctl/scene/scene.h"
#include "navd.h"
#include "tests/bench/box.h"
#include "tests/bench/random.h"
#include "tests/bench/tri_list.h"

#include <stdint.h>

// Where a box of the unit box mesh (-1..1 in x and z, 0..1 in y) stands in a city of side_m: half sizes 0.3 to 6 m,
// heights from a step to a tower, turned about the vertical.
void bench_city_place(bench_random *r, double side_m, float transform[12]);

// Boxes, as instances of one mesh, on a ground grid of about 8 m squares. Instance 0 is the ground.
void bench_scene_city(scene *out, uint32_t boxes, double side_m);
// So many of those boxes on a scene that has none, behind its own instances, on side_m from its lower corner.
void bench_scene_add_boxes(scene *s, uint32_t boxes, double side_m);
// Rolling hills: quads by quads squares of step_m, heights of some amplitude_m.
void bench_scene_terrain(scene *out, uint32_t quads, double step_m, double amplitude_m);
// A building of storeys with ramps between them, pillars, and walls with doors.
void bench_scene_hall(scene *out, uint32_t storeys, double side_m);
// A rough floor with round stones, all of triangles far smaller than a tile.
void bench_scene_clutter(scene *out, uint32_t stones, double side_m);

// Nothing but boxes.
void bench_scene_boxes(scene *out, const bench_box *boxes, uint32_t count);
// Nothing but these triangles, as one mesh.
void bench_scene_triangles(scene *out, const tri_list *tris);
// The same, of triangles that share vertices.
void bench_scene_mesh(scene *out, const double (*verts)[3], uint32_t vert_count, const uint32_t (*tris)[3],
                      uint32_t tri_count);

// By name: city1km, city300m, terrain2km, terrain500m, hall, clutter. False for any other.
bool bench_scene_named(const char *name, scene *out);

// All instances as one OBJ. False with one line on stderr.
bool bench_scene_write(const scene *s, const char *path);

// Puts the scene into a world, instances by their index.
navd_status bench_scene_send(const scene *s, navd_client *c, uint64_t world);

// All instances in world space. The caller frees both arrays. Ends the program where memory is short.
void bench_scene_flatten(const scene *s, float **verts, uint32_t *vert_count, uint32_t **tris, uint32_t *tri_count);

#endif
