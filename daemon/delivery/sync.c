#include "daemon/delivery/sync.h"

#include "daemon/base/thread.h"
#include "daemon/delivery/areas.h"
#include "daemon/delivery/subscription.h"
#include "daemon/world/changes.h"

void nd_sync_due(nd_delivery *d, nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    w->sync_due = d->sync_due = true;
}

static void send_synced(nd_subscription *sub, uint64_t revision)
{
    nav_buffer *out = &sub->delivery->sessions->scratch;
    np_synced_note note = {.subscription = sub->id, .world = sub->world->id, .revision = revision};
    out->size = 0;
    if (np_encode_synced_note(out, &note) == NAV_OK)
        nd_session_send(sub->session, out->data, out->size, NULL);
    else
        nd_session_close(sub->session, "memory");
}

// Is all sent that there is? complete: up to which revision that is everything.
static bool has_all_parts(const nd_subscription *lead, uint64_t *complete)
{
    bool all = !lead->settings_due;
    *complete = UINT64_MAX;
    for (const nd_subscription *p = lead; p; p = p->next_part) {
        uint64_t own = nd_changes_complete_in(p->world, &p->watch);
        all = all && !p->regrid && !p->pending && !p->fetching && !p->awaited;
        if (own < *complete) *complete = own;
    }
    return all;
}

static void tell_world(nd_world *w)
{
    nd_subscriptions_end_regrid(w);
    for (nd_subscription *sub = nd_subscription_next_of_world(w, NULL); sub;
         sub = nd_subscription_next_of_world(w, sub)) {
        if (!sub->session->closing && !nd_areas_tell(sub)) nd_sync_due(sub->delivery, w);
        uint64_t complete;
        bool has_all = has_all_parts(sub, &complete);
        bool news = !sub->synced_once || sub->synced < complete;
        if (!news || !has_all || sub->session->closing) continue;
        if (!nd_session_writable(sub->session)) {
            nd_sync_due(sub->delivery, w); // when there is room
        } else {
            sub->synced_once = true;
            sub->synced = complete;
            if (w->scheduler.told < complete) w->scheduler.told = complete;
            send_synced(sub, complete);
        }
    }
}

void nd_sync_tell(nd_delivery *d)
{
    ND_ASSERT_LOOP_THREAD();
    if (!d->sync_due) return;
    d->sync_due = false; // and true again where a session has no room
    for (size_t i = 0; i < d->worlds->count; i++) {
        nd_world *w = d->worlds->list[i];
        if (!w->sync_due) continue;
        w->sync_due = false;
        tell_world(w);
    }
}
