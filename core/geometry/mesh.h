// Immutable triangles with an index that finds those in a box. Created once, then read from any thread.
//
// Index: triangles sorted along a Morton curve over their centres, eight to a leaf, and boxes over eight boxes up to
// one root. Levels are arrays, so a node's children are found by its number:
//
//     level 1   [        0        ]
//     level 0   [0][1][2][3][4][5][6][7]      leaf j holds triangles 8j .. 8j + 7
//
// Source: C. Lauterbach et al., Fast BVH Construction on GPUs (2009), reduced to an implicit eight-way tree.
#ifndef NAV_GEOMETRY_MESH_H
#define NAV_GEOMETRY_MESH_H

#include "core/base/key.h"
#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAV_MESH_FANOUT = 8, NAV_MESH_MAX_LEVELS = 12, NAV_MESH_MAX_TRIANGLES = 1 << 28 };

typedef struct nav_box {
    float min[3], max[3];
} nav_box;

typedef struct nav_mesh {
    nav_key hash; // nav_mesh_hash() of what was given
    uint32_t vert_count, tri_count; // those kept
    uint32_t skipped_count; // triangles left out: an index out of range, a NaN or infinite vertex
    const float *verts;     // x y z, metres, local space; in the order of their first use, without those not used
    const uint32_t *tris;   // three vertices each, right-handed winding, in the order of the index
    int level_count;        // 0 when there are no triangles
    uint32_t level_size[NAV_MESH_MAX_LEVELS];
    const nav_box *level[NAV_MESH_MAX_LEVELS]; // [0]: leaves; the last level has one box
    nav_box bounds;                            // min > max when empty
    size_t bytes;                              // heap memory of all this
} nav_mesh;

// The mesh's name on the wire: a hash of the counts, the vertices and the indices, as given.
nav_key nav_mesh_hash(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count);

// Copies and indexes. verts: 3 * vert_count floats; tris: 3 * tri_count indices. Triangles with an index out of range
// or a vertex that is not finite are left out and counted. NAV_ERR_MEMORY, NAV_ERR_LIMIT (NAV_MESH_MAX_TRIANGLES).
NAV_MUST_USE nav_status nav_mesh_create(const float *verts, uint32_t vert_count, const uint32_t *tris,
                                        uint32_t tri_count, nav_mesh **out);
void nav_mesh_destroy(nav_mesh *m); // accepts NULL

// Calls visit(user, first, count) for runs of triangles whose leaf's box, transformed, touches min..max in x and z.
void nav_mesh_query(const nav_mesh *m, const float transform[12], const double min_xz[2], const double max_xz[2],
                    void (*visit)(void *user, uint32_t first, uint32_t count), void *user);

#endif
