// Walls and ceilings as a picture: the mesh in perspective, each sheet in its hue, with the edges of cells. Surface is
// seen from where the agent stands alone, so that one looks into closed rooms from outside. PNG and SVG, which holds it
// as an image.
#ifndef NAVCTL_PICTURE_SHEETS_H
#define NAVCTL_PICTURE_SHEETS_H

#include "clients/navctl/arguments/args.h"
#include "clients/navctl/drawing/draw_mesh.h"
#include "clients/navctl/scene/scene.h"
#include "navcore/parallel.h"

// Options of commands that draw.
typedef struct view_values {
    const char *view;    // NULL: by what there is
    double look_from[3]; // direction from the middle to the eye
} view_values;

enum { VIEW_OPTIONS = 2 };
extern const arg_option view_options[VIEW_OPTIONS];
#define VIEW_GROUP(type, member)                                                                                       \
    {                                                                                                                  \
        "Walls and ceilings", view_options, VIEW_OPTIONS, offsetof(type, member)                                       \
    }
#define VIEW_DEFAULTS                                                                                                  \
    {                                                                                                                  \
        NULL,                                                                                                          \
        {                                                                                                              \
            0.55, 0.6, 0.8                                                                                             \
        }                                                                                                              \
    }

// False with one line on stderr that names the command.
bool view_values_check(const view_values *v, const char *command);
// Is it drawn in perspective? climbs: there are walls or ceilings.
bool view_is_perspective(const view_values *v, bool climbs);

typedef struct picture_sheets_look {
    const char *title;
    int size; // pixels of the longer side
    double look_from[3];
    const scene *around;          // the geometry behind the mesh; NULL: none
    const nav_parallel *parallel; // NULL: the calling thread alone
} picture_sheets_look;

// The whole file or none; false with one line on stderr.
bool picture_sheets_write(const char *path, const draw_mesh *mesh, const picture_sheets_look *look);

#endif
