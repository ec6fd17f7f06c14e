#include "clients/c/watches.h"

#include "clients/c/client.h"
#include "clients/c/convert.h"
#include "clients/c/path_request.h"

#include <stdlib.h>
#include <string.h>

static void tell(navd_client *c, const client_watch *w, navd_paths_news news)
{
    if (!c->watches.on_paths) return;
    bool outer = c->dispatching;
    news.watch = w->id;
    news.world = w->request->world;
    c->dispatching = true;
    c->watches.on_paths(c->watches.user, &news);
    c->dispatching = outer;
}

static client_watch *find_wire(const navd_client *c, uint64_t wire_id)
{
    client_watch *w = c->watches.first;
    while (w && w->wire_id != wire_id) w = w->next;
    return w;
}

static void drop(navd_client *c, client_watch *w)
{
    client_watch **at = &c->watches.first;
    while (*at != w) at = &(*at)->next;
    *at = w->next;
    free(w->request);
    free(w);
}

void navd_watches_deinit(navd_client *c)
{
    while (c->watches.first) drop(c, c->watches.first);
}

void navd_on_paths(navd_client *c, navd_paths_callback callback, void *user)
{
    c->watches.on_paths = callback;
    c->watches.user = user;
}

// --- Notes ---

nav_status navd_watches_note_paths(navd_client *c, const np_paths_note *note)
{
    const client_watch *w = find_wire(c, note->subscription);
    size_t floats = 0, link_count = 0;
    if (!w) return NAV_OK;
    for (uint32_t i = 0; i < note->path_count; i++) {
        floats += navd_path_floats(&note->paths[i].path);
        link_count += note->paths[i].path.link_count;
    }
    navd_path *paths = calloc((size_t)note->path_count + 1, sizeof *paths + sizeof(uint32_t));
    float *points = malloc(floats * sizeof *points + 1), *at = points;
    navd_path_link *links = malloc(link_count * sizeof *links + 1), *link = links;
    nav_status s = paths && points && links ? NAV_OK : NAV_ERR_MEMORY;
    uint32_t *queries = (uint32_t *)(paths + note->path_count + 1);
    for (uint32_t i = 0; i < note->path_count && s == NAV_OK; i++) {
        const np_watched_path *p = &note->paths[i];
        if (p->query >= w->request->query_count) s = NAV_ERR_FORMAT;
        queries[i] = p->query;
        navd_path_from_wire(&p->path, &link, &at, &paths[i]);
    }
    if (s == NAV_OK)
        tell(c, w,
             (navd_paths_news){
                 .revision = note->revision, .count = note->path_count, .queries = queries, .paths = paths});
    free(links);
    free(points);
    free(paths);
    return s;
}

void navd_watches_note_synced(navd_client *c, const np_synced_note *note)
{
    const client_watch *w = find_wire(c, note->subscription);
    if (w) tell(c, w, (navd_paths_news){.revision = note->revision, .synced = true});
}

void navd_watches_note_ended(navd_client *c, const np_ended_note *note)
{
    client_watch *w = find_wire(c, note->subscription);
    char why[128];
    if (!w) return;
    navd_text_copy(why, sizeof why, note->reason);
    tell(c, w, (navd_paths_news){.ended = why});
    drop(c, w);
}

// --- Watching ---

static nav_status encode(navd_client *c, const client_watch *w)
{
    return np_encode_path_watch_request(&c->out, navd_client_next_id(c), w->request);
}

static nav_status take_watch(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_watch_response answer;
    (void)c;
    nav_status s = np_decode_path_watch_response(in, &answer, err);
    if (s == NAV_OK) ((client_watch *)out)->wire_id = answer.subscription; // before its first note is looked at
    return s;
}

navd_status navd_watch_paths(navd_client *c, uint64_t world, const char *profile, double near_m,
                             const navd_path_query *queries, uint32_t count, uint64_t *watch)
{
    return navd_watch_paths_with(c, world, profile, &(navd_path_options){.near_m = near_m}, queries, count, watch);
}

navd_status navd_watch_paths_with(navd_client *c, uint64_t world, const char *profile, const navd_path_options *options,
                                  const navd_path_query *queries, uint32_t count, uint64_t *watch)
{
    nav_status ready = navd_client_ready(c, true);
    if (ready != NAV_OK) return (navd_status)ready;
    client_watch *w = calloc(1, sizeof *w);
    if (w) w->request = navd_path_request_create(world, profile, options, queries, count);
    if (!w || !w->request) {
        free(w);
        return navd_client_fail(c, NAV_ERR_MEMORY, "no memory for %u paths", count);
    }
    w->id = *watch = ++c->resume.last_subscription;
    w->next = c->watches.first;
    c->watches.first = w;
    navd_status s = navd_client_finish(c, encode(c, w), take_watch, w);
    for (client_watch *at = s == NAVD_OK ? NULL : c->watches.first; at; at = at->next) // else it may have ended since
        if (at->id == *watch) {
            drop(c, at);
            break;
        }
    return s;
}

static nav_status take_nothing(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_none answer;
    (void)c, (void)out;
    return np_decode_path_unwatch_response(in, &answer, err);
}

navd_status navd_unwatch_paths(navd_client *c, uint64_t watch)
{
    nav_status s = navd_client_ready(c, true);
    client_watch *w = c->watches.first;
    if (s != NAV_OK) return (navd_status)s;
    while (w && w->id != watch) w = w->next;
    if (!w)
        return navd_client_fail(c, NAV_ERR_NOT_FOUND, "no paths are watched by the number %llu",
                                (unsigned long long)watch);
    const np_path_unwatch_request request = {.subscription = w->wire_id};
    drop(c, w);
    if (!request.subscription) return NAVD_OK; // on its way to a new connection, which ends it
    s = np_encode_path_unwatch_request(&c->out, navd_client_next_id(c), &request);
    return navd_client_finish(c, s, take_nothing, NULL);
}

// --- Coming back ---

void navd_watches_lose(navd_client *c)
{
    for (client_watch *w = c->watches.first; w; w = w->next) w->wire_id = 0;
}

// By number, as it may have been ended in between.
static client_watch *find(const navd_client *c, uint64_t id)
{
    client_watch *w = c->watches.first;
    while (w && w->id != id) w = w->next;
    return w;
}

typedef struct resumed {
    call call;
    uint64_t watch;
    uint64_t wire_id;
} resumed;

static nav_status take_resumed(navd_client *c, const np_message *in, np_error *err, void *out)
{
    np_path_watch_response answer;
    resumed *r = out;
    nav_status s = np_decode_path_watch_response(in, &answer, err);
    client_watch *w = find(c, r->watch);
    if (s == NAV_OK) r->wire_id = answer.subscription;
    if (s == NAV_OK && w) w->wire_id = answer.subscription;
    return s;
}

static void free_call(navd_client *c, call *k)
{
    (void)c;
    free(k);
}

static void end_resumed(navd_client *c, call *k)
{
    const resumed *r = (const resumed *)k;
    const np_path_unwatch_request request = {.subscription = r->wire_id};
    client_watch *w = find(c, r->watch);
    nav_status s = k->status;
    free(k);
    if (!w && s == NAV_OK) { // it was given up meanwhile
        k = calloc(1, sizeof *k);
        if (k) *k = (call){.take = take_nothing, .finish = free_call};
        s = k ? np_encode_path_unwatch_request(&c->out, navd_client_next_id(c), &request) : NAV_ERR_MEMORY;
        (void)navd_client_start(c, s, k);
    }
    if (!w || s == NAV_OK || s == NAV_ERR_CLOSED || s == NAV_ERR_IO || s == NAV_ERR_TIMEOUT) return;
    tell(c, w, (navd_paths_news){.ended = c->error});
    drop(c, w);
}

void navd_watches_resume(navd_client *c)
{
    for (client_watch *w = c->watches.first; w; w = w->next) {
        resumed *r = calloc(1, sizeof *r);
        if (r) *r = (resumed){.call = {.take = take_resumed, .out = r, .finish = end_resumed}, .watch = w->id};
        nav_status s = r ? encode(c, w) : NAV_ERR_MEMORY;
        if (navd_client_start(c, s, r ? &r->call : NULL) != NAVD_OK) return; // the connection is gone again
    }
}
