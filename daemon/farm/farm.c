#include "daemon/farm/farm.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/farm/farm_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BEAT_MS = 1000, ENSURE_TICKS = 2 };

// --- streams ---

typedef struct ensuring {
    nd_bus_task task;
    nd_farm *farm;
    nd_stream_limits limits;
    nav_status status;
    char why[256];
} ensuring;

static void run(nd_bus_task *task, const nd_bus_link *link)
{
    ensuring *e = (ensuring *)task;
    e->status = nd_streams_ensure(link, e->farm->name, ND_STREAM_JOBS | ND_STREAM_TILES | ND_STREAM_MESHES, &e->limits,
                                  e->why, sizeof e->why);
}

static void set_up(nd_farm *f, bool up)
{
    if (f->up == up) return;
    f->up = up;
    nd_log(up ? ND_LOG_INFO : ND_LOG_WARN, up ? "farm.up" : "farm.down", "name=%s id=%s", f->name, f->id);
    if (f->meshes && up) nd_mesh_share_forget_all(f->meshes);
    if (f->coordinator) nd_coordinator_set_up(f->coordinator, up);
    for (nd_farm_watch *w = f->watches, *next; w; w = next) {
        next = w->next;
        w->on_state(w->user, up);
    }
}

static void done(nd_bus_task *task, bool ran)
{
    ensuring *e = (ensuring *)task;
    nd_farm *f = e->farm;
    f->ensuring = false;
    if (ran && !f->closing) {
        const bool is_news = strcmp(f->trouble, e->why) != 0;
        f->wants_streams = e->status != NAV_OK;
        snprintf(f->trouble, sizeof f->trouble, "%s", e->status == NAV_OK ? "" : e->why);
        if (e->status != NAV_OK && is_news)
            nd_log(ND_LOG_ERROR, "farm.no_streams", "why=%s", nd_log_quote_sentence(e->why).text);
        set_up(f, e->status == NAV_OK && nd_bus_is_up(f->bus));
    }
    free(e);
}

static void ensure_streams(nd_farm *f)
{
    ensuring *e = f->ensuring || f->closing ? NULL : calloc(1, sizeof *e);
    if (!e) return;
    e->task.run = run;
    e->task.done = done;
    e->farm = f;
    e->limits = nd_farm_stream_limits(f->config);
    f->ensuring = true;
    nd_bus_push(f->bus, ND_BUS_ORDERS, &e->task);
}

static void on_state(void *farm, bool up)
{
    nd_farm *f = farm;
    if (up)
        ensure_streams(f);
    else
        set_up(f, false);
}

static void on_trouble(void *farm)
{
    nd_farm *f = farm;
    f->wants_streams = true;
}

// --- beats ---

static void send_beat(nd_farm *f, bool leaves)
{
    char subject[ND_SUBJECT_BYTES];
    nav_buffer out = {.size = 0};
    uint64_t tiles = 0;
    if (!f->coordinator || !nd_bus_is_up(f->bus)) return;
    const nd_coordinator_stats *s = nd_coordinator_stats_of(f->coordinator);
    const nd_bus_stats bus = nd_bus_stats_of(f->bus);
    nd_beat b = {.kind = f->config->farm_worlds == ND_FARM_FOLLOW ? ND_BEAT_REPLICA : ND_BEAT_DAEMON,
                 .name = np_str_of(f->host),
                 .version = np_str_of(NAVD_VERSION),
                 .generator = NAV_GENERATOR_VERSION,
                 .leaves = leaves,
                 .jobs = (uint32_t)nd_coordinator_out(f->coordinator, &tiles),
                 .waiting = nd_coordinator_waiting(f->coordinator),
                 .tiles = s->made,
                 .found = s->found,
                 .done = s->jobs,
                 .set_aside = s->set_aside,
                 .refused = s->refused,
                 .bytes_in = bus.bytes_in,
                 .bytes_out = bus.bytes_out,
                 .uptime_s = (nd_now_ns() - f->began_ns) / 1000000000};
    snprintf(b.id, sizeof b.id, "%s", f->id);
    snprintf(subject, sizeof subject, "%s.beat.%s", f->name, f->id);
    if (nd_beat_write(&out, &b) == NAV_OK)
        (void)!nd_bus_tell(f->bus, ND_BUS_ORDERS, subject, out.data, out.size); // another one follows
    nav_buffer_deinit(&out);
}

static void on_clock(uv_timer_t *clock)
{
    nd_farm *f = clock->data;
    send_beat(f, false);
    nd_peers_look(&f->peers, nd_now_ns());
    if (f->wants_streams && nd_bus_is_up(f->bus) && ++f->ticks % ENSURE_TICKS == 0) ensure_streams(f);
}

static void on_peers(void *farm)
{
    nd_farm *f = farm;
    if (f->coordinator) nd_coordinator_on_peers(f->coordinator);
}

// --- life ---

nav_status nd_farm_create(uv_loop_t *loop, const nd_config *config, char *why, size_t why_bytes, nd_farm **out)
{
    ND_ASSERT_LOOP_THREAD();
    *out = NULL;
    if (!config->farm[0]) return NAV_OK;
    nd_farm *f = calloc(1, sizeof *f);
    if (!f) {
        snprintf(why, why_bytes, "no memory");
        return NAV_ERR_MEMORY;
    }
    f->loop = loop;
    f->config = config;
    f->name = config->farm_name;
    f->began_ns = nd_now_ns();
    if (gethostname(f->host, sizeof f->host - 1)) f->host[0] = 0;
    nd_farm_make_id(f->id);
    nd_bus_options o = nd_farm_bus_options(config);
    o.on_state = on_state;
    o.user = f;
    nav_status s = nd_bus_create(loop, &o, why, why_bytes, &f->bus);
    if (s == NAV_OK) {
        s = nd_peers_open(&f->peers, f->bus, f->name);
        if (s != NAV_OK) snprintf(why, why_bytes, "no memory");
    }
    if (s != NAV_OK) {
        nd_bus_close(f->bus);
        free(f);
        return s;
    }
    f->peers.on_change = on_peers;
    f->peers.user = f;
    if (uv_timer_init(loop, &f->clock)) abort(); // it cannot: memory only
    f->clock.data = f;
    uv_timer_start(&f->clock, on_clock, BEAT_MS, BEAT_MS);
    *out = f;
    return NAV_OK;
}

static void on_mesh_put(void *farm, const char *space, nav_key hash, nav_status status)
{
    nd_farm *f = farm;
    if (f->coordinator) nd_coordinator_on_mesh(f->coordinator, space, hash, status);
}

nav_status nd_farm_coordinate(nd_farm *f, const nd_farm_parts *parts)
{
    const nd_mesh_share_options o = {.farm = f->name,
                                     .bus = f->bus,
                                     .workers = parts->workers,
                                     .meshes = parts->meshes,
                                     .writer = parts->writer,
                                     .table = parts->mesh_table,
                                     .on_put = on_mesh_put,
                                     .user = f};
    nav_status s = nd_mesh_share_create(&o, &f->meshes);
    if (s != NAV_OK) return s;
    const nd_coordinator_parts c = {.builder = parts->builder,
                                    .workers = parts->workers,
                                    .config = f->config,
                                    .farm = f->name,
                                    .id = f->id,
                                    .bus = f->bus,
                                    .meshes = f->meshes,
                                    .peers = &f->peers};
    s = nd_coordinator_create(f->loop, &c, &f->coordinator);
    if (s != NAV_OK) return s;
    nd_coordinator_on_trouble(f->coordinator, on_trouble, f);
    nd_coordinator_set_up(f->coordinator, f->up);
    return NAV_OK;
}

void nd_farm_add_watch(nd_farm *f, nd_farm_watch *watch)
{
    watch->next = f->watches;
    f->watches = watch;
    if (f->up) watch->on_state(watch->user, true);
}

void nd_farm_close(nd_farm *f)
{
    ND_ASSERT_LOOP_THREAD();
    if (!f || f->closing) return;
    send_beat(f, true);
    f->closing = true;
    f->watches = NULL;
    nd_coordinator_close(f->coordinator);
    nd_mesh_share_close(f->meshes);
    nd_peers_close(&f->peers);
    nd_bus_close(f->bus);
    uv_close((uv_handle_t *)&f->clock, NULL);
}

void nd_farm_destroy(nd_farm *f)
{
    if (!f) return;
    nd_coordinator_destroy(f->coordinator);
    free(f);
}
