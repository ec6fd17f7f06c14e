#include "daemon/paths/paths.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/schedule/unwatched.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum { CLOCK_MS = 1000, TILES_A_TURN = 1024, MAX_FETCHING = 256, MAX_TRIES = 3 };

// A tile of the profile, as far as the ground knows it.
typedef struct ground_tile {
    nd_node node;
    nd_ground *ground;
    struct ground_tile *next; // of those that have changed
    int32_t x, z;
    nav_key source, content; // that the set has; zero: it has none
    nd_blob *blob;           // published since, and not in the set; a reference
    bool dirty, awaited;     // awaited: it is made again
    uint8_t tries;
} ground_tile;

struct nd_ground {
    nd_paths *paths;
    nd_ground *next;
    uint64_t world, grid;
    uint32_t profile;
    uint64_t version; // of the profile's settings
    nav_settings settings;
    bool gone; // it lives only until what is out has come back
    nav_path_set *set;
    nav_path_finder *finder;
    nd_table tiles;
    ground_tile *dirty;
    uint32_t fetching, awaited;
    nd_path_change *changes; // for the next job
    uint32_t change_count, change_room;
    nd_path_call *first, *last; // calls that wait
    nd_path_job *job;           // at a worker
    uint64_t used_ns;
    size_t bytes;
};

static void go_on(nd_ground *g);
static void on_turn(uv_idle_t *handle);
static void on_clock(uv_timer_t *handle);

// --- The ground's life ---

static nd_world *world_of(const nd_ground *g)
{
    nd_world *w = nd_worlds_find(g->paths->worlds, g->world);
    bool same = w && g->profile < w->profile_count && w->profiles[g->profile].state == ND_PROFILE_LIVE &&
                w->profiles[g->profile].wire.grid == g->grid;
    return same ? w : NULL;
}

// As far as its tiles are for the settings that the profile has. NULL: it has got others, or is gone.
static nd_world *current_world_of(const nd_ground *g)
{
    nd_world *w = world_of(g);
    return w && w->profiles[g->profile].version == g->version ? w : NULL;
}

static void free_tile(void *user, nd_node *n)
{
    ground_tile *t = ND_HOLDER(n, ground_tile, node);
    (void)user;
    nd_blob_unref(t->blob);
    free(t);
}

// Any thread.
static void free_ground(void *what)
{
    nd_ground *g = what;
    nd_table_each(&g->tiles, free_tile, NULL);
    nd_table_deinit(&g->tiles);
    for (uint32_t i = 0; i < g->change_count; i++) nd_blob_unref(g->changes[i].blob);
    free(g->changes);
    nav_path_set_destroy(g->set);
    nav_path_finder_destroy(g->finder);
    free(g);
}

// Now, or when the last has come back that is out.
static void destroy(nd_ground *g)
{
    if (g->job || g->fetching) return;
    nd_paths *p = g->paths;
    nd_ground **at = &p->grounds;
    while (*at != g) at = &(*at)->next;
    *at = g->next;
    p->ground_count--;
    p->bytes -= g->bytes;
    if (!p->grounds && !p->stopping) uv_timer_stop(&p->clock);
    if (p->stopping)
        free_ground(g);
    else
        nd_workers_dispose(p->workers, g->bytes, free_ground, g);
}

static void refuse(nd_paths *p, nd_path_call *c, nav_status status, const char *words)
{
    nd_session *s = p->stopping ? NULL : nd_sessions_find(p->sessions, c->session);
    np_error err = {0};
    np_error_set(&err, status, "%s", words);
    if (s) nd_reply_error(s, c->request, &err);
    nd_path_call_destroy(c);
}

static void refuse_all(nd_ground *g, nav_status status, const char *words)
{
    while (g->first) {
        nd_path_call *c = g->first;
        g->first = c->next;
        refuse(g->paths, c, status, words);
    }
    g->last = NULL;
}

// Nothing is noted or asked of it any more.
static void end(nd_ground *g, nav_status status, const char *words)
{
    if (g->gone) return;
    nd_world *w = world_of(g);
    g->gone = true;
    if (w) w->profiles[g->profile].wanted[NP_ENCODING_NAVD]--;
    refuse_all(g, status, words);
    if (g->job) atomic_store_explicit(&g->job->call->cancelled, true, memory_order_relaxed);
    destroy(g);
}

static nd_ground *find_ground(const nd_paths *p, uint64_t world, uint32_t profile)
{
    nd_ground *g = p->grounds;
    while (g && (g->gone || g->world != world || g->profile != profile)) g = g->next;
    return g;
}

// --- Which tiles have changed ---

static nav_status note_dirty(nd_ground *g, int32_t x, int32_t z, ground_tile **out)
{
    uint64_t hash = nd_hash_tile(g->profile, x, z);
    ground_tile *t = NULL;
    for (nd_node *n = nd_table_first(&g->tiles, hash); n; n = nd_table_next(n)) {
        t = ND_HOLDER(n, ground_tile, node);
        if (t->x == x && t->z == z) break;
        t = NULL;
    }
    if (!t) {
        if (nd_table_reserve(&g->tiles, 1) != NAV_OK || !(t = calloc(1, sizeof *t))) return NAV_ERR_MEMORY;
        t->ground = g;
        t->x = x;
        t->z = z;
        nd_table_insert(&g->tiles, &t->node, hash);
    }
    if (!t->dirty) {
        t->dirty = true;
        t->next = g->dirty;
        g->dirty = t;
    }
    *out = t;
    return NAV_OK;
}

typedef struct listing {
    nd_ground *ground;
    nav_status status;
} listing;

static void note_existing(void *user, nd_tile *t)
{
    listing *l = user;
    ground_tile *noted;
    if (l->status == NAV_OK && t->result.status != NP_TILE_PENDING)
        l->status = note_dirty(l->ground, t->x, t->z, &noted);
}

static nav_status create(nd_paths *p, nd_world *w, uint32_t profile, nd_ground **out)
{
    static const int32_t first[2] = {INT32_MIN / 2, INT32_MIN / 2}, last[2] = {INT32_MAX / 2, INT32_MAX / 2};
    nd_ground *g = calloc(1, sizeof *g);
    if (!g) return NAV_ERR_MEMORY;
    *g = (nd_ground){.paths = p,
                     .world = w->id,
                     .grid = w->profiles[profile].wire.grid,
                     .profile = profile,
                     .version = w->profiles[profile].version,
                     .settings = w->profiles[profile].wire.settings,
                     .used_ns = nd_now_ns(),
                     .next = p->grounds};
    listing l = {g, nav_path_set_create(&g->set)};
    if (l.status == NAV_OK) l.status = nav_path_finder_create(&g->finder);
    p->grounds = g;
    p->ground_count++;
    w->profiles[profile].wanted[NP_ENCODING_NAVD]++;
    if (l.status == NAV_OK) nd_scheduler_each_in(&w->scheduler, profile, first, last, note_existing, &l);
    if (l.status != NAV_OK) {
        end(g, l.status, "");
        return l.status;
    }
    *out = g;
    return NAV_OK;
}

// --- Their bytes ---

static void settle_awaited(ground_tile *t)
{
    if (t->awaited) t->ground->awaited--;
    t->awaited = false;
}

static nav_status add_change(nd_ground *g, ground_tile *t, nd_blob *blob, nav_key source, nav_key content)
{
    if (g->change_count == g->change_room) {
        uint32_t room = g->change_room ? 2 * g->change_room : 64;
        nd_path_change *grown = realloc(g->changes, room * sizeof *grown);
        if (!grown) return NAV_ERR_MEMORY;
        g->changes = grown;
        g->change_room = room;
    }
    g->changes[g->change_count++] = (nd_path_change){t->x, t->z, blob ? nd_blob_ref(blob) : NULL};
    t->source = source;
    t->content = content;
    t->tries = 0;
    nd_blob_unref(t->blob);
    t->blob = NULL;
    settle_awaited(t);
    return NAV_OK;
}

static void fetched(nd_disk_task *task, bool ran);

static bool fetch(ground_tile *t, nav_key source)
{
    nd_ground *g = t->ground;
    uint8_t wanted = 1u << NP_ENCODING_NAVD;
    if (!nd_lookup_may_find(g->paths->disk, source, wanted)) return false;
    nd_lookup *l = nd_lookup_create(source, wanted, NULL, fetched);
    if (!l) return false;
    l->owner = t;
    g->fetching++;
    nd_tile_cache_push(g->paths->disk, &l->task);
    return true;
}

// What the set lacks of a tile becomes a change, or is on its way.
static nav_status take(nd_world *w, ground_tile *t, bool ask_disk)
{
    nd_ground *g = t->ground;
    nd_tile *now = nd_scheduler_find(&w->scheduler, g->profile, t->x, t->z);
    np_tile_status status = now ? now->result.status : NP_TILE_REMOVED;
    if (status == NP_TILE_FAILED) { // the one before stays
        settle_awaited(t);
        return NAV_OK;
    }
    if (status != NP_TILE_OK) {
        settle_awaited(t);
        return nav_key_is_zero(t->source) ? NAV_OK : add_change(g, t, NULL, (nav_key){0, 0}, (nav_key){0, 0});
    }
    nav_key source = now->result.source, content = now->result.content;
    if (nav_key_equal(t->source, source) && nav_key_equal(t->content, content)) {
        settle_awaited(t);
        return NAV_OK;
    }
    const nd_cached *data = nd_cache_get(g->paths->cache, source, NP_ENCODING_NAVD);
    nd_blob *blob = t->blob ? t->blob : data ? data->blob : NULL;
    if (blob) return add_change(g, t, blob, source, content);
    if (ask_disk && fetch(t, source)) return NAV_OK;
    if (t->tries++ == MAX_TRIES) { // it is made, and nowhere to be had
        settle_awaited(t);
        return NAV_OK;
    }
    if (!t->awaited) g->awaited++;
    t->awaited = true;
    nd_scheduler_want(&w->scheduler, now, w->revision, nd_now_ns());
    now->asked |= 1u << NP_ENCODING_NAVD;
    nd_builder_kick(g->paths->builder);
    return NAV_OK;
}

static void fetched(nd_disk_task *task, bool ran)
{
    nd_lookup *l = (nd_lookup *)task;
    ground_tile *t = l->owner;
    nd_ground *g = t->ground;
    nd_world *w = ran && !g->gone ? world_of(g) : NULL;
    nav_status s = NAV_OK;
    g->fetching--;
    if (ran && !g->paths->stopping) nd_lookup_remember(l, g->paths->cache);
    nd_tile *now = w ? nd_scheduler_find(&w->scheduler, g->profile, t->x, t->z) : NULL;
    bool holds = now && now->result.status == NP_TILE_OK && nav_key_equal(now->result.source, l->source);
    if (holds && l->found && l->out[NP_ENCODING_NAVD].blob)
        s = add_change(g, t, l->out[NP_ENCODING_NAVD].blob, l->source, now->result.content);
    else if (w)
        s = take(w, t, false);
    nd_lookup_destroy(l);
    if (g->gone)
        destroy(g);
    else if (s != NAV_OK)
        end(g, s, "no memory for the tiles");
    else
        go_on(g);
}

void nd_paths_publish(nd_paths *p, const nd_world *w, const nd_tile *t, const nd_cached *out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_ground *g = p->grounds ? find_ground(p, w->id, t->profile) : NULL;
    ground_tile *noted;
    if (!g) return;
    if (note_dirty(g, t->x, t->z, &noted) != NAV_OK) {
        end(g, NAV_ERR_MEMORY, "no memory for the tiles");
        return;
    }
    settle_awaited(noted);
    nd_blob *blob = out ? out[NP_ENCODING_NAVD].blob : NULL;
    nd_blob_unref(noted->blob);
    noted->blob = blob ? nd_blob_ref(blob) : NULL;
    if (g->first) uv_idle_start(&p->turn, on_turn); // somebody waits for it
}

// --- Searches ---

static void done(nd_task *task, bool ran);

// The next call goes to a worker. False: it was refused.
static bool start(nd_ground *g, nd_world *w)
{
    nd_paths *p = g->paths;
    nd_path_call *c = g->first;
    nd_path_job *j = calloc(1, sizeof *j);
    g->first = c->next;
    if (!g->first) g->last = NULL;
    if (!j) {
        refuse(p, c, NAV_ERR_MEMORY, "no memory for the search");
        return false;
    }
    c->revision = w->revision;
    c->open_tiles = (uint32_t)w->scheduler.progress[g->profile].open;
    c->max_nodes = (uint32_t)p->config->max_path_nodes;
    c->most_ns = p->config->max_path_ms * UINT64_C(1000000);
    *j = (nd_path_job){.task = {.run = nd_path_job_run, .done = done},
                       .owner = g,
                       .settings = &g->settings,
                       .set = g->set,
                       .finder = g->finder,
                       .changes = g->changes,
                       .change_count = g->change_count,
                       .max_bytes = (size_t)p->config->path_bytes,
                       .call = c};
    g->changes = NULL;
    g->change_count = g->change_room = 0;
    g->job = j;
    nd_workers_push(p->workers, &j->task);
    return true;
}

// All that can be done for the calls of a ground at the moment.
static void go_on(nd_ground *g)
{
    nd_world *w = current_world_of(g);
    if (!w) {
        end(g, NAV_ERR_STATE, "the profile was removed or has got other settings meanwhile: ask again");
        return;
    }
    if (!g->first || g->job) return;
    for (uint32_t n = 0; g->dirty && g->fetching < MAX_FETCHING; n++) {
        if (n == TILES_A_TURN) {
            uv_idle_start(&g->paths->turn, on_turn);
            return;
        }
        ground_tile *t = g->dirty;
        g->dirty = t->next;
        t->dirty = false;
        nav_status s = take(w, t, true);
        if (s != NAV_OK) {
            end(g, s, "no memory for the tiles");
            return;
        }
    }
    if (g->dirty || g->fetching || g->awaited) return;
    while (g->first && !start(g, w)) {
    }
}

static void make_room(nd_paths *p)
{
    while (p->bytes > p->config->path_bytes) {
        nd_ground *oldest = NULL;
        for (nd_ground *g = p->grounds; g; g = g->next)
            if (!g->gone && !g->first && !g->job && (!oldest || g->used_ns < oldest->used_ns)) oldest = g;
        if (!oldest) return;
        end(oldest, NAV_ERR_LIMIT, "");
    }
}

static void done(nd_task *task, bool ran)
{
    nd_path_job *j = (nd_path_job *)task;
    nd_ground *g = j->owner;
    nd_paths *p = g->paths;
    nd_path_call *c = j->call;
    size_t bytes = nav_path_set_bytes(g->set);
    nd_session *s = p->stopping || !ran ? NULL : nd_sessions_find(p->sessions, c->session);
    bool lost = !ran || j->status != NAV_OK; // the set lacks what it was to have
    p->bytes += bytes - g->bytes;
    g->bytes = bytes;
    g->job = NULL;
    g->used_ns = nd_now_ns();
    if (j->damaged)
        nd_log(ND_LOG_WARN, "path.damaged_tiles", "world=%" PRIu64 " profile=%u tiles=%u", g->world, g->profile,
               j->damaged);
    np_error err = {0};
    if (j->status == NAV_ERR_LIMIT)
        np_error_set(&err, j->status,
                     "the tiles of the profile take more than %" PRIu64 " bytes to search (--path-bytes)",
                     p->config->path_bytes);
    else if (j->status != NAV_OK)
        np_error_set(&err, j->status, "no memory for the search");
    if (s && j->status != NAV_OK) {
        nd_reply_error(s, c->request, &err);
    } else if (s) {
        np_path_find_response out = {
            .revision = c->revision, .open_tiles = c->open_tiles, .path_count = c->count, .paths = c->results};
        nd_reply(s, c->request, NP_PATH_FIND, &out);
    }
    nd_path_job_destroy(j);
    if (g->gone) {
        destroy(g);
    } else if (lost) {
        end(g, err.code == NAV_OK ? NAV_ERR_CANCELLED : err.code, err.message);
    } else {
        go_on(g);
        make_room(p);
    }
}

nav_status nd_paths_ask(nd_paths *p, nd_world *w, uint32_t profile, nd_path_call *call)
{
    ND_ASSERT_LOOP_THREAD();
    nd_ground *g = find_ground(p, w->id, profile);
    if (g && !current_world_of(g)) {
        end(g, NAV_ERR_STATE, "the profile has got other settings meanwhile: ask again");
        g = NULL;
    }
    if (!g) {
        nav_status s = create(p, w, profile, &g);
        if (s != NAV_OK) return s;
        if (!uv_is_active((uv_handle_t *)&p->clock)) uv_timer_start(&p->clock, on_clock, CLOCK_MS, CLOCK_MS);
    }
    g->used_ns = call->asked_ns = nd_now_ns();
    p->calls++;
    p->queries += call->count;
    if (g->last)
        g->last->next = call;
    else
        g->first = call;
    g->last = call;
    go_on(g);
    return NAV_OK;
}

uint32_t nd_paths_waiting(const nd_paths *p, uint64_t session)
{
    uint32_t count = 0;
    for (const nd_ground *g = p->grounds; g; g = g->next) {
        for (const nd_path_call *c = g->first; c; c = c->next) count += c->session == session;
        count += g->job && g->job->call->session == session;
    }
    return count;
}

// --- What ends calls ---

// Takes those calls out of the line that `which` names, and answers them with status, or not at all.
static void drop_calls(nd_ground *g, bool (*which)(const nd_path_call *c, uint64_t value), uint64_t value,
                       nav_status status, const char *words)
{
    nd_path_call **at = &g->first, *last = NULL;
    while (*at) {
        nd_path_call *c = *at;
        if (!which(c, value)) {
            last = c;
            at = &c->next;
            continue;
        }
        *at = c->next;
        if (status == NAV_OK)
            nd_path_call_destroy(c);
        else
            refuse(g->paths, c, status, words);
    }
    g->last = last;
}

static bool is_of_session(const nd_path_call *c, uint64_t session)
{
    return c->session == session;
}

static bool is_older(const nd_path_call *c, uint64_t ns)
{
    return c->asked_ns < ns;
}

void nd_paths_leave(nd_paths *p, uint64_t session)
{
    for (nd_ground *g = p->grounds; g; g = g->next) {
        drop_calls(g, is_of_session, session, NAV_OK, "");
        if (g->job && g->job->call->session == session)
            atomic_store_explicit(&g->job->call->cancelled, true, memory_order_relaxed);
    }
}

void nd_paths_end_world(nd_paths *p, const nd_world *w)
{
    for (nd_ground *g = p->grounds, *next; g; g = next) {
        next = g->next;
        if (g->world == w->id) end(g, NAV_ERR_NOT_FOUND, "the world was deleted");
    }
}

static void on_turn(uv_idle_t *handle)
{
    nd_paths *p = ND_HOLDER(handle, nd_paths, turn);
    uv_idle_stop(handle);
    for (nd_ground *g = p->grounds, *next; g; g = next) {
        next = g->next;
        if (!g->gone) go_on(g);
    }
}

static void on_clock(uv_timer_t *handle)
{
    nd_paths *p = ND_HOLDER(handle, nd_paths, clock);
    uint64_t now = nd_now_ns();
    for (nd_ground *g = p->grounds, *next; g; g = next) {
        next = g->next;
        if (g->gone) continue;
        if (!g->job && now > ND_PATH_WAIT_NS)
            drop_calls(g, is_older, now - ND_PATH_WAIT_NS, NAV_ERR_TIMEOUT,
                       "the tiles of the profile are still being made: wait for them with jobs.wait, then ask again");
        if (!g->first && !g->job && now - g->used_ns > ND_GROUND_IDLE_NS)
            end(g, NAV_ERR_CANCELLED, "");
        else if (!current_world_of(g))
            end(g, NAV_ERR_STATE, "the profile was removed or has got other settings meanwhile: ask again");
    }
}

void nd_paths_init(nd_paths *p)
{
    uv_loop_t *loop = p->sessions->loop;
    if (uv_timer_init(loop, &p->clock) || uv_idle_init(loop, &p->turn)) abort(); // they cannot: memory only
}

void nd_paths_stop(nd_paths *p)
{
    p->stopping = true;
    for (nd_ground *g = p->grounds; g; g = g->next)
        if (g->job) atomic_store_explicit(&g->job->call->cancelled, true, memory_order_relaxed);
}

void nd_paths_close(nd_paths *p)
{
    p->stopping = true;
    while (p->grounds) {
        nd_ground *g = p->grounds;
        assert(!g->job && !g->fetching);
        end(g, NAV_ERR_CLOSED, "");
    }
    uv_close((uv_handle_t *)&p->clock, NULL);
    uv_close((uv_handle_t *)&p->turn, NULL);
}
