#include "daemon/methods.h"

#include "daemon/reach.h"
#include "daemon/thread.h"
#include "daemon/waiters.h"
#include "protocol/dictionary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef nav_status (*handler)(nd_call *c);

static const handler handlers[NP_METHOD_COUNT] = {
#define HANDLER(ID, name, wire) [NP_##ID] = nd_method_##name,
    NP_METHOD_LIST(HANDLER)
#undef HANDLER
};

void nd_reply(nd_session *s, uint32_t request, np_method method, const void *response)
{
    ND_ASSERT_LOOP_THREAD();
    nav_buffer *out = &s->server->scratch;
    out->size = 0;
    nav_status status = np_response_encode(out, method, request, response);
    if (status == NAV_OK) {
        nd_session_send(s, out->data, out->size, NULL);
        return;
    }
    np_error e;
    np_error_set(&e, status, "the answer cannot be written: %s", nav_status_text(status));
    nd_reply_error(s, request, &e);
}

void nd_reply_error(nd_session *s, uint32_t request, const np_error *e)
{
    nav_buffer *out = &s->server->scratch;
    out->size = 0;
    s->server->stats.errors++;
    if (np_error_encode(out, request, e) == NAV_OK)
        nd_session_send(s, out->data, out->size, NULL);
    else
        nd_session_close(s, "memory");
}

static nav_status call_handler(nd_call *c, np_method method)
{
    if (method == NP_UNKNOWN)
        return np_error_set(&c->err, NAV_ERR_NOT_FOUND, "there is no method \"%.*s\"",
                            c->message->method.size < 64 ? (int)c->message->method.size : 64, c->message->method.data);
    if (!c->session->greeted && method != NP_HELLO)
        return np_error_set(&c->err, NAV_ERR_STATE, "%s came before hello", np_method_name(method));
    return handlers[method](c);
}

nav_status nd_methods_handle(nd_session *s, const uint8_t *bytes, size_t count, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    np_message m;
    nd_call c = {.server = s->server, .session = s, .message = &m};
    nav_status status = np_message_read(bytes, count, &m, &c.err);
    if (status == NAV_ERR_FORMAT || status == NAV_ERR_MEMORY) {
        *err = c.err;
        goto done;
    }
    s->server->stats.requests++;
    if (status == NAV_OK && m.kind == NP_REQUEST) status = call_handler(&c, np_method_of(&m));
    if (status != NAV_OK && m.kind == NP_REQUEST) {
        c.err.code = status;
        nd_log(ND_LOG_DEBUG, "call.failed", "session=%" PRIu64 " method=%s code=%s why=%s", s->id,
               np_method_name(np_method_of(&m)), nav_status_name(status),
               nd_log_quote(c.err.message, strlen(c.err.message)).text);
        nd_reply_error(s, m.id, &c.err);
    }
    status = NAV_OK; // notifications and responses ask for nothing
done:
    np_message_deinit(&m);
    return status;
}

nav_status nd_call_world(nd_call *c, uint64_t id, nd_world **out)
{
    *out = nd_server_find_world(c->server, id);
    if (*out) return NAV_OK;
    return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "world", "there is no world %" PRIu64, id);
}

nav_status nd_call_profile(nd_call *c, const nd_world *w, np_str name, uint32_t *out)
{
    *out = nd_world_find_profile(w, name);
    if (*out != UINT32_MAX) return NAV_OK;
    return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "profile", "the world has no profile \"%.*s\"", (int)name.size,
                            name.data);
}

nav_status nd_method_hello(nd_call *c)
{
    np_hello_request r;
    nav_status s = np_decode_hello_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    if (r.version != NP_PROTOCOL_VERSION)
        return np_error_set_key(&c->err, NAV_ERR_VERSION, "version", "version %u is not spoken here, %d is", r.version,
                                NP_PROTOCOL_VERSION);
    const nd_config *cfg = &c->server->config;
    const np_limits *l = &c->server->frame_limits;
    c->session->greeted = true;
    nd_log(ND_LOG_INFO, "session.hello", "id=%" PRIu64 " client=%s", c->session->id,
           nd_log_quote(r.client.data, r.client.size).text);
    np_hello_response out = {.server = np_str_of("navd " NAVD_VERSION),
                             .version = NP_PROTOCOL_VERSION,
                             .limits = {.message_bytes = l->message_bytes,
                                        .depth = l->depth,
                                        .elements = l->elements,
                                        .container_elements = l->container_elements,
                                        .mesh_part_bytes = NP_MESH_PART_BYTES,
                                        .mesh_bytes = (uint32_t)cfg->max_mesh_bytes,
                                        .edit_ops = (uint32_t)cfg->max_edit_ops,
                                        .request_tiles = (uint32_t)cfg->max_request_tiles},
                             .dictionary = NP_DICTIONARY_ID};
    nd_reply(c->session, c->message->id, NP_HELLO, &out);
    return NAV_OK;
}

nav_status nd_method_dictionary_get(nd_call *c)
{
    np_dictionary_get_request r;
    nav_status s = np_decode_dictionary_get_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    if (r.id != NP_DICTIONARY_ID)
        return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "id", "there is no dictionary %u, there is %d", r.id,
                                NP_DICTIONARY_ID);
    np_dictionary_get_response out = {.id = r.id, .data = {np_dictionary, (uint32_t)np_dictionary_bytes}};
    nd_reply(c->session, c->message->id, NP_DICTIONARY_GET, &out);
    return NAV_OK;
}

// --- jobs ---

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
    if (c->session->waits >= c->server->config.max_calls)
        return np_error_set(&c->err, NAV_ERR_LIMIT, "%u calls wait already (--max-calls)", c->session->waits);
    s = nd_waiters_add(w, c->session, c->message->id, r.has_revision ? r.revision : w->revision);
    return s == NAV_OK ? s : np_error_set(&c->err, s, "no memory for the call");
}

static void cancel_run(void *user, void *run)
{
    (void)user;
    nd_tile_job_cancel(run);
}

nav_status nd_method_jobs_cancel(nd_call *c)
{
    np_jobs_cancel_request r;
    nd_world *w;
    nav_status s = np_decode_jobs_cancel_request(c->message, &r, &c->err);
    if (s == NAV_OK) s = nd_call_world(c, r.world, &w);
    if (s != NAV_OK) return s;
    np_jobs_cancel_response out = {.cancelled = (uint32_t)nd_scheduler_cancel(&w->scheduler, cancel_run, NULL)};
    nd_waiters_cancel(w);
    nd_reply(c->session, c->message->id, NP_JOBS_CANCEL, &out);
    return NAV_OK;
}

// --- stats ---

enum { MAX_COUNTERS = 80 };

typedef struct counters {
    np_counter list[MAX_COUNTERS];
    char names[NAV_STAGE_COUNT][40];
    uint32_t count;
} counters;

static void add(counters *c, const char *name, uint64_t value)
{
    if (c->count < MAX_COUNTERS) c->list[c->count++] = (np_counter){np_str_of(name), value};
}

static void add_worlds(counters *c, const nd_builder *b)
{
    uint64_t instances = 0, tiles = 0, queued = 0, running = 0, held = 0;
    nav_reach_counts reach = {0}, one;
    for (size_t i = 0; i < b->world_count; i++) {
        const nd_world *w = b->worlds[i];
        instances += w->objects[ND_INSTANCE].count;
        tiles += w->scheduler.tiles.count;
        queued += w->scheduler.fresh.count + w->scheduler.missed.count;
        running += w->scheduler.running_count;
        held += w->scheduler.held.count;
        for (uint32_t p = 0; p < w->profile_count; p++) {
            if (!nd_reach_count(w, p, &one)) continue;
            reach.parts += one.parts;
            reach.parts_off += one.parts_off;
            reach.seeds_lost += one.seeds_lost;
            reach.steps += one.steps;
        }
    }
    add(c, "worlds", b->world_count);
    add(c, "instances", instances);
    add(c, "tiles", tiles);
    add(c, "tiles_queued", queued);
    add(c, "tiles_running", running);
    add(c, "tiles_held", held);
    add(c, "reach_parts", reach.parts);
    add(c, "reach_parts_unreachable", reach.parts_off);
    add(c, "reach_seeds_without_ground", reach.seeds_lost);
    add(c, "reach_steps", reach.steps);
}

static void sum_queued(void *user, nd_node *n)
{
    *(uint64_t *)user += ND_HOLDER(n, nd_session, node)->queued_bytes;
}

static void add_server(counters *c, nd_server *s)
{
    uint64_t queued = 0;
    nd_table_each(&s->sessions, sum_queued, &queued);
    add(c, "bytes_queued", queued);
    add(c, "uptime_ms", (nd_now_ns() - s->began_ns) / 1000000);
    add(c, "threads", nd_workers_count(s->workers));
    add(c, "sessions", s->sessions.count);
    add(c, "sessions_opened", s->stats.sessions_opened);
    add(c, "requests", s->stats.requests);
    add(c, "errors", s->stats.errors);
    add(c, "protocol_errors", s->stats.protocol_errors);
    add(c, "bytes_in", s->stats.bytes_in);
    add(c, "bytes_out", s->stats.bytes_out);
    add(c, "edits", s->stats.edits);
    add(c, "edit_ops", s->stats.edit_ops);
    add(c, "meshes", s->meshes.table.count);
    add(c, "mesh_bytes", s->meshes.bytes);
    add(c, "meshes_evicted", s->meshes.evicted_count);
    add(c, "upload_bytes", s->upload_bytes);
    add(c, "cache_entries", s->cache.table.count);
    add(c, "cache_bytes", s->cache.bytes);
    add(c, "cache_hits", s->cache.hit_count);
    add(c, "cache_misses", s->cache.miss_count);
    add(c, "cache_evicted", s->cache.evicted_count);
    add(c, "tile_notes", s->stats.tile_notes);
    add(c, "tile_bytes", s->stats.tile_bytes);
}

static void add_builder(counters *c, const nd_builder *b)
{
    const nd_builder_stats *s = &b->stats;
    add(c, "jobs_running", b->in_flight);
    add(c, "jobs_built", s->built);
    add(c, "jobs_masked", s->masked);
    add(c, "jobs_failed", s->failed);
    add(c, "jobs_cancelled", s->cancelled);
    add(c, "jobs_outdated", s->outdated);
    add(c, "jobs_same_content", s->same_content);
    add(c, "tiles_removed", s->removed);
    add(c, "made_us", s->made_us);
    add(c, "compress_us", s->compress_us);
    for (int i = 0; i < NAV_STAGE_COUNT; i++) {
        snprintf(c->names[i], sizeof c->names[i], "stage_%s_us", nav_stage_name((nav_stage)i));
        add(c, c->names[i], s->stage_us[i]);
    }
    add(c, "arena_peak_bytes", s->arena_peak);
}

nav_status nd_method_stats(nd_call *c)
{
    np_stats_request r;
    nav_status s = np_decode_stats_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    counters list = {.count = 0};
    add_server(&list, c->server);
    add_worlds(&list, &c->server->builder);
    add_builder(&list, &c->server->builder);
    np_stats_response out = {.counter_count = list.count, .counters = list.list};
    nd_reply(c->session, c->message->id, NP_STATS, &out);
    return NAV_OK;
}
