#include "daemon/base/table.h"

#include <assert.h>
#include <stdlib.h>

enum { AHEAD = 8 }; // slots: so far off a node is fetched in good time

void nd_table_deinit(nd_table *t)
{
    free(t->slots);
    *t = (nd_table){0};
}

nav_status nd_table_reserve(nd_table *t, size_t more)
{
    if (more > SIZE_MAX / 64 - t->count) return NAV_ERR_LIMIT;
    size_t need = t->count + more, slots = t->slot_count ? t->slot_count : 16;
    while (slots < need) slots *= 2;
    if (slots == t->slot_count) return NAV_OK;
    nd_node **grown = calloc(slots, sizeof *grown);
    if (!grown) return NAV_ERR_MEMORY;
    for (size_t i = 0; i < t->slot_count; i++)
        for (nd_node *n = t->slots[i], *next; n; n = next) {
            next = n->next;
            n->next = grown[n->hash & (slots - 1)];
            grown[n->hash & (slots - 1)] = n;
        }
    free(t->slots);
    t->slots = grown;
    t->slot_count = slots;
    return NAV_OK;
}

void nd_table_insert(nd_table *t, nd_node *node, uint64_t hash)
{
    assert(t->slot_count > t->count);
    nd_node **slot = &t->slots[hash & (t->slot_count - 1)];
    node->hash = hash;
    node->next = *slot;
    *slot = node;
    t->count++;
}

void nd_table_remove(nd_table *t, nd_node *node)
{
    nd_node **at = &t->slots[node->hash & (t->slot_count - 1)];
    while (*at != node) {
        assert(*at);
        at = &(*at)->next;
    }
    *at = node->next;
    t->count--;
}

static nd_node *with_hash(nd_node *n, uint64_t hash)
{
    while (n && n->hash != hash) n = n->next;
    return n;
}

nd_node *nd_table_first(const nd_table *t, uint64_t hash)
{
    return t->slot_count ? with_hash(t->slots[hash & (t->slot_count - 1)], hash) : NULL;
}

nd_node *nd_table_next(nd_node *node)
{
    return with_hash(node->next, node->hash);
}

void nd_table_each(nd_table *t, void (*visit)(void *user, nd_node *node), void *user)
{
    for (size_t i = 0; i < t->slot_count; i++) {
        if (i + AHEAD < t->slot_count) __builtin_prefetch(t->slots[i + AHEAD]);
        for (nd_node *n = t->slots[i], *next; n; n = next) {
            next = n->next;
            visit(user, n);
        }
    }
}

size_t nd_table_each_from(const nd_table *t, size_t from, size_t enough, void (*visit)(void *user, nd_node *node),
                          void *user)
{
    size_t seen = 0;
    for (size_t i = from; i < t->slot_count; i++) {
        if (seen >= enough) return i;
        if (i + AHEAD < t->slot_count) __builtin_prefetch(t->slots[i + AHEAD]);
        for (nd_node *n = t->slots[i], *next; n; n = next, seen++) {
            next = n->next;
            visit(user, n);
        }
    }
    return 0;
}

void nd_table_empty_some(nd_table *t, size_t enough, void (*visit)(void *user, nd_node *node), void *user)
{
    for (; enough && t->count; enough--) {
        nd_node **last = &t->slots[t->slot_count - 1], *n = *last;
        if (!n) {
            t->slot_count--;
            continue;
        }
        *last = n->next;
        t->count--;
        visit(user, n);
    }
}
