// A scene in memory: meshes, instances that place them, volumes and links. Scene files are OBJ, read with tinyobjloader
// (obj_read.h) where it reads them right, and glTF, GLB, FBX, PLY, STL and the other OBJ files, read with Assimp; and
// floor plans: GeoJSON, WKT and SVG (plan_scene.h); and points as text (points_read.h).
// Right-handed, Y up, metres, whatever the file says. Each node of the file that has triangles is one instance with the
// node's name (".2", ".3" ... appended where a name comes again); nodes that show the same meshes share one. Volumes
// come from worlds only (world_scene.h), links from worlds and plans.
#ifndef NAVCTL_SCENE_H
#define NAVCTL_SCENE_H

#include "navcore/heights.h"
#include "navcore/parallel.h"
#include "navcore/shapes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scene_mesh {
    float *verts; // x y z; every position once
    uint32_t vert_count;
    uint32_t *tris; // three vertices each
    uint32_t tri_count;
    uint8_t *areas;            // of the triangles, as nav_mesh_create_with_areas() takes them; NULL: none
    uint32_t *tri_materials;   // numbers of scene.materials, UINT32_MAX: none named; NULL: none for all
    nav_heights_spec *heights; // what it is instead, with its own samples and areas; then all above but tri_count is
                               // empty. NULL: triangles
} scene_mesh;

typedef struct scene_instance {
    char *name; // NULL in the scene of a world, which has ids only
    uint32_t mesh;
    uint32_t block;      // of a terrain, whose blocks have one name; else 0
    float transform[12]; // as in nav_instance
    uint8_t area;        // the same
} scene_instance;

// What the numbers of a scene file mean.
typedef struct scene_frame {
    int8_t axes[9]; // rows: which of the file's axes became X, Y (up) and Z; each row and column has one 1 or -1
    double unit_m;  // metres per unit of the file
} scene_frame;

typedef struct scene {
    scene_mesh *meshes;
    uint32_t mesh_count;
    scene_instance *instances;
    uint32_t instance_count;
    nav_volume *volumes;
    uint32_t volume_count;
    nav_link *links;
    uint32_t link_count;
    char **materials; // names that the file gives its materials
    uint32_t material_count;
    uint64_t tri_count;   // of all instances
    float min[3], max[3]; // bounds of all instances
    scene_frame frame;    // in which the file was read; of a scene file only
} scene;

// Reads the whole file. False and a sentence in `why` (without the file's name) when it cannot be read, is cut short,
// is no scene or holds no triangle; `out` is empty then.
bool scene_read(const char *path, scene *out, char *why, size_t why_bytes);
// What plans and points do not say of themselves, and must be known while they are read.
typedef struct scene_hints {
    double unit_m; // metres per unit of a plan
    int up;        // axis of points, as scene_frame_with_up() takes it
} scene_hints;
// The same on several threads, as far as the format allows. parallel: NULL for the calling one alone. hints: NULL for
// metres and y.
bool scene_read_in_parallel(const char *path, const scene_hints *hints, const nav_parallel *parallel, scene *out,
                            char *why, size_t why_bytes);
// Corners of a triangle of the mesh, in its own space. False: it is of a hole.
bool scene_mesh_triangle(const scene_mesh *m, uint32_t tri, float out[9]);
// Fills in tri_count and the bounds.
void scene_measure(scene *s);
// Moves what another scene has behind what is there; the other is empty then. Names that come again, and links of the
// same id, get others. False: no memory; both have to be freed.
bool scene_append(scene *s, scene *other);
void scene_deinit(scene *s); // accepts a zeroed scene

#endif
