#include "daemon/paths/watch_work.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/world/areas.h"
#include "daemon/world/changes.h"
#include "daemon/world/profiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Notes ---

static void send_note(nd_session *s, np_method method, const void *note)
{
    nav_buffer *out = &s->sessions->scratch;
    out->size = 0;
    if (np_note_encode(out, method, note) == NAV_OK)
        nd_session_send(s, out->data, out->size, NULL);
    else
        nd_session_close(s, "memory");
}

void nd_path_watch_tell(nd_path_watch *watch, uint64_t revision, const np_watched_path *paths, uint32_t count)
{
    nd_session *s = nd_sessions_find(watch->ground->paths->sessions, watch->session);
    bool writable = s && !s->closing && nd_session_writable(s);
    const np_paths_note note = {
        .subscription = watch->id, .world = watch->world, .revision = revision, .path_count = count, .paths = paths};
    for (uint32_t i = 0; i < count; i++) watch->probes[paths[i].query].told = writable;
    watch->unsent |= !writable;
    if (writable) send_note(s, NP_PATHS, &note);
}

static void tell_synced(nd_path_watch *watch, nd_session *s, uint64_t revision)
{
    const np_synced_note note = {.subscription = watch->id, .world = watch->world, .revision = revision};
    watch->synced_once = true;
    watch->synced = revision;
    send_note(s, NP_SYNCED, &note);
}

// --- Terms ---

nd_probe_terms *nd_probe_terms_ref(nd_probe_terms *t)
{
    t->holders++;
    return t;
}

void nd_probe_terms_unref(nd_probe_terms *t)
{
    if (!--t->holders) free(t);
}

static nd_probe_terms *make_terms(const np_axes *axes, const nd_path_terms *path)
{
    nd_probe_terms *t = malloc(sizeof *t);
    if (!t) return NULL;
    *t = (nd_probe_terms){.holders = 1, .axes = *axes, .path = *path, .least = (double)NAV_PATH_MOST_COST};
    for (int a = 1; a < NAV_AREA_COUNT; a++)
        if (!(path->costs.excluded >> a & 1)) t->least = fmin(t->least, (double)path->costs.cost[a]);
    return t;
}

static const nav_area_table *areas_of(const nd_world *w)
{
    return w->areas ? &w->areas->core : NULL;
}

// False: no memory.
static bool note_areas(nd_path_watch *watch, const nd_world *w)
{
    nd_path_terms path = watch->terms->path;
    nav_path_costs now;
    nav_path_costs_of_table(areas_of(w), &now);
    for (int a = 0; a < NAV_AREA_COUNT; a++)
        if (!(watch->priced >> a & 1)) path.costs.cost[a] = now.cost[a];
    nd_probe_terms *terms = make_terms(&watch->terms->axes, &path);
    if (!terms) return false;
    nd_probe_terms_unref(watch->terms);
    watch->terms = terms;
    watch->areas_version = w->areas_version;
    for (uint32_t i = 0; i < watch->count; i++) nd_probe_set_due(&watch->probes[i], ND_PROBES_OTHER);
    return true;
}

// --- Life ---

nd_path_watch *nd_path_watch_find(const nd_paths *p, uint64_t id)
{
    nd_path_watch *w = p->watches;
    while (w && w->id != id) w = w->next;
    return w;
}

// It has no ground from now on.
static void detach(nd_path_watch *watch)
{
    nd_ground *g = watch->ground;
    if (!g) return;
    for (uint32_t i = 0; i < watch->count; i++) {
        nd_probe *probe = &watch->probes[i];
        nd_probe_unset_due(probe);
        probe->working = false;
        nd_probe_index_remove(&g->probes.index, &probe->place);
    }
    g->probes.count -= watch->count;
    watch->ground = NULL;
}

static void attach(nd_path_watch *watch, nd_ground *g)
{
    watch->ground = g;
    g->probes.count += watch->count;
    for (uint32_t i = 0; i < watch->count; i++) nd_probe_set_due(&watch->probes[i], ND_PROBES_OTHER);
}

static void destroy(nd_paths *p, nd_path_watch *watch)
{
    nd_path_watch **at = &p->watches;
    while (*at != watch) at = &(*at)->next;
    *at = watch->next;
    detach(watch);
    p->probe_bytes -= watch->bytes;
    for (uint32_t i = 0; i < watch->count; i++) free(watch->probes[i].way);
    nd_probe_terms_unref(watch->terms);
    free(watch);
}

static void end(nd_paths *p, nd_path_watch *watch, const char *reason)
{
    nd_session *s = p->stopping ? NULL : nd_sessions_find(p->sessions, watch->session);
    const np_ended_note note = {.subscription = watch->id, .world = watch->world, .reason = np_str_of(reason)};
    if (s) send_note(s, NP_ENDED, &note);
    destroy(p, watch);
}

void nd_path_watches_note_areas(nd_ground *g, const nd_world *world)
{
    for (nd_path_watch *w = g->paths->watches, *next; w; w = next) {
        next = w->next;
        if (w->ground != g || !w->world_costs || w->areas_version == world->areas_version) continue;
        if (!note_areas(w, world)) end(g->paths, w, "memory");
    }
}

static uint64_t count_probes(const nd_paths *p, uint64_t session, uint64_t *watches)
{
    uint64_t probes = 0;
    for (const nd_path_watch *w = p->watches; w; w = w->next) {
        if (w->session != session) continue;
        probes += w->count;
        ++*watches;
    }
    return probes;
}

static nav_status check_limits(const nd_paths *p, uint64_t session, uint32_t more, np_error *err)
{
    uint64_t watches = 0, probes = count_probes(p, session, &watches);
    if (watches >= p->config->max_subscriptions)
        return np_error_set(err, NAV_ERR_LIMIT,
                            "the session already watches paths %" PRIu64 " times (--max-subscriptions)", watches);
    if (probes + more > p->config->max_probes)
        return np_error_set(err, NAV_ERR_LIMIT,
                            "the session would watch %" PRIu64 " paths, and may watch %" PRIu64 " (--max-probes)",
                            probes + more, p->config->max_probes);
    return NAV_OK;
}

nav_status nd_path_watch_create(nd_paths *p, nd_session *s, const nd_world *w, uint64_t id,
                                const np_path_watch_request *r, const np_axes *axes, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    size_t bytes = sizeof(nd_path_watch) + sizeof(nd_probe_terms) + r->query_count * sizeof(nd_probe) + r->profile.size;
    nd_path_terms path;
    nav_status status = check_limits(p, s->id, r->query_count, err);
    if (status == NAV_OK) status = nd_paths_claim(p, bytes, err);
    if (status != NAV_OK) return status;
    nd_path_terms_of(r, areas_of(w), &path);
    nd_path_watch *watch = calloc(1, bytes - sizeof *watch->terms);
    nd_probe_terms *terms = watch ? make_terms(axes, &path) : NULL;
    if (!terms) {
        free(watch);
        return np_error_set(err, NAV_ERR_MEMORY, "no memory for the paths");
    }
    char *profile = (char *)&watch->probes[r->query_count];
    memcpy(profile, r->profile.data, r->profile.size);
    watch->id = id;
    watch->session = s->id;
    watch->world = w->id;
    watch->profile = (np_str){profile, r->profile.size};
    watch->terms = terms;
    watch->world_costs = r->world_costs;
    watch->areas_version = w->areas_version;
    for (uint32_t i = 0; i < r->cost_count; i++) watch->priced |= UINT64_C(1) << r->costs[i].area;
    watch->bytes = bytes;
    watch->count = r->query_count;
    for (uint32_t i = 0; i < r->query_count; i++) {
        watch->probes[i].watch = watch;
        watch->probes[i].query = r->queries[i];
    }
    watch->next = p->watches;
    p->watches = watch;
    p->probe_bytes += bytes;
    return NAV_OK;
}

bool nd_path_watch_remove(nd_paths *p, uint64_t session, uint64_t id)
{
    ND_ASSERT_LOOP_THREAD();
    nd_path_watch *watch = nd_path_watch_find(p, id);
    if (!watch || watch->session != session) return false;
    destroy(p, watch);
    return true;
}

void nd_path_watches_leave(nd_paths *p, uint64_t session)
{
    for (nd_path_watch *w = p->watches, *next; w; w = next) {
        next = w->next;
        if (w->session == session) destroy(p, w);
    }
}

void nd_path_watches_end_world(nd_paths *p, const nd_world *world)
{
    for (nd_path_watch *w = p->watches, *next; w; w = next) {
        next = w->next;
        if (w->world == world->id) end(p, w, "deleted");
    }
}

void nd_path_watches_close(nd_paths *p)
{
    while (p->watches) destroy(p, p->watches);
}

void nd_probes_leave_ground(nd_ground *g, bool lost)
{
    nd_paths *p = g->paths;
    for (nd_path_watch *w = p->watches, *next; w; w = next) {
        next = w->next;
        if (w->ground != g) continue;
        if (lost)
            end(p, w, "memory");
        else
            detach(w);
    }
    nd_probe_index_deinit(&g->probes.index);
    if (p->watches) nd_paths_go_on_soon(p); // they find another ground
}

// --- Turns ---

// A ground for a watch that has none. The paths of before are told again only where the tiles of the new one, once all
// are made, say otherwise.
static void settle(nd_paths *p, nd_path_watch *watch)
{
    nd_world *w = nd_worlds_find(p->worlds, watch->world);
    nd_ground *g = NULL;
    uint32_t profile = w ? nd_world_find_profile(w, watch->profile) : UINT32_MAX;
    if (profile == UINT32_MAX)
        end(p, watch, "profile removed");
    else if (w->profiles[profile].wire.settings.sheets != NAV_SHEETS_UP)
        end(p, watch, "profile has other sheets");
    else if (nd_paths_ground(p, w, profile, &g) != NAV_OK)
        end(p, watch, "memory");
    else
        attach(watch, g);
    if (g) g->probes.patient |= watch->synced_once;
}

static void look_again(nd_paths *p, nd_path_watch *watch)
{
    const nd_session *s = nd_sessions_find(p->sessions, watch->session);
    if (!s || !nd_session_writable(s)) return;
    watch->unsent = false;
    for (uint32_t i = 0; i < watch->count; i++)
        if (!watch->probes[i].told) nd_probe_set_due(&watch->probes[i], ND_PROBES_OTHER);
}

static bool is_quiet(const nd_ground *g)
{
    return g->joined && !g->update && !g->change_count && nd_ground_has_all(g) && !nd_probes_are_due(&g->probes) &&
           !g->probes.working;
}

static void tell_complete(nd_paths *p, nd_path_watch *watch)
{
    const nd_ground *g = watch->ground;
    if (watch->unsent || !is_quiet(g)) return;
    const nd_world *w = nd_ground_world(g);
    uint64_t complete = w ? nd_changes_complete_in(w, NULL) : 0;
    nd_session *s = nd_sessions_find(p->sessions, watch->session);
    if (!w || !s || s->closing || (watch->synced_once && watch->synced >= complete)) return;
    if (nd_session_writable(s)) tell_synced(watch, s, complete);
}

void nd_path_watches_end_turn(nd_paths *p)
{
    ND_ASSERT_LOOP_THREAD();
    if (!p->watches || p->stopping) return;
    for (nd_path_watch *w = p->watches, *next; w; w = next) {
        next = w->next;
        if (!w->ground) settle(p, w);
    }
    for (nd_path_watch *w = p->watches; w; w = w->next)
        if (w->unsent) look_again(p, w);
    for (nd_ground *g = p->grounds, *next; g; g = next) {
        next = g->next;
        if (g->probes.count) nd_ground_go_on(g);
    }
    for (nd_path_watch *w = p->watches; w; w = w->next)
        if (w->ground) tell_complete(p, w);
}
