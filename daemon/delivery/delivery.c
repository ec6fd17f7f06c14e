#include "daemon/delivery/delivery.h"

#include "daemon/base/thread.h"
#include "daemon/delivery/progress.h"
#include "daemon/delivery/subscription.h"
#include "daemon/delivery/sync.h"
#include "daemon/delivery/waiters.h"

void nd_delivery_init(nd_delivery *d)
{
    d->next_subscription = 1;
    nd_progress_init(d);
}

void nd_delivery_close(nd_delivery *d)
{
    nd_progress_close(d);
    nd_unpacker_deinit(&d->unpacker);
}

void nd_delivery_publish(nd_delivery *d, nd_world *w, nd_tile *t, const nd_cached *out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_subscriptions_publish(w, t, out);
    if (t->result.status == NP_TILE_REMOVED && t->state == ND_TILE_CLEAN && !nd_edit_holds(w, t))
        nd_scheduler_forget(&w->scheduler, t);
    nd_delivery_pass(d, w);
}

void nd_delivery_pass(nd_delivery *d, nd_world *w)
{
    nd_waiters_check(w);
    nd_sync_due(d, w);
}

void nd_delivery_go_on(nd_delivery *d, nd_session *s)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_subscription *sub = s->subscriptions; sub && nd_session_writable(s); sub = sub->next_of_session) {
        bool waited = sub->pending || sub->settings_due;
        nd_subscription_flush(sub, NULL, NULL);
        if (waited) nd_sync_due(d, sub->world);
    }
    if (s->waits) nd_waiters_check_session(d->worlds, s);
}

void nd_delivery_leave(nd_delivery *d, nd_session *s)
{
    ND_ASSERT_LOOP_THREAD();
    while (s->subscriptions) nd_subscription_destroy(s->subscriptions);
    nd_waiters_remove_session(d->worlds, s);
}

void nd_delivery_end_world(nd_delivery *d, nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    (void)d;
    nd_waiters_cancel(w, 0, "the world was deleted");
    while (w->subscriptions) nd_subscription_end(w->subscriptions, "deleted");
}
