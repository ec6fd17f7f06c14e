// The off-mesh links of a tile: which they are, in which order, and what they do to its key. Nothing between the
// triangles and the polygons depends on them, so a tile is generated without and has them added (core/tile/relink.h).
#ifndef NAV_GEOMETRY_LINKS_H
#define NAV_GEOMETRY_LINKS_H

#include "core/geometry/tile_source.h"

// Those of the source that start in its tile, sorted by id and content. list: room for all of the source's. Returns how
// many.
uint32_t nav_links_collect(const nav_tile_source *src, const nav_link **list);
// The content key of a tile with links, from its key without. No links: the same key.
nav_key nav_links_content(nav_key bare, const nav_link *const *links, uint32_t count);

#endif
