/* Meshes: sending, asking for what is missing, reading back. Part of navd.h. */
#ifndef NAVD_MESHES_H
#define NAVD_MESHES_H

#include "navd/connection.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct navd_key {
    uint8_t bytes[16];
} navd_key;

typedef struct navd_mesh {
    const float *vertices; /* x y z */
    uint32_t vertex_count;
    const uint32_t *triangles; /* three vertices each, counter-clockwise seen from outside */
    uint32_t triangle_count;
    const uint8_t *areas;               /* NULL, or one for each triangle: 0 to 63, or NAVD_AREA_INHERIT */
    const struct navd_heights *heights; /* NULL, or what the mesh is instead: a height grid (navd/heights.h); all above
                                           counts for nothing then */
} navd_mesh;

/* A mesh's name: the hash of its content. */
navd_key navd_mesh_hash(const navd_mesh *mesh);
/* missing[i] becomes true where the daemon does not have keys[i]. */
navd_status navd_mesh_missing(navd_client *c, const navd_key *keys, size_t count, bool *missing);
/* Sends a mesh in parts of at most navd_limits.mesh_part_bytes. progress may be NULL. skipped may be NULL: triangles
 * that the daemon left out (index out of range, not finite). */
navd_status navd_mesh_put(navd_client *c, const navd_mesh *mesh,
                          void (*progress)(void *user, uint64_t sent, uint64_t total), void *user, uint32_t *skipped);

/* Sends several, without waiting for one before the next goes out. sent may be NULL: called after each mesh, with the
 * bytes of it. */
navd_status navd_meshes_put(navd_client *c, const navd_mesh *meshes, size_t count,
                            void (*sent)(void *user, size_t mesh, uint64_t bytes), void *user);

/* A mesh of the daemon, as it was sent. Free with navd_mesh_data_free(). NAVD_ERR_NOT_FOUND. NAVD_ERR_AGAIN: it is
 * still being read from disk. */
typedef struct navd_mesh_data {
    navd_mesh mesh; /* points into memory */
    void *memory;   /* what navd_mesh_data_free() frees */
} navd_mesh_data;
navd_status navd_mesh_get(navd_client *c, navd_key key, navd_mesh_data *out);
void navd_mesh_data_free(navd_mesh_data *m); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif

#endif
