// A search at a worker: the tiles that have changed go into the ground's set, then the call's queries are answered. The
// loop thread fills a job and gets it back in done(); in between it is the worker's, and so are the set and the finder.
#ifndef ND_PATH_JOB_H
#define ND_PATH_JOB_H

#include "daemon/base/blob.h"
#include "daemon/work/workers.h"
#include "navcore/path.h"
#include "protocol/messages.h"

#include <stdatomic.h>

// A call of path.find. A struct of the heap, owned by its ground.
typedef struct nd_path_call {
    struct nd_path_call *next;
    uint64_t session;
    uint32_t request;
    np_axes axes; // in which its points are answered
    double near_m;
    uint32_t max_nodes;
    uint64_t asked_ns, most_ns; // most_ns: for the search
    atomic_bool cancelled;      // its session has ended
    // Out:
    uint64_t revision;
    uint32_t open_tiles;
    nav_buffer points;
    np_path_result *results;
    uint32_t count;
    np_path_query queries[];
} nd_path_call;

// The queries are copied. NULL: no memory.
nd_path_call *nd_path_call_create(const np_path_find_request *r);
void nd_path_call_destroy(nd_path_call *c); // accepts NULL

typedef struct nd_path_change {
    int32_t x, z;
    nd_blob *blob; // the tile, compressed; a reference; NULL: there is none any more
} nd_path_change;

typedef struct nd_path_job {
    nd_task task;
    void *owner;                  // outlives it
    const nav_settings *settings; // the owner's; a tile for others is left out, as another one will come
    nav_path_set *set;
    nav_path_finder *finder;
    nd_path_change *changes; // a heap block
    uint32_t change_count;
    size_t max_bytes;   // of the set
    nd_path_call *call; // owned
    // Out:
    nav_status status; // of the changes and the call: NAV_OK, NAV_ERR_LIMIT (max_bytes), NAV_ERR_MEMORY
    uint32_t damaged;  // tiles that could not be read, and are left out
} nd_path_job;

// Tasks' run().
void nd_path_job_run(nd_task *task, nd_worker *worker);
void nd_path_job_destroy(nd_path_job *j); // the call, too; accepts NULL

#endif
