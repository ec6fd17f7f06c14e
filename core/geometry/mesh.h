// Immutable triangles with an index that finds those in a box. Created once, then read from any thread.
// Index: a binary tree of boxes over triangles, split at the median of the longest axis (8 triangles a leaf).
#ifndef NAV_GEOMETRY_MESH_H
#define NAV_GEOMETRY_MESH_H

#include "core/base/arena.h"
#include "core/base/key.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct nav_mesh_node {
    float min[3], max[3];
    uint32_t first; // leaf: its first triangle
    uint32_t count; // leaf: its triangles; inner node: 0
    uint32_t skip;  // index of the node to go on with when this one is outside: its subtree is [self + 1, skip)
} nav_mesh_node;

typedef struct nav_mesh {
    nav_key hash;         // of vertex and index counts, vertices and indices, as given
    uint32_t vert_count, tri_count;
    uint32_t skipped_count; // triangles left out: an index out of range, a NaN or infinite vertex
    const float *verts;   // x y z, metres, local space, as given
    const uint32_t *tris; // three vertices each, right-handed winding, in index order (leaves are runs)
    const nav_mesh_node *nodes; // preorder, node 0 is the root; none when there are no triangles
    uint32_t node_count;
    float min[3], max[3]; // bounds; min > max when empty
    size_t bytes;         // heap memory of all this
} nav_mesh;

// Hash that nav_mesh_create() would give: the mesh's name on the wire.
nav_key nav_mesh_hash(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count);

// Copies and indexes. verts: 3 * vert_count floats; tris: 3 * tri_count indices. Triangles with an index out of range or
// a vertex that is not finite are left out and counted. NAV_ERR_MEMORY, NAV_ERR_LIMIT (over 2^30 triangles).
NAV_MUST_USE nav_status nav_mesh_create(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count,
                                        nav_mesh **out);
void nav_mesh_destroy(nav_mesh *m); // accepts NULL

// A mesh placed in the world. transform: 3 rows of 4, row-major, p' = R p + t; may scale and mirror (the winding is
// turned back where it mirrors).
typedef struct nav_instance {
    const nav_mesh *mesh; // borrowed
    float transform[12];
    uint8_t area; // area type of its walkable triangles; NAV_AREA_NONE: an obstacle
} nav_instance;

#define NAV_TRANSFORM_IDENTITY {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}

// World bounds of an instance. False when it is empty or a number is not finite.
bool nav_instance_bounds(const nav_instance *i, float min[3], float max[3]);

// Convex prism: a convex polygon in x and z, between two heights. Where area is NAV_AREA_NONE or an area type the agent
// may not walk on it blocks like an obstacle (agents keep their radius away); else it sets the area of the ground in it.
enum { NAV_VOLUME_MAX_POINTS = 32 };
typedef struct nav_volume {
    uint32_t point_count;
    float points[2 * NAV_VOLUME_MAX_POINTS]; // x z, metres, either winding
    float min_y, max_y;
    uint8_t area;
} nav_volume;

// NAV_OK, or NAV_ERR_ARGUMENT and a sentence: too few or too many points, not convex, not finite, empty height, area.
NAV_MUST_USE nav_status nav_volume_check(const nav_volume *v, char *why, size_t why_bytes);

// Off-mesh link: a jump, ladder or door between two points. Belongs to the tile of its start.
typedef struct nav_link {
    uint32_t id;      // the user's, carried into the tiles
    float start[3], end[3], radius_m;
    uint8_t area;     // 1 to 63
    uint8_t both_ways; // 0 or 1
    uint16_t flags;
} nav_link;

NAV_MUST_USE nav_status nav_link_check(const nav_link *l, char *why, size_t why_bytes);

#endif
