#include "daemon/service/ready.h"

#include "daemon/base/thread.h"
#include "daemon/store/world_store.h"

const char *nd_unready(const nd_service *s)
{
    ND_ASSERT_LOOP_THREAD();
    if (s->methods->stopping) return "navd is stopping";
    if (s->methods->sessions->draining) return "navd is finishing its work before it stops";
    const char *why;
    if (s->methods->store && nd_world_store_failure(s->methods->store, &why) != NAV_OK) return why;
    if (s->loader->next < s->loader->count || s->loader->running) return "meshes are still being read";
    if (s->worker && !nd_farm_worker_stats_of(s->worker).ready)
        return "the worker takes no jobs: the farm's server cannot be reached, or it is finishing what it has";
    char words[200]; // with the role, which /readyz does without
    if (s->replica && !nd_replica_is_ready(s->replica, words, sizeof words))
        return "the worlds of the farm are not all here yet: navctl farm says how far it is";
    const nd_nursery *n = nd_workers_nursery(s->methods->workers);
    return n ? nd_nursery_trouble(n) : NULL;
}
