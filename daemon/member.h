// What a daemon is on a farm: one that gives work away, a worker, and a leader or follower of worlds. It makes those
// parts, and ends them in order. Without a farm there are none. Loop thread only.
#ifndef ND_MEMBER_H
#define ND_MEMBER_H

#include "daemon/farm/farm.h"
#include "daemon/farm/worker.h"
#include "daemon/replica/replica.h"
#include "daemon/service/service.h"

typedef struct nd_member {
    nd_farm *farm;          // NULL: none
    nd_farm_worker *worker; // NULL: this is none
    nd_replica *replica;    // NULL: its worlds are nobody else's
    nd_farm_watch worker_watch, replica_watch;
} nd_member;

typedef struct nd_member_parts {
    uv_loop_t *loop; // borrowed, as is all below
    const nd_config *config;
    nd_service *service; // is told of the parts, and so are its methods
    nd_builder *builder;
    void (*stop)(void *user); // a worker that was told to end has ended all its jobs
    void *user;
} nd_member_parts;

// Begins what the configuration says. m is zeroed. One sentence in why. NAV_ERR_ARGUMENT, NAV_ERR_IO, NAV_ERR_MEMORY;
// nd_member_close() and nd_member_destroy() are to be called all the same.
NAV_MUST_USE nav_status nd_member_join(nd_member *m, const nd_member_parts *parts, char *why, size_t why_bytes);
// A worker ends what it has, and then calls stop(). False: this is no worker.
bool nd_member_drain(nd_member *m);
// Before the builder, the workers and the store close.
void nd_member_close(nd_member *m);
void nd_member_destroy(nd_member *m); // after the loop has ended

#endif
