// A heap whose nodes are members of what it holds (a pairing heap): pushing takes no memory and one step, taking the
// first or any other away log n on average. So what must not fail need reserve nothing, and one node serves several
// heaps, one at a time. The order is the caller's and must be total. Owner: one thread.
#ifndef ND_HEAP_H
#define ND_HEAP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct nd_heap_node {
    struct nd_heap_node *child, *next, *before; // before: the sibling in front, or the parent
} nd_heap_node;

typedef bool (*nd_heap_order)(const nd_heap_node *a, const nd_heap_node *b); // does a come before b?

typedef struct nd_heap {
    nd_heap_node *first;
    size_t count;
} nd_heap;

// What holds the node: ND_HEAP_HOLDER(node, nd_tile, heap_node).
#define ND_HEAP_HOLDER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

void nd_heap_push(nd_heap *h, nd_heap_node *node, nd_heap_order order);
void nd_heap_remove(nd_heap *h, nd_heap_node *node, nd_heap_order order);
// Empties the heap; what was in it comes as a list by `next`, in no order.
nd_heap_node *nd_heap_take_all(nd_heap *h);

#endif
