// navctl path over walls and ceilings: tiles of several sheets.
#ifndef NAVCTL_PATH_CLIMB_H
#define NAVCTL_PATH_CLIMB_H

#include "clients/navctl/commands/path_pairs.h"
#include "navcore/climb.h"

typedef struct path_climb {
    const char *source, *out; // out: NULL: standard output
    double near_m;
    int32_t reps;
    bool json;
    const nav_path_costs *costs;
} path_climb;

// Answers all pairs and tells. An exit code; an error is told on stderr.
int path_climb_run(const path_climb *a, const nav_climb_set *set, const path_pairs *pairs);

#endif
