// The options that say what of a scene or world must be reachable, shared by build, push and edit.
#ifndef NAVCTL_REACH_ARGS_H
#define NAVCTL_REACH_ARGS_H

#include "clients/navctl/arguments/args.h"
#include "core/reach/goal.h"

typedef struct reach_values {
    arg_steps seeds;
    const char *unreachable; // NULL: not given
    double island_min_area;  // NAN: not given
    nav_reach_goal goal;     // once applied
    nav_unreachable mode;
    bool given; // one of the options was, but for the last
    bool allow_lost_seeds;
} reach_values;

enum { REACH_OPTION_COUNT = 4 };
extern const arg_option reach_options[REACH_OPTION_COUNT];

// A row of arg_command.groups for a command whose values keep a reach_values in `member`.
#define REACH_GROUP(type, member)                                                                                      \
    {                                                                                                                  \
        "Reachability", reach_options, REACH_OPTION_COUNT, offsetof(type, member)                                      \
    }

void reach_values_init(reach_values *v);
// Reads the seeds and checks all. False with one line on stderr.
bool reach_values_apply(reach_values *v, const char *command);

#endif
