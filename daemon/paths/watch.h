// DESIGN. path.watch: a session's queries whose answers it is told again whenever they change. Each query is a probe.
// It belongs to the ground of its profile (ground.h), and is looked at again only when a tile that has changed may
// make another answer of it:
//
//     a tile is finished ──► noted; when no tile of the profile is open any more, or after a moment: update
//     tiles in the set   ──► probe_index.h: whose shape does the tile meet? ──► probe_change.c: which part of it has
//                        │   changed, and may that make another path? ──► due
//                        └─► does another edge, or link, connect now? ──► due: those that have no path to their goal,
//                            or take links
//     due ──► a call of the daemon's own, a few probes each, before other calls ──► those that changed: note `paths`
//
// Paths that pass through what has changed are looked for first: they almost surely are others now. The rest may have a
// shorter way through what has opened, and mostly has not.
//
//     none is due, all is told, and no tile is open: note `synced`
//
// So an edit costs what probes lie around it, and nothing of it is done before its tiles are on their way to
// subscribers. While many tiles are made, as after other settings, probes are looked at after WAIT_NS at most, then
// for half of the time at most.
//
// A watch outlives its ground: where the profile gets other settings, or another grid, it goes on with the new ground.
// A session that takes no more is told the newest state later. Loop thread only.
#ifndef ND_PATHS_WATCH_H
#define ND_PATHS_WATCH_H

#include "daemon/paths/ground.h"

// Of a session, for a checked request; the id is one of subscriptions'. Its paths come with the turns that follow.
// NAV_ERR_LIMIT, NAV_ERR_MEMORY, with words.
NAV_MUST_USE nav_status nd_path_watch_create(nd_paths *p, nd_session *s, const nd_world *w, uint64_t id,
                                             const np_path_watch_request *r, const np_axes *axes, np_error *err);
// False: the session has none with this id.
bool nd_path_watch_remove(nd_paths *p, uint64_t session, uint64_t id);
// All of a session, which has ended.
void nd_path_watches_leave(nd_paths *p, uint64_t session);
// All of a world; their clients are told.
void nd_path_watches_end_world(nd_paths *p, const nd_world *w);
void nd_path_watches_close(nd_paths *p);
// The end of a turn: what has changed is looked at, and what is complete is told.
void nd_path_watches_end_turn(nd_paths *p);

// --- For grounds ---

// The ground is gone. lost: there is no memory for another one, so its watches end.
void nd_probes_leave_ground(nd_ground *g, bool lost);
// Where the world's table of areas has changed, paths that go by its costs are due.
void nd_path_watches_note_areas(nd_ground *g, const nd_world *world);
// Is it time for tiles that have changed to go into the set?
bool nd_probes_want_tiles(nd_ground *g, const nd_world *w);
// Tiles that have changed are in the set.
void nd_probes_note_update(nd_ground *g, const nd_path_update *u);
// A call for some of those that are due; NULL: no memory. At least one is due.
nd_path_call *nd_probes_take_due(nd_ground *g);
// It could not begin: they are due again.
void nd_probes_give_back(nd_ground *g, const nd_path_call *c);

#endif
