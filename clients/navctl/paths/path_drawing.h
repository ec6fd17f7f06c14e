// A picture of a ground with paths on it, navd's and Detour's.
#ifndef NAVCTL_PATH_DRAWING_H
#define NAVCTL_PATH_DRAWING_H

#include "clients/navctl/drawing/picture.h"
#include "clients/navctl/paths/detour_paths.h"
#include "clients/navctl/paths/path_ground.h"

typedef struct path_drawing {
    picture_path *items; // owned, with their points
    uint32_t count, room;
    bool has_detour;
} path_drawing;

void path_drawing_deinit(path_drawing *d); // accepts a zeroed one
// A path with its number, 0: none; and, where there is a `detour`, the one that it finds. The points are copied. False:
// no memory.
bool path_drawing_add(path_drawing *d, const float *points, uint32_t count, int number);
bool path_drawing_add_detour(path_drawing *d, detour_paths *detour, const double from[3], const double to[3],
                             double near_m);

// g has its tiles. False with one line on stderr.
bool path_drawing_write(const path_drawing *d, const path_ground *g, const char *path, const char *title, int size,
                        const picture_values *values);

#endif
