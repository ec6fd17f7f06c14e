/* A dtNavMesh that is fed with tiles as bytes: the little that an engine needs around Detour to use navd's tiles, from
 * a daemon (follow_detour.cpp) or from the library (embed.c, embed_threads.cpp). One thread at a time. */
#ifndef DETOUR_MESH_H
#define DETOUR_MESH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct detour_mesh detour_mesh;

/* tile_side_m: tile_cells * cell_size_m. max_tiles and max_polys share 22 bits; powers of two. NULL: they do not fit,
 * or there is no memory. */
detour_mesh *detour_mesh_create(const float origin_m[3], float tile_side_m, int max_tiles, int max_polys);
void detour_mesh_destroy(detour_mesh *m); /* accepts NULL */

/* The tile at x, z has these bytes from now on; they are copied. size 0: there is no tile. On false the old tile is
 * gone and *why names the cause. */
bool detour_mesh_put(detour_mesh *m, int x, int z, const void *bytes, size_t size, const char **why);

/* What a metre on an area costs from now on, 1 before. Below 1 Detour may miss the cheapest path: it estimates what is
 * left at 1 a metre. */
void detour_mesh_set_cost(detour_mesh *m, int area, float cost);

/* Length in metres of the path that costs least, or -1 where none leads there. */
float detour_mesh_path(const detour_mesh *m, const float from[3], const float to[3]);

#ifdef __cplusplus
}
#endif

#endif
