// Cells: the convex decomposition of the floor plans. Private to core/polygon.
#ifndef NAV_POLYGON_CELLS_H
#define NAV_POLYGON_CELLS_H

#include "core/polygon/decompose.h"
#include "core/polygon/half_edges.h"

enum { CELL_CORNERS = 255 };

// The shape of the ring that the half-edges make. False where it is too long, has two corners in one place or too many
// notches to be searched, or, if asked for, crosses itself.
bool ring_take(ring *r, const half_edges *m, const int32_t *edge, int32_t corners, bool may_cross);

// The least portals for the ring, with stops added where they help; see ring_find_portals().
int32_t ring_solve(const half_edges *m, ring *r, int32_t fewer, portal *portals);

// Cuts the ring, which is one face, along the portals. Its pieces become faces face[0] to face[count].
void ring_cut(half_edges *m, ring *r, const portal *portals, int32_t count, const int32_t *face);

// Cuts the loop that begins with half-edge h, without holes, into the fewest cells. False, and nothing has changed,
// where it is not small and simple enough to be searched.
bool cells_cut_loop(half_edges *m, int32_t h, int32_t corners, int32_t region, uint8_t area);

enum { CELL_SETTLED = 255 };

// Cuts clusters of cells anew while that makes them fewer. seen: per face: CELL_SETTLED where nothing is to be gained,
// 0 elsewhere.
void cells_improve(half_edges *m, uint8_t *seen);

// Cuts cells of more than max_corners corners into as few convex pieces that have no more. Returns how many cuts, and
// the half-edges of them in made[]; cells_unsplit() takes them away again, so that the pieces are one face by
// half_face().
int32_t cells_split(half_edges *m, int32_t max_corners, int32_t *made);
void cells_unsplit(half_edges *m, const int32_t *made, int32_t count);

#endif
