// A file as ground to find paths over: tiles of navd or Detour, or a polygon mesh.
#ifndef NAVCTL_PATH_FILE_H
#define NAVCTL_PATH_FILE_H

#include "navcore/areas.h"
#include "navcore/path.h"

// Reads the whole file and joins its tiles. profile: of a .navd file. areas: its table, empty where it has none; may be
// NULL. The caller destroys *out. False with one line on stderr.
bool path_file_read(const char *path, uint32_t profile, nav_path_set **out, nav_area_table *areas);

#endif
