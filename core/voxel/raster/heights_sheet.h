// The samples that a tile sees of a height grid, or of several that are blocks of one terrain, as one sheet of numbers
// in the units of the field.
#ifndef NAV_VOXEL_HEIGHTS_SHEET_H
#define NAV_VOXEL_HEIGHTS_SHEET_H

#include "core/geometry/tile_source.h"
#include "core/voxel/raster/triangle.h"

enum { SHEET_MIXED = -1, SHEET_UNSET = -2 }; // kinds of columns and cells; 0: one cannot walk there; else an area

enum { SHEET_BEYOND = 8 }; // behind a row: lanes that are loaded and not used

// A rectangle of cells, counted in the terrain.
typedef struct sheet_cells {
    int32_t column, row, columns, rows;
} sheet_cells;

typedef struct sheet {
    int32_t nx, nz, width;        // lines of the grid along x and z; columns of the field
    int32_t x0, x1, z0, z1;       // columns and rows that it covers whole: [x0, x1)
    double *xs, *zs;              // places of the lines, in columns of the field
    double *dx, *by_dx;           // between lines along x, metres; and what a column is of that
    double *world;                // heights in metres, [z][x]
    double *y, *y_turned;         // heights in voxels, [z][x] and [x][z]
    double least, most;           // of y
    double *slant, *slant_turned; // of cells: 1 where cut forward, else 0
    int8_t *cells;                // kinds
    int32_t *ix, *iz;             // by grid line of the field: in which cell it lies,
    double *u, *v;                // and how far, 0 to 1
    double *low, *high;           // of columns, [z][x], width apart
    int8_t *columns;              // kinds
    int8_t uniform;               // the kind of all columns that are not left; SHEET_UNSET: there are several
    double *steep;                // of rows of cells: the most that heights change by a column
    double *line;                 // room for one line of the grid along x
} sheet;

// Are the pieces blocks of one terrain, which lie side by side and fill a rectangle? One piece alone is.
bool nav_sheet_fits(const nav_height_piece *pieces, uint32_t count, sheet_cells *out);
// Room for all of a sheet. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_sheet_init(sheet *s, const sheet_cells *cells, int32_t width, nav_arena *arena);
// Places, heights and cells. False: two lines are in one place, or blocks have other samples than their neighbours on
// the border between them. x, z: room for a number for each line; known: for each sample.
bool nav_sheet_read(sheet *s, const nav_height_piece *pieces, uint32_t count, const sheet_cells *cells, const raster *r,
                    double slope_cos2, float *x, float *z, uint8_t *known);

#endif
