// What the files that look for sources share: the floors of the set at hand, and the sources found so far.
//
//     sources.c    which triangles are looked at, and what comes out
//     surface.c    edges and bins of the walkable triangles, once a tile
//     floors.c     heights of the set's floors by columns
//     pieces.c     convex pieces of triangles, and sources made of them
//     walls.c      drops.c      blocks.c
//
// Places have x and z in units of the outline grid from the tile's lower corner, and y in voxels. x and z are multiples
// of 1/4096, those of triangles' corners of 1/16, so that they move from tile to tile without rounding.
#ifndef NAV_OUTLINE_SOURCES_WORK_H
#define NAV_OUTLINE_SOURCES_WORK_H

#include "core/outline/faces.h"
#include "core/outline/sources.h"
#include "core/outline/widen.h"

enum {
    PIECE_MOST = NAV_SOURCE_MAX_CORNERS + 8, // corners
};

// Heights this close are the same (voxels), as in core/voxel/raster/triangle.h.
static const double NEAR_HEIGHT = 1e-4;

typedef struct place {
    double x, y, z;
} place;

typedef struct piece {
    int32_t count;
    place at[PIECE_MOST];
} piece;

// Columns of the padded grid, both ends included. Empty where x1 < x0 or z1 < z0.
typedef struct columns {
    int32_t x0, z0, x1, z1;
} columns;

// Lowest and highest floor of some columns, voxels.
typedef struct floor_range {
    bool any;
    double low, high;
} floor_range;

typedef struct floor_heights {
    int32_t low, high; // voxels; low above high: none
} floor_heights;

typedef struct ring_column {
    int16_t x, z;
    floor_heights heights;
} ring_column;

// Heights by column: of the set's own spans, and where a near column has none of those of the nearest ring of columns
// that have. Most columns of most sets are as high as the others, so only the odd ones have an
// entry of their own.
typedef struct floors {
    int32_t width, words;
    int32_t base, most;     // lowest and highest floor of the set
    int32_t usual;          // height of all columns that are not odd
    floor_heights *heights; // of odd columns
    uint64_t *own;          // bits: the set has a span there
    uint64_t *valued;       // bits: own, or taken from around
    uint64_t *odd;          // bits: valued, with an entry in heights
    uint64_t *fresh;        // scratch
    ring_column *ring;      // scratch
    const uint64_t *near;
    columns reach;    // bounds of what is near
    columns touched;  // bounds of what has bits
    columns odd_ones; // bounds of what is odd
    double climb;
    bool empty;
} floors;

// A straight wall as seen from above, with the parts of it that count, as shares of the way from a to b.
typedef struct line {
    nav_point a, b; // a before b
    int32_t first;  // interval, -1: none
    uint32_t slot;  // of the line table
} line;

// A line from a to b by slabs: the columns along the axis on which it is longer.
typedef struct stretch {
    nav_point a, b;
    int32_t first, count; // slabs of the grid, counted from the tile's corner
    bool by_x;
    double along, start; // share of the way at a column's beginning: (column * unit - start) / along
    double side, drift, least, most;
} stretch;

typedef struct interval {
    double from, to;
    int32_t next;
} interval;

typedef struct wall_slab {
    int16_t x0, z0, x1, z1;
} wall_slab;

typedef struct wall_row {
    int16_t x0, x1;
} wall_row;

// A face as walls.c looks at it, the same for all sets.
typedef struct wall {
    bool walkable, upright;
    nav_point a, b;   // of an upright one: its line...
    stretch way;      // ...and that by slabs
    columns around;   // of an upright one: no slab has others
    wall_slab *under; // of an upright one: the columns under each slab of its way; NULL: not known
    wall_row *row;    // the same by rows, of the grid
    int32_t first_row, row_count;
    double low, high; // heights
    // The parts of an upright one that are in the band above even floors of this height: those asked for last.
    bool parts_known;
    double parts_floor;
    int part_count;
    interval part[2];
    int32_t count; // corners; fewer than 3: there is nothing of it in the box
    place at[];    // of an upright one: the share of the way from a to b as x, and the height
} wall;

// Where a triangle or a face may be: columns with a margin, clamped, and heights in metres.
typedef struct triangle_bounds {
    int16_t x0, z0, x1, z1;
    float low, high;
} triangle_bounds;

// Heights and near of the columns under a stretch of a line.
typedef struct slab {
    floor_range floor;
    bool near;
} slab;

// What the voxels tell of an edge in a slab.
typedef enum verdict { UNKNOWN, ENDS, GOES_ON } verdict;

// An edge of a walkable triangle that no other one has in the opposite direction.
typedef struct open_edge {
    triangle_bounds bounds;
    int32_t entry; // 4 * number in the surface + corner at which it begins
} open_edge;

// The walkable triangles.
typedef struct surface {
    uint32_t *triangle;
    int32_t count;
    open_edge *edges;
    int32_t edge_count;
    int32_t *bin_first, *binned, side; // triangles by squares of SURFACE_BIN columns
    uint32_t *seen, stamp;             // the last look at each
    bool crowded;                      // there are too many, and nothing else is set
} surface;

enum {
    SURFACE_BIN = 4,
    SURFACE_FEW = 256, // triangles: bins would only be in the way
};

typedef struct drop_edge drop_edge;

// Of the drops.
typedef struct drop_work {
    float low_m, high_m; // what is farther from the set's floors than this says nothing of it
    drop_edge **known;   // per edge of the surface: as it was made before, or NULL
    int32_t known_count;
    int32_t kept_slabs; // of these, together
    drop_edge *spare;   // for those that are not kept
    verdict *verdicts;  // of the edge at hand, per slab
    interval *covered;  // of the edge at hand, by where they begin
    int32_t covered_count, covered_capacity;
} drop_work;

enum { LISTS = 5 }; // of faces: bits of nav_face.lists

struct nav_sources {
    const nav_triangles *triangles;
    const nav_volume *volumes;
    uint32_t volume_count;
    const nav_config *cfg;
    nav_arena *arena;
    double unit, per_unit;                 // outline units in a column, and the other way round
    double first_x, first_z;               // world grid, 1/16 of a unit: the tile's lower corner
    double box_x0, box_z0, box_x1, box_z1; // what lies outside is cut off
    double climb, height;                  // voxels above a span's floor
    triangle_bounds *bounds;               // per triangle
    nav_faces faces;
    triangle_bounds *face_bounds;
    wall **walls; // per face: as it was made before, or NULL
    int32_t wall_count;
    wall *spare_wall;                         // for those that are not kept
    int32_t *listed, listed_first[LISTS + 1]; // faces by list
    surface surface;

    const nav_floor_set *set;
    floors floors;
    slab *slabs; // width
    nav_shapes found;
    line *lines;
    int32_t line_count, line_capacity;
    int32_t *line_table; // line + 1 by hash; 0: none
    int32_t line_slots;
    interval *intervals;
    int32_t interval_count, interval_capacity;
    drop_work drops;
    int32_t work;
};

// --- sources.c ---

double nav_sources_metres(const nav_sources *s, double voxels);
triangle_bounds nav_sources_bounds(const nav_sources *s, const float least[3], const float most[3]);

static inline double lower(double a, double b)
{
    return a < b ? a : b;
}

static inline double higher(double a, double b)
{
    return a > b ? a : b;
}

// To the nearest integer, halves to the even one; |v| < 2^51.
static inline double nearest_whole(double v)
{
    const double shift = 6755399441055744.0; // 1.5 * 2^52
    return (v + shift) - shift;
}

// To the nearest multiple of 1/4096; |v| < 2^39.
static inline double nearest_fine(double v)
{
    const double shift = 1649267441664.0; // 1.5 * 2^40
    return (v + shift) - shift;
}

// Of a multiple of 1/4096: halves upwards, wherever the tile is.
static inline int32_t nearest_unit(double v)
{
    return (int32_t)nearest_whole(v + 1.0 / 8192);
}

static inline int32_t floor_of(double v) // |v| < 2^31
{
    int32_t whole = (int32_t)v;
    return whole - ((double)whole > v);
}

// --- surface.c ---

NAV_MUST_USE nav_status nav_surface_create(nav_sources *s);
// Metres; corner 3 is 0.
const float *nav_surface_corner(const nav_sources *s, int32_t which, int32_t corner);
static inline int32_t nav_surface_bin(const nav_sources *s, int32_t column)
{
    const int32_t last = s->cfg->width - 1, c = column < 0 ? 0 : column > last ? last : column;
    return c / SURFACE_BIN;
}

// --- floors.c ---

NAV_MUST_USE nav_status nav_floors_create(floors *f, int32_t width, nav_arena *arena);
// Of the set; rings: how far heights spread beyond its own columns.
void nav_floors_find(floors *f, const nav_floor_set *set, int32_t rings);
bool nav_floors_near(const floors *f, columns c);
bool nav_floors_near_rows(const floors *f, const wall *w);
floor_range nav_floors_range(const floors *f, columns c);
slab nav_floors_slab(const floors *f, columns c); // both, of few columns
// Is none of the columns odd? Then their floors are the usual one, where they have any.
bool nav_floors_even(const floors *f, columns c);
static inline floor_range nav_floors_usual(const floors *f)
{
    return (floor_range){true, f->usual, f->usual};
}
// Columns x0 to x1, few, of a row.
static inline uint64_t nav_floor_bits(const floors *f, const uint64_t *of, int32_t x0, int32_t x1, int32_t z)
{
    const uint64_t *at = of + (size_t)z * (size_t)f->words + (size_t)(x0 >> 6);
    const int32_t shift = x0 & 63, count = x1 - x0 + 1;
    uint64_t bits = at[0] >> shift;
    if (shift + count > 64) bits |= at[1] << (64 - shift);
    return bits & ((UINT64_C(1) << count) - 1);
}
static inline int32_t nav_floor_index(const floors *f, int32_t x, int32_t z)
{
    return z * f->width + x;
}
static inline bool nav_floor_bit(const floors *f, const uint64_t *bits, int32_t x, int32_t z)
{
    return bits[(size_t)z * (size_t)f->words + (size_t)(x >> 6)] >> (x & 63) & 1;
}

// --- pieces.c ---

// A face, or what is in the box of it; fewer than 3 corners: nothing.
void nav_piece_of_face(const nav_sources *s, int32_t face, piece *out);
place nav_place(const nav_sources *s, const float at[3]);
// The part of a piece where axis (0 x, 1 y, 2 z) >= value, or <= value.
void nav_piece_cut(const piece *p, int axis, double value, bool above, piece *out);
void nav_piece_keep_in_box(const nav_sources *s, piece *p);
void nav_piece_bounds(const piece *p, place *least, place *most);
// Columns that the piece touches, `margin` units around it, clamped to just outside of the grid.
columns nav_piece_columns(const nav_sources *s, place least, place most, double margin);
// Where to cut a piece in halves: the line of columns in the middle of its longer side, counted from the piece and so
// the same in every tile. False: it is no larger than a column.
bool nav_piece_middle(const nav_sources *s, place least, place most, int *axis, double *middle);
// As seen from above.
NAV_MUST_USE nav_status nav_sources_add_piece(nav_sources *s, const piece *p);
// A part of the line from a to b.
NAV_MUST_USE nav_status nav_sources_add_part(nav_sources *s, nav_point a, nav_point b, double from, double to);
NAV_MUST_USE nav_status nav_sources_add(nav_sources *s, const nav_point *at, int32_t corners);
// Joins the parts of the lines; each becomes a source, unless it is an edge of one.
NAV_MUST_USE nav_status nav_sources_add_lines(nav_sources *s);

stretch nav_sources_stretch(const nav_sources *s, nav_point a, nav_point b);
// The columns that the line touches in a slab, or nearly.
columns nav_sources_under(const nav_sources *s, const stretch *w, int32_t which);

// --- what looks for them ---

NAV_MUST_USE nav_status nav_sources_walls(nav_sources *s);
NAV_MUST_USE nav_status nav_sources_drops(nav_sources *s);
NAV_MUST_USE nav_status nav_sources_blocks(nav_sources *s);

#endif
