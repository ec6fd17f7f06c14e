// jobs.*, tiles.failed and tiles.why: what is being made, for whom, and what did not go well.
#include "core/build.h"
#include "daemon/base/clock.h"
#include "daemon/delivery/describe.h"
#include "daemon/delivery/subscription.h"
#include "daemon/delivery/sync.h"
#include "daemon/delivery/waiters.h"
#include "daemon/methods/methods.h"
#include "daemon/methods/profile.h"

#include <inttypes.h>
#include <stdlib.h>

nav_status nd_method_jobs_wait(nd_call *c)
{
    np_jobs_wait_request r;
    nd_world *w;
    nav_status s = np_decode_jobs_wait_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s != NAV_OK) return s;
    if (r.has_revision && r.revision > w->revision)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "revision",
                                "the world is at revision %" PRIu64 ", not at %" PRIu64, w->revision, r.revision);
    if (c->session->waits >= c->methods->config->max_calls)
        return np_error_set(&c->err, NAV_ERR_LIMIT, "%u calls are waiting already (--max-calls)", c->session->waits);
    uint32_t profile = ND_ALL_PROFILES;
    if (r.has_profile) s = nd_call_profile(c, w, r.profile, &profile);
    if (s != NAV_OK) return s;
    if (r.has_bounds || r.has_profile) {
        nd_profiles_finish(c->methods, w); // tiles of a profile that is about to change could not be counted
        s = nd_waiters_add_in(w, c->session, c->message->id, r.has_revision ? r.revision : w->revision, profile,
                              r.has_bounds ? r.min : NULL, r.max);
    } else {
        // Also for a change that was asked for before, and takes several turns until it takes effect.
        uint64_t newest = w->revision + (w->change != NULL);
        s = nd_waiters_add(w, c->session, c->message->id, r.has_revision ? r.revision : newest);
    }
    nd_builder_kick(c->methods->builder); // tiles that nobody watched until now
    return s == NAV_OK ? s : np_error_set(&c->err, s, "no memory for the call");
}

// --- jobs.cancel ---

static void cancel_run(void *user, void *run)
{
    (void)user;
    nd_tile_job_cancel(run);
}

// Those of the session's namespace; for an admin, of all.
static bool may_see_batch(const nd_call *c, const nd_batch *b)
{
    const nd_session *owner = nd_sessions_find(c->methods->sessions, b->caller->session);
    return c->session->principal.role >= NP_ROLE_ADMIN || (owner && owner->space == c->session->space);
}

static nav_status cancel_build(nd_call *c, uint64_t id, np_jobs_cancel_response *out)
{
    nd_batch *b = c->methods->builder->batches;
    while (b && b->id != id) b = b->next;
    if (!b || b->cancelled || !may_see_batch(c, b))
        return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "build", "there is no build %" PRIu64, id);
    if (b->caller != c->session->caller) {
        nav_status s = nd_call_needs(c, NP_ROLE_ADMIN, "cancelling the build of another session");
        if (s != NAV_OK) return s;
    }
    out->cancelled = b->tile_count - b->done_count;
    nd_methods_batch_cancel(c->methods, b);
    return NAV_OK;
}

nav_status nd_method_jobs_cancel(nd_call *c)
{
    np_jobs_cancel_request r;
    np_jobs_cancel_response out = {0};
    nd_world *w = NULL;
    nav_status s = np_decode_jobs_cancel_request(c->message, &r, &c->err);
    if (s == NAV_OK && r.has_build) s = cancel_build(c, r.build, &out);
    if (s == NAV_OK && r.has_world) s = nd_call_world(c, r.world, &w);
    if (s != NAV_OK) return s;
    if (w) {
        const uint64_t *revision = r.has_revision ? &r.revision : NULL;
        out.cancelled = (uint32_t)nd_scheduler_cancel(&w->scheduler, revision, cancel_run, NULL);
        if (!revision)
            nd_waiters_cancel(w, 0, "jobs.cancel ended the work");
        else if (out.cancelled)
            nd_waiters_cancel(w, r.revision, "jobs.cancel ended the work");
        if (out.cancelled) out.cancelled -= (uint32_t)nd_subscriptions_insist(w);
        nd_sync_due(c->methods->delivery, w);
    }
    nd_reply(c->session, c->message->id, NP_JOBS_CANCEL, &out);
    nd_builder_kick(c->methods->builder); // the workers have room
    return NAV_OK;
}

// --- jobs.list ---

static np_caller describe_caller(const nd_caller *caller)
{
    if (!caller) return (np_caller){0, np_str_of(""), np_str_of("")};
    return (np_caller){caller->session, np_str_of(caller->client), np_str_of(caller->principal)};
}

static uint64_t ms_since(uint64_t then_ns, uint64_t now_ns)
{
    return now_ns > then_ns ? (now_ns - then_ns) / 1000000 : 0;
}

static np_job_class describe_class(nd_class class)
{
    return class == ND_INTERACTIVE ? NP_JOB_INTERACTIVE : NP_JOB_BACKGROUND;
}

// The two lists of a world, merged by revision: a job for each.
static uint32_t list_edits(const nd_world *w, uint64_t now_ns, np_edit_job *out, uint32_t room)
{
    const nd_tile *open = w->scheduler.open.oldest, *held = w->scheduler.held.oldest;
    uint32_t count = 0;
    while (open || held) {
        const nd_tile *t = open && (!held || open->since <= held->since) ? open : held;
        np_edit_job *job = count ? &out[count - 1] : NULL;
        if (!job || job->revision != t->since) {
            if (count == room) break;
            job = &out[count++];
            *job = (np_edit_job){.world = w->id,
                                 .name = np_str_of(w->name),
                                 .revision = t->since,
                                 .class = NP_JOB_BACKGROUND,
                                 .caller = describe_caller(t->flow->caller),
                                 .age_ms = ms_since(t->marked_ns, now_ns)};
        }
        job->tiles++;
        if (t->state == ND_TILE_RUNNING) job->running++;
        if (t->class == ND_INTERACTIVE) job->class = NP_JOB_INTERACTIVE;
        *(t == open ? &open : &held) = t->after;
    }
    return count;
}

static uint32_t list_builds(const nd_call *c, uint64_t now_ns, np_build_job *out)
{
    uint32_t count = 0;
    for (const nd_batch *b = c->methods->builder->batches; b && count < NP_MAX_JOBS; b = b->next) {
        if (b->cancelled || !may_see_batch(c, b)) continue;
        out[count++] = (np_build_job){.build = b->id,
                                      .class = describe_class(b->class),
                                      .caller = describe_caller(b->caller),
                                      .tiles = b->tile_count,
                                      .finished = b->done_count,
                                      .age_ms = ms_since(b->began_ns, now_ns)};
    }
    return count;
}

nav_status nd_method_jobs_list(nd_call *c)
{
    np_jobs_list_request r;
    nd_world *only = NULL;
    nav_status s = np_decode_jobs_list_request(c->message, &r, &c->err);
    if (s == NAV_OK && r.has_world) s = nd_call_world(c, r.world, &only);
    if (s != NAV_OK) return s;
    const nd_worlds *worlds = c->methods->worlds;
    uint64_t now_ns = nd_now_ns();
    np_edit_job *edits = malloc(NP_MAX_JOBS * sizeof *edits);
    np_build_job *builds = malloc(NP_MAX_JOBS * sizeof *builds);
    if (!edits || !builds) {
        s = np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the list");
        goto done;
    }
    np_jobs_list_response out = {.edits = edits, .builds = builds};
    for (size_t i = 0; i < worlds->count; i++) {
        const nd_world *w = worlds->list[i];
        if (only ? w != only : w->space != c->session->space) continue;
        out.edit_count += list_edits(w, now_ns, edits + out.edit_count, NP_MAX_JOBS - out.edit_count);
    }
    if (!only) out.build_count = list_builds(c, now_ns, builds);
    nd_reply(c->session, c->message->id, NP_JOBS_LIST, &out);
done:
    free(edits);
    free(builds);
    return s;
}

// --- tiles.failed, tiles.why ---

static np_failed_tile describe_failure(const nd_world *w, const nd_tile *t, uint64_t now_ns)
{
    const nd_reason *why = &t->result.failure;
    return (np_failed_tile){
        .profile = w->profiles[t->profile].wire.name,
        .x = t->x,
        .z = t->z,
        .sheet = w->profiles[t->profile].wire.settings.sheet,
        .code = np_str_of(nav_status_name(why->status)),
        .reason = np_str_of(nd_failure_text(why)),
        .stage = np_str_of(why->stage < NAV_STAGE_COUNT ? nav_stage_name((nav_stage)why->stage) : ""),
        .signal = np_str_of(why->signal ? nd_death_text(why->signal) : ""),
        .since_ms = ms_since(t->failure.since_ns, now_ns),
        .tries = t->failure.tries,
        .has_retry = t->failure.waits,
        .retry_ms = t->failure.waits ? ms_since(now_ns, t->due_ns) : 0,
    };
}

nav_status nd_method_tiles_failed(nd_call *c)
{
    np_tiles_failed_request r;
    nd_world *w;
    nav_status s = np_decode_tiles_failed_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s != NAV_OK) return s;
    const nd_failures *f = &w->scheduler.failures;
    uint32_t count = r.limit < f->count ? r.limit : (uint32_t)f->count;
    uint64_t now_ns = nd_now_ns();
    np_failed_tile *tiles = malloc((count + (size_t)1) * sizeof *tiles);
    if (!tiles) return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the list");
    const nd_tile *t = f->first;
    for (uint32_t i = 0; i < count; i++, t = t->failure.after) tiles[i] = describe_failure(w, t, now_ns);
    np_tiles_failed_response out = {.total = (uint32_t)f->count, .tile_count = count, .tiles = tiles};
    nd_reply(c->session, c->message->id, NP_TILES_FAILED, &out);
    free(tiles);
    return NAV_OK;
}

static np_tile_state describe_state(const nd_tile *t)
{
    switch (t->state) {
    case ND_TILE_QUEUED:
        return t->resting ? NP_STATE_RESTING : t->missed ? NP_STATE_WAITING : NP_STATE_QUEUED;
    case ND_TILE_RUNNING:
        return NP_STATE_RUNNING;
    case ND_TILE_HELD:
        return NP_STATE_HELD;
    case ND_TILE_UNWATCHED:
        return NP_STATE_UNWATCHED;
    default:
        return NP_STATE_CLEAN;
    }
}

static np_cause describe_cause(const nd_cause *cause)
{
    static const np_cause causes[ND_CAUSES] = {
        [ND_BY_INSTANCE] = NP_CAUSE_INSTANCE, [ND_BY_VOLUME] = NP_CAUSE_VOLUME, [ND_BY_LINK] = NP_CAUSE_LINK,
        [ND_BY_AREA] = NP_CAUSE_AREA,         [ND_BY_REACH] = NP_CAUSE_REACH,   [ND_BY_PROFILE] = NP_CAUSE_PROFILE,
        [ND_BY_READER] = NP_CAUSE_READER,     [ND_BY_RETRY] = NP_CAUSE_RETRY,   [ND_BY_START] = NP_CAUSE_START};
    return cause->at_ns ? causes[cause->kind] : NP_CAUSE_NONE;
}

// Up to NAV_STAGE_COUNT of them.
static uint32_t describe_stages(const nd_stage_times *times, np_counter *out)
{
    uint32_t count = 0;
    for (int i = 0; times && i < NAV_STAGE_COUNT; i++)
        if (times->us[i]) out[count++] = (np_counter){np_str_of(nav_stage_name((nav_stage)i)), times->us[i]};
    return count;
}

nav_status nd_method_tiles_why(nd_call *c)
{
    np_tiles_why_request r;
    nd_world *w;
    uint32_t profile = 0;
    nav_status s = np_decode_tiles_why_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s == NAV_OK) s = nd_call_profile(c, w, r.profile, &profile);
    if (s == NAV_OK) s = nd_call_sheet(c, w, profile, r.sheet, &profile);
    if (s != NAV_OK) return s;
    const nd_tile *t = nd_scheduler_find(&w->scheduler, profile, r.x, r.z);
    if (!t)
        return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "x", "nothing of the world is near tile %d, %d", r.x, r.z);
    uint64_t now_ns = nd_now_ns();
    bool is_open = t->state != ND_TILE_CLEAN;
    np_counter stages[NAV_STAGE_COUNT];
    const nd_stage_times *times =
        nd_stage_log_find(&c->methods->builder->stage_log, w->id, profile, r.x, r.z, t->result.made_us);
    np_tiles_why_response out = {.state = describe_state(t),
                                 .status = t->result.status,
                                 .revision = t->result.revision,
                                 .queued_us = t->result.queued_us,
                                 .made_us = t->result.made_us,
                                 .cause = describe_cause(&t->cause),
                                 .has_object = t->cause.at_ns && t->cause.kind <= ND_BY_LINK,
                                 .object = t->cause.object,
                                 .caller = describe_caller(t->cause.caller),
                                 .cause_revision = t->cause.revision,
                                 .cause_ms = t->cause.at_ns ? ms_since(t->cause.at_ns, now_ns) : 0,
                                 .is_open = is_open,
                                 .open_since = t->since,
                                 .class = describe_class(is_open ? t->class : ND_BACKGROUND),
                                 .has_failure = t->result.status == NP_TILE_FAILED,
                                 .stage_count = describe_stages(times, stages),
                                 .stages = stages};
    if (out.has_failure) out.failure = describe_failure(w, t, now_ns);
    nd_reply(c->session, c->message->id, NP_TILES_WHY, &out);
    return NAV_OK;
}
