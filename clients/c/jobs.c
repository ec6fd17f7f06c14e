// What is being made, what failed, and why.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdlib.h>

_Static_assert((int)NAVD_JOB_BACKGROUND == (int)NP_JOB_BACKGROUND, "classes of jobs");

static void copy_caller(const np_caller *in, navd_caller *out)
{
    out->session = in->session;
    navd_text_copy(out->client, sizeof out->client, in->client);
    navd_text_copy(out->principal, sizeof out->principal, in->principal);
}

static void copy_failed(const np_failed_tile *in, navd_failed_tile *out)
{
    *out = (navd_failed_tile){.x = in->x,
                              .z = in->z,
                              .sheet = (navd_sheet)in->sheet,
                              .since_ms = in->since_ms,
                              .tries = in->tries,
                              .has_retry = in->has_retry,
                              .retry_ms = in->retry_ms};
    navd_text_copy(out->profile, sizeof out->profile, in->profile);
    navd_text_copy(out->code, sizeof out->code, in->code);
    navd_text_copy(out->reason, sizeof out->reason, in->reason);
    navd_text_copy(out->stage, sizeof out->stage, in->stage);
    navd_text_copy(out->signal, sizeof out->signal, in->signal);
}

// --- cancelling ---

static nav_status take_cancel(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_jobs_cancel_response answer;
    (void)c;
    nav_status s = np_decode_jobs_cancel_response(in, &answer, err);
    if (s == NAV_OK && out) *(uint32_t *)out = answer.cancelled;
    return s;
}

static navd_status cancel(navd_client *c, const np_jobs_cancel_request *request, uint32_t *cancelled)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_jobs_cancel_request(&c->out, navd_client_next_id(c), request);
    return navd_client_finish(c, s, take_cancel, cancelled);
}

navd_status navd_cancel(navd_client *c, uint64_t world, uint32_t *cancelled)
{
    np_jobs_cancel_request request = {.has_world = true, .world = world};
    return cancel(c, &request, cancelled);
}

navd_status navd_cancel_edit(navd_client *c, uint64_t world, uint64_t revision, uint32_t *cancelled)
{
    np_jobs_cancel_request request = {.has_world = true, .world = world, .has_revision = true, .revision = revision};
    return cancel(c, &request, cancelled);
}

navd_status navd_cancel_build(navd_client *c, uint64_t build, uint32_t *cancelled)
{
    np_jobs_cancel_request request = {.has_build = true, .build = build};
    return cancel(c, &request, cancelled);
}

// --- jobs ---

static nav_status take_jobs(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_jobs_list_response answer;
    navd_jobs *j = out;
    (void)c;
    nav_status s = np_decode_jobs_list_response(in, &answer, err);
    if (s != NAV_OK) return s;
    j->edits = calloc(answer.edit_count + (size_t)1, sizeof *j->edits);
    j->builds = calloc(answer.build_count + (size_t)1, sizeof *j->builds);
    if (!j->edits || !j->builds) {
        navd_jobs_free(j);
        return NAV_ERR_MEMORY;
    }
    j->edit_count = answer.edit_count;
    j->build_count = answer.build_count;
    for (uint32_t i = 0; i < answer.edit_count; i++) {
        const np_edit_job *e = &answer.edits[i];
        j->edits[i] = (navd_edit_job){.world = e->world,
                                      .revision = e->revision,
                                      .job_class = (navd_job_class)e->class,
                                      .tiles = e->tiles,
                                      .running = e->running,
                                      .age_ms = e->age_ms};
        navd_text_copy(j->edits[i].world_name, NAVD_NAME_BYTES, e->name);
        copy_caller(&e->caller, &j->edits[i].caller);
    }
    for (uint32_t i = 0; i < answer.build_count; i++) {
        const np_build_job *b = &answer.builds[i];
        j->builds[i] = (navd_build_job){.build = b->build,
                                        .job_class = (navd_job_class)b->class,
                                        .tiles = b->tiles,
                                        .finished = b->finished,
                                        .age_ms = b->age_ms};
        copy_caller(&b->caller, &j->builds[i].caller);
    }
    return NAV_OK;
}

navd_status navd_jobs_list(navd_client *c, const uint64_t *world, navd_jobs *out)
{
    np_jobs_list_request request = {.has_world = world != NULL, .world = world ? *world : 0};
    *out = (navd_jobs){0};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_jobs_list_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_jobs, out);
}

void navd_jobs_free(navd_jobs *j)
{
    free(j->edits);
    free(j->builds);
    *j = (navd_jobs){0};
}

// --- failed tiles ---

typedef struct failed_out {
    navd_failed_tile *tiles;
    size_t count;
    uint64_t total;
} failed_out;

static nav_status take_failed(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_tiles_failed_response answer;
    failed_out *o = out;
    (void)c;
    nav_status s = np_decode_tiles_failed_response(in, &answer, err);
    if (s != NAV_OK) return s;
    o->tiles = calloc(answer.tile_count + (size_t)1, sizeof *o->tiles);
    if (!o->tiles) return NAV_ERR_MEMORY;
    o->count = answer.tile_count;
    o->total = answer.total;
    for (uint32_t i = 0; i < answer.tile_count; i++) copy_failed(&answer.tiles[i], &o->tiles[i]);
    return NAV_OK;
}

navd_status navd_failed_tiles(navd_client *c, uint64_t world, uint32_t limit, navd_failed_tile **out, size_t *count,
                              uint64_t *total)
{
    np_tiles_failed_request request = {.world = world, .limit = limit};
    failed_out got = {.count = 0};
    *out = NULL;
    *count = 0;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_tiles_failed_request(&c->out, navd_client_next_id(c), &request);
    navd_status r = navd_client_finish(c, s, take_failed, &got);
    *out = got.tiles;
    *count = got.count;
    if (total) *total = got.total;
    return r;
}

// --- why ---

static const char *const states[] = {"clean", "queued", "waiting", "resting", "running", "held", "unwatched"};
static const char *const causes[] = {"none",  "instance", "volume", "link",  "area",
                                     "reach", "profile",  "reader", "retry", "start"};
_Static_assert(sizeof states / sizeof *states == NP_STATE_UNWATCHED + 1, "states");
_Static_assert(sizeof causes / sizeof *causes == NP_CAUSE_START + 1, "causes");

static nav_status take_why(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_tiles_why_response answer;
    navd_tile_story *o = out;
    (void)c;
    nav_status s = np_decode_tiles_why_response(in, &answer, err);
    if (s != NAV_OK) return s;
    *o = (navd_tile_story){.state = states[answer.state],
                           .status = (navd_tile_status)answer.status,
                           .revision = answer.revision,
                           .queued_us = answer.queued_us,
                           .made_us = answer.made_us,
                           .cause = causes[answer.cause],
                           .has_object = answer.has_object,
                           .object = answer.object,
                           .cause_revision = answer.cause_revision,
                           .cause_ms = answer.cause_ms,
                           .is_open = answer.is_open,
                           .open_since = answer.open_since,
                           .job_class = (navd_job_class)answer.class,
                           .has_failure = answer.has_failure};
    copy_caller(&answer.caller, &o->caller);
    if (answer.has_failure) copy_failed(&answer.failure, &o->failure);
    return NAV_OK;
}

navd_status navd_tile_why_of(navd_client *c, uint64_t world, const char *profile, navd_sheet sheet, int32_t x,
                             int32_t z, navd_tile_story *out)
{
    const np_tiles_why_request request = {
        .world = world, .profile = np_str_of(profile), .x = x, .z = z, .sheet = (nav_sheet)sheet};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_tiles_why_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_why, out);
}

navd_status navd_tile_why(navd_client *c, uint64_t world, const char *profile, int32_t x, int32_t z,
                          navd_tile_story *out)
{
    return navd_tile_why_of(c, world, profile, NAVD_SHEET_UP, x, z, out);
}
