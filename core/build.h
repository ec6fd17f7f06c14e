// The generation pipeline: one tile from its source. Pure: the same source gives the same result on any thread, machine
// and optimisation level. No globals, no heap but the arena.
#ifndef NAV_BUILD_H
#define NAV_BUILD_H

#include "core/base/arena.h"
#include "core/base/key.h"
#include "core/contour/contours.h"
#include "core/detail/detail.h"
#include "core/geometry/tile_source.h"
#include "core/partition/regions.h"
#include "core/polygon/polygons.h"
#include "core/voxel/voxels.h"

#include <stdbool.h>

// X(id, name): the stages in order. distance: watershed only. outlines: true outlines only. surface: of the surface
// generator, in place of all between gather and polygons.
#define NAV_STAGE_LIST(X)                                                                                              \
    X(NAV_STAGE_GATHER, "gather")                                                                                      \
    X(NAV_STAGE_RASTERIZE, "rasterize")                                                                                \
    X(NAV_STAGE_FILTER, "filter")                                                                                      \
    X(NAV_STAGE_COMPACT, "compact")                                                                                    \
    X(NAV_STAGE_ERODE, "erode")                                                                                        \
    X(NAV_STAGE_DISTANCE, "distance")                                                                                  \
    X(NAV_STAGE_REGIONS, "regions")                                                                                    \
    X(NAV_STAGE_CONTOURS, "contours")                                                                                  \
    X(NAV_STAGE_OUTLINES, "outlines")                                                                                  \
    X(NAV_STAGE_SURFACE, "surface")                                                                                    \
    X(NAV_STAGE_POLYGONS, "polygons")                                                                                  \
    X(NAV_STAGE_DETAIL, "detail")                                                                                      \
    X(NAV_STAGE_ENCODE, "encode")

typedef enum nav_stage {
#define NAV_STAGE_ENUM(id, name) id,
    NAV_STAGE_LIST(NAV_STAGE_ENUM)
#undef NAV_STAGE_ENUM
        NAV_STAGE_COUNT
} nav_stage;

const char *nav_stage_name(nav_stage s);

// What a build has made so far. Borrowed; valid during the call. A member is NULL until its stage has run; field has no
// spans after NAV_STAGE_COMPACT where the tile is in planes (nav_voxels_as_compact()).
typedef struct nav_made {
    const nav_config *config;
    const nav_triangles *triangles;
    const nav_voxels *voxels;
    const nav_compact_heightfield *field;
    const nav_regions *regions;
    const nav_contours *contours; // after NAV_STAGE_OUTLINES those that it made, and so with NAV_STAGE_SURFACE
    const nav_polygons *polygons;
    const nav_detail *detail;
} nav_made;

// How the caller watches and stops a build. Every member may be NULL or false.
typedef struct nav_hooks {
    void *user;
    void (*enter)(void *user, nav_stage s); // a stage begins; the one before has ended
    void (*leave)(void *user, nav_stage s);
    bool (*cancelled)(void *user); // asked between stages; true ends the build with NAV_ERR_CANCELLED
    // A stage has ended well. What is taken from scratch is given back before it returns; an error ends the build.
    nav_status (*made)(void *user, nav_stage s, const nav_made *made, nav_arena *scratch);
    // Outline units to a column, as far as the tile can have them; 0: those that the settings ask for. Surfaces keep
    // their own.
    int32_t unit;
    bool plain; // the plain twins of all fast paths: the same tile, several times slower, to tell what is at fault
} nav_hooks;

// What a build counts, X(name). contour_vertices: of the contours that polygons are made from. outline_shapes to
// coarse_outlines: see nav_contours. floor_plans to least_cells: see nav_floor_plans. split_polygons, coarse_heights:
// see nav_detail.
#define NAV_COUNT_LIST(X)                                                                                              \
    X(triangles)                                                                                                       \
    X(skipped_triangles)                                                                                               \
    X(solid_spans)                                                                                                     \
    X(walkable_spans)                                                                                                  \
    X(regions)                                                                                                         \
    X(contour_vertices)                                                                                                \
    X(outline_shapes)                                                                                                  \
    X(outline_corners)                                                                                                 \
    X(coarse_outlines)                                                                                                 \
    X(floor_plans)                                                                                                     \
    X(floor_holes)                                                                                                     \
    X(notches)                                                                                                         \
    X(least_cells)                                                                                                     \
    X(cells)                                                                                                           \
    X(polygons)                                                                                                        \
    X(detail_triangles)                                                                                                \
    X(failed_loops)                                                                                                    \
    X(split_polygons)                                                                                                  \
    X(coarse_heights)

typedef struct nav_counts {
#define NAV_COUNT_MEMBER(name) uint64_t name;
    NAV_COUNT_LIST(NAV_COUNT_MEMBER)
#undef NAV_COUNT_MEMBER
    double contour_deviation; // cells: the largest of the tiles, as nav_contours measures it
} nav_counts;

void nav_counts_add(nav_counts *sum, const nav_counts *tile);

// A finished tile, not yet encoded. Lives in the arena until it is reset.
typedef struct nav_tile {
    const nav_settings *settings; // borrowed from the source
    nav_config config;
    nav_key content_key; // settings, generator version, tile, triangles, volumes and links
    nav_polygons polygons;
    nav_detail detail;
    const nav_link **links; // those that start in this tile, sorted by id and content; borrowed from the source
    uint32_t link_count;
    nav_counts counts;
    // What the polygons were made from, for pictures and measures; empty where the tile has no open span. Of the
    // surface generator the contours alone.
    nav_compact_heightfield field;
    nav_regions regions;
    nav_contours contours;
    nav_arena *arena; // that it lives in: an encoder takes scratch there and gives it back; NULL: from one of its own
} nav_tile;

// Builds source's tile. known: a content key the caller has already, or NULL: where it comes out again the build ends
// after gathering with NAV_ERR_EXISTS and only content_key and counts set. A tile with nothing to walk on is NAV_OK
// with no polygons. Errors: NAV_ERR_LIMIT (arena budget), NAV_ERR_MEMORY, NAV_ERR_CANCELLED, NAV_ERR_ARGUMENT
// (settings). The arena is not reset here: the caller does that when it is done with the tile.
NAV_MUST_USE nav_status nav_build_tile(const nav_tile_source *source, const nav_key *known, const nav_hooks *hooks,
                                       nav_arena *arena, nav_tile *out);

#endif
