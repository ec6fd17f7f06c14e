// Edits that take several turns of the loop. Loop thread only.
#ifndef ND_EDIT_H
#define ND_EDIT_H

#include "daemon/methods/methods.h"
#include "daemon/methods/sync.h"

typedef struct nd_edit_call nd_edit_call;

enum { ND_EDIT_STEPS = 8192 }; // in one turn of the loop: some milliseconds

// With the daemon. After closing, what was under way is gone; the worlds may be half edited.
void nd_edits_init(nd_methods *m);
void nd_edits_close(nd_methods *m);

// What a source puts, as an edit; it is answered from here, but for an error that is returned. Takes the sync over.
// head: of nd_edit_begin(), without operations. put: objects that may be new.
NAV_MUST_USE nav_status nd_edits_start_sync(nd_call *c, nd_world *w, const np_world_edit_request *head,
                                            nd_sync_call *sync, uint64_t put);

// The world's limits, with as many new tiles as there is memory for beside those that are still to be made; `least` in
// any case.
nd_world_limits nd_edits_limits(nd_methods *methods, const nd_world *w, uint64_t least);

// An edit of the table of areas, which is answered as world.areas is. What r points to is in the message's zone.
NAV_MUST_USE nav_status nd_edits_start_areas(nd_call *c, nd_world *w, const np_world_edit_request *r);

// What another daemon has decided, with the world's revision there: no limits, and nobody to answer. What r points to
// is there until `done`, which may come before this returns; NAV_OK: it is applied. One at a time, with nothing else
// under way in the world. NAV_ERR_MEMORY: there is no `done`.
NAV_MUST_USE nav_status nd_edits_follow(nd_methods *m, nd_world *w, const np_world_edit_request *r, uint64_t revision,
                                        void (*done)(void *user, nav_status status, const np_error *err), void *user);

// What is under way in the world is applied, or refused, and answered.
void nd_edits_finish(nd_methods *m, const nd_world *w);
// The world goes: what is under way in it is refused.
void nd_edits_drop(nd_methods *m, const nd_world *w);
// Something that was done before cannot be stored: what is under way is refused, in all worlds, and has no effect.
void nd_edits_take_back(nd_methods *m, nav_status status, const char *why);

#endif
