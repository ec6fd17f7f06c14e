#include "daemon/service/drain.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/service/farm_worlds.h"
#include "daemon/session/session.h"
#include "daemon/store/world_store.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK_MS = 5, RETRY_MS = 1000 };

static void say_bye(void *user, nd_node *n)
{
    nd_service *s = user;
    nd_session *session = ND_HOLDER(n, nd_session, node);
    np_bye_note note = {.reason = np_str_of("navd is stopping"), .retry_ms = RETRY_MS};
    if (!session->greeted) return;
    s->methods->sessions->scratch.size = 0;
    if (np_encode_bye_note(&s->methods->sessions->scratch, &note) == NAV_OK)
        nd_session_send(session, s->methods->sessions->scratch.data, s->methods->sessions->scratch.size, NULL);
}

typedef struct open_work {
    size_t held, bytes; // sessions whose call is not answered yet, and output that is not sent
} open_work;

static void add_session(void *user, nd_node *n)
{
    open_work *work = user;
    const nd_session *session = ND_HOLDER(n, nd_session, node);
    work->held += (session->held || session->puts.running) &&
                  session->greeted; // not those that wait to hear that their token is wrong
    work->bytes += session->output.bytes;
}

static void look(uv_timer_t *timer)
{
    nd_service *s = timer->data;
    open_work work = {0};
    nd_table_each(&s->methods->sessions->table, add_session, &work);
    size_t commits = s->methods->unlogged;
    if (s->methods->store) commits += nd_writer_pending(s->methods->store->writer);
    bool done =
        !work.held && !work.bytes && !commits && !s->methods->under_way && !nd_builder_jobs(s->methods->builder);
    // Not before all is answered: what is under way is an edit of the one that leads.
    if (done && s->replica) done = nd_replica_leave(s->replica);
    // What was built here should not have to be built by others, too.
    if (done && s->farm && s->farm->coordinator) done = !nd_coordinator_share(s->farm->coordinator);
    if (!done && nd_now_ns() < s->drain_ends_ns) return;
    nd_log(done ? ND_LOG_INFO : ND_LOG_WARN, "daemon.drained",
           "complete=%s jobs=%u calls=%zu commits=%zu unsent_bytes=%zu", done ? "yes" : "no",
           nd_builder_jobs(s->methods->builder), work.held, commits, work.bytes);
    uv_timer_stop(timer);
    s->stop(s->user);
}

void nd_drain_begin(nd_service *s)
{
    ND_ASSERT_LOOP_THREAD();
    if (s->methods->stopping || s->methods->sessions->draining) return;
    nd_log(ND_LOG_INFO, "daemon.draining", "sessions=%zu jobs=%u limit_s=%" PRIu64, s->methods->sessions->table.count,
           nd_builder_jobs(s->methods->builder), s->methods->config->drain_s);
    s->methods->sessions->draining = true;
    s->drain_ends_ns = nd_now_ns() + s->methods->config->drain_s * 1000000000;
    nd_sessions_stop_listening(s->methods->sessions);
    nd_builder_drain(s->methods->builder);
    if (s->methods->store) nd_writer_flush(s->methods->store->writer);
    nd_table_each(&s->methods->sessions->table, say_bye, s);
    uv_timer_start(&s->drain, look, 0, LOOK_MS);
}

void nd_service_init(nd_service *s)
{
    s->began_ns = nd_now_ns();
    s->methods->farm_worlds = nd_tell_farm_worlds;
    s->methods->farm_worlds_user = s;
    if (uv_timer_init(s->methods->sessions->loop, &s->drain)) abort(); // it cannot: a timer is memory only
    s->drain.data = s;
}

void nd_service_close(nd_service *s)
{
    uv_close((uv_handle_t *)&s->drain, NULL);
}
