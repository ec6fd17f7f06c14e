#include "daemon/service/drain.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/session/session.h"
#include "daemon/store/world_store.h"

#include <inttypes.h>
#include <string.h>

enum { LOOK_MS = 5, RETRY_MS = 1000 };

static void say_bye(void *user, nd_node *n)
{
    nd_server *s = user;
    nd_session *session = ND_HOLDER(n, nd_session, node);
    np_bye_note note = {.reason = np_str_of("navd is stopping"), .retry_ms = RETRY_MS};
    if (!session->greeted) return;
    s->scratch.size = 0;
    if (np_encode_bye_note(&s->scratch, &note) == NAV_OK)
        nd_session_send(session, s->scratch.data, s->scratch.size, NULL);
}

typedef struct open_work {
    size_t held, bytes; // sessions whose call is not answered yet, and output that is not sent
} open_work;

static void add_session(void *user, nd_node *n)
{
    open_work *work = user;
    const nd_session *session = ND_HOLDER(n, nd_session, node);
    work->held += session->held && session->greeted; // not those that wait to hear that their token is wrong
    work->bytes += session->output.bytes;
}

static void look(uv_timer_t *timer)
{
    nd_server *s = timer->data;
    open_work work = {0};
    nd_table_each(&s->sessions, add_session, &work);
    size_t commits = s->store ? nd_writer_pending(s->store->writer) : 0;
    bool done = !work.held && !work.bytes && !commits && !nd_builder_jobs(&s->builder);
    if (!done && nd_now_ns() < s->drain_ends_ns) return;
    nd_log(done ? ND_LOG_INFO : ND_LOG_WARN, "daemon.drained",
           "complete=%s jobs=%u calls=%zu commits=%zu unsent_bytes=%zu", done ? "yes" : "no",
           nd_builder_jobs(&s->builder), work.held, commits, work.bytes);
    uv_timer_stop(timer);
    nd_server_stop(s);
}

void nd_drain_begin(nd_server *s)
{
    ND_ASSERT_LOOP_THREAD();
    if (s->stopping || s->draining) return;
    nd_log(ND_LOG_INFO, "daemon.draining", "sessions=%zu jobs=%u limit_s=%" PRIu64, s->sessions.count,
           nd_builder_jobs(&s->builder), s->config.drain_s);
    s->draining = true;
    s->drain_ends_ns = nd_now_ns() + s->config.drain_s * 1000000000;
    for (int i = 0; i < ND_LISTENERS; i++) nd_listener_close(&s->listeners[i]);
    nd_builder_drain(&s->builder);
    if (s->store) nd_writer_flush(s->store->writer);
    nd_table_each(&s->sessions, say_bye, s);
    uv_timer_start(&s->drain, look, 0, LOOK_MS);
}
