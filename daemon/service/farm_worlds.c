#include "daemon/service/farm_worlds.h"

#include "daemon/base/thread.h"

enum { PER_MILLE = 990 };

void nd_tell_farm_worlds(void *service, np_farm_status_response *out)
{
    nd_service *s = service;
    nd_replica_stats *r = &s->replica_told;
    ND_ASSERT_LOOP_THREAD();
    if (!s->replica) return;
    nd_replica_stats_of(s->replica, r);
    out->role = np_str_of(nd_replica_role_name(r->role));
    out->leads = r->role == ND_REPLICA_LEADING;
    out->live = r->live;
    out->leader = np_str_of(r->leader);
    out->epoch = r->epoch;
    out->unlogged = r->waiting;
    out->behind = r->behind;
    out->lag_p99_us = nd_histogram_quantile_us(&r->lag, PER_MILLE);
}
