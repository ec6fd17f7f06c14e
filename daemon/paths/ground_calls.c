#include "daemon/paths/ground.h"

#include "daemon/base/clock.h"
#include "daemon/paths/watch.h"

#include <inttypes.h>
#include <stdlib.h>

// Tiles that are worth an update though more are on their way.
enum { UPDATE_TILES = 256 };

#define NO_SEARCH "no memory for the search"

// --- Answers ---

static void destroy_call(nd_paths *p, nd_path_call *c)
{
    p->call_bytes -= c->bytes;
    nd_path_call_destroy(c);
}

// From now on nobody waits for it.
static void refuse(nd_paths *p, nd_path_call *c, nav_status status, const char *words)
{
    nd_session *s = p->stopping || status == NAV_OK ? NULL : nd_sessions_find(p->sessions, c->session);
    np_error err = {0};
    np_error_set(&err, status, "%s", words);
    if (s) nd_reply_error(s, c->request, &err);
    c->session = 0;
}

void nd_ground_drop_waiting(nd_ground *g, nd_path_call_test *which, uint64_t value, nav_status status,
                            const char *words)
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
        refuse(g->paths, c, status, words);
        destroy_call(g->paths, c);
    }
    g->last = last;
}

void nd_ground_drop_begun(nd_ground *g, nd_path_call_test *which, uint64_t value, nav_status status, const char *words)
{
    for (nd_path_call *c = g->begun; c; c = c->next) {
        if (!which(c, value)) continue;
        atomic_store_explicit(&c->cancelled, true, memory_order_relaxed);
        refuse(g->paths, c, status, words);
    }
}

// All that it has begun has come back. An error is the ground's.
static nav_status finish(nd_ground *g, nd_path_call *c)
{
    nd_paths *p = g->paths;
    nd_session *s = p->stopping ? NULL : nd_sessions_find(p->sessions, c->session);
    nav_status status = NAV_OK;
    nd_path_call **at = &g->begun;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    if (c->own ? !g->gone && !p->stopping : s && c->status == NAV_OK)
        c->kind->reply(c, s);
    else if (s)
        refuse(p, c, c->status, NO_SEARCH);
    if (c->own) status = c->status;
    destroy_call(p, c);
    return status;
}

// --- Parts of calls ---

static void part_done(nd_task *task, bool ran)
{
    nd_path_part *part = (nd_path_part *)task;
    nd_path_call *c = part->call;
    nd_ground *g = part->owner;
    nd_paths *p = g->paths;
    nd_finders_give(&p->finders, part->hand.finder);
    nd_landmarks_count(g, part->hand.spent);
    c->bytes += part->hand.arena.held_bytes;
    p->call_bytes += part->hand.arena.held_bytes;
    c->running--;
    if (c->status == NAV_OK) c->status = ran ? part->status : NAV_ERR_CANCELLED;
    g->used_ns = nd_now_ns();
    nav_status s = c->running ? NAV_OK : finish(g, c);
    if (g->gone) {
        nd_ground_destroy_if_idle(g);
    } else if (s != NAV_OK && !p->stopping) {
        nd_ground_end(g, s, NO_SEARCH);
    } else {
        nd_ground_go_on(g);
        nd_paths_make_room(p);
    }
    if (p->ground_count > 1) nd_paths_go_on_soon(p); // others may have waited for the worker
}

// As many workers as there are for it. False: none yet.
static bool spread(nd_ground *g, nd_path_call *c)
{
    nd_paths *p = g->paths;
    while (nd_path_call_has_items(c) && c->running < c->count) {
        nav_path_finder *finder = nd_finders_take(&p->finders);
        nd_path_part *part = finder ? nd_path_part_create(c) : NULL;
        if (finder && !part) nd_finders_give(&p->finders, finder);
        if (!part) break;
        part->task = (nd_task){.run = nd_path_part_run, .done = part_done};
        part->owner = g;
        part->hand.set = g->set;
        part->hand.climb = g->climb;
        part->hand.finder = finder;
        c->running++;
        nd_workers_push(p->workers, &part->task);
    }
    return c->running || !nd_path_call_has_items(c);
}

// False: no worker is free.
static bool begin_call(nd_ground *g, nd_path_call *c)
{
    nd_paths *p = g->paths;
    c->revision = g->revision;
    c->open_tiles = g->open_tiles;
    c->max_nodes = (uint32_t)p->config->max_path_nodes;
    c->end_ns = nd_now_ns() + p->config->max_path_ms * UINT64_C(1000000);
    if (!spread(g, c)) return false;
    nd_path_call **end = &g->begun;
    while (*end) end = &(*end)->next;
    c->next = NULL;
    *end = c;
    g->landmarks.had_turn = false;
    return true;
}

// False: no worker is free, or no memory.
static bool begin_probes(nd_ground *g)
{
    nd_path_call *c = nd_finders_are_busy(&g->paths->finders) ? NULL : nd_probes_take_due(g);
    if (!c) return false;
    g->probes.had_turn = true;
    g->paths->call_bytes += c->bytes;
    if (begin_call(g, c)) return true;
    nd_probes_give_back(g, c);
    destroy_call(g->paths, c);
    return false;
}

static bool begin_first(nd_ground *g)
{
    nd_path_call *c = g->first, *next = c->next;
    if (!begin_call(g, c)) {
        c->next = next;
        return false;
    }
    g->first = next;
    if (!next) g->last = NULL;
    g->probes.had_turn = false;
    if (!c->running) (void)finish(g, c); // it asks for nothing
    return true;
}

// Watched paths that are due, and those of the line that are not younger than the tiles in the set, in turns.
static void begin(nd_ground *g, uint64_t newest)
{
    for (bool went = true; went;) {
        bool probe = nd_probes_are_due(&g->probes), call = g->first && g->first->number <= newest;
        if (probe && !(call && g->probes.had_turn))
            went = begin_probes(g);
        else
            went = call && begin_first(g);
    }
}

// --- Updates ---

static void refuse_too_large(nd_ground *g)
{
    np_error err;
    np_error_set(&err, NAV_ERR_LIMIT,
                 "the tiles of the profile take more than %" PRIu64 " bytes to search (--path-bytes)",
                 g->paths->config->path_bytes);
    nd_ground_end(g, err.code, err.message);
}

static void update_done(nd_task *task, bool ran)
{
    nd_path_update *u = (nd_path_update *)task;
    nd_ground *g = u->owner;
    nd_paths *p = g->paths;
    nav_status s = ran ? u->status : NAV_ERR_CANCELLED;
    size_t bytes = g->climb ? nav_climb_set_bytes(g->climb) : nav_path_set_bytes(g->set);
    uint64_t newest = u->newest_call;
    p->set_bytes += bytes - g->bytes;
    g->bytes = bytes;
    g->update = NULL;
    g->joined = s == NAV_OK && u->join;
    g->link_ways = u->link_ways;
    if (g->set) nd_landmarks_note_update(g, u);
    if (s == NAV_OK && u->compare) nd_probes_note_update(g, u);
    if (u->damaged)
        nd_log(ND_LOG_WARN, "path.damaged_tiles", "world=%" PRIu64 " profile=%u tiles=%u", g->world, g->profile,
               u->damaged);
    nd_path_update_destroy(u);
    if (g->gone) {
        nd_ground_destroy_if_idle(g);
    } else if (s == NAV_ERR_LIMIT) {
        refuse_too_large(g);
    } else if (s != NAV_OK) {
        nd_ground_end(g, s, "no memory for the tiles"); // the set lacks what it was to have
    } else {
        if (g->joined && !p->stopping) begin(g, newest); // before other tiles may keep them from it
        nd_ground_go_on(g);
        nd_paths_make_room(p);
    }
}

// False: no memory.
static bool push_update(nd_ground *g, bool join, uint64_t newest_call)
{
    nd_path_update *u = calloc(1, sizeof *u);
    if (!u) return false;
    *u = (nd_path_update){.task = {.run = nd_path_update_run, .done = update_done},
                          .owner = g,
                          .settings = &g->settings,
                          .set = g->set,
                          .climb = g->climb,
                          .changes = g->changes,
                          .count = g->change_count,
                          .compare = g->probes.count,
                          .join = join,
                          .link_ways = g->link_ways,
                          .newest_call = newest_call,
                          .max_bytes = (size_t)g->paths->config->path_bytes};
    nd_landmarks_hand_over(g, u);
    g->changes = NULL;
    g->change_count = g->change_room = 0;
    g->joined = false;
    g->update = u;
    nd_workers_push(g->paths->workers, &u->task);
    return true;
}

void nd_ground_go_on(nd_ground *g)
{
    nd_paths *p = g->paths;
    if (g->gone || p->stopping) return;
    nd_world *w = nd_ground_world(g);
    if (!w) {
        nd_ground_end(g, NAV_ERR_STATE, "the profile was removed or has got other settings meanwhile: ask again");
        return;
    }
    nd_landmarks_leave_if_due(g);
    if (g->probes.count) nd_path_watches_note_areas(g, w);
    if (!g->landmarks.had_turn) nd_landmarks_go_on(g, w); // in turns with calls, which might leave no worker for it
    for (nd_path_call *c = g->begun; c; c = c->next) (void)spread(g, c);
    if (g->update) return;
    bool gather = g->first || nd_probes_want_tiles(g, w);
    nav_status s = gather ? nd_ground_gather(g, w) : NAV_OK;
    bool all = nd_ground_has_all(g), same = g->joined && !g->change_count;
    bool changed = gather && ((all && !same) || g->change_count >= UPDATE_TILES);
    bool marked = g->joined && !g->change_count && nd_landmarks_are_made(g); // nothing else has changed
    if (changed) nd_landmarks_stop(g);
    bool update = (changed || marked) && !g->begun && !g->landmarks.busy;
    if (s == NAV_OK && update) s = push_update(g, all || marked, all ? p->calls : 0) ? NAV_OK : NAV_ERR_MEMORY;
    if (s != NAV_OK) {
        nd_ground_end(g, s, "no memory for the tiles");
        return;
    }
    if (all && (same || update)) {
        g->revision = w->revision;
        g->open_tiles = 0;
        for (uint32_t i = 0; i < w->profile_count; i++)
            if (nd_ground_has_slot(g, w, i)) g->open_tiles += (uint32_t)w->scheduler.progress[i].open;
    }
    bool waits = marked || g->landmarks.leaving || (gather && all && !same); // what reads the set ends first
    if (update || !g->joined || waits) return;
    begin(g, all ? UINT64_MAX : 0);
    nd_landmarks_go_on(g, w);
}

void nd_ground_add_call(nd_ground *g, nd_path_call *c)
{
    nd_paths *p = g->paths;
    p->calls++;
    p->queries += c->count;
    p->call_bytes += c->bytes;
    c->number = p->calls;
    g->used_ns = c->asked_ns = nd_now_ns();
    if (g->last)
        g->last->next = c;
    else
        g->first = c;
    g->last = c;
}
