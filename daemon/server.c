#include "daemon/server.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/config/state_folder.h"
#include "daemon/delivery/subscription.h"
#include "daemon/delivery/sync.h"
#include "daemon/delivery/waiters.h"
#include "daemon/methods/methods.h"
#include "daemon/service/drain.h"
#include "daemon/service/http.h"
#include "daemon/session/session.h"
#include "daemon/session/timeouts.h"
#include "daemon/store/world_store.h"
#include "protocol/dictionary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    nd_server *s = user;
    nd_histogram_add(&s->builder.stats.edit_to_tile, (nd_now_ns() - t->marked_ns) / 1000);
    if (t->result.status == NP_TILE_FAILED) log_failure(s, w, t);
    if (s->store) nd_world_store_note_tile(s->store, w, t);
    nd_subscriptions_publish(w, t, out);
    if (t->result.status == NP_TILE_REMOVED && t->state == ND_TILE_CLEAN) nd_scheduler_forget(&w->scheduler, t);
    nd_waiters_check(w);
    nd_sync_due(user, w);
}

void nd_server_remove_world(nd_server *s, nd_world *w)
{
    nd_log(ND_LOG_INFO, "world.deleted", "world=%" PRIu64 " name=%s", w->id,
           nd_log_quote(w->name, strlen(w->name)).text);
    nd_waiters_cancel(w, 0, "the world was deleted");
    while (w->subscriptions) nd_subscription_end(w->subscriptions, "deleted");
    nd_builder_remove_world(&s->builder, w);
    nd_worlds_delete(&s->worlds, w);
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
    for (size_t i = 0; i < s->worlds.count; i++) {
        nd_world *w = s->worlds.list[i];
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

// --- output ---

static void on_more_output(uv_idle_t *handle)
{
    uv_idle_stop(handle);
}

static void end_turn(nd_server *s)
{
    nd_sync_tell(s);
    if (nd_sessions_end_turn(s) && !s->stopping) uv_idle_start(&s->more_output, on_more_output);
}

static void on_after_events(uv_check_t *handle)
{
    end_turn(handle->data);
}

// From one wait for events to the next, without the wait.
static void note_turn(nd_server *s)
{
    uint64_t now = nd_now_ns(), idle = uv_metrics_idle_time(s->loop);
    uint64_t all = now - s->turn_began_ns, waited = idle - s->idle_ns;
    if (s->turn_began_ns) nd_histogram_add(&s->turns, all > waited ? (all - waited) / 1000 : 0);
    s->turn_began_ns = now;
    s->idle_ns = idle;
}

static void on_before_waiting(uv_prepare_t *handle)
{
    end_turn(handle->data);
    note_turn(handle->data);
}

static void watch_turns(nd_server *s)
{
    (void)uv_loop_configure(s->loop, UV_METRICS_IDLE_TIME); // a figure less, where it cannot be had
    // They cannot fail: memory only.
    if (uv_check_init(s->loop, &s->after_events) || uv_prepare_init(s->loop, &s->before_waiting) ||
        uv_idle_init(s->loop, &s->more_output))
        abort();
    nd_worlds_init(&s->worlds, s->loop);
    nd_timeouts_init(s);
    s->after_events.data = s->before_waiting.data = s;
    uv_check_start(&s->after_events, on_after_events);
    uv_prepare_start(&s->before_waiting, on_before_waiting);
}

static void unwatch_turns(nd_server *s)
{
    uv_close((uv_handle_t *)&s->after_events, NULL);
    uv_close((uv_handle_t *)&s->before_waiting, NULL);
    uv_close((uv_handle_t *)&s->more_output, NULL);
    nd_worlds_close(&s->worlds);
    nd_timeouts_close(s);
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
    nd_http_close(s->http);
    nd_table_each(&s->sessions, close_session, NULL);
    nd_access_close(s);
    nd_builder_close(&s->builder);
    nd_workers_close(s->workers);
    s->workers = NULL;
    nd_tile_cache_close(s->disk);
    s->disk = s->builder.disk = s->cache.disk = NULL;
    nd_mesh_loader_deinit(&s->loader);
    s->meshes.on_evict = NULL;
    nd_world_store_close(s->store);
    s->store = NULL;
    uv_close((uv_handle_t *)&s->progress, NULL);
    uv_close((uv_handle_t *)&s->drain, NULL);
    uv_close((uv_handle_t *)&s->stop, NULL);
    unwatch_turns(s);
}

static void on_stop(uv_async_t *handle)
{
    nd_server *s = handle->data;
    if (atomic_load(&s->stop_softly))
        nd_drain_begin(s);
    else
        close_all(s);
}

void nd_server_stop(nd_server *s)
{
    atomic_store(&s->stop_softly, false);
    uv_async_send(&s->stop);
}

void nd_server_drain(nd_server *s)
{
    atomic_store(&s->stop_softly, true);
    uv_async_send(&s->stop);
}

static void set_pace(nd_server *s)
{
    const nd_config *c = &s->config;
    s->builder.tile_timeout_us = c->tile_ms * 1000;
    s->builder.stuck_us = c->stuck_ms * 1000;
    s->builder.interactive_tiles = c->interactive_tiles;
    s->builder.pace = (nd_pace){.stale_ns = c->stale_ms * 1000000, .rest_ns = c->rest_ms * 1000000};
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
    if (uv_timer_init(s->loop, &s->drain)) abort(); // as above
    s->drain.data = s;
    watch_turns(s);
    nav_status status = nd_workers_create(s->loop, threads, (size_t)c->tile_memory_bytes, &s->workers);
    if (status != NAV_OK) {
        uv_close((uv_handle_t *)&s->stop, NULL);
        uv_close((uv_handle_t *)&s->progress, NULL);
        uv_close((uv_handle_t *)&s->drain, NULL);
        unwatch_turns(s);
        return status;
    }
    s->builder = (nd_builder){.workers = s->workers,
                              .worlds = &s->worlds,
                              .cache = &s->cache,
                              .zstd_level = (int)c->zstd_level,
                              .dictionary = s->dictionary,
                              .on_tile = on_tile,
                              .on_batch = nd_methods_batch_done,
                              .user = s};
    set_pace(s);
    if (nd_builder_init(&s->builder, s->loop) != NAV_OK) abort(); // as for the timer
    return NAV_OK;
}

static void on_store_state(void *user, nav_status status, const char *why)
{
    nd_server *s = user;
    if (status == NAV_OK) {
        nd_log(ND_LOG_WARN, "store.recovered", "%s", "edits=accepted");
        if (s->store) nd_world_store_catch_up(s->store);
        return;
    }
    nd_log(ND_LOG_ERROR, "store.failed", "edits=refused why=%s", nd_log_quote(why, strlen(why)).text);
}

static void on_durable(void *user, nd_world *w)
{
    nd_sync_due(user, w);
}

static void on_mesh_evicted(void *user, const nd_mesh *m)
{
    nd_server *s = user;
    nd_world_store_forget_mesh(s->store, m);
}

static nav_status open_store(nd_server *s, char *why, size_t why_bytes)
{
    const nd_world_store_options o = {.state = s->config.state,
                                      .commit_ms = s->config.commit_ms,
                                      .map_bytes = s->config.worlds_bytes,
                                      .on_state = on_store_state,
                                      .on_durable = on_durable,
                                      .user = s};
    nav_status status =
        nd_world_store_open(s->loop, &o, &s->worlds, &s->meshes, &s->access.spaces, why, why_bytes, &s->store);
    if (status != NAV_OK) return status;
    if (s->store->next_world == 1) s->store->next_world = s->worlds.next_id; // a new folder
    s->worlds.next_id = s->store->next_world;
    for (size_t i = 0; i < s->worlds.count; i++) nd_builder_add_world(&s->builder, s->worlds.list[i]);
    s->meshes.on_evict = on_mesh_evicted;
    s->meshes.user = s;
    s->loader = (nd_mesh_loader){.workers = s->workers,
                                 .writer = s->store->writer,
                                 .table = ND_MESHES,
                                 .meshes = &s->meshes,
                                 .builder = &s->builder};
    status = nd_mesh_loader_start(&s->loader);
    if (status != NAV_OK) snprintf(why, why_bytes, "no memory to read the meshes in %s", s->config.state);
    nd_builder_kick(&s->builder);
    return status;
}

// What outlives the daemon.
static nav_status open_state(nd_server *s, char *why, size_t why_bytes)
{
    char folder[ND_FILE_NAME_BYTES + 8];
    const nd_config *c = &s->config;
    if (!c->state[0]) return NAV_OK;
    nav_status status = nd_state_folder_lock(c->state, &s->state_lock, why, why_bytes);
    if (status == NAV_OK) status = open_store(s, why, why_bytes);
    if (status != NAV_OK || !c->cache_disk_bytes) return status;
    snprintf(folder, sizeof folder, "%s/cache", c->state);
    status = nd_tile_cache_create(s->loop, folder, c->cache_disk_bytes, c->tile_memory_bytes, &s->disk);
    if (status != NAV_OK)
        snprintf(why, why_bytes, "cannot start the tile cache in %s: %s", folder, nav_status_text(status));
    s->builder.disk = s->cache.disk = s->disk;
    return status;
}

static void set_limits(nd_server *s)
{
    const nd_config *c = &s->config;
    np_limits_default(&s->frame_limits);
    s->frame_limits.message_bytes = (uint32_t)c->max_message_bytes;
    s->world_limits = (nd_world_limits){.max_objects = c->max_objects,
                                        .max_all_objects = UINT64_MAX,
                                        .max_edit_tiles = c->max_edit_tiles,
                                        .max_tiles = c->max_tiles,
                                        .max_new_tiles = UINT64_MAX,
                                        .max_profiles = (uint32_t)c->max_profiles,
                                        .interactive_tiles = c->interactive_tiles};
}

static void log_change(void *user, const char *name, const char *value, bool applied)
{
    (void)user;
    nd_log(applied ? ND_LOG_INFO : ND_LOG_WARN, applied ? "config.changed" : "config.needs_restart",
           "option=%s value=%s", name, nd_log_value(value, strlen(value)).text);
}

// Limits are looked up when they are needed; here is what copies of them must follow.
void nd_server_reload(nd_server *s, const nd_config *next)
{
    if (s->stopping) return;
    nd_config *c = &s->config;
    nd_config_reload(c, next, log_change, NULL);
    set_limits(s);
    nd_admission_init(&s->admission, s);
    nd_log_set_level(c->log_level);
    nd_log_set_format(c->log_format);
    nd_cache_resize(&s->cache, (size_t)c->cache_bytes);
    nd_memory_init(s);
    s->meshes.max_bytes = (size_t)c->mesh_store_bytes;
    set_pace(s);
    if (s->store) nd_writer_set_commit_ms(s->store->writer, c->commit_ms);
    nd_access_reload(s);
    nd_http_reload(s->http);
    nd_log(ND_LOG_INFO, "config.reloaded", "%s", "");
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
    s->next_session = s->next_subscription = 1;
    set_limits(s);
    nd_admission_init(&s->admission, s);
    nd_mesh_store_init(&s->meshes, (size_t)config->mesh_store_bytes);
    nd_cache_init(&s->cache, (size_t)config->cache_bytes);
    nd_memory_init(s);
    s->state_lock = -1;
    for (int i = 0; i < ND_LISTENERS; i++) s->listeners[i] = (nd_listener){.server = s, .lock = -1};

    nav_status status = init_parts(s);
    if (status != NAV_OK) {
        snprintf(why, why_bytes, "cannot start %" PRIu64 " worker threads: %s; try a smaller --threads",
                 config->threads, nav_status_text(status));
        s->stopping = true;
        while (uv_run(loop, UV_RUN_NOWAIT)) {
        }
        nd_server_destroy(s);
        return status;
    }
    status = nd_access_init(s, why, why_bytes);
    if (status == NAV_OK) status = open_state(s, why, why_bytes);
    if (status == NAV_OK && config->socket_fd)
        status = nd_listen_inherited(s, &s->listeners[0], config->socket_fd, true, why, why_bytes);
    else if (status == NAV_OK && config->socket[0])
        status = nd_listen_unix(s, &s->listeners[0], config->socket, why, why_bytes);
    if (status == NAV_OK && config->listen_fd)
        status = nd_listen_inherited(s, &s->listeners[1], config->listen_fd, false, why, why_bytes);
    else if (status == NAV_OK && config->listen[0])
        status = nd_listen_tcp(s, &s->listeners[1], config->listen, why, why_bytes);
    if (status == NAV_OK && config->http_listen[0])
        status = nd_http_create(s, config->http_listen, why, why_bytes, &s->http);
    if (status == NAV_OK && !s->listeners[0].open && !s->listeners[1].open) {
        snprintf(why, why_bytes, "nothing to listen on: set --socket PATH or --listen HOST:PORT");
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
    nd_worlds_deinit(&s->worlds);
    nd_http_destroy(s->http);
    nd_builder_deinit(&s->builder);
    nd_table_deinit(&s->sessions);
    nd_admission_deinit(&s->admission);
    nd_cache_deinit(&s->cache);
    nd_mesh_store_deinit(&s->meshes);
    nd_access_deinit(s);
    nav_buffer_deinit(&s->scratch);
    ZSTD_freeCDict(s->dictionary);
    if (s->state_lock >= 0) close(s->state_lock);
    free(s);
}

// --- look-ups ---

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
