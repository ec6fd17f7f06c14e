#include "daemon/schedule/fairness.h"

#include <assert.h>

static bool comes_first(const nd_heap_node *a, const nd_heap_node *b)
{
    const nd_share *p = ND_HEAP_HOLDER(a, const nd_share, node), *q = ND_HEAP_HOLDER(b, const nd_share, node);
    return p->time != q->time ? p->time < q->time : p->order < q->order;
}

static void push(nd_shares *all, nd_share *share)
{
    share->order = all->next_order++;
    nd_heap_push(&all->heap, &share->node, comes_first);
}

void nd_share_init(nd_share *share, void *owner, uint32_t weight)
{
    assert(weight);
    *share = (nd_share){.owner = owner, .weight = weight};
}

void nd_share_activate(nd_shares *all, nd_share *share)
{
    if (share->active) return;
    share->active = true;
    if (share->time < all->time) share->time = all->time;
    push(all, share);
}

void nd_share_deactivate(nd_shares *all, nd_share *share)
{
    if (!share->active) return;
    share->active = false;
    nd_heap_remove(&all->heap, &share->node, comes_first);
}

nd_share *nd_shares_first(const nd_shares *all)
{
    return all->heap.first ? ND_HEAP_HOLDER(all->heap.first, nd_share, node) : NULL;
}

void nd_share_charge(nd_shares *all, nd_share *share, uint64_t cost)
{
    if (share->active) nd_heap_remove(&all->heap, &share->node, comes_first);
    if (share->time > all->time)
        all->time = share->time;
    else if (!share->active)
        share->time = all->time;
    share->time += (double)cost / share->weight;
    if (share->active) push(all, share);
}
