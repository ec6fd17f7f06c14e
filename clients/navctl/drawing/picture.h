// A navigation mesh seen from above, drawn with cairo: the same code makes PNG and SVG. X points right, Z down, upper
// floors cover lower ones, or each storey has a panel of its own.
#ifndef NAVCTL_PICTURE_H
#define NAVCTL_PICTURE_H

#include "clients/navctl/arguments/args.h"
#include "clients/navctl/drawing/draw_mesh.h"
#include "clients/navctl/drawing/picture_bands.h"
#include "clients/navctl/drawing/picture_paths.h"
#include "clients/navctl/scene/scene.h"
#include "navcore/areas.h"
#include "navcore/parallel.h"

#include <stdbool.h>

// Options of commands that draw.
typedef struct picture_values {
    const char *slice, *storeys; // NULL: auto
    double heights[2];           // of the slice, once checked
    int wanted;                  // storeys, once checked; 0: as many as there are
} picture_values;

enum { PICTURE_OPTIONS = 2 };
extern const arg_option picture_options[PICTURE_OPTIONS];
#define PICTURE_GROUP(type, member)                                                                                    \
    {                                                                                                                  \
        "Floors above each other", picture_options, PICTURE_OPTIONS, offsetof(type, member)                            \
    }

// False with one line on stderr that names the command.
bool picture_values_check(picture_values *v, const char *command);

typedef struct picture_look {
    const char *title;
    int size; // pixels of the longer side
    const picture_values *values;
    const nav_area_table *areas;  // their names and colours; NULL: none
    const scene *around;          // what else to show; NULL: nothing
    const nav_parallel *parallel; // NULL: the calling thread alone
    const picture_paths *paths;   // NULL: none
    const picture_bands *bands;   // NULL: none
} picture_look;

// The whole file or none; false with one line on stderr.
bool picture_write(const char *path, const draw_mesh *mesh, const picture_look *look);

#endif
