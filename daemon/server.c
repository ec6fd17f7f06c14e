#include "daemon/server.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/config/state_folder.h"
#include "daemon/delivery/describe.h"
#include "daemon/delivery/sync.h"
#include "daemon/member.h"
#include "daemon/methods/edit.h"
#include "daemon/methods/profile.h"
#include "daemon/service/drain.h"
#include "daemon/service/http.h"
#include "daemon/service/measure.h"
#include "daemon/service/site.h"
#include "protocol/dictionary.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FAILURE_LOG_NS = 1000000000 };

struct nd_server {
    uv_loop_t *loop;
    nd_config config;
    int state_lock;    // file descriptor; -1: none
    nd_shared *shared; // meshes and mailboxes
    nav_mesh_memory mesh_memory;
    nd_nursery *nursery;
    ZSTD_CDict *dictionary; // the protocol's, prepared for the level of compression
    nd_workers *workers;
    nd_cache cache;
    nd_tile_cache *disk; // NULL without a state folder
    nd_memory memory;
    nd_mesh_store meshes;
    nd_worlds worlds;
    nd_builder builder;
    nd_world_store *store; // NULL: worlds are in memory only
    nd_mesh_loader loader;
    nd_sessions sessions;
    nd_delivery delivery;
    nd_paths paths;
    nd_methods methods;
    nd_service service;
    nd_member member; // of a farm
    nd_http *http;    // NULL: none
    nd_site *site;    // NULL: none

    uv_check_t after_events; // the two places where a turn ends, and what goes on without waiting for events
    uv_prepare_t before_waiting;
    uv_idle_t more_output;
    nd_histogram turns; // how long they take
    uint64_t turn_began_ns, idle_ns;
    uv_async_t stop;
    atomic_bool stop_softly;                       // what `stop` is to do
    uint64_t failure_logged_ns, failures_unlogged; // at most one line a second
};

static void log_failure(nd_server *s, const nd_world *w, const nd_tile *t)
{
    const nd_reason *why = &t->result.failure;
    uint64_t now = nd_now_ns();
    if (s->failure_logged_ns && now - s->failure_logged_ns < FAILURE_LOG_NS) {
        s->failures_unlogged++;
        return;
    }
    nd_log(ND_LOG_WARN, "tile.failed",
           "world=%" PRIu64 " name=%s profile=%u x=%d z=%d code=%s why=%s unlogged_before=%" PRIu64, w->id,
           nd_log_quote(w->name, strlen(w->name)).text, t->profile, t->x, t->z, nav_status_name(why->status),
           nd_log_quote_sentence(nd_failure_text(why)).text, s->failures_unlogged);
    s->failure_logged_ns = now;
    s->failures_unlogged = 0;
}

static void on_tile(void *methods, nd_world *w, nd_tile *t, const nd_cached *out)
{
    nd_server *s = ND_HOLDER(methods, nd_server, methods);
    nd_histogram_add(&s->builder.stats.edit_to_tile, (nd_now_ns() - t->marked_ns) / 1000);
    if (t->result.status == NP_TILE_FAILED) log_failure(s, w, t);
    if (s->store) nd_world_store_note_tile(s->store, w, t);
    nd_paths_publish(&s->paths, w, t, out);
    nd_delivery_publish(&s->delivery, w, t, out); // may forget it
}

static void on_left(void *methods, nd_world *w)
{
    nd_server *s = ND_HOLDER(methods, nd_server, methods);
    nd_delivery_pass(&s->delivery, w);
}

// --- output ---

static void on_more_output(uv_idle_t *handle)
{
    uv_idle_stop(handle);
}

static void end_turn(nd_server *s)
{
    nd_sync_tell(&s->delivery);
    bool more = nd_sessions_end_turn(&s->sessions);
    nd_paths_end_turn(&s->paths); // when the tiles are on their way
    if (!more && s->sessions.first_sender) more = nd_sessions_end_turn(&s->sessions);
    if (more && !s->methods.stopping) uv_idle_start(&s->more_output, on_more_output);
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
    s->after_events.data = s->before_waiting.data = s;
    uv_check_start(&s->after_events, on_after_events);
    uv_prepare_start(&s->before_waiting, on_before_waiting);
}

static void unwatch_turns(nd_server *s)
{
    uv_close((uv_handle_t *)&s->after_events, NULL);
    uv_close((uv_handle_t *)&s->before_waiting, NULL);
    uv_close((uv_handle_t *)&s->more_output, NULL);
}

// --- life ---

static void know_disk(nd_server *s, nd_tile_cache *disk)
{
    s->disk = s->builder.disk = s->cache.disk = s->delivery.disk = s->paths.disk = s->methods.disk = disk;
}

static void close_handles(nd_server *s)
{
    nd_worlds_close(&s->worlds);
    nd_delivery_close(&s->delivery);
    nd_paths_close(&s->paths);
    nd_service_close(&s->service);
    nd_edits_close(&s->methods);
    nd_profiles_close(&s->methods);
    uv_close((uv_handle_t *)&s->stop, NULL);
    unwatch_turns(s);
}

static void close_all(nd_server *s)
{
    if (s->methods.stopping) return;
    s->methods.stopping = true;
    nd_sessions_close(&s->sessions, "shutdown");
    nd_http_close(s->http);
    nd_site_close(s->site);
    nd_paths_stop(&s->paths);
    nd_member_close(&s->member);
    s->service.replica = NULL;
    nd_builder_close(&s->builder);
    nd_workers_close(s->workers);
    nd_tile_cache_close(s->disk);
    know_disk(s, NULL);
    nd_mesh_loader_deinit(&s->loader);
    s->meshes.on_evict = NULL;
    nd_world_store_close(s->store);
    s->store = s->methods.store = NULL;
    close_handles(s);
}

static void on_stop(uv_async_t *handle)
{
    nd_server *s = handle->data;
    if (!atomic_load(&s->stop_softly))
        close_all(s);
    else if (!nd_member_drain(&s->member))
        nd_drain_begin(&s->service);
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

static bool free_deleted(void *user)
{
    return nd_worlds_free_deleted(user);
}

static void stop(void *user)
{
    nd_server_stop(user);
}

static void *take_shared(void *shared, size_t bytes)
{
    return nd_shared_take(shared, bytes);
}

static void give_shared(void *shared, void *block, size_t bytes)
{
    nd_shared_give(shared, block, bytes);
}

static uint64_t bytes_elsewhere(void *server)
{
    const nd_server *s = server;
    return nd_shared_bytes(s->shared) + (s->nursery ? nd_nursery_bytes(s->nursery) : 0);
}

// Only who sits at this machine can use the loopback address.
static bool is_here(const nd_session *session)
{
    struct sockaddr_storage peer;
    socklen_t bytes = sizeof peer;
    const nd_transport *t = session->transport;
    return t->door == ND_DOOR_UNIX || (!getpeername(t->calls->descriptor(t), (struct sockaddr *)&peer, &bytes) &&
                                       nd_access_is_loopback((struct sockaddr *)&peer));
}

static nav_status open_view(void *service, const nd_session *session, nd_view_place *out, np_error *err)
{
    nd_server *s = ND_HOLDER(service, nd_server, service);
    char why[512];
    if (!strcmp(s->config.view, ND_NO_VIEW))
        return np_error_set(err, NAV_ERR_FORBIDDEN, "this navd serves no view (--view " ND_NO_VIEW ")");
    if (!nd_site_port(s->site) && !is_here(session))
        return np_error_set(
            err, NAV_ERR_STATE,
            "this navd serves the view nowhere that other machines reach: start it with --view HOST:PORT");
    // What failed once, as without a free descriptor, is tried again.
    if (!nd_site_port(s->site) && nd_site_create(&s->service, "0", why, sizeof why, &s->site) != NAV_OK) {
        nd_log(ND_LOG_ERROR, "view.failed", "why=%s", nd_log_quote(why, strlen(why)).text);
        return np_error_set(err, NAV_ERR_IO, "%s", why);
    }
    nd_site_url(s->site, out->url, sizeof out->url);
    out->no_files = !nd_site_has_files();
    return NAV_OK;
}

// Makes the parts known to each other; none of them does anything before the loop runs.
static void init_parts(nd_server *s)
{
    const nd_config *c = &s->config;
    nd_worlds_init(&s->worlds, s->loop);
    nd_mesh_store_init(&s->meshes, (size_t)c->mesh_store_bytes);
    s->mesh_memory = (nav_mesh_memory){take_shared, give_shared, s->shared};
    s->meshes.memory = &s->mesh_memory;
    nd_cache_init(&s->cache, (size_t)c->cache_bytes);
    s->memory = (nd_memory){.config = c,
                            .cache = &s->cache,
                            .hurry = free_deleted,
                            .user = &s->worlds,
                            .elsewhere = bytes_elsewhere,
                            .of = s};
    s->sessions = (nd_sessions){.loop = s->loop,
                                .config = c,
                                .memory = &s->memory,
                                .calls = {nd_methods_on_message, nd_methods_on_room, nd_methods_on_end},
                                .user = &s->methods};
    s->delivery =
        (nd_delivery){.sessions = &s->sessions, .worlds = &s->worlds, .builder = &s->builder, .cache = &s->cache};
    s->paths = (nd_paths){
        .config = c, .sessions = &s->sessions, .worlds = &s->worlds, .builder = &s->builder, .cache = &s->cache};
    s->methods = (nd_methods){.config = c,
                              .sessions = &s->sessions,
                              .delivery = &s->delivery,
                              .paths = &s->paths,
                              .worlds = &s->worlds,
                              .meshes = &s->meshes,
                              .builder = &s->builder,
                              .cache = &s->cache,
                              .memory = &s->memory,
                              .measure = nd_measure,
                              .open_view = open_view,
                              .user = &s->service};
    s->service =
        (nd_service){.methods = &s->methods, .loader = &s->loader, .turns = &s->turns, .stop = stop, .user = s};
    nd_sessions_init(&s->sessions);
    nd_memory_init(&s->memory);
    nd_delivery_init(&s->delivery);
    nd_paths_init(&s->paths);
    nd_service_init(&s->service);
    nd_edits_init(&s->methods);
    nd_profiles_init(&s->methods);
    watch_turns(s);
}

static nav_status start_workers(nd_server *s)
{
    const nd_config *c = &s->config;
    unsigned threads = (unsigned)c->threads;
    if (!threads) threads = uv_available_parallelism();
    s->dictionary = ZSTD_createCDict(np_dictionary, np_dictionary_bytes, (int)c->zstd_level);
    if (!s->dictionary) return NAV_ERR_MEMORY;
    // Before there are threads, and with all in place that helpers need.
    nav_status status = nd_nursery_create(s->shared, 2 * threads, threads, (size_t)c->tile_memory_bytes, &s->nursery);
    if (status == NAV_OK)
        status = nd_workers_create(s->loop, threads, (size_t)c->tile_memory_bytes, s->nursery, &s->workers);
    if (status != NAV_OK) return status;
    s->methods.workers = s->paths.workers = s->workers;
    s->builder = (nd_builder){.workers = s->workers,
                              .worlds = &s->worlds,
                              .cache = &s->cache,
                              .zstd_level = (int)c->zstd_level,
                              .build = nd_config_pipeline(c, NULL, 0),
                              .dictionary = s->dictionary,
                              .on_tile = on_tile,
                              .on_left = on_left,
                              .user = &s->methods};
    set_pace(s);
    if (nd_builder_init(&s->builder, s->loop) != NAV_OK) abort(); // it cannot: handles are memory only
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
    nd_server *s = user;
    nd_sync_due(&s->delivery, w);
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
                                      .follows = s->config.farm_worlds == ND_FARM_STANDBY ||
                                                 s->config.farm_worlds == ND_FARM_FOLLOW,
                                      .map_bytes = s->config.worlds_bytes,
                                      .on_state = on_store_state,
                                      .on_durable = on_durable,
                                      .user = s};
    nav_status status =
        nd_world_store_open(s->loop, &o, &s->worlds, &s->meshes, &s->sessions.access.spaces, why, why_bytes, &s->store);
    if (status != NAV_OK) return status;
    s->methods.store = s->store;
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
    know_disk(s, s->disk);
    return status;
}

static void set_limits(nd_server *s)
{
    const nd_config *c = &s->config;
    s->methods.world_limits = (nd_world_limits){.max_objects = c->max_objects,
                                                .max_all_objects = UINT64_MAX,
                                                .max_edit_tiles = c->max_edit_tiles,
                                                .max_tiles = c->max_tiles,
                                                .max_new_tiles = UINT64_MAX,
                                                .max_profiles = (uint32_t)c->max_profiles,
                                                .max_sources = c->max_sources,
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
    if (s->methods.stopping) return;
    nd_config *c = &s->config;
    nd_config_reload(c, next, log_change, NULL);
    set_limits(s);
    nd_sessions_reload(&s->sessions);
    nd_log_set_level(c->log_level);
    nd_log_set_format(c->log_format);
    nd_cache_resize(&s->cache, (size_t)c->cache_bytes);
    nd_memory_init(&s->memory);
    s->meshes.max_bytes = (size_t)c->mesh_store_bytes;
    set_pace(s);
    if (s->store) nd_writer_set_commit_ms(s->store->writer, c->commit_ms);
    nd_access_reload(&s->sessions);
    nd_builder_weigh_worlds(&s->builder);
    nd_http_reload(s->http);
    nd_site_reload(s->site);
    nd_log(ND_LOG_INFO, "config.reloaded", "%s", "");
}

static nav_status listen_on_all(nd_server *s, char *why, size_t why_bytes)
{
    const nd_config *c = &s->config;
    nd_listener *unix_socket = &s->sessions.listeners[0], *tcp = &s->sessions.listeners[1];
    nav_status status = NAV_OK;
    if (c->socket_fd)
        status = nd_listen_inherited(unix_socket, c->socket_fd, true, why, why_bytes);
    else if (c->socket[0])
        status = nd_listen_unix(unix_socket, c->socket, why, why_bytes);
    if (status == NAV_OK && c->listen_fd)
        status = nd_listen_inherited(tcp, c->listen_fd, false, why, why_bytes);
    else if (status == NAV_OK && c->listen[0])
        status = nd_listen_tcp(tcp, c->listen, why, why_bytes);
    if (status == NAV_OK && c->http_listen[0])
        status = nd_http_create(&s->service, c->http_listen, why, why_bytes, &s->http);
    if (status == NAV_OK && c->view[0] && strcmp(c->view, ND_NO_VIEW) != 0)
        status = nd_site_create(&s->service, c->view, why, why_bytes, &s->site);
    if (status == NAV_OK && !unix_socket->open && !tcp->open) {
        snprintf(why, why_bytes, "nothing to listen on: set --socket PATH or --listen HOST:PORT");
        status = NAV_ERR_ARGUMENT;
    }
    return status;
}

static nav_status open_all(nd_server *s, char *why, size_t why_bytes)
{
    const nd_config *c = &s->config;
    const nd_member_parts member = {
        .loop = s->loop, .config = c, .service = &s->service, .builder = &s->builder, .stop = stop, .user = s};
    nav_status status = nd_access_init(&s->sessions, why, why_bytes);
    if (status == NAV_OK && !c->worker) status = open_state(s, why, why_bytes);
    if (status == NAV_OK) status = nd_member_join(&s->member, &member, why, why_bytes);
    if (status == NAV_OK && !c->worker) return listen_on_all(s, why, why_bytes);
    if (status == NAV_OK && c->http_listen[0])
        status = nd_http_create(&s->service, c->http_listen, why, why_bytes, &s->http);
    return status;
}

nav_status nd_server_create(uv_loop_t *loop, const nd_config *config, char *why, size_t why_bytes, nd_server **out)
{
    nd_thread_set_loop(true);
    if (!nd_config_pipeline(config, why, why_bytes)) return NAV_ERR_ARGUMENT;
    nd_server *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(why, why_bytes, "no memory");
        return NAV_ERR_MEMORY;
    }
    s->loop = loop;
    s->config = *config;
    s->state_lock = -1;
    if (nd_shared_create(&s->shared) != NAV_OK) {
        snprintf(why, why_bytes, "no memory: the system refuses to reserve addresses for meshes");
        free(s);
        return NAV_ERR_MEMORY;
    }
    if (uv_async_init(loop, &s->stop, on_stop)) {
        snprintf(why, why_bytes, "cannot add a handle to the event loop");
        nd_shared_destroy(s->shared);
        free(s);
        return NAV_ERR_IO;
    }
    s->stop.data = s;
    init_parts(s);
    set_limits(s);
    nav_status status = start_workers(s);
    if (status != NAV_OK) {
        snprintf(why, why_bytes,
                 "cannot start worker threads and their helper processes (--threads %" PRIu64
                 "; 0: one for each processor): %s; try a smaller --threads, or raise the limit of %s",
                 config->threads, nav_status_text(status),
                 status == NAV_ERR_MEMORY ? "addresses (ulimit -v): a helper needs 256 MiB of them"
                                          : "processes (TasksMax=, ulimit -u, the container's pids limit)");
        s->methods.stopping = true;
        nd_sessions_close(&s->sessions, "shutdown");
        close_handles(s);
        goto failed;
    }
    status = open_all(s, why, why_bytes);
    if (status == NAV_OK) {
        *out = s;
        return NAV_OK;
    }
    close_all(s);
failed:
    while (uv_run(loop, UV_RUN_DEFAULT)) {
    }
    nd_server_destroy(s);
    return status;
}

void nd_server_destroy(nd_server *s)
{
    if (!s) return;
    nd_worlds_deinit(&s->worlds);
    nd_http_destroy(s->http);
    nd_site_destroy(s->site);
    nd_member_destroy(&s->member);
    nd_builder_deinit(&s->builder);
    nd_cache_deinit(&s->cache);
    nd_mesh_store_deinit(&s->meshes);
    nd_sessions_deinit(&s->sessions); // last: worlds and meshes name its namespaces
    nd_nursery_destroy(s->nursery);
    nd_shared_destroy(s->shared);
    ZSTD_freeCDict(s->dictionary);
    if (s->state_lock >= 0) close(s->state_lock);
    free(s);
}

const nd_service *nd_server_service(const nd_server *s)
{
    return &s->service;
}

int nd_server_port(const nd_server *s)
{
    return nd_sessions_port(&s->sessions);
}

int nd_server_http_port(const nd_server *s)
{
    return nd_http_port(s->http);
}

int nd_server_view_port(const nd_server *s)
{
    return nd_site_port(s->site);
}
