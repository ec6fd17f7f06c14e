#include "daemon/delivery/settings.h"

#include "daemon/base/thread.h"
#include "daemon/delivery/subscription.h"
#include "daemon/delivery/sync.h"
#include "daemon/delivery/waiters.h"
#include "daemon/world/profiles.h"

// The step that begins at a profile, or NULL.
static const nd_profile_step *step_of(const nd_profile_step *steps, uint32_t count, uint32_t profile)
{
    uint32_t i = 0;
    while (i < count && steps[i].from != profile) i++;
    return i < count ? &steps[i] : NULL;
}

// All parts go where their slots went. NAV_ERR_STATE: none of them are there any more. NAV_ERR_MEMORY, NAV_ERR_LIMIT.
static nav_status follow(nd_subscription *lead, const nd_profile_step *steps, uint32_t count)
{
    const nd_world *w = lead->world;
    const nd_profile *from = &w->profiles[lead->profile]; // its tiles may be going; it is still there
    uint32_t first = nd_world_find_first(w, from->wire.name, lead->sheets);
    if (first == UINT32_MAX) return NAV_ERR_STATE;
    if (w->profiles[first].wire.settings.sheets != from->wire.settings.sheets)
        return nd_subscription_regroup(lead, first);
    for (nd_subscription *part = lead; part; part = part->next_part) {
        const nd_profile_step *step = step_of(steps, count, part->profile);
        if (step && step->to != step->from) nd_subscription_move(part, step->to);
    }
    return NAV_OK;
}

void nd_settings_tell(nd_delivery *d, nd_world *w, const nd_profile_change *change)
{
    ND_ASSERT_LOOP_THREAD();
    const nd_profile_step *steps;
    uint32_t count = nd_profile_change_steps(change, &steps);
    for (nd_subscription *sub = nd_subscription_next_of_world(w, NULL), *next; sub; sub = next) {
        next = nd_subscription_next_of_world(w, sub);
        if (!step_of(steps, count, sub->profile)) continue;
        nav_status s = follow(sub, steps, count);
        if (s == NAV_ERR_STATE) {
            const bool is_there = nd_world_find_profile(w, w->profiles[sub->profile].wire.name) != UINT32_MAX;
            nd_subscription_end(sub, is_there ? "sheets removed" : "profile removed");
            continue;
        }
        if (s != NAV_OK) nd_session_close(sub->session, s == NAV_ERR_LIMIT ? "max_tiles" : "memory");
        sub->settings_due = true;
        sub->settings_revision = w->revision;
        nd_subscription_flush_all(sub);
    }
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].from != UINT32_MAX && steps[i].to != UINT32_MAX && steps[i].to != steps[i].from)
            nd_waiters_move(w, steps[i].from, steps[i].to);
    nd_waiters_check(w); // some may have waited for what is gone
    nd_sync_due(d, w);
}
