// The C library's allocation functions, replaced for the whole program by ones that count and call glibc's.
#include "tests/bench/heap_count.h"

#include <stddef.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OTHER_HEAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OTHER_HEAP 1
#endif
#endif

static _Thread_local heap_count taken;

heap_count heap_count_now(void)
{
    return taken;
}

#if defined(__GLIBC__) && !defined(OTHER_HEAP)

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

static void count(size_t bytes)
{
    taken.calls++;
    taken.bytes += bytes;
}

void *malloc(size_t bytes)
{
    count(bytes);
    return __libc_malloc(bytes);
}

void *calloc(size_t number, size_t size)
{
    count(number * size);
    return __libc_calloc(number, size);
}

void *realloc(void *p, size_t bytes)
{
    count(bytes);
    return __libc_realloc(p, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
    count(bytes);
    return __libc_memalign(align, bytes);
}

bool heap_count_works(void)
{
    return true;
}

#else

bool heap_count_works(void)
{
    return false;
}

#endif
