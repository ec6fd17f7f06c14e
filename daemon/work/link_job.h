// A tile's off-mesh links, added to its encoded bytes: the generation runs without them, and what it makes is kept
// without them under a source key of its own. So an edit of a link costs a worker some microseconds and no stage of the
// pipeline.
//
//     run without links ──► cache: bare key ──► + links ──► cache: source key, subscribers
//     edit of a link ─────────────┘
//
// In a world with a goal (reach.h) it is the base tile that is kept without links and has them added, as they change
// what its parts lead to and what a mask takes away. The base tile is unpacked for that, and its parts are found anew.
#ifndef ND_LINK_JOB_H
#define ND_LINK_JOB_H

#include "daemon/work/tile_job.h"

// The source key of the view's tile without its links. False: it has none.
bool nd_links_bare_key(const nd_view *view, nav_key *out);

// The job's run shall add the view's links to what it makes, which is the tile of the bare key: its snapshot was made
// without them. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_link_job_want(nd_tile_job *j, const nd_view *view, nav_key bare_key);
// A job that adds links, and nothing else, to tiles at hand: one for each wanted encoding, or the base tile where the
// job wants one. Takes references of their blobs. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_link_job_init(nd_tile_job *j, const nd_view *view, const nd_cached bare[ND_ENCODINGS],
                                         nav_key bare_key, uint8_t wanted, int zstd_level,
                                         void (*done)(nd_task *task, bool ran));

// --- the run, in whatever process ---

// j->out from j->bare.
NAV_MUST_USE nav_status nd_link_job_add(nd_tile_job *j, nd_worker *w);
// The links into a tile that is not encoded and has none; the job's, so it goes before the job. The arena's errors.
NAV_MUST_USE nav_status nd_link_job_put(nd_tile_job *j, nav_arena *arena, nav_tile *tile);
void nd_link_job_deinit(nd_tile_job *j);

#endif
