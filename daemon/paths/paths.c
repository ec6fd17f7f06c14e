#include "daemon/paths/paths.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/paths/watch.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

enum { CLOCK_MS = 1000 };

uint64_t nd_paths_bytes(const nd_paths *p)
{
    uint64_t bytes = p->set_bytes + p->call_bytes + p->probe_bytes + p->finders.bytes;
    for (const nd_ground *g = p->grounds; g; g = g->next) bytes += g->probes.index.bytes + g->landmarks.bytes;
    return bytes;
}

uint64_t nd_paths_landmarks(const nd_paths *p)
{
    uint64_t count = 0;
    for (const nd_ground *g = p->grounds; g; g = g->next) count += g->gone ? 0 : g->landmarks.used;
    return count;
}

static bool is_idle(const nd_ground *g)
{
    return !g->gone && !g->first && !g->begun && !g->update && !g->landmarks.busy && !g->probes.count;
}

// What nobody uses goes, until there is room for so many bytes. False: it is all in use.
static bool make_room(nd_paths *p, uint64_t more)
{
    uint64_t most = p->config->path_bytes;
    if (nd_paths_bytes(p) + more > most) nd_finders_trim(&p->finders);
    for (nd_ground *g = p->grounds; g && nd_paths_bytes(p) + more > most; g = g->next) nd_landmarks_give_up(g);
    for (nd_ground *g = p->grounds; g && nd_paths_bytes(p) + more > most; g = g->next)
        if (!g->gone) nd_landmarks_leave(g);
    while (nd_paths_bytes(p) + more > most) {
        nd_ground *oldest = NULL;
        for (nd_ground *g = p->grounds; g; g = g->next)
            if (is_idle(g) && (!oldest || g->used_ns < oldest->used_ns)) oldest = g;
        if (!oldest) return false;
        nd_ground_end(oldest, NAV_OK, "");
    }
    return true;
}

void nd_paths_make_room(nd_paths *p)
{
    (void)make_room(p, 0);
}

// --- Calls ---

static void on_clock(uv_timer_t *handle);

nav_status nd_paths_claim(nd_paths *p, size_t bytes, np_error *err)
{
    if (make_room(p, bytes)) return NAV_OK;
    return np_error_set(err, NAV_ERR_LIMIT,
                        "paths take %" PRIu64 " bytes and may take %" PRIu64
                        " (--path-bytes), and this call takes %zu: ask again when others have been answered",
                        nd_paths_bytes(p), p->config->path_bytes, bytes);
}

nav_status nd_paths_ground(nd_paths *p, nd_world *w, uint32_t profile, nd_ground **out)
{
    nd_ground *g = nd_ground_find(p, w->id, profile);
    nav_status s = NAV_OK;
    if (g && !nd_ground_world(g)) {
        nd_ground_end(g, NAV_ERR_STATE, "the profile has got other settings meanwhile: ask again");
        g = NULL;
    }
    if (!p->finders.count) s = nd_finders_init(&p->finders, nd_workers_count(p->workers, false));
    if (s == NAV_OK && !g) s = nd_ground_create(p, w, profile, &g);
    if (s == NAV_OK && !uv_is_active((uv_handle_t *)&p->clock)) uv_timer_start(&p->clock, on_clock, CLOCK_MS, CLOCK_MS);
    *out = g;
    return s;
}

nav_status nd_paths_ask(nd_paths *p, nd_world *w, uint32_t profile, nd_path_call *c, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    nd_ground *g;
    nav_status s = nd_paths_claim(p, c->bytes, err);
    if (s != NAV_OK) return s;
    if (nd_paths_ground(p, w, profile, &g) != NAV_OK)
        return np_error_set(err, NAV_ERR_MEMORY, "no memory for the tiles");
    nd_ground_add_call(g, c);
    nd_ground_go_on(g);
    return NAV_OK;
}

static uint32_t count_calls(const nd_path_call *c, uint64_t session)
{
    uint32_t count = 0;
    for (; c; c = c->next) count += c->session == session;
    return count;
}

uint32_t nd_paths_waiting(const nd_paths *p, uint64_t session)
{
    uint32_t count = 0;
    for (const nd_ground *g = p->grounds; g; g = g->next)
        count += count_calls(g->first, session) + count_calls(g->begun, session);
    return count;
}

void nd_paths_publish(nd_paths *p, const nd_world *w, const nd_tile *t, const nd_cached *out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_ground *g = p->grounds;
    while (g && (g->gone || g->world != w->id || !nd_ground_has_slot(g, w, t->profile))) g = g->next;
    if (!g) return;
    if (nd_ground_note(g, t->profile, t->x, t->z, out ? out[NP_ENCODING_NAVD].blob : NULL) != NAV_OK)
        nd_ground_end(g, NAV_ERR_MEMORY, "no memory for the tiles");
    else if (g->first)
        nd_paths_go_on_soon(p); // somebody waits for it
}

// --- What ends calls ---

static bool is_of_session(const nd_path_call *c, uint64_t session)
{
    return c->session == session;
}

static bool is_older(const nd_path_call *c, uint64_t ns)
{
    return c->asked_ns < ns;
}

static bool has_number(const nd_path_call *c, uint64_t number)
{
    return c->number == number;
}

static const nd_path_call *find_call(const nd_path_call *c, uint64_t session, uint32_t request)
{
    while (c && !(c->session == session && c->request == request)) c = c->next;
    return c;
}

bool nd_paths_cancel(nd_paths *p, uint64_t session, uint32_t request)
{
    static const char words[] = "the call was cancelled by path.cancel";
    for (nd_ground *g = p->grounds; g; g = g->next) {
        const nd_path_call *waits = find_call(g->first, session, request);
        const nd_path_call *runs = find_call(g->begun, session, request);
        if (waits) nd_ground_drop_waiting(g, has_number, waits->number, NAV_ERR_CANCELLED, words);
        if (runs) nd_ground_drop_begun(g, has_number, runs->number, NAV_ERR_CANCELLED, words);
        if (waits || runs) return true;
    }
    return false;
}

void nd_paths_leave(nd_paths *p, uint64_t session)
{
    nd_path_watches_leave(p, session);
    for (nd_ground *g = p->grounds; g; g = g->next) {
        nd_ground_drop_waiting(g, is_of_session, session, NAV_OK, "");
        nd_ground_drop_begun(g, is_of_session, session, NAV_OK, "");
    }
}

void nd_paths_end_world(nd_paths *p, const nd_world *w)
{
    nd_path_watches_end_world(p, w);
    for (nd_ground *g = p->grounds, *next; g; g = next) {
        next = g->next;
        if (g->world == w->id) nd_ground_end(g, NAV_ERR_NOT_FOUND, "the world was deleted");
    }
}

// --- Time ---

static void go_on_all(nd_paths *p)
{
    for (nd_ground *g = p->grounds, *next; g; g = next) {
        next = g->next;
        nd_ground_go_on(g);
    }
}

static void on_turn(uv_idle_t *handle)
{
    uv_idle_stop(handle);
    go_on_all(ND_HOLDER(handle, nd_paths, turn));
}

void nd_paths_go_on_soon(nd_paths *p)
{
    if (!p->stopping) uv_idle_start(&p->turn, on_turn);
}

static void on_soon(uv_timer_t *handle)
{
    go_on_all(ND_HOLDER(handle, nd_paths, soon));
}

void nd_paths_go_on_at(nd_paths *p, uint64_t ns)
{
    uint64_t ms = ns / 1000000 + 1;
    bool sooner = uv_is_active((uv_handle_t *)&p->soon) && uv_timer_get_due_in(&p->soon) <= ms;
    if (!sooner && !p->stopping) uv_timer_start(&p->soon, on_soon, ms, 0);
}

void nd_paths_end_turn(nd_paths *p)
{
    if (p->watches) nd_path_watches_end_turn(p);
}

static void on_clock(uv_timer_t *handle)
{
    nd_paths *p = ND_HOLDER(handle, nd_paths, clock);
    uint64_t now = nd_now_ns();
    for (nd_ground *g = p->grounds, *next; g; g = next) {
        next = g->next;
        if (g->gone) continue;
        if (!nd_ground_has_all(g) && now > ND_PATH_WAIT_NS)
            nd_ground_drop_waiting(
                g, is_older, now - ND_PATH_WAIT_NS, NAV_ERR_TIMEOUT,
                "the tiles of the profile are still being made: wait for them with jobs.wait, then ask again");
        if (is_idle(g) && now - g->used_ns > ND_GROUND_IDLE_NS) nd_ground_end(g, NAV_OK, "");
    }
    go_on_all(p);
    if (p->grounds) return;
    nd_finders_trim(&p->finders);
    uv_timer_stop(&p->clock);
}

void nd_paths_init(nd_paths *p)
{
    uv_loop_t *loop = p->sessions->loop;
    if (uv_timer_init(loop, &p->clock) || uv_timer_init(loop, &p->soon) || uv_idle_init(loop, &p->turn))
        abort(); // they cannot: memory only
}

static bool is_any(const nd_path_call *c, uint64_t value)
{
    (void)c;
    (void)value;
    return true;
}

void nd_paths_stop(nd_paths *p)
{
    p->stopping = true;
    for (nd_ground *g = p->grounds; g; g = g->next) {
        nd_ground_drop_begun(g, is_any, 0, NAV_OK, "");
        nd_landmarks_give_up(g);
    }
}

void nd_paths_close(nd_paths *p)
{
    p->stopping = true;
    while (p->grounds) {
        assert(!p->grounds->begun && !p->grounds->update && !p->grounds->fetching && !p->grounds->landmarks.busy);
        nd_ground_end(p->grounds, NAV_OK, "");
    }
    nd_path_watches_close(p);
    nd_finders_deinit(&p->finders);
    uv_close((uv_handle_t *)&p->clock, NULL);
    uv_close((uv_handle_t *)&p->soon, NULL);
    uv_close((uv_handle_t *)&p->turn, NULL);
}
