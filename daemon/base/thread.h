// Which thread is this? The loop thread owns sessions, worlds, the scheduler and the cache; functions that are its
// alone open with ND_ASSERT_LOOP_THREAD(). Any thread.
#ifndef ND_THREAD_H
#define ND_THREAD_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

// Says that the calling thread runs a loop from now on (true), or no longer (false).
void nd_thread_set_loop(bool is_loop);
bool nd_thread_is_loop(void);

// Starts a thread that gets no signals: those are the loop thread's. False: there is none to be had.
bool nd_thread_start(pthread_t *id, void *(*run)(void *of), void *of);

// From now on the calling thread gets a third of what others get where they want the processor, too; there is no way
// back. Where the system does not let it, it stays as it is.
enum { ND_YIELD_NICE = 5 };
void nd_thread_yield_to_all(void);

// From now on the calling thread, when it wakes, gets a processor before those that compute, and leaves it again within
// this time: for threads that have little to do and are waited for. It gets no more time than before. Where the system
// cannot do that (Linux before 6.12), it stays as it is. Not for what it starts.
enum { ND_SHORT_TURN_US = 100 };
void nd_thread_take_short_turns(void);

#define ND_ASSERT_LOOP_THREAD() assert(nd_thread_is_loop())

#endif
