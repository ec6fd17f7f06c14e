// A heap whose nodes are members of what it holds (a pairing heap): pushing takes no memory and one step, taking the
// first or any other away log n on average. So what must not fail need reserve nothing, and one node serves several
// heaps, one at a time. Pushes meld children of one rank, as a binary counter carries: however many are pushed in a
// row, the first that is taken away leaves few to be melded at once. The order is the caller's and must be total.
// Owner: one thread.
#ifndef ND_HEAP_H
#define ND_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nd_heap_node {
    struct nd_heap_node *child, *next, *before; // before: the sibling in front, or the parent
    uint32_t rank;                              // how often a push melded it with one of its rank
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
// Takes away one that is not the first, if there is one: in a step, and in no order. NULL: the heap is empty.
nd_heap_node *nd_heap_take_any(nd_heap *h);

#endif
