// Cells: the convex decomposition of the floor plans. Private to core/polygon.
#ifndef NAV_POLYGON_CELLS_H
#define NAV_POLYGON_CELLS_H

#include "core/polygon/cells/decompose.h"
#include "core/polygon/half_edges/half_edges.h"

enum { CELL_CORNERS = 255 };

// Does no edge of the rings cross or touch another but the ones it follows? next[]: per corner, the next of its ring.
bool nav_cells_is_simple(const nav_point *at, const int32_t *next, int32_t count);

// A plan from half-edges, loop by loop, `first` with each loop's first. False where it is too long or has two corners
// in one place; nav_plan_finish(): where it has too many notches to be searched or, if asked for, crosses itself.
// nav_plan_has_corner(): is one of them there?
void nav_plan_begin(plan *p);
bool nav_plan_has_corner(const nav_point *at, int32_t count, nav_point p);
bool nav_plan_add_corner(plan *p, const half_edges *m, int32_t edge, bool first);
bool nav_plan_finish(plan *p, const half_edges *m, bool may_cross);

// The least portals for the plan, with stops added where they help; see nav_plan_find_portals().
int32_t nav_plan_solve(const half_edges *m, plan *p, int32_t fewer, portal *portals);

// Cuts the plan, whose loops bound nothing but floor, along the portals. Its pieces become the faces of face[] in turn.
void nav_plan_cut(half_edges *m, plan *p, const portal *portals, int32_t count, const int32_t *face);

// Cuts a floor plan into the fewest cells: loops[] has a half-edge of each loop. False, and nothing has changed, where
// it is not small and simple enough to be searched.
bool nav_cells_cut_group(half_edges *m, const int32_t *loops, int32_t loop_count, int32_t region, uint8_t area);

enum { CELL_SETTLED = 255 };

// Cuts clusters of cells again while that makes them fewer. seen: per face: CELL_SETTLED where nothing is to be gained,
// 0 elsewhere.
void nav_cells_improve(half_edges *m, uint8_t *seen);

// Cuts cells of more than max_corners corners into as few convex pieces that have no more. Returns how many cuts, and
// the half-edges of them in made[]; nav_cells_unsplit() takes them away again, so that the pieces are one face by
// half_face().
int32_t nav_cells_split(half_edges *m, int32_t max_corners, int32_t *made);
void nav_cells_unsplit(half_edges *m, const int32_t *made, int32_t count);

// Joins neighbouring cells while no dent of the union is deeper than the tolerance, in outline units. relaxed: per
// face: set for those that are not convex any more.
void nav_cells_relax(half_edges *m, double tolerance, uint8_t *relaxed);

#endif
