// What both partitions share: the padding, and the merging of small regions. Private to core/partition.
#ifndef NAV_PARTITION_MERGE_H
#define NAV_PARTITION_MERGE_H

#include "core/partition/regions.h"

// Gives walkable spans of the padding NAV_REGION_OUTSIDE, others there NAV_REGION_NONE.
void nav_regions_mark_padding(const nav_compact_heightfield *f, int32_t *id);
// Gives walkable spans of the padding NAV_REGION_OUTSIDE, all others NAV_REGION_NONE.
void nav_regions_mark_outside(const nav_compact_heightfield *f, int32_t *id);

// Removes groups of connected regions that are too small, merges small regions into neighbours, numbers the
// rest 1..count.
NAV_MUST_USE nav_status nav_regions_merge(const nav_compact_heightfield *f, const nav_config *cfg, nav_arena *scratch,
                                          nav_regions *regions);

#endif
