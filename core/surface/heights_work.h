// What the files about heights share.
#ifndef NAV_SURFACE_HEIGHTS_WORK_H
#define NAV_SURFACE_HEIGHTS_WORK_H

#include "core/base/grow.h"
#include "core/detail/pieces.h"
#include "core/lanes/f64xn.h"
#include "core/surface/faces_at.h"

enum {
    FLOAT_BITS = 24,
    CORNERS = NAV_PIECE_CORNERS,
    LANES = 8,    // edges of a polygon, and more that have everything to their right
    LIMIT = 255,  // what a tile's 8-bit counts hold
    PIECE = 24,   // most corners of a face's piece, and more
    UNKNOWN = -1, // vertex of a point that is none of the surface's
};

typedef struct point {
    int32_t x, z;   // outline units times 2^shift
    double y;       // steps
    double from;    // the same before edges were straightened
    uint32_t edges; // bit i: lies on edge i of the polygon
    int32_t vert;
} point;

// What a polygon knows of a vertex of the surface; of another polygon where the round is another one.
typedef struct vert_note {
    int32_t round, point; // UNKNOWN: it has none yet
    uint32_t sides;       // bits SIDE_* + i: where it lies as seen from edge i
} vert_note;

enum { SIDE_OUTSIDE = 0, SIDE_INSIDE = 8, SIDE_ON = 16 };

typedef struct heights {
    const nav_surface *surface;
    const nav_config *cfg;
    nav_config plain; // without samples, for nav_edges
    nav_arena *arena;
    nav_polygons *polys;
    nav_detail *out;
    int shift;
    double error; // steps
    faces_at at;
    // Of the polygon at work.
    int32_t corner_count;
    int64_t cx[CORNERS], cz[CORNERS];
    double edge_x[LANES], edge_z[LANES],
        edge_at[LANES];             // of a place: x * edge_x + z * edge_z + edge_at > 0 to the right
    bool square;                    // it is the whole tile, with corners in the tile's
    uint32_t side_edge[4];          // bit of the edge that is the side x = 0, x = most, z = 0, z = most then
    int32_t plane[3];               // corners of the largest triangle
    double plane_area;              // twice its area, in points; 0: there is none
    double corners_off, others_off; // steps that corners and other points are off its plane at the most
    int32_t measured;               // points that were looked at for that
    point *points;                  // the corners first
    int32_t point_count, point_capacity;
    int32_t (*tri)[3];
    int32_t tri_count, tri_capacity;
    vert_note *notes; // per vertex of the surface
    int32_t piece_round;
    int32_t *passing, passing_count, passing_capacity; // points that are no vertices of the surface
    int32_t *stamp, round;
    int32_t *order, order_capacity; // points of an edge
    int32_t *queue, queue_capacity;
    int32_t vert_capacity, out_tri_capacity, vert_first_capacity, tri_first_capacity;
    bool is_part; // the piece at work is not all of its polygon
    // Faces by region, for regions that are one polygon.
    int32_t *region_polys; // polygons of each
    int32_t *region_first, *region_face;
} heights;

static inline int64_t heights_right(int64_t ax, int64_t az, int64_t bx, int64_t bz, int64_t cx, int64_t cz)
{
    return (cx - ax) * (bz - az) - (bx - ax) * (cz - az);
}

// Adds what of a face is inside of the polygon to its points and triangles. Points of a polygon before are forgotten by
// nav_surface_forget_points().
NAV_MUST_USE nav_status nav_surface_add_face(heights *h, int32_t face);
void nav_surface_forget_points(heights *h);
// Moves the points along an edge of the polygon onto lines between few of them. Returns how many are kept, ends not
// counted; -1: no memory.
int32_t nav_surface_straighten(heights *h, int32_t edge);

#endif
