// The file of a scene's tiles, once a daemon has built them: the bytes that navctl build writes.
#ifndef NAVCTL_BUILD_FILE_H
#define NAVCTL_BUILD_FILE_H

#include "clients/navctl/bake/scene_builds.h"
#include "clients/navctl/tile_files/mesh_file.h"

// The encodings that such a file is made of, for scene_build_profile.
unsigned build_file_encodings(mesh_file_kind kind, const nav_settings *settings);

// The cells that seams are edges of, from tiles in navd's encoding. False: no memory; *out has to be freed then, too.
bool build_file_cells(const tile_set *tiles, sheet_cells *out);

// Writes a profile's file. from: as in mesh_file. False with one line on stderr.
bool build_file_write(const scene_build *b, uint32_t profile, const char *path, mesh_file_kind kind, const char *from);

#endif
