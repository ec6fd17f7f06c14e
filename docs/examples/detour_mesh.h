/* navd_detour.hpp's DetourMesh for a C program, and a path in it: what embed.c and embed_threads.cpp do with the tiles
 * that they build. One thread at a time. */
#ifndef DETOUR_MESH_H
#define DETOUR_MESH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct detour_mesh detour_mesh;

/* tile_side_m: tile_cells * cell_size_m. NULL: no memory. */
detour_mesh *detour_mesh_create(const float origin_m[3], float tile_side_m);
void detour_mesh_destroy(detour_mesh *m); /* accepts NULL */

/* The tile at x, z has these bytes from now on; they are copied. size 0: there is no tile. On false the old tile is
 * gone and *why names the cause. */
bool detour_mesh_put(detour_mesh *m, int x, int z, const void *bytes, size_t size, const char **why);

/* Length in metres of the path that costs least, or -1 where none leads there. */
float detour_mesh_path(const detour_mesh *m, const float from[3], const float to[3]);

#ifdef __cplusplus
}
#endif

#endif
