// The tree of boxes that Detour queries a tile by.
//
//            node 0 = all            Preorder: a node is followed by its left half, then by its right half. Who
//           /         \              misses a box jumps over its whole subtree, so an inner node keeps minus the
//      node 1         node 4         number of nodes in it, itself included; a leaf keeps its polygon.
//      /    \         /    \         .
//   2: p7   3: p1  5: p0   6: p4     index: -7 -3 7 1 -3 0 4
//
// Each depth sorts by the lower bound on its longest axis and cuts in the middle. The sort is stable: equal bounds keep
// the order they had, which makes the result a function of the input on every machine.
// Source: T. Kay and J. Kajiya, "Ray tracing complex scenes", 1986 (median split); B. Smits, "Efficiency issues for ray
// tracing", 1998 (skip links in place of child pointers); Detour for which axis and which bound.

#include "core/base/endian.h"
#include "core/tile/detour_layout.h"

enum { INSERTION_MAX = 24 };

static void insertion_sort(bv_item *items, int32_t count, int axis)
{
    for (int32_t i = 1; i < count; i++) {
        bv_item item = items[i];
        int32_t at = i;
        for (; at > 0 && items[at - 1].min[axis] > item.min[axis]; at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

static void stable_sort(bv_item *items, int32_t count, int axis, bv_item *spare)
{
    if (count <= INSERTION_MAX) {
        insertion_sort(items, count, axis);
        return;
    }
    int32_t half = count / 2;
    stable_sort(items, half, axis, spare);
    stable_sort(items + half, count - half, axis, spare);
    memcpy(spare, items, (size_t)half * sizeof *items);
    int32_t left = 0, right = half, to = 0;
    while (left < half && right < count)
        items[to++] = spare[left].min[axis] <= items[right].min[axis] ? spare[left++] : items[right++];
    memcpy(items + to, spare + left, (size_t)(half - left) * sizeof *items);
}

static void enclose(const bv_item *items, int32_t count, bv_item *box)
{
    *box = items[0];
    for (int32_t i = 1; i < count; i++) {
        for (int a = 0; a < 3; a++) {
            if (items[i].min[a] < box->min[a]) box->min[a] = items[i].min[a];
            if (items[i].max[a] > box->max[a]) box->max[a] = items[i].max[a];
        }
    }
}

static void store_node(uint8_t *p, const bv_item *box, int32_t index)
{
    for (int a = 0; a < 3; a++) {
        nav_store_u16(p + 2 * a, box->min[a]);
        nav_store_u16(p + 6 + 2 * a, box->max[a]);
    }
    nav_store_i32(p + 12, index);
}

static int longest_axis(const bv_item *box)
{
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (box->max[a] - box->min[a] > box->max[axis] - box->min[axis]) axis = a;
    return axis;
}

void nav_detour_write_tree(bv_item *items, int32_t count, bv_item *spare, uint8_t *nodes)
{
    if (count == 1) {
        store_node(nodes, items, items->poly);
        return;
    }
    bv_item box;
    enclose(items, count, &box);
    store_node(nodes, &box, -(2 * count - 1));
    stable_sort(items, count, longest_axis(&box), spare);
    int32_t half = count / 2;
    nodes += DETOUR_NODE_BYTES;
    nav_detour_write_tree(items, half, spare, nodes);
    nav_detour_write_tree(items + half, count - half, spare, nodes + (size_t)(2 * half - 1) * DETOUR_NODE_BYTES);
}
