// Boxes in a tree, to find those near a box or a place. Internal to climb.
#ifndef NAV_CLIMB_BOX_TREE_H
#define NAV_CLIMB_BOX_TREE_H

#include "navcore/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct box {
    float low[3], high[3];
} box;

typedef struct box_node {
    box bounds;
    uint32_t first, count; // items of a leaf
    uint32_t right;        // of an inner node, whose count is 0; its left child is the next node
} box_node;

typedef struct box_tree {
    box_node *node; // owned; the first is the root
    uint32_t *item; // owned
    uint32_t node_count, item_count;
} box_tree;

// Of the boxes' indices. NAV_ERR_MEMORY. The same boxes give the same tree.
NAV_MUST_USE nav_status nav_box_tree_build(box_tree *t, const box *boxes, uint32_t count);
void nav_box_tree_deinit(box_tree *t);

// Tells each item whose leaf meets the box.
void nav_box_tree_meet(const box_tree *t, const box *b, void (*tell)(void *user, uint32_t item), void *user);
// Tells items from near to far, as far as *limit_m2 (squared); tell() lowers it.
void nav_box_tree_near(const box_tree *t, const double at[3], double *limit_m2, void (*tell)(void *user, uint32_t item),
                       void *user);

static inline bool box_meets(const box *a, const box *b)
{
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] && b->low[1] <= a->high[1] &&
           a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

static inline double box_apart2(const box *b, const double at[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double low = (double)b->low[k] - at[k], high = at[k] - (double)b->high[k];
        double d = low > 0 ? low : high > 0 ? high : 0;
        sum += d * d;
    }
    return sum;
}

// As it is, and with a point.
static inline box box_none(void)
{
    return (box){{3e38f, 3e38f, 3e38f}, {-3e38f, -3e38f, -3e38f}};
}

static inline void box_add(box *b, const float p[3])
{
    for (int k = 0; k < 3; k++) {
        b->low[k] = p[k] < b->low[k] ? p[k] : b->low[k];
        b->high[k] = p[k] > b->high[k] ? p[k] : b->high[k];
    }
}

static inline void box_widen(box *b, float by)
{
    for (int k = 0; k < 3; k++) {
        b->low[k] -= by;
        b->high[k] += by;
    }
}

#endif
