// Calls every accessor of an opened view for every index, and keeps a sum of what it saw so that no call is optimised
// away. Under the sanitizers this shows that the readers' NAV_OK can be trusted.
#ifndef TESTS_CORE_TILE_WALK_H
#define TESTS_CORE_TILE_WALK_H

#include "core/tile/detour.h"
#include "core/tile/mset.h"
#include "core/tile/tile_file.h"
#include "core/tile/tile_format.h"

double walk_tile(const nav_tile_view *v);
double walk_detour(const nav_detour_view *v);
double walk_mset(const nav_mset_view *v);
double walk_tile_file(const nav_tile_file_view *v);

#endif
