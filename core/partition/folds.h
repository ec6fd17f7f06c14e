// Which layers lie beside themselves at different heights, as the turns of a ramp do? Private to core/partition.
#ifndef NAV_PARTITION_FOLDS_H
#define NAV_PARTITION_FOLDS_H

#include "core/partition/regions.h"
#include "core/partition/runs.h"

// Sets folded, zeroed before, of the regions; their ids are final. runs: of the tile's rows, row z from row_first[z -
// border] on. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_layers_find_folds(const nav_open_field *f, const nav_config *cfg, const nav_run *runs,
                                              const int32_t *row_first, nav_arena *arena, nav_regions *regions);

#endif
