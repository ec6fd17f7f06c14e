// How much heap the process has in use, all libraries included: glibc's functions are interposed, and under a sanitizer
// its hooks are used instead. For tests of memory bounds. One thread.
#ifndef NP_TEST_HEAP_WATCH_H
#define NP_TEST_HEAP_WATCH_H

#include <stddef.h>

// Bytes in use now; the peak starts again from here.
size_t heap_watch_start(void);
size_t heap_watch_peak(void);
size_t heap_watch_now(void);

#endif
