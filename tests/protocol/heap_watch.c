#include "tests/protocol/heap_watch.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>

static size_t in_use, peak;

static void count_take(size_t bytes)
{
    in_use += bytes;
    if (in_use > peak) peak = in_use;
}

static void count_give(size_t bytes)
{
    in_use -= bytes < in_use ? bytes : in_use;
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#ifdef SANITIZED
// From sanitizer/allocator_interface.h, which GCC does not install.
size_t __sanitizer_get_allocated_size(const volatile void *p);
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void *, size_t),
                                              void (*given)(const volatile void *));

static void on_malloc(const volatile void *p, size_t bytes)
{
    if (p) count_take(bytes);
}

static void on_free(const volatile void *p)
{
    if (p) count_give(__sanitizer_get_allocated_size(p));
}

static void install(void)
{
    static bool done;
    if (!done) __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
    done = true;
}
#else
// glibc's own names of its allocator.
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void __libc_free(void *p);

void *malloc(size_t bytes)
{
    void *p = __libc_malloc(bytes);
    if (p) count_take(malloc_usable_size(p));
    return p;
}

void *calloc(size_t count, size_t bytes)
{
    void *p = __libc_calloc(count, bytes);
    if (p) count_take(malloc_usable_size(p));
    return p;
}

void *realloc(void *old, size_t bytes)
{
    size_t had = old ? malloc_usable_size(old) : 0;
    void *p = __libc_realloc(old, bytes);
    if (!p && bytes) return NULL;
    count_give(had);
    if (p) count_take(malloc_usable_size(p));
    return p;
}

void free(void *p)
{
    if (p) count_give(malloc_usable_size(p));
    __libc_free(p);
}

static void install(void)
{
}
#endif

size_t heap_watch_start(void)
{
    install();
    peak = in_use;
    return in_use;
}

size_t heap_watch_peak(void)
{
    return peak;
}

size_t heap_watch_now(void)
{
    return in_use;
}
