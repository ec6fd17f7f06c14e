// Changed tiles go into a ground's set, at a worker. The loop thread fills an update and gets it back in done(); in
// between it is the worker's, and so is the set.
#ifndef ND_PATHS_UPDATE_H
#define ND_PATHS_UPDATE_H

#include "core/path/difference.h"
#include "daemon/base/blob.h"
#include "daemon/work/workers.h"
#include "navcore/climb.h"
#include "navcore/path_landmarks.h"

typedef struct nd_path_change {
    int32_t x, z;
    nav_sheet sheet;
    nd_blob *blob;                  // the tile, compressed; a reference; NULL: there is none any more
    nav_path_difference difference; // out, where it is wanted
} nd_path_change;

typedef struct nd_path_update {
    nd_task task;
    void *owner;                  // outlives it
    const nav_settings *settings; // the owner's; a tile for others is left out, as another one will come
    nav_path_set *set;
    nav_climb_set *climb;    // instead of a set; NULL: that it is
    nd_path_change *changes; // a heap block
    uint32_t count;
    bool compare;                  // is wanted what the tiles' differences are, and whether anything connects otherwise
    uint64_t link_ways;            // of the set when it was joined last; in and out
    bool join;                     // these are the last of several: the set can be searched after it
    uint64_t newest_call;          // that asked before the tiles were gathered; the owner's
    size_t max_bytes;              // of the set
    nav_path_landmarks *landmarks; // for the set, which drops them where they are too large; NULL: none
    uint64_t landmarks_cost;       // of as many as there may be, in nodes; in and out
    // Out:
    nav_status status; // NAV_OK, NAV_ERR_LIMIT (max_bytes), NAV_ERR_MEMORY
    bool opened;       // something may connect otherwise outside of the tiles
    bool linked;       // other links can be taken, or lead elsewhere
    uint32_t damaged;  // tiles that could not be read, and are left out
} nd_path_update;

// Tasks' run().
void nd_path_update_run(nd_task *task, nd_worker *worker);
void nd_path_update_destroy(nd_path_update *u); // accepts NULL

#endif
