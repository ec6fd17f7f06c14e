// Brush strokes of navctl edit: a height map put into a rectangle of a terrain that stands in the world.
#ifndef NAVCTL_EDIT_TERRAIN_H
#define NAVCTL_EDIT_TERRAIN_H

#include "navd.h"

// The operations of a stroke: the samples of a height map, whose first goes to (column, row), on the terrain whose
// first block is instance first_id. size: of a .r16 file that is no square; or NULL. Returns an exit code, with one
// line on stderr that begins with `what`; *ops is freed with free().
int edit_terrain_stroke(navd_client *c, uint64_t world, const char *world_name, uint64_t first_id, const char *file,
                        const char *size, uint32_t column, uint32_t row, const char *what, navd_operation **ops,
                        size_t *count);

#endif
