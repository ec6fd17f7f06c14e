// sessions.list
#include "daemon/methods/methods.h"

#include "daemon/base/clock.h"

#include <stdlib.h>

typedef struct found {
    const nd_session **list;
    size_t count;
} found;

static void take_session(void *user, nd_node *n)
{
    found *f = user;
    f->list[f->count++] = ND_HOLDER(n, nd_session, node);
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = (*(const nd_session *const *)a)->id, y = (*(const nd_session *const *)b)->id;
    return (x > y) - (x < y);
}

static np_session_entry describe(const nd_session *s, uint64_t now_ns)
{
    return (np_session_entry){.id = s->id,
                              .client = np_str_of(s->caller->client),
                              .name = np_str_of(s->principal.name),
                              .role = np_str_of(np_role_name(s->principal.role)),
                              .space = np_str_of(s->space ? s->space->name : ""),
                              .encrypted = s->transport->encrypted,
                              .age_ms = (now_ns - s->accepted_ns) / 1000000,
                              .subscriptions = s->subscription_count,
                              .bytes_in = s->bytes_in,
                              .bytes_out = s->bytes_out,
                              .bytes_queued = s->output.bytes};
}

nav_status nd_method_sessions_list(nd_call *c)
{
    np_sessions_list_request r;
    nav_status s = np_decode_sessions_list_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    if (!r.limit) r.limit = NP_SESSIONS_DEFAULT;
    nd_table *sessions = &c->methods->sessions->table;
    found f = {.list = malloc((sessions->count + 1) * sizeof *f.list)};
    np_session_entry *entries = malloc((r.limit + (size_t)1) * sizeof *entries);
    if (f.list && entries) {
        uint64_t now_ns = nd_now_ns();
        nd_table_each(sessions, take_session, &f);
        qsort(f.list, f.count, sizeof *f.list, compare_ids);
        np_sessions_list_response out = {.total = f.count, .sessions = entries};
        for (; out.session_count < f.count && out.session_count < r.limit; out.session_count++)
            entries[out.session_count] = describe(f.list[out.session_count], now_ns);
        nd_reply(c->session, c->message->id, NP_SESSIONS_LIST, &out);
    } else {
        s = np_error_set(&c->err, NAV_ERR_MEMORY, "no memory for the list");
    }
    free(f.list);
    free(entries);
    return s;
}
