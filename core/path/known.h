// The shortest way to each vertex that a search knows of. Where it is shorter than by what a cone or a turn has come,
// those are of no use: a cone whose every place is nearer by an end of its edge is dropped, as windows are in the exact
// shortest paths over surfaces (Xin and Wang, 2009).
//
// Kept for each sector: the corners of a tile around one vertex that hang together, as two obstacles that touch have
// ground on both sides, and one above the other ways that never meet. Internal.
#ifndef NAV_PATH_KNOWN_H
#define NAV_PATH_KNOWN_H

#include "core/path/search_work.h"

// Before a search, which then knows nothing. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nav_path_forget_known(path_search *s);
// A turn, or the start, sees the vertex of a corner, which is then `length` away: is a shorter way to it known?
// Remembers the length. In a short search: false.
bool nav_path_is_beaten(path_search *s, uint32_t tile, uint32_t corner, double length);
// Does a shorter way to every place that the cone sees of its edge lead by an end of that edge? The same for both ends,
// where the cone sees them. tile, corner: the edge as the cell before it has it, whose memory is at hand.
bool nav_path_is_cone_beaten(path_search *s, const path_cone *cone, uint32_t tile, uint32_t corner);

#endif
