// The options of a grid with a height function, and the scene that they make.
#ifndef NAVCTL_SURFACE_VALUES_H
#define NAVCTL_SURFACE_VALUES_H

#include "clients/navctl/arguments/args.h"
#include "clients/navctl/scene/scene.h"

typedef struct surface_values {
    const char *height, *size, *cells, *middle, *diagonal; // NULL: not given
} surface_values;

enum { SURFACE_OPTIONS = 5 };
extern const arg_option surface_options[SURFACE_OPTIONS];
#define SURFACE_GROUP(type, member)                                                                                    \
    {                                                                                                                  \
        "A grid with a height function", surface_options, SURFACE_OPTIONS, offsetof(type, member)                      \
    }

// The name of an option that is given; NULL: none.
const char *surface_values_given(const surface_values *v);
// With a height. Returns an exit code, with one line on stderr that names the command.
int surface_values_make(const surface_values *v, const char *command, scene *out);

#endif
