// Private to tile_job.c: a job's run in a helper process (helper.h). The job goes over by value, into the mailbox, with
// all that it points to, and so does what came out.
#ifndef ND_TILE_CALL_H
#define ND_TILE_CALL_H

#include "daemon/work/helper.h"
#include "daemon/work/tile_job.h"

// The worker thread's. Where the helper dies the run is tried once more, by the one that replaces it; then the status
// is NAV_ERR_CRASHED, or NAV_ERR_TIMEOUT at once for one that did not return in time.
void nd_tile_job_call(nd_tile_job *j, nd_helper *h);

// tile_job.c: the run itself, in whatever process.
void nd_tile_job_make(nd_tile_job *j, nd_worker *w);

#endif
