// What a world is made of beside its meshes: placed instances, volumes and off-mesh links. Plain data, in metres, owned
// by the caller. Any thread.
#ifndef NAVCORE_SHAPES_H
#define NAVCORE_SHAPES_H

#include "navcore/mesh.h"
#include "navcore/settings.h"
#include "navcore/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A mesh placed in the world. transform: 3 rows of 4, row-major, p' = R p + t; may scale and mirror (the winding is
// turned back where it mirrors).
typedef struct nav_instance {
    const nav_mesh *mesh; // borrowed
    float transform[12];
    uint8_t area; // area type of its walkable triangles that have none of their own; NAV_AREA_NONE: an obstacle
} nav_instance;

#define NAV_TRANSFORM_IDENTITY                                                                                         \
    {                                                                                                                  \
        1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0                                                                             \
    }

// Nothing of a world lies farther from its origin, in metres, along any axis: there numbers of single precision are a
// metre apart.
#define NAV_WORLD_REACH_M 1e7f

// World bounds of an instance. False when its mesh has no triangles or a number is not finite.
bool nav_instance_bounds(const nav_instance *i, float min[3], float max[3]);

// A convex prism: a convex polygon in x and z, between two heights. Where its area is NAV_AREA_NONE, or one that the
// agent may not walk on, it blocks like an obstacle and agents keep their radius away; else it sets the area of the
// ground inside.
//
// With `include` it does neither, and its area counts for nothing: where a world has any such volume there is ground
// inside of them alone. A column's floor is inside where its middle is; NAV_GENERATOR_SURFACE cuts ground exactly along
// the volume. Ground ends there as at the edge of the world's geometry, yet nothing is kept away from it: no wall
// stands there, and volumes side by side leave no gap.
enum { NAV_VOLUME_MAX_POINTS = 32 };
typedef struct nav_volume {
    uint32_t point_count;
    float points[2 * NAV_VOLUME_MAX_POINTS]; // x z, metres, either winding
    float min_y, max_y;
    uint8_t area;
    uint8_t include; // 0 or 1
} nav_volume;

// NAV_OK, or NAV_ERR_ARGUMENT and a sentence: too few or too many points, not convex, not finite, empty height, area,
// include.
NAV_MUST_USE nav_status nav_volume_check(const nav_volume *v, char *why, size_t why_bytes);

// An off-mesh link: a jump, ladder or door between two points. It belongs to the tile of its start.
typedef struct nav_link {
    uint32_t id; // the caller's, carried into the tiles: dtOffMeshConnection::userId
    float start[3], end[3], radius_m;
    uint8_t area;      // 1 to 63
    uint8_t both_ways; // 0 or 1
    uint16_t flags;    // of its Detour polygon
} nav_link;

// NAV_OK, or NAV_ERR_ARGUMENT and a sentence: a coordinate not finite or beyond 1e7 m, no radius, area, both_ways.
NAV_MUST_USE nav_status nav_link_check(const nav_link *l, char *why, size_t why_bytes);

#ifdef __cplusplus
}
#endif

#endif
