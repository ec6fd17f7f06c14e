#include "daemon/session/session.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/session/timeouts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TURN_BYTES = 512 * 1024 };     // of one session in one turn of the loop
enum { STRANGERS_BYTES = 64 * 1024 }; // of a message before hello

// Sessions stand in the order in which they sent something first.
static void list(nd_session *s)
{
    nd_sessions *sessions = s->sessions;
    if (s->listed || s->closing) return;
    s->listed = true;
    s->listed_turn = sessions->turn;
    s->before = sessions->last_sender;
    s->after = NULL;
    *(s->before ? &s->before->after : &sessions->first_sender) = s;
    sessions->last_sender = s;
}

static void unlist(nd_session *s)
{
    nd_sessions *sessions = s->sessions;
    if (!s->listed) return;
    s->listed = false;
    *(s->before ? &s->before->after : &sessions->first_sender) = s->after;
    *(s->after ? &s->after->before : &sessions->last_sender) = s->before;
}

void nd_session_closed(nd_session *s)
{
    nd_axes_deinit(&s->axes);
    np_reader_deinit(&s->reader);
    nd_output_deinit(&s->output);
    nd_caller_unref(s->caller);
    free(s);
}

void nd_session_close(nd_session *s, const char *reason)
{
    ND_ASSERT_LOOP_THREAD();
    if (s->closing) return;
    nd_transport *t = s->transport;
    (void)t->calls->flush(t, &s->output); // what the peer is told last
    t->calls->end(t, &s->output, reason);
    s->closing = true;
    unlist(s);
    nd_input_leave(s);
    nd_admission_leave(s);
    if (s->greeted || nd_admission_may_log(s->sessions))
        nd_log(ND_LOG_INFO, "session.closed", "id=%" PRIu64 " reason=%s", s->id, reason);
    nd_table_remove(&s->sessions->table, &s->node);
    nd_access_leave(s);
    (void)t->calls->set_reading(t, false);
    s->next_doomed = s->sessions->doomed;
    s->sessions->doomed = s;
}

// --- out ---

bool nd_session_writable(const nd_session *s)
{
    return !s->closing && s->output.bytes + s->reserved < s->sessions->config->output_bytes &&
           s->turn_bytes < TURN_BYTES;
}

static void flush(nd_session *s)
{
    int failed = s->closing ? 0 : s->transport->calls->flush(s->transport, &s->output);
    if (failed) nd_session_close(s, uv_err_name(failed));
}

void nd_session_drained(nd_session *s, int status)
{
    ND_ASSERT_LOOP_THREAD();
    if (s->closing) return;
    if (status < 0)
        nd_session_close(s, uv_err_name(status));
    else
        list(s);
}

void nd_session_flush_soon(nd_session *s)
{
    list(s);
}

static void end_doomed(nd_sessions *all)
{
    for (nd_session *s; (s = all->doomed) != NULL;) {
        all->doomed = s->next_doomed;
        all->calls.on_end(all->user, s);
        s->transport->calls->close(s->transport);
    }
}

bool nd_sessions_end_turn(nd_sessions *sessions)
{
    ND_ASSERT_LOOP_THREAD();
    sessions->turn++;
    for (nd_session *s; (s = sessions->first_sender) != NULL && s->listed_turn != sessions->turn;) {
        unlist(s);
        s->turn_bytes = 0;
        flush(s);
        if (!nd_session_writable(s)) continue;
        s->sessions->calls.on_room(s->sessions->user, s);
        nd_session_go_on(s);
    }
    end_doomed(sessions);
    return sessions->first_sender != NULL;
}

// So many bytes were put into the output.
static void has_put(nd_session *s, size_t bytes, bool full)
{
    s->turn_bytes += bytes;
    s->sent_ms = uv_now(s->sessions->loop);
    s->sessions->stats.bytes_out += bytes;
    s->bytes_out += bytes;
    list(s);
    if (full) flush(s);
}

void nd_session_send(nd_session *s, const void *head, size_t count, nd_blob *blob)
{
    ND_ASSERT_LOOP_THREAD();
    bool full;
    if (s->closing) return;
    if (nd_output_put(&s->output, head, count, blob, &full) == NAV_OK)
        has_put(s, count + (blob ? blob->size : 0), full);
    else
        nd_session_close(s, "memory");
}

void nd_session_send_messages(nd_session *s, nd_blob *blob, size_t from, size_t count)
{
    ND_ASSERT_LOOP_THREAD();
    bool full;
    if (s->closing) return;
    if (nd_output_put_messages(&s->output, blob, from, count, &full) == NAV_OK)
        has_put(s, count, full);
    else
        nd_session_close(s, "memory");
}

void nd_session_reserve(nd_session *s, size_t bytes)
{
    s->reserved += bytes;
}

void nd_session_unreserve(nd_session *s, size_t bytes)
{
    s->reserved -= bytes;
    list(s); // others may have waited for that
}

// --- in ---

void nd_session_count_in(nd_session *s, size_t count)
{
    s->sessions->stats.bytes_in += count;
    s->bytes_in += count;
}

nav_status nd_session_feed(nd_session *s, const void *bytes, size_t count)
{
    return np_reader_feed(&s->reader, bytes, count);
}

static void set_reading(nd_session *s, bool reading)
{
    if (s->reading == reading || s->closing) return;
    s->reading = reading;
    int failed = s->transport->calls->set_reading(s->transport, reading);
    if (failed) nd_session_close(s, uv_err_name(failed));
}

void nd_session_refuse(nd_session *s, nav_status status, const char *words, const char *reason)
{
    ND_ASSERT_LOOP_THREAD();
    np_error e;
    np_error_set(&e, status, "%s; closing the session", words);
    s->sessions->scratch.size = 0;
    if (np_error_encode(&s->sessions->scratch, 0, &e) == NAV_OK)
        nd_session_send(s, s->sessions->scratch.data, s->sessions->scratch.size, NULL);
    nd_session_close(s, reason);
}

// The stream is beyond repair.
static void refuse_stream(nd_session *s, nav_status status, const char *words)
{
    s->sessions->stats.protocol_errors++;
    nd_session_refuse(s, status, words, "protocol");
}

void nd_session_greeted(nd_session *s)
{
    ND_ASSERT_LOOP_THREAD();
    s->greeted = true;
    s->reader.limits = s->sessions->frame_limits;
}

static bool may_handle(const nd_session *s)
{
    return !s->closing && !s->held && !s->sessions->draining && nd_timeouts_may_call(s) &&
           s->output.bytes < s->sessions->config->max_output_bytes;
}

void nd_session_look(nd_session *s)
{
    ND_ASSERT_LOOP_THREAD();
    if (s->in_messages) return;
    s->in_messages = true;
    bool completed = false;
    while (may_handle(s)) {
        const uint8_t *bytes;
        size_t count;
        nav_status status = np_reader_next(&s->reader, &bytes, &count);
        if (status == NAV_ERR_AGAIN) break;
        if (status != NAV_OK) {
            refuse_stream(s, status, s->reader.why);
            break;
        }
        np_error err = {0};
        status = s->sessions->calls.on_message(s->sessions->user, s, bytes, count, &err);
        if (status == NAV_ERR_AGAIN) {
            np_reader_put_back(&s->reader, count);
            break;
        }
        completed = true;
        s->calls_left--;
        if (status != NAV_OK) refuse_stream(s, status, err.message);
    }
    s->in_messages = false;
    np_reader_trim(&s->reader);
    nd_timeouts_received(s, completed);
    nd_input_received(s);
    set_reading(s, may_handle(s));
}

void nd_session_go_on(nd_session *s)
{
    if (!s->closing && !s->reading) nd_session_look(s);
}

void nd_session_hold(nd_session *s)
{
    s->held = true;
}

void nd_session_release(nd_session *s)
{
    s->held = false;
    nd_session_look(s);
}

// --- opening ---

nd_session *nd_session_create(nd_sessions *sessions, nd_transport *t)
{
    ND_ASSERT_LOOP_THREAD();
    nd_session *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->sessions = sessions;
    s->transport = t;
    t->session = s;
    return s;
}

bool nd_session_open(nd_session *s, const char *reason)
{
    ND_ASSERT_LOOP_THREAD();
    nd_sessions *sessions = s->sessions;
    if (!reason) reason = nd_access_enter(s);
    if (!reason && nd_table_reserve(&sessions->table, 1) != NAV_OK) reason = "memory";
    s->id = sessions->next_id++;
    s->caller = nd_caller_create(s->id);
    if (!reason && !s->caller) reason = "memory";
    np_limits limits = sessions->frame_limits;
    if (limits.message_bytes > STRANGERS_BYTES) limits.message_bytes = STRANGERS_BYTES;
    if (!reason && np_reader_init(&s->reader, &limits) != NAV_OK) reason = "limits";
    if (!reason) reason = nd_admission_enter(s);
    if (reason) {
        s->closing = true;
        nd_admission_log_refusal(sessions, reason, s->source_name);
        nd_access_leave(s);
        s->transport->calls->close(s->transport);
        return false;
    }
    s->accepted_ns = nd_now_ns();
    nd_table_insert(&sessions->table, &s->node, nd_hash_u64(s->id));
    nd_timeouts_begin(s);
    sessions->stats.opened++;
    nd_log(ND_LOG_DEBUG, "session.opened", "id=%" PRIu64 " over=%s principal=%s role=%s", s->id,
           nd_door_name(s->transport->door), s->principal.name, np_role_name(s->principal.role));
    set_reading(s, true);
    return true;
}

const char *nd_door_name(nd_door door)
{
    static const char *const names[] = {[ND_DOOR_UNIX] = "unix", [ND_DOOR_TCP] = "tcp", [ND_DOOR_WEB] = "websocket"};
    return names[door];
}

// --- all of them ---

void nd_sessions_init(nd_sessions *all)
{
    all->next_id = 1;
    for (int i = 0; i < ND_LISTENERS; i++) all->listeners[i] = (nd_listener){.sessions = all, .lock = -1};
    nd_timeouts_init(all);
    nd_sessions_reload(all);
}

void nd_sessions_reload(nd_sessions *all)
{
    np_limits_default(&all->frame_limits);
    all->frame_limits.message_bytes = (uint32_t)all->config->max_message_bytes;
    nd_admission_init(&all->admission, all);
}

void nd_sessions_stop_listening(nd_sessions *all)
{
    for (int i = 0; i < ND_LISTENERS; i++) nd_listener_close(&all->listeners[i]);
}

static void close_for(void *user, nd_node *n)
{
    nd_session_close(ND_HOLDER(n, nd_session, node), user);
}

void nd_sessions_close(nd_sessions *all, const char *reason)
{
    ND_ASSERT_LOOP_THREAD();
    nd_sessions_stop_listening(all);
    nd_table_each(&all->table, close_for, (void *)reason);
    end_doomed(all);
    nd_access_close(all);
    nd_timeouts_close(all);
}

void nd_sessions_deinit(nd_sessions *all)
{
    nd_table_deinit(&all->table);
    nd_admission_deinit(&all->admission);
    nd_access_deinit(all);
    nav_buffer_deinit(&all->scratch);
}

nd_session *nd_sessions_find(const nd_sessions *all, uint64_t id)
{
    for (nd_node *n = nd_table_first(&all->table, nd_hash_u64(id)); n; n = nd_table_next(n))
        if (ND_HOLDER(n, nd_session, node)->id == id) return ND_HOLDER(n, nd_session, node);
    return NULL;
}

int nd_sessions_port(const nd_sessions *all)
{
    struct sockaddr_storage a;
    int length = sizeof a;
    const nd_listener *l = &all->listeners[1];
    if (!l->open || l->is_pipe || uv_tcp_getsockname(&l->u.tcp, (struct sockaddr *)&a, &length)) return 0;
    return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
                                         : ((struct sockaddr_in *)&a)->sin_port);
}
