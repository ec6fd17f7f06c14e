// A small process that makes helpers (helper.h) and replaces those that die. It is forked while the daemon has no
// threads and next to no memory, so that forking helpers is safe and takes about a millisecond; it waits for their
// deaths and does nothing else. It dies with the daemon, and helpers die with it.
//
// A helper that dies again and again without an answer is replaced later each time, up to a second, so that a broken
// machine does not spend its time on forking.
//
//     daemon ──fork, once──► nursery ──fork──► helper 0 .. count - 1
#ifndef ND_NURSERY_H
#define ND_NURSERY_H

#include "daemon/base/shared.h"
#include "daemon/work/helper.h"

// Deaths by signal; 0: by themselves; signals from the last one on count as that.
enum { ND_DEATH_SIGNALS = 32 };

typedef struct nd_nursery nd_nursery;

// Helpers with numbers below `eager` have the daemon's priority; the others yield to them. shared: what they may read;
// NULL: nothing. NAV_ERR_MEMORY, NAV_ERR_IO (no process to be had).
NAV_MUST_USE nav_status nd_nursery_create(const nd_shared *shared, unsigned count, unsigned eager, size_t arena_budget,
                                          nd_nursery **out);
// Kills it and the helpers, and waits for their end. What they run, and all that is asked of them later, has died.
void nd_nursery_stop(nd_nursery *n);
// Stops it; no thread uses a helper any more. Accepts NULL.
void nd_nursery_destroy(nd_nursery *n);
nd_helper *nd_nursery_helper(const nd_nursery *n, unsigned at);
// Now and then, one thread, and not after its stop: where somebody has killed the nursery itself it is made anew, and
// with it all helpers. True: that was so.
bool nd_nursery_look(nd_nursery *n);
// How many helpers died so far; of a signal.
uint64_t nd_nursery_deaths(const nd_nursery *n, unsigned number);
// Helpers that have died so often, one after the other, that they are replaced later, and that have not answered since.
unsigned nd_nursery_ailing(const nd_nursery *n);
// How long after so many deaths in a row, without an answer between them, a helper is replaced.
uint64_t nd_nursery_pause_ms(unsigned deaths_in_a_row);
// What keeps helpers from coming back, and what to do, for a person. NULL: nothing. Valid for ever.
const char *nd_nursery_trouble(const nd_nursery *n);
// Time that the processor has spent on helpers, also on those that are dead.
uint64_t nd_nursery_cpu_us(const nd_nursery *n);
// Memory of all helpers, about.
uint64_t nd_nursery_bytes(const nd_nursery *n);

#endif
