// DESIGN. The tile cache on disk: what the cache in memory (cache.h) drops, and what outlives the daemon. An LMDB
// environment of its own (database.h) with two threads, neither of which is the loop's:
//
//     loop ── put ────► | queue | ──► writer: a transaction for all that has come (tile_table.h), LRU and cap in it
//     loop ── task ───► | queue | ──► reader: one snapshot for many look-ups ──► | finished | ──uv_async──► loop: done
//
// It may lose anything at any time but must never be wrong. A put is dropped if the disk is full or too slow, a
// record with a wrong checksum is a miss and is removed, a file with damaged pages (pages.h) is set aside and
// replaced by a new one. All of this is counted. A filter in memory (tile_filter.h) knows most of what is not on
// disk, so a new tile does not wait for the disk before a worker gets it.
//
// Opening also happens on the writer's thread, and reads every page: seconds for a large file. It begins when there
// is something to write, or when look-ups have been quiet for a moment. Look-ups do not wait for it: until the first
// page is written they read the file by themselves, trusting nothing (nd_peek). A commit leaves the file valid
// whatever happens to the process or the machine; the last moments may be lost. Loop thread only, except for what a
// task's run() may call.
#ifndef ND_TILE_CACHE_H
#define ND_TILE_CACHE_H

#include "daemon/cache/tile_record.h"
#include "daemon/cache/unpacker.h"

#include <uv.h>

typedef struct nd_tile_cache nd_tile_cache;
typedef struct nd_tile_reader nd_tile_reader;

// What a thread of the cache does for the loop. The task is the cache's from the push until done().
typedef struct nd_disk_task nd_disk_task;
struct nd_disk_task {
    nd_disk_task *next;
    void (*run)(nd_disk_task *task, nd_tile_reader *reader); // reader's thread
    void (*done)(nd_disk_task *task, bool ran);              // loop thread; ran is false where the cache closed before
    bool early;                                              // may run before the file is open: it only gets records
};

typedef struct nd_tile_cache_stats {
    uint64_t hits, misses;  // records asked for
    uint64_t damaged;       // records removed because they were not in order; and files set aside
    uint64_t puts, dropped; // records written; given up because too many waited or the disk failed
    uint64_t evicted;
    uint64_t entries, bytes; // as of the last commit
    uint64_t errors;         // transactions that failed
} nd_tile_cache_stats;

// Begins to open. folder exists or is made, its parent exists. NAV_ERR_MEMORY, NAV_ERR_IO (no thread to be had); all
// else that goes wrong is logged, and the cache is one that has nothing.
// memory_limit: what a tile may take now; failures for lack of memory under a smaller one do not count.
NAV_MUST_USE nav_status nd_tile_cache_create(uv_loop_t *loop, const char *folder, uint64_t max_bytes,
                                             uint64_t memory_limit, nd_tile_cache **out);
// Writes what waits, calls done() for all tasks, ends the threads, and frees the cache once its handle is closed: the
// loop must run on until then. Accepts NULL.
void nd_tile_cache_close(nd_tile_cache *c);

// False: certainly not there. Accepts NULL (false).
bool nd_tile_cache_may_have(const nd_tile_cache *c, nav_key source, uint8_t encoding);
// Will be written soon. Takes its own reference of value->blob. Accepts a cache of NULL.
void nd_tile_cache_put(nd_tile_cache *c, nav_key source, uint8_t encoding, const nd_cached *value);
// It was used by who did not have to ask for it; written with the next tiles. Accepts NULL.
void nd_tile_cache_touch(nd_tile_cache *c, nav_key source, uint8_t encoding);
// Rises each time so much was put that what was used before it should be touched when it is used again. Accepts NULL.
uint64_t nd_tile_cache_turn(const nd_tile_cache *c);
// Runs on the reader's thread, in the order of the pushes.
void nd_tile_cache_push(nd_tile_cache *c, nd_disk_task *task);
// The same for one that reads much: all that was pushed by the function above goes before it.
void nd_tile_cache_push_bulk(nd_tile_cache *c, nd_disk_task *task);
// done() is called when all that was put, touched and removed before is committed, or given up; run is not called.
void nd_tile_cache_flush(nd_tile_cache *c, nd_disk_task *task);
// The same, after so many of the oldest are dropped that the rest costs at most max_bytes.
void nd_tile_cache_shrink(nd_tile_cache *c, uint64_t max_bytes, nd_disk_task *task);
nd_tile_cache_stats nd_tile_cache_stats_of(nd_tile_cache *c);

// For run():

// For the data that it finds; borrowed.
nd_unpacker *nd_tile_reader_unpacker(nd_tile_reader *r);
// These records, at most ND_TILES_EXPECTED, will be asked for next: makes that faster, and nothing else.
enum { ND_TILES_EXPECTED = 8 };
void nd_tile_reader_expect(nd_tile_reader *r, const nav_key *sources, uint8_t encoding, size_t count);
// Finds one record and makes it the newest. It lies in the file: valid until run() returns. NAV_ERR_NOT_FOUND: a miss
// of any kind.
NAV_MUST_USE nav_status nd_tile_reader_find(nd_tile_reader *r, nav_key source, uint8_t encoding, nd_tile_record *out);
// The same with a copy: the blob is a new one, the caller's.
NAV_MUST_USE nav_status nd_tile_reader_get(nd_tile_reader *r, nav_key source, uint8_t encoding, nd_cached *out);

// A base tile (reach.h): its parts as well, which are made from its bytes.
NAV_MUST_USE nav_status nd_tile_reader_get_base(nd_tile_reader *r, nav_key source, const nav_settings *settings,
                                                nd_cached *out);

typedef struct nd_tile_visit {
    uint8_t key[ND_TILE_KEY_BYTES];
    const uint8_t *record; // borrowed
    size_t record_bytes;
    nav_status status; // of nd_tile_record_load()
    nd_tile_record read;
} nd_tile_visit;

// Visits the records behind a key (has_from false: from the first), in the order of their keys, until visit returns
// false or there are no more (*end). Damaged ones, which are visited too, are removed.
NAV_MUST_USE nav_status nd_tile_reader_walk(nd_tile_reader *r, bool has_from, const uint8_t from[ND_TILE_KEY_BYTES],
                                            bool (*visit)(void *user, const nd_tile_visit *v), void *user, bool *end);

#endif
