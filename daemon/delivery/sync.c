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

static void tell_world(nd_world *w)
{
    nd_subscriptions_end_regrid(w);
    for (nd_subscription *sub = w->subscriptions; sub; sub = sub->next_of_world) {
        if (!sub->session->closing && !nd_areas_tell(sub)) nd_sync_due(sub->delivery, w);
        uint64_t complete = nd_changes_complete_in(w, &sub->watch);
        bool news = !sub->synced_once || sub->synced < complete;
        bool has_all = !sub->settings_due && !sub->regrid && !sub->pending && !sub->fetching && !sub->awaited;
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
