// A worker of the farm that builds nothing: it hears of jobs as they are published, and answers as it is told, with
// tiles that a daemon has put into the farm's cache before. On a thread of its own.
#ifndef TESTS_FARM_FAKE_WORKER_H
#define TESTS_FARM_FAKE_WORKER_H

#include "daemon/farm/beat.h"

#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>

typedef enum fake_mode {
    FAKE_ANSWERS,      // with the area's pack as it lies in the cache, and says that it is done
    FAKE_SAYS_ONLY,    // that it is done: the pack is in the cache
    FAKE_IS_SILENT,    // takes jobs and is never heard of again
    FAKE_SETS_ASIDE,   //
    FAKE_LACKS_A_MESH, // the first of the job
    FAKE_REFUSES,
    FAKE_LIES, // sends packs of nothing, and of damaged ones, and says that it is done
} fake_mode;

typedef struct fake_worker {
    pthread_t thread;
    natsConnection *connection;
    natsSubscription *jobs, *voids;
    jsCtx *streams;
    const char *farm;
    uint32_t threads;
    atomic_int mode; // fake_mode
    atomic_bool ends;
    atomic_uint seen, tiles, voided; // jobs; tiles in them; jobs that nobody needs any more
    atomic_uint generator;
} fake_worker;

void fake_worker_start(fake_worker *w, const char *url, const char *farm, uint32_t threads, fake_mode mode);
void fake_worker_stop(fake_worker *w); // without a word

#endif
