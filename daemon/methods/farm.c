// farm.status: the farm as this daemon sees it. Who is there it knows by their beats; what the server holds is asked on
// a thread of the bus, and the answer goes to the session by its id, if that still lives.
#include "daemon/methods/methods.h"

#include "daemon/base/clock.h"
#include "daemon/farm/figures.h"

#include <stdlib.h>
#include <string.h>

typedef struct farm_call {
    nd_bus_task task;
    nd_methods *methods;
    uint64_t session;
    uint32_t request;
    char farm[ND_FARM_NAME_BYTES];
    nav_status status;
    nd_figures figures;
} farm_call;

static int compare_members(const void *a, const void *b)
{
    const nd_farm_peer *x = *(const nd_farm_peer *const *)a, *y = *(const nd_farm_peer *const *)b;
    const bool x_works = x->beat.kind == ND_BEAT_WORKER, y_works = y->beat.kind == ND_BEAT_WORKER;
    if (x_works != y_works) return x_works ? -1 : 1;
    const int by_name = strcmp(x->name, y->name);
    return by_name ? by_name : strcmp(x->beat.id, y->beat.id);
}

static np_farm_member describe(const nd_farm_peer *p, uint64_t now_ns)
{
    const nd_beat *b = &p->beat;
    return (np_farm_member){.id = np_str_of(b->id),
                            .kind = np_str_of(nd_beat_kinds[b->kind]),
                            .name = b->name,
                            .version = b->version,
                            .generator = b->generator,
                            .leaves = b->leaves,
                            .threads = b->threads,
                            .jobs = b->jobs,
                            .waiting = b->waiting,
                            .tiles = b->tiles,
                            .found = b->found,
                            .done = b->done,
                            .set_aside = b->set_aside,
                            .refused = b->refused,
                            .bytes_in = b->bytes_in,
                            .bytes_out = b->bytes_out,
                            .uptime_s = b->uptime_s,
                            .seen_ms = now_ns > p->seen_ns ? (now_ns - p->seen_ns) / 1000000 : 0};
}

// NULL: no memory.
static np_farm_member *list_members(const nd_peers *peers, uint32_t *count)
{
    const uint64_t now_ns = nd_now_ns();
    const nd_farm_peer **order = malloc((peers->count + 1) * sizeof *order);
    np_farm_member *out = malloc((peers->count + 1) * sizeof *out);
    *count = 0;
    if (order && out) {
        uint32_t found = 0;
        for (const nd_farm_peer *p = peers->list; p && found < NP_FARM_MEMBERS_MAX; p = p->next) order[found++] = p;
        qsort(order, found, sizeof(const nd_farm_peer *), compare_members);
        for (; *count < found; ++*count) out[*count] = describe(order[*count], now_ns);
    } else {
        free(out);
        out = NULL;
    }
    free(order);
    return out;
}

static void answer(nd_methods *m, nd_session *s, uint32_t request, const nd_figures *figures)
{
    static const char *const modes[] = {"local", "publish", "follow", "standby"};
    const nd_farm *f = m->farm;
    np_farm_stream streams[ND_FIGURES];
    uint32_t member_count;
    np_farm_member *members = list_members(&f->peers, &member_count);
    if (!members) {
        np_error e;
        np_error_set(&e, NAV_ERR_MEMORY, "no memory for the list");
        nd_reply_error(s, request, &e);
        return;
    }
    np_farm_status_response out = {.name = np_str_of(f->name),
                                   .id = np_str_of(f->id),
                                   .up = f->up,
                                   .trouble = np_str_of(f->trouble),
                                   .generator = NAV_GENERATOR_VERSION,
                                   .worlds = np_str_of(modes[m->config->farm_worlds]),
                                   .role = np_str_of(""),
                                   .leader = np_str_of(""),
                                   .has_jobs = figures != NULL,
                                   .member_count = member_count,
                                   .members = members,
                                   .streams = streams};
    if (figures) {
        out.jobs_waiting = figures->waiting;
        out.jobs_out = figures->out;
        out.jobs_redelivered = figures->redelivered;
        for (uint32_t i = 0; i < figures->stream_count; i++) {
            const nd_stream_figures *from = &figures->streams[i];
            streams[out.stream_count++] =
                (np_farm_stream){np_str_of(from->name), from->messages, from->bytes, from->max_bytes};
        }
    }
    if (m->farm_worlds) m->farm_worlds(m->farm_worlds_user, &out);
    nd_reply(s, request, NP_FARM_STATUS, &out);
    free(members);
}

static void ask(nd_bus_task *task, const nd_bus_link *link)
{
    farm_call *k = (farm_call *)task;
    k->status = nd_figures_ask(link, k->farm, NAV_GENERATOR_VERSION, &k->figures);
}

static void asked(nd_bus_task *task, bool ran)
{
    farm_call *k = (farm_call *)task;
    nd_session *s = nd_sessions_find(k->methods->sessions, k->session);
    if (s) s->waits--;
    if (s && !k->methods->stopping) answer(k->methods, s, k->request, ran && k->status == NAV_OK ? &k->figures : NULL);
    free(k);
}

nav_status nd_method_farm_status(nd_call *c)
{
    np_farm_status_request r;
    const nd_farm *f = c->methods->farm;
    nav_status s = np_decode_farm_status_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    if (!f) return np_error_set(&c->err, NAV_ERR_STATE, "this navd is in no farm: start it with --farm URL");
    if (!f->up) {
        answer(c->methods, c->session, c->message->id, NULL);
        return NAV_OK;
    }
    if (c->session->waits >= c->methods->config->max_calls)
        return np_error_set(&c->err, NAV_ERR_LIMIT, "%u calls are waiting already (--max-calls)", c->session->waits);
    farm_call *k = calloc(1, sizeof *k);
    if (!k) return np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the call");
    k->task = (nd_bus_task){.run = ask, .done = asked};
    k->methods = c->methods;
    k->session = c->session->id;
    k->request = c->message->id;
    snprintf(k->farm, sizeof k->farm, "%s", f->name);
    c->session->waits++;
    nd_bus_push(f->bus, ND_BUS_LOOKUPS, &k->task);
    return NAV_OK;
}

nav_status nd_method_farm_check(nd_call *c)
{
    np_farm_check_request r;
    nd_methods *m = c->methods;
    nav_status s = np_decode_farm_check_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    if (!m->farm_check)
        return np_error_set(
            &c->err, NAV_ERR_STATE,
            "this navd shares no worlds with others (--farm-worlds local), so there is nothing to compare");
    if (c->session->waits >= m->config->max_calls)
        return np_error_set(&c->err, NAV_ERR_LIMIT, "%u calls are waiting already (--max-calls)", c->session->waits);
    return m->farm_check(m->farm_check_user, c->session, c->message->id, &c->err);
}
