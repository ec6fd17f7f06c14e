// What holds for a tile whatever it was made from. What does not hold aborts, so that a fuzzer stops there.
#ifndef NAV_TESTS_TILE_CLAIMS_H
#define NAV_TESTS_TILE_CLAIMS_H

#include "core/build.h"

#include <stdbool.h>

void claim_at(bool holds, const char *what, const char *file, int line);
#define claim(holds) claim_at(holds, #holds, __FILE__, __LINE__)

// Builds by the best level of machine, and by the lowest one, which gives the same bytes: contours are closed loops
// that do not cross and have the area of the polygons, and the encoded tiles pass their own readers. False where a
// limit is in the way.
bool claim_tile(const nav_tile_source *src, nav_arena *arena, nav_tile *tile);

// Two tiles have the same points on the side that they share: NAV_EDGE_PORTAL_* of each.
void claim_border(const nav_tile *here, int32_t side, const nav_tile *there, int32_t its_side);

#endif
