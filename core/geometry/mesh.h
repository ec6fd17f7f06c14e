// Immutable triangles with an index that finds those in a box. Created once, then read from any thread.
//
// Index: triangles sorted along a Morton curve over their centres, eight to a leaf, and boxes over eight boxes up to
// one root. Tiers are arrays, so a node's children are found by its number:
//
//     tier 1   [        0        ]                     group of boxes 0
//     tier 0   [0][1][2][3][4][5][6][7]  [8][9]...     group of boxes 0, 1: box j is that of leaf j
//     leaves     0  1  2  3  4  5  6  7    8  9         leaf j holds triangles 8j .. 8j + 7
//
// Eight triangles of a leaf, and eight boxes of a group, lie side by side, so that one comparison of vectors looks at
// all of them; and a leaf holds its corners itself, so that reading it is reading one piece of memory.
//
// Source: C. Lauterbach et al., Fast BVH Construction on GPUs (2009), reduced to an implicit eight-way tree.
#ifndef NAV_GEOMETRY_MESH_H
#define NAV_GEOMETRY_MESH_H

#include "core/base/key.h"
#include "core/base/parallel.h"
#include "core/base/status.h"
#include "navcore/mesh.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAV_MESH_FANOUT = 8, NAV_MESH_MAX_TIERS = 12 };

typedef struct nav_box {
    float min[3], max[3];
} nav_box;

typedef struct nav_mesh_leaf {
    float at[9][NAV_MESH_FANOUT] __attribute__((aligned(32))); // x y z of the first corners, of the second, of the
                                                               // third; 0 where there is none
} nav_mesh_leaf;

typedef struct nav_mesh_boxes {
    float min[3][NAV_MESH_FANOUT] __attribute__((aligned(32))),
        max[3][NAV_MESH_FANOUT]; // min > max where there is none
} nav_mesh_boxes;

// Where a mesh lies that is not on the heap. Any thread.
typedef struct nav_mesh_memory {
    void *(*take)(void *user, size_t bytes); // aligned to 64; NULL: there is none
    void (*give)(void *user, void *block, size_t bytes);
    void *user;
} nav_mesh_memory;

struct nav_mesh {
    nav_key hash;                                   // nav_mesh_hash() of what was given
    uint32_t tri_count;                             // triangles kept
    uint32_t skipped_count;                         // those left out: an index out of range, a NaN or infinite vertex
    const nav_mesh_leaf *leaves;                    // local space, metres; right-handed winding
    const uint8_t *areas;                           // as given, NAV_MESH_FANOUT a leaf; NULL: none were
    int tier_count;                                 // 0 when there are no triangles
    const nav_mesh_boxes *tier[NAV_MESH_MAX_TIERS]; // [0]: of the leaves; the last tier has one group
    nav_box bounds;                                 // min > max when empty
    size_t bytes;                                   // memory of all this, one block
    const nav_mesh_memory *memory;                  // that it is in; NULL: the heap
    const struct nav_height_grid *heights;          // heights.h; it has no leaves and no tiers then. NULL: triangles
};

// As nav_mesh_create_with_areas() on the calling thread, in the memory given, which outlives the mesh. NULL: the heap.
NAV_MUST_USE nav_status nav_mesh_create_in(const nav_mesh_memory *memory, const float *verts, uint32_t vert_count,
                                           const uint32_t *tris, uint32_t tri_count, const uint8_t *areas,
                                           nav_mesh **out);

// Meshes that another process makes with nav_mesh_create_in(), of `given` triangles, in a block of nav_mesh_bytes() of
// so many. It may have run wild: of the head only numbers are taken, and where they cannot be the answer is NULL.
size_t nav_mesh_bytes(uint32_t tri_count, bool has_areas);
// The mesh, where it lies; its `bytes` are fewer than the block's where triangles were skipped.
nav_mesh *nav_mesh_adopt(const nav_mesh_memory *memory, void *block, uint32_t given, bool has_areas);
// A copy of it, in the memory given; NULL also: no memory.
nav_mesh *nav_mesh_copy_in(const nav_mesh_memory *memory, const void *block, uint32_t given, bool has_areas);

// The mesh's name on the wire: a hash of the counts, the vertices, the indices and the areas, as given. areas: NULL
// where it has none.
nav_key nav_mesh_hash(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count);
nav_key nav_mesh_hash_with_areas(const float *verts, uint32_t vert_count, const uint32_t *tris, uint32_t tri_count,
                                 const uint8_t *areas);

// The first area that no triangle may have; tri_count: all are good.
uint32_t nav_mesh_find_bad_area(const uint8_t *areas, uint32_t tri_count);

// Calls visit(user, first, which) for every group of eight leaves of which some have boxes that, transformed, touch
// min..max in x and z: bit k of `which` is set for leaf first + k.
void nav_mesh_query(const nav_mesh *m, const float transform[12], const double min_xz[2], const double max_xz[2],
                    void (*visit)(void *user, uint32_t first, unsigned which), void *user);

static inline void nav_mesh_corner(const nav_mesh *m, uint32_t tri, int corner, float out[3])
{
    const nav_mesh_leaf *leaf = &m->leaves[tri / NAV_MESH_FANOUT];
    for (int k = 0; k < 3; k++) out[k] = leaf->at[3 * corner + k][tri % NAV_MESH_FANOUT];
}

#endif
