// A hash of what each stage made of a tile, to find the first stage at which two builds part: of two levels of the
// processor (core/levels.h), of the fast paths and their plain twins, of two versions. All of them give the same
// hashes. What a stage made is hashed as numbers in its arrays, whatever form it has inside: planes, bit columns and
// spans of the same voxels are the same. Numbers as little-endian machines store them. Any thread.
//
//     nav_stage_hashes h = {0};
//     nav_hooks hooks = {.user = &h, .made = nav_stage_hashes_made};
//     nav_build_tile(&source, NULL, &hooks, &arena, &tile), then nav_stage_hashes_encoded(&h, &tile, &bytes);
#ifndef NAV_TILE_STAGE_HASHES_H
#define NAV_TILE_STAGE_HASHES_H

#include "core/base/buffer.h"
#include "core/build.h"

// X(id, name): in the order of the pipeline. triangles: the content key, which no order of triangles changes. compact:
// the compact heightfield before volumes and erosion, eroded: after them. distances: watershed only. outlines: true
// outlines only. detail: with the polygons, which the stage may cut. navd, detour, packed: the encoded tile, the first
// at revision 0.
#define NAV_HASH_LIST(X)                                                                                               \
    X(NAV_HASH_TRIANGLES, "triangles")                                                                                 \
    X(NAV_HASH_HEIGHTFIELD, "heightfield")                                                                             \
    X(NAV_HASH_COMPACT, "compact")                                                                                     \
    X(NAV_HASH_ERODED, "eroded")                                                                                       \
    X(NAV_HASH_DISTANCES, "distances")                                                                                 \
    X(NAV_HASH_REGIONS, "regions")                                                                                     \
    X(NAV_HASH_CONTOURS, "contours")                                                                                   \
    X(NAV_HASH_OUTLINES, "outlines")                                                                                   \
    X(NAV_HASH_POLYGONS, "polygons")                                                                                   \
    X(NAV_HASH_DETAIL, "detail")                                                                                       \
    X(NAV_HASH_NAVD, "navd")                                                                                           \
    X(NAV_HASH_DETOUR, "detour")                                                                                       \
    X(NAV_HASH_PACKED, "packed")

typedef enum nav_hash {
#define NAV_HASH_ENUM(id, name) id,
    NAV_HASH_LIST(NAV_HASH_ENUM)
#undef NAV_HASH_ENUM
        NAV_HASH_COUNT
} nav_hash;

const char *nav_hash_name(nav_hash h);

typedef struct nav_stage_hashes {
    nav_key of[NAV_HASH_COUNT]; // zero: the tile did not come so far, or the stage was not needed
} nav_stage_hashes;

// For nav_hooks.made, with a nav_stage_hashes as user, which was zeroed before the build. NAV_ERR_LIMIT, NAV_ERR_MEMORY
// from the arena.
NAV_MUST_USE nav_status nav_stage_hashes_made(void *user, nav_stage s, const nav_made *made, nav_arena *scratch);
// The encodings of the finished tile; bytes are scratch. A tile that an encoding cannot hold has the hash of no bytes.
// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_stage_hashes_encoded(nav_stage_hashes *h, const nav_tile *tile, nav_buffer *bytes);

// The first hash that differs; NAV_HASH_COUNT where none does.
nav_hash nav_stage_hashes_compare(const nav_stage_hashes *a, const nav_stage_hashes *b);

#endif
