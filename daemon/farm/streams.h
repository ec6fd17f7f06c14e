// The farm's streams as the server has them (farm/names.h): made where they are missing, and read by subject. For run()
// of a bus's task.
#ifndef ND_STREAMS_H
#define ND_STREAMS_H

#include "daemon/bus/bus.h"

enum { ND_STREAM_JOBS = 1, ND_STREAM_TILES = 2, ND_STREAM_MESHES = 4 };

typedef struct nd_stream_limits {
    int64_t tiles_bytes, tiles_age_ns; // of the shared cache (--farm-cache-bytes, --farm-cache-days); 0: no limit
    int64_t meshes_bytes;              // 0: no limit
} nd_stream_limits;

// Sees to it that those streams are there (which: their bits). Jobs: a work queue, from which what was acknowledged or
// deleted is gone; when it is full, a new job is refused. Tiles: one message for each subject; when it is full the
// oldest goes. Meshes: likewise. A stream that is there stays as it is: who makes it decides. Where the server has not
// so much room a stream is made smaller. limits NULL: none. The library's failure in our terms (nd_bus_status()), with
// words.
NAV_MUST_USE nav_status nd_streams_ensure(const nd_bus_link *link, const char *farm, unsigned which,
                                          const nd_stream_limits *limits, char *why, size_t why_bytes);

// The newest message of a subject in one of them, which is waited for so long at most. NAV_ERR_NOT_FOUND and others;
// *out is the caller's where it succeeds.
NAV_MUST_USE nav_status nd_stream_get(const nd_bus_link *link, const char *farm, unsigned which, const char *subject,
                                      int64_t wait_ms, natsMsg **out);

#endif
