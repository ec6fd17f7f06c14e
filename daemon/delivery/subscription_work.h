// Private to subscription*.c: what a subscription knows of the tiles that its client has. Loop thread only.
#ifndef ND_SUBSCRIPTION_WORK_H
#define ND_SUBSCRIPTION_WORK_H

#include "daemon/delivery/subscription.h"

enum { ND_SUBSCRIPTION_AHEAD = 8 }; // tiles: so many before a tile's turn the processor is told to fetch it

static inline bool nd_subscription_covers(const nd_subscription *sub, uint32_t profile, int32_t x, int32_t z)
{
    return nd_watch_covers(&sub->watch, profile, x, z);
}

// There is none yet.
static inline nav_status nd_subscription_add_sent(nd_subscription *sub, int32_t x, int32_t z, nd_sent **out)
{
    nd_session *session = sub->session;
    if (session->sent_count >= session->sessions->config->max_tiles) return NAV_ERR_LIMIT;
    nav_status status = nd_sent_add(&sub->sent, x, z, out);
    session->sent_count += status == NAV_OK;
    return status;
}

static inline nav_status nd_subscription_make_sent(nd_subscription *sub, int32_t x, int32_t z, nd_sent **out)
{
    *out = nd_sent_find(&sub->sent, x, z);
    return *out ? NAV_OK : nd_subscription_add_sent(sub, x, z, out);
}

static inline void nd_subscription_queue(nd_subscription *sub, nd_sent *s)
{
    if (s->pending || s->fetching) return;
    s->pending = true;
    s->next = NULL;
    *sub->pending_end = s;
    sub->pending_end = &s->next;
    sub->pending_count++;
}

// The client has it as it is.
static inline void nd_subscription_arrived(nd_subscription *sub, nd_sent *s)
{
    if (s->awaited) sub->awaited--;
    s->awaited = false;
}

static inline void nd_subscription_drop_sent(nd_subscription *sub, nd_sent *s)
{
    nd_subscription_arrived(sub, s);
    nd_sent_remove(&sub->sent, s);
    sub->session->sent_count--;
}

#endif
