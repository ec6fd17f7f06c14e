// The process's clocks. Any thread.
#ifndef ND_CLOCK_H
#define ND_CLOCK_H

#include <stdint.h>

// Monotonic, in nanoseconds.
uint64_t nd_now_ns(void);
// Of the day: for what other machines read. It may jump.
uint64_t nd_time_of_day_ns(void);

#endif
