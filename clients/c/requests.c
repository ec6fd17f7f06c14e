// Worlds, edits and jobs. Meshes are in meshes.c, tiles in tiles.c.
#include "clients/c/client.h"
#include "clients/c/convert.h"

#include <stdlib.h>
#include <string.h>

static void copy_name(char out[NAVD_NAME_BYTES], np_str name)
{
    navd_text_copy(out, NAVD_NAME_BYTES, name);
}

// calloc() for a count from the peer, never NULL for 0.
static nav_status take_array(void **out, size_t count, size_t size)
{
    *out = calloc(count + 1, size);
    return *out ? NAV_OK : NAV_ERR_MEMORY;
}

static nav_status take_nothing(navd_client *c, const np_message *in, np_error *err, void *out)
{
    (void)c, (void)in, (void)err, (void)out;
    return NAV_OK;
}

static nav_status take_world(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_world_open_response answer;
    navd_world *world = out;
    (void)c;
    nav_status s = np_decode_world_open_response(in, &answer, err);
    if (s != NAV_OK) return s;
    void *profiles;
    s = take_array(&profiles, answer.profile_count, sizeof *world->profiles);
    if (s != NAV_OK) return s;
    *world = (navd_world){.id = answer.world,
                          .revision = answer.revision,
                          .created = answer.created,
                          .profile_count = answer.profile_count,
                          .build = (navd_build)answer.build.mode,
                          .margin_m = answer.build.margin_m,
                          .profiles = profiles};
    memcpy(world->origin_m, answer.origin_m, sizeof world->origin_m);
    np_axes_to_metres(&(np_axes){.up = NP_UP_Y}, world->to_metres);
    if (answer.has_to_metres) memcpy(world->to_metres, answer.to_metres, sizeof world->to_metres);
    for (uint32_t i = 0; i < answer.profile_count; i++) {
        copy_name(world->profiles[i].name, answer.profiles[i].name);
        navd_settings_from_core(&answer.profiles[i].settings, &world->profiles[i].settings);
        world->profiles[i].grid = answer.profiles[i].grid;
    }
    return NAV_OK;
}

void navd_set_axes(navd_client *c, const navd_axes *axes)
{
    c->axes = (np_axes){.up = (np_up)axes->up, .has_unit = axes->unit_m != 0, .unit_m = axes->unit_m};
}

navd_status navd_world_open(navd_client *c, const char *name, bool create, const double origin_m[3],
                            const navd_profile *profiles, size_t profile_count, navd_world *out)
{
    *out = (navd_world){0};
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_profile *sent = calloc(profile_count + 1, sizeof *sent);
    if (!sent) return navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
    np_world_open_request request = {.name = np_str_of(name),
                                     .create = create,
                                     .profile_count = (uint32_t)profile_count,
                                     .profiles = sent,
                                     .axes = c->axes};
    if (origin_m) memcpy(request.origin_m, origin_m, sizeof request.origin_m);
    for (size_t i = 0; i < profile_count; i++) {
        sent[i].name = np_str_of(profiles[i].name);
        navd_settings_to_core(&profiles[i].settings, request.origin_m, &sent[i].settings);
    }
    s = np_encode_world_open_request(&c->out, navd_client_next_id(c), &request);
    free(sent);
    navd_status done = navd_client_finish(c, s, take_world, out);
    if (done != NAVD_OK || navd_resume_note_world(c, name, out->id) == NAV_OK) return done;
    navd_world_free(out);
    return navd_client_fail(c, NAV_ERR_MEMORY, "%s", nav_status_text(NAV_ERR_MEMORY));
}

void navd_world_free(navd_world *w)
{
    free(w->profiles);
    *w = (navd_world){0};
}

navd_status navd_world_close(navd_client *c, uint64_t world)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_world_close_request request = {.world = world};
    s = np_encode_world_close_request(&c->out, navd_client_next_id(c), &request);
    navd_status done = navd_client_finish(c, s, take_nothing, NULL);
    if (done == NAVD_OK) navd_resume_forget_world(c, world);
    return done;
}

navd_status navd_world_delete(navd_client *c, uint64_t world)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_world_delete_request request = {.world = world};
    s = np_encode_world_delete_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_nothing, NULL);
}

typedef struct list_out {
    void **entries;
    size_t *count;
} list_out;

static nav_status take_world_list(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_world_list_response answer;
    const list_out *list = out;
    (void)c;
    nav_status s = np_decode_world_list_response(in, &answer, err);
    if (s == NAV_OK) s = take_array(list->entries, answer.world_count, sizeof(navd_world_entry));
    if (s != NAV_OK) return s;
    navd_world_entry *entries = *list->entries;
    for (uint32_t i = 0; i < answer.world_count; i++) {
        copy_name(entries[i].name, answer.worlds[i].name);
        entries[i].revision = answer.worlds[i].revision;
        entries[i].instances = answer.worlds[i].instances;
    }
    *list->count = answer.world_count;
    return NAV_OK;
}

navd_status navd_world_list(navd_client *c, navd_world_entry **out, size_t *count)
{
    void *entries = NULL;
    list_out list = {&entries, count};
    *out = NULL;
    *count = 0;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_world_list_request request = {0};
    s = np_encode_world_list_request(&c->out, navd_client_next_id(c), &request);
    navd_status r = navd_client_finish(c, s, take_world_list, &list);
    *out = entries;
    return r;
}

// The request's bytes; the operations are converted for the time of the call.
static nav_status encode_edit(navd_client *c, uint64_t world, const uint64_t *base_revision,
                              const navd_operation *operations, size_t count)
{
    np_op *ops = calloc(count + 1, sizeof *ops);
    if (!ops) return NAV_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) navd_operation_to_wire(&operations[i], &ops[i]);
    np_world_edit_request request = {.world = world,
                                     .has_base_revision = base_revision != NULL,
                                     .base_revision = base_revision ? *base_revision : 0,
                                     .op_count = (uint32_t)count,
                                     .ops = ops};
    nav_status s = np_encode_world_edit_request(&c->out, navd_client_next_id(c), &request);
    free(ops);
    return s;
}

static nav_status take_edit(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_world_edit_response answer;
    (void)c;
    nav_status s = np_decode_world_edit_response(in, &answer, err);
    if (s == NAV_OK && out)
        *(navd_edit_result *)out = (navd_edit_result){answer.revision, answer.dirty_tiles, answer.durable};
    return s;
}

navd_status navd_edit(navd_client *c, uint64_t world, const uint64_t *base_revision, const navd_operation *operations,
                      size_t count, navd_edit_result *out)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    return navd_client_finish(c, encode_edit(c, world, base_revision, operations, count), take_edit, out);
}

static void finish_edit(navd_client *c, call *k)
{
    k->done.edit(k->user, (navd_status)k->status, k->status == NAV_OK ? "" : c->error, &k->result.edit);
    free(k);
}

navd_status navd_edit_start(navd_client *c, uint64_t world, const uint64_t *base_revision,
                            const navd_operation *operations, size_t count, navd_edit_done done, void *user)
{
    nav_status s = navd_client_ready(c, false);
    if (s != NAV_OK) return (navd_status)s;
    call *k = calloc(1, sizeof *k);
    if (k) {
        *k = (call){.take = take_edit, .out = &k->result.edit, .finish = finish_edit, .done.edit = done, .user = user};
        s = encode_edit(c, world, base_revision, operations, count);
    }
    return navd_client_start(c, s, k);
}

static nav_status take_wait(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_jobs_wait_response answer;
    (void)c;
    nav_status s = np_decode_jobs_wait_response(in, &answer, err);
    if (s == NAV_OK && out) *(uint64_t *)out = answer.revision;
    return s;
}

// area NULL: everywhere.
static nav_status encode_wait(navd_client *c, uint64_t world, const uint64_t *revision, const navd_area *area)
{
    np_jobs_wait_request request = {
        .world = world, .has_revision = revision != NULL, .revision = revision ? *revision : 0};
    if (area) {
        request.has_bounds = true;
        memcpy(request.min, area->min, sizeof request.min);
        memcpy(request.max, area->max, sizeof request.max);
        request.has_profile = area->profile != NULL;
        if (area->profile) request.profile = np_str_of(area->profile);
    }
    return np_encode_jobs_wait_request(&c->out, navd_client_next_id(c), &request);
}

navd_status navd_wait_in(navd_client *c, uint64_t world, const uint64_t *revision, const navd_area *area, uint64_t *now)
{
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    return navd_client_finish(c, encode_wait(c, world, revision, area), take_wait, now);
}

navd_status navd_wait(navd_client *c, uint64_t world, const uint64_t *revision, uint64_t *now)
{
    return navd_wait_in(c, world, revision, NULL, now);
}

static void finish_wait(navd_client *c, call *k)
{
    k->done.wait(k->user, (navd_status)k->status, k->status == NAV_OK ? "" : c->error, k->result.now);
    free(k);
}

navd_status navd_wait_start(navd_client *c, uint64_t world, const uint64_t *revision, navd_wait_done done, void *user)
{
    return navd_wait_in_start(c, world, revision, NULL, done, user);
}

navd_status navd_wait_in_start(navd_client *c, uint64_t world, const uint64_t *revision, const navd_area *area,
                               navd_wait_done done, void *user)
{
    nav_status s = navd_client_ready(c, false);
    if (s != NAV_OK) return (navd_status)s;
    call *k = calloc(1, sizeof *k);
    if (k) {
        *k = (call){.take = take_wait, .out = &k->result.now, .finish = finish_wait, .done.wait = done, .user = user};
        s = encode_wait(c, world, revision, area);
    }
    return navd_client_start(c, s, k);
}

static nav_status take_stats(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_stats_response answer;
    const list_out *list = out;
    (void)c;
    nav_status s = np_decode_stats_response(in, &answer, err);
    if (s == NAV_OK) s = take_array(list->entries, answer.counter_count, sizeof(navd_counter));
    if (s != NAV_OK) return s;
    navd_counter *counters = *list->entries;
    for (uint32_t i = 0; i < answer.counter_count; i++) {
        copy_name(counters[i].name, answer.counters[i].name);
        counters[i].value = answer.counters[i].value;
    }
    *list->count = answer.counter_count;
    return NAV_OK;
}

navd_status navd_stats(navd_client *c, navd_counter **out, size_t *count)
{
    void *counters = NULL;
    list_out list = {&counters, count};
    *out = NULL;
    *count = 0;
    nav_status s = navd_client_ready(c, true);
    if (s != NAV_OK) return (navd_status)s;
    np_stats_request request = {0};
    s = np_encode_stats_request(&c->out, navd_client_next_id(c), &request);
    navd_status r = navd_client_finish(c, s, take_stats, &list);
    *out = counters;
    return r;
}
