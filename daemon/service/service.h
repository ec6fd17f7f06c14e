// DESIGN. What those see who look after the daemon and not at its worlds: pages and figures, readiness, the service
// manager, and the end without loss. It knows the parts of the daemon as the methods do (methods.h). Loop thread only.
#ifndef ND_SERVICE_H
#define ND_SERVICE_H

#include "daemon/farm/farm.h"
#include "daemon/farm/worker.h"
#include "daemon/methods/methods.h"
#include "daemon/replica/replica.h"
#include "daemon/store/mesh_loader.h"

typedef struct nd_service {
    nd_methods *methods; // borrowed, as is all up to user
    const nd_mesh_loader *loader;
    const nd_histogram *turns;    // of the loop
    const nd_farm *farm;          // NULL: none
    const nd_farm_worker *worker; // NULL: this navd is none
    nd_replica *replica;          // NULL: its worlds are nobody else's
    void (*stop)(void *user);
    void *user;

    uint64_t began_ns;
    uint64_t measured_ns, open_descriptors; // of the process, as they were then
    nd_memory_use memory_use;
    uv_timer_t drain;
    uint64_t drain_ends_ns;
    nd_replica_stats replica_told; // what farm.status points to
} nd_service;

// The members up to `user` are set.
void nd_service_init(nd_service *s);
void nd_service_close(nd_service *s); // its handle

#endif
