#include "daemon/delivery/waiters.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/delivery/subscription.h"
#include "daemon/schedule/unwatched.h"
#include "daemon/session/reply.h"
#include "daemon/world/profiles.h"
#include "daemon/world/reach.h"

#include <stdlib.h>
#include <string.h>

typedef struct nd_waiter {
    struct nd_waiter *next;
    nd_session *session;
    uint32_t request;
    uint64_t revision;
    bool has_place; // it waits for the tiles of its watches alone
    bool has_box;
    double min[2], max[2]; // of the watches, in metres
    uint32_t watch_count;
    nd_watch watches[]; // a slot each
} nd_waiter;

enum { FEW_TILES = 1024 }; // so many are looked for one by one

static bool is_on_its_way(const nd_sent *s)
{
    return s && (s->pending || s->fetching || s->awaited);
}

// Has the subscription still something to send of a watch's tiles? Of many tiles: of any.
static bool has_to_send(const nd_subscription *sub, const nd_watch *w)
{
    if (!sub->pending && !sub->fetching && !sub->awaited) return false;
    if (sub->profile != w->profile) return false;
    if (nd_area_of(w->first, w->last) > FEW_TILES) return true;
    for (int64_t z = w->first[1]; z <= w->last[1]; z++)
        for (int64_t x = w->first[0]; x <= w->last[0]; x++)
            if (is_on_its_way(nd_sent_find(&sub->sent, (int32_t)x, (int32_t)z))) return true;
    return false;
}

static bool is_done_there(const nd_world *w, const nd_waiter *wait)
{
    // Where something is to be reached, how a tile is delivered depends on the others.
    bool all = nd_goal_is_on(&w->goal);
    for (uint32_t i = 0; i < wait->watch_count; i++)
        if (!(all ? nd_scheduler_done_to(&w->scheduler, wait->revision)
                  : nd_scheduler_done_in(&w->scheduler, &wait->watches[i], wait->revision)))
            return false;
    for (const nd_subscription *sub = wait->session->subscriptions; sub; sub = sub->next_of_session)
        for (uint32_t i = 0; i < wait->watch_count && sub->world == w; i++)
            if (has_to_send(sub, &wait->watches[i])) return false;
    return true;
}

static bool is_done(const nd_world *w, const nd_waiter *wait)
{
    // A revision that is still to come is that of a change of profiles; where that is refused there is none.
    if (wait->revision > w->revision && w->change) return false;
    if (wait->has_place) return is_done_there(w, wait);
    if (!nd_scheduler_done_to(&w->scheduler, wait->revision)) return false;
    // What is made again for a subscriber may be of a later revision: the daemon raises it by itself, too.
    bool busy = w->scheduler.open.oldest || w->scheduler.held.oldest;
    for (const nd_subscription *sub = wait->session->subscriptions; sub; sub = sub->next_of_session)
        if (sub->world == w && (sub->regrid || sub->pending || sub->fetching || (sub->awaited && busy))) return false;
    return true;
}

static void destroy(nd_world *w, nd_waiter *wait)
{
    for (uint32_t i = 0; i < wait->watch_count; i++) nd_scheduler_remove_watch(&w->scheduler, &wait->watches[i]);
    wait->session->waits--;
    free(wait);
}

// Takes the waiter out of the list.
static void answer(nd_world *w, nd_waiter **at, const char *cancelled)
{
    nd_waiter *wait = *at;
    *at = wait->next;
    if (cancelled) {
        np_error e;
        np_error_set(&e, NAV_ERR_CANCELLED, "%s; the wait for revision %llu was cancelled", cancelled,
                     (unsigned long long)wait->revision);
        nd_reply_error(wait->session, wait->request, &e);
    } else {
        np_jobs_wait_response r = {.revision = w->revision};
        nd_reply(wait->session, wait->request, NP_JOBS_WAIT, &r);
    }
    destroy(w, wait);
}

static nav_status add(nd_world *w, nd_session *s, uint32_t request, uint64_t revision, uint32_t watch_count,
                      nd_waiter **out)
{
    nd_waiter *wait = calloc(1, sizeof *wait + watch_count * sizeof *wait->watches);
    if (!wait) return NAV_ERR_MEMORY;
    wait->next = w->waiters;
    wait->session = s;
    wait->request = request;
    wait->revision = revision;
    wait->watch_count = watch_count;
    w->waiters = *out = wait;
    s->waits++;
    return NAV_OK;
}

nav_status nd_waiters_add(nd_world *w, nd_session *s, uint32_t request, uint64_t revision)
{
    ND_ASSERT_LOOP_THREAD();
    nd_waiter *wait;
    nav_status status = add(w, s, request, revision, 0, &wait);
    if (status == NAV_OK && is_done(w, wait)) answer(w, &w->waiters, NULL);
    return status;
}

static void watch(nd_world *w, const nd_waiter *wait, nd_watch *watch, uint32_t profile)
{
    const double *min = wait->has_box ? wait->min : NULL;
    watch->profile = profile;
    nd_world_tiles_of(w, profile, min, wait->max, 0, watch->first, watch->last);
    nd_world_tiles_of(w, profile, min, wait->max, 0, watch->margin_first, watch->margin_last);
    nd_scheduler_add_watch(&w->scheduler, watch, nd_now_ns());
}

void nd_waiters_move(nd_world *w, uint32_t from, uint32_t to)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_waiter *wait = w->waiters; wait; wait = wait->next) {
        bool moved = !wait->has_place;
        for (uint32_t i = 0; i < wait->watch_count; i++) {
            if (wait->watches[i].profile != from) continue;
            nd_scheduler_remove_watch(&w->scheduler, &wait->watches[i]);
            watch(w, wait, &wait->watches[i], to);
            moved = true;
        }
        if (moved && wait->revision < w->revision) wait->revision = w->revision; // what it waited for is never made
    }
}

nav_status nd_waiters_add_in(nd_world *w, nd_session *s, uint32_t request, uint64_t revision, uint32_t profile,
                             const double *min, const double *max)
{
    ND_ASSERT_LOOP_THREAD();
    nd_waiter *wait;
    nav_status status = add(w, s, request, revision, w->profile_count, &wait);
    if (status != NAV_OK) return status;
    wait->has_place = true;
    wait->watch_count = 0;
    wait->has_box = min != NULL;
    if (min) memcpy(wait->min, min, sizeof wait->min);
    if (min) memcpy(wait->max, max, sizeof wait->max);
    for (uint32_t p = 0; p < w->profile_count; p++)
        if (nd_profile_is_live(w, p) && (profile == ND_ALL_PROFILES || nd_world_same_profile(w, p, profile)))
            watch(w, wait, &wait->watches[wait->watch_count++], p);
    if (is_done(w, wait)) answer(w, &w->waiters, NULL);
    return NAV_OK;
}

void nd_waiters_check(nd_world *w)
{
    if (w->waiters) nd_subscriptions_end_regrid(w);
    for (nd_waiter **at = &w->waiters; *at;) {
        if (is_done(w, *at))
            answer(w, at, NULL);
        else
            at = &(*at)->next;
    }
}

void nd_waiters_check_session(nd_worlds *worlds, nd_session *s)
{
    for (size_t i = 0; i < worlds->count && s->waits; i++) nd_waiters_check(worlds->list[i]);
}

void nd_waiters_cancel(nd_world *w, uint64_t revision, const char *why)
{
    for (nd_waiter **at = &w->waiters; *at;) {
        if ((*at)->revision >= revision)
            answer(w, at, why);
        else
            at = &(*at)->next;
    }
}

void nd_waiters_remove_session(nd_worlds *worlds, nd_session *s)
{
    for (size_t i = 0; i < worlds->count && s->waits; i++)
        for (nd_waiter **at = &worlds->list[i]->waiters; *at;) {
            nd_waiter *wait = *at;
            if (wait->session != s) {
                at = &wait->next;
                continue;
            }
            *at = wait->next;
            destroy(worlds->list[i], wait);
        }
}
