// An intrusive hash table: the node is a member of what it holds, so that a lookup costs no extra pointer and, after a
// reservation, an insert cannot fail. Chains; the number of slots doubles. Owner: one thread.
#ifndef ND_TABLE_H
#define ND_TABLE_H

#include "core/base/key.h"
#include "core/base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct nd_node {
    struct nd_node *next;
    uint64_t hash;
} nd_node;

typedef struct nd_table {
    nd_node **slots;
    size_t slot_count, count;
} nd_table;

// What holds the node: ND_HOLDER(node, nd_mesh, node).
#define ND_HOLDER(pointer, type, member) ((type *)(void *)((char *)(pointer)-offsetof(type, member)))

// Frees the slots, not the nodes. Accepts a zeroed table; a zeroed table is a valid empty one.
void nd_table_deinit(nd_table *t);
// Room for `more` inserts. NAV_ERR_MEMORY leaves the table as it was.
NAV_MUST_USE nav_status nd_table_reserve(nd_table *t, size_t more);
// Room must have been reserved.
void nd_table_insert(nd_table *t, nd_node *node, uint64_t hash);
void nd_table_remove(nd_table *t, nd_node *node);

// The chain of nodes with this hash: first, then next until NULL. The caller compares the full key.
nd_node *nd_table_first(const nd_table *t, uint64_t hash);
nd_node *nd_table_next(nd_node *node);

// The first node of the hash's slot, whichever it is, or NULL: for who tells the processor to fetch it in good time.
static inline const nd_node *nd_table_slot(const nd_table *t, uint64_t hash)
{
    return t->slot_count ? t->slots[hash & (t->slot_count - 1)] : NULL;
}

// Calls visit for every node; visit may remove and free that node, and change nothing else.
void nd_table_each(nd_table *t, void (*visit)(void *user, nd_node *node), void *user);

// The same in parts: visits the nodes of whole slots from slot `from` on, until at least `enough` were visited, and
// returns the slot to go on with; 0: that was the last. visit may remove and free its node. Where the table grows
// between the parts, what was not visited yet stands behind that slot still, and some that was may come again.
size_t nd_table_each_from(const nd_table *t, size_t from, size_t enough, void (*visit)(void *user, nd_node *node),
                          void *user);

// Empties the table in parts: hands nodes over, which visit may free, until that took `enough` steps or there are none.
// From the first part on nothing else may be done with it but this and nd_table_deinit().
void nd_table_empty_some(nd_table *t, size_t enough, void (*visit)(void *user, nd_node *node), void *user);

static inline uint64_t nd_hash_u64(uint64_t v)
{
    v = (v ^ (v >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ (v >> 27)) * UINT64_C(0x94d049bb133111eb);
    return v ^ (v >> 31);
}

// Eight tiles of a row have slots side by side, so that a walk over an area meets few lines of the processor's cache.
static inline uint64_t nd_hash_tile(uint32_t profile, int32_t x, int32_t z)
{
    uint32_t row = (uint32_t)x >> 3;
    uint64_t h = nd_hash_u64(((uint64_t)row << 32 | (uint32_t)z) + profile * UINT64_C(0x9e3779b97f4a7c15));
    return (h & ~UINT64_C(7)) | (((h >> 61) + (uint32_t)x) & 7);
}

#endif
