// DESIGN. A worker: builds the area jobs of other navd, and has no worlds and no clients. It pulls jobs from the stream
// as it has room for them, several at once, so that its threads never wait for the server:
//
//     pull ──► job ──► meshes that it lacks ──┐
//                 └──► the area's pack ───────┴──► builder: what the pack has not ──► pack ──► stream ──► notice, ack
//
// A job is acknowledged when its pack is stored; until then the worker gives a sign of life now and then, and one that
// is silent for --farm-job-s loses its job to another. A job that was begun twice and never ended is not begun again,
// since it may be what its workers died of: its daemon hears that, and builds it at home. What nobody needs any more is
// cancelled. Loop thread only.
#ifndef ND_FARM_WORKER_H
#define ND_FARM_WORKER_H

#include "daemon/bus/bus.h"
#include "daemon/config/config.h"
#include "daemon/work/builder.h"

typedef struct nd_farm_worker nd_farm_worker;

typedef struct nd_farm_worker_options {
    uv_loop_t *loop;
    const nd_config *config; // borrowed, as is all below
    nd_bus *bus;
    const char *id; // of this process (nd_farm_make_id())
    nd_builder *builder;
    nd_mesh_store *meshes;
    nd_namespaces *spaces;
    // It was told to drain, and has nothing to do any more.
    void (*on_idle)(void *user);
    void *user;
} nd_farm_worker_options;

// Begins to work when the bus is up. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_farm_worker_create(const nd_farm_worker_options *o, nd_farm_worker **out);
// The bus's on_state.
void nd_farm_worker_note_bus(nd_farm_worker *w, bool up);
// Takes no new job, ends those that it has, and calls on_idle, not from inside.
void nd_farm_worker_drain(nd_farm_worker *w);
// Before the bus, the builder and the workers are closed: cancels all. It is freed when all of it has come back.
// Accepts NULL.
void nd_farm_worker_close(nd_farm_worker *w);

typedef struct nd_farm_worker_stats {
    uint64_t tiles, found;             // built; in the area's pack already
    uint64_t done, set_aside, refused; // jobs; refused: also those that failed
    uint64_t voided;                   // jobs: given up
    uint64_t mesh_bytes;               // fetched
    unsigned jobs;                     // at work
    bool ready;                        // it pulls jobs
} nd_farm_worker_stats;
nd_farm_worker_stats nd_farm_worker_stats_of(const nd_farm_worker *w);

#endif
