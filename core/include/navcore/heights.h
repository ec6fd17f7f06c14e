// Height grids: ground as samples on a square grid, as terrain is sculpted. A grid is a mesh (navcore/mesh.h) that
// holds samples instead of triangles: instances show it like any other, and tiles come out as if each cell were two
// triangles. None is made where voxels decide.
//
//      sample   0   1   2   3     x: columns           sample (c, r) is at x = (first_column + c) * spacing_m,
//           0   +---+---+---+                                             z = (first_row + r) * spacing_m,
//               | / | \ | / |                                             y = offset_m + scale_m * sample
//           1   +---+---+---+     z: rows
//
// A large terrain is a nav_heights: it is cut into blocks of NAV_HEIGHTS_BLOCK cells a side, each of them such a mesh,
// which share the samples on their borders. A patch makes a new nav_heights that shares all blocks which it leaves
// alone, so that tiles elsewhere keep their keys. Immutable, as meshes are; any thread.
#ifndef NAVCORE_HEIGHTS_H
#define NAVCORE_HEIGHTS_H

#include "navcore/mesh.h"
#include "navcore/shapes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    NAV_HEIGHTS_BLOCK = 64,            // cells along a block
    NAV_HEIGHTS_SIDE_MAX = 1025,       // samples along one mesh
    NAV_HEIGHTS_TERRAIN_MAX = 1 << 20, // samples along a nav_heights
    NAV_AREA_HOLE = 254,               // as the area of a cell: there is no ground
};

typedef enum nav_height_format {
    NAV_HEIGHTS_16,   // uint16_t
    NAV_HEIGHTS_FLOAT // float, all of them finite
} nav_height_format;

// Which way the square of a cell is cut.
typedef enum nav_diagonal {
    NAV_DIAGONAL_FORWARD,     // from its corner (c, r) to (c + 1, r + 1)
    NAV_DIAGONAL_BACKWARD,    // from (c + 1, r) to (c, r + 1)
    NAV_DIAGONAL_ALTERNATING, // forward where first_column + c + first_row + r is even, else backward
    NAV_DIAGONAL_SHORTER,     // the shorter of both in space; forward where they are alike
    NAV_DIAGONAL_COUNT
} nav_diagonal;

typedef struct nav_heights_spec {
    uint32_t columns, rows;          // samples along x and along z, at least 2
    int32_t first_column, first_row; // where it begins in its terrain; 0 for a grid by itself
    double spacing_m;                // between samples, 0.001 to 10000
    double scale_m, offset_m;        // of samples
    nav_height_format format;
    nav_diagonal diagonal;
    const void *samples;  // columns * rows, row by row
    const uint8_t *areas; // (columns - 1) * (rows - 1) cells: 0 to 63, NAV_AREA_INHERIT for the instance's, or
                          // NAV_AREA_HOLE; NULL: all inherit
} nav_heights_spec;

// NAV_OK, or NAV_ERR_ARGUMENT and a sentence: a number out of range, a sample that is not finite, an area.
// most: samples along a side.
NAV_MUST_USE nav_status nav_heights_check(const nav_heights_spec *s, uint32_t most, char *why, size_t why_bytes);

// A mesh; copies the samples. It may be moved, turned and scaled as any, but only one that is just moved is drawn
// without triangles. NAV_ERR_ARGUMENT: see nav_heights_check(). NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_mesh_create_heights(const nav_heights_spec *s, nav_mesh **out);

// A terrain.
typedef struct nav_heights nav_heights;
// first_column and first_row are 0. Errors as above.
NAV_MUST_USE nav_status nav_heights_create(const nav_heights_spec *s, nav_heights **out);
// base with other samples in a rectangle of `columns` by `rows` of them, whose first is (column, row), in base's
// format; areas: of the (columns - 1) * (rows - 1) cells between them, NULL: as they were. base stays as it is, and may
// be destroyed before or after. NAV_ERR_ARGUMENT: the rectangle is not within base, or see nav_heights_check().
NAV_MUST_USE nav_status nav_heights_patch(const nav_heights *base, uint32_t column, uint32_t row, uint32_t columns,
                                          uint32_t rows, const void *samples, const uint8_t *areas, nav_heights **out);
void nav_heights_destroy(nav_heights *h); // accepts NULL; no instance may show its blocks any more

uint32_t nav_heights_block_count(const nav_heights *h);
const nav_mesh *nav_heights_block(const nav_heights *h, uint32_t i);
// The instances that show the blocks which touch a box in x and z, of the terrain moved by offset_m: what a
// nav_tile_source takes. min_xz NULL: all. Writes at most `room`, and says how many there are.
uint32_t nav_heights_show(const nav_heights *h, const float offset_m[3], uint8_t area, const double *min_xz,
                          const double *max_xz, nav_instance *out, uint32_t room);

#ifdef __cplusplus
}
#endif

#endif
