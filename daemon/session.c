#include "daemon/session.h"

#include "daemon/methods.h"
#include "daemon/subscription.h"
#include "daemon/thread.h"
#include "daemon/waiters.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct output {
    uv_write_t request;
    nd_session *session;
    nd_blob *blob;
    size_t bytes;
    uint8_t head[];
} output;

static void on_closed(uv_handle_t *handle)
{
    nd_session *s = handle->data;
    np_reader_deinit(&s->reader);
    nav_buffer_deinit(&s->upload.bytes);
    free(s);
}

static void cancel_batches(nd_session *s)
{
    for (nd_batch *b = s->server->builder.batches, *next; b; b = next) {
        next = b->next;
        if (b->session != s->id) continue;
        nd_batch_cancel(b);
        if (!nd_batch_is_done(b)) continue; // comes back in on_batch
        nd_builder_remove_batch(&s->server->builder, b);
        nd_batch_destroy(b);
    }
}

void nd_session_close(nd_session *s, const char *reason)
{
    ND_ASSERT_LOOP_THREAD();
    if (s->closing) return;
    s->closing = true;
    nd_log(ND_LOG_INFO, "session.closed", "id=%" PRIu64 " reason=%s", s->id, reason);
    nd_table_remove(&s->server->sessions, &s->node);
    s->server->upload_bytes -= s->upload.bytes.size;
    while (s->subscriptions) nd_subscription_destroy(s->subscriptions);
    nd_waiters_remove_session(&s->server->builder, s);
    cancel_batches(s);
    uv_close(&s->u.handle, on_closed);
}

// --- out ---

bool nd_session_writable(const nd_session *s)
{
    return !s->closing && s->queued_bytes < s->server->config.output_bytes;
}

static void handle_messages(nd_session *s);

static void drained(nd_session *s)
{
    for (nd_subscription *sub = s->subscriptions; sub; sub = sub->next_of_session) {
        nd_subscription_flush(sub, NULL, NULL);
        if (!nd_session_writable(s)) break; // or closed, and the subscriptions are gone
    }
    if (!s->closing) nd_waiters_check_session(&s->server->builder, s);
    if (!s->closing && !s->reading) handle_messages(s);
}

static void on_written(uv_write_t *request, int status)
{
    output *o = (output *)request;
    nd_session *s = o->session;
    s->queued_bytes -= o->bytes;
    nd_blob_unref(o->blob);
    free(o);
    if (s->closing) return;
    if (status < 0)
        nd_session_close(s, uv_err_name(status));
    else if (nd_session_writable(s))
        drained(s);
}

void nd_session_send(nd_session *s, const void *head, size_t count, nd_blob *blob)
{
    ND_ASSERT_LOOP_THREAD();
    if (s->closing) return;
    output *o = malloc(sizeof *o + count);
    if (!o) {
        nd_session_close(s, "memory");
        return;
    }
    memcpy(o->head, head, count);
    o->session = s;
    o->blob = blob ? nd_blob_ref(blob) : NULL;
    size_t message_bytes = count + (blob ? blob->size : 0);
    o->bytes = sizeof *o + message_bytes; // what holds a short answer is larger than the answer
    uv_buf_t parts[2] = {uv_buf_init((char *)o->head, (unsigned)count)};
    if (blob) parts[1] = uv_buf_init((char *)blob->data, (unsigned)blob->size);
    s->queued_bytes += o->bytes;
    s->server->stats.bytes_out += message_bytes;
    int failed = uv_write(&o->request, &s->u.stream, parts, blob ? 2 : 1, on_written);
    if (failed) {
        s->queued_bytes -= o->bytes;
        nd_blob_unref(o->blob);
        free(o);
        nd_session_close(s, uv_err_name(failed));
    }
}

// --- in ---

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    nd_session *s = handle->data;
    (void)suggested;
    *buf = uv_buf_init(s->server->read_buffer, sizeof s->server->read_buffer);
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buf)
{
    nd_session *s = stream->data;
    if (count < 0) {
        nd_session_close(s, count == UV_EOF ? "end" : uv_err_name((int)count));
        return;
    }
    s->server->stats.bytes_in += (uint64_t)count;
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

// The stream is beyond repair: says so, with id 0 as no call can be named, and closes.
static void refuse_stream(nd_session *s, nav_status status, const char *words)
{
    np_error e;
    np_error_set(&e, status, "%s; the session ends", words);
    s->server->stats.protocol_errors++;
    s->server->scratch.size = 0;
    if (np_error_encode(&s->server->scratch, 0, &e) == NAV_OK)
        nd_session_send(s, s->server->scratch.data, s->server->scratch.size, NULL);
    nd_session_close(s, "protocol");
}

static bool may_handle(const nd_session *s)
{
    return !s->closing && !s->held && s->queued_bytes < s->server->config.max_output_bytes;
}

static void handle_messages(nd_session *s)
{
    if (s->in_messages) return;
    s->in_messages = true;
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
        status = nd_methods_handle(s, bytes, count, &err);
        if (status != NAV_OK) refuse_stream(s, status, err.message);
    }
    s->in_messages = false;
    set_reading(s, may_handle(s));
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
    return l->is_pipe ? uv_pipe_init(s->server->loop, &s->u.pipe, 0) : uv_tcp_init(s->server->loop, &s->u.tcp);
}

static void on_refused(uv_handle_t *handle)
{
    free(handle->data);
}

void nd_session_accept(nd_listener *l)
{
    ND_ASSERT_LOOP_THREAD();
    nd_server *server = l->server;
    nd_session *s = calloc(1, sizeof *s);
    if (!s) {
        nd_log(ND_LOG_ERROR, "session.refused", "reason=memory");
        return;
    }
    s->server = server;
    int failed = init_stream(s, l);
    if (failed) {
        free(s);
        nd_log(ND_LOG_ERROR, "session.refused", "reason=%s", uv_err_name(failed));
        return;
    }
    s->u.handle.data = s;
    failed = uv_accept(&l->u.stream, &s->u.stream);
    const char *reason = failed ? uv_err_name(failed) : NULL;
    if (!reason && server->sessions.count >= server->config.max_sessions) reason = "max_sessions";
    if (!reason && nd_table_reserve(&server->sessions, 1) != NAV_OK) reason = "memory";
    if (!reason && np_reader_init(&s->reader, &server->frame_limits) != NAV_OK) reason = "limits";
    if (reason) {
        nd_log(ND_LOG_WARN, "session.refused", "reason=%s", reason);
        uv_close(&s->u.handle, on_refused);
        return;
    }
    if (!l->is_pipe) uv_tcp_nodelay(&s->u.tcp, 1);
    s->id = server->next_session++;
    nd_table_insert(&server->sessions, &s->node, nd_hash_u64(s->id));
    server->stats.sessions_opened++;
    nd_log(ND_LOG_INFO, "session.opened", "id=%" PRIu64 " over=%s", s->id, l->is_pipe ? "unix" : "tcp");
    set_reading(s, true);
}
