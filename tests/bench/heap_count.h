// Counts what the calling thread takes from the heap, in its own calls and inside of libraries (qsort() among them).
#ifndef BENCH_HEAP_COUNT_H
#define BENCH_HEAP_COUNT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct heap_count {
    uint64_t calls, bytes;
} heap_count;

// False under a sanitizer, which has a heap of its own, and without glibc.
bool heap_count_works(void);
// Since the thread's start.
heap_count heap_count_now(void);

#endif
