#include "daemon/service/ready.h"

#include "daemon/base/thread.h"
#include "daemon/store/world_store.h"

const char *nd_unready(const nd_server *s)
{
    ND_ASSERT_LOOP_THREAD();
    if (s->stopping) return "navd is stopping";
    if (s->draining) return "navd is finishing its work before it stops";
    const char *why;
    if (s->store && nd_world_store_failure(s->store, &why) != NAV_OK) return why;
    if (s->loader.next < s->loader.count || s->loader.running) return "meshes are still being read";
    if (s->builder.stuck) return "a worker does not return";
    return NULL;
}
