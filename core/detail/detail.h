// Heights: for each polygon a triangulation that follows the floor within an error bound.
#ifndef NAV_DETAIL_DETAIL_H
#define NAV_DETAIL_DETAIL_H

#include "core/polygon/polygons.h"

typedef struct nav_detail {
    // Per polygon p: its corners are detail vertices 0..n-1, then come its own extra ones.
    int32_t *vert_first; // count + 1: first extra vertex of the polygon; at most 255 corners and extras together
    int32_t *tri_first;  // count + 1: first triangle of the polygon; at most 255
    int32_t vert_count;  // extra vertices, all polygons
    float *x, *z;        // outline units from the tile's lower corner, with fractions
    float *y;            // voxels, with fractions
    int32_t tri_count;
    uint8_t (*tri)[4]; // a, b, c (as numbered above, right-hand normal to +Y), flags: bits 0, 2, 4 where ab, bc, ca lie
                       // on the polygon's boundary
    int32_t sampled, inserted; // counts: samples looked at, points inserted
    int32_t split_polygons;    // polygons cut because a format limit would not hold their detail
    int32_t coarsened; // edges and polygons that miss the error bound, because nothing could be cut: an edge that
                       // alone needs more than 80 points, a sliver without a point of the outline grid inside
} nav_detail;

// Follows the floor within cfg->detail_max_error voxels at samples cfg->detail_sample columns apart; 0: corners only.
// Polygons have at most 6 corners, inside the tile. May cut polygons (and only polygons, never cells) where 255
// vertices or triangles do not suffice: `polys` is rewritten then.
NAV_MUST_USE nav_status nav_detail_build(const nav_compact_heightfield *f, const nav_regions *regions,
                                         const nav_config *cfg, nav_arena *arena, nav_polygons *polys, nav_detail *out);

#endif
