// The process's clock. Any thread.
#ifndef ND_CLOCK_H
#define ND_CLOCK_H

#include <stdint.h>

// Monotonic, in nanoseconds.
uint64_t nd_now_ns(void);

#endif
