// DESIGN. Who leads: one key in the farm, whose holder writes it again and again. Nobody trusts another's clock. A
// daemon that has seen the same writing for ND_LEASE_MS by its own clock, and sees it still, takes the key, if nobody
// else has written it since (compare and swap). The holder trusts its lease for less than that, counted from before it
// sent the writing, by a clock that goes on while the machine sleeps.
//
//     holder:  write ─────────── valid for ND_LEASE_VALID_MS ──► refuses
//     other:      sees it ─────────────── the same for ND_LEASE_MS ──► writes ──► holds it
//
// So two never believe to hold it at the same time; and what a paused one wrote into the log all the same is refused
// there, as another has written since (log.h). Loop thread only.
#ifndef ND_LEASE_H
#define ND_LEASE_H

#include "daemon/replica/entry.h"
#include "daemon/replica/subjects.h"

#include <uv.h>

enum { ND_LEASE_MS = 1500, ND_LEASE_VALID_MS = 1200, ND_LEASE_RENEW_MS = 400, ND_LEASE_LOOK_MS = 100 };

typedef struct nd_lease nd_lease;
typedef struct nd_lease_options {
    uv_loop_t *loop;
    nd_bus *bus; // borrowed, as is all else
    const char *farm, *id, *name;
    void (*on_gained)(void *user);
    void (*on_lost)(void *user); // another has it, or had it
    // Another one holds it, or (NULL) nobody.
    void (*on_holder)(void *user, const nd_lease_note *holder);
    void *user;
} nd_lease_options;

NAV_MUST_USE nav_status nd_lease_create(const nd_lease_options *o, nd_lease **out);
// Before the bus is closed; no callback comes any more. Accepts NULL.
void nd_lease_close(nd_lease *l);
// Shall it be taken where it is free?
void nd_lease_want(nd_lease *l, bool wants);
// The server can be reached from now on, or no longer.
void nd_lease_note_server(nd_lease *l, bool up);
bool nd_lease_is_held(const nd_lease *l); // as far as is known
// Is it certain at this moment that nobody else has it?
bool nd_lease_is_valid(const nd_lease *l);
// Gives it back, so that another need not wait; it is not wanted any more.
void nd_lease_release(nd_lease *l);
bool nd_lease_is_settled(const nd_lease *l);  // nothing of that is to be done, or can be
uint64_t nd_lease_changes(const nd_lease *l); // of who holds it, as seen here

#endif
