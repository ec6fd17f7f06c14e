// Which way is up in a scene file, and how long its unit is: what the file says, or what the command line says instead.
// A scene in memory is always Y up and in metres.
#ifndef NAVCTL_SCENE_FRAME_H
#define NAVCTL_SCENE_FRAME_H

#include "clients/navctl/arguments/args.h"
#include "clients/navctl/scene/scene.h"

typedef struct scene_frame_values {
    const char *up, *scale; // NULL: auto
    const char *raise;      // NULL: not at all
} scene_frame_values;

enum { SCENE_FRAME_OPTIONS = 3 };
extern const arg_option scene_frame_options[SCENE_FRAME_OPTIONS];
#define SCENE_FRAME_GROUP(type, member)                                                                                \
    {                                                                                                                  \
        "Axes and units of the scene file", scene_frame_options, SCENE_FRAME_OPTIONS, offsetof(type, member)           \
    }

// Is --scale a length, and --raise a number? False with one line on stderr.
bool scene_frame_check(const scene_frame_values *v, const char *command);

// Reads a scene file as the values say. A terminal shows that it goes on. parallel: NULL for the calling thread alone.
// Returns an exit code; NAVCTL_INPUT with one line on stderr.
int scene_frame_read(const char *path, const scene_frame_values *v, const nav_parallel *parallel, scene *out);

// The length of a unit that the file's first comments name, as OBJ exporters write it ("# File units = inches", "uses
// centimeters as units"). 0: they name none.
double scene_frame_comment_unit(const char *text, size_t length);

// Gives the scene another frame than scene_read() took: vertices and places are turned and scaled, so that an object
// without rotation stays one.
void scene_frame_change(scene *s, const scene_frame *to);
// The frame in which the file's axis `up` (0 to 5: x, y, z, -x, -y, -z) becomes Y.
scene_frame scene_frame_with_up(int up, double unit_m);
// Moves everything up.
void scene_frame_raise(scene *s, double metres);
// "x" to "-z": the file's axis that is up.
const char *scene_frame_up_name(const scene_frame *f);
// As --scale takes it ("cm"); NULL: the unit has no name.
const char *scene_frame_unit_name(double unit_m);

#endif
