// Halves along the longest side of the middles' bounds, down to a few boxes. Ties go by index, so that the tree is a
// function of the boxes.
#include "core/climb/box_tree.h"

#include <stdlib.h>

enum { LEAF = 4, DEPTH = 64 };

typedef struct builder {
    const box *boxes;
    box_tree *t;
} builder;

static float middle(const builder *b, uint32_t item, int axis)
{
    return b->boxes[item].low[axis] + b->boxes[item].high[axis];
}

static bool before(const builder *b, uint32_t p, uint32_t q, int axis)
{
    float a = middle(b, p, axis), c = middle(b, q, axis);
    return a < c || (!(c < a) && p < q);
}

// The first `left` items come before the others.
static void halve(const builder *b, uint32_t *items, uint32_t count, uint32_t left, int axis)
{
    while (count > 1) {
        uint32_t pivot = items[count / 2], i = 0, j = count - 1;
        for (;;) {
            while (before(b, items[i], pivot, axis)) i++;
            while (before(b, pivot, items[j], axis)) j--;
            if (i >= j) break;
            uint32_t swap = items[i];
            items[i] = items[j];
            items[j] = swap;
        }
        // items[i] is the pivot
        if (i == left) return;
        if (left < i) {
            count = i;
        } else {
            items += i + 1;
            count -= i + 1;
            left -= i + 1;
        }
    }
}

static uint32_t build(builder *b, uint32_t first, uint32_t count)
{
    box_tree *t = b->t;
    uint32_t here = t->node_count++;
    box bounds = box_none(), middles = box_none();
    for (uint32_t i = first; i < first + count; i++) {
        const box *item = &b->boxes[t->item[i]];
        box_add(&bounds, item->low);
        box_add(&bounds, item->high);
        float m[3];
        for (int k = 0; k < 3; k++) m[k] = middle(b, t->item[i], k);
        box_add(&middles, m);
    }
    t->node[here] = (box_node){bounds, first, count, 0};
    if (count <= LEAF) return here;
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (middles.high[k] - middles.low[k] > middles.high[axis] - middles.low[axis]) axis = k;
    halve(b, t->item + first, count, count / 2, axis);
    t->node[here].count = 0;
    build(b, first, count / 2);
    t->node[here].right = build(b, first + count / 2, count - count / 2);
    return here;
}

nav_status nav_box_tree_build(box_tree *t, const box *boxes, uint32_t count)
{
    *t = (box_tree){.item_count = count};
    if (!count) return NAV_OK;
    t->item = malloc(count * sizeof *t->item);
    t->node = malloc(2 * (size_t)count * sizeof *t->node);
    if (!t->item || !t->node) {
        nav_box_tree_deinit(t);
        return NAV_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) t->item[i] = i;
    build(&(builder){boxes, t}, 0, count);
    box_node *fits = realloc(t->node, t->node_count * sizeof *fits);
    if (fits) t->node = fits;
    return NAV_OK;
}

void nav_box_tree_deinit(box_tree *t)
{
    free(t->node);
    free(t->item);
    *t = (box_tree){.node = NULL};
}

void nav_box_tree_meet(const box_tree *t, const box *b, void (*tell)(void *user, uint32_t item), void *user)
{
    uint32_t stack[DEPTH], top = 0;
    if (t->node_count) stack[top++] = 0;
    while (top) {
        const box_node *n = &t->node[stack[--top]];
        if (!box_meets(&n->bounds, b)) continue;
        for (uint32_t i = 0; i < n->count; i++) tell(user, t->item[n->first + i]);
        if (n->count) continue;
        stack[top++] = n->right;
        stack[top++] = (uint32_t)(n - t->node) + 1;
    }
}

void nav_box_tree_near(const box_tree *t, const double at[3], double *limit_m2, void (*tell)(void *user, uint32_t item),
                       void *user)
{
    uint32_t stack[DEPTH], top = 0;
    if (t->node_count) stack[top++] = 0;
    while (top) {
        const box_node *n = &t->node[stack[--top]];
        if (box_apart2(&n->bounds, at) > *limit_m2) continue;
        for (uint32_t i = 0; i < n->count; i++) tell(user, t->item[n->first + i]);
        if (n->count) continue;
        uint32_t left = (uint32_t)(n - t->node) + 1, right = n->right;
        bool left_first = box_apart2(&t->node[left].bounds, at) <= box_apart2(&t->node[right].bounds, at);
        stack[top++] = left_first ? right : left;
        stack[top++] = left_first ? left : right;
    }
}
