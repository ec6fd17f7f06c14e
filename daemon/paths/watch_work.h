// Private to watch.c, probes.c and probe_change.c. Loop thread only.
#ifndef ND_PATHS_WATCH_WORK_H
#define ND_PATHS_WATCH_WORK_H

#include "daemon/paths/find.h"
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

// What a watch's paths are looked for with; shared by those searches that are under way, which may outlive the watch.
// Immutable.
typedef struct nd_probe_terms {
    uint32_t holders;
    np_axes axes; // in which they are told
    nd_path_terms path;
    double least; // what a metre costs at least
} nd_probe_terms;

struct nd_path_watch {
    nd_path_watch *next;
    uint64_t id, session, world;
    np_str profile; // a copy; grids come and go, the name stays
    nd_probe_terms *terms;
    bool world_costs;       // of areas without a cost of their own,
    uint64_t priced;        // which these have: a bit for each
    uint64_t areas_version; // of the world's table whose costs they are
    nd_ground *ground;      // NULL: none at the moment
    bool unsent;            // some are to be looked at again, as the session could take no more
    bool synced_once;
    uint64_t synced; // the client was told that all is true up to here
    size_t bytes;    // with its probes' ways
    uint32_t count;
    nd_probe probes[];
};

void nd_probe_set_due(nd_probe *probe, int line);
void nd_probe_unset_due(nd_probe *probe);
// How much wider than what the tiles were built for the agent is, metres.
static inline double nd_probe_terms_wider(const nd_probe_terms *t, const nd_ground *g)
{
    double wider = t->path.radius_m - (double)g->settings.agent_radius_m;
    return wider > 0 ? wider : 0;
}
nd_probe_terms *nd_probe_terms_ref(nd_probe_terms *t);
void nd_probe_terms_unref(nd_probe_terms *t);
nd_path_watch *nd_path_watch_find(const nd_paths *p, uint64_t id);
void nd_path_watch_tell(nd_path_watch *watch, uint64_t revision, const np_watched_path *paths, uint32_t count);

#endif
