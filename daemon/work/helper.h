// DESIGN. The generator runs in helper processes, so that a fault in it (a segmentation fault, an abort, an overflow of
// the stack, the system's out-of-memory killer) costs one run and nothing else: sessions, worlds and other runs do not
// notice. Each worker thread has a helper of its own and waits while that runs a call for it:
//
//     thread: take room, fill it ──run──► | mailbox | ──► helper: call(what), its answer is in the room
//             ◄── answered, or died ──────┘  shared   └── nursery (nursery.h): sees the death, makes another helper
//
// A mailbox is shared memory at the same address on both sides, so pointers into it hold, and so do those to meshes
// (base/shared.h), which a helper may only read. A helper has nothing else of the daemon: no sockets, no files, and no
// other helper's mailbox. Asking and answering are one futex each.
#ifndef ND_HELPER_H
#define ND_HELPER_H

#include "daemon/work/worker.h"

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct nd_helper nd_helper;

typedef void nd_helper_call(void *what, nd_worker *own);

// How a helper ended. signal 0: by itself, with the code.
typedef struct nd_death {
    int signal, code;
} nd_death;

// "segmentation fault", "killed", ...; of the deaths that are known by name. Never NULL.
const char *nd_death_text(int signal);

// --- the thread that the helper belongs to ---

// A name for the next call, by which it can be cancelled.
uint64_t nd_helper_next(nd_helper *h);
// Room in the mailbox, aligned to 64; all of it is free again when a call has been answered and the next is prepared.
// Also for the helper while it runs a call. NULL: it is full.
void *nd_helper_take(nd_helper *h, size_t bytes);
void nd_helper_empty(nd_helper *h);
// Does all of it lie in the room that was taken? A helper that ran wild may have answered anything.
bool nd_helper_holds(const nd_helper *h, const void *what, size_t bytes);
// Runs call(what) in the helper; `what` lies in the room. One that takes longer than alarm_us is killed (SIGALRM); 0:
// none is. False: the helper has died, and another one is on its way.
bool nd_helper_run(nd_helper *h, nd_helper_call *call, void *what, uint64_t alarm_us, nd_death *death);
// Time that the processor has spent on the helper that is there now; false where it is not known.
bool nd_helper_cpu_ns(const nd_helper *h, uint64_t *out);
// Memory that the helper has for itself, about.
uint64_t nd_helper_bytes(const nd_helper *h);

// --- any thread, and the helper ---

// The call of that number, if it is the one that runs, is not wanted any more. One thread cancels.
void nd_helper_cancel(nd_helper *h, uint64_t number);
bool nd_helper_is_cancelled(const nd_helper *h, uint64_t number);

// --- the nursery ---

nd_helper *nd_helper_create(void); // NULL: no memory
void nd_helper_destroy(nd_helper *h);
// In a helper process: answers calls until the process is killed.
_Noreturn void nd_helper_serve(nd_helper *h, size_t arena_budget);
// In a helper process: this one is another's.
void nd_helper_hide(nd_helper *h);
// A process serves it from now on; 0: none does.
void nd_helper_set_process(nd_helper *h, pid_t pid);
pid_t nd_helper_process(const nd_helper *h);
// Its process has died of this, so the call that it ran has no answer.
void nd_helper_bury(nd_helper *h, nd_death death);
// No process serves it from now on: the call that waits or runs, and all that come, have died. Any thread.
void nd_helper_close(nd_helper *h);
uint64_t nd_helper_answers(const nd_helper *h); // so far, of all processes

#endif
