// DESIGN. Gives background tiles away, whole blocks at a time (work/away.h), and takes them back. First the shared
// cache is asked for the block's pack; what it does not have becomes an area job, where the queue is long and workers
// are alive; else it is made at home.
//
//     offer ──► ASKED ──nobody has it──► READY ──► MESHES ──► SENT ──► OUT ──pack──► finished
//                 │                        │                            │ ──notice──► OVER: asked once more
//                 └─pack──► finished       └─ home has nothing to do ─┐ └─ nobody needs it: taken out of the stream
//                                                                     ▼
//                                          made at home ◄── late, refused, set aside, the server is away
//
// Nothing here waits, and nobody waits for it longer than making the tile would take: an answer of the cache has a
// deadline, and so has a job. A mark outdates a tile that is away, so edits never notice. What comes late is right for
// its input all the same, and goes into the caches. Trouble with the server stops the asking for a moment, and is
// counted. Loop thread only.
#ifndef ND_COORDINATOR_H
#define ND_COORDINATOR_H

#include "daemon/config/config.h"
#include "daemon/farm/blocks.h"
#include "daemon/farm/mesh_share.h"
#include "daemon/farm/peers.h"
#include "daemon/work/away.h"

typedef struct nd_coordinator_parts {
    nd_builder *builder; // borrowed, as is all below
    nd_workers *workers;
    const nd_config *config;
    const char *farm, *id; // names
    nd_bus *bus;
    nd_mesh_share *meshes;
    nd_peers *peers;
} nd_coordinator_parts;

// Tiles, where nothing else is said.
typedef struct nd_coordinator_stats {
    uint64_t found, not_found;                       // in the shared cache
    uint64_t asks_late, asks_failed;                 // areas: the answer came too late; the server gave none
    uint64_t jobs, jobs_failed;                      // sent; not to be sent
    uint64_t made;                                   // that workers have made
    uint64_t home;                                   // that came back unmade
    uint64_t cancelled, overdue, set_aside, refused; // jobs
    uint64_t slow;                                   // jobs that were taken back as there was nothing else to do
    uint64_t late;                                   // that nobody needed any more when they came
    uint64_t damaged;                                // packs
    uint64_t shared, not_shared;                     // made at home: put into the shared cache, or not
    nd_histogram ask, job;                           // how long they took
} nd_coordinator_stats;

typedef struct nd_coordinator nd_coordinator;

// The builder asks it from now on. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_coordinator_create(uv_loop_t *loop, const nd_coordinator_parts *parts, nd_coordinator **out);
// The server can be reached, and its streams are there; or no longer.
void nd_coordinator_set_up(nd_coordinator *c, bool up);
// Workers came or went.
void nd_coordinator_on_peers(nd_coordinator *c);
void nd_coordinator_on_mesh(nd_coordinator *c, const char *space, nav_key hash, nav_status status); // of mesh_share
// All that is away is forgotten, and the builder knows nothing of it any more. Before the builder, the workers and the
// bus close. Accepts NULL.
void nd_coordinator_close(nd_coordinator *c);
void nd_coordinator_destroy(nd_coordinator *c); // after the loop has ended; accepts NULL

// What was made here and waits to be shared goes now. How many packs are on their way; 0 where there is no server.
size_t nd_coordinator_share(nd_coordinator *c);

const nd_coordinator_stats *nd_coordinator_stats_of(const nd_coordinator *c);
// Areas that are away, and how many tiles of them are.
size_t nd_coordinator_out(const nd_coordinator *c, uint64_t *tiles);
// Tiles in the builder's queues that may go, if there is somebody to take them.
uint64_t nd_coordinator_waiting(const nd_coordinator *c);
// Something is wrong with the streams: whoever makes them should look. Set by its owner; NULL: nobody does.
void nd_coordinator_on_trouble(nd_coordinator *c, void (*on_trouble)(void *user), void *user);

#endif
