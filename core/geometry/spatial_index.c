// A hierarchical hash grid. The side of a bucket doubles with each tier, and an item lives at the lowest tier whose
// buckets are at least as wide as the item, in the one bucket that holds its centre. So an item reaches out of its
// bucket by at most half a bucket: a query looks at the buckets under its box, widened by that half, at every tier in
// use.
//
//      tier 0              tier 1                 query Q at tier 0: the buckets under the widened box
//     +--+--+--+--+        +-----+-----+               . . . . . .
//     |a |  |b |  |        |     |     |               .  +---+  .
//     +--+--+--+--+        |  ccc|cc   |               .  | Q |  .
//     |  |  | d|d |        |     |     |               .  +---+  .
//     +--+--+--+--+        +-----+-----+               . . . . . .
//
// An item sits in one bucket only, so that a query needs no marks against duplicates and any number of threads can run
// one. Items of the last tier (wider than any bucket) share a single bucket that every query reads. A query over more
// buckets than there are items reads the items one after the other instead.
// Source: C. Ericson, Real-Time Collision Detection (2005), 7.2 "Hierarchical grids"; the loose cell is T. Ulrich's
// ("Loose Octrees", Game Programming Gems, 2000).
#include "core/geometry/spatial_index.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAST_TIER = NAV_SPATIAL_TIERS - 1, MAX_ITEMS = 1 << 30, NO_ITEM = UINT32_MAX };

typedef struct bucket_name {
    int32_t tier, x, z;
} bucket_name;

struct nav_spatial_item {
    uint64_t id;
    nav_box_xz box;
    bucket_name bucket;
    uint32_t next, previous; // in the bucket
};

static uint32_t hash_id(uint64_t id)
{
    uint64_t h = id * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 32;
    h *= UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(h >> 32);
}

static uint32_t hash_bucket(bucket_name b)
{
    return hash_id(((uint64_t)(uint32_t)b.x << 32 | (uint32_t)b.z) + (uint64_t)b.tier * UINT64_C(0xa0761d6478bd642f));
}

static bool same_bucket(bucket_name a, bucket_name b)
{
    return a.tier == b.tier && a.x == b.x && a.z == b.z;
}

// Clamping keeps the order of coordinates, so a clamped query still meets every clamped item.
static int32_t bucket_coordinate(double v, double side)
{
    double c = floor(v / side);
    return c < -2147483648.0 ? INT32_MIN : c > 2147483647.0 ? INT32_MAX : (int32_t)c;
}

static double tier_side(const nav_spatial_index *s, int tier)
{
    return s->bucket_m * (double)(UINT64_C(1) << tier);
}

static bucket_name bucket_of(const nav_spatial_index *s, const nav_box_xz *box)
{
    double wx = box->max[0] - box->min[0], wz = box->max[1] - box->min[1], w = wx > wz ? wx : wz;
    int tier = 0;
    double side = s->bucket_m;
    while (tier < LAST_TIER && w > side) {
        tier++;
        side *= 2;
    }
    if (tier == LAST_TIER) return (bucket_name){LAST_TIER, 0, 0};
    return (bucket_name){tier, bucket_coordinate(box->min[0] + wx / 2, side),
                         bucket_coordinate(box->min[1] + wz / 2, side)};
}

static bool box_valid(const nav_box_xz *b)
{
    return isfinite(b->min[0]) && isfinite(b->min[1]) && isfinite(b->max[0]) && isfinite(b->max[1]) &&
           b->min[0] <= b->max[0] && b->min[1] <= b->max[1];
}

void nav_spatial_index_init(nav_spatial_index *s, double bucket_m)
{
    assert(bucket_m > 0);
    *s = (nav_spatial_index){.bucket_m = bucket_m};
}

void nav_spatial_index_deinit(nav_spatial_index *s)
{
    free(s->items);
    free(s->by_id);
    free(s->by_bucket);
    *s = (nav_spatial_index){0};
}

// --- the two tables: linear probing, deletion by moving later entries back ---

static uint32_t id_slot(const nav_spatial_index *s, uint64_t id)
{
    uint32_t i = hash_id(id) & s->slot_mask;
    while (s->by_id[i] && s->items[s->by_id[i] - 1].id != id) i = (i + 1) & s->slot_mask;
    return i;
}

// i: the slot of its hash.
static uint32_t bucket_slot_from(const nav_spatial_index *s, bucket_name b, uint32_t i)
{
    while (s->by_bucket[i] && !same_bucket(s->items[s->by_bucket[i] - 1].bucket, b)) i = (i + 1) & s->slot_mask;
    return i;
}

static uint32_t bucket_slot(const nav_spatial_index *s, bucket_name b)
{
    return bucket_slot_from(s, b, hash_bucket(b) & s->slot_mask);
}

static uint32_t home_slot(const nav_spatial_index *s, const uint32_t *table, uint32_t slot)
{
    const nav_spatial_item *it = &s->items[table[slot] - 1];
    return (table == s->by_id ? hash_id(it->id) : hash_bucket(it->bucket)) & s->slot_mask;
}

static void erase_slot(const nav_spatial_index *s, uint32_t *table, uint32_t hole)
{
    for (uint32_t i = (hole + 1) & s->slot_mask; table[i]; i = (i + 1) & s->slot_mask) {
        uint32_t home = home_slot(s, table, i);
        // The entry at i may move to the hole when its home is not between hole (exclusive) and i (inclusive).
        if (((i - home) & s->slot_mask) < ((i - hole) & s->slot_mask)) continue;
        table[hole] = table[i];
        hole = i;
    }
    table[hole] = 0;
}

static uint32_t find_item(const nav_spatial_index *s, uint64_t id)
{
    if (!s->count) return NO_ITEM;
    uint32_t v = s->by_id[id_slot(s, id)];
    return v ? v - 1 : NO_ITEM;
}

static void link_item(nav_spatial_index *s, uint32_t i, bucket_name b)
{
    nav_spatial_item *it = &s->items[i];
    uint32_t slot = bucket_slot(s, b);
    it->bucket = b;
    it->previous = NO_ITEM;
    it->next = s->by_bucket[slot] ? s->by_bucket[slot] - 1 : NO_ITEM;
    if (it->next != NO_ITEM) s->items[it->next].previous = i;
    s->by_bucket[slot] = i + 1;
    s->tier_count[b.tier]++;
}

static void unlink_item(nav_spatial_index *s, uint32_t i)
{
    nav_spatial_item *it = &s->items[i];
    s->tier_count[it->bucket.tier]--;
    if (it->next != NO_ITEM) s->items[it->next].previous = it->previous;
    if (it->previous != NO_ITEM) {
        s->items[it->previous].next = it->next;
        return;
    }
    uint32_t slot = bucket_slot(s, it->bucket);
    if (it->next != NO_ITEM)
        s->by_bucket[slot] = it->next + 1;
    else
        erase_slot(s, s->by_bucket, slot);
}

nav_status nav_spatial_index_reserve(nav_spatial_index *s, uint32_t more)
{
    if (more > (uint32_t)MAX_ITEMS - s->count) return NAV_ERR_LIMIT;
    uint32_t need = s->count + more;
    if (need <= s->capacity) return NAV_OK;
    uint32_t capacity = s->capacity ? s->capacity : 64;
    while (capacity < need) capacity *= 2;
    uint32_t slots = 2 * capacity;
    uint32_t *by_id = calloc(slots, sizeof *by_id), *by_bucket = calloc(slots, sizeof *by_bucket);
    nav_spatial_item *items = by_id && by_bucket ? realloc(s->items, capacity * sizeof *items) : NULL;
    if (!items) {
        free(by_id);
        free(by_bucket);
        return NAV_ERR_MEMORY;
    }
    free(s->by_id);
    free(s->by_bucket);
    s->items = items;
    s->by_id = by_id;
    s->by_bucket = by_bucket;
    s->capacity = capacity;
    s->slot_mask = slots - 1;
    for (uint32_t i = 0; i < s->count; i++) {
        s->by_id[id_slot(s, items[i].id)] = i + 1;
        if (items[i].previous == NO_ITEM) s->by_bucket[bucket_slot(s, items[i].bucket)] = i + 1;
    }
    return NAV_OK;
}

nav_status nav_spatial_index_insert(nav_spatial_index *s, uint64_t id, const nav_box_xz *box)
{
    if (!box_valid(box)) return NAV_ERR_ARGUMENT;
    nav_status status = nav_spatial_index_reserve(s, 1);
    if (status != NAV_OK) return status;
    uint32_t slot = id_slot(s, id);
    if (s->by_id[slot]) return NAV_ERR_EXISTS;
    uint32_t i = s->count++;
    s->items[i] = (nav_spatial_item){.id = id, .box = *box};
    s->by_id[slot] = i + 1;
    link_item(s, i, bucket_of(s, box));
    return NAV_OK;
}

nav_status nav_spatial_index_move(nav_spatial_index *s, uint64_t id, const nav_box_xz *box)
{
    if (!box_valid(box)) return NAV_ERR_ARGUMENT;
    uint32_t i = find_item(s, id);
    if (i == NO_ITEM) return NAV_ERR_NOT_FOUND;
    bucket_name b = bucket_of(s, box);
    s->items[i].box = *box;
    if (same_bucket(b, s->items[i].bucket)) return NAV_OK;
    unlink_item(s, i);
    link_item(s, i, b);
    return NAV_OK;
}

nav_status nav_spatial_index_remove(nav_spatial_index *s, uint64_t id)
{
    uint32_t i = find_item(s, id);
    if (i == NO_ITEM) return NAV_ERR_NOT_FOUND;
    unlink_item(s, i);
    erase_slot(s, s->by_id, id_slot(s, id));
    uint32_t last = --s->count;
    if (i == last) return NAV_OK;
    // The last item fills the gap; whoever points at it learns its new place. Slots first: they find it at the old one.
    nav_spatial_item moved = s->items[last];
    s->by_id[id_slot(s, moved.id)] = i + 1;
    if (moved.previous != NO_ITEM)
        s->items[moved.previous].next = i;
    else
        s->by_bucket[bucket_slot(s, moved.bucket)] = i + 1;
    if (moved.next != NO_ITEM) s->items[moved.next].previous = i;
    s->items[i] = moved;
    return NAV_OK;
}

const nav_box_xz *nav_spatial_index_find(const nav_spatial_index *s, uint64_t id)
{
    uint32_t i = find_item(s, id);
    return i == NO_ITEM ? NULL : &s->items[i].box;
}

// --- queries ---

// What lies anywhere in memory is fetched for so many buckets at once: their slots, then their first items, then those
// behind them.
enum { AT_ONCE = 32 };

typedef struct query {
    const nav_spatial_index *index;
    const nav_box_xz *box;
    nav_spatial_visit visit;
    void *user;
    bucket_name buckets[AT_ONCE]; // that are to be looked at
    uint32_t count;
} query;

static void fetch_item(const nav_spatial_index *s, uint32_t i)
{
    __builtin_prefetch(&s->items[i]);
    __builtin_prefetch((const char *)&s->items[i + 1] - 1);
}

// False: the visitor has ended the query.
static bool visit_buckets(query *q)
{
    const nav_spatial_index *s = q->index;
    uint32_t at[AT_ONCE], open = 0;
    for (uint32_t k = 0; k < q->count; k++) {
        at[k] = hash_bucket(q->buckets[k]) & s->slot_mask;
        __builtin_prefetch(&s->by_bucket[at[k]]);
    }
    for (uint32_t k = 0; k < q->count; k++)
        if (s->by_bucket[at[k]]) fetch_item(s, s->by_bucket[at[k]] - 1);
    for (uint32_t k = 0; k < q->count; k++) {
        const uint32_t first = s->by_bucket[bucket_slot_from(s, q->buckets[k], at[k])];
        if (first) at[open++] = first - 1;
    }
    q->count = 0;
    for (uint32_t left; open; open = left) {
        left = 0;
        for (uint32_t k = 0; k < open; k++) {
            const nav_spatial_item *it = &s->items[at[k]];
            if (it->next != NO_ITEM) {
                at[left++] = it->next;
                fetch_item(s, it->next);
            }
            if (nav_box_xz_touch(&it->box, q->box) && !q->visit(q->user, it->id, &it->box)) return false;
        }
    }
    return true;
}

static bool visit_bucket(query *q, bucket_name b)
{
    q->buckets[q->count++] = b;
    return q->count < AT_ONCE || visit_buckets(q);
}

typedef struct bucket_range {
    int32_t first[2], last[2];
} bucket_range;

// The buckets of a tier that may hold items touching the box. Half a side is the farthest an item reaches out of its
// bucket; a rounding error of that sum is covered by the margin.
static bucket_range range_of(const nav_spatial_index *s, int tier, const nav_box_xz *box)
{
    bucket_range r;
    double side = tier_side(s, tier);
    for (int axis = 0; axis < 2; axis++) {
        double low = box->min[axis] - side / 2, high = box->max[axis] + side / 2;
        double margin = (fabs(low) + fabs(high) + side) * 1e-12;
        r.first[axis] = bucket_coordinate(low - margin, side);
        r.last[axis] = bucket_coordinate(high + margin, side);
    }
    return r;
}

void nav_spatial_index_query(const nav_spatial_index *s, const nav_box_xz *box, nav_spatial_visit visit, void *user)
{
    bucket_range ranges[NAV_SPATIAL_TIERS];
    query q = {.index = s, .box = box, .visit = visit, .user = user};
    double buckets = 0;
    if (!s->count) return;
    for (int tier = 0; tier < LAST_TIER; tier++) {
        if (!s->tier_count[tier]) continue;
        bucket_range *r = &ranges[tier];
        *r = range_of(s, tier, box);
        buckets += ((double)r->last[0] - r->first[0] + 1) * ((double)r->last[1] - r->first[1] + 1);
    }
    if (!(buckets <= (double)s->count + 64)) {
        for (uint32_t i = 0; i < s->count; i++)
            if (nav_box_xz_touch(&s->items[i].box, box) && !visit(user, s->items[i].id, &s->items[i].box)) return;
        return;
    }
    for (int tier = 0; tier < LAST_TIER; tier++) {
        if (!s->tier_count[tier]) continue;
        const bucket_range *r = &ranges[tier];
        for (int64_t z = r->first[1]; z <= r->last[1]; z++)
            for (int64_t x = r->first[0]; x <= r->last[0]; x++)
                if (!visit_bucket(&q, (bucket_name){tier, (int32_t)x, (int32_t)z})) return;
    }
    if (s->tier_count[LAST_TIER] && !visit_bucket(&q, (bucket_name){LAST_TIER, 0, 0})) return;
    (void)visit_buckets(&q);
}

typedef struct collector {
    uint64_t *ids;
    size_t count, capacity;
} collector;

static bool collect_id(void *user, uint64_t id, const nav_box_xz *box)
{
    collector *c = user;
    (void)box;
    if (c->count < c->capacity) c->ids[c->count] = id;
    c->count++;
    return true;
}

size_t nav_spatial_index_collect(const nav_spatial_index *s, const nav_box_xz *box, uint64_t *ids, size_t capacity)
{
    collector c = {ids, 0, capacity};
    nav_spatial_index_query(s, box, collect_id, &c);
    return c.count;
}
