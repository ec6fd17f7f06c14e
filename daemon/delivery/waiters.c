#include "daemon/delivery/waiters.h"

#include "daemon/base/thread.h"
#include "daemon/delivery/subscription.h"
#include "daemon/session/reply.h"

#include <stdlib.h>

typedef struct nd_waiter {
    struct nd_waiter *next;
    nd_session *session;
    uint32_t request;
    uint64_t revision;
} nd_waiter;

static bool is_done(const nd_world *w, const nd_waiter *wait)
{
    if (!nd_scheduler_done_to(&w->scheduler, wait->revision)) return false;
    // What is made again for a subscriber may be of a later revision: the daemon raises it by itself, too.
    bool busy = w->scheduler.open.oldest || w->scheduler.held.oldest;
    for (const nd_subscription *sub = wait->session->subscriptions; sub; sub = sub->next_of_session)
        if (sub->world == w && (sub->regrid || sub->pending || sub->fetching || (sub->awaited && busy))) return false;
    return true;
}

// Takes the waiter out of the list.
static void answer(nd_world *w, nd_waiter **at, const char *cancelled)
{
    nd_waiter *wait = *at;
    *at = wait->next;
    wait->session->waits--;
    if (cancelled) {
        np_error e;
        np_error_set(&e, NAV_ERR_CANCELLED, "%s; the wait for revision %llu was cancelled", cancelled,
                     (unsigned long long)wait->revision);
        nd_reply_error(wait->session, wait->request, &e);
    } else {
        np_jobs_wait_response r = {.revision = w->revision};
        nd_reply(wait->session, wait->request, NP_JOBS_WAIT, &r);
    }
    free(wait);
}

nav_status nd_waiters_add(nd_world *w, nd_session *s, uint32_t request, uint64_t revision)
{
    ND_ASSERT_LOOP_THREAD();
    nd_waiter *wait = calloc(1, sizeof *wait);
    if (!wait) return NAV_ERR_MEMORY;
    *wait = (nd_waiter){.next = w->waiters, .session = s, .request = request, .revision = revision};
    w->waiters = wait;
    s->waits++;
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
            s->waits--;
            free(wait);
        }
}
