/* Height grids: meshes of samples instead of triangles, terrains of many such blocks, and brush strokes on them. Part
 * of navd.h. docs/protocol/heights.md has the rules. */
#ifndef NAVD_HEIGHTS_H
#define NAVD_HEIGHTS_H

#include "navd/edits.h"
#include "navd/meshes.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    NAVD_HEIGHTS_BLOCK = 64, /* cells along a block of a terrain */
    NAVD_AREA_HOLE = 254,    /* as the area of a cell: there is no ground */
};

/* Which way the square of a cell is cut into two triangles. */
typedef enum navd_diagonal {
    NAVD_DIAGONAL_FORWARD,     /* from its corner (c, r) to (c + 1, r + 1) */
    NAVD_DIAGONAL_BACKWARD,    /* from (c + 1, r) to (c, r + 1) */
    NAVD_DIAGONAL_ALTERNATING, /* forward where c + r is even, counted in the terrain, else backward */
    NAVD_DIAGONAL_SHORTER,     /* the shorter of both; forward where both are as long */
} navd_diagonal;

/* Sample (c, r) is at x = (first_column + c) * spacing_m, y = offset_m + scale_m * sample, z = (first_row + r) *
 * spacing_m. */
typedef struct navd_heights {
    uint32_t columns, rows; /* samples, at least 2 */
    int32_t first_column,
        first_row; /* where a block begins in its terrain; 0 for a grid by itself, and for a terrain */
    double spacing_m, scale_m, offset_m;
    unsigned bits; /* of a sample. 16: uint16_t. 32: float */
    navd_diagonal diagonal;
    const void *samples;  /* row by row */
    const uint8_t *areas; /* NULL, or one for each of (columns - 1) * (rows - 1) cells: 0 to 63, NAVD_AREA_INHERIT, or
                             NAVD_AREA_HOLE */
} navd_heights;

/* A terrain of any size is sent in blocks. Each is an instance; their ids follow each other from `first_id` on. */
uint32_t navd_terrain_blocks(const navd_heights *terrain);
/* Sends the blocks, and places them in edits of at most navd_limits.edit_ops operations. transform: of all of them;
 * where it does not just move, tiles take longer. name: "" or what people call it. sent may be NULL: as
 * navd_meshes_put(). out: of the last edit. NAVD_ERR_ARGUMENT: a number of the terrain is out of range. */
navd_status navd_terrain_put(navd_client *c, uint64_t world, uint64_t first_id, const navd_heights *terrain,
                             const float transform[12], uint8_t area, const char *name,
                             void (*sent)(void *user, size_t block, uint64_t bytes), void *user, navd_edit_result *out);
/* A brush stroke: a rectangle of `columns` by `rows` samples, whose first is (column, row) of the terrain, whose own
 * samples and areas are not looked at. samples: row by row, of terrain->bits. areas: NULL, or of the cells between
 * them. One edit. NAVD_ERR_ARGUMENT: the rectangle is not within the terrain. */
navd_status navd_terrain_patch(navd_client *c, uint64_t world, uint64_t first_id, const navd_heights *terrain,
                               uint32_t column, uint32_t row, uint32_t columns, uint32_t rows, const void *samples,
                               const uint8_t *areas, navd_edit_result *out);
/* The operations of such a stroke, for an edit that does more: how many, in *out, which the caller frees with free(),
 * and which owns what it points to. 0 and NULL: the rectangle is not within the terrain, or there is no memory. */
size_t navd_terrain_stroke(const navd_heights *terrain, uint64_t first_id, uint32_t column, uint32_t row,
                           uint32_t columns, uint32_t rows, const void *samples, const uint8_t *areas,
                           navd_operation **out);
/* Removes all blocks, in edits as navd_terrain_put() makes them. */
navd_status navd_terrain_remove(navd_client *c, uint64_t world, uint64_t first_id, const navd_heights *terrain,
                                navd_edit_result *out);

#ifdef __cplusplus
}
#endif

#endif
