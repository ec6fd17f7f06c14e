#include "daemon/session/session.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/session/timeouts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TLS_HANDSHAKE = 0x16, TURN_BYTES = 512 * 1024 }; // of one session in one turn of the loop
enum { STRANGERS_BYTES = 64 * 1024 };                   // of a message before hello

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

static void on_closed(uv_handle_t *handle)
{
    nd_session *s = handle->data;
    nd_axes_deinit(&s->axes);
    np_reader_deinit(&s->reader);
    nd_output_deinit(&s->output);
    nd_tls_destroy(s->tls);
    nd_caller_unref(s->caller);
    free(s);
}

void nd_session_close(nd_session *s, const char *reason)
{
    ND_ASSERT_LOOP_THREAD();
    if (s->closing) return;
    (void)nd_output_flush(&s->output, &s->u.stream); // what the peer is told last
    if (s->tls) {
        nd_tls_end(s->tls);
        (void)nd_output_flush(&s->output, &s->u.stream);
    }
    s->closing = true;
    unlist(s);
    nd_input_leave(s);
    nd_admission_leave(s);
    if (s->greeted || nd_admission_may_log(s->sessions))
        nd_log(ND_LOG_INFO, "session.closed", "id=%" PRIu64 " reason=%s", s->id, reason);
    nd_table_remove(&s->sessions->table, &s->node);
    nd_access_leave(s);
    uv_read_stop(&s->u.stream);
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
    int failed = s->closing ? 0 : nd_output_flush(&s->output, &s->u.stream);
    if (failed) nd_session_close(s, uv_err_name(failed));
}

static void on_written(nd_output *o, int status)
{
    nd_session *s = ND_HOLDER(o, nd_session, output);
    if (s->closing) return;
    if (status < 0)
        nd_session_close(s, uv_err_name(status));
    else
        list(s);
}

static void end_doomed(nd_sessions *all)
{
    for (nd_session *s; (s = all->doomed) != NULL;) {
        all->doomed = s->next_doomed;
        all->calls.on_end(all->user, s);
        uv_close(&s->u.handle, on_closed);
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

static void handle_messages(nd_session *s);

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    nd_session *s = handle->data;
    (void)suggested;
    *buf = uv_buf_init(s->sessions->read_buffer, sizeof s->sessions->read_buffer);
}

static void fail_tls(nd_session *s)
{
    const char *why = nd_tls_why(s->tls);
    if (!nd_tls_is_ready(s->tls)) s->sessions->access.failed_handshakes++;
    if (s->greeted || nd_admission_may_log(s->sessions))
        nd_log(ND_LOG_INFO, "tls.failed", "session=%" PRIu64 " source=%s why=%s", s->id, s->source_name,
               nd_log_quote(why, strlen(why)).text);
    nd_session_close(s, "tls"); // with the alert that says why
}

// The handshake is done with these bytes: the certificate may say who it is.
static bool handshaken(nd_session *s)
{
    char why[200];
    nav_status status = nd_access_handshaken(s, why, sizeof why);
    if (status == NAV_OK) return true;
    nd_session_refuse(s, status, why, "auth");
    return false;
}

// The first byte is none of TLS: a client that speaks plainly is told so, plainly.
static void refuse_plain(nd_session *s)
{
    s->sessions->access.failed_handshakes++;
    if (nd_admission_may_log(s->sessions))
        nd_log(ND_LOG_INFO, "tls.failed", "session=%" PRIu64 " source=%s why=\"the client does not speak TLS\"", s->id,
               s->source_name);
    nd_tls_destroy(s->tls);
    s->tls = s->output.tls = NULL;
    nd_session_refuse(s, NAV_ERR_FORMAT, "this address requires TLS: connect to tls://HOST:PORT", "tls");
}

// What came in goes through TLS; the messages in it are handled when all of it is read, as without.
static void receive_tls(nd_session *s, const char *bytes, size_t count)
{
    char *plain = s->sessions->read_buffer; // the bytes are in TLS's hands by then
    size_t size;
    bool was_ready = nd_tls_is_ready(s->tls);
    if (!s->heard && (uint8_t)bytes[0] != TLS_HANDSHAKE) {
        refuse_plain(s);
        return;
    }
    s->heard = true;
    nav_status status = nd_tls_feed(s->tls, bytes, count);
    while (status == NAV_OK) {
        status = nd_tls_read(s->tls, plain, ND_READ_BYTES, &size);
        if (status == NAV_OK) status = np_reader_feed(&s->reader, plain, size);
        if (status != NAV_ERR_MEMORY && !was_ready && nd_tls_is_ready(s->tls)) {
            was_ready = true;
            if (!handshaken(s)) return;
        }
    }
    if (nd_tls_output_size(s->tls)) list(s);
    if (status == NAV_ERR_FORMAT) {
        fail_tls(s);
        return;
    }
    if (status == NAV_ERR_MEMORY) {
        nd_session_close(s, "memory");
        return;
    }
    handle_messages(s);
    if (status == NAV_ERR_CLOSED) nd_session_close(s, "end");
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buf)
{
    nd_session *s = stream->data;
    if (count < 0) {
        nd_session_close(s, count == UV_EOF ? "end" : uv_err_name((int)count));
        return;
    }
    if (!count) return; // there was nothing to read after all
    s->sessions->stats.bytes_in += (uint64_t)count;
    s->bytes_in += (uint64_t)count;
    if (s->tls) {
        receive_tls(s, buf->base, (size_t)count);
        return;
    }
    nav_status status = np_reader_feed(&s->reader, buf->base, (size_t)count);
    if (status == NAV_ERR_MEMORY)
        nd_session_close(s, "memory");
    else
        handle_messages(s);
}

static void set_reading(nd_session *s, bool reading)
{
    if (s->reading == reading || s->closing) return;
    s->reading = reading;
    if (!reading) {
        uv_read_stop(&s->u.stream);
        return;
    }
    int failed = uv_read_start(&s->u.stream, on_alloc, on_read);
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

static void handle_messages(nd_session *s)
{
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
    if (!s->closing && !s->reading) handle_messages(s);
}

void nd_session_hold(nd_session *s)
{
    s->held = true;
}

void nd_session_release(nd_session *s)
{
    s->held = false;
    handle_messages(s);
}

// --- accepting ---

static int init_stream(nd_session *s, const nd_listener *l)
{
    return l->is_pipe ? uv_pipe_init(s->sessions->loop, &s->u.pipe, 0) : uv_tcp_init(s->sessions->loop, &s->u.tcp);
}

static void on_refused(uv_handle_t *handle)
{
    nd_session *s = handle->data;
    nd_tls_destroy(s->tls);
    nd_caller_unref(s->caller);
    free(s);
}

void nd_session_accept(nd_listener *l)
{
    ND_ASSERT_LOOP_THREAD();
    nd_sessions *sessions = l->sessions;
    nd_session *s = calloc(1, sizeof *s);
    if (s) s->sessions = sessions;
    l->owes = !s || init_stream(s, l);
    if (l->owes) {
        free(s);
        nd_log(ND_LOG_ERROR, "session.refused", "reason=memory");
        nd_timeouts_watch(sessions);
        return;
    }
    s->is_pipe = l->is_pipe;
    s->u.handle.data = s;
    int failed = uv_accept(&l->u.stream, &s->u.stream);
    const char *reason = failed ? uv_err_name(failed) : NULL;
    if (!reason) reason = nd_access_enter(s, l);
    if (!reason && nd_table_reserve(&sessions->table, 1) != NAV_OK) reason = "memory";
    s->id = sessions->next_id++;
    s->caller = nd_caller_create(s->id);
    if (!reason && !s->caller) reason = "memory";
    np_limits limits = sessions->frame_limits;
    if (limits.message_bytes > STRANGERS_BYTES) limits.message_bytes = STRANGERS_BYTES;
    if (!reason && np_reader_init(&s->reader, &limits) != NAV_OK) reason = "limits";
    if (!reason) reason = nd_admission_enter(s);
    if (reason) {
        nd_admission_log_refusal(sessions, reason, s->source_name);
        nd_access_leave(s);
        uv_close(&s->u.handle, on_refused);
        return;
    }
    if (!l->is_pipe) uv_tcp_nodelay(&s->u.tcp, 1);
    nd_output_init(&s->output, on_written);
    s->output.tls = s->tls;
    s->accepted_ns = nd_now_ns();
    nd_table_insert(&sessions->table, &s->node, nd_hash_u64(s->id));
    nd_timeouts_begin(s);
    sessions->stats.opened++;
    nd_log(ND_LOG_DEBUG, "session.opened", "id=%" PRIu64 " over=%s principal=%s role=%s", s->id,
           l->is_pipe ? "unix" : "tcp", s->principal.name, np_role_name(s->principal.role));
    set_reading(s, true);
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
