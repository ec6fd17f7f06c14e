// Memory that the daemon and its helper processes (work/helper.h) have in common, at the same addresses, so that what
// lies in it may point to other things in it. Reserved at once, and given by the system page by page; what is given
// back goes back to the system. Any thread of the daemon; helpers read only.
//
// A block takes the next power of two of addresses, of which there are plenty, and only the pages of its size of
// memory: so blocks of one size class replace each other, and nothing ever has to be joined.
#ifndef ND_SHARED_H
#define ND_SHARED_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nd_shared nd_shared;

// Reserves addresses, at most a quarter of what a limit (ulimit -v) allows. To be called before the helpers are made.
// NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_shared_create(nd_shared **out);
// Nothing in it is used any more. Accepts NULL.
void nd_shared_destroy(nd_shared *s);
// Aligned to 64, contents undefined. NULL: no addresses are left.
void *nd_shared_take(nd_shared *s, size_t bytes);
void nd_shared_give(nd_shared *s, void *block, size_t bytes); // as it was taken; accepts NULL
// Memory that its blocks take.
uint64_t nd_shared_bytes(nd_shared *s);
// In a helper: from now on it may only be read by the calling process.
void nd_shared_protect(const nd_shared *s);
// All of it will be written by the calling process: it gets its pages at once, which takes a fraction of the time.
void nd_shared_prepare(void *block, size_t bytes);
// In a helper, where all else is protected: the calling process may write the block, which is a page or more, or may
// not any more. False: the system refuses.
bool nd_shared_open(void *block, size_t bytes);
void nd_shared_close(void *block, size_t bytes);

// Addresses of that kind for one purpose, at most `bytes`, and back. NULL: there are none.
void *nd_shared_map(size_t bytes);
void nd_shared_unmap(void *at, size_t bytes);
// The system takes back the whole pages of it; what was there is gone.
void nd_shared_empty(void *at, size_t bytes);

#endif
