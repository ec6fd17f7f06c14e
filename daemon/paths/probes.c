#include "daemon/paths/watch_work.h"

#include "daemon/base/clock.h"
#include "daemon/paths/find.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Of a call: as many as take about CALL_NS, so that short searches do not wait for turns, and long ones not for others,
// nor the client for what has been found.
enum { FEWEST = ND_PROBE_LINES + 1, MOST = NP_WATCHED_PATHS };
enum { TURN = 8 };          // calls, of which one has a probe of each line
enum { MOST_POINTS = 256 }; // of a way that is remembered
#define CALL_NS UINT64_C(1000000)
#define FIRST_GUESS_NS UINT64_C(250000) // of a search
// How long tiles that have changed wait for those that are still being made.
#define WAIT_NS UINT64_C(100000000)
// The same after other settings, where what was told is better than what is there.
#define LONG_WAIT_NS UINT64_C(10000000000)
// Columns by which shapes are larger than they need be: the ends are moved to a grid, floats are rounded.
#define MARGIN 2.0

// --- Due ---

void nd_probe_set_due(nd_probe *probe, int line)
{
    nd_probe_line *to = &probe->watch->ground->probes.due[line];
    if (probe->working || (probe->at && probe->line <= to)) return;
    nd_probe_unset_due(probe);
    probe->line = to;
    probe->next = NULL;
    probe->at = to->first ? to->end : &to->first;
    *probe->at = probe;
    to->end = &probe->next;
}

void nd_probe_unset_due(nd_probe *probe)
{
    if (!probe->at) return;
    *probe->at = probe->next;
    if (probe->next)
        probe->next->at = probe->at;
    else
        probe->line->end = probe->at;
    probe->at = NULL;
}

bool nd_probes_want_tiles(nd_ground *g, const nd_world *w)
{
    nd_probes *all = &g->probes;
    uint64_t now = nd_now_ns();
    bool lacks = !nd_ground_has_all(g) || g->change_count || !g->joined;
    if (!all->count) return false;
    if (!lacks) {
        if (!nd_probes_are_due(all) && !all->working) all->since_ns = 0;
        return false;
    }
    if (!all->since_ns) all->since_ns = now;
    bool marked = nd_scheduler_first_unmarked(&w->scheduler) == UINT64_MAX;
    if (marked && !w->scheduler.progress[g->profile].open) {
        all->patient = false;
        return true;
    }
    if (g->joined && (nd_probes_are_due(all) || all->working)) return false; // one after the other
    uint64_t until = all->since_ns + (all->patient ? LONG_WAIT_NS : WAIT_NS);
    if (until < all->rest_until_ns) until = all->rest_until_ns;
    if (now < until) {
        nd_paths_go_on_at(g->paths, until - now);
        return false;
    }
    all->patient = false;
    return true;
}

// --- Searches ---

typedef struct probe_item {
    // Copies, as the watch may be gone by the time of the answer.
    uint64_t watch;
    nd_probe_terms *terms; // a reference
    np_path_query query;
    bool told;
    int line; // that it was due in
    uint64_t hash;
    // Out:
    uint64_t took_ns;
    bool changed;
    double from[2], to[2]; // metres: ends of the path
    double missed_m;       // from its end to the goal
    nav_path_status status;
    double length_m, cost;
    const float *way; // of a path that has changed: x z of its points; the call's. NULL: too many
    uint32_t way_count;
    np_watched_path told_as; // of the query by that number; path: if it has changed
} probe_item;

typedef struct probe_call {
    nd_path_call call;
    nd_ground *ground;
    atomic_llong room; // points
    uint64_t search_ns, began_ns;
    probe_item items[MOST];
} probe_call;

typedef struct patience {
    const nd_path_call *call;
    uint64_t end_ns;
} patience;

static bool is_over(void *user)
{
    const patience *p = user;
    return atomic_load_explicit(&p->call->cancelled, memory_order_relaxed) || nd_now_ns() > p->end_ns;
}

// Of this thread: a machine that is busy makes no search longer.
static uint64_t cpu_ns(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    for (size_t i = 0; i < count; i++) h = (h ^ at[i]) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t hash_of(const nav_path *path, np_path_limit limit)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    h = hash_bytes(h, &path->status, sizeof path->status);
    h = hash_bytes(h, &path->length_m, sizeof path->length_m);
    h = hash_bytes(h, &path->surface_m, sizeof path->surface_m);
    h = hash_bytes(h, &path->cost, sizeof path->cost);
    h = hash_bytes(h, &path->lower_bound, sizeof path->lower_bound);
    h = hash_bytes(h, &path->limit, sizeof path->limit);
    h = hash_bytes(h, &limit, sizeof limit);
    for (uint32_t i = 0; i < path->jump_count; i++) h = hash_bytes(h, &path->jumps[i].link, sizeof path->jumps[i].link);
    return path->point_count ? hash_bytes(h, path->points, 3 * (size_t)path->point_count * sizeof *path->points) : h;
}

static void note_ends(probe_item *it, const nav_path *path)
{
    if (!path->point_count) return;
    const float *first = path->points, *last = path->points + 3 * ((size_t)path->point_count - 1);
    double away[3];
    for (int a = 0; a < 3; a++) away[a] = (double)last[a] - it->query.to[a];
    it->missed_m = sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2]);
    for (int a = 0; a < 2; a++) {
        it->from[a] = (double)first[2 * a];
        it->to[a] = (double)last[2 * a];
    }
}

static nav_status note_way(probe_item *it, const nav_path *path, nav_arena *arena)
{
    if (path->point_count > MOST_POINTS) return NAV_OK;
    float *way = NAV_TAKE(arena, float, 2 * (size_t)path->point_count);
    for (uint32_t i = 0; way && i < path->point_count; i++)
        for (int a = 0; a < 2; a++) way[2 * i + a] = path->points[3 * i + 2 * a];
    it->way = way;
    it->way_count = path->point_count;
    return way ? NAV_OK : NAV_ERR_MEMORY;
}

static nav_status answer(nd_path_call *call, nd_path_hand *hand, uint32_t item)
{
    probe_call *c = (probe_call *)call;
    probe_item *it = &c->items[item];
    uint64_t before_ns = cpu_ns();
    patience p = {call, nd_now_ns() + c->search_ns};
    nav_path path;
    np_path_limit limit;
    nav_status s = nd_path_search(&it->terms->path, &it->query, call->max_nodes, is_over, &p, hand, &path, &limit);
    if (s != NAV_OK) return s;
    uint64_t hash = hash_of(&path, limit);
    it->took_ns = cpu_ns() - before_ns;
    note_ends(it, &path);
    it->changed = !it->told || hash != it->hash;
    it->hash = hash;
    it->status = path.status;
    it->length_m = path.length_m;
    it->cost = path.cost;
    if (!it->changed) return NAV_OK;
    s = note_way(it, &path, &hand->arena);
    if (s != NAV_OK) return s;
    return nd_path_describe(&path, limit, &it->terms->axes, &hand->arena, &c->room, &it->told_as.path);
}

// Where a change matters to it.
static nd_probe_shape shape_of(const nd_ground *g, const probe_item *it)
{
    const nav_settings *s = &g->settings;
    double tile_m = (double)s->tile_cells * (double)s->cell_size_m;
    double margin = MARGIN / s->tile_cells + nd_probe_terms_wider(it->terms, g) / tile_m;
    bool has_path = it->status == NAV_PATH_FOUND || it->status == NAV_PATH_PARTIAL;
    bool given_up = it->status == NAV_PATH_LIMIT;
    nd_probe_shape out = {.sum = -1};
    for (int i = 0; i < 2; i++) {
        const double *at = i ? it->query.to : it->query.from, *end = i ? it->to : it->from;
        out.radius[i] = it->terms->path.near_m / tile_m + margin;
        for (int a = 0; a < 2; a++) {
            out.disc[i][a] = (at[2 * a] - s->origin_m[2 * a]) / tile_m;
            out.focus[i][a] = has_path ? (end[a] - s->origin_m[2 * a]) / tile_m : out.disc[i][a];
        }
    }
    // A way of the same cost is no longer than that, and a wider agent's passes no further from what it meets.
    if (has_path) out.sum = fmax(it->length_m, it->cost / it->terms->least) / tile_m + 2 * margin;
    if (given_up) out.sum = hypot(out.disc[1][0] - out.disc[0][0], out.disc[1][1] - out.disc[0][1]) + 2 * margin;
    if (it->status == NAV_PATH_PARTIAL) out.radius[1] = fmax(out.radius[1], it->missed_m / tile_m + margin);
    return out;
}

// NULL: the watch is gone, or has gone to another ground.
static nd_probe *probe_of(const probe_call *c, const probe_item *it)
{
    nd_path_watch *watch = nd_path_watch_find(c->ground->paths, it->watch);
    return watch && watch->ground == c->ground ? &watch->probes[it->told_as.query] : NULL;
}

// Of a path that has changed.
static nav_status keep_way(nd_ground *g, nd_probe *probe, const probe_item *it)
{
    size_t before = probe->way_count * 2 * sizeof *probe->way, bytes = it->way_count * 2 * sizeof *probe->way;
    free(probe->way);
    probe->way = it->way_count ? malloc(bytes) : NULL;
    probe->way_count = probe->way ? it->way_count : 0;
    if (probe->way) memcpy(probe->way, it->way, bytes);
    probe->watch->bytes += (probe->way ? bytes : 0) - before;
    g->paths->probe_bytes += (probe->way ? bytes : 0) - before;
    return probe->way || !it->way_count ? NAV_OK : NAV_ERR_MEMORY;
}

static nav_status keep(nd_ground *g, nd_probe *probe, const probe_item *it)
{
    uint64_t *search_ns = &g->probes.search_ns[it->line];
    *search_ns = (15 * (*search_ns ? *search_ns : FIRST_GUESS_NS) + it->took_ns) / 16;
    probe->working = false;
    probe->hash = it->hash;
    if (it->changed && keep_way(g, probe, it) != NAV_OK) return NAV_ERR_MEMORY;
    probe->loose = it->status == NAV_PATH_PARTIAL || it->status == NAV_PATH_LIMIT;
    nd_probe_index_remove(&g->probes.index, &probe->place);
    probe->place.shape = shape_of(g, it);
    if (it->terms != probe->watch->terms) nd_probe_set_due(probe, ND_PROBES_OTHER); // it has got others meanwhile
    return nd_probe_index_put(&g->probes.index, &probe->place);
}

// One note for each watch.
static void tell(const probe_call *c)
{
    np_watched_path paths[MOST];
    bool done[MOST] = {false};
    for (uint32_t i = 0; i < c->call.count; i++) {
        nd_probe *first = probe_of(c, &c->items[i]);
        uint32_t count = 0;
        for (uint32_t k = i; first && k < c->call.count; k++) {
            const probe_item *it = &c->items[k];
            if (done[k] || it->watch != c->items[i].watch || !it->changed) continue;
            paths[count++] = it->told_as;
            done[k] = true;
        }
        if (count) nd_path_watch_tell(first->watch, c->call.revision, paths, count);
    }
}

static void reply(nd_path_call *call, nd_session *none)
{
    const probe_call *c = (const probe_call *)call;
    nd_ground *g = c->ground;
    nav_status s = call->status;
    (void)none;
    g->probes.working -= call->count;
    for (uint32_t i = 0; i < call->count && s == NAV_OK; i++) {
        nd_probe *probe = probe_of(c, &c->items[i]);
        if (probe) s = keep(g, probe, &c->items[i]);
    }
    if (s == NAV_OK) tell(c);
    call->status = s;
    uint64_t now = nd_now_ns();
    g->probes.rest_until_ns = now + (now - c->began_ns);
}

static void destroy(nd_path_call *call)
{
    probe_call *c = (probe_call *)call;
    for (uint32_t i = 0; i < call->count; i++) nd_probe_terms_unref(c->items[i].terms);
    free(c);
}

static const nd_path_kind kind = {.method = NP_PATH_WATCH, .answer = answer, .reply = reply, .destroy = destroy};

static void take(nd_ground *g, probe_call *c, nd_probe_line *line)
{
    nd_probe *probe = line->first;
    const nd_path_watch *w = probe->watch;
    nd_probe_unset_due(probe);
    probe->working = true;
    c->items[c->call.count++] = (probe_item){.watch = w->id,
                                             .terms = nd_probe_terms_ref(w->terms),
                                             .query = probe->query,
                                             .told = probe->told,
                                             .line = (int)(line - g->probes.due),
                                             .hash = probe->hash,
                                             .told_as = {.query = (uint32_t)(probe - w->probes)}};
}

nd_path_call *nd_probes_take_due(nd_ground *g)
{
    probe_call *c = calloc(1, sizeof *c);
    nd_probe_line *first = g->probes.due, *end = &g->probes.due[ND_PROBE_LINES];
    if (!c) return NULL;
    while (!first->first) first++;
    uint64_t known_ns = g->probes.search_ns[first - g->probes.due];
    uint64_t most = CALL_NS / (known_ns ? known_ns : FIRST_GUESS_NS);
    most = most < FEWEST ? FEWEST : most < MOST ? most : MOST;
    while (first->first && c->call.count + (ND_PROBE_LINES - 1) < most) take(g, c, first);
    bool turn = ++g->probes.calls % TURN == 0; // so that it comes to the others, too
    for (nd_probe_line *line = first + 1; line < end && turn; line++)
        if (line->first) take(g, c, line);
    uint32_t count = c->call.count;
    g->probes.working += count;
    c->ground = g;
    c->began_ns = nd_now_ns();
    c->search_ns = g->paths->config->max_path_ms * UINT64_C(1000000);
    atomic_init(&c->room, NP_PATH_POINTS);
    nd_path_call_init(&c->call, &kind, count, sizeof *c);
    c->call.own = true;
    return &c->call;
}

void nd_probes_give_back(nd_ground *g, const nd_path_call *call)
{
    const probe_call *c = (const probe_call *)call;
    g->probes.working -= call->count;
    for (uint32_t i = 0; i < call->count; i++) {
        nd_probe *probe = probe_of(c, &c->items[i]);
        probe->working = false;
        nd_probe_set_due(probe, ND_PROBES_OTHER);
    }
}
