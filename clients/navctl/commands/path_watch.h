// navctl path --watch: paths again whenever they change.
#ifndef NAVCTL_PATH_WATCH_H
#define NAVCTL_PATH_WATCH_H

#include "clients/navctl/commands/path_pairs.h"
#include "clients/navctl/remote/remote.h"

// Prints paths as they come, each behind its number from 1, and "true up to revision N" when none is missing. Until a
// signal, or so many lines of paths (0: no limit). c stays connected. An exit code.
int path_watch(navd_client *c, const char *name, uint64_t world, const char *profile, const navd_path_options *options,
               const path_pairs *l, int32_t count);

#endif
