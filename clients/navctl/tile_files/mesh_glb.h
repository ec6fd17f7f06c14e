// glTF 2.0, as one binary file, of what agents stand on: the triangles of navd tiles, in world places, wound so that
// their normals point to where the agent stands. Each sheet is a node and mesh of its name, with normals and a material
// of its hue.
#ifndef NAVCTL_MESH_GLB_H
#define NAVCTL_MESH_GLB_H

#include "clients/navctl/tile_files/store.h"

// The tiles lie sheet by sheet, as store_list() gives them, and were checked. The whole file or none: false with one
// line on stderr.
bool mesh_glb_write(const char *path, const stored_tile *tiles, uint32_t count);

#endif
