// Debian's Detour behind a C interface: what it refuses or answers is right. Built only where librecast is found.
#ifndef TESTS_CORE_DETOUR_JUDGE_H
#define TESTS_CORE_DETOUR_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct judge judge;

// An empty navmesh; NULL when Detour refuses the parameters.
judge *judge_create(const float origin[3], float tile_width, float tile_height, int max_tiles, int max_polys);
// A file as RecastDemo loads it: parameters, then each tile at its own reference. NULL when anything is refused.
judge *judge_load(const uint8_t *bytes, size_t count);
void judge_destroy(judge *j);

// Adds a copy of the tile. 0 when Detour refuses it, else its reference.
uint32_t judge_add(judge *j, const uint8_t *bytes, size_t count);
int judge_tile_count(const judge *j);
// Reference of polygon `index` of the tile at (x, z); 0 when there is no such tile.
uint32_t judge_ref(const judge *j, int x, int z, int index);
// Bytes of the tile at (x, z) as they stand after linking, and how many of its links are still free.
const uint8_t *judge_tile(const judge *j, int x, int z, size_t *count);
int judge_free_links(const judge *j, int x, int z);

// Is there a link from polygon a to polygon b?
bool judge_linked(const judge *j, uint32_t a, uint32_t b);
// Number of links that lead out of an edge of polygon ref.
int judge_edge_links(const judge *j, uint32_t ref, int edge);
// Polygons whose boxes Detour finds to touch center +- half. At most 512.
int judge_query(judge *j, const float center[3], const float half[3], uint32_t *refs);
// 0 when there is none.
uint32_t judge_nearest(judge *j, const float center[3], const float half[3], float out[3]);
bool judge_height(judge *j, uint32_t ref, const float at[3], float *height);
bool judge_closest(judge *j, uint32_t ref, const float at[3], float out[3], bool *over);
// Polygons of the path from a to b, 0 where there is none that reaches b. At most 256.
int judge_path(judge *j, const float a[3], const float b[3], uint32_t *refs);
// Corners of the straight path along these polygons; places has room for 256.
int judge_straight(judge *j, const float a[3], const float b[3], const uint32_t *refs, int count, float *places);

// Input of dtCreateNavMeshData(), with the names it has there.
typedef struct judge_input {
    const uint16_t *verts, *polys, *poly_flags;
    const uint8_t *poly_areas;
    int vert_count, poly_count, nvp;
    const uint32_t *detail_meshes;
    const float *detail_verts;
    const uint8_t *detail_tris;
    int detail_vert_count, detail_tri_count;
    const float *link_verts, *link_radii;
    const uint16_t *link_flags;
    const uint8_t *link_areas, *link_dirs;
    const uint32_t *link_ids;
    int link_count;
    int tile_x, tile_z;
    float bmin[3], bmax[3], height, radius, climb, cs, ch;
} judge_input;

// Detour's own bytes for this input, to be freed with judge_free(); NULL when it refuses.
uint8_t *judge_make(const judge_input *in, size_t *count);
void judge_free(uint8_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
