// A judge of paths over ground of different cost: points close together on all edges of cells, those of a cell joined
// by straight lines. Its least cost is one that there is, so no bound below may be above it. One flat floor.
#ifndef NAV_TESTS_PATH_WEIGH_JUDGE_H
#define NAV_TESTS_PATH_WEIGH_JUDGE_H

#include "tests/core/path_world.h"

// Do obstacles touch at a point? The judge would pass between them.
bool path_weigh_can_judge(const path_world *w);
// The least cost from one point of the ground to another, by points no farther apart than step_m; below 0: no way.
double path_weigh_judge(const path_world *w, const nav_path_costs *costs, const float from[3], const float to[3],
                        double step_m);
// What a path costs, by the areas below points of it that are half a centimetre apart.
double path_weigh_measure(const path_world *w, const nav_path_costs *costs, const float *points, uint32_t count);

#endif
