// tiles.*
#include "daemon/delivery/describe.h"
#include "daemon/delivery/progress.h"
#include "daemon/delivery/subscription.h"
#include "daemon/delivery/sync.h"
#include "daemon/methods/tiles_answer.h"
#include "daemon/work/build_call.h"
#include "daemon/work/mesh_job.h"
#include "daemon/world/profiles.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BUILD_COST = 4, SUBSCRIPTION_COST = 80 }; // memory for a byte of geometry; for a tile that a client has

// The slot of the first sheet that is asked for.
static nav_status find_first(nd_call *c, const nd_world *w, const np_tiles_subscribe_request *r, uint32_t *profile)
{
    if (!r->sheets) return NAV_OK;
    *profile = nd_world_find_first(w, r->profile, r->sheets);
    if (*profile != UINT32_MAX) return NAV_OK;
    return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "sheets",
                            "sheets: the profile \"%.*s\" has none of them; leave them out for all that it has",
                            (int)r->profile.size, r->profile.data);
}

nav_status nd_method_tiles_subscribe(nd_call *c)
{
    np_tiles_subscribe_request r;
    nd_world *w;
    uint32_t profile = 0;
    nd_subscription *sub;
    bool resumed;
    nav_status s = np_decode_tiles_subscribe_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s == NAV_OK) s = nd_call_profile(c, w, r.profile, &profile);
    if (s == NAV_OK) s = find_first(c, w, &r, &profile);
    if (s != NAV_OK) return s;
    bool holds_others = r.build == NP_BUILD_WATCHED && w->build.mode != NP_BUILD_WATCHED;
    if (holds_others) s = nd_call_needs(c, NP_ROLE_EDITOR, "having only built what is watched");
    if (s != NAV_OK) return s;
    if (c->session->subscription_count >= c->methods->config->max_subscriptions)
        return np_error_set(&c->err, NAV_ERR_LIMIT, "the session already has %u subscriptions (--max-subscriptions)",
                            c->session->subscription_count);
    s = nd_memory_check(c->methods->memory, SUBSCRIPTION_COST * (uint64_t)w->scheduler.tiles.count, &c->err);
    if (s != NAV_OK) return s;
    s = nd_subscription_create(c->methods->delivery, c->session, w, profile, &r, &resumed, &sub);
    if (s == NAV_ERR_LIMIT)
        return np_error_set(
            &c->err, s, "the session's subscriptions would cover more than %" PRIu64 " tiles together (--max-tiles)",
            c->methods->config->max_tiles);
    if (s != NAV_OK) return np_error_set(&c->err, s, "no memory for the subscription");
    np_tiles_subscribe_response out = {
        .subscription = sub->id, .revision = w->revision, .resumed = resumed, .grid = w->profiles[profile].wire.grid};
    nd_reply(c->session, c->message->id, NP_TILES_SUBSCRIBE, &out);
    nd_sync_due(c->methods->delivery, w);
    nd_subscription_flush_all(sub);
    nd_progress_watch(c->methods->delivery);
    nd_builder_kick(c->methods->builder); // tiles that have to be made in another encoding
    return NAV_OK;
}

static nav_status find_subscription(nd_call *c, uint64_t id, nd_subscription **out)
{
    *out = nd_subscription_find(c->session, id);
    if (*out) return NAV_OK;
    return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "subscription", "the session has no subscription %" PRIu64, id);
}

nav_status nd_method_tiles_unsubscribe(nd_call *c)
{
    np_tiles_unsubscribe_request r;
    nd_subscription *sub;
    nav_status s = np_decode_tiles_unsubscribe_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = find_subscription(c, r.subscription, &sub);
    if (s != NAV_OK) return s;
    nd_subscription_destroy(sub);
    np_none out = {0};
    nd_reply(c->session, c->message->id, NP_TILES_UNSUBSCRIBE, &out);
    return NAV_OK;
}

nav_status nd_method_tiles_focus(nd_call *c)
{
    np_tiles_focus_request r;
    nd_subscription *sub;
    nav_status s = np_decode_tiles_focus_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = find_subscription(c, r.subscription, &sub);
    if (s != NAV_OK) return s;
    if (r.has_focus) s = nd_subscription_focus(sub, r.focus);
    if (s != NAV_OK) return np_error_set(&c->err, s, "no memory for the focus");
    if (r.has_bounds) s = nd_subscription_set_bounds(sub, r.min, r.max, r.has_margin ? &r.margin_m : NULL);
    if (s != NAV_OK) {
        nd_session_close(c->session, s == NAV_ERR_LIMIT ? "max_tiles" : "memory");
        return NAV_OK;
    }
    np_none out = {0};
    nd_reply(c->session, c->message->id, NP_TILES_FOCUS, &out);
    if (!r.has_bounds) return NAV_OK;
    nd_sync_due(c->methods->delivery, sub->world);
    nd_subscription_flush_all(sub);
    nd_progress_watch(c->methods->delivery);
    nd_builder_kick(c->methods->builder);
    return NAV_OK;
}

// --- tiles.build ---

static nav_status check_build(nd_call *c, const np_tiles_build_request *r, uint32_t *count)
{
    char why[200];
    if (nav_settings_check(&r->settings, why, sizeof why) != NAV_OK)
        return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "settings", "settings: %s", why);
    uint64_t tiles = 1;
    for (int k = 0; k < 2; k++) {
        int64_t n = (int64_t)r->last[k] - r->first[k] + 1;
        if (n < 1) return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "last", "last is before first");
        if (r->first[k] < -(1 << 24) || r->last[k] > 1 << 24)
            return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "first",
                                    "tile coordinates range from -16777216 to 16777216");
        tiles *= (uint64_t)n; // each below 2^26
    }
    if (tiles > c->methods->config->max_request_tiles)
        return np_error_set_key(&c->err, NAV_ERR_LIMIT, "last",
                                "%" PRIu64 " tiles, at most %" PRIu64 " are allowed (--max-request-tiles)", tiles,
                                c->methods->config->max_request_tiles);
    if (c->session->builds >= c->methods->config->max_builds)
        return np_error_set(&c->err, NAV_ERR_LIMIT, "%u calls of tiles.build are running already (--max-builds)",
                            c->session->builds);
    *count = (uint32_t)tiles;
    return NAV_OK;
}

static void end_batch(nd_methods *methods, nd_batch *b)
{
    nd_session *s = nd_sessions_find(methods->sessions, b->caller->session);
    if (s) s->builds--;
    nd_builder_remove_batch(methods->builder, b);
    nd_batch_destroy(b);
}

static void mesh_done(nd_task *task, bool ran)
{
    nd_mesh_job *j = (nd_mesh_job *)task;
    nd_batch *b = j->owner;
    nd_methods *methods = b->builder->user;
    nd_session *s = nd_sessions_find(methods->sessions, b->caller->session);
    np_error err = {0};
    nav_status status = ran ? j->status : NAV_ERR_CANCELLED;
    nd_mesh *mesh = status == NAV_OK ? calloc(1, sizeof *mesh) : NULL;
    if (mesh && !b->cancelled) {
        atomic_init(&mesh->refs, 1);
        mesh->mesh = mesh->owned = j->mesh;
        j->mesh = NULL;
        nd_build_call_start(b, mesh);
    } else {
        free(mesh);
        if (status == NAV_OK) status = NAV_ERR_MEMORY;
        if (ran && j->status != NAV_OK)
            nd_mesh_job_refuse(j, "areas", &err);
        else
            np_error_set(&err, status, "the geometry: %s", nav_status_text(status));
        if (s && !b->cancelled) nd_reply_error(s, nd_build_call_of(b)->request, &err);
        end_batch(methods, b);
    }
    nd_mesh_job_destroy(j);
    nd_builder_kick(methods->builder);
}

static nav_status answer_batch(nd_methods *methods, const nd_batch *b, np_error *err)
{
    const nd_build_call *c = nd_build_call_of(b);
    nd_tiles_answer *a = nd_tiles_answer_create(methods, b->caller->session, c->request, b->tile_count);
    if (!a) return np_error_set(err, NAV_ERR_MEMORY, "no memory for the response");
    a->method = NP_TILES_BUILD;
    a->encoding = c->encoding;
    a->compression = c->compression;
    for (uint32_t i = 0; i < b->tile_count; i++) {
        const nd_batch_tile *t = &b->tiles[i];
        const nd_cached *out = nd_batch_out(b, i, (uint8_t)c->encoding);
        bool ok = t->how.status == NAV_OK;
        a->tiles[i] = (np_tile){.x = c->first[0] + (int32_t)(i % c->columns),
                                .z = c->first[1] + (int32_t)(i / c->columns),
                                .sheet = c->settings.sheet,
                                .status = ok ? out->status : NP_TILE_FAILED,
                                .reason = np_str_of(ok ? "" : nd_failure_text(&t->how)),
                                .key = out->content_key,
                                .size = out->size,
                                .encoding = c->encoding,
                                .queued_us = t->queued_us,
                                .made_us = t->made_us};
        if (out->blob) a->blobs[i] = nd_blob_ref(out->blob);
    }
    nd_tiles_answer_send(a);
    return NAV_OK;
}

static void batch_done(nd_batch *b)
{
    nd_methods *methods = b->builder->user;
    nd_session *s = nd_sessions_find(methods->sessions, b->caller->session);
    np_error err = {0};
    if (s && !b->cancelled && answer_batch(methods, b, &err) != NAV_OK)
        nd_reply_error(s, nd_build_call_of(b)->request, &err);
    end_batch(methods, b);
}

nav_status nd_method_tiles_build(nd_call *c)
{
    np_tiles_build_request r;
    uint32_t count = 0;
    nd_batch *b = NULL;
    nd_mesh_job *j = NULL;
    nav_status s = np_decode_tiles_build_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = check_build(c, &r, &count);
    if (s == NAV_OK)
        s = nd_memory_check(c->methods->memory, BUILD_COST * ((uint64_t)r.vertices.size + r.indices.size), &c->err);
    if (s != NAV_OK) return s;

    b = nd_build_call_create(c->methods->builder, c->session->caller, &r, count);
    j = calloc(1, sizeof *j);
    s = b && j ? nav_buffer_append(&j->bytes, r.vertices.data, r.vertices.size) : NAV_ERR_MEMORY;
    if (s == NAV_OK) s = nav_buffer_append(&j->bytes, r.indices.data, r.indices.size);
    if (s == NAV_OK) s = nav_buffer_append(&j->bytes, r.areas.data, r.areas.size);
    if (s != NAV_OK) {
        nd_batch_destroy(b);
        nd_mesh_job_destroy(j);
        return np_error_set(&c->err, s, "no memory for the geometry");
    }
    b->done = batch_done;
    nd_build_call_of(b)->request = c->message->id;
    j->task.run = nd_mesh_job_run_task;
    j->task.done = mesh_done;
    j->vertices = r.vertices.size / 12;
    j->triangles = r.indices.size / 12;
    j->form = np_mesh_form_of(r.areas.size > 0, 0);
    j->owner = b;
    j->memory = c->methods->meshes->memory;
    c->session->builds++;
    nd_builder_add_batch(c->methods->builder, b);
    nd_workers_push(c->methods->workers, &j->task);
    nd_builder_kick(c->methods->builder); // it looks at the workers
    return NAV_OK;
}

void nd_methods_batch_cancel(nd_methods *methods, nd_batch *b)
{
    nd_session *s = nd_sessions_find(methods->sessions, b->caller->session);
    np_error err = {0};
    np_error_set(&err, NAV_ERR_CANCELLED, "jobs.cancel ended the build");
    const uint32_t request = nd_build_call_of(b)->request;
    nd_batch_cancel(b);
    if (nd_batch_is_done(b)) end_batch(methods, b); // else when its runs have ended
    if (s) nd_reply_error(s, request, &err);
}
