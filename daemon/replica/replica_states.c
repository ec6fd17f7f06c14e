// States that a leader writes: all of them at its beginning (renewal), then one of a world whose log has become long.
#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/replica/replica_parts.h"
#include "daemon/replica/share.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// A new state is due behind so many entries, or more bytes of them than FACTOR times the last state; of a new world
// after a moment.
enum { MOST_ENTRIES = 2048, LEAST_BYTES = 256 * 1024, FACTOR = 2, FIRST_MS = 1000 };

void nd_replica_forget_states(nd_replica *r)
{
    if (r->state) r->state->replica = NULL;
    if (r->state && r->state->sharing) {
        nd_state_destroy(r->state->state);
        free(r->state);
    }
    r->state = NULL;
    nd_replica_list_forget(r->listing);
    r->listing = NULL;
    nd_replica_list_destroy(r->list);
    r->list = NULL;
    free(r->renewed);
    r->renewed = NULL;
    r->renewed_count = r->renewed_at = 0;
}

nav_key nd_replica_log_id(nd_replica *r)
{
    nd_world_store *store = r->o.methods->store;
    nav_key id = store->log_id;
    if (!nav_key_is_zero(id)) return id;
    if (getrandom(&id, sizeof id, 0) != (ssize_t)sizeof id) abort(); // it cannot: so few come at once
    nd_world_store_set_log(store, id);
    return id;
}

// That this one leads; NULL: no memory.
static nd_log_item *note_of(nd_replica *r, uint64_t epoch, bool renews)
{
    nd_leader_note note = {.epoch = epoch, .log = nd_replica_log_id(r), .renews = renews};
    nd_log_item *item = nd_log_item_create(0, "");
    strcpy(note.id, r->o.id);
    strcpy(note.name, r->name);
    if (!item || nd_leader_note_write(&item->records, &note) != NAV_OK) {
        nd_log_item_destroy(item);
        return NULL;
    }
    item->ready = true;
    r->leader = note;
    return item;
}

void nd_replica_write_note(nd_replica *r, bool renews, uint64_t last)
{
    nd_log_item *item = note_of(r, r->leader.epoch + 1, renews);
    if (item)
        nd_log_begin(r->log, item, r->leader.epoch, last);
    else
        nd_replica_step_down(r, "there is no memory");
}

void nd_replica_repeat_note(nd_replica *r)
{
    nd_log_item *item = note_of(r, r->leader.epoch, false);
    if (item) nd_log_add(r->log, item); // else the next full log has it repeated
}

// --- one state ---

static void end_call(nd_state_call *call)
{
    if (call->replica) call->replica->state = NULL;
    nd_state_destroy(call->state);
    free(call);
}

static void note_failure(nd_replica *r, const nd_state *state)
{
    nd_track *t = nd_track_find(&r->tracks, state->world);
    if (t && state->status == NAV_ERR_NOT_FOUND) t->entries = t->bytes = 0; // it is gone by now
    if (state->status == NAV_ERR_NOT_FOUND) return;
    nd_log(ND_LOG_WARN, "replica.state_failed", "world=%" PRIu64 " why=%s", state->world,
           nd_log_quote_sentence(state->why).text);
    if (t) t->began_ns = nd_time_of_day_ns();
    if (r->role == ND_REPLICA_RENEWING && r->renewed_at) r->renewed_at--; // again, with the clock
}

static void note_published(nd_replica *r, const nd_state *state, uint64_t bytes)
{
    nd_track *t = nd_track_find(&r->tracks, state->world);
    r->states_out++;
    if (!t) return;
    t->state_bytes = bytes + 1;
    t->entries = t->bytes = 0;
    if (t->covered < state->covered) t->covered = state->covered;
}

static void published(void *user, nd_state *state)
{
    nd_state_call *call = user;
    nd_replica *r = call->replica;
    call->state = state;
    const bool goes_on = r && state->status == NAV_OK;
    if (goes_on) note_published(r, state, state->size);
    if (r && !goes_on) note_failure(r, state);
    end_call(call);
    if (goes_on) nd_replica_look_at_states(r);
}

static void publish(nd_replica *r)
{
    nd_state_call *call = r->state;
    nd_state *state = call->state;
    if (!nd_replica_share_meshes(r->share, r->o.methods->meshes, state->space, state->meshes, state->mesh_count))
        return; // on_put, or the clock
    call->sharing = false;
    call->state = NULL;
    if (nd_state_publish(r->o.bus, r->o.config->farm_name, state, published, call) == NAV_OK) return;
    call->state = state;
    note_failure(r, state);
    end_call(call);
}

static void read_done(void *user, nd_state *state)
{
    nd_state_call *call = user;
    nd_replica *r = call->replica;
    call->state = state;
    if (!r || state->status != NAV_OK) {
        if (r) note_failure(r, state);
        end_call(call);
        return;
    }
    call->sharing = true;
    publish(r);
}

// False: there is no memory.
static bool start_state(nd_replica *r, nd_track *t, bool renews)
{
    nd_state *state = calloc(1, sizeof *state);
    nd_state_call *call = calloc(1, sizeof *call);
    if (!state || !call) goto failed;
    state->world = t->world;
    state->sequence = t->last;
    state->renews = renews;
    // What waits for the log need not go there where all who follow read states anew; it has to be on the disk for
    // that, which in a standby it is not.
    state->covered = renews && !nd_replica_is_standby(r) ? nd_log_number(r->log) : 0;
    strcpy(state->space, t->space);
    call->replica = r;
    if (nd_state_read(r->o.methods->store->writer, state, read_done, call) != NAV_OK) goto failed;
    r->state = call;
    return true;
failed:
    free(state);
    free(call);
    return false;
}

// --- renewal ---

// What the farm has of worlds that are not here goes.
static void forget_others(nd_replica *r)
{
    for (size_t i = 0; i < r->list->world_count; i++) {
        const nd_listed_world *w = &r->list->worlds[i];
        if (!nd_worlds_find(r->o.methods->worlds, w->world))
            nd_state_forget(r->o.bus, r->o.config->farm_name, w->space, w->world, r->list->last + 1);
    }
}

static nav_status gather_worlds(nd_replica *r)
{
    const nd_worlds *all = r->o.methods->worlds;
    r->renewed = calloc(all->count + 1, sizeof *r->renewed);
    if (!r->renewed) return NAV_ERR_MEMORY;
    nd_tracks_deinit(&r->tracks);
    for (size_t i = 0; i < all->count; i++) {
        nd_listed_world *w = &r->renewed[r->renewed_count];
        w->world = all->list[i]->id;
        if (!nd_farm_space_token(all->list[i]->space->name, w->space, sizeof w->space)) continue;
        nd_track *t = nd_track_need(&r->tracks, w->space, w->world);
        if (!t) return NAV_ERR_MEMORY;
        t->last = r->list->last;
        r->renewed_count++;
    }
    return NAV_OK;
}

static void listed(void *user, nd_replica_list *list)
{
    nd_replica *r = user;
    // A standby writes nothing anew over what another has written since it knew the log.
    const bool is_late = list->status == NAV_OK && list->has_leader && nd_replica_is_standby(r) &&
                         (r->log_is_empty || list->leader.epoch > r->leader.epoch);
    r->listing = NULL;
    r->log_is_empty = false;
    if (list->status != NAV_OK || is_late) {
        nd_replica_step_down(r, is_late ? "another navd has written to the log" : list->why);
        nd_replica_list_destroy(list);
        return;
    }
    r->list = list;
    if (list->has_leader && !nav_key_equal(list->leader.log, nd_replica_log_id(r))) {
        nd_log(ND_LOG_ERROR, "replica.foreign",
               "why=\"the farm's log is of other worlds than those in %s: nothing is published; give another "
               "--farm-name, or follow it once with an empty --state (--farm-worlds standby)\"",
               r->o.config->state);
        nd_replica_forget_states(r);
        nd_replica_drop_items(r, NAV_ERR_STATE, "the farm's log is of other worlds");
        nd_lease_release(r->lease);
        nd_replica_set_role(r, ND_REPLICA_STOPPED);
    } else {
        if (list->has_leader && r->leader.epoch < list->leader.epoch) r->leader.epoch = list->leader.epoch;
        if (gather_worlds(r) != NAV_OK)
            nd_replica_step_down(r, "there is no memory");
        else
            nd_replica_look_at_states(r);
    }
}

void nd_replica_renew(nd_replica *r)
{
    nd_log_end(r->log);
    nd_replica_forget_states(r);
    r->renew_due = false;
    nd_follower_stop(r->follower);
    nd_replica_set_role(r, ND_REPLICA_RENEWING);
    nd_log(ND_LOG_INFO, "replica.renews", "worlds=%zu", r->o.methods->worlds->count);
    if (nd_replica_list_start(r->o.bus, r->o.config->farm_name, listed, r, &r->listing) != NAV_OK)
        nd_replica_step_down(r, "there is no memory");
}

static void renew_next(nd_replica *r)
{
    while (r->renewed_at < r->renewed_count) {
        const nd_listed_world *w = &r->renewed[r->renewed_at];
        nd_track *t = nd_track_find(&r->tracks, w->world);
        if (t && !start_state(r, t, true)) return; // with the clock
        r->renewed_at++;
        if (t) return;
    }
    const uint64_t last = r->list->last;
    forget_others(r);
    nd_replica_forget_states(r);
    nd_replica_write_note(r, true, last);
}

// --- long logs ---

typedef struct longest {
    nd_track *track;
    uint64_t now_ns, full_ns;
} longest;

static void look_at_track(void *user, nd_node *n)
{
    longest *l = user;
    nd_track *t = ND_HOLDER(n, nd_track, node);
    const uint64_t most = FACTOR * t->state_bytes > LEAST_BYTES ? FACTOR * t->state_bytes : LEAST_BYTES;
    const bool was_full = t->began_ns <= l->full_ns;
    const bool is_new = !t->state_bytes && l->now_ns > t->began_ns + UINT64_C(1000000) * FIRST_MS;
    if (!t->entries || !(was_full || t->entries > MOST_ENTRIES || t->bytes > most || is_new)) return;
    if (!l->track || l->track->bytes < t->bytes) l->track = t;
}

void nd_replica_look_at_states(nd_replica *r)
{
    ND_ASSERT_LOOP_THREAD();
    if (!r->up || r->closing) return;
    if (r->state) {
        if (r->state->sharing) publish(r);
        return;
    }
    if (r->role == ND_REPLICA_RENEWING && r->renewed) {
        renew_next(r);
        return;
    }
    // A full log may keep the note out with which it would lead.
    longest l = {.now_ns = nd_time_of_day_ns(), .full_ns = r->full_ns};
    if (r->role != ND_REPLICA_LEADING && !(r->role == ND_REPLICA_TAKING && r->log_full)) return;
    nd_table_each(&r->tracks, look_at_track, &l);
    if (l.track) (void)start_state(r, l.track, false); // else with the clock
}
