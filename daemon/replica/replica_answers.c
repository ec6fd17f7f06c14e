// What is told of worlds as streams: farm.check, figures.
#include "daemon/replica/replica_parts.h"

#include <stdio.h>

nav_status nd_replica_check(void *user, nd_session *s, uint32_t request, np_error *err)
{
    nd_replica *r = user;
    return nd_check_ask(r->check, r->leader.id, r->role == ND_REPLICA_LEADING, s, request, err);
}

uint64_t nd_replica_sequence_of(void *user, const nd_world *w, bool *waits)
{
    const nd_replica *r = user;
    const nd_track *t = nd_track_find(&r->tracks, w->id);
    *waits = r->role == ND_REPLICA_LEADING ? nd_log_holds(r->log, w->id) : nd_follower_is_behind(r->follower, w->id);
    return t ? t->last : 0;
}

void nd_replica_stats_of(const nd_replica *r, nd_replica_stats *out)
{
    const nd_follower_stats *f = nd_follower_stats_of(r->follower);
    *out = (nd_replica_stats){.role = r->role,
                              .live = r->role == ND_REPLICA_LEADING || nd_follower_is_live(r->follower),
                              .epoch = r->leader.epoch,
                              .entries_out = nd_log_written(r->log),
                              .entries_in = f->entries,
                              .states_out = r->states_out,
                              .states_in = f->states,
                              .waiting = nd_log_count(r->log),
                              .behind = f->behind,
                              .lease_changes = nd_lease_changes(r->lease),
                              .fenced = r->fenced,
                              .gaps = f->gaps,
                              .failed = f->failed,
                              .lag = f->lag};
    snprintf(out->leader, sizeof out->leader, "%s", r->leader.name);
}

bool nd_replica_is_ready(const nd_replica *r, char *why, size_t why_bytes)
{
    if (r->mode == ND_FARM_PUBLISH || r->role == ND_REPLICA_LEADING || nd_follower_is_live(r->follower)) return true;
    snprintf(why, why_bytes, "it %s: the worlds of the farm are not all here yet", nd_replica_role_name(r->role));
    return false;
}
