#include "daemon/delivery/settings.h"

#include "daemon/base/thread.h"
#include "daemon/delivery/subscription.h"
#include "daemon/delivery/sync.h"
#include "daemon/delivery/waiters.h"

// The step that begins at a profile, or NULL.
static const nd_profile_step *step_of(const nd_profile_step *steps, uint32_t count, uint32_t profile)
{
    uint32_t i = 0;
    while (i < count && steps[i].from != profile) i++;
    return i < count ? &steps[i] : NULL;
}

static void move(nd_subscription *sub, uint32_t to)
{
    nd_world *w = sub->world;
    w->profiles[sub->profile].wanted[sub->encoding]--;
    w->profiles[to].wanted[sub->encoding]++;
    sub->profile = to;
    sub->regrid = w->revision;
    sub->sent.grid++;
    nd_subscription_measure(sub);
}

void nd_settings_tell(nd_delivery *d, nd_world *w, const nd_profile_change *change)
{
    ND_ASSERT_LOOP_THREAD();
    const nd_profile_step *steps;
    uint32_t count = nd_profile_change_steps(change, &steps);
    for (nd_subscription *sub = w->subscriptions, *next; sub; sub = next) {
        const nd_profile_step *step = step_of(steps, count, sub->profile);
        next = sub->next_of_world;
        if (!step) continue;
        if (step->to == UINT32_MAX) {
            nd_subscription_end(sub, "profile removed");
            continue;
        }
        if (step->to != step->from) move(sub, step->to);
        sub->settings_due = true;
        sub->settings_revision = w->revision;
        nd_subscription_flush(sub, NULL, NULL);
    }
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].from != UINT32_MAX && steps[i].to != UINT32_MAX && steps[i].to != steps[i].from)
            nd_waiters_move(w, steps[i].from, steps[i].to);
    nd_waiters_check(w); // some may have waited for what is gone
    nd_sync_due(d, w);
}
