#include "daemon/base/heap.h"

#include <assert.h>

// Both are first of their heaps; the later one becomes a child of the earlier one.
static nd_heap_node *meld(nd_heap_node *a, nd_heap_node *b, nd_heap_order order)
{
    if (!a) return b;
    if (!b) return a;
    if (order(b, a)) {
        nd_heap_node *swap = a;
        a = b;
        b = swap;
    }
    b->before = a;
    b->next = a->child;
    if (a->child) a->child->before = b;
    a->child = b;
    a->next = a->before = NULL;
    return a;
}

// Melds siblings in pairs from left to right, and the pairs from right to left.
static nd_heap_node *meld_siblings(nd_heap_node *list, nd_heap_order order)
{
    nd_heap_node *pairs = NULL, *all = NULL;
    while (list) {
        nd_heap_node *a = list, *b = a->next;
        list = b ? b->next : NULL;
        a->next = a->before = NULL;
        if (b) b->next = b->before = NULL;
        a = meld(a, b, order);
        a->next = pairs;
        pairs = a;
    }
    while (pairs) {
        nd_heap_node *a = pairs;
        pairs = a->next;
        a->next = NULL;
        all = meld(all, a, order);
    }
    return all;
}

void nd_heap_push(nd_heap *h, nd_heap_node *node, nd_heap_order order)
{
    *node = (nd_heap_node){0};
    h->first = meld(h->first, node, order);
    h->count++;
}

void nd_heap_remove(nd_heap *h, nd_heap_node *node, nd_heap_order order)
{
    assert(h->count);
    nd_heap_node *below = meld_siblings(node->child, order);
    if (node == h->first) {
        h->first = below;
    } else {
        if (node->before->child == node)
            node->before->child = node->next;
        else
            node->before->next = node->next;
        if (node->next) node->next->before = node->before;
        h->first = meld(h->first, below, order);
    }
    h->count--;
    *node = (nd_heap_node){0};
}

nd_heap_node *nd_heap_take_all(nd_heap *h)
{
    // A list that grows at its end by the children of those that are passed.
    nd_heap_node *last = h->first, *at = h->first;
    for (; at; at = at->next) {
        if (!at->child) continue;
        while (last->next) last = last->next;
        last->next = at->child;
        at->child = NULL;
    }
    nd_heap_node *all = h->first;
    *h = (nd_heap){0};
    return all;
}
