/* A tile as polygons in the caller's axes, for engines whose own navigation mesh takes polygons and not Detour's bytes.
 * Part of navd.h. */
#ifndef NAVD_POLYGONS_H
#define NAVD_POLYGONS_H

#include "navd/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From metres with Y up to the caller's places: the inverse of navd_world.to_metres. is_left_handed: the caller's
 * second axis where Z is up, its third where Y is up, points the other way than navd's; it negates it in all that it
 * sends. NAVD_ERR_ARGUMENT: to_metres has no inverse. */
navd_status navd_from_metres(const double to_metres[12], bool is_left_handed, double out[12]);

/* What lies behind an edge. */
enum {
    NAVD_EDGE_WALL = -1,
    NAVD_EDGE_XMAX = -2, /* the next tile along x, open; as navd_tile.x counts */
    NAVD_EDGE_ZMAX = -3,
    NAVD_EDGE_XMIN = -4,
    NAVD_EDGE_ZMIN = -5,
    /* 0 and above: the polygon */
};

typedef struct navd_polygon {
    uint32_t first_corner, corner_count;
    uint32_t first_triangle, triangle_count; /* its surface; of all pieces of a cell that was cut: the first has them */
    uint8_t area;
    bool is_unreachable; /* see navd_reach */
} navd_polygon;

typedef struct navd_polygon_link { /* an off-mesh link that starts in the tile */
    double start[3], end[3], radius;
    uint8_t area;
    bool both_ways;
} navd_polygon_link;

typedef struct navd_polygons {
    size_t point_count, corner_count, polygon_count, triangle_count, link_count;
    double (*points)[3];
    uint32_t *corners; /* points; around a polygon counter-clockwise, seen from above */
    int64_t *behind;   /* what lies behind the edge from this corner to the next: a polygon, or NAVD_EDGE_* */
    navd_polygon *polygons;
    uint32_t (*triangles)[3]; /* points, in the same order */
    navd_polygon_link *links;
    void *memory; /* holds all of it */
} navd_polygons;

/* The tile must be in NAVD_ENCODING_NAVD; one without data (empty, removed, failed) has no polygons. most_corners:
 * cells with more are cut; at least 3, or 0 for as many as there are. Cells that navd_settings.relaxation_m let be a
 * little less than convex are cut like the others. why (which may be NULL) has a sentence where this fails:
 * NAVD_ERR_ARGUMENT, NAVD_ERR_FORMAT and others for damaged bytes, NAVD_ERR_MEMORY. Needs no client; any thread. */
navd_status navd_polygons_read(const navd_tile *tile, uint32_t most_corners, const double from_metres[12],
                               navd_polygons *out, char *why, size_t why_bytes);
void navd_polygons_free(navd_polygons *p); /* accepts a zeroed one */

#ifdef __cplusplus
}
#endif

#endif
