// The operations of navctl edit: from what stands on the command line to navd_operation.
#ifndef NAVCTL_EDIT_STEPS_H
#define NAVCTL_EDIT_STEPS_H

#include "clients/navctl/arguments/args.h"
#include "navd.h"

enum { EDIT_STEP_OPTIONS = 11 };

typedef struct edit_steps_values {
    arg_steps steps;
} edit_steps_values;

extern const arg_option edit_step_options[EDIT_STEP_OPTIONS];

// A step, read. `scene` is set where the mesh of a file has to be sent first: operation.u.instance.mesh is still empty
// then. `name` is set where an instance is moved or removed by name: operation.id is the one made of that name, until
// edit_names_resolve() has looked for it.
typedef struct edit_step {
    navd_operation operation;
    char scene[1024];
    char name[NAVD_NAME_BYTES];
    uint32_t column, row; // NAVD_PATCH_HEIGHTS: where the height map in `scene` begins in the terrain, whose first
                          // block operation.id is
} edit_step;

// False with one line on stderr.
bool edit_step_parse(const arg_option *option, const char *value, edit_step *out);

#endif
