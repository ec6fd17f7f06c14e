// path.nearest, path.raycast, path.wall, path.random, path.reach, path.within: calls that places of the ground answer
// (navcore/path_places.h).
#ifndef ND_PATHS_PLACES_H
#define ND_PATHS_PLACES_H

#include "daemon/paths/path_call.h"

// The queries are copied. NULL: no memory.
nd_path_call *nd_nearest_call_create(const np_path_nearest_request *r);
nd_path_call *nd_raycast_call_create(const np_path_raycast_request *r);
nd_path_call *nd_wall_call_create(const np_path_wall_request *r);
nd_path_call *nd_random_call_create(const np_path_random_request *r);
nd_path_call *nd_reach_call_create(const np_path_reach_request *r);
nd_path_call *nd_within_call_create(const np_path_within_request *r); // within.c

#endif
