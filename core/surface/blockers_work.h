// What the files that find blockers share.
#ifndef NAV_SURFACE_BLOCKERS_WORK_H
#define NAV_SURFACE_BLOCKERS_WORK_H

#include "core/outline/corners.h"
#include "core/surface/blockers.h"
#include "core/surface/footprint.h"

enum {
    BLOCKER_SLACK = 2,   // steps over the climb: what only touches the floor is not in the way
    BLOCKER_POINTS = 64, // of a piece while it is cut
    BLOCKER_STRIP = 4,   // units: how far what is closed reaches behind the floor's end
};

typedef struct surface_place {
    double x, y, z;
} surface_place;

// Of a triangle of the floor, as it came: a corner on an edge, which cuts a triangle, may be one that the tile behind a
// side has no reason to look at.
typedef struct surface_box {
    int32_t low[2], high[2], low_y, high_y;
    int16_t from[2], to[2]; // cells
} surface_box;

// The plane of a triangle of the floor, from its lowest corner: y = slope_x * x + slope_z * z.
typedef struct surface_plane {
    nav_point from;
    int32_t y;
    double slope_x, slope_z;
    surface_place corner[3];
} surface_plane;

enum { BLOCKER_AROUND = 16 };

typedef struct surface_around {
    nav_point at[2 * BLOCKER_AROUND];
    int32_t count;
} surface_around;

// A triangle of the floor for agents that climb: its plane, and its normal in metres, of length 1.
typedef struct surface_stand {
    surface_plane plane;
    surface_place normal;
    surface_around around; // all within the agent's radius of a place, as a hull around 0
    bool turns[3];         // does the floor turn away from the agent behind the edge?
    bool is_flat;          // without an area as seen from above: nobody stands on it
} surface_stand;

typedef struct surface_finder {
    surface_mesh *m;
    surface_blockers *out;
    nav_corner_style style;
    nav_shapes sources; // to be widened piece by piece
    surface_blocker *source_of;
    int32_t source_capacity;
    surface_prism *prism;
    int32_t side, cell; // a grid over what can change the tile: cells along it, units to one
    int32_t *first, *item;
    int32_t *cell_low, *cell_high;      // per cell: between which heights its triangles are
    surface_box *box;                   // per triangle as it came, as are the next ones
    surface_stand *stand;               // for agents that climb, else NULL
    double floor_low[3], floor_high[3]; // then: of all boxes; metres from the world's origin in the frame
    int32_t *stamp, round;              // per triangle
    const int32_t *region;              // per triangle of the mesh: of its face in the tile, or 0
    int32_t *region_mark;               // per region: the last solid thing that is in the way of it
    int32_t *above;                     // triangles that pass over the solid thing at hand
    int32_t above_count, above_capacity;
    int32_t *whole, solid; // per triangle: the number of the last solid thing that is in the way on all of it
    int64_t work;
    double corner[2]; // of the tile in the world, units
} surface_finder;

bool nav_surface_plane_of(const surface_mesh *m, int32_t triangle, surface_plane *out);

// Keeps of a piece what has a * x + b * y + c * z >= at; and of ring[*turn] what is over the triangle of a plane, as
// seen from above, which is in ring[*turn] then. Return how many corners that has.
int32_t nav_surface_keep(const surface_place *in, int32_t count, double a, double b, double c, double at,
                         surface_place *out);
int32_t nav_surface_keep_over(surface_place ring[2][BLOCKER_POINTS], int32_t count, const surface_plane *f, int *turn);

// The cell along an axis.
int32_t nav_surface_cell_of(const surface_finder *w, double at);

// A triangle in the list that a blocker is in the way of.
NAV_MUST_USE nav_status nav_surface_add_start(surface_finder *w, int32_t triangle);

// Along a loop the inside is to the left, what is free to the right, and normals point there.
typedef struct surface_edge {
    nav_point a, b;
    nav_direction before, own, behind; // normals of this edge and of those beside it
    bool is_begun, is_ended;           // has it such?
    int32_t strip;                     // units: how far its shape reaches to the left
} surface_edge;

// What an edge keeps the agent from, and the corner at its end: one shape or two.
NAV_MUST_USE nav_status nav_surface_offset_edge(surface_finder *w, const surface_edge *e, const surface_blocker *of);
// All that a convex loop keeps it from, in one. *done: false where that is too much for one shape, and nothing is
// added.
NAV_MUST_USE nav_status nav_surface_offset_convex(surface_finder *w, const nav_point *at, int32_t count,
                                                  const surface_blocker *of, bool *done);
// The hull of so many places as a shape; they may change. What is large is cut along sides of the world's tiles, the
// same for every tile, so that numbers stay small.
NAV_MUST_USE nav_status nav_surface_add_shape(surface_finder *w, nav_point *at, int32_t count,
                                              const surface_blocker *of);

NAV_MUST_USE nav_status nav_surface_find_ends(surface_finder *w);

// For agents that climb. All within so many metres of the hull of the places, which may change, counted along the
// triangle of the floor that they lie on. What of three corners, in units of the world, stands in the way on a
// triangle; and what is known of a triangle, with its box made that of the room above it, in which something may stand.
NAV_MUST_USE nav_status nav_surface_add_away(surface_finder *w, int32_t triangle, nav_point *at, int32_t count,
                                             double metres);
NAV_MUST_USE nav_status nav_surface_add_shadow(surface_finder *w, const surface_place corner[3], int32_t triangle);
void nav_surface_stand_on(surface_finder *w, int32_t triangle, surface_box *box);

// *partly: it is in the way on some triangles in part: those have its pieces; whole[] tells on which it is, as a whole.
NAV_MUST_USE nav_status nav_surface_add_obstacle(surface_finder *w, const nav_obstacle *obstacle, bool *partly);
NAV_MUST_USE nav_status nav_surface_add_volume(surface_finder *w, const nav_volume *volume, bool *partly);

#endif
