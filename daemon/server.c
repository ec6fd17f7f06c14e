#include "daemon/server.h"

#include "daemon/methods.h"
#include "daemon/subscription.h"
#include "daemon/thread.h"
#include "daemon/waiters.h"
#include "protocol/dictionary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PROGRESS_MS = 100, FAILURE_LOG_NS = 1000000000 };

static void log_failure(nd_server *s, const nd_world *w, const nd_tile *t)
{
    uint64_t now = nd_now_ns();
    if (s->failure_logged_ns && now - s->failure_logged_ns < FAILURE_LOG_NS) {
        s->failures_unlogged++;
        return;
    }
    nd_log(ND_LOG_WARN, "tile.failed", "world=%" PRIu64 " profile=%u x=%d z=%d code=%s unlogged_before=%" PRIu64, w->id,
           t->profile, t->x, t->z, nav_status_name(t->result.failure), s->failures_unlogged);
    s->failure_logged_ns = now;
    s->failures_unlogged = 0;
}

static void on_tile(void *user, nd_world *w, nd_tile *t, const nd_cached *out)
{
    if (t->result.status == NP_TILE_FAILED) log_failure(user, w, t);
    nd_subscriptions_publish(w, t, out);
    if (t->result.status == NP_TILE_REMOVED && t->state == ND_TILE_CLEAN) nd_scheduler_forget(&w->scheduler, t);
    nd_waiters_check(w);
}

// --- progress ---

// One note per session and profile, however many of its subscriptions look at it.
static bool told_already(const nd_world *w, const nd_subscription *sub)
{
    for (const nd_subscription *o = w->subscriptions; o != sub; o = o->next_of_world)
        if (o->session == sub->session && o->profile == sub->profile) return true;
    return false;
}

static void tell_progress(nd_server *s, nd_world *w)
{
    for (nd_subscription *sub = w->subscriptions; sub;) {
        nd_session *session = sub->session;
        uint64_t done = w->scheduler.progress[sub->profile].done, open = w->scheduler.progress[sub->profile].open;
        if (nd_session_writable(session) && done + open && !told_already(w, sub)) {
            np_progress_note note = {
                .world = w->id, .profile = w->profiles[sub->profile].wire.name, .done = done, .total = done + open};
            s->scratch.size = 0;
            if (np_encode_progress_note(&s->scratch, &note) == NAV_OK)
                nd_session_send(session, s->scratch.data, s->scratch.size, NULL);
        }
        if (session->closing) return; // its subscriptions are gone; the others hear the next time
        sub = sub->next_of_world;
    }
}

static void on_progress(uv_timer_t *timer)
{
    nd_server *s = timer->data;
    bool busy = false;
    for (size_t i = 0; i < s->builder.world_count; i++) {
        nd_world *w = s->builder.worlds[i];
        bool open = w->scheduler.open.oldest || w->scheduler.held.oldest;
        if (open || w->progress_shown) tell_progress(s, w);
        w->progress_shown = open;
        busy |= open;
    }
    if (!busy) uv_timer_stop(timer);
}

void nd_server_watch_progress(nd_server *s)
{
    if (!s->stopping && !uv_is_active((uv_handle_t *)&s->progress))
        uv_timer_start(&s->progress, on_progress, PROGRESS_MS, PROGRESS_MS);
}

// --- life ---

static void close_session(void *user, nd_node *n)
{
    (void)user;
    nd_session_close(ND_HOLDER(n, nd_session, node), "shutdown");
}

static void close_all(nd_server *s)
{
    if (s->stopping) return;
    s->stopping = true;
    for (int i = 0; i < ND_LISTENERS; i++) nd_listener_close(&s->listeners[i]);
    nd_table_each(&s->sessions, close_session, NULL);
    nd_builder_close(&s->builder);
    nd_workers_close(s->workers);
    s->workers = NULL;
    uv_close((uv_handle_t *)&s->progress, NULL);
    uv_close((uv_handle_t *)&s->stop, NULL);
}

static void on_stop(uv_async_t *handle)
{
    close_all(handle->data);
}

void nd_server_stop(nd_server *s)
{
    uv_async_send(&s->stop);
}

static nav_status init_parts(nd_server *s)
{
    const nd_config *c = &s->config;
    unsigned threads = (unsigned)c->threads;
    if (!threads) threads = uv_available_parallelism();
    s->dictionary = ZSTD_createCDict(np_dictionary, np_dictionary_bytes, (int)c->zstd_level);
    if (!s->dictionary) return NAV_ERR_MEMORY;
    if (uv_async_init(s->loop, &s->stop, on_stop)) return NAV_ERR_IO;
    s->stop.data = s;
    if (uv_timer_init(s->loop, &s->progress)) abort(); // it cannot: a timer is memory only
    s->progress.data = s;
    nav_status status = nd_workers_create(s->loop, threads, (size_t)c->tile_memory_bytes, &s->workers);
    if (status != NAV_OK) {
        uv_close((uv_handle_t *)&s->stop, NULL);
        uv_close((uv_handle_t *)&s->progress, NULL);
        return status;
    }
    s->builder = (nd_builder){.workers = s->workers,
                              .cache = &s->cache,
                              .zstd_level = (int)c->zstd_level,
                              .dictionary = s->dictionary,
                              .tile_timeout_us = c->tile_ms * 1000,
                              .on_tile = on_tile,
                              .on_batch = nd_methods_batch_done,
                              .user = s};
    if (nd_builder_init(&s->builder, s->loop) != NAV_OK) abort(); // as for the timer
    return NAV_OK;
}

static void set_limits(nd_server *s)
{
    const nd_config *c = &s->config;
    np_limits_default(&s->frame_limits);
    s->frame_limits.message_bytes = (uint32_t)c->max_message_bytes;
    s->world_limits = (nd_world_limits){.max_objects = c->max_objects,
                                        .max_edit_tiles = c->max_edit_tiles,
                                        .max_tiles = c->max_tiles,
                                        .max_profiles = (uint32_t)c->max_profiles};
}

nav_status nd_server_create(uv_loop_t *loop, const nd_config *config, char *why, size_t why_bytes, nd_server **out)
{
    nd_thread_set_loop(true);
    nd_server *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(why, why_bytes, "no memory");
        return NAV_ERR_MEMORY;
    }
    s->loop = loop;
    s->config = *config;
    s->began_ns = nd_now_ns();
    s->next_session = s->next_world = s->next_subscription = 1;
    set_limits(s);
    nd_mesh_store_init(&s->meshes, (size_t)config->mesh_store_bytes);
    nd_cache_init(&s->cache, (size_t)config->cache_bytes);
    for (int i = 0; i < ND_LISTENERS; i++) s->listeners[i] = (nd_listener){.server = s, .lock = -1};

    nav_status status = init_parts(s);
    if (status != NAV_OK) {
        snprintf(why, why_bytes, "cannot start %" PRIu64 " worker threads: %s; try --threads with a smaller number",
                 config->threads, nav_status_text(status));
        s->stopping = true;
        while (uv_run(loop, UV_RUN_NOWAIT)) {
        }
        nd_server_destroy(s);
        return status;
    }
    if (config->socket[0]) status = nd_listen_unix(s, &s->listeners[0], config->socket, why, why_bytes);
    if (status == NAV_OK && config->listen[0])
        status = nd_listen_tcp(s, &s->listeners[1], config->listen, why, why_bytes);
    if (status == NAV_OK && !config->socket[0] && !config->listen[0]) {
        snprintf(why, why_bytes, "nothing to listen on: give --socket PATH or --listen HOST:PORT");
        status = NAV_ERR_ARGUMENT;
    }
    if (status != NAV_OK) {
        close_all(s);
        while (uv_run(loop, UV_RUN_DEFAULT)) {
        }
        nd_server_destroy(s);
        return status;
    }
    *out = s;
    return NAV_OK;
}

void nd_server_destroy(nd_server *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->builder.world_count; i++) nd_world_destroy(s->builder.worlds[i]);
    nd_builder_deinit(&s->builder);
    nd_table_deinit(&s->sessions);
    nd_cache_deinit(&s->cache);
    nd_mesh_store_deinit(&s->meshes);
    nav_buffer_deinit(&s->scratch);
    ZSTD_freeCDict(s->dictionary);
    free(s);
}

// --- look-ups ---

nd_world *nd_server_find_world(const nd_server *s, uint64_t id)
{
    // Worlds are numbered in the order they are made, and stay.
    return id >= 1 && id <= s->builder.world_count ? s->builder.worlds[id - 1] : NULL;
}

nd_world *nd_server_find_world_named(const nd_server *s, np_str name)
{
    for (size_t i = 0; i < s->builder.world_count; i++)
        if (np_str_equal(name, s->builder.worlds[i]->name)) return s->builder.worlds[i];
    return NULL;
}

nd_session *nd_server_find_session(const nd_server *s, uint64_t id)
{
    for (nd_node *n = nd_table_first(&s->sessions, nd_hash_u64(id)); n; n = nd_table_next(n))
        if (ND_HOLDER(n, nd_session, node)->id == id) return ND_HOLDER(n, nd_session, node);
    return NULL;
}

int nd_server_port(const nd_server *s)
{
    struct sockaddr_storage a;
    int length = sizeof a;
    const nd_listener *l = &s->listeners[1];
    if (!l->open || l->is_pipe || uv_tcp_getsockname(&l->u.tcp, (struct sockaddr *)&a, &length)) return 0;
    return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
                                         : ((struct sockaddr_in *)&a)->sin_port);
}
