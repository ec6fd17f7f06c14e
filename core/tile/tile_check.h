// The part of navd's tile reader that looks at shapes. Internal to the reader.
#ifndef NAV_TILE_TILE_CHECK_H
#define NAV_TILE_TILE_CHECK_H

#include "core/tile/tile_format.h"

// Are the cells of a view convex (or relaxed), mutual neighbours and on the borders they name, and are the portals
// theirs? All indices must have been checked. NAV_ERR_FORMAT or NAV_ERR_LIMIT with one sentence in why.
NAV_MUST_USE nav_status nav_tile_check_shape(const nav_tile_view *v, char *why, size_t why_bytes);

#endif
