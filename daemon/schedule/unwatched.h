// DESIGN. A world that builds only what is watched: a tile that is taken from the queue and that no watch needs is
// left. It waits in a list of its own, in no queue, for nobody, and costs what a clean tile costs. Nothing counts it as
// open. When a watch comes that needs it, or somebody asks for it, or all is to be built, it goes back into the queue
// for the revision that it was left for.
//
// Marks do not ask who watches: they queue the tile, and whoever takes it finds that it has no ground any more, is as
// it was, or is to be left.
//
//     mark ──► queued ──taken, nobody watches──► unwatched ──► list, looked through in parts when more is watched
//                 ▲                                  │
//                 └──── a watch, a reader, a mark ───┘
//
// Loop thread only.
#ifndef ND_UNWATCHED_H
#define ND_UNWATCHED_H

#include "daemon/schedule/scheduler.h"

// A watch takes part from now on; profile and tiles are set, the rest is zero. It is the caller's until it is removed.
void nd_scheduler_add_watch(nd_scheduler *s, nd_watch *w, uint64_t now_ns);
void nd_scheduler_remove_watch(nd_scheduler *s, nd_watch *w);

// From now on only what is watched is built, or all.
void nd_scheduler_build_watched(nd_scheduler *s, bool only);

// Is the tile to be built?
bool nd_scheduler_is_watched(const nd_scheduler *s, const nd_tile *t);
// A queued tile is left.
void nd_scheduler_leave(nd_scheduler *s, nd_tile *t);
// Looks at no more than `most` tiles that were left and queues those that are watched by now. False: none is left to be
// looked at.
bool nd_scheduler_look(nd_scheduler *s, size_t most, uint64_t now_ns);

// nd_scheduler_done_to() and nd_scheduler_complete_to() for the tiles of a watch alone.
bool nd_scheduler_done_in(const nd_scheduler *s, const nd_watch *w, uint64_t revision);
uint64_t nd_scheduler_complete_in(const nd_scheduler *s, const nd_watch *w, uint64_t newest);

// Every tile that there is of a profile between two corners, inclusive, in no particular order.
void nd_scheduler_each_in(const nd_scheduler *s, uint32_t profile, const int32_t first[2], const int32_t last[2],
                          void (*visit)(void *user, nd_tile *t), void *user);

#endif
