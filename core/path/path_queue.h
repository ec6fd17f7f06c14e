// What a search looks at next: the least estimate first; of equal ones the one that came first, so that the order is
// the same everywhere. A heap of four ways. Internal.
#ifndef NAV_PATH_PATH_QUEUE_H
#define NAV_PATH_PATH_QUEUE_H

#include "core/path/path_work.h"

typedef struct path_queued {
    double f;
    uint32_t age;
    uint32_t what; // the caller's
} path_queued;

typedef struct path_queue {
    path_queued *items; // owned
    uint32_t count, room;
    uint32_t next_age;
} path_queue;

// Without branches: which one it is cannot be foreseen.
static inline bool path_comes_before(path_queued a, path_queued b)
{
    return (int)(a.f < b.f) | ((int)(a.f == b.f) & (int)(a.age < b.age));
}

// The first of the items from `child` on, up to four of a heap of `count`.
static inline uint32_t path_first_child(const path_queued *h, uint32_t child, uint32_t count)
{
    if (child + 4 <= count) {
        uint32_t a = child + path_comes_before(h[child + 1], h[child]);
        uint32_t b = child + 2 + path_comes_before(h[child + 3], h[child + 2]);
        return path_comes_before(h[b], h[a]) ? b : a;
    }
    uint32_t first = child;
    for (uint32_t k = child + 1; k < count; k++)
        if (path_comes_before(h[k], h[first])) first = k;
    return first;
}

// False: no memory.
static inline bool path_queue_push(path_queue *q, double f, uint32_t what)
{
    if (!PATH_GROW(q->items, q->room, q->count)) return false;
    if (!q->count) q->next_age = 0;
    path_queued *h = q->items, item = {f, q->next_age++, what};
    uint32_t i = q->count++;
    while (i && path_comes_before(item, h[(i - 1) / 4])) {
        h[i] = h[(i - 1) / 4];
        i = (i - 1) / 4;
    }
    h[i] = item;
    return true;
}

// The first one, of at least one.
static inline path_queued path_queue_pop(path_queue *q)
{
    path_queued *h = q->items, first = h[0], last = h[--q->count];
    uint32_t i = 0;
    for (uint32_t child; (child = 4 * i + 1) < q->count; i = child) {
        child = path_first_child(h, child, q->count);
        if (!path_comes_before(h[child], last)) break;
        h[i] = h[child];
    }
    h[i] = last;
    return first;
}

#endif
