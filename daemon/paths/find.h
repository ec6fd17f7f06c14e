// path.find: the shortest ways between pairs of places.
#ifndef ND_PATHS_FIND_H
#define ND_PATHS_FIND_H

#include "daemon/paths/path_call.h"

// What all queries of a call, or of a watch, are asked with.
typedef struct nd_path_terms {
    double near_m, radius_m, gap; // gap 0: that of core
    bool links;
    bool plain; // landmarks help it
    nav_path_costs costs;
} nd_path_terms;

// Of a checked request. areas: the world's table, or NULL; its costs count where the request says so.
void nd_path_terms_of(const np_path_find_request *r, const nav_area_table *areas, nd_path_terms *out);
// Worker: one query. stop() as in nav_path_query. limit: why there is no path, where `out` does not say so itself.
// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_path_search(const nd_path_terms *t, const np_path_query *query, uint32_t max_nodes,
                                       bool (*stop)(void *user), void *user, nd_path_hand *hand, nav_path *out,
                                       np_path_limit *limit);

// The queries are copied. areas: the world's table, or NULL; its costs count where the request says so. NULL: no
// memory.
nd_path_call *nd_find_call_create(const np_path_find_request *r, const nav_area_table *areas);

// What a search has found, as it goes to a client: points and links are in the arena. limit: as the search said. room:
// how many more points the answer may have, for all of its parts; where they do not fit it is NAV_PATH_LIMIT.
// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_path_describe(const nav_path *path, np_path_limit limit, const np_axes *axes,
                                         nav_arena *arena, atomic_llong *room, np_path_result *out);

#endif
