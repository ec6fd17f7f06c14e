// Calls of jobs.wait that have no answer yet. A wait ends when every tile that its revision or an earlier one marked is
// finished, and the session's own subscriptions to the world have sent theirs. One with bounds or a profile is about
// those tiles alone, and watches them (schedule/watch.h) until it ends. Loop thread only.
#ifndef ND_WAITERS_H
#define ND_WAITERS_H

#include "daemon/delivery/delivery.h"

// Answers at once where it can. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_waiters_add(nd_world *w, nd_session *s, uint32_t request, uint64_t revision);
// Of one profile with all of its sheets, or of all; with min, of a box in x and z. The same.
enum { ND_ALL_PROFILES = UINT32_MAX };
NAV_MUST_USE nav_status nd_waiters_add_in(nd_world *w, nd_session *s, uint32_t request, uint64_t revision,
                                          uint32_t profile, const double *min, const double *max);
// A profile has moved into another slot: those that wait for its tiles wait for the new ones.
void nd_waiters_move(nd_world *w, uint32_t from, uint32_t to);
// Answers those of a world that are done.
void nd_waiters_check(nd_world *w);
// The same for one session, in all worlds: its output has drained.
void nd_waiters_check_session(nd_worlds *worlds, nd_session *s);
// Answers those of a world that wait for this revision or a later one with NAV_ERR_CANCELLED. why: "jobs.cancel ended
// the work".
void nd_waiters_cancel(nd_world *w, uint64_t revision, const char *why);
// Forgets a session's, without an answer.
void nd_waiters_remove_session(nd_worlds *worlds, nd_session *s);

#endif
