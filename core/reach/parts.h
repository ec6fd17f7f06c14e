// The connected parts of a tile: which polygons are connected without leaving the tile, and where one can leave each
// part. The world's connectivity (reach.h) needs to know nothing else about a tile. A function of the tile alone. Any
// thread.
//
//      +-----------+
//      |#### p0 ###>  border edge of part 0: side, from..to, heights
//      |####     ##>
//      |   +--+    |
//      | p1|##|    |  a part without border edges: a table top, a roof
//      +-----------+
#ifndef NAV_REACH_PARTS_H
#define NAV_REACH_PARTS_H

#include "core/build.h"

enum { NAV_SIDES = 4 }; // 0: x+, 1: z+, 2: x-, 3: z-; the opposite of s is s ^ 2

// An edge on an open border: outline units along the border, and heights at them, voxels.
typedef struct nav_border_edge {
    int32_t lo, hi, y_lo, y_hi;
    uint32_t part;
} nav_border_edge;

// An off-mesh link that starts in the tile on ground of a part, and that the agent may use.
typedef struct nav_part_link {
    float end[3], radius_m;
    uint32_t part;
    uint32_t both_ways;
} nav_part_link;

// One block of heap memory, never changed. References are taken and given back on one thread.
typedef struct nav_parts {
    uint32_t refs;
    uint32_t count, link_count;
    uint32_t edge_first[NAV_SIDES + 1]; // where the edges of a side begin
    int64_t *doubled_area;              // per part: twice its area in columns, rounded down
    nav_border_edge *edges;             // by side, then by all their members
    nav_part_link *links;               // in the order of the tile's
} nav_parts;

// Finds the parts; numbered in the order of their first polygons. One reference. NAV_ERR_LIMIT, NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_parts_create(const nav_tile *tile, nav_arena *scratch, nav_parts **out);
nav_parts *nav_parts_ref(nav_parts *p);
void nav_parts_unref(nav_parts *p); // accepts NULL
size_t nav_parts_bytes(const nav_parts *p);
// A copy in the caller's memory, of nav_parts_bytes() and aligned to 8. It has one reference, and is never given back
// where the memory is not from malloc().
nav_parts *nav_parts_copy(const nav_parts *p, void *memory);

// Do two tiles connect alike: the same parts, borders and links? Areas may differ.
bool nav_parts_same(const nav_parts *a, const nav_parts *b);
// Do two edges on a common border join? Detour's rule: they overlap, and there their heights cross or come within near
// voxels (twice the climb) at one end of the overlap.
bool nav_border_edges_join(const nav_border_edge *a, const nav_border_edge *b, double near_vx);

// Which parts will turn out to be out of reach? A guess for whoever wants to begin before it is known: parts with a
// border edge that was there before have the verdict of that edge's part, those without borders and links are off where
// they are smaller than min_doubled_area. before, before_off: the tile as it was, or NULL. off: a byte for each part.
void nav_parts_guess(const nav_parts *p, const nav_parts *before, const uint8_t *before_off, int64_t min_doubled_area,
                     uint8_t *off);

// The part of each polygon, in the arena, and how many parts there are.
NAV_MUST_USE nav_status nav_parts_of_polygons(const nav_polygons *polys, nav_arena *arena, int32_t **part,
                                              uint32_t *count);

// A place to find ground for: within radius_m in x and z, and height_m above or below.
typedef struct nav_place_query {
    float at[3];
    float radius_m, height_m;
} nav_place_query;

// The part nearest to a place, or -1. Where the place is above or below ground a difference within the climb counts as
// none, as Detour has it; equally near parts: the lowest number. part: of each polygon, as above.
int32_t nav_parts_find(const nav_tile *tile, const int32_t *part, const nav_place_query *q, double *distance2);

#endif
