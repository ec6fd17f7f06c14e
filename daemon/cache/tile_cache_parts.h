// Inside of the tile cache: what its two sides share. Private to tile_cache*.c and tile_reader.c.
#ifndef ND_TILE_CACHE_PARTS_H
#define ND_TILE_CACHE_PARTS_H

#include "daemon/base/fifo.h"
#include "daemon/cache/tile_cache.h"
#include "daemon/cache/tile_filter.h"
#include "daemon/cache/tile_table.h"
#include "daemon/disk/writer.h"

#include "core/base/arena.h"
#include "core/base/buffer.h"

#include <pthread.h>
#include <stdatomic.h>

typedef ND_FIFO(nd_disk_task) disk_list;

typedef enum op_kind { OP_PUT, OP_REMOVE, OP_TOUCH, OP_SHRINK, OP_FLUSH } op_kind;

// What shall be written.
typedef struct disk_op {
    struct disk_op *next;
    op_kind kind;
    uint8_t key[ND_TILE_KEY_BYTES], head[ND_TILE_HEAD_BYTES];
    nd_blob *blob;      // put: the data; touch: keys, one behind the other
    uint64_t max_bytes; // shrink
    nd_disk_task *task; // shrink, flush: who waits
} disk_op;

typedef struct op_list {
    disk_op *first, **end; // an ND_FIFO
    size_t bytes;
    size_t count, touches; // operations but for touches; keys of those
} op_list;

struct nd_tile_reader {
    nd_tile_cache *cache;
    nd_txn *txn;   // NULL: there is nothing to be read
    nd_peek *peek; // in its place while the file is not open; else NULL
    nav_arena arena;
    nav_buffer raw;
    nd_unpacker unpacker;
    nav_buffer used; // keys of what was found with this snapshot
};

// One group of operations on its way through the writer.
typedef struct disk_batch {
    nd_write write;
    nd_tile_cache *cache;
    bool out; // it is the writer's
    bool ran;
    op_list ops; // taken when it runs
    nd_tile_table table;
    uint64_t puts;
    bool more; // a shrink is not done
    nav_buffer record;
} disk_batch;

struct nd_tile_cache {
    uv_async_t wake;
    char *folder;
    nd_writer *writer;
    pthread_t reader;
    _Atomic uint64_t max_bytes; // less than what was wanted, where the disk was full
    uint64_t memory_limit;
    pthread_mutex_t mutex; // guards from here
    pthread_cond_t to_read, peeked;
    disk_list tasks, bulk, finished;
    op_list ops;
    nd_database *database; // NULL: not open yet, or never
    bool opened, stopping;
    nd_peek *peek;           // NULL: the file may be written
    bool peeking;            // the reader does
    bool counted;            // by a commit
    uint64_t entries, bytes; // to here
    atomic_bool dead;        // the file cannot be used
    disk_batch batches[3];   // one runs, one gathers; the third takes what is left at the end
    _Atomic uint64_t turn;
    // The writer's: which it is in, and the tick with which it began.
    uint64_t young_turn, young_tick;
    // The loop's.
    nd_tile_filter *filter, *next_filter;
    uint64_t added; // since the filter was made
    uint64_t turn_bytes;
    uint64_t wanted_bytes, good_bytes; // good: a cap that there was room for, below one that is tried; 0: none
    uint64_t regain_ns, regain_ms;     // when a higher cap is tried, and how long after the last time
    bool filling, closing;
    _Atomic uint64_t hits, misses, damaged, puts, dropped, evicted, errors;
};

// tile_cache_write.c
// Any thread. Takes the operation over; false: too much waits already, and it is gone.
bool nd_tile_cache_add(nd_tile_cache *c, disk_op *op);
// Any thread. Both are forgotten where there is no memory.
void nd_tile_cache_remove(nd_tile_cache *c, const uint8_t key[ND_TILE_KEY_BYTES]);
void nd_tile_cache_touch_keys(nd_tile_cache *c, const uint8_t *keys, size_t bytes);
// Loop thread: gives the writer what waits. all: also what is not worth a commit by itself.
void nd_tile_cache_write_out(nd_tile_cache *c, bool all);
// The last, whatever is under way, if there is anything.
void nd_tile_cache_write_rest(nd_tile_cache *c);
// Loop thread: forgets what is left when nothing is written any more; who waits is told.
void nd_tile_cache_drop_ops(nd_tile_cache *c);

// tile_reader.c
void nd_tile_reader_deinit(nd_tile_reader *r);

#endif
