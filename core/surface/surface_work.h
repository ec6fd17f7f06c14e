// What the files of this folder share while a tile's surface is made.
#ifndef NAV_SURFACE_SURFACE_WORK_H
#define NAV_SURFACE_SURFACE_WORK_H

#include "core/base/grow.h"
#include "core/base/plane.h"
#include "core/surface/sheets.h"
#include "core/surface/surface.h"

enum {
    SURFACE_NONE = -1,      // of a twin: nothing is joined there
    SURFACE_DIAGONAL = -2,  // of whole: an edge between parts of one triangle that nothing asked for
    SURFACE_ROUNDING = 2,   // steps: heights this near to each other are one but for rounding
    SURFACE_COLUMNS = 2,    // beyond the radius: how far from the tile edges are joined, of the three that it has
    SURFACE_STAYS = 2,      // of a joint, until the loop is tidy: a corner that is not left out
    SURFACE_MOST = 1 << 24, // triangles of a tile
};

static const float SURFACE_SEAM = -1; // of away: the surface goes on in another sheet

// Half-edge 3 * t + k runs from corner k of triangle t to the next.
typedef struct surface_mesh {
    const nav_config *cfg;
    nav_arena *arena;
    int32_t vert_count, vert_capacity;
    int32_t *x, *z, *y; // as in nav_surface
    int32_t *table;     // of vertices by their place
    int32_t table_size;
    int32_t tri_count, tri_capacity;
    int32_t steep_count; // triangles behind them that may not be walked on; until `single` was looked at
    bool single;         // the ground near the tile is covered everywhere, and once; until it was looked at: may be
    int32_t *vert;       // 3 per triangle
    int32_t *twin;       // per half-edge: the one that it is joined to
    int32_t *whole; // per half-edge, or NULL: half of `ends` where the edge that it was cut from has its ends, or -1
    int32_t *ends;  // two vertices each
    int32_t end_count, end_capacity;
    int32_t *uncut;      // 3 per triangle, where `whole` is: the corners of the triangle that it was cut from, or is
    int32_t *piece;      // per triangle, where `whole` is: another one that was cut from the same, or SURFACE_NONE
    int32_t uncut_count; // triangles as they came: the pieces of each begin with the one that has its number
    uint8_t *area;
    // Of an agent that climbs, else NULL.
    const surface_sheets *sheets;
    int32_t *source; // per triangle as it came: the gathered one
    float *away;     // per half-edge that nothing is joined to: metres that the agent stays away, or SURFACE_SEAM
    uint8_t *met;    // per half-edge: a triangle of another sheet, or of none, was found behind it
    struct surface_strangers *strangers; // edges of such triangles near edges that have none behind them; or NULL
    int32_t *loose;                      // vertices that are where a diagonal passes something, and of no importance
    int32_t loose_count, loose_capacity;
    uint32_t skipped;
    int32_t low, high; // of both axes: what lies outside cannot change the tile
    int32_t open;      // half-edges there that nothing is joined to
} surface_mesh;

// The faces, and how they hang together.
typedef struct surface_faces {
    int32_t count, corner_count;
    int32_t *first;    // count + 1
    int32_t *vert;     // per corner
    int32_t *label;    // per corner: half-edge that the edge to the next corner is a part of, or NAV_EDGE_PORTAL_*
    int32_t *behind;   // per corner: the corner of the face behind at which the edge begins, or NAV_EDGE_*
    int32_t *face;     // per corner
    int32_t *region;   // per face
    int32_t *triangle; // per face: of the mesh
    uint8_t *area;     // per face
    int32_t region_count;
} surface_faces;

// Loops of the regions' boundaries before they are contours.
typedef struct surface_loop {
    int32_t first, count, region;
    uint8_t area;
    int64_t area2; // twice its area, negative for outer ones
} surface_loop;

typedef struct surface_loops {
    surface_loop *loop;
    int32_t count, capacity;
    int32_t *x, *z, *y, *behind; // per corner
    uint8_t *joint;              // per corner: as nav_contours.border_joint
    int32_t corner_count;
    int32_t corner_capacity[5];
    int32_t removed;
} surface_loops;

static inline int32_t surface_next(int32_t half)
{
    return half % 3 == 2 ? half - 2 : half + 1;
}

static inline int32_t surface_corner_after(const surface_faces *f, int32_t corner)
{
    int32_t face = f->face[corner];
    return corner + 1 < f->first[face + 1] ? corner + 1 : f->first[face];
}

static inline int32_t surface_corner_before(const surface_faces *f, int32_t corner)
{
    int32_t face = f->face[corner];
    return corner > f->first[face] ? corner - 1 : f->first[face + 1] - 1;
}

// The ends of the edge that a half-edge is, or was cut from at corners of others: what lies far along it must not move
// where it passes a side.
static inline void surface_ends(const surface_mesh *m, int32_t half, int32_t *a, int32_t *b)
{
    int32_t whole = m->whole ? m->whole[half] : SURFACE_NONE;
    *a = whole >= 0 ? m->ends[2 * whole] : m->vert[half];
    *b = whole >= 0 ? m->ends[2 * whole + 1] : m->vert[surface_next(half)];
}

// The corners of the triangle that a triangle was cut from, or is.
static inline const int32_t *surface_uncut(const surface_mesh *m, int32_t triangle)
{
    return (m->uncut ? m->uncut : m->vert) + 3 * (size_t)triangle;
}

static inline nav_point surface_at(const surface_mesh *m, int32_t vert)
{
    return (nav_point){m->x[vert], m->z[vert]};
}

// May an edge between two places change the tile?
static inline bool surface_is_near(const surface_mesh *m, nav_point a, nav_point b)
{
    return nav_edge_is_near(a, b, (nav_point){m->low, m->low}, (nav_point){m->high, m->high});
}

// The order of vertices that is the same wherever the tile lies.
static inline bool surface_is_lower(const surface_mesh *m, int32_t a, int32_t b)
{
    if (m->x[a] != m->x[b]) return m->x[a] < m->x[b];
    if (m->z[a] != m->z[b]) return m->z[a] < m->z[b];
    return m->y[a] < m->y[b];
}

static inline bool surface_is_corner(const int32_t triangle[3], int32_t vert)
{
    return triangle[0] == vert || triangle[1] == vert || triangle[2] == vert;
}

// Room for so many more vertices. And the vertex at a place, a new one where there is none.
NAV_MUST_USE nav_status nav_surface_reserve(surface_mesh *m, int64_t more);
int32_t nav_surface_vert(surface_mesh *m, int32_t x, int32_t z, int32_t y);
// The vertices that the corners of a triangle are snapped to, or SURFACE_NONE.
void nav_surface_known_verts(const surface_mesh *m, const float corner[9], int32_t vert[3]);
// The corners on the grid: x, y, z. False: one is too far away.
bool nav_surface_snap_corners(const surface_mesh *m, const float corner[9], int32_t at[3][3]);

// Of three corners: in the order of the faces, and not so thin that rounding might hide what lies on an edge?
bool nav_surface_looks_up(nav_point a, nav_point b, nav_point c);
// With the steep ones joined to the others.
bool nav_surface_is_single(const surface_mesh *m);

NAV_MUST_USE nav_status nav_surface_snap(surface_mesh *m, const nav_triangles *triangles);
// Volumes that set an area or include ground: triangles are cut along them, and get their areas; those outside of all
// that include get SURFACE_EXCLUDED.
NAV_MUST_USE nav_status nav_surface_volumes(surface_mesh *m, const nav_tile_source *source);
typedef struct nav_surface_turn {
    double cos;
    bool inner; // towards the side that agents are on
} nav_surface_turn;

// By how much surface turns from one gathered triangle to another. corner: of the first one, which both have.
nav_surface_turn nav_surface_turn_between(const surface_mesh *m, uint32_t from, uint32_t to, uint32_t corner);
// What is behind open edges in other sheets: `away` is made.
NAV_MUST_USE nav_status nav_surface_find_seams(surface_mesh *m);
// Then for edges that are such an edge in part: what is near them, the vertices that they are to be cut at, and what is
// behind their parts.
typedef struct surface_strangers surface_strangers;
NAV_MUST_USE nav_status nav_surface_find_strangers(surface_mesh *m);
NAV_MUST_USE nav_status nav_surface_add_strange_corners(surface_mesh *m, int32_t **verts, int32_t *count);
void nav_surface_meet_strangers(surface_mesh *m, const int32_t *open, int32_t count);
NAV_MUST_USE nav_status nav_surface_join(surface_mesh *m);

// Room for so many more triangles, once `whole` is there. And the edge that a half-edge is a part of, noted so that it
// can be told of its parts.
NAV_MUST_USE nav_status nav_surface_grow_triangles(surface_mesh *m, int64_t more);
NAV_MUST_USE nav_status nav_surface_note_whole(surface_mesh *m, int32_t half, int32_t *whole);

// Where the edge between two vertices, or the plane of a triangle, passes a line of the grid: the same however the tile
// lies. axis: 0 for x, 1 for z; at: the line's. *height: in steps.
int32_t nav_surface_cross(const surface_mesh *m, int32_t a, int32_t b, int axis, int32_t at, int32_t *height);
int32_t nav_surface_height(const surface_mesh *m, const int32_t vert[3], int32_t x, int32_t z);

NAV_MUST_USE nav_status nav_surface_cut(surface_mesh *m, surface_faces *out);
NAV_MUST_USE nav_status nav_surface_regions(surface_mesh *m, surface_faces *f, surface_loops *out);

// Loops of one region or of all (0), with corners on straight edges left out.
NAV_MUST_USE nav_status nav_surface_trace(surface_mesh *m, const surface_faces *f, int32_t region, surface_loops *out);
NAV_MUST_USE nav_status nav_surface_add_loop(surface_mesh *m, surface_loops *l, int32_t corners, surface_loop **out);
// Takes corners off that no straight edge needs; the newest loop goes where nothing is left of it. What leads there and
// back goes only where both ways are within climb (steps) of each other: a turn of a spiral may end where it began.
void nav_surface_tidy(surface_loops *l, int32_t climb);
// Is there one outer loop, and does no edge meet another but at its ends?
NAV_MUST_USE nav_status nav_surface_is_simple(const surface_loops *l, int32_t first, int32_t count, nav_arena *arena,
                                              bool *simple);

#endif
