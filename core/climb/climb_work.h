// Triangles of tiles, and where they are joined. Internal to climb.
//
//   patch    a tile's triangles. Sides that two of them share are joined inside; any other side is an open edge
//   half     one side of a join of open edges, of one patch or of two: a stretch of the edge, and the stretch of the
//            other edge that one comes in at. The same line but for rounding, or with a strip between
//   set      patches by sheet, x and z; parts
//
// A portal is where a triangle is left: side 0 to 2 that another one shares, or a half.
#ifndef NAV_CLIMB_WORK_H
#define NAV_CLIMB_WORK_H

#include "core/climb/cells.h"
#include "core/climb/vectors.h"
#include "navcore/climb.h"
#include "navcore/tile.h"

#include <stdbool.h>

enum { CLIMB_NONE = -1 };

// What lies behind an open edge.
typedef enum climb_behind {
    CLIMB_WALL,
    CLIMB_INSIDE, // of the tile: joined to edges of the same patch
    CLIMB_BORDER, // joined to patches of the same sheet
    CLIMB_SEAM,   // of other sheets
    CLIMB_OPEN,   // of any: triangles that are no tile's
} climb_behind;

typedef struct climb_edge {
    uint32_t triangle;
    uint8_t side; // from the triangle's corner `side` to the next one
    uint8_t behind;
    uint32_t first_half; // of the patch, up to that of the next edge
} climb_edge;

typedef struct climb_patch climb_patch;

typedef struct climb_half {
    climb_patch *other; // may be the same patch
    uint32_t edge, other_edge;
    uint32_t twin;                 // among the other's halves
    float from_m, to_m;            // along the edge
    float right[3], left[3];       // the stretch, as one sees it who leaves
    float in_right[3], in_left[3]; // the stretch on the other edge
    float turn_deg;                // nav_climb_seam.turn_deg
    float apart_m;                 // the two stretches at most, or how far a strip's are from where they should be
    bool strip;
    bool is_beaten, is_open; // by one that is nearer, once joined; open: neither it nor its twin is
} climb_half;

// Parts of the patch that hang together by a half.
typedef struct climb_tie {
    uint32_t part, other_part;
    climb_patch *other;
} climb_tie;

struct climb_patch {
    nav_sheet sheet;
    int32_t x, z;
    double radius_m, height_m, step_m; // of the agent; step: what it steps over
    double close_m, loose_m;           // how far lines that are the same are apart, and may be where none is nearer
    uint32_t point_count, triangle_count, edge_count, part_count;
    void *block;           // owned: all arrays up to `edge`
    float *at;             // 3 of each point
    uint32_t *corner;      // 3 of each triangle; their normal by the right hand looks to where the agent stands
    int32_t *beside;       // of each side: 3 * triangle + side of the one that shares it, or -1 - edge
    uint32_t *cell, *part; // of each triangle
    uint8_t *area;
    climb_edge *edge; // edge_count + 1
    box_tree triangles, edges;
    // Joins.
    climb_half *half; // by edge and place along it, once joined
    uint32_t half_count, half_room;
    climb_tie *tie;
    uint32_t tie_count, tie_room;
    bool changed; // halves came or went since the last joining
    size_t bytes; // as the set counts it
    // In the set, once joined.
    uint32_t place;      // among its patches
    uint64_t seen;       // the last time that it was looked at beside a new patch
    uint32_t first_part; // of the set's labels
    uint32_t first_node; // of its portals: 3 for each triangle, then the halves
};

struct nav_climb_set {
    double inner_deg, inner_cos;
    climb_patch **patch; // by sheet, x, z
    uint32_t count, room;
    uint32_t *label; // of each part of each patch: the set's parts by the order of their first patch
    uint32_t label_room, part_count, node_count;
    uint64_t triangle_count;
    size_t bytes;      // of patches, as of the last joining
    climb_cells cells; // of the patches that have triangles
    double cells_m;    // the side of tiles; 0: there was none
    uint64_t looks;
    double reach_m;     // how far apart edges may be that are joined
    nav_tile_view grid; // of tiles
    bool has_grid, joined;
};

// What a patch is made of.
typedef struct climb_mesh {
    nav_sheet sheet;
    int32_t x, z;
    double radius_m, height_m, step_m, close_m, loose_m;
    uint32_t point_count, triangle_count;
    const float *at;        // places that are equal are one
    const uint32_t *corner; // triangles with two corners at one place are left out
    const uint32_t *cell;
    const uint8_t *area;
    const uint8_t *behind; // climb_behind of each side, where no other triangle of the cell shares it
} climb_mesh;

// --- patch.c ---
NAV_MUST_USE nav_status nav_climb_patch_create(const climb_mesh *m, climb_patch **out);
void nav_climb_patch_destroy(climb_patch *p); // accepts NULL
size_t nav_climb_patch_bytes(const climb_patch *p);
void nav_climb_edge_ends(const climb_patch *p, uint32_t edge, vec *from, vec *to);
vec nav_climb_normal(const climb_patch *p, uint32_t triangle); // of length 1

static inline vec climb_corner(const climb_patch *p, uint32_t triangle, int k)
{
    return vec_of_float(&p->at[3 * (size_t)p->corner[3 * (size_t)triangle + (size_t)k]]);
}

// --- read_tile.c ---
NAV_MUST_USE nav_status nav_climb_read_tile(const nav_tile_view *v, climb_patch **out);

// --- join.c ---
// Joins the open edges of a patch to those of another one, or to its own.
NAV_MUST_USE nav_status nav_climb_join(const nav_climb_set *set, climb_patch *a, climb_patch *b);
// How far apart edges of two such patches may be that are joined.
double nav_climb_reach(const nav_climb_set *set, climb_patch *p);
void nav_climb_unjoin(climb_patch *p, const climb_patch *gone);

// --- set.c ---
box nav_climb_box(const climb_patch *p); // of one that has triangles
// Takes a patch over, in place of the one of its sheet, x and z; on failure it is the caller's.
NAV_MUST_USE nav_status nav_climb_set_take(nav_climb_set *set, climb_patch *p);
int nav_climb_compare_patches(const climb_patch *a, const climb_patch *b);

// --- nearest.c ---
typedef struct climb_spot {
    const climb_patch *patch;
    uint32_t triangle;
    vec at;
} climb_spot;
// part: of the set, or UINT32_MAX: any. patch NULL: there is none.
climb_spot nav_climb_spot(const nav_climb_set *set, const nav_climb_near *near, uint32_t part);
nav_climb_place nav_climb_place_of(const nav_climb_set *set, const climb_spot *s);
bool nav_climb_near_ok(const nav_climb_near *n);
vec nav_climb_on_triangle(const climb_patch *p, uint32_t triangle, vec at);

#endif
