// A cache of tiles on disk by itself, in a folder of its own, on a loop that the test runs. Each call that asks for
// something waits until it is done.
#ifndef TESTS_DAEMON_TILE_CACHE_FIXTURE_H
#define TESTS_DAEMON_TILE_CACHE_FIXTURE_H

#include "daemon/cache/tile_cache_parts.h"
#include "tests/check.h"

extern uv_loop_t loop;
extern nd_tile_cache *cache;
extern char folder[64];
extern uint64_t cap, memory_limit; // of the cache that is opened next

// Of a test case: before and after each test.
void start(void);
void stop(void);
void open_cache(void);
void close_cache(void);
void restart(void);

// A task's end for wait_done(); set done to false before it is pushed.
extern bool done;
void note_done(nd_disk_task *task, bool ran);
void wait_done(void);

void flush(void);
void shrink(uint64_t bytes);
// Tile n has a key, and bytes that follow from n. The caller has the blob's reference.
nav_key key_of(uint32_t n);
nd_blob *blob_of(uint32_t n, size_t bytes);
void put(uint32_t n, size_t bytes);
// Looks tile n up, and checks its bytes.
bool has(uint32_t n);
extern nd_cached got; // of the look-up that ended last; no reference

#endif
