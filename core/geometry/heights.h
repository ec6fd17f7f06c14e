// Height grids as meshes: what a nav_mesh holds instead of triangles, the string of bytes that names and carries it,
// and the cells of it that a tile needs. Immutable; any thread.
//
//     string   | head: NAV_HEIGHTS_HEAD_BYTES | samples, row by row | areas of cells, where it has them |
#ifndef NAV_GEOMETRY_HEIGHTS_H
#define NAV_GEOMETRY_HEIGHTS_H

#include "core/geometry/mesh.h"
#include "navcore/heights.h"

typedef struct nav_height_grid {
    uint32_t columns, rows; // samples
    int32_t first_column, first_row;
    double spacing_m, scale_m, offset_m;
    nav_height_format format;
    nav_diagonal diagonal;
    const void *samples;
    const uint8_t *areas; // NULL: all cells inherit
} nav_height_grid;

static inline size_t nav_height_sample_bytes(nav_height_format f)
{
    return f == NAV_HEIGHTS_16 ? sizeof(uint16_t) : sizeof(float);
}

static inline size_t nav_height_samples(const nav_height_grid *g)
{
    return (size_t)g->columns * g->rows;
}

static inline size_t nav_height_cells(const nav_height_grid *g)
{
    return (size_t)(g->columns - 1) * (g->rows - 1);
}

// Places in the grid's own space. Each is rounded to a float once, so that blocks of a terrain meet exactly.
static inline float nav_height_place(int32_t first, uint32_t k, double spacing_m)
{
    return (float)(((double)first + (double)k) * spacing_m);
}

static inline float nav_height_at(const nav_height_grid *g, size_t sample)
{
    double v = g->format == NAV_HEIGHTS_16 ? (double)((const uint16_t *)g->samples)[sample]
                                           : (double)((const float *)g->samples)[sample];
    return (float)(g->offset_m + g->scale_m * v);
}

static inline uint8_t nav_height_area(const nav_height_grid *g, size_t cell)
{
    return g->areas ? g->areas[cell] : (uint8_t)NAV_AREA_INHERIT;
}

// Is the cell with these heights at its corners (name: column, row) cut from its first corner to its last?
static inline bool nav_height_is_forward(nav_diagonal d, int32_t column, int32_t row, float y00, float y10, float y01,
                                         float y11)
{
    switch (d) {
    case NAV_DIAGONAL_BACKWARD:
        return false;
    case NAV_DIAGONAL_ALTERNATING:
        return !((column ^ row) & 1);
    case NAV_DIAGONAL_SHORTER: {
        float forward = y11 - y00, backward = y01 - y10;
        return (forward < 0 ? -forward : forward) <= (backward < 0 ? -backward : backward);
    }
    default:
        return true;
    }
}

// --- as a mesh ---

// In the memory given, as nav_mesh_create_in(). s has passed nav_heights_check().
NAV_MUST_USE nav_status nav_heights_create_in(const nav_mesh_memory *memory, const nav_heights_spec *s, nav_mesh **out);
// The same of a copy of a mesh with height grid, with other samples in a rectangle of it; column and row are the
// mesh's. areas: as nav_heights_patch().
NAV_MUST_USE nav_status nav_heights_patch_in(const nav_mesh_memory *memory, const nav_mesh *base, uint32_t column,
                                             uint32_t row, uint32_t columns, uint32_t rows, const void *samples,
                                             const uint8_t *areas, nav_mesh **out);
nav_heights_spec nav_heights_spec_of(const nav_height_grid *g);

// Where two meshes have height grids that differ in samples and areas only: the box in x and z around what differs, in
// their own space. False: they differ in more, or one is no grid. min > max: they are the same.
bool nav_heights_difference(const nav_mesh *a, const nav_mesh *b, double min_xz[2], double max_xz[2]);

// --- as a string of bytes ---

enum { NAV_HEIGHTS_HEAD_BYTES = 48 };
size_t nav_heights_string_bytes(uint64_t samples, uint64_t cells, nav_height_format format, bool has_areas);
void nav_heights_store_head(const nav_heights_spec *s, uint8_t out[NAV_HEIGHTS_HEAD_BYTES]);
// All of it, of nav_heights_string_bytes().
void nav_heights_store(const nav_heights_spec *s, uint8_t *out);
bool nav_heights_are_finite(const void *samples, size_t count, nav_height_format format);
// Reads any head; nav_heights_check() judges what it says. samples and areas stay NULL.
void nav_heights_load_head(const uint8_t in[NAV_HEIGHTS_HEAD_BYTES], nav_heights_spec *out);
// Of the string.
nav_key nav_heights_hash(const nav_heights_spec *s);

// --- in a tile ---

// Some cells of a grid that is shown just moved.
typedef struct nav_height_piece {
    const nav_height_grid *grid;
    float move[3];           // metres
    uint8_t area;            // of cells that inherit; NAV_AREA_NONE where the agent may not walk on it
    bool own_areas;          // cells may have others
    uint64_t walkable_areas; // then: that the agent may walk on, a bit each
    uint32_t column, row;    // its first cell
    uint32_t columns, rows;  // cells, none of them 0
} nav_height_piece;

// The area of a cell that is no hole, by what the grid says of it.
static inline uint8_t nav_height_piece_area(const nav_height_piece *p, uint8_t own)
{
    if (!p->own_areas || own == NAV_AREA_INHERIT) return p->area;
    return p->walkable_areas >> own & 1 ? own : (uint8_t)NAV_AREA_NONE;
}

// The transform just moves.
bool nav_height_is_moved(const float transform[12]);
// The cells that touch a box in x and z, of the grid moved. False: there are none.
bool nav_height_piece_find(const nav_height_grid *g, const float move[3], const float low[2], const float high[2],
                           nav_height_piece *out);
static inline float nav_height_piece_x(const nav_height_piece *p, uint32_t k) // of the corner k columns further
{
    return (float)((double)nav_height_place(p->grid->first_column, p->column + k, p->grid->spacing_m) +
                   (double)p->move[0]);
}
static inline float nav_height_piece_z(const nav_height_piece *p, uint32_t k)
{
    return (float)((double)nav_height_place(p->grid->first_row, p->row + k, p->grid->spacing_m) + (double)p->move[2]);
}

// The corners of a cell's triangles, counter-clockwise seen from above: of the first, and of the second.
static inline void nav_height_triangles(bool forward, const float x[2], const float y[4], const float z[2],
                                        float out[18])
{
    // y: of corners 00, 10, 01, 11; which of them each triangle has.
    static const uint8_t corners[2][6] = {{0, 2, 1, 1, 2, 3}, {0, 2, 3, 0, 3, 1}};
    const uint8_t *c = corners[forward];
    for (int k = 0; k < 6; k++) {
        out[3 * k] = x[c[k] & 1];
        out[3 * k + 1] = y[c[k]];
        out[3 * k + 2] = z[c[k] >> 1];
    }
}

#endif
