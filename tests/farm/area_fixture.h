// Area jobs and packs for tests: of small boxes, the same at every call.
#ifndef TESTS_FARM_AREA_FIXTURE_H
#define TESTS_FARM_AREA_FIXTURE_H

#include "daemon/farm/area_job.h"
#include "daemon/farm/pack.h"

enum { AREA_MESHES = 3 };

// Meshes outside of any store.
typedef struct area_meshes {
    nd_mesh nodes[AREA_MESHES];
    nav_mesh *owned[AREA_MESHES];
    nd_mesh *list[AREA_MESHES];
} area_meshes;

void area_meshes_init(area_meshes *m);
void area_meshes_deinit(area_meshes *m);

// A head with settings that are not the defaults.
void area_head(nd_area_head *out, int32_t block_x, int32_t block_z);
// The view of a tile of that head: so many instances and volumes, which neighbours share some of. Its key.
nav_key area_view(const area_meshes *m, const nd_area_head *head, int32_t x, int32_t z, unsigned objects, nd_view *v);
// A job of `tiles` tiles of the block with that head.
void area_job_bytes(const area_meshes *m, const nd_area_head *head, unsigned tiles, unsigned objects, nav_buffer *out);
// Writes the sum anew that a change of the bytes has made wrong.
void area_job_seal(nav_buffer *job);

// Tile i of a series: ok, empty or failed.
nd_pack_tile pack_tile(unsigned i, const uint8_t *bytes, size_t count);
void pack_seal(uint8_t *part, size_t count);

#endif
