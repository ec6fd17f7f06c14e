// Instances that an edit names: a name stands for the instance that has it in the world, whoever put it.
#ifndef NAVCTL_EDIT_NAMES_H
#define NAVCTL_EDIT_NAMES_H

#include "clients/navctl/remote/edit_steps.h"

// Sets the id of each step that moves or removes an instance by name. An instance without a stored name goes by the id
// that is made of its name; so does a name that no instance has, and one that an earlier step puts. Reads the world's
// objects where there is such a step. Returns an exit code, with one line on stderr: a name that several instances have
// is an error that lists them.
int edit_names_resolve(navd_client *c, const navd_world *world, const char *world_name, const arg_steps *given,
                       edit_step *steps);

#endif
