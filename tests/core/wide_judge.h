// The judge of paths for a wider agent: a graph of all tangents between the circles around all ends of walls, and the
// arcs between those. It looks at every wall for every line, and knows nothing of cells. Of one floor, which is a plane
// (path_world_can_judge).
#ifndef NAV_TESTS_WIDE_JUDGE_H
#define NAV_TESTS_WIDE_JUDGE_H

#include "tests/core/path_world.h"

typedef struct wide_judge wide_judge;

// radius_m: to keep away from the walls of the mesh.
wide_judge *wide_judge_create(const path_world *w, double radius_m, float low_y, float high_y);
void wide_judge_destroy(wide_judge *j);
// The length seen from above, or a negative number where there is no way.
double wide_judge_length(const wide_judge *j, const float from[3], const float to[3]);
// How far the nearest wall is from a place, or from a line between two, metres.
double wide_judge_distance(const wide_judge *j, const float from[3], const float to[3]);

#endif
