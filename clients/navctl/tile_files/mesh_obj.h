// OBJ of what agents stand on: the triangles of navd tiles, in world places, wound so that their normals point to where
// the agent stands. Each sheet is an object of the file, with its name.
#ifndef NAVCTL_MESH_OBJ_H
#define NAVCTL_MESH_OBJ_H

#include "clients/navctl/tile_files/store.h"

// The tiles lie sheet by sheet, as store_list() gives them, and were checked. from: where they are from, for a comment.
// The whole file or none: false with one line on stderr.
bool mesh_obj_write(const char *path, const char *from, const stored_tile *tiles, uint32_t count);

#endif
