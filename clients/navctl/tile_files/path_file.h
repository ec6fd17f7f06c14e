// A file as ground to find paths over: tiles of navd or Detour, or a polygon mesh.
#ifndef NAVCTL_PATH_FILE_H
#define NAVCTL_PATH_FILE_H

#include "clients/navctl/tile_files/store.h"
#include "navcore/climb.h"
#include "navcore/path.h"

// Reads the whole file and joins its tiles. profile: of a .navd file. file: what was read, for
// store_deinit(), zeroed for a polygon mesh; may be NULL. The caller destroys *out. False with one line on stderr.
// climb: where tiles of other sheets than up go, with all others, and *out is NULL; else *climb is. NULL: such a file
// is refused.
bool path_file_read(const char *path, uint32_t profile, nav_path_set **out, nav_climb_set **climb, store *file);

#endif
