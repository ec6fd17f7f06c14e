#include "daemon/schedule/failures.h"

#include "daemon/schedule/scheduler.h"

#define SECOND_NS UINT64_C(1000000000)

static bool due_first(const nd_heap_node *a, const nd_heap_node *b)
{
    const nd_tile *p = ND_HEAP_HOLDER(a, const nd_tile, heap_node), *q = ND_HEAP_HOLDER(b, const nd_tile, heap_node);
    return p->due_ns != q->due_ns ? p->due_ns < q->due_ns : p->order < q->order;
}

// May it go well the next time?
static bool is_transient(nav_status s)
{
    return s == NAV_ERR_TIMEOUT || s == NAV_ERR_MEMORY;
}

static uint64_t delay_ns(unsigned tries)
{
    uint64_t ns = SECOND_NS << (tries - 1);
    return ns < 300 * SECOND_NS ? ns : 300 * SECOND_NS;
}

void nd_failures_add(nd_failures *f, nd_tile *t, uint64_t now_ns)
{
    nd_failure *e = &t->failure;
    if (!e->since_ns) {
        e->since_ns = now_ns;
        e->before = f->last;
        e->after = NULL;
        *(f->last ? &f->last->failure.after : &f->first) = t;
        f->last = t;
        f->count++;
    }
    if (e->tries < UINT8_MAX) e->tries++;
    if (t->state != ND_TILE_CLEAN || e->tries > ND_RETRIES || !is_transient(t->result.failure.status)) return;
    e->waits = true;
    t->due_ns = now_ns + delay_ns(e->tries);
    nd_heap_push(&f->waiting, &t->heap_node, due_first);
}

void nd_failures_remove(nd_failures *f, nd_tile *t)
{
    nd_failure *e = &t->failure;
    if (!e->since_ns) return;
    nd_failures_rest(f, t, true);
    *(e->before ? &e->before->failure.after : &f->first) = e->after;
    *(e->after ? &e->after->failure.before : &f->last) = e->before;
    *e = (nd_failure){0};
    f->count--;
}

void nd_failures_rest(nd_failures *f, nd_tile *t, bool changed)
{
    if (t->failure.waits) nd_heap_remove(&f->waiting, &t->heap_node, due_first);
    t->failure.waits = false;
    if (changed) t->failure.tries = 0;
}

nd_tile *nd_failures_first(const nd_failures *f)
{
    return f->waiting.first ? ND_HEAP_HOLDER(f->waiting.first, nd_tile, heap_node) : NULL;
}
