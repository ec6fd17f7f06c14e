#include "daemon/farm/area.h"

#include "daemon/base/clock.h"
#include "daemon/base/log.h"
#include "daemon/base/thread.h"
#include "daemon/world/areas.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define MS_NS UINT64_C(1000000)

enum {
    MAX_ASKED = 64,       // areas at a time
    MAX_READY = 1024,     // likewise; each has some 30 KB
    ASK_WORTH_US = 2000,  // less is made here before the answer could be there
    ASK_LEAST_US = 20000, // and for so long an answer is waited for at least: the loop may be busy
    ASK_MOST_US = 2000000,
    TROUBLE_MS = 1000, // so long the server is left alone
    AWAY_MS = 2000,    // so long it may be away before what it has is made here
    TICK_MS = 10,
    LOOK_TICKS = 20, // so often it is asked who still needs what is away
    LOG_MS = 1000,
    UNFOUND = 8,       // areas in a row that the cache does not have: then
    ASKED_STILL = 8,   // only one of so many is asked for
    SLOW_MS_A_S = 100, // a job is slow after a tenth of the time that the server waits,
    SLOW_TIMES = 4,    // and so many times what jobs take
};

// --- what can be done now ---

static unsigned areas_out(const nd_coordinator *c)
{
    return c->in[ND_AREA_MESHES] + c->in[ND_AREA_SENT] + c->in[ND_AREA_OUT];
}

static bool may_ask(const nd_coordinator *c)
{
    return c->up && c->with.config->farm_cache && c->in[ND_AREA_ASKED] < MAX_ASKED &&
           nd_bus_waiting(c->with.bus, ND_BUS_LOOKUPS) < MAX_ASKED && nd_now_ns() >= c->asks_from_ns;
}

static bool may_send(const nd_coordinator *c)
{
    return c->up && c->with.peers->ready && nd_now_ns() >= c->sends_from_ns;
}

static bool has_room(const nd_coordinator *c)
{
    return may_send(c) && areas_out(c) < c->with.peers->ready;
}

static bool is_long(const nd_coordinator *c, size_t more)
{
    return nd_builder_backlog(c->with.builder) + more > c->with.config->farm_tiles;
}

// Until the workers here would have made all that waits, and all that the cache is asked for.
static uint64_t made_here_us(const nd_coordinator *c)
{
    const unsigned threads = nd_workers_count(c->with.workers, false);
    uint64_t tiles = nd_builder_backlog(c->with.builder);
    unsigned more = c->in[ND_AREA_ASKED];
    for (const nd_area *a = c->newest; more; a = a->older) {
        if (a->dropped || a->state != ND_AREA_ASKED) continue;
        tiles += a->left;
        more--;
    }
    return tiles * c->with.builder->mean_us / (threads ? threads : 1);
}

// --- areas ---

static nd_away_tile *place(void *area)
{
    nd_area *a = area;
    if (a->count == ND_AREA_TILES) return NULL;
    a->ended[a->count] = false;
    a->left++;
    return &a->tiles[a->count++];
}

// What may go of a block. NULL: nothing.
static nd_area *take_block(nd_coordinator *c, const nd_block_name *b, bool missed_too)
{
    nd_world *w = nd_worlds_find(c->with.builder->worlds, b->world);
    if (!w || w->leaving || b->profile >= w->profile_count) return NULL;
    nd_area *a = nd_area_create(c, w, b->profile, b->x, b->z);
    if (!a) return NULL;
    const nd_taking what = {.world = w,
                            .profile = b->profile,
                            .x = b->x * ND_AREA_SIDE,
                            .z = b->z * ND_AREA_SIDE,
                            .missed_too = missed_too,
                            .place = place,
                            .user = a};
    nav_key anchor;
    (void)nd_builder_take(c->with.builder, &what, &anchor);
    if (!a->count) {
        nd_area_drop(c, a);
        return NULL;
    }
    nav_settings settings;
    nd_world_settings(w, b->profile, &settings);
    a->key = nd_area_key(&settings, b->x, b->z, a->form, anchor);
    if (!uv_is_active((uv_handle_t *)&c->clock)) uv_timer_start(&c->clock, nd_coordinator_tick, TICK_MS, TICK_MS);
    return a;
}

static void ask(nd_coordinator *c, nd_area *a, uint64_t patience_us)
{
    if (patience_us < ASK_LEAST_US) patience_us = ASK_LEAST_US;
    if (patience_us > ASK_MOST_US) patience_us = ASK_MOST_US;
    a->deadline_ns = nd_now_ns() + patience_us * 1000;
    if (!nd_area_ask(c, a)) nd_area_return(c, a, ND_AWAY_NEVER);
}

// Nobody has it: out, or to its place in the queue, or home.
static void place_area(nd_coordinator *c, nd_area *a)
{
    if (!is_long(c, a->left)) {
        nd_area_return(c, a, ND_AWAY_NEVER);
    } else if (!may_send(c)) {
        nd_area_return(c, a, ND_AWAY_MISSED);
    } else if (has_room(c) && !c->in[ND_AREA_READY]) {
        nd_area_send(c, a, false);
    } else if (c->in[ND_AREA_READY] < MAX_READY) {
        nd_area_set_state(c, a, ND_AREA_READY);
    } else {
        nd_area_return(c, a, ND_AWAY_MISSED);
    }
}

// A worker is done with it, or nobody is any more: has the cache what is missing?
static void ask_again(nd_coordinator *c, nd_area *a)
{
    nd_area_set_state(c, a, ND_AREA_OVER);
    if (!c->up || !nd_area_ask(c, a)) nd_area_return(c, a, ND_AWAY_NEVER);
}

void nd_coordinator_route(nd_coordinator *c, nd_area *a)
{
    if (!a->left) {
        nd_area_drop(c, a);
    } else if (a->state == ND_AREA_ASKED) {
        place_area(c, a);
    } else if (a->state == ND_AREA_OVER) {
        nd_area_return(c, a, ND_AWAY_NEVER);
    } else if (a->over && !a->tasks) {
        ask_again(c, a);
    }
    nd_builder_kick(c->with.builder);
}

static nd_area *first_in(const nd_coordinator *c, nd_area_state state, bool newest)
{
    nd_area *a = newest ? c->newest : c->oldest;
    while (a && (a->dropped || a->state != state)) a = newest ? a->older : a->newer;
    return a;
}

// --- the builder's side ---

// The cache had nothing of many areas: it is asked for some of them still. A worker looks there before it builds.
static bool goes_at_once(nd_coordinator *c)
{
    return c->unfound >= UNFOUND && ++c->offers % ASKED_STILL && has_room(c) && is_long(c, 0);
}

static bool offer(void *coordinator, nd_world *w, nd_tile *t)
{
    nd_coordinator *c = coordinator;
    const nd_block_name b = {w->id, t->profile, nd_area_block(t->x), nd_area_block(t->z)};
    const bool asks = may_ask(c);
    if (!asks && !may_send(c)) return false;
    if (asks) {
        const uint64_t here_us = made_here_us(c);
        if (here_us < ASK_WORTH_US) return false;
        if (t->missed) { // those beside it are on their way from the disk: all together, later
            nd_blocks_note(&c->unasked, &b);
            return false;
        }
        nd_area *a = take_block(c, &b, false);
        if (a && goes_at_once(c))
            nd_area_send(c, a, true);
        else if (a)
            ask(c, a, here_us);
    } else if (is_long(c, 0)) {
        nd_blocks_note(&c->unsent, &b);
    }
    return t->away == ND_AWAY_NOW;
}

static bool step(void *coordinator)
{
    nd_coordinator *c = coordinator;
    nd_block_name b;
    if (nd_area_arrive_some(c)) return true;
    if (c->in[ND_AREA_READY] && nd_builder_is_idle(c->with.builder)) {
        nd_area_return(c, first_in(c, ND_AREA_READY, true), ND_AWAY_NEVER);
        return true;
    }
    const bool room = has_room(c);
    if (c->in[ND_AREA_READY] && room) {
        nd_area_send(c, first_in(c, ND_AREA_READY, false), false);
        return true;
    }
    if (nd_blocks_count(&c->unasked) && may_ask(c) && nd_blocks_take(&c->unasked, &b)) {
        nd_area *a = take_block(c, &b, false);
        if (a) ask(c, a, made_here_us(c));
        return true;
    }
    if (room && nd_blocks_count(&c->unsent) && is_long(c, 0) && nd_blocks_take(&c->unsent, &b)) {
        nd_area *a = take_block(c, &b, true);
        if (a) nd_area_send(c, a, true);
        return true;
    }
    return false;
}

static bool is_full(void *coordinator)
{
    const nd_coordinator *c = coordinator;
    return c->in[ND_AREA_ASKED] >= MAX_ASKED;
}

// What was made of it is put into the cache now: afterwards nobody would know where it was.
static void leave(void *user, const nd_world *w)
{
    nd_coordinator *c = user;
    nd_gather_leave(&c->gather, w->id);
}

static void made(void *coordinator, const nd_run *run, const nd_tile_job *j)
{
    nd_coordinator *c = coordinator;
    if (!c->up || !c->with.config->farm_cache) return;
    nd_gather_add(&c->gather, run, j);
    if (!uv_is_active((uv_handle_t *)&c->clock)) uv_timer_start(&c->clock, nd_coordinator_tick, TICK_MS, TICK_MS);
}

// --- time ---

static void look_at(nd_coordinator *c, nd_area *a, uint64_t now_ns)
{
    const bool is_late = now_ns >= a->deadline_ns;
    switch (a->state) {
    case ND_AREA_ASKED:
        if (!is_late || a->answered) return;
        c->stats.asks_late++;
        nd_area_return(c, a, ND_AWAY_NEVER);
        return;
    case ND_AREA_MESHES:
        if (is_late) c->stats.overdue++;
        if (is_late || !nd_area_is_needed(c, a)) nd_area_return(c, a, ND_AWAY_NEVER);
        return;
    case ND_AREA_READY:
        if (!nd_area_is_needed(c, a)) nd_area_return(c, a, ND_AWAY_NEVER);
        return;
    case ND_AREA_OUT:
        if (!nd_area_is_needed(c, a)) {
            nd_area_cancel(c, a);
            nd_area_return(c, a, ND_AWAY_NEVER);
        } else if (is_late) {
            c->stats.overdue++;
            nd_area_cancel(c, a);
            ask_again(c, a);
        }
        return;
    case ND_AREA_SENT:
    case ND_AREA_OVER:
    case ND_AREA_STATES:
        return; // the bus has it, and calls that it makes end by themselves
    }
}

// The workers here have nothing to do, and a job has been away for long: its worker may have died, and the next one
// gets it when the server has waited long enough. It is made here as well as there.
static void take_back(nd_coordinator *c, uint64_t now_ns)
{
    const nd_histogram *job = &c->stats.job;
    const uint64_t mean_ns = job->count ? job->sum_us / job->count * 1000 : 0;
    const uint64_t least_ns = c->with.config->farm_job_s * SLOW_MS_A_S * MS_NS;
    const uint64_t long_ns = SLOW_TIMES * mean_ns > least_ns ? SLOW_TIMES * mean_ns : least_ns;
    if (!c->in[ND_AREA_OUT] || !nd_builder_is_idle(c->with.builder) || nd_builder_backlog(c->with.builder)) return;
    nd_area *a = first_in(c, ND_AREA_OUT, false);
    if (a->tasks || now_ns < a->began_ns + long_ns) return;
    c->stats.slow++;
    nd_area_cancel(c, a);
    ask_again(c, a);
}

void nd_coordinator_tick(uv_timer_t *clock)
{
    nd_coordinator *c = clock->data;
    const uint64_t now_ns = nd_now_ns();
    const bool is_gone = !c->up && now_ns >= c->down_ns + AWAY_MS * MS_NS;
    const bool looks = ++c->ticks % LOOK_TICKS == 0;
    for (nd_area *a = c->oldest, *next; a; a = next) {
        next = a->newer;
        if (a->dropped) continue;
        if (is_gone)
            nd_area_return(c, a, ND_AWAY_NEVER);
        else if (looks || (a->state == ND_AREA_ASKED && now_ns >= a->deadline_ns))
            look_at(c, a, now_ns);
    }
    if (looks) take_back(c, now_ns);
    nd_gather_flush(&c->gather, now_ns, false);
    if (!c->oldest && !nd_gather_waits(&c->gather)) uv_timer_stop(clock);
    if (nd_blocks_count(&c->unasked) + nd_blocks_count(&c->unsent)) nd_builder_kick(c->with.builder);
}

void nd_coordinator_trouble(nd_coordinator *c, const char *what, nav_status status)
{
    const uint64_t now_ns = nd_now_ns();
    c->sends_from_ns = c->asks_from_ns = now_ns + TROUBLE_MS * MS_NS;
    if (c->up && c->on_trouble) c->on_trouble(c->user);
    if (c->logged_ns && now_ns < c->logged_ns + LOG_MS * MS_NS) {
        c->unlogged++;
        return;
    }
    nd_log(ND_LOG_WARN, "farm.trouble", "at=%s code=%s unlogged_before=%" PRIu64, what, nav_status_name(status),
           c->unlogged);
    c->logged_ns = now_ns;
    c->unlogged = 0;
}

// --- the server, workers ---

void nd_coordinator_set_up(nd_coordinator *c, bool up)
{
    ND_ASSERT_LOOP_THREAD();
    if (c->closing || c->up == up) return;
    c->up = up;
    if (!up) {
        c->down_ns = nd_now_ns();
        return;
    }
    c->asks_from_ns = c->sends_from_ns = 0;
    for (nd_area *a = c->oldest, *next; a; a = next) { // what was said meanwhile is lost
        next = a->newer;
        if (!a->dropped && a->state == ND_AREA_OUT && !a->tasks) (void)nd_area_ask(c, a);
    }
    nd_builder_kick(c->with.builder);
}

void nd_coordinator_on_peers(nd_coordinator *c)
{
    if (!c->closing) nd_builder_kick(c->with.builder);
}

void nd_coordinator_on_mesh(nd_coordinator *c, const char *space, nav_key hash, nav_status status)
{
    if (!c->closing) nd_area_on_mesh(c, space, hash, status);
}

// --- life ---

nav_status nd_coordinator_create(uv_loop_t *loop, const nd_coordinator_parts *parts, nd_coordinator **out)
{
    char subject[ND_SUBJECT_BYTES];
    ND_ASSERT_LOOP_THREAD();
    nd_coordinator *c = calloc(1, sizeof *c);
    if (!c) return NAV_ERR_MEMORY;
    c->with = *parts;
    c->gather.of = c;
    nd_blocks_init(&c->unasked);
    nd_blocks_init(&c->unsent);
    ND_FIFO_INIT(&c->arrivals);
    c->away = (nd_away){.user = c, .offer = offer, .step = step, .is_full = is_full, .made = made, .leave = leave};
    snprintf(subject, sizeof subject, "%s.*.done.%s", parts->farm, parts->id);
    if (nd_bus_listen(parts->bus, ND_BUS_ORDERS, subject, nd_area_on_news, c, &c->news) != NAV_OK) {
        free(c);
        return NAV_ERR_MEMORY;
    }
    if (uv_timer_init(loop, &c->clock)) abort(); // it cannot: memory only
    c->clock.data = c;
    parts->builder->away = &c->away;
    *out = c;
    return NAV_OK;
}

void nd_coordinator_close(nd_coordinator *c)
{
    ND_ASSERT_LOOP_THREAD();
    if (!c || c->closing) return;
    for (nd_area *a = c->oldest, *next; a; a = next) {
        next = a->newer;
        if (a->dropped) continue;
        if (a->state == ND_AREA_OUT && c->up) nd_area_cancel(c, a);
        nd_area_return(c, a, ND_AWAY_NEVER);
    }
    c->closing = true;
    while (nd_area_arrive_some(c)) {
    }
    c->with.builder->away = NULL;
    nd_gather_flush(&c->gather, nd_now_ns(), true);
    nd_bus_hush(c->with.bus, c->news);
    uv_close((uv_handle_t *)&c->clock, NULL);
}

void nd_coordinator_destroy(nd_coordinator *c)
{
    if (!c) return;
    nd_gather_deinit(&c->gather);
    nd_blocks_deinit(&c->unasked);
    nd_blocks_deinit(&c->unsent);
    while (c->oldest) { // its tasks never came back
        nd_area *next = c->oldest->newer;
        free(c->oldest);
        c->oldest = next;
    }
    while (c->spare) {
        nd_area *next = c->spare->older;
        free(c->spare);
        c->spare = next;
    }
    nd_area_writer_deinit(&c->job);
    nd_table_deinit(&c->areas);
    free(c);
}

size_t nd_coordinator_share(nd_coordinator *c)
{
    ND_ASSERT_LOOP_THREAD();
    if (!c->up || c->closing) return 0;
    nd_gather_flush(&c->gather, nd_now_ns(), true);
    return c->gather.writing;
}

const nd_coordinator_stats *nd_coordinator_stats_of(const nd_coordinator *c)
{
    return &c->stats;
}

size_t nd_coordinator_out(const nd_coordinator *c, uint64_t *tiles)
{
    *tiles = 0;
    for (const nd_area *a = c->oldest; a; a = a->newer) *tiles += a->dropped ? 0 : a->left;
    return areas_out(c);
}

uint64_t nd_coordinator_waiting(const nd_coordinator *c)
{
    return nd_builder_backlog(c->with.builder);
}

void nd_coordinator_on_trouble(nd_coordinator *c, void (*on_trouble)(void *user), void *user)
{
    c->on_trouble = on_trouble;
    c->user = user;
}
