// Private to watch.c, probes.c and probe_change.c. Loop thread only.
#ifndef ND_PATHS_WATCH_WORK_H
#define ND_PATHS_WATCH_WORK_H

#include "daemon/paths/watch.h"

typedef struct nd_path_watch nd_path_watch;

typedef struct nd_probe {
    nd_probe_place place;
    nd_path_watch *watch;
    struct nd_probe *next, **at; // of those that are due; at NULL: it is not
    nd_probe_line *line;         // that it is in then
    np_path_query query;
    bool working; // its search is under way
    bool told;    // the client has its answer, which has this hash
    bool loose;   // no path to its goal: another connection anywhere may be one
    uint64_t hash;
    float *way; // x z of its path's points, metres; a heap block; NULL: none, or too many
    uint32_t way_count;
} nd_probe;

struct nd_path_watch {
    nd_path_watch *next;
    uint64_t id, session, world;
    np_str profile; // a copy; grids come and go, the name stays
    np_axes axes;
    double near_m;
    uint64_t excluded; // areas
    bool links;
    nd_ground *ground; // NULL: none at the moment
    bool unsent;       // some are to be looked at again, as the session could take no more
    bool synced_once;
    uint64_t synced; // the client was told that all is true up to here
    size_t bytes;    // with its probes' ways
    uint32_t count;
    nd_probe probes[];
};

void nd_probe_set_due(nd_probe *probe, int line);
void nd_probe_unset_due(nd_probe *probe);
nd_path_watch *nd_path_watch_find(const nd_paths *p, uint64_t id);
void nd_path_watch_tell(nd_path_watch *watch, uint64_t revision, const np_watched_path *paths, uint32_t count);

#endif
