// path.find: the shortest ways between pairs of places.
#ifndef ND_PATHS_FIND_H
#define ND_PATHS_FIND_H

#include "daemon/paths/path_call.h"

// The queries are copied. areas: the world's table, or NULL; its costs count where the request says so. NULL: no
// memory.
nd_path_call *nd_find_call_create(const np_path_find_request *r, const nav_area_table *areas);

// What a search has found, as it goes to a client: points and links are in the arena. room: how many more points the
// answer may have, for all of its parts; where they do not fit it is NAV_PATH_LIMIT. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_path_describe(const nav_path *path, const np_axes *axes, nav_arena *arena,
                                         atomic_llong *room, np_path_result *out);

#endif
