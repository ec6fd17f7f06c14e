// Which layers lie beside themselves at different heights, as the turns of a ramp do? Private to core/partition.
#ifndef NAV_PARTITION_FOLDS_H
#define NAV_PARTITION_FOLDS_H

#include "core/partition/regions.h"

// Sets folded, zeroed before, of the regions; their ids are final. cover: columns with a span of any region, as rows of
// `words` words, from the tile's first row on. NAV_ERR_LIMIT, NAV_ERR_MEMORY from the arena.
NAV_MUST_USE nav_status nav_layers_find_folds(const nav_compact_heightfield *f, const nav_config *cfg,
                                              const uint64_t *cover, int32_t words, nav_arena *arena,
                                              nav_regions *regions);

#endif
