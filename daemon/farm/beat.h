// What daemons and workers tell each other in a few words: that they are alive, how a job ended, and which jobs nobody
// needs any more. Any thread.
//
//     NAME.beat.ID            beat   once a second, and when one ends (`leaves`)
//     NAME.SPACE.done.DAEMON  done   from a worker, when a job is over
//     NAME.void.DAEMON        void   from a daemon, to all workers
#ifndef ND_BEAT_H
#define ND_BEAT_H

#include "core/base/key.h"
#include "daemon/base/reason.h"
#include "daemon/farm/names.h"
#include "protocol/messages.h"

typedef enum nd_beat_kind {
    ND_BEAT_DAEMON, // sends jobs
    ND_BEAT_WORKER,
    ND_BEAT_REPLICA, // follows, or stands by
    ND_BEAT_KINDS
} nd_beat_kind;
extern const char *const nd_beat_kinds[]; // "daemon", "worker", "replica"

// Strings: at most 64 bytes; borrowed where it was read. Counts are since the start.
typedef struct nd_beat {
    nd_beat_kind kind;
    char id[ND_FARM_ID_BYTES];
    np_str name;        // the machine's, for people
    np_str version;     // of navd
    uint32_t generator; // NAV_GENERATOR_VERSION
    bool leaves;        // it takes nothing new any more: the last one
    uint32_t threads;   // for jobs
    uint32_t jobs;      // of a worker: at work; of a daemon: out
    uint64_t waiting;   // of a daemon: tiles in its queues
    uint64_t tiles;     // built; of a daemon: that others have built for it
    uint64_t found;     // of a worker: not built, as the area's pack had them; of a daemon: in the shared cache
    uint64_t done, set_aside, refused; // jobs
    uint64_t bytes_in, bytes_out;      // to and from the server
    uint64_t uptime_s;
} nd_beat;

NAV_MUST_USE nav_status nd_beat_write(nav_buffer *out, const nd_beat *b);
// NAV_ERR_FORMAT, NAV_ERR_MEMORY with words. b borrows of m and the bytes; always np_message_deinit(m).
NAV_MUST_USE nav_status nd_beat_read(const void *bytes, size_t count, np_message *m, nd_beat *b, np_error *err);

// How a job ended.
typedef enum nd_done_status {
    ND_DONE_BUILT,     // its tiles are in the area's pack
    ND_DONE_SET_ASIDE, // it was begun too often and never ended: its workers died
    ND_DONE_NO_MESH,   // `meshes` are not in the farm, or not what their hash says
    ND_DONE_REFUSED,   // it makes no sense (why)
    ND_DONE_FAILED,    // the worker could not: no memory, the stream is full (why). Build at home
    ND_DONE_STATUSES
} nd_done_status;

// A tile that is not in the pack, since what stopped it need not stop it elsewhere.
typedef struct nd_done_tile {
    int32_t x, z;
    nav_status status;
} nd_done_tile;

enum { ND_DONE_MESHES = 64, ND_DONE_TILES = 256, ND_DONE_WHY_BYTES = 200 };
typedef struct nd_done {
    uint64_t job;
    nd_done_status status;
    char worker[ND_FARM_ID_BYTES];
    uint32_t built, found; // tiles; found: the area's pack had them before
    np_str why;
    const nav_key *meshes; // at most ND_DONE_MESHES
    uint32_t mesh_count;
    const nd_done_tile *tiles; // at most ND_DONE_TILES
    uint32_t tile_count;
} nd_done;

NAV_MUST_USE nav_status nd_done_write(nav_buffer *out, const nd_done *d);
NAV_MUST_USE nav_status nd_done_read(const void *bytes, size_t count, np_message *m, nd_done *d, np_error *err);

// Jobs of the daemon that the subject names. At most ND_VOID_JOBS.
enum { ND_VOID_JOBS = 256 };
NAV_MUST_USE nav_status nd_void_write(nav_buffer *out, const uint64_t *jobs, uint32_t count);
// out has room for ND_VOID_JOBS. NAV_ERR_FORMAT.
NAV_MUST_USE nav_status nd_void_read(const void *bytes, size_t bytes_count, uint64_t *out, uint32_t *count);

#endif
