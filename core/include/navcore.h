// navcore: the generator of navd as a library. Triangles in, navigation mesh tiles out, for Detour or in navd's own
// encoding. It starts no threads, opens no files, reads no clock, logs nothing and has no global state.
//
// The order of use (docs/embedding.md explains it with two complete programs):
//
//   nav_settings_default()                       one agent and its grid
//   nav_mesh_create()                            triangles, once each
//   nav_instance, nav_volume, nav_link           what stands where
//   nav_tile_range()                             which tiles that touches
//   nav_builder_create()                         one for each thread
//   nav_builder_build(), _encode_detour()        a tile, as often as needed
//
// A tile is a pure function of its source: the same bytes on every machine, with every compiler and number of threads.
// Right-handed, Y up, metres. Every function that can fail returns a nav_status.
#ifndef NAVCORE_H
#define NAVCORE_H

#include "navcore/areas.h"
#include "navcore/buffer.h"
#include "navcore/builder.h"
#include "navcore/climb.h"
#include "navcore/detour.h"
#include "navcore/ground.h"
#include "navcore/heights.h"
#include "navcore/key.h"
#include "navcore/mesh.h"
#include "navcore/parallel.h"
#include "navcore/path.h"
#include "navcore/path_audit.h"
#include "navcore/path_places.h"
#include "navcore/settings.h"
#include "navcore/shapes.h"
#include "navcore/sheets.h"
#include "navcore/status.h"
#include "navcore/tile.h"
#include "navcore/tile_file.h"
#include "navcore/tile_source.h"

#endif
