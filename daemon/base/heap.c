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

// As a binary counter is raised by one: the newest children have different ranks afterwards.
static void carry(nd_heap_node *parent, nd_heap_order order)
{
    for (nd_heap_node *a = parent->child, *b; (b = a->next) && b->rank == a->rank; a = parent->child) {
        nd_heap_node *rest = b->next;
        uint32_t rank = a->rank + 1;
        a->next = a->before = b->next = b->before = NULL;
        a = meld(a, b, order);
        a->rank = rank;
        a->next = rest;
        if (rest) rest->before = a;
        a->before = parent;
        parent->child = a;
    }
}

void nd_heap_push(nd_heap *h, nd_heap_node *node, nd_heap_order order)
{
    *node = (nd_heap_node){0};
    h->first = meld(h->first, node, order);
    if (h->first != node) carry(h->first, order);
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

// The children of the one that is taken away get its place: what was in front of it is in front of them, too.
nd_heap_node *nd_heap_take_any(nd_heap *h)
{
    nd_heap_node *first = h->first, *taken = first ? first->child : NULL;
    if (!taken) {
        *h = (nd_heap){0};
        return first;
    }
    nd_heap_node *last = NULL;
    for (nd_heap_node *c = taken->child; c; c = c->next) last = c;
    if (last) {
        last->next = taken->next;
        if (taken->next) taken->next->before = last;
    }
    first->child = last ? taken->child : taken->next;
    if (first->child) first->child->before = first;
    h->count--;
    *taken = (nd_heap_node){0};
    return taken;
}
