// Triangles with an index that finds those in a box. Created once, never changed: any number of threads may read one at
// the same time, and any number of instances may show it.
#ifndef NAVCORE_MESH_H
#define NAVCORE_MESH_H

#include "navcore/key.h"
#include "navcore/parallel.h"
#include "navcore/settings.h"
#include "navcore/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NAV_MESH_MAX_TRIANGLES = 1 << 28 };

typedef struct nav_mesh nav_mesh;

// Copies the triangles and indexes them; the caller keeps its arrays.
//   verts  3 * vert_count floats, x y z in metres, in the mesh's own space
//   tris   3 * tri_count indices of vertices, counter-clockwise seen from above where one can stand
// Triangles with an index out of range or a vertex that is not finite are left out and counted (nav_mesh_get_info()).
// NAV_ERR_LIMIT: more than NAV_MESH_MAX_TRIANGLES. NAV_ERR_MEMORY. *out is set on NAV_OK only.
NAV_MUST_USE nav_status nav_mesh_create(const float *verts, uint32_t vert_count, const uint32_t *tris,
                                        uint32_t tri_count, nav_mesh **out);
void nav_mesh_destroy(nav_mesh *m); // accepts NULL; no instance may show it any more

// As nav_mesh_create(), for meshes of millions of triangles. parallel: NULL for the calling thread alone.
NAV_MUST_USE nav_status nav_mesh_create_in_parallel(const nav_parallel *parallel, const float *verts,
                                                    uint32_t vert_count, const uint32_t *tris, uint32_t tri_count,
                                                    nav_mesh **out);

// As nav_mesh_create_in_parallel(), with an area type for each triangle: one mesh can hold grass, road and water.
// areas: tri_count of them, each 0 to 63, or NAV_AREA_INHERIT for that of the instance; NULL: all inherit, and the mesh
// is the one that nav_mesh_create() makes. NAV_AREA_NONE is an obstacle. An instance whose area is NAV_AREA_NONE is an
// obstacle as a whole, whatever its triangles say. NAV_ERR_ARGUMENT: another area.
NAV_MUST_USE nav_status nav_mesh_create_with_areas(const nav_parallel *parallel, const float *verts,
                                                   uint32_t vert_count, const uint32_t *tris, uint32_t tri_count,
                                                   const uint8_t *areas, nav_mesh **out);

typedef struct nav_mesh_info {
    nav_key key;                 // of the counts, vertices, indices and areas as given
    uint32_t triangles, skipped; // kept, and left out
    float min[3], max[3];        // of the triangles kept, metres; min > max where there are none
    size_t bytes;                // heap memory that it holds
} nav_mesh_info;

void nav_mesh_get_info(const nav_mesh *m, nav_mesh_info *out);

#ifdef __cplusplus
}
#endif

#endif
