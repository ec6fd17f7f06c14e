// DESIGN. The tables of the tile cache on disk, and who has to go when it is full. All functions work inside of a
// transaction that the caller has begun and will commit.
//
//     tiles: key ──► record (tile_record.h)
//     uses:  key ──► tick of the last use, what it costs
//     order: tick, key ──► nothing; the first of it was used longest ago
//     head:  what all cost, how many, the tick, the format
//
// A tick is a transaction that writes, not a moment: entries of one transaction are equally old. Adding an entry drops
// as many of the oldest as it takes, in the same transaction, so the cap holds at every commit. The cost of an entry is
// what it takes of the file: whole pages for those that do not fit into a page with others, and half more for the
// others, as pages are two thirds full. A damaged record of uses, order or head costs no more than a wrong count, until
// the cache is empty. The thread of the transaction.
#ifndef ND_TILE_TABLE_H
#define ND_TILE_TABLE_H

#include "daemon/cache/tile_record.h"
#include "daemon/disk/database.h"

enum { ND_TABLE_TILES, ND_TABLE_USES, ND_TABLE_ORDER, ND_TABLE_HEAD, ND_TILE_TABLES };
extern const char *const nd_tile_table_names[ND_TILE_TABLES];

typedef struct nd_tile_table {
    uint64_t tick, bytes, count;
    uint64_t young;   // what was used at this tick or later is not touched again
    uint64_t evicted; // since begin
} nd_tile_table;

// Errors are the transaction's: it can only be aborted then.

// Begins to write: reads the head, a new one where there is none. End before the commit.
NAV_MUST_USE nav_status nd_tile_table_begin(nd_tile_table *t, nd_txn *txn);
NAV_MUST_USE nav_status nd_tile_table_end(nd_tile_table *t, nd_txn *txn);

// How many there are, and what all cost, where the database is not open; 0 where that cannot be read.
void nd_tile_table_peek(const char *folder, uint64_t *count, uint64_t *bytes);

// What an entry takes of the file.
uint64_t nd_tile_cost(size_t record_bytes);

// Adds or replaces. Drops the oldest until all cost at most max_bytes; an entry that costs more is not kept.
NAV_MUST_USE nav_status nd_tile_table_put(nd_tile_table *t, nd_txn *txn, const uint8_t key[ND_TILE_KEY_BYTES],
                                          nd_bytes record, uint64_t max_bytes);
// Makes an entry the newest, unless it is young. NAV_OK also where there is none.
NAV_MUST_USE nav_status nd_tile_table_touch(nd_tile_table *t, nd_txn *txn, const uint8_t key[ND_TILE_KEY_BYTES]);
// NAV_OK also where there is none.
NAV_MUST_USE nav_status nd_tile_table_remove(nd_tile_table *t, nd_txn *txn, const uint8_t key[ND_TILE_KEY_BYTES]);
// Drops the oldest, at most `most` of them, until all cost at most max_bytes. *more: it had to stop before.
NAV_MUST_USE nav_status nd_tile_table_evict(nd_tile_table *t, nd_txn *txn, uint64_t max_bytes, size_t most, bool *more);

#endif
