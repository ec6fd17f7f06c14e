// What a search looks at next: the least estimate first; of equal ones the one that came first, so that the order is
// the same everywhere. A binary heap. Internal.
#ifndef NAV_PATH_PATH_QUEUE_H
#define NAV_PATH_PATH_QUEUE_H

#include "core/path/path_work.h"

typedef struct path_queued {
    double f;
    uint32_t node; // numbered by age
} path_queued;

typedef struct path_queue {
    path_queued *items; // owned
    uint32_t count, room;
} path_queue;

static inline bool path_comes_before(path_queued a, path_queued b)
{
    return a.f < b.f || (a.f == b.f && a.node < b.node);
}

// False: no memory.
static inline bool path_queue_push(path_queue *q, double f, uint32_t node)
{
    if (!PATH_GROW(q->items, q->room, q->count)) return false;
    path_queued *h = q->items, item = {f, node};
    uint32_t i = q->count++;
    while (i && path_comes_before(item, h[(i - 1) / 2])) {
        h[i] = h[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    h[i] = item;
    return true;
}

// The first one, of at least one.
static inline uint32_t path_queue_pop(path_queue *q)
{
    path_queued *h = q->items, last = h[--q->count];
    uint32_t first = h[0].node, i = 0;
    for (uint32_t child; (child = 2 * i + 1) < q->count; i = child) {
        if (child + 1 < q->count && path_comes_before(h[child + 1], h[child])) child++;
        if (!path_comes_before(h[child], last)) break;
        h[i] = h[child];
    }
    h[i] = last;
    return first;
}

#endif
