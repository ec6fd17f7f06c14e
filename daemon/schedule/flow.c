#include "daemon/schedule/flow.h"

#include "daemon/schedule/scheduler.h"

#include <assert.h>
#include <stdlib.h>

enum { OWN_WEIGHT = 4 }; // as a caller of normal priority
// A camera in flight moves its focus with every frame: over time, measuring costs a take no more than MEASURED_A_TAKE
// tiles. What was saved up of that is no more than a millisecond or so.
enum { MEASURED_A_TAKE = 256, MOST_MEASURED = 4096 };

static bool comes_first(const nd_heap_node *a, const nd_heap_node *b)
{
    const nd_tile *p = ND_HEAP_HOLDER(a, const nd_tile, heap_node), *q = ND_HEAP_HOLDER(b, const nd_tile, heap_node);
    return p->distance2 != q->distance2 ? p->distance2 < q->distance2 : p->order < q->order;
}

static unsigned queue_of(const nd_tile *t)
{
    return t->missed ? nd_missed_queue(t->class) : nd_fresh_queue(t->class);
}

static void init_flow(nd_flow *flow, nd_caller *caller)
{
    *flow = (nd_flow){.caller = nd_caller_ref(caller)};
    for (int q = 0; q < ND_QUEUES; q++) nd_share_init(&flow->shares[q], flow, caller ? caller->weight : OWN_WEIGHT);
}

void nd_flows_init(nd_flows *f)
{
    *f = (nd_flows){.credit = MOST_MEASURED};
    init_flow(&f->own, NULL);
}

void nd_flows_share(nd_flows *f, void *world, uint32_t weight, nd_shares *above)
{
    f->above = above;
    for (int q = 0; q < ND_QUEUES; q++) {
        nd_share_init(&f->up[q], world, weight);
        if (f->counts[q]) nd_share_activate(&above[q], &f->up[q]);
    }
}

void nd_flows_set_weight(nd_flows *f, uint32_t weight)
{
    for (int q = 0; q < ND_QUEUES; q++) f->up[q].weight = weight; // from the next charge on
}

static void free_flow(void *user, nd_node *n)
{
    (void)user;
    nd_flow *flow = ND_HOLDER(n, nd_flow, node);
    nd_caller_unref(flow->caller);
    free(flow);
}

void nd_flows_unshare(nd_flows *f)
{
    for (int q = 0; f->above && q < ND_QUEUES; q++) nd_share_deactivate(&f->above[q], &f->up[q]);
    f->above = NULL;
}

void nd_flows_deinit(nd_flows *f)
{
    nd_flows_unshare(f);
    nd_table_each(&f->table, free_flow, NULL);
    nd_table_deinit(&f->table);
    *f = (nd_flows){0};
}

nd_flow *nd_flows_find(nd_flows *f, const nd_caller *caller)
{
    uint64_t session = caller ? caller->session : 0;
    for (nd_node *n = caller ? nd_table_first(&f->table, nd_hash_u64(session)) : NULL; n; n = nd_table_next(n))
        if (ND_HOLDER(n, nd_flow, node)->caller == caller) return ND_HOLDER(n, nd_flow, node);
    return &f->own;
}

nav_status nd_flows_admit(nd_flows *f, nd_caller *caller)
{
    if (!caller || nd_flows_find(f, caller) != &f->own) return NAV_OK;
    nav_status s = nd_table_reserve(&f->table, 1);
    nd_flow *flow = s == NAV_OK ? malloc(sizeof *flow) : NULL;
    if (!flow) return NAV_ERR_MEMORY;
    init_flow(flow, caller);
    nd_table_insert(&f->table, &flow->node, nd_hash_u64(caller->session));
    return NAV_OK;
}

static void drop_idle(nd_flows *f, nd_flow *flow)
{
    if (flow == &f->own || flow->tiles || !flow->caller->gone) return;
    nd_table_remove(&f->table, &flow->node);
    free_flow(NULL, &flow->node);
}

void nd_flows_leave(nd_flows *f, nd_caller *caller)
{
    caller->gone = true;
    drop_idle(f, nd_flows_find(f, caller));
}

void nd_flows_join(nd_flows *f, nd_tile *t, nd_flow *flow)
{
    (void)f;
    assert(!t->flow);
    t->flow = flow;
    flow->tiles++;
}

void nd_flows_part(nd_flows *f, nd_tile *t)
{
    nd_flow *flow = t->flow;
    t->flow = NULL;
    flow->tiles--;
    drop_idle(f, flow);
}

static bool is_waiting(const nd_queue *q)
{
    return q->heap.first || q->old.first;
}

static void put(nd_queue *q, nd_tile *t)
{
    t->turn = q->turn;
    nd_heap_push(&q->heap, &t->heap_node, comes_first);
}

void nd_flows_push(nd_flows *f, nd_tile *t)
{
    unsigned queue = queue_of(t);
    nd_queue *q = &t->flow->queues[queue];
    if (!is_waiting(q)) q->turn = f->turn;
    put(q, t);
    f->counts[queue]++;
    nd_share_activate(&f->shares[queue], &t->flow->shares[queue]);
    if (f->above) nd_share_activate(&f->above[queue], &f->up[queue]);
}

void nd_flows_remove(nd_flows *f, nd_tile *t)
{
    unsigned queue = queue_of(t);
    nd_queue *q = &t->flow->queues[queue];
    nd_heap_remove(t->turn == q->turn ? &q->heap : &q->old, &t->heap_node, comes_first);
    f->counts[queue]--;
    if (!is_waiting(q)) nd_share_deactivate(&f->shares[queue], &t->flow->shares[queue]);
    if (f->above && !f->counts[queue]) nd_share_deactivate(&f->above[queue], &f->up[queue]);
}

static nd_tile *first_of(const nd_heap *h)
{
    return h->first ? ND_HEAP_HOLDER(h->first, nd_tile, heap_node) : NULL;
}

// The old heap is emptied before another one gets old, so a tile is in the one or the other by its turn.
static void measure_some(nd_flows *f, nd_queue *q, nd_distance distance, const void *user)
{
    if (q->turn != f->turn && !q->old.first) {
        q->old = q->heap;
        q->heap = (nd_heap){0};
        q->turn = f->turn;
    }
    for (; f->credit && q->old.first; f->credit--) {
        nd_tile *t = ND_HEAP_HOLDER(nd_heap_take_any(&q->old), nd_tile, heap_node);
        t->distance2 = distance(user, t);
        put(q, t);
    }
}

nd_tile *nd_flows_first(nd_flows *f, unsigned queue, nd_distance distance, const void *user)
{
    f->credit = f->credit + MEASURED_A_TAKE < MOST_MEASURED ? f->credit + MEASURED_A_TAKE : MOST_MEASURED;
    const nd_share *share = nd_shares_first(&f->shares[queue]);
    if (!share) return NULL;
    nd_queue *q = &((nd_flow *)share->owner)->queues[queue];
    measure_some(f, q, distance, user);
    nd_tile *t = first_of(&q->heap), *old = first_of(&q->old);
    return !t || (old && distance(user, old) < t->distance2) ? old : t; // as far as is known
}

void nd_flows_charge(nd_flows *f, const nd_tile *t, unsigned queue, uint64_t cost)
{
    nd_share_charge(&f->shares[queue], &t->flow->shares[queue], cost);
    if (f->above) nd_share_charge(&f->above[queue], &f->up[queue], cost);
}

void nd_flows_turn(nd_flows *f)
{
    f->turn++;
}
