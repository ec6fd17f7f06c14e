// The farm as a daemon sees it.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdlib.h>

static void copy_member(const np_farm_member *in, navd_farm_member *out)
{
    *out = (navd_farm_member){.generator = in->generator,
                              .leaves = in->leaves,
                              .threads = in->threads,
                              .jobs = in->jobs,
                              .waiting = in->waiting,
                              .tiles = in->tiles,
                              .found = in->found,
                              .done = in->done,
                              .set_aside = in->set_aside,
                              .refused = in->refused,
                              .bytes_in = in->bytes_in,
                              .bytes_out = in->bytes_out,
                              .uptime_s = in->uptime_s,
                              .seen_ms = in->seen_ms};
    navd_text_copy(out->id, sizeof out->id, in->id);
    navd_text_copy(out->kind, sizeof out->kind, in->kind);
    navd_text_copy(out->name, sizeof out->name, in->name);
    navd_text_copy(out->version, sizeof out->version, in->version);
}

static nav_status copy_lists(const np_farm_status_response *in, navd_farm *out)
{
    out->members = calloc(in->member_count + (size_t)1, sizeof *out->members);
    out->streams = calloc(in->stream_count + (size_t)1, sizeof *out->streams);
    if (!out->members || !out->streams) return NAV_ERR_MEMORY;
    for (; out->member_count < in->member_count; out->member_count++)
        copy_member(&in->members[out->member_count], &out->members[out->member_count]);
    for (; out->stream_count < in->stream_count; out->stream_count++) {
        const np_farm_stream *from = &in->streams[out->stream_count];
        navd_farm_stream *to = &out->streams[out->stream_count];
        *to = (navd_farm_stream){.messages = from->messages, .bytes = from->bytes, .max_bytes = from->max_bytes};
        navd_text_copy(to->name, sizeof to->name, from->name);
    }
    return NAV_OK;
}

static nav_status take_status(navd_client *c, const np_message *in, np_error *err, void *user)
{
    np_farm_status_response answer;
    navd_farm *out = user;
    (void)c;
    nav_status s = np_decode_farm_status_response(in, &answer, err);
    if (s != NAV_OK) return s;
    *out = (navd_farm){.up = answer.up,
                       .generator = answer.generator,
                       .leads = answer.leads,
                       .live = answer.live,
                       .epoch = answer.epoch,
                       .unlogged = answer.unlogged,
                       .behind = answer.behind,
                       .lag_p99_us = answer.lag_p99_us,
                       .has_jobs = answer.has_jobs,
                       .jobs_waiting = answer.jobs_waiting,
                       .jobs_out = answer.jobs_out,
                       .jobs_redelivered = answer.jobs_redelivered};
    navd_text_copy(out->name, sizeof out->name, answer.name);
    navd_text_copy(out->id, sizeof out->id, answer.id);
    navd_text_copy(out->trouble, sizeof out->trouble, answer.trouble);
    navd_text_copy(out->worlds, sizeof out->worlds, answer.worlds);
    navd_text_copy(out->role, sizeof out->role, answer.role);
    navd_text_copy(out->leader, sizeof out->leader, answer.leader);
    s = copy_lists(&answer, out);
    if (s != NAV_OK) navd_farm_free(out);
    return s;
}

navd_status navd_farm_status(navd_client *c, navd_farm *out)
{
    const np_farm_status_request request = {0};
    *out = (navd_farm){.up = false};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_farm_status_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_status, out);
}

void navd_farm_free(navd_farm *f)
{
    free(f->members);
    free(f->streams);
    *f = (navd_farm){.up = false};
}

// --- farm.check ---

static const char *const states[] = {[NAVD_FARM_SAME] = "same",
                                     [NAVD_FARM_DIFFERS] = "differs",
                                     [NAVD_FARM_PENDING] = "pending",
                                     [NAVD_FARM_UNKNOWN] = "unknown"};

const char *navd_farm_state_name(navd_farm_state s)
{
    return (unsigned)s < sizeof states / sizeof *states ? states[s] : "";
}

static navd_farm_state state_of(np_str text)
{
    for (unsigned s = 0; s < sizeof states / sizeof *states; s++)
        if (np_str_equal(text, states[s])) return (navd_farm_state)s;
    return NAVD_FARM_UNKNOWN; // a newer daemon's word
}

typedef struct checked_out {
    navd_farm_checked *list;
    size_t count;
    bool answered;
} checked_out;

static nav_status take_check(navd_client *c, const np_message *in, np_error *err, void *user)
{
    np_farm_check_response answer;
    checked_out *out = user;
    (void)c;
    nav_status s = np_decode_farm_check_response(in, &answer, err);
    if (s != NAV_OK) return s;
    out->list = calloc(answer.world_count + (size_t)1, sizeof *out->list);
    if (!out->list) return NAV_ERR_MEMORY;
    out->answered = answer.answered;
    for (; out->count < answer.world_count; out->count++) {
        const np_farm_checked *from = &answer.worlds[out->count];
        navd_farm_checked *to = &out->list[out->count];
        *to = (navd_farm_checked){.state = state_of(from->state),
                                  .revision = from->revision,
                                  .leader_revision = from->leader_revision,
                                  .tiles = from->tiles,
                                  .leader_tiles = from->leader_tiles};
        navd_text_copy(to->name, sizeof to->name, from->name);
    }
    return NAV_OK;
}

navd_status navd_farm_check(navd_client *c, navd_farm_checked **out, size_t *count, bool *answered)
{
    const np_farm_check_request request = {0};
    checked_out got = {.count = 0};
    *out = NULL;
    *count = 0;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    s = np_encode_farm_check_request(&c->out, navd_client_next_id(c), &request);
    const navd_status r = navd_client_finish(c, s, take_check, &got);
    *out = got.list;
    *count = got.count;
    if (answered) *answered = got.answered;
    return r;
}
