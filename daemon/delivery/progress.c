#include "daemon/delivery/progress.h"

#include "daemon/base/thread.h"
#include "daemon/delivery/subscription.h"
#include "daemon/world/profiles.h"

#include <stdlib.h>

enum { PERIOD_MS = 100 };

// One note per session and profile, however many of its subscriptions look at it.
static bool told_already(const nd_world *w, const nd_subscription *sub)
{
    for (const nd_subscription *o = nd_subscription_next_of_world(w, NULL); o != sub;
         o = nd_subscription_next_of_world(w, o))
        if (o->session == sub->session && nd_world_same_profile(w, o->profile, sub->profile)) return true;
    return false;
}

static void tell(nd_delivery *d, nd_world *w)
{
    nav_buffer *out = &d->sessions->scratch;
    for (nd_subscription *sub = nd_subscription_next_of_world(w, NULL); sub;
         sub = nd_subscription_next_of_world(w, sub)) {
        uint64_t done = 0, open = 0;
        for (uint32_t i = 0; i < w->profile_count; i++) {
            if (!nd_profile_is_live(w, i) || !nd_world_same_profile(w, i, sub->profile)) continue;
            done += w->scheduler.progress[i].done;
            open += w->scheduler.progress[i].open;
        }
        if (!nd_session_writable(sub->session) || !(done + open) || told_already(w, sub)) continue;
        np_progress_note note = {
            .world = w->id, .profile = w->profiles[sub->profile].wire.name, .done = done, .total = done + open};
        out->size = 0;
        if (np_encode_progress_note(out, &note) == NAV_OK) nd_session_send(sub->session, out->data, out->size, NULL);
    }
}

static void on_period(uv_timer_t *timer)
{
    nd_delivery *d = timer->data;
    bool busy = false;
    for (size_t i = 0; i < d->worlds->count; i++) {
        nd_world *w = d->worlds->list[i];
        bool open = w->scheduler.open.oldest || w->scheduler.held.oldest;
        if (open || w->progress_shown) tell(d, w);
        w->progress_shown = open;
        busy |= open;
    }
    if (!busy) uv_timer_stop(timer);
}

void nd_progress_init(nd_delivery *d)
{
    if (uv_timer_init(d->sessions->loop, &d->progress)) abort(); // it cannot: a timer is memory only
    d->progress.data = d;
}

void nd_progress_close(nd_delivery *d)
{
    uv_close((uv_handle_t *)&d->progress, NULL);
}

void nd_progress_watch(nd_delivery *d)
{
    ND_ASSERT_LOOP_THREAD();
    const uv_handle_t *timer = (uv_handle_t *)&d->progress;
    if (!uv_is_closing(timer) && !uv_is_active(timer)) uv_timer_start(&d->progress, on_period, PERIOD_MS, PERIOD_MS);
}
