// A mutable index from ids to boxes in x and z. The cost of every call depends on what it touches, not on how many
// items the index holds. Grows on the heap; a reservation beforehand makes later inserts infallible. Owner: one thread
// changes it; while nobody does, any number of threads may query it.
#ifndef NAV_GEOMETRY_SPATIAL_INDEX_H
#define NAV_GEOMETRY_SPATIAL_INDEX_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct nav_box_xz {
    double min[2], max[2]; // x z, metres; closed: boxes that share a border touch
} nav_box_xz;

static inline bool nav_box_xz_touch(const nav_box_xz *a, const nav_box_xz *b)
{
    return a->min[0] <= b->max[0] && a->max[0] >= b->min[0] && a->min[1] <= b->max[1] && a->max[1] >= b->min[1];
}

enum { NAV_SPATIAL_TIERS = 40 };

typedef struct nav_spatial_item nav_spatial_item;

typedef struct nav_spatial_index {
    double bucket_m;         // side of a bucket of tier 0
    nav_spatial_item *items; // dense: [0, count)
    uint32_t count, capacity;
    uint32_t *by_id, *by_bucket;            // open addressing, item index + 1; by_bucket names a bucket's first item
    uint32_t slot_mask;                     // slots of each table - 1
    uint32_t tier_count[NAV_SPATIAL_TIERS]; // items per tier
} nav_spatial_index;

// Prepares an empty index in the caller's storage. bucket_m: about the size of a typical query, over 0.
void nav_spatial_index_init(nav_spatial_index *s, double bucket_m);
// Frees everything. Accepts a zeroed index.
void nav_spatial_index_deinit(nav_spatial_index *s);

// Makes room for `more` items: that many inserts cannot fail for memory. NAV_ERR_MEMORY, NAV_ERR_LIMIT (over 2^30
// items).
NAV_MUST_USE nav_status nav_spatial_index_reserve(nav_spatial_index *s, uint32_t more);

// NAV_ERR_EXISTS, NAV_ERR_ARGUMENT (a number is not finite, min over max), NAV_ERR_MEMORY, NAV_ERR_LIMIT.
NAV_MUST_USE nav_status nav_spatial_index_insert(nav_spatial_index *s, uint64_t id, const nav_box_xz *box);
// NAV_ERR_NOT_FOUND, NAV_ERR_ARGUMENT. Needs no memory.
NAV_MUST_USE nav_status nav_spatial_index_move(nav_spatial_index *s, uint64_t id, const nav_box_xz *box);
// NAV_ERR_NOT_FOUND. Needs no memory.
NAV_MUST_USE nav_status nav_spatial_index_remove(nav_spatial_index *s, uint64_t id);
// The box of an id, or NULL. Borrowed until the next change.
const nav_box_xz *nav_spatial_index_find(const nav_spatial_index *s, uint64_t id);

// Called once for each item whose box touches the query's; false ends the query.
typedef bool (*nav_spatial_visit)(void *user, uint64_t id, const nav_box_xz *box);

// Visits every item that touches `box`, each once, in no particular order. The visitor must not change the index.
void nav_spatial_index_query(const nav_spatial_index *s, const nav_box_xz *box, nav_spatial_visit visit, void *user);
// Writes at most `capacity` ids and returns how many touch the box.
size_t nav_spatial_index_collect(const nav_spatial_index *s, const nav_box_xz *box, uint64_t *ids, size_t capacity);

#endif
