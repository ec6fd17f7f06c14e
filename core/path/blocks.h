// Which ground hangs together with which: squares of tiles, kept in step at the cost of one of them. Internal.
#ifndef NAV_PATH_BLOCKS_H
#define NAV_PATH_BLOCKS_H

#include "core/path/path_work.h"

// --- By the set ---
// Room for a tile, before it is put. False: no memory.
bool nav_path_blocks_reserve(path_blocks *b, int32_t tile_x, int32_t tile_z);
// The tiles at a place have changed.
void nav_path_blocks_mark(nav_path_set *set, int32_t tile_x, int32_t tile_z);
// After changes. Gives empty blocks back. NAV_ERR_MEMORY: call it again.
NAV_MUST_USE nav_status nav_path_blocks_join(nav_path_set *set);
void nav_path_blocks_deinit(path_blocks *b);
size_t nav_path_blocks_bytes(const path_blocks *b);

// --- By searches ---
// Called with each tile where ground has a label, from the nearest to x, z (parts of the grid) on within each
// block, and with PATH_NONE before the tiles of each block, of which the nearest comes first. `distance`: of the whole
// square. False: what comes now is too far away.
typedef bool nav_path_visit(void *user, uint32_t tile, double distance);
void nav_path_blocks_visit(const nav_path_set *set, uint32_t label, double x, double z, nav_path_visit *visit,
                           void *user);

#endif
