// world.profile and world.origin, and the profiles that world.open adds. A change is collected some steps in each turn
// of the loop (world/profile_change.h), takes effect at once, and its tiles are marked in the turns that follow
// (world/marking.h). Its session is not held: a slider that is dragged sends the next value before the last one is
// through, and that takes the place of a change that has not taken effect. Any other call that builds on the profiles
// has it take effect first.
//
// A run that has ended well and is not back yet shows what was asked for until now: the change waits for it, which
// takes no longer than the way from a worker to the loop. So nothing is made that nobody sees.
#include "daemon/methods/profile.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/delivery/progress.h"
#include "daemon/delivery/settings.h"
#include "daemon/delivery/sync.h"
#include "daemon/delivery/waiters.h"
#include "daemon/methods/durable.h"
#include "daemon/methods/edit.h"
#include "daemon/world/marking.h"
#include "daemon/world/usage.h"

#include <stdlib.h>
#include <string.h>

// Marked in one turn: few, as the workers begin those near a focus after the first of these turns.
enum { MARKED_A_TURN = 1024 };

typedef struct nd_profile_call nd_profile_call;

struct nd_profile_call {
    nd_profile_call *next;
    nd_methods *methods;
    nd_world *world;
    nd_profile_change *change; // NULL: it has ended
    nd_commit *commit;         // NULL where nothing is stored, or it is with the writer
    nd_profile_list before;    // for the commit
    nd_world_limits limits;
    uint64_t session;
    uint32_t request;
    np_method method;
    np_str replaces;    // a copy; size 0: nobody takes its place
    np_profile *opened; // NP_WORLD_OPEN: room for what is answered
    np_axes axes;       // the same: in which
};

static void end(nd_profile_call *c)
{
    c->world->applying = false;
    nd_profile_change_destroy(c->change);
    c->change = NULL;
    nd_commit_destroy(c->commit);
    c->commit = NULL;
    nd_profile_list_deinit(&c->before);
}

static void refuse(nd_profile_call *c, nav_status status, np_error *err)
{
    nd_session *s = nd_sessions_find(c->methods->sessions, c->session);
    err->code = status;
    if (s) nd_reply_error(s, c->request, err);
}

static void stop_runs(nd_methods *m, nd_world *w, const nd_profile_change *change, unsigned *ended)
{
    const nd_profile_step *steps;
    uint32_t count = nd_profile_change_steps(change, &steps);
    *ended = 0;
    for (uint32_t i = 0; i < count; i++)
        if (steps[i].from != UINT32_MAX) *ended += nd_builder_stop_profile(m->builder, w, steps[i].from);
}

static nav_status write_records(nd_profile_call *c)
{
    nd_world *w = c->world;
    if (!c->commit) return NAV_OK;
    nav_buffer *records = &c->commit->log.records;
    const nd_profile_step *steps;
    uint32_t count = nd_profile_change_steps(c->change, &steps);
    nav_status s = nd_profile_list_of(w, &c->before);
    if (s == NAV_OK) s = nd_change_head_to(records, w, nd_profile_change_wanted(c->change));
    c->commit->log.has_head = true;
    for (uint32_t i = 0; i < count && s == NAV_OK; i++)
        if (steps[i].from != UINT32_MAX && steps[i].from != steps[i].to)
            s = nd_change_remove_tiles(records, w->id, steps[i].from);
    if (s == NAV_OK) s = nd_edit_log_finish(&c->commit->log, w, nd_profile_change_revision(c->change));
    return s;
}

// The answer, which waits for the disk where there is one.
static void reply(nd_profile_call *c)
{
    nd_methods *m = c->methods;
    nd_world *w = c->world;
    nd_commit *commit = c->commit;
    uint32_t dirty = nd_profile_change_dirty_tiles(c->change);
    bool durable = commit != NULL;
    c->commit = NULL;
    if (commit) {
        nd_world_store_flush(m->store); // nothing is written of a slot behind its end
        commit->world = w->id;
        commit->is_change = true;
        commit->before = c->before;
        c->before = (nd_profile_list){0};
        w->head_due = false;
    }
    if (c->method == NP_WORLD_OPEN) {
        nd_reply_opened(m, commit, w, c->session, c->request, false, c->opened, &c->axes);
    } else if (c->method == NP_WORLD_ORIGIN) {
        const np_world_origin_response out = {w->revision, dirty, durable};
        nd_commit_reply(commit, m, c->session, c->request, c->method, &out);
    } else {
        uint32_t slot = c->replaces.size ? nd_world_find_profile(w, c->replaces) : UINT32_MAX;
        const np_world_profile_response out = {w->revision, dirty, durable,
                                               slot == UINT32_MAX ? 0 : w->profiles[slot].wire.grid};
        nd_commit_reply(commit, m, c->session, c->request, c->method, &out);
    }
}

// NAV_ERR_AGAIN: there is more to do before it takes effect. wait: also for runs that are on their way back.
static nav_status apply(nd_profile_call *c, size_t steps, bool wait, np_error *err)
{
    nd_methods *m = c->methods;
    unsigned ended;
    nav_status s = nd_profile_change_collect(c->change, &c->limits, steps, err);
    if (s != NAV_OK) return s;
    stop_runs(m, c->world, c->change, &ended);
    if (ended && wait) {
        c->world->applying = true;
        return NAV_ERR_AGAIN;
    }
    s = nd_profile_change_prepare(c->change, err);
    if (s == NAV_OK) {
        s = write_records(c);
        if (s != NAV_OK) np_error_set(err, s, "no memory to store the change");
    }
    if (s != NAV_OK) return s;
    nd_profile_change_apply(c->change);
    c->world->applying = false;
    reply(c);
    nd_settings_tell(m->delivery, c->world, c->change);
    nd_progress_watch(m->delivery);
    return NAV_OK;
}

// Marks tiles of a world whose settings have changed. True: there are more.
static bool mark_some(nd_methods *m, nd_world *w)
{
    size_t steps = m->edit_steps < MARKED_A_TURN ? m->edit_steps : MARKED_A_TURN;
    if (!w->marking) return false;
    bool more = nd_marking_run(w, &steps);
    nd_builder_kick(m->builder);
    if (more) return true;
    nd_waiters_check(w);
    nd_sync_due(m->delivery, w);
    return false;
}

// True: it has ended.
static bool go_on(nd_profile_call *c, size_t steps, bool wait)
{
    np_error err = {0};
    nav_status s = apply(c, steps, wait, &err);
    if (s == NAV_ERR_AGAIN) return false;
    if (s != NAV_OK) refuse(c, s, &err);
    end(c);
    (void)mark_some(c->methods, c->world); // those near a focus, as a rule
    nd_waiters_check(c->world);
    nd_sync_due(c->methods->delivery, c->world);
    nd_builder_kick(c->methods->builder);
    return true;
}

static void free_call(nd_profile_call *c)
{
    free((char *)c->replaces.data);
    free(c->opened);
    free(c);
}

// Frees tiles of profiles that are gone. True: there are more.
static bool free_gone(nd_methods *m, size_t steps)
{
    bool more = false;
    for (size_t i = 0; i < m->worlds->count; i++) {
        nd_world *w = m->worlds->list[i];
        if (!w->gone_count) continue;
        more |= nd_world_free_gone(w, steps);
        nd_waiters_check(w);
        nd_sync_due(m->delivery, w);
    }
    return more;
}

static bool mark_worlds(nd_methods *m)
{
    bool more = false;
    for (size_t i = 0; i < m->worlds->count; i++) more |= mark_some(m, m->worlds->list[i]);
    return more;
}

// One step of the first change under way, and of each world that is being marked; behind them, what they have left.
static void on_turn(uv_idle_t *handle)
{
    nd_methods *m = handle->data;
    nd_profile_call *c = m->changing;
    bool marking = mark_worlds(m);
    if (!c) {
        if (!marking && !free_gone(m, m->edit_steps)) uv_idle_stop(handle);
        return;
    }
    bool ended = !c->change || go_on(c, m->edit_steps, true);
    m->changing = c->next;
    if (ended) {
        free_call(c);
        return;
    }
    nd_profile_call **at = &m->changing;
    while (*at) at = &(*at)->next;
    *at = c;
    c->next = NULL;
}

void nd_profiles_init(nd_methods *m)
{
    if (uv_idle_init(m->sessions->loop, &m->change_turn)) abort(); // it cannot: memory only
    m->change_turn.data = m;
}

void nd_profiles_close(nd_methods *m)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_profile_call *c; (c = m->changing) != NULL;) {
        m->changing = c->next;
        if (c->change) end(c);
        free_call(c);
    }
    uv_close((uv_handle_t *)&m->change_turn, NULL);
}

void nd_profiles_finish(nd_methods *m, const nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_profile_call *c = m->changing; c; c = c->next)
        if (c->change && c->world == w) (void)go_on(c, SIZE_MAX, false);
}

void nd_profiles_drop(nd_methods *m, const nd_world *w)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_profile_call *c = m->changing; c; c = c->next) {
        np_error err;
        if (!c->change || c->world != w) continue;
        np_error_set_key(&err, NAV_ERR_NOT_FOUND, "world", "the world was deleted");
        refuse(c, NAV_ERR_NOT_FOUND, &err);
        end(c);
    }
}

void nd_profiles_take_back(nd_methods *m, nav_status status, const char *why)
{
    ND_ASSERT_LOOP_THREAD();
    for (nd_profile_call *c = m->changing; c; c = c->next) {
        np_error err;
        if (!c->change) continue;
        m->unstored++;
        np_error_set(&err, status, "it could not be stored and was undone: %s", why);
        refuse(c, status, &err);
        end(c);
    }
}

static void start_turns(nd_methods *m)
{
    if (!uv_is_closing((uv_handle_t *)&m->change_turn)) uv_idle_start(&m->change_turn, on_turn);
}

nav_status nd_profiles_put_back(nd_methods *m, nd_world *w, nd_profile_list *before)
{
    ND_ASSERT_LOOP_THREAD();
    np_error err;
    nd_profile_change *c;
    unsigned ended;
    nav_status s = nd_profile_change_begin(w, before, NULL, UINT32_MAX, nd_now_ns(), "profiles", &c, &err);
    if (s != NAV_OK || !c) return s;
    s = nd_profile_change_collect(c, &nd_world_no_limits, SIZE_MAX, &err);
    if (s == NAV_OK) s = nd_profile_change_prepare(c, &err);
    if (s == NAV_OK) {
        stop_runs(m, w, c, &ended);
        nd_profile_change_apply(c);
        nd_settings_tell(m->delivery, w, c);
    }
    nd_profile_change_destroy(c);
    start_turns(m);
    return s;
}

static nav_status follow(nd_methods *m, nd_world *w, nd_profile_change *change)
{
    np_error err;
    unsigned ended;
    nd_profile_call call = {.methods = m, .world = w, .change = change, .method = NP_WORLD_ORIGIN};
    nav_status s = nd_profile_change_collect(change, &nd_world_no_limits, SIZE_MAX, &err);
    if (s == NAV_OK) s = nd_profile_change_prepare(change, &err);
    if (s == NAV_OK) s = nd_commit_begin(m, 0, 0, &call.commit, &err);
    if (s == NAV_OK) s = write_records(&call);
    if (s == NAV_OK) {
        stop_runs(m, w, change, &ended);
        nd_profile_change_apply(change);
        reply(&call);
        nd_settings_tell(m->delivery, w, change);
    }
    nd_commit_destroy(call.commit);
    nd_profile_list_deinit(&call.before);
    return s;
}

nav_status nd_profiles_follow(nd_methods *m, nd_world *w, nd_profile_list *wanted, uint64_t revision)
{
    ND_ASSERT_LOOP_THREAD();
    np_error err;
    nd_profile_change *change;
    (void)nd_world_free_gone(w, SIZE_MAX); // their slots are free there
    const uint64_t before = w->revision;
    if (revision && w->revision < revision - 1) w->revision = revision - 1; // the change raises it
    nav_status s = nd_profile_change_begin(w, wanted, NULL, UINT32_MAX, nd_now_ns(), "profiles", &change, &err);
    if (s == NAV_OK && change) s = follow(m, w, change);
    if (s != NAV_OK || !change) w->revision = before;
    nd_profile_change_destroy(change);
    start_turns(m);
    nd_progress_watch(m->delivery);
    nd_builder_kick(m->builder);
    return s;
}

// One that the next change of the same profile may take the place of; what else is under way is finished.
static void make_way(nd_methods *m, nd_world *w, const np_str *name)
{
    for (nd_profile_call *c = m->changing; c; c = c->next) {
        np_error err;
        if (!c->change || c->world != w) continue;
        bool same = name && c->replaces.size == name->size && !memcmp(c->replaces.data, name->data, name->size);
        if (!same) {
            (void)go_on(c, SIZE_MAX, false);
            continue;
        }
        np_error_set(&err, NAV_ERR_CANCELLED, "a newer change of the profile came before this one took effect");
        refuse(c, NAV_ERR_CANCELLED, &err);
        end(c);
    }
}

// What may be refused before anything that is under way has to make way.
static nav_status check(nd_call *c, const nd_world *w, const nav_settings *settings, const char *key)
{
    char why[200];
    if (nav_settings_check(settings, why, sizeof why) != NAV_OK)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, key, "%s", why);
    if (w->damaged)
        return np_error_set(&c->err, NAV_ERR_FORMAT,
                            "the world accepts no changes: its stored data is damaged; export what is left, delete it, "
                            "and import it again");
    nav_status s = nd_durable_check(c->methods, "the change", &c->err);
    return s == NAV_OK ? nd_usage_take_edit(w->space, nd_now_ns(), &c->err) : s;
}

// Nothing differs from what the profiles are, or from what they are about to be stored as.
static nav_status reply_unchanged(nd_profile_call *call, np_error *err)
{
    nd_world *w = call->world;
    uint32_t slot = call->replaces.size ? nd_world_find_profile(w, call->replaces) : UINT32_MAX;
    nav_status s = call->commit ? nd_edit_log_finish(&call->commit->log, w, w->revision) : NAV_OK;
    if (s != NAV_OK) return np_error_set(err, s, "no memory to store the change");
    nd_commit *commit = call->commit;
    call->commit = NULL;
    if (commit) commit->world = w->id;
    bool durable = commit != NULL;
    const np_world_origin_response moved = {w->revision, 0, durable};
    const np_world_profile_response changed = {w->revision, 0, durable,
                                               slot == UINT32_MAX ? 0 : w->profiles[slot].wire.grid};
    nd_commit_reply(commit, call->methods, call->session, call->request, call->method,
                    call->method == NP_WORLD_ORIGIN ? (const void *)&moved : (const void *)&changed);
    return NAV_OK;
}

// Takes `wanted` over. The world has nothing under way.
static nav_status change(nd_call *c, nd_world *w, nd_profile_list *wanted, np_method method, np_str replaces,
                         const char *key)
{
    nd_methods *m = c->methods;
    nd_profile_call *call = calloc(1, sizeof *call);
    char *name = malloc((size_t)replaces.size + 1);
    np_profile *opened = malloc((wanted->count + (size_t)1) * sizeof *opened);
    nav_status s = call && name && opened ? nd_commit_begin(m, c->session->id, c->message->id, &call->commit, &c->err)
                                          : np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the change");
    if (s != NAV_OK) {
        nd_profile_list_deinit(wanted);
        free(opened);
        free(name);
        free(call);
        return s;
    }
    call->methods = m;
    call->world = w;
    call->session = c->session->id;
    call->request = c->message->id;
    call->method = method;
    if (replaces.size) memcpy(name, replaces.data, replaces.size);
    call->replaces = (np_str){name, replaces.size};
    call->opened = opened;
    call->axes = c->axes;
    s = nd_profile_change_begin(w, wanted, c->session->caller, m->world_limits.max_profiles, nd_now_ns(), key,
                                &call->change, &c->err);
    if (s == NAV_OK && call->change) {
        call->limits = nd_edits_limits(m, w, 0);
        nd_profile_call **at = &m->changing;
        while (*at) at = &(*at)->next;
        *at = call;
        start_turns(m);
        (void)go_on(call, m->edit_steps, true);
        return NAV_OK;
    }
    if (s == NAV_OK) s = reply_unchanged(call, &c->err);
    nd_commit_destroy(call->commit);
    free_call(call);
    return s;
}

nav_status nd_profiles_add(nd_call *c, nd_world *w, const np_profile *profiles, uint32_t count)
{
    ND_ASSERT_LOOP_THREAD();
    nd_profile_list wanted;
    nav_status s = nd_world_with_profiles(w, profiles, count, &wanted, &c->err);
    return s == NAV_OK ? change(c, w, &wanted, NP_WORLD_OPEN, np_str_of(""), "profiles") : s;
}

nav_status nd_method_world_profile(nd_call *c)
{
    np_world_profile_request r;
    nd_world *w;
    nd_profile_list wanted = {0};
    nav_status s = np_decode_world_profile_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s == NAV_OK) s = check(c, w, &r.settings, "settings");
    if (s != NAV_OK) return s;
    make_way(c->methods, w, &r.name);
    const np_profile p = {.name = r.name, .settings = r.settings};
    s = nd_profile_list_of(w, &wanted);
    if (s == NAV_OK && !r.remove) s = nd_profile_list_put(&wanted, &p);
    if (s != NAV_OK) {
        np_error_set(&c->err, s, "no memory for the change");
    } else if (r.remove && !nd_profile_list_remove(&wanted, r.name)) {
        s = np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "name", "the world has no profile \"%.*s\"", (int)r.name.size,
                             r.name.data);
    } else {
        s = change(c, w, &wanted, NP_WORLD_PROFILE, r.name, "settings");
    }
    nd_profile_list_deinit(&wanted);
    return s;
}

nav_status nd_method_world_origin(nd_call *c)
{
    np_world_origin_request r;
    nd_world *w;
    nd_profile_list wanted;
    nav_settings settings;
    nav_status s = np_decode_world_origin_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    nav_settings_default(&settings);
    memcpy(settings.origin_m, r.origin_m, sizeof settings.origin_m);
    if (s == NAV_OK) s = check(c, w, &settings, "origin_m");
    if (s != NAV_OK) return s;
    make_way(c->methods, w, NULL);
    s = nd_profile_list_of(w, &wanted);
    if (s != NAV_OK) return np_error_set(&c->err, s, "no memory for the change");
    nd_profile_list_move(&wanted, r.origin_m);
    return change(c, w, &wanted, NP_WORLD_ORIGIN, np_str_of(""), "origin_m");
}
