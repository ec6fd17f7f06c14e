#include "daemon/replica/follower.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/replica/arrivals.h"
#include "daemon/replica/feed.h"
#include "daemon/replica/listing.h"
#include "daemon/replica/state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// MOST_MESHES: are fetched at once.
enum { RETRY_MS = 200, MOST_GAPS = 3, MOST_MESHES = 256 };

typedef enum phase { STOPPED, LISTING, STATES, LOG } phase;

typedef struct fetch_call {
    nd_follower *follower; // NULL: it was stopped meanwhile
} fetch_call;

// What is to be applied.
typedef struct due_plan {
    bool is_there, is_state;
    nd_plan plan;
    char space[ND_SPACE_BYTES];
    uint64_t world, sequence, made_ns, bytes, state_bytes;
    uint32_t awaited; // meshes that are on their way
} due_plan;

struct nd_follower {
    nd_follower_options o;
    uv_timer_t retry;
    nd_feed *feed;
    nd_apply apply;
    phase phase;
    bool up, closing, live, stepping;
    bool applying, discarded; // discarded: what is being applied is of no use any more
    bool restarts;            // from the list on, when the timer comes
    nd_list_task *listing;
    nd_replica_list *list;
    size_t list_at;
    bool keeps;               // of the list: what is known of worlds counts, and only what is newer is fetched
    uint64_t leader_sequence; // of the newest note that was seen
    bool purged;              // some messages were gone before they were read, and any world's may be among them
    fetch_call *fetching;     // NULL: no state is on its way
    due_plan due;
    nd_arrivals arrivals;
    uint64_t gap_sequence; // of the arrival before which something was missing last
    unsigned gap_tries;
    void (*caught_up)(void *user, uint64_t last);
    void *caught_up_user;
    uint64_t catch_up_last;
    bool catch_up_known;
    nd_follower_stats stats;
};

static void step(nd_follower *f);
static void list(nd_follower *f);

static void on_retry(uv_timer_t *timer)
{
    nd_follower *f = timer->data;
    const bool restarts = f->restarts;
    f->restarts = false;
    f->due.awaited = 0; // all are asked for again
    if (restarts)
        nd_follower_start(f);
    else if (f->phase == LISTING)
        list(f);
    else
        step(f);
}

static void retry_soon(nd_follower *f)
{
    if (!uv_is_active((uv_handle_t *)&f->retry)) uv_timer_start(&f->retry, on_retry, RETRY_MS, 0);
}

static void restart_soon(nd_follower *f)
{
    f->restarts = true;
    retry_soon(f);
}

// --- the list ---

static bool is_listed(const nd_replica_list *l, uint64_t world)
{
    for (size_t i = 0; i < l->world_count; i++)
        if (l->worlds[i].world == world) return true;
    return false;
}

static nav_status remove_others(nd_follower *f)
{
    const nd_worlds *all = f->o.methods->worlds;
    nav_status s = NAV_OK;
    for (size_t i = all->count; i-- > 0 && s == NAV_OK;)
        if (!is_listed(f->list, all->list[i]->id)) s = nd_apply_remove(&f->apply, all->list[i]);
    return s;
}

static bool is_foreign(const nd_follower *f)
{
    const nd_world_store *store = f->o.methods->store;
    return store && f->o.methods->worlds->count && !nav_key_equal(store->log_id, f->list->leader.log);
}

static void take_list(nd_follower *f)
{
    nd_world_store *store = f->o.methods->store;
    if (is_foreign(f)) {
        nd_follower_stop(f);
        f->o.on_foreign(f->o.user);
        return;
    }
    f->o.on_leader(f->o.user, &f->list->leader);
    if (store && !nav_key_equal(store->log_id, f->list->leader.log)) nd_world_store_set_log(store, f->list->leader.log);
    f->keeps &= f->list->leader_sequence == f->leader_sequence; // nothing was renewed
    f->leader_sequence = f->list->leader_sequence;
    if (!f->keeps) nd_tracks_deinit(f->o.tracks);
    if (remove_others(f) != NAV_OK) {
        restart_soon(f);
        return;
    }
    f->list_at = 0;
    f->phase = STATES;
    step(f);
}

static void listed(void *user, nd_replica_list *l)
{
    nd_follower *f = user;
    f->listing = NULL;
    nd_replica_list_destroy(f->list);
    f->list = l;
    if (f->phase != LISTING) return;
    if (l->status != NAV_OK) {
        nd_log(ND_LOG_WARN, "replica.no_list", "why=%s", nd_log_quote_sentence(l->why).text);
        retry_soon(f);
    } else if (!l->has_leader && l->world_count) {
        nd_log(ND_LOG_WARN, "replica.no_list", "why=\"the log has worlds, and no note of who leads\"");
        retry_soon(f); // the leader, if there is one, writes it again
    } else if (!l->has_leader) {
        retry_soon(f);
        f->o.on_empty(f->o.user);
    } else if (f->applying) {
        retry_soon(f); // what it changes now is of no use, but must end
    } else {
        take_list(f);
    }
}

static void list(nd_follower *f)
{
    if (f->listing || !f->up) return;
    if (nd_replica_list_start(f->o.bus, f->o.farm, listed, f, &f->listing) != NAV_OK) retry_soon(f);
}

// --- states ---

static void fetched(void *user, nd_state *state)
{
    fetch_call *call = user;
    nd_follower *f = call->follower;
    free(call);
    if (!f) {
        nd_state_destroy(state);
        return;
    }
    f->fetching = NULL;
    if (state->status == NAV_OK && state->is_known) {
        nd_state_destroy(state);
        step(f);
        return;
    }
    nd_track *t = nd_track_need(f->o.tracks, state->space, state->world);
    nav_status s = t ? state->status : NAV_ERR_MEMORY;
    if (s == NAV_OK && (!state->plan.has_head || state->plan.world != state->world)) s = NAV_ERR_FORMAT;
    if (s == NAV_ERR_NOT_FOUND && t) { // the world was deleted: what comes of it is from before
        nd_world *w = nd_worlds_find(f->o.methods->worlds, state->world);
        t->is_ghost = true;
        if (w && nd_apply_remove(&f->apply, w) != NAV_OK) restart_soon(f);
    } else if (s != NAV_OK) {
        nd_log(ND_LOG_WARN, "replica.no_state", "world=%" PRIu64 " why=%s", state->world,
               nd_log_quote_sentence(nav_status_text(s)).text);
        restart_soon(f);
    } else {
        f->due = (due_plan){.is_there = true,
                            .is_state = true,
                            .plan = state->plan, // moves
                            .world = state->world,
                            .sequence = state->sequence,
                            .state_bytes = state->size,
                            .bytes = state->tail};
        strcpy(f->due.space, state->space);
        state->plan = (nd_plan){0};
    }
    nd_state_destroy(state);
    step(f);
}

// known: all up to this sequence of the log is here.
static void fetch(nd_follower *f, const char *space, uint64_t world, uint64_t known)
{
    nd_state *state = calloc(1, sizeof *state);
    fetch_call *call = calloc(1, sizeof *call);
    if (state && call) {
        state->world = world;
        state->known = known;
        strncpy(state->space, space, sizeof state->space - 1);
        call->follower = f;
        if (nd_state_fetch(f->o.bus, f->o.farm, state, fetched, call) == NAV_OK) {
            f->fetching = call;
            return;
        }
    }
    free(state);
    free(call);
    restart_soon(f);
}

// --- plans ---

static nd_namespace *space_of(nd_follower *f)
{
    const nd_plan *p = &f->due.plan;
    nd_world *w = nd_worlds_find(f->o.methods->worlds, p->world);
    nd_namespace *space = w ? w->space : NULL;
    if (p->has_head && nd_namespaces_need(&f->o.methods->sessions->access.spaces, p->space, &space) != NAV_OK)
        return NULL;
    return space;
}

// False: some are on their way.
static bool meshes_are_here(nd_follower *f)
{
    due_plan *d = &f->due;
    const nd_plan *p = &d->plan;
    nd_namespace *space = p->mesh_count ? space_of(f) : NULL;
    for (uint32_t i = 0; i < p->mesh_count && d->awaited < MOST_MESHES; i++) {
        const nd_mesh *m = nd_mesh_store_find(f->o.methods->meshes, &p->meshes[i]);
        if (m && m->state != ND_MESH_LOST) continue;
        if (!space) return true; // applying it finds out
        d->awaited++;
        if (nd_mesh_share_get(f->o.share, space, p->meshes[i]) != NAV_OK) retry_soon(f);
    }
    return !d->awaited;
}

static void note_applied(nd_follower *f)
{
    const due_plan *d = &f->due;
    nd_track *t = nd_track_need(f->o.tracks, d->space, d->world);
    if (!t) {
        restart_soon(f);
        return;
    }
    if (t->last < d->sequence) t->last = d->sequence;
    t->is_ghost = d->plan.is_gone;
    if (d->is_state) {
        t->state_bytes = d->state_bytes;
        t->bytes = d->bytes;
        t->entries = d->bytes > 0;
        f->stats.states++;
        return;
    }
    if (!t->entries++) t->began_ns = d->made_ns;
    t->bytes += d->bytes;
    f->stats.entries++;
    const uint64_t now = nd_time_of_day_ns();
    nd_histogram_add(&f->stats.lag, now > d->made_ns ? (now - d->made_ns) / 1000 : 0);
}

static void applied(void *user, nav_status status, const char *why)
{
    nd_follower *f = user;
    f->applying = false;
    if (f->closing) return;
    if (f->discarded) {
        f->discarded = false;
    } else if (status == NAV_OK) {
        note_applied(f);
        if (!f->due.is_state) nd_feed_take(f->feed, f->due.sequence);
    } else {
        nd_log(ND_LOG_ERROR, "replica.not_applied", "world=%" PRIu64 " state=%d why=%s", f->due.world, f->due.is_state,
               nd_log_quote_sentence(why).text);
        f->stats.failed++;
        restart_soon(f);
    }
    step(f);
}

static bool apply_due(nd_follower *f)
{
    if (f->due.awaited || !meshes_are_here(f)) return false;
    nd_plan plan = f->due.plan;
    f->due.is_there = false;
    f->due.plan = (nd_plan){.is_gone = plan.is_gone};
    f->applying = true;
    nd_apply_start(&f->apply, &plan, f->due.is_state);
    return !f->applying;
}

// --- the log ---

static void take_note(nd_follower *f, const nd_arrival *a)
{
    if (a->sequence <= f->leader_sequence) return;
    f->leader_sequence = a->sequence;
    if (a->note.renews)
        restart_soon(f);
    else
        f->o.on_leader(f->o.user, &a->note);
}

static void drop_arrival(nd_follower *f)
{
    nd_feed_take(f->feed, f->arrivals.queue.first->sequence);
    nd_arrivals_drop(&f->arrivals);
}

// An entry before it is not here, and no longer in the log: the state has it.
static bool fill_gap(nd_follower *f, const nd_arrival *a)
{
    if (f->gap_sequence != a->sequence) f->gap_tries = 0;
    f->gap_sequence = a->sequence;
    f->stats.gaps++;
    if (++f->gap_tries > MOST_GAPS) {
        nd_log(ND_LOG_ERROR, "replica.gap", "world=%" PRIu64 " sequence=%" PRIu64 " after=%" PRIu64, a->head.world,
               a->sequence, a->head.after);
        restart_soon(f);
        return false;
    }
    fetch(f, a->space, a->head.world, 0);
    return false;
}

static bool take_arrival(nd_follower *f)
{
    nd_arrival *a = f->arrivals.queue.first;
    if (a->is_note) {
        take_note(f, a);
        drop_arrival(f);
        return !f->restarts;
    }
    const nd_entry *e = &a->head;
    nd_track *t = nd_track_find(f->o.tracks, e->world);
    const bool is_old = t && (a->sequence <= t->last || (t->is_ghost && e->after));
    if (is_old) {
        drop_arrival(f);
        return true;
    }
    if (a->is_torn || e->after > (t ? t->last : 0)) return fill_gap(f, a);
    f->due = (due_plan){.world = e->world, .sequence = a->sequence, .made_ns = e->made_ns, .bytes = a->records.size};
    strcpy(f->due.space, a->space);
    nav_status s = nd_plan_read(&f->due.plan, &a->records);
    if (s == NAV_OK && f->due.plan.world != e->world) s = NAV_ERR_FORMAT;
    nd_arrivals_drop(&f->arrivals);
    f->due.is_there = s == NAV_OK;
    if (s == NAV_OK) return true;
    nd_plan_deinit(&f->due.plan);
    nd_log(ND_LOG_ERROR, "replica.bad_entry", "world=%" PRIu64 " why=%s", f->due.world, nav_status_name(s));
    f->stats.failed++;
    restart_soon(f);
    return false;
}

static void on_message(void *user, const nd_feed_message *m)
{
    nd_follower *f = user;
    bool whole;
    nav_status s = nd_arrivals_add(&f->arrivals, f->o.farm, m, &whole);
    if (s != NAV_OK) {
        f->stats.failed++;
        nd_log(ND_LOG_WARN, "replica.bad_message", "sequence=%" PRIu64 " why=%s", m->sequence, nav_status_name(s));
        if (s != NAV_ERR_FORMAT) restart_soon(f); // of another version: without it nothing is as the leader has it
    }
    if (!whole) nd_feed_take(f->feed, m->sequence);
    if (whole) step(f);
}

static void on_gap(void *user)
{
    nd_follower *f = user;
    nd_log(ND_LOG_WARN, "replica.feed_broke_off", "%s", "why=\"the log is shorter than it was, or much longer\"");
    restart_soon(f);
}

static void on_purged(void *user)
{
    nd_follower *f = user;
    f->purged = true;
}

static void on_all_given(void *user)
{
    step(user);
}

static void on_caught_up(void *user, uint64_t last)
{
    nd_follower *f = user;
    f->catch_up_known = true;
    f->catch_up_last = last;
    step(f);
}

static void forget_work(nd_follower *f);

// What was purged before it was read is in states: from the list on, for worlds that have changed since.
static void look_again(nd_follower *f)
{
    forget_work(f);
    f->keeps = true;
    f->phase = LISTING;
    list(f);
}

static void note_idle(nd_follower *f)
{
    if (f->purged && (nd_feed_is_empty(f->feed) || f->catch_up_known)) {
        look_again(f);
        return;
    }
    if (!f->live && nd_feed_is_empty(f->feed)) {
        f->live = true;
        f->o.on_live(f->o.user);
    }
    if (!f->catch_up_known || !f->caught_up) return;
    void (*caught_up)(void *user, uint64_t last) = f->caught_up;
    f->caught_up = NULL;
    f->catch_up_known = false;
    caught_up(f->caught_up_user, f->catch_up_last);
}

// --- one after the other ---

// False: it waits for something.
static bool step_once(nd_follower *f)
{
    if (f->phase == STOPPED || f->phase == LISTING || f->applying || f->fetching || f->restarts) return false;
    if (f->due.is_there) return apply_due(f);
    if (f->phase == STATES && f->list_at < f->list->world_count) {
        const nd_listed_world *w = &f->list->worlds[f->list_at++];
        const nd_track *t = f->keeps ? nd_track_find(f->o.tracks, w->world) : NULL;
        fetch(f, w->space, w->world, t ? t->last : 0);
        return false;
    }
    if (f->phase == STATES) {
        f->phase = LOG;
        nd_feed_start(f->feed, f->list->last);
        return true;
    }
    if (f->arrivals.queue.first) return take_arrival(f);
    note_idle(f);
    return false;
}

static void step(nd_follower *f)
{
    if (f->stepping || f->closing) return;
    f->stepping = true;
    while (step_once(f)) {
    }
    f->stepping = false;
}

static void forget_work(nd_follower *f)
{
    nd_feed_stop(f->feed);
    nd_replica_list_forget(f->listing);
    f->listing = NULL;
    if (f->fetching) f->fetching->follower = NULL;
    f->fetching = NULL;
    f->discarded = f->applying;
    if (!f->applying) nd_plan_deinit(&f->due.plan);
    f->due.is_there = false;
    nd_arrivals_clear(&f->arrivals);
    f->live = f->restarts = f->keeps = f->purged = false;
    f->caught_up = NULL;
    f->catch_up_known = false;
    uv_timer_stop(&f->retry);
}

void nd_follower_start(nd_follower *f)
{
    ND_ASSERT_LOOP_THREAD();
    forget_work(f);
    f->phase = LISTING;
    list(f);
}

void nd_follower_stop(nd_follower *f)
{
    ND_ASSERT_LOOP_THREAD();
    forget_work(f);
    f->phase = STOPPED;
}

nav_status nd_follower_create(const nd_follower_options *o, nd_follower **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_follower *f = calloc(1, sizeof *f);
    if (!f) return NAV_ERR_MEMORY;
    const nd_feed_options feed = {.loop = o->loop,
                                  .bus = o->bus,
                                  .farm = o->farm,
                                  .on_message = on_message,
                                  .on_purged = on_purged,
                                  .on_empty = on_all_given,
                                  .on_gap = on_gap,
                                  .user = f};
    if (nd_feed_create(&feed, &f->feed) != NAV_OK) {
        free(f);
        return NAV_ERR_MEMORY;
    }
    f->o = *o;
    f->apply = (nd_apply){.methods = o->methods, .done = applied, .user = f};
    nd_arrivals_init(&f->arrivals);
    if (uv_timer_init(o->loop, &f->retry)) abort(); // it cannot: memory only
    f->retry.data = f;
    *out = f;
    return NAV_OK;
}

static void on_closed(uv_handle_t *handle)
{
    nd_follower *f = handle->data;
    nd_apply_deinit(&f->apply);
    free(f);
}

void nd_follower_close(nd_follower *f)
{
    if (!f || f->closing) return;
    nd_follower_stop(f);
    f->closing = true;
    nd_feed_close(f->feed);
    nd_replica_list_destroy(f->list);
    uv_close((uv_handle_t *)&f->retry, on_closed);
}

void nd_follower_note_mesh(nd_follower *f, nav_key hash, nav_status status)
{
    char text[NAV_KEY_TEXT_BYTES];
    if (!f->due.is_there) return;
    if (status == NAV_OK) {
        if (f->due.awaited) f->due.awaited--;
        step(f);
        return;
    }
    nav_key_text(hash, text);
    nd_log(ND_LOG_WARN, "replica.no_mesh", "mesh=%s why=%s", text, nav_status_name(status));
    retry_soon(f);
}

void nd_follower_note_server(nd_follower *f, bool up)
{
    f->up = up;
    nd_feed_note_server(f->feed, up);
    if (!up) return;
    if (f->phase == LISTING)
        list(f);
    else
        step(f);
}

bool nd_follower_is_live(const nd_follower *f)
{
    return f->live;
}

void nd_follower_catch_up(nd_follower *f, void (*done)(void *user, uint64_t last), void *user)
{
    f->caught_up = done;
    f->caught_up_user = user;
    f->catch_up_known = false;
    nd_feed_catch_up(f->feed, on_caught_up, f);
}

bool nd_follower_is_behind(const nd_follower *f, uint64_t world)
{
    const nd_arrival *a = f->arrivals.queue.first;
    if ((f->due.is_there || f->applying) && f->due.world == world) return true;
    while (a && (a->is_note || a->head.world != world)) a = a->next;
    return a != NULL;
}

const nd_follower_stats *nd_follower_stats_of(const nd_follower *f)
{
    ((nd_follower *)f)->stats.behind = f->phase == LOG ? nd_feed_pending(f->feed) : 0;
    return &f->stats;
}
