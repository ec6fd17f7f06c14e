// What the farm's server holds, for people: asked now and then, by farm.status. For run() of a bus's task.
#ifndef ND_FIGURES_H
#define ND_FIGURES_H

#include "daemon/bus/bus.h"

typedef struct nd_stream_figures {
    const char *name; // "jobs", "tiles", "meshes", "log", "states"
    uint64_t messages, bytes;
    uint64_t max_bytes; // 0: no bound
} nd_stream_figures;

enum { ND_FIGURES = 5 };
typedef struct nd_figures {
    nd_stream_figures streams[ND_FIGURES]; // those that are there
    uint32_t stream_count;
    // Of the workers of one generator version. A consumer that is not there yet has nothing.
    uint64_t waiting, out, redelivered;
} nd_figures;

// The library's failure in our terms where the server does not answer.
NAV_MUST_USE nav_status nd_figures_ask(const nd_bus_link *link, const char *farm, uint32_t generator, nd_figures *out);

#endif
