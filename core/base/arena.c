#include "core/base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define NAV_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NAV_ASAN 1
#endif
#endif
#ifdef NAV_ASAN
#include <sanitizer/asan_interface.h>
enum { RED_ZONE = 64 }; // bytes behind each allocation that nobody may touch
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
enum { RED_ZONE = 0 };
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGN = 32, MIN_BLOCK = 256 * 1024 };

struct nav_arena_block {
    nav_arena_block *older;
    size_t capacity, offset;
    size_t pad; // keeps data 32-byte aligned
    unsigned char data[];
};

static size_t round_up(size_t n)
{
    return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

static bool checked_bytes(size_t count, size_t size, size_t *out)
{
    if (size != 0 && count > (SIZE_MAX / 2) / size) return false;
    *out = round_up(count * size);
    return true;
}

static nav_arena_block *add_block(nav_arena *a, size_t capacity)
{
    nav_arena_block *b = aligned_alloc(ALIGN, sizeof *b + capacity);
    if (!b) return NULL;
    b->older = a->top_block;
    b->capacity = capacity;
    b->offset = 0;
    a->top_block = b;
    a->held_bytes += capacity;
    POISON(b->data, capacity);
    return b;
}

static void drop_top_block(nav_arena *a)
{
    nav_arena_block *b = a->top_block;
    a->top_block = b->older;
    a->held_bytes -= b->capacity;
    UNPOISON(b->data, b->capacity);
    free(b);
}

void nav_arena_init(nav_arena *a, size_t budget_bytes)
{
    *a = (nav_arena){.budget_bytes = budget_bytes};
}

void nav_arena_deinit(nav_arena *a)
{
    while (a->top_block) drop_top_block(a);
    *a = (nav_arena){0};
}

void nav_arena_reset(nav_arena *a)
{
    a->used_bytes = 0;
    a->refused = false;
    nav_arena_block *b = a->top_block;
    if (!b) return;
    if (b->older) {
        size_t total = a->held_bytes;
        while (a->top_block) drop_top_block(a);
        (void)add_block(a, total); // without memory the next take tries again
        return;
    }
    b->offset = 0;
    POISON(b->data, b->capacity);
}

void *nav_arena_take(nav_arena *a, size_t count, size_t size)
{
    size_t bytes;
    if (!checked_bytes(count, size, &bytes)) {
        a->refused = true;
        return NULL;
    }
    if (bytes == 0) bytes = ALIGN;
    if (a->budget_bytes &&
        bytes > a->budget_bytes - (a->used_bytes < a->budget_bytes ? a->used_bytes : a->budget_bytes)) {
        a->refused = true;
        return NULL;
    }
    nav_arena_block *b = a->top_block;
    size_t room = bytes + RED_ZONE;
    if (!b || room > b->capacity - b->offset) {
        size_t want = a->held_bytes > MIN_BLOCK ? a->held_bytes : MIN_BLOCK;
        b = add_block(a, room > want ? room : want);
        if (!b && room < want) b = add_block(a, room);
        if (!b) return NULL;
    }
    void *p = b->data + b->offset;
    b->offset += room;
    a->used_bytes += bytes;
    if (a->used_bytes > a->peak_bytes) a->peak_bytes = a->used_bytes;
    UNPOISON(p, count * size);
    return p;
}

void *nav_arena_take_zero(nav_arena *a, size_t count, size_t size)
{
    void *p = nav_arena_take(a, count, size);
    if (p) memset(p, 0, count * size);
    return p;
}

nav_arena_mark nav_arena_get_mark(const nav_arena *a)
{
    return (nav_arena_mark){a->top_block, a->top_block ? a->top_block->offset : 0, a->used_bytes};
}

void nav_arena_release(nav_arena *a, nav_arena_mark m)
{
    // Blocks newer than the mark stay as long as they are the only growth since: freeing them here would make a loop of
    // take and release allocate each time. They are emptied instead and joined by the next reset.
    for (nav_arena_block *b = a->top_block; b && b != m.block; b = b->older) {
        b->offset = 0;
        POISON(b->data, b->capacity);
    }
    if (m.block) {
        m.block->offset = m.offset;
        POISON(m.block->data + m.offset, m.block->capacity - m.offset);
    }
    a->used_bytes = m.used_bytes;
}

nav_status nav_arena_failure(const nav_arena *a)
{
    return a->refused ? NAV_ERR_LIMIT : NAV_ERR_MEMORY;
}
