// What the files of this folder share while a tile's outlines are made.
#ifndef NAV_OUTLINE_OUTLINE_STAGE_H
#define NAV_OUTLINE_OUTLINE_STAGE_H

#include "core/base/grow.h"
#include "core/base/sort.h"
#include "core/outline/boundary.h"
#include "core/outline/fewer.h"
#include "core/outline/outlines.h"
#include "core/outline/shapes.h"
#include "core/outline/sources.h"

enum {
    OUTLINE_STRIP = 4,  // units: thickness of what closes a region at the tile's border and at other regions
    OUTLINE_SNAP = 8,   // units: ends of a seam this close to each other are one
    OUTLINE_CLEAR = 16, // units: so close to the tile's side nothing is in the way of what is open there
    OUTLINE_NEAR = 2,   // columns from the region's boundary within which triangles may be the cause of it
    OUTLINE_SIDES = 4,
    OUTLINE_WALL = -1, // kind of an edge: 0 to 3: on that side of the tile (as directions in compact.h); from
                       // OUTLINE_SIDES on: on seam kind - OUTLINE_SIDES
};

// Two regions meet along a seam. Each has it as an edge of its own coarse contour, with itself to the right.
typedef struct outline_seam {
    nav_point from, to; // units
    int32_t region, behind;
    int32_t twin;         // the same seam as the other region has it; -1: it has none
    int32_t first, count; // its free pieces, in order
    bool starts, ends;    // another seam or the tile's border goes on there
} outline_seam;

// A free piece of a seam or of a side of the tile.
typedef struct outline_piece {
    int32_t kind;
    int64_t low, high;  // how far along, times the length of the whole
    nav_point from, to; // its ends
    int32_t span;       // of a side: the tile's span in column k along it is row_span[span + k]
} outline_piece;

typedef struct outline_loop {
    int32_t first, count; // raw corners
    int32_t region;
} outline_loop;

// What may not be entered near a side, as the tiles on both sides of it find it.
typedef struct outline_band {
    int32_t mark; // owner of its floor's spans
    nav_shapes shapes;
} outline_band;

typedef struct outline_work {
    const nav_compact_heightfield *f;
    const nav_regions *regions;
    const nav_contours *coarse;
    const nav_config *cfg;
    nav_arena *arena;
    nav_contours *out; // counted at once, written in the end
    double radius;     // units
    int32_t side;      // units along the tile
    // Spans by region. Those of the padding follow when it is the region's turn.
    int32_t *owner;      // per span: the region it belongs to at the moment
    int32_t *span_first; // per region, and one more
    int32_t *span;
    int32_t *rim_first; // per region, and one more: its spans in the tile's outermost columns
    int32_t *rim;
    int32_t *set;          // the spans of the region at work, of the padding too
    nav_boundary boundary; // of the floor at work
    const nav_triangles *triangles;
    const nav_tile_source *source;
    nav_sources *sources; // NULL: no floor ended anywhere so far
    // Seams, by region.
    outline_seam *seams;
    int32_t seam_count;
    int32_t *seam_first; // per region, and one more
    outline_piece *pieces;
    int32_t piece_count, piece_capacity;
    outline_piece *open; // where the tile's sides are open: as its neighbours find it, by side and place
    int32_t open_count, open_capacity;
    int32_t open_first[OUTLINE_SIDES + 1];
    outline_band *bands; // of the side at work
    int32_t band_count, band_capacity;
    int32_t *row_span; // spans along the sides, row by row
    uint16_t *x_of;    // per column
    int32_t mark;      // the newest owner of spans
    // Raw loops of all regions, by region, and what each edge lies on.
    outline_loop *loops;
    int32_t loop_count, loop_capacity;
    nav_point *at;
    int32_t *kind; // of the edge from the corner to the next
    int32_t corner_count, at_capacity, kind_capacity;
} outline_work;

// The floor of a region, with the padding that it goes on into. Valid until the next region's.
nav_floor_spans nav_outline_floor(outline_work *w, int32_t region);
// Adds what a floor's agent may not enter: from the triangles, and from the columns where triangles say nothing, or too
// much, or coarsely is asked for.
NAV_MUST_USE nav_status nav_outline_add_shapes(outline_work *w, const nav_floor_spans *floor, bool coarsely,
                                               nav_shapes *out);

// By how much outlines may be simpler than the truth.
nav_fewer nav_outline_error(const outline_work *w);

// Finds the seams of all regions.
NAV_MUST_USE nav_status nav_outline_find_seams(outline_work *w);
// Adds what closes a region at the tile's sides and at its seams: the first shapes of its union.
NAV_MUST_USE nav_status nav_outline_add_strips(outline_work *w, int32_t region, nav_shapes *out);
// What the edge from a to b of the union's loops, of that shape, lies on. *back: on the far side of a strip.
int32_t nav_outline_kind(const outline_work *w, int32_t region, int32_t shape, nav_point a, nav_point b, bool *back);
// Notes that a seam is free from a to b, as one region has it.
NAV_MUST_USE nav_status nav_outline_add_piece(outline_work *w, int32_t kind, nav_point a, nav_point b);
// Leaves of all pieces what both regions have.
NAV_MUST_USE nav_status nav_outline_agree(outline_work *w);
// How far p lies along the line of a kind, times its length; and OUTLINE_SNAP in the same measure.
int64_t nav_outline_along(const outline_work *w, int32_t kind, nav_point p);
double nav_outline_snap(const outline_work *w, int32_t kind);

// Where a convex polygon is cut by the line at `at` (an x if by_x, else a z), rounded outwards. False: nowhere but in a
// corner or an edge; then low and high stay as they are.
bool nav_outline_cut(const nav_point *p, int32_t n, bool by_x, int32_t at, int32_t *low, int32_t *high);
// Is what lies on one side of the border, from low to high of the side of the tile, next to nothing? shapes: of the
// border's floor there.
NAV_MUST_USE nav_status nav_outline_is_sliver(outline_work *w, int side, int32_t low, int32_t high,
                                              const nav_shapes *shapes, bool *sliver);
// Finds where the tile's sides are open.
NAV_MUST_USE nav_status nav_outline_find_open(outline_work *w);
// Is the edge from a to b on a side of the tile that is open for the region there, by more than a rounding?
bool nav_outline_opens(const outline_work *w, int32_t kind, int32_t region, nav_point a, nav_point b);
// Clips the shapes of the region, from number `first` on, where they are in the way of what is open.
NAV_MUST_USE nav_status nav_outline_clear_open(outline_work *w, int32_t region, int32_t first, nav_shapes *shapes);

// Cuts the loops at the open pieces, makes their corners fewer, and writes them.
NAV_MUST_USE nav_status nav_outline_write(outline_work *w);

#endif
