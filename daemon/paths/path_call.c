#include "daemon/paths/path_call.h"

#include "daemon/base/clock.h"

#include <stdlib.h>

void nd_path_call_init(nd_path_call *c, const nd_path_kind *kind, uint32_t count, size_t bytes)
{
    c->kind = kind;
    c->count = count;
    c->bytes = bytes;
    atomic_init(&c->next_item, 0);
    atomic_init(&c->cancelled, false);
}

void nd_path_call_destroy(nd_path_call *c)
{
    if (!c) return;
    for (nd_path_part *p = c->parts, *next; p; p = next) {
        next = p->next;
        nav_arena_deinit(&p->hand.arena);
        free(p);
    }
    c->kind->destroy(c);
}

bool nd_path_call_is_over(const nd_path_call *c)
{
    return atomic_load_explicit(&c->cancelled, memory_order_relaxed) || nd_now_ns() > c->end_ns;
}

bool nd_path_call_stop(void *user)
{
    return nd_path_call_is_over(user);
}

nd_path_part *nd_path_part_create(nd_path_call *c)
{
    nd_path_part *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    nav_arena_init(&p->hand.arena, 0);
    p->call = c;
    p->next = c->parts;
    c->parts = p;
    return p;
}

static uint32_t take_item(nd_path_call *c)
{
    return atomic_fetch_add_explicit(&c->next_item, 1, memory_order_relaxed);
}

void nd_path_part_run(nd_task *task, nd_worker *worker)
{
    nd_path_part *p = (nd_path_part *)task;
    nd_path_call *c = p->call;
    (void)worker;
    for (uint32_t i; p->status == NAV_OK && (i = take_item(c)) < c->count;) p->status = c->kind->answer(c, &p->hand, i);
    nav_climb_finder_destroy(p->hand.climber);
    p->hand.climber = NULL;
    if (p->status != NAV_OK) atomic_store_explicit(&c->cancelled, true, memory_order_relaxed); // for the others
}
