// Planes: the floor of a tile by rank, as bits and as heights, so that a whole row of columns is processed at a time.
// Most tiles are filtered, connected and eroded in this form. Spans are written once, at the end, for the floor that
// is left.
//
//      #####                                         Rank r of a column is its r-th gap from below in which an agent
//               gap 1: floor[1], ceiling[1]          can stand; gaps that are too low for it are left out. Heights are
//      #####                                         voxels above `base`; what is missing is NAV_PLANE_FAR up.
//               gap 0: floor[0], ceiling[0]
//      #####                                         open[r], bit x: one can walk on the floor of gap r of column x.
//        bottom
//
// For tiles in bit columns (bit_columns.h) with at most NAV_PLANE_RANKS gaps in a column. All other tiles take the
// heightfield and its filters, which are the plain twin: both give the same compact heightfield, span for span.
#ifndef NAV_VOXEL_PLANES_H
#define NAV_VOXEL_PLANES_H

#include "core/voxel/raster/bit_columns.h"

enum {
    NAV_PLANE_RANKS = NAV_ROW_RANKS,
    NAV_PLANE_FAR = 16384, // so far that sums and differences with heights still fit
};

typedef struct nav_planes {
    int32_t width;      // columns of a row
    int32_t words;      // of bits a row: column x of row z is bit x & 63 of word z * words + (x >> 6)
    int32_t stride;     // heights a row: column x of row z is z * stride + x
    int32_t base;       // voxel of height 0
    int32_t ranks;      // most gaps in a column
    int64_t run_count;  // of solid voxels
    uint8_t *row_ranks; // per row: most gaps in a column of it; its planes of higher ranks are not filled
    int16_t *bottom;    // per column: of the lowest solid voxel
    int16_t *floor[NAV_PLANE_RANKS], *ceiling[NAV_PLANE_RANKS]; // per column
    uint64_t *open[NAV_PLANE_RANKS];
    int32_t area_count;
    uint8_t areas[NAV_BIT_AREAS_MAX];
    uint64_t *of_area[NAV_BIT_AREAS_MAX][NAV_PLANE_RANKS]; // open, and of this type; open itself where there is but one
    // x_connected[r][q], bit x: gap r of column x leads to gap q of column x + 1; z_connected: of the column in the
    // next row. NULL where there is no such connection.
    uint64_t *x_connected[NAV_PLANE_RANKS][NAV_PLANE_RANKS], *z_connected[NAV_PLANE_RANKS][NAV_PLANE_RANKS];
} nav_planes;

// Does the agent fit this form? Not if it climbs higher than it is tall: a floor could then connect to several.
bool nav_planes_fit(const nav_config *cfg);
// Reads the gaps out of the bits, filtered for low obstacles and low ceilings (heightfield.h). out->ranks is 0 where a
// column has more gaps than NAV_PLANE_RANKS: the tile needs the heightfield.
NAV_MUST_USE nav_status nav_planes_read(const nav_bit_columns *bits, const nav_config *cfg, nav_arena *arena,
                                        nav_planes *out);
// nav_filter_ledges().
void nav_planes_filter_ledges(nav_planes *p, const nav_config *cfg);
// The connections of nav_compact_build().
NAV_MUST_USE nav_status nav_planes_connect(nav_planes *p, const nav_config *cfg, nav_arena *arena);
// How many floors are open?
int32_t nav_planes_count(const nav_planes *p);
// Removes the floors in `gone`, a row of bits per rank, and their connections.
void nav_planes_take_away(nav_planes *p, uint64_t *const *gone);
// nav_volumes_apply() of the volumes that block.
NAV_MUST_USE nav_status nav_planes_block(nav_planes *p, const nav_volume *volumes, uint32_t count,
                                         const nav_config *cfg, nav_arena *scratch);
// nav_compact_erode(), for a radius of up to NAV_PLANE_RADIUS columns.
enum { NAV_PLANE_RADIUS = 2 };
NAV_MUST_USE nav_status nav_planes_erode(nav_planes *p, const nav_config *cfg, nav_arena *scratch);
// Writes what is left as a finished compact heightfield.
NAV_MUST_USE nav_status nav_planes_finish(const nav_planes *p, const nav_config *cfg, nav_arena *arena,
                                          nav_compact_heightfield *out);

#endif
