// Paths on a picture of a mesh.
#ifndef NAVCTL_PICTURE_PATHS_H
#define NAVCTL_PICTURE_PATHS_H

#include "clients/navctl/drawing/page.h"

#include <stdint.h>

typedef enum picture_path_kind { PICTURE_PATH, PICTURE_PATH_OTHER } picture_path_kind; // another's, drawn dashed

typedef struct picture_path {
    const float *points; // borrowed; x y z, metres
    uint32_t count;
    picture_path_kind kind;
    int number; // written at its begin; 0: none
} picture_path;

typedef struct picture_paths {
    const picture_path *items;
    uint32_t count;
    const char *other; // what the legend calls the dashed ones; NULL: there are none
} picture_paths;

extern const colour PICTURE_PATH_COLOUR, PICTURE_PATH_OTHER_COLOUR;

// Only pieces with an end within these heights.
void picture_paths_paint(const page *p, const picture_paths *paths, const double slice[2]);

#endif
