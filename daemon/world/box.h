// Where something is in a world: in x and z, as the index knows it, and in height. A tile of a sheet other than up
// covers a part of another plane, and all along the axis across it. Any thread.
#ifndef ND_BOX_H
#define ND_BOX_H

#include "core/geometry/spatial_index.h"
#include "navcore/tile_source.h"

typedef struct nd_box {
    nav_box_xz xz;
    double low, high; // y; metres
} nd_box;

extern const nd_box nd_no_box; // around nothing
extern const nd_box nd_everywhere;

void nd_box_widen(nd_box *all, const nd_box *box);
static inline bool nd_box_touch(const nd_box *a, const nd_box *b)
{
    return nav_box_xz_touch(&a->xz, &b->xz) && a->low <= b->high && a->high >= b->low;
}

// Leaves of one that has no end in x or z what lies beside the other: an index finds that without looking at all it
// has.
void nd_box_clip_xz(nd_box *b, const nd_box *to);

nd_box nd_box_of_volume(const nav_volume *v);

// What it covers of the grid of a sheet: x and z of the sheet's frame.
nav_box_xz nd_box_in_frame(const nd_box *b, nav_sheet sheet);
// The other way, for x and z of the frame; it has no end across it.
void nd_box_out_of_frame(nav_sheet sheet, const double from[2], const double to[2], nd_box *out);
// The tiles whose padded bounds it touches.
void nd_tiles_of_box(const nav_settings *s, const nd_box *b, int32_t first[2], int32_t last[2]);
// Of those, narrows to the ones that may have ground of it. Where agents climb, tiles gather from as far off as they
// are high, and what lies beside a tile makes none: those whose own sides it overlaps, by more than what is lost when
// corners are put on the grid of outlines. Else all of them.
void nd_tiles_with_ground(const nav_settings *s, const nd_box *b, int32_t first[2], int32_t last[2]);
bool nd_tile_may_have_ground(const nav_settings *s, const nd_box *b, int32_t x, int32_t z);
// All of the world that a tile gathers from, padding included.
void nd_tile_box(const nav_settings *s, int32_t x, int32_t z, nd_box *out);

#endif
