// Builds tiles, one after the other. A builder holds the memory of its work and keeps it from tile to tile, so that
// after a few tiles none is allocated any more. Make one for each thread that builds; a builder is used by one thread
// at a time, and builders share nothing.
#ifndef NAVCORE_BUILDER_H
#define NAVCORE_BUILDER_H

#include "navcore/buffer.h"
#include "navcore/key.h"
#include "navcore/status.h"
#include "navcore/tile_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nav_builder nav_builder;

// budget_bytes bounds the memory of one build, 0 for no bound: a tile of a hostile scene then fails with NAV_ERR_LIMIT
// and takes nothing else along. 1 GiB is more than any ordinary tile needs. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_builder_create(size_t budget_bytes, nav_builder **out);
void nav_builder_destroy(nav_builder *b); // accepts NULL

// What a build says of itself.
typedef struct nav_tile_summary {
    nav_key content_key; // of all that the tile is made from, to the triangle; see nav_builder_build()
    uint32_t polygons;   // for Detour, off-mesh links not counted; 0: there is nothing to walk on
    uint32_t cells;      // convex cells of navd's encoding
    uint32_t links;      // off-mesh links that start here
    uint64_t triangles;  // that the tile was made from
    uint64_t skipped;    // triangles left out: no area, or not finite where the instance puts them
} nav_tile_summary;

// Builds a tile; the builder holds it until the next build. Settings, volumes, links and meshes of the source are read
// now, settings and links again by the encoders: keep both until then.
//   known  a content key that the caller has from an earlier build, or NULL. Where the tile would come out with this
//          key again, the build ends early with NAV_ERR_EXISTS: nothing has changed.
//   out    filled on NAV_OK; on NAV_ERR_EXISTS content_key, triangles and skipped only. May be NULL.
// NAV_OK with no polygons: an empty tile, which takes the place of what was there. Errors, for which
// nav_builder_error() has a sentence: NAV_ERR_ARGUMENT (a value of the source is out of range), NAV_ERR_LIMIT (the
// budget), NAV_ERR_MEMORY, NAV_ERR_CANCELLED. After an error the builder holds no tile and is ready for the next.
NAV_MUST_USE nav_status nav_builder_build(nav_builder *b, const nav_tile_source *source, const nav_key *known,
                                          nav_tile_summary *out);

// From now on builds ask cancelled(user) between their stages, some ten times, on the thread that builds: true ends the
// build with NAV_ERR_CANCELLED. NULL: nobody is asked.
void nav_builder_set_cancel(nav_builder *b, bool (*cancelled)(void *user), void *user);

// Append the tile that the builder holds. Detour: tile version 7, the bytes for dtNavMesh::addTile(); nothing is
// appended where the tile has no polygons. navd: see navcore/tile.h. NAV_ERR_STATE: the builder holds no tile.
// NAV_ERR_LIMIT: more than the encoding can hold (Detour: 32767 polygons and links, 65534 vertices), choose smaller
// tiles. NAV_ERR_MEMORY. On an error out is as it was.
NAV_MUST_USE nav_status nav_builder_encode_detour(nav_builder *b, nav_buffer *out);
NAV_MUST_USE nav_status nav_builder_encode_navd(nav_builder *b, nav_buffer *out);

// One sentence for the last error of this builder; "" where there was none. Valid until its next call.
const char *nav_builder_error(const nav_builder *b);

#ifdef __cplusplus
}
#endif

#endif
