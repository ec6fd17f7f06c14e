#include "daemon/replica/replica.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/methods/edit.h"
#include "daemon/methods/profile.h"
#include "daemon/replica/replica_parts.h"
#include "daemon/world/changes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// WAITING_SHARE: of the memory, what may wait for the log, as for the disk (durable.c).
enum { CLOCK_MS = 250, WAITING_SHARE = 8 };

static const char *const role_names[] = {
    [ND_REPLICA_FOLLOWING] = "follows", [ND_REPLICA_TAKING] = "takes over", [ND_REPLICA_RENEWING] = "renews the log",
    [ND_REPLICA_LEADING] = "leads",     [ND_REPLICA_STOPPED] = "stopped",
};

const char *nd_replica_role_name(nd_replica_role role)
{
    return role_names[role];
}

bool nd_replica_is_standby(const nd_replica *r)
{
    return r->mode == ND_FARM_STANDBY;
}

void nd_replica_set_role(nd_replica *r, nd_replica_role role)
{
    if (r->role == role) return;
    r->role = role;
    nd_log(ND_LOG_INFO, "replica.role", "role=\"%s\" epoch=%" PRIu64 " leader=%s", role_names[role], r->leader.epoch,
           nd_log_quote(r->leader.name, strlen(r->leader.name)).text);
}

// --- what methods ask ---

static const char *leader_of(const nd_replica *r)
{
    return r->leader.name[0] && strcmp(r->leader.id, r->o.id) != 0 ? r->leader.name : "nobody for the moment";
}

static nav_status refuse(const nd_replica *r, const char *what, np_error *err)
{
    if (r->mode == ND_FARM_FOLLOW)
        return np_error_set(
            err, NAV_ERR_STATE,
            "%s is refused: this navd only follows others (--farm-worlds follow); changes go to the one "
            "that leads: %s",
            what, leader_of(r));
    if (r->role == ND_REPLICA_LEADING)
        return np_error_set(err, NAV_ERR_STATE,
                            "%s is refused: this navd leads, but has not reached the farm for a moment, so another may "
                            "have taken over: try again",
                            what);
    return np_error_set(err, NAV_ERR_STATE,
                        "%s is refused: this navd stands by (--farm-worlds standby); changes go to the one that leads: "
                        "%s",
                        what, leader_of(r));
}

static uint64_t most_waiting(const nd_replica *r)
{
    return r->o.methods->memory->limit / WAITING_SHARE;
}

static nav_status check_change(void *user, const char *what, np_error *err)
{
    nd_replica *r = user;
    if (r->mode == ND_FARM_PUBLISH) return NAV_OK;
    if (r->role != ND_REPLICA_LEADING || !nd_lease_is_valid(r->lease)) return refuse(r, what, err);
    const uint64_t held = nd_log_bytes(r->log), most = most_waiting(r);
    if (held <= most) return NAV_OK;
    return np_error_set(err, NAV_ERR_LIMIT,
                        "%s cannot be taken now: changes of %" PRIu64 " MiB wait for the farm's log, at most %" PRIu64
                        " MiB may (an eighth of --max-memory-bytes): try again later",
                        what, held >> 20, most >> 20);
}

// What of a commit others must do; NULL: nothing, or no memory (*status).
static nd_log_item *item_of(nd_replica *r, nd_commit *c, nav_status *status)
{
    char space[ND_SPACE_BYTES];
    nav_buffer picked = {0};
    nd_world *w = c->world ? nd_worlds_find(r->o.methods->worlds, c->world) : NULL;
    *status = NAV_OK;
    if (!w || !nd_farm_space_token(w->space->name, space, sizeof space)) return NULL;
    *status = nd_plan_pick((nd_bytes){c->log.records.data, c->log.records.size}, &picked);
    if (*status != NAV_OK || !picked.size) {
        nav_buffer_deinit(&picked);
        return NULL;
    }
    nd_log_item *item = nd_log_item_create(c->world, space);
    *status = item ? nd_plan_sum_up((nd_bytes){picked.data, picked.size}, &item->sum) : NAV_ERR_MEMORY;
    if (*status != NAV_OK) {
        nav_buffer_deinit(&picked);
        free(item);
        return NULL;
    }
    if (!item->sum.revision) item->sum.revision = w->revision; // it is deleted
    item->records = picked;
    item->made_ns = nd_time_of_day_ns();
    item->commit = c;
    return item;
}

static bool take_commit(void *user, nd_commit *c)
{
    nd_replica *r = user;
    nav_status s;
    if (r->role != ND_REPLICA_LEADING && r->role != ND_REPLICA_RENEWING) return false;
    nd_log_item *item = item_of(r, c, &s);
    if (s != NAV_OK) { // what others lack, states will have
        r->renew_due = true;
        return false;
    }
    if (!item) return false;
    c->logged = item;
    item->ready = nd_replica_is_standby(r);
    nd_log_add(r->log, item);
    return nd_replica_is_standby(r);
}

static void commit_ended(void *user, nd_commit *c, nav_status status)
{
    nd_replica *r = user;
    nd_log_item *item = c->logged;
    c->logged = NULL;
    if (item && r->mode == ND_FARM_PUBLISH) {
        item->commit = NULL; // it goes with this
        if (status == NAV_OK)
            item->ready = true;
        else
            nd_log_drop(r->log, item);
        nd_log_go_on(r->log);
        return;
    }
    if (status == NAV_OK || r->mode == ND_FARM_PUBLISH) return;
    r->resync_due = true; // what is here is not what the log says: it must not lead with that
    nd_follower_stop(r->follower);
    nd_lease_release(r->lease);
    if (r->role != ND_REPLICA_FOLLOWING && r->role != ND_REPLICA_STOPPED)
        nd_replica_step_down(r, "a change could not be stored on this disk");
}

void nd_replica_drop_items(nd_replica *r, nav_status status, const char *why)
{
    for (nd_log_item *item; (item = nd_log_newest(r->log)) != NULL;) {
        nd_commit *c = item->commit;
        nd_log_drop(r->log, item);
        if (c) c->logged = NULL;
        if (c && nd_replica_is_standby(r)) nd_commit_refuse(c, status, why);
    }
}

// --- the log ---

// It has tried to take over, and tries again, with the clock or when the follower is there again.
static void begin_again(nd_replica *r)
{
    if (r->role != ND_REPLICA_TAKING) return;
    nd_log_end(r->log);
    nd_replica_drop_items(r, NAV_ERR_STATE, "another navd leads"); // no more than the note
    nd_replica_set_role(r, ND_REPLICA_FOLLOWING);
}

static void raise_revision(nd_replica *r, nd_world *w)
{
    np_error err;
    nd_commit *commit;
    const np_world_edit_response nothing = {0};
    w->revision += ND_REVISION_GAP; // clients of the one that led may have seen some that are not in the log
    nd_changes_forget_removed(w);
    w->removed.horizon = w->revision;
    if (nd_commit_begin(r->o.methods, 0, 0, &commit, &err) != NAV_OK || !commit) return;
    commit->world = w->id;
    if (nd_edit_log_finish(&commit->log, w, w->revision) == NAV_OK)
        nd_commit_reply(commit, r->o.methods, 0, 0, NP_WORLD_EDIT, &nothing);
    else
        nd_commit_destroy(commit);
}

static void begin_leading(nd_replica *r)
{
    const bool took_over = r->role == ND_REPLICA_TAKING;
    nd_follower_stop(r->follower);
    nd_replica_set_role(r, ND_REPLICA_LEADING);
    if (!took_over) return;
    const nd_worlds *all = r->o.methods->worlds;
    for (size_t i = 0; i < all->count; i++) raise_revision(r, all->list[i]);
}

static void on_written(void *user, nd_log_item *item)
{
    nd_replica *r = user;
    nd_commit *c = item->commit;
    item->commit = NULL;
    if (r->log_full && r->role == ND_REPLICA_LEADING) nd_replica_repeat_note(r);
    r->log_full = false;
    if (!item->world) {
        if (r->role == ND_REPLICA_LEADING) // it was repeated
            nd_state_forget_notes(r->o.bus, r->o.config->farm_name, nd_log_last(r->log));
        else
            begin_leading(r);
        return;
    }
    if (item->sum.is_gone) {
        nd_track *t = nd_track_find(&r->tracks, item->world);
        nd_state_forget(r->o.bus, r->o.config->farm_name, item->space, item->world, nd_log_last(r->log));
        if (t) nd_track_remove(&r->tracks, t);
    }
    if (!nd_replica_is_standby(r)) return;
    c->logged = NULL;
    nd_commit_store(c);
}

static void on_fenced(void *user)
{
    nd_replica *r = user;
    r->fenced++;
    if (r->role == ND_REPLICA_TAKING && nd_lease_is_held(r->lease)) // somebody wrote since it has looked
        begin_again(r);
    else
        nd_replica_step_down(r, "another navd has written to the log");
}

static void on_lost(void *user)
{
    nd_replica *r = user;
    nd_log(ND_LOG_ERROR, "replica.log_lost", "%s",
           "why=\"the server's log ends before what was written; all worlds are written anew\"");
    if (r->role == ND_REPLICA_TAKING)
        begin_again(r); // the follower finds out what there is
    else if (nd_lease_is_held(r->lease))
        r->renew_due = true;
    else
        nd_replica_step_down(r, "the log is lost, and another navd may write it anew");
}

static void on_full(void *user)
{
    nd_replica *r = user;
    if (!r->log_full)
        nd_log(ND_LOG_WARN, "replica.log_full", "%s",
               "why=\"the stream of the log takes no more until states have taken the place of entries\"");
    r->log_full = true;
    r->full_ns = nd_time_of_day_ns();
    nd_replica_look_at_states(r);
}

// --- the lease ---

static void caught_up(void *user, uint64_t last)
{
    nd_replica *r = user;
    if (r->role == ND_REPLICA_TAKING) nd_replica_write_note(r, false, last);
}

static void take_over(nd_replica *r)
{
    if (r->role != ND_REPLICA_FOLLOWING || r->mode == ND_FARM_FOLLOW) return;
    if (!r->up || !nd_lease_is_held(r->lease)) return;
    if (r->mode == ND_FARM_PUBLISH || r->log_is_empty) {
        nd_replica_renew(r);
    } else if (nd_follower_is_live(r->follower)) {
        nd_replica_set_role(r, ND_REPLICA_TAKING);
        nd_follower_catch_up(r->follower, caught_up, r);
    }
}

static void on_gained(void *user)
{
    nd_log(ND_LOG_INFO, "replica.lease", "%s", "held=yes");
    take_over(user);
}

static void on_lease_lost(void *user)
{
    nd_replica *r = user;
    nd_log(ND_LOG_WARN, "replica.lease", "held=no waiting=%zu", nd_log_count(r->log));
    // What waits for the log may be in it: that is found out by writing it, unless the log is lost.
    if (r->role == ND_REPLICA_LEADING && nd_replica_is_standby(r) && nd_log_count(r->log) && !r->renew_due) return;
    if (r->role != ND_REPLICA_FOLLOWING && r->role != ND_REPLICA_STOPPED)
        nd_replica_step_down(r, "another navd holds the lease");
}

static void on_holder(void *user, const nd_lease_note *holder)
{
    nd_replica *r = user;
    if (!holder) return;
    nd_log(ND_LOG_INFO, "replica.holder", "id=%s name=%s", holder->id,
           nd_log_quote(holder->name, strlen(holder->name)).text);
    strcpy(r->leader.id, holder->id);
    strcpy(r->leader.name, holder->name);
}

static void refuse_items(nd_replica *r, const char *why)
{
    char text[ND_LEADER_NAME_BYTES + 200];
    nd_methods *m = r->o.methods;
    snprintf(text, sizeof text, "%s; changes go to the one that leads: %s", why, leader_of(r));
    nd_edits_take_back(m, NAV_ERR_STATE, text); // what is under way is the newest
    nd_profiles_take_back(m, NAV_ERR_STATE, text);
    nd_replica_drop_items(r, NAV_ERR_STATE, text);
}

void nd_replica_step_down(nd_replica *r, const char *why)
{
    nd_log(ND_LOG_WARN, "replica.steps_down", "waiting=%zu why=\"%s\"", nd_log_count(r->log), why);
    nd_log_end(r->log);
    nd_replica_forget_states(r);
    r->renew_due = r->log_full = false;
    r->full_ns = 0;
    nd_replica_set_role(r, ND_REPLICA_FOLLOWING);
    if (!nd_replica_is_standby(r)) {
        nd_replica_drop_items(r, NAV_ERR_STATE, why); // the disk has them, and states will
        return;
    }
    refuse_items(r, why);
    nd_lease_want(r->lease, false);
    if (!r->resync_due) nd_follower_start(r->follower);
}

// --- the follower ---

static void on_leader(void *user, const nd_leader_note *n)
{
    nd_replica *r = user;
    r->log_is_empty = false;
    r->leader = *n;
}

static void on_empty(void *user)
{
    nd_replica *r = user;
    r->log_is_empty = true;
    begin_again(r); // it had to look at the log anew meanwhile
    if (nd_replica_is_standby(r)) nd_lease_want(r->lease, true);
    take_over(r);
}

static void on_live(void *user)
{
    nd_replica *r = user;
    nd_log(ND_LOG_INFO, "replica.live", "worlds=%zu epoch=%" PRIu64 " leader=%s", r->o.methods->worlds->count,
           r->leader.epoch, nd_log_quote(r->leader.name, strlen(r->leader.name)).text);
    begin_again(r); // it had to look at the log anew meanwhile
    if (nd_replica_is_standby(r)) nd_lease_want(r->lease, true);
    take_over(r);
}

static void on_foreign(void *user)
{
    nd_replica *r = user;
    nd_log(ND_LOG_ERROR, "replica.foreign",
           "why=\"the worlds in %s are not those of the farm's log: nothing is followed; give another --state, or "
           "another --farm-name\"",
           r->o.config->state);
    begin_again(r);
    nd_lease_release(r->lease);
    nd_replica_set_role(r, ND_REPLICA_STOPPED);
}

// --- meshes ---

static void on_put(void *user, const char *space, nav_key hash, nav_status status)
{
    nd_replica *r = user;
    char text[NAV_KEY_TEXT_BYTES];
    (void)space;
    if (status != NAV_OK) {
        nav_key_text(hash, text);
        nd_log(ND_LOG_WARN, "replica.mesh_not_shared", "mesh=%s why=%s", text, nav_status_name(status));
        return; // again, with the clock
    }
    nd_log_go_on(r->log);
    nd_replica_look_at_states(r);
}

static void on_got(void *user, nd_namespace *space, nav_key hash, nav_status status, nd_mesh *mesh)
{
    nd_replica *r = user;
    (void)space;
    (void)mesh;
    nd_follower_note_mesh(r->follower, hash, status);
}

// --- life ---

static void on_clock(uv_timer_t *clock)
{
    nd_replica *r = clock->data;
    const nd_world_store *store = r->o.methods->store;
    const bool stores = !store || nd_world_store_failure(store, NULL) == NAV_OK;
    if (r->resync_due && stores && r->role == ND_REPLICA_FOLLOWING) {
        r->resync_due = false;
        nd_follower_start(r->follower);
    }
    if (r->role == ND_REPLICA_LEADING && nd_replica_is_standby(r) && !nd_lease_is_held(r->lease) &&
        !nd_log_count(r->log) && !r->o.methods->sessions->draining)
        nd_replica_step_down(r, "another navd holds the lease");
    if (r->mode == ND_FARM_PUBLISH && nd_log_bytes(r->log) > most_waiting(r))
        nd_replica_step_down(r, "too much waits for the log; all worlds are written anew instead");
    const bool leads = r->role == ND_REPLICA_LEADING || r->role == ND_REPLICA_RENEWING;
    if (r->renew_due && nd_lease_is_held(r->lease) && leads && r->up) nd_replica_renew(r);
    take_over(r);
    nd_log_go_on(r->log);
    nd_replica_look_at_states(r);
}

static void name_self(nd_replica *r)
{
    const nd_config *c = r->o.config;
    char host[65] = "";
    (void)gethostname(host, sizeof host - 1);
    snprintf(r->name, sizeof r->name, "%s %.100s", host, c->listen[0] ? c->listen : c->socket);
}

static nav_status create_parts(nd_replica *r)
{
    const nd_replica_options *o = &r->o;
    const char *farm = o->config->farm_name;
    const nd_mesh_share_options share = {.farm = farm,
                                         .bus = o->bus,
                                         .workers = o->methods->workers,
                                         .meshes = o->methods->meshes,
                                         .writer = o->methods->store ? o->methods->store->writer : NULL,
                                         .table = ND_MESHES,
                                         .keeps_bytes = true,
                                         .on_put = on_put,
                                         .on_got = on_got,
                                         .user = r};
    nav_status s = nd_mesh_share_create(&share, &r->share);
    const nd_log_options log = {.loop = o->loop,
                                .bus = o->bus,
                                .farm = farm,
                                .tracks = &r->tracks,
                                .share = r->share,
                                .meshes = o->methods->meshes,
                                .on_written = on_written,
                                .on_fenced = on_fenced,
                                .on_lost = on_lost,
                                .on_full = on_full,
                                .user = r};
    if (s == NAV_OK) s = nd_log_create(&log, &r->log);
    const nd_lease_options lease = {.loop = o->loop,
                                    .bus = o->bus,
                                    .farm = farm,
                                    .id = o->id,
                                    .name = r->name,
                                    .on_gained = on_gained,
                                    .on_lost = on_lease_lost,
                                    .on_holder = on_holder,
                                    .user = r};
    if (s == NAV_OK) s = nd_lease_create(&lease, &r->lease);
    const nd_follower_options follower = {.loop = o->loop,
                                          .bus = o->bus,
                                          .farm = farm,
                                          .methods = o->methods,
                                          .tracks = &r->tracks,
                                          .share = r->share,
                                          .on_leader = on_leader,
                                          .on_empty = on_empty,
                                          .on_live = on_live,
                                          .on_foreign = on_foreign,
                                          .user = r};
    if (s == NAV_OK) s = nd_follower_create(&follower, &r->follower);
    const nd_check_options check = {.loop = o->loop,
                                    .bus = o->bus,
                                    .farm = farm,
                                    .id = o->id,
                                    .methods = o->methods,
                                    .sequence_of = nd_replica_sequence_of,
                                    .user = r};
    if (s == NAV_OK) s = nd_check_create(&check, &r->check);
    return s;
}

nav_status nd_replica_create(const nd_replica_options *o, nd_replica **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_replica *r = calloc(1, sizeof *r);
    if (!r) return NAV_ERR_MEMORY;
    r->o = *o;
    r->mode = o->config->farm_worlds;
    r->role = ND_REPLICA_FOLLOWING;
    name_self(r);
    if (uv_timer_init(o->loop, &r->clock)) abort(); // it cannot: memory only
    r->clock.data = r;
    nav_status s = create_parts(r);
    if (s != NAV_OK) {
        nd_replica_close(r);
        return s;
    }
    o->methods->log = (nd_commit_hook){check_change, take_commit, commit_ended, r};
    o->methods->farm_check = nd_replica_check;
    o->methods->farm_check_user = r;
    uv_timer_start(&r->clock, on_clock, CLOCK_MS, CLOCK_MS);
    if (r->mode == ND_FARM_PUBLISH)
        nd_lease_want(r->lease, true);
    else
        nd_follower_start(r->follower);
    *out = r;
    return NAV_OK;
}

static void on_closed(uv_handle_t *handle)
{
    nd_replica *r = handle->data;
    nd_tracks_deinit(&r->tracks);
    free(r);
}

void nd_replica_close(nd_replica *r)
{
    if (!r || r->closing) return;
    ND_ASSERT_LOOP_THREAD();
    r->closing = true;
    r->o.methods->log = (nd_commit_hook){0};
    r->o.methods->farm_check = NULL;
    nd_check_close(r->check);
    if (r->log) {
        nd_log_end(r->log);
        nd_replica_drop_items(r, NAV_ERR_CANCELLED, "navd is stopping"); // their sessions are closed by now
    }
    nd_replica_forget_states(r);
    nd_follower_close(r->follower);
    nd_lease_close(r->lease);
    nd_log_close(r->log);
    nd_mesh_share_close(r->share);
    uv_close((uv_handle_t *)&r->clock, on_closed);
}

void nd_replica_note_server(nd_replica *r, bool up)
{
    ND_ASSERT_LOOP_THREAD();
    r->up = up;
    if (up) nd_mesh_share_forget_all(r->share); // it may be another, or have lost what it had
    nd_lease_note_server(r->lease, up);
    nd_follower_note_server(r->follower, up);
    nd_log_go_on(r->log);
}

bool nd_replica_leave(nd_replica *r)
{
    ND_ASSERT_LOOP_THREAD();
    if (nd_log_count(r->log)) return false;
    nd_lease_release(r->lease);
    return nd_lease_is_settled(r->lease);
}
