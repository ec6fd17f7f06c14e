#include "daemon/session/socket.h"

#include "daemon/base/thread.h"
#include "daemon/session/session.h"
#include "daemon/session/timeouts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TLS_HANDSHAKE = 0x16, RECORD_BYTES = 16384 };

typedef struct socket_transport {
    nd_transport base;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    } u;
    nd_tls *tls;        // NULL: plain
    bool heard;         // TLS only: something has come
    uv_write_t request; // of the packet that is lent
} socket_transport;

static socket_transport *socket_of(const nd_transport *t)
{
    return (socket_transport *)t;
}

// --- out ---

static void on_written(uv_write_t *request, int status)
{
    socket_transport *k = request->data;
    nd_session *s = k->base.session;
    unsigned count;
    size_t bytes = 0;
    const uv_buf_t *parts = nd_output_oldest(&s->output, &count);
    for (unsigned i = 0; i < count; i++) bytes += parts[i].len;
    s->output.lent = false;
    nd_output_take(&s->output, bytes);
    if (status != UV_ECANCELED) nd_session_drained(s, status);
}

// Through TLS in whole records, as each costs a tag and a call.
static nav_status encrypt(nd_tls *tls, const uv_buf_t *parts, unsigned count)
{
    char record[RECORD_BYTES];
    size_t used = 0;
    for (unsigned i = 0; i < count; i++) {
        const char *from = parts[i].base;
        for (size_t left = parts[i].len; left;) {
            size_t n = left < RECORD_BYTES - used ? left : RECORD_BYTES - used;
            memcpy(record + used, from, n);
            used += n;
            from += n;
            left -= n;
            nav_status s = used == RECORD_BYTES ? nd_tls_write(tls, record, used) : NAV_OK;
            if (s != NAV_OK) return s;
            if (used == RECORD_BYTES) used = 0;
        }
    }
    return nd_tls_write(tls, record, used);
}

// The oldest packet becomes a sealed one, or what TLS says by itself becomes one before it. Before the handshake is
// done nothing else leaves.
static nav_status seal_oldest(nd_tls *tls, nd_output *o)
{
    unsigned count;
    if (nd_output_is_sealed(o)) return NAV_OK;
    const uv_buf_t *parts = nd_output_oldest(o, &count);
    bool encrypted = parts && nd_tls_is_ready(tls);
    nav_status s = encrypted ? encrypt(tls, parts, count) : NAV_OK;
    size_t size = nd_tls_output_size(tls);
    if (s != NAV_OK) return s;
    if (!size) return NAV_ERR_AGAIN;
    uint8_t *sealed = nd_output_seal(o, size, encrypted);
    if (!sealed) return NAV_ERR_MEMORY;
    (void)nd_tls_output(tls, sealed, size);
    return NAV_OK;
}

static int flush(nd_transport *t, nd_output *o)
{
    ND_ASSERT_LOOP_THREAD();
    socket_transport *k = socket_of(t);
    while (!o->lent) {
        unsigned count;
        nav_status sealed = k->tls ? seal_oldest(k->tls, o) : NAV_OK;
        if (sealed == NAV_ERR_AGAIN) return 0;
        if (sealed != NAV_OK) return sealed == NAV_ERR_MEMORY ? UV_ENOMEM : UV_EPROTO;
        const uv_buf_t *parts = nd_output_oldest(o, &count);
        if (!parts) return 0;
        int taken = uv_try_write(&k->u.stream, parts, count);
        if (taken < 0 && taken != UV_EAGAIN) return taken;
        const nd_packet *before = o->first;
        if (taken > 0) nd_output_take(o, (size_t)taken);
        if (o->first != before) continue; // all of it
        parts = nd_output_oldest(o, &count);
        k->request.data = k;
        int failed = uv_write(&k->request, &k->u.stream, parts, count, on_written);
        if (failed) return failed;
        o->lent = true;
    }
    return 0;
}

static void tell(nd_transport *t, const void *bytes, size_t count)
{
    socket_transport *k = socket_of(t);
    if (k->tls) return; // a handshake would have to come first
    uv_buf_t buf = uv_buf_init((char *)bytes, (unsigned)count);
    (void)uv_try_write(&k->u.stream, &buf, 1); // it is new and takes it
}

static void end(nd_transport *t, nd_output *o, const char *reason)
{
    socket_transport *k = socket_of(t);
    (void)reason;
    if (!k->tls) return;
    nd_tls_end(k->tls);
    (void)flush(t, o);
}

// --- in ---

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf)
{
    socket_transport *k = handle->data;
    nd_sessions *sessions = k->base.session->sessions;
    (void)suggested;
    *buf = uv_buf_init(sessions->read_buffer, sizeof sessions->read_buffer);
}

static void fail_tls(socket_transport *k)
{
    nd_session *s = k->base.session;
    const char *why = nd_tls_why(k->tls);
    if (!nd_tls_is_ready(k->tls)) s->sessions->access.failed_handshakes++;
    if (s->greeted || nd_admission_may_log(s->sessions))
        nd_log(ND_LOG_INFO, "tls.failed", "session=%" PRIu64 " source=%s why=%s", s->id, s->source_name,
               nd_log_quote(why, strlen(why)).text);
    nd_session_close(s, "tls"); // with the alert that says why
}

// The handshake is done with these bytes: the certificate may say who it is.
static bool handshaken(socket_transport *k)
{
    char why[200];
    nav_status status = nd_access_handshaken(k->base.session, nd_tls_peer_name(k->tls), why, sizeof why);
    if (status == NAV_OK) return true;
    nd_session_refuse(k->base.session, status, why, "auth");
    return false;
}

// The first byte is none of TLS: a client that speaks plainly is told so, plainly.
static void refuse_plain(socket_transport *k)
{
    nd_session *s = k->base.session;
    s->sessions->access.failed_handshakes++;
    if (nd_admission_may_log(s->sessions))
        nd_log(ND_LOG_INFO, "tls.failed", "session=%" PRIu64 " source=%s why=\"the client does not speak TLS\"", s->id,
               s->source_name);
    nd_tls_destroy(k->tls);
    k->tls = NULL;
    nd_session_refuse(s, NAV_ERR_FORMAT, "this address requires TLS: connect to tls://HOST:PORT", "tls");
}

// What came in goes through TLS; the messages in it are handled when all of it is read, as without.
static void receive_tls(socket_transport *k, const char *bytes, size_t count)
{
    nd_session *s = k->base.session;
    char *plain = s->sessions->read_buffer; // the bytes are in TLS's hands by then
    size_t size;
    bool was_ready = nd_tls_is_ready(k->tls);
    if (!k->heard && (uint8_t)bytes[0] != TLS_HANDSHAKE) {
        refuse_plain(k);
        return;
    }
    k->heard = true;
    nav_status status = nd_tls_feed(k->tls, bytes, count);
    while (status == NAV_OK) {
        status = nd_tls_read(k->tls, plain, ND_READ_BYTES, &size);
        if (status == NAV_OK) status = nd_session_feed(s, plain, size);
        if (status != NAV_ERR_MEMORY && !was_ready && nd_tls_is_ready(k->tls)) {
            was_ready = true;
            if (!handshaken(k)) return;
        }
    }
    if (nd_tls_output_size(k->tls)) nd_session_flush_soon(s);
    if (status == NAV_ERR_FORMAT) {
        fail_tls(k);
        return;
    }
    if (status == NAV_ERR_MEMORY) {
        nd_session_close(s, "memory");
        return;
    }
    nd_session_look(s);
    if (status == NAV_ERR_CLOSED) nd_session_close(s, "end");
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buf)
{
    socket_transport *k = stream->data;
    nd_session *s = k->base.session;
    if (count < 0) {
        nd_session_close(s, count == UV_EOF ? "end" : uv_err_name((int)count));
        return;
    }
    if (!count) return; // there was nothing to read after all
    nd_session_count_in(s, (size_t)count);
    if (k->tls)
        receive_tls(k, buf->base, (size_t)count);
    else if (nd_session_feed(s, buf->base, (size_t)count) == NAV_OK)
        nd_session_look(s);
    else
        nd_session_close(s, "memory");
}

static int set_reading(nd_transport *t, bool reading)
{
    uv_stream_t *stream = &socket_of(t)->u.stream;
    return reading ? uv_read_start(stream, on_alloc, on_read) : uv_read_stop(stream);
}

// --- life ---

static void on_closed(uv_handle_t *handle)
{
    socket_transport *k = handle->data;
    nd_session_closed(k->base.session);
    nd_tls_destroy(k->tls);
    free(k);
}

static void close_socket(nd_transport *t)
{
    uv_close(&socket_of(t)->u.handle, on_closed);
}

static size_t unsent(const nd_transport *t)
{
    return uv_stream_get_write_queue_size(&socket_of(t)->u.stream);
}

static int descriptor(const nd_transport *t)
{
    uv_os_fd_t fd;
    return uv_fileno(&socket_of(t)->u.handle, &fd) ? -1 : fd;
}

static const nd_transport_calls calls = {.flush = flush,
                                         .set_reading = set_reading,
                                         .tell = tell,
                                         .end = end,
                                         .close = close_socket,
                                         .unsent = unsent,
                                         .descriptor = descriptor};

static int init_stream(socket_transport *k, const nd_listener *l)
{
    k->u.handle.data = k;
    return l->is_pipe ? uv_pipe_init(l->sessions->loop, &k->u.pipe, 0) : uv_tcp_init(l->sessions->loop, &k->u.tcp);
}

void nd_socket_accept(nd_listener *l)
{
    ND_ASSERT_LOOP_THREAD();
    nd_sessions *sessions = l->sessions;
    socket_transport *k = calloc(1, sizeof *k);
    nd_session *s = k ? nd_session_create(sessions, &k->base) : NULL;
    l->owes = !s || init_stream(k, l);
    if (l->owes) {
        free(s);
        free(k);
        nd_log(ND_LOG_ERROR, "session.refused", "reason=memory");
        nd_timeouts_watch(sessions);
        return;
    }
    k->base.calls = &calls;
    k->base.door = l->is_pipe ? ND_DOOR_UNIX : ND_DOOR_TCP;
    int failed = uv_accept(&l->u.stream, &k->u.stream);
    const char *reason = failed ? uv_err_name(failed) : NULL;
    if (!reason && !l->is_pipe && sessions->access.tls) {
        k->base.encrypted = true;
        if (nd_tls_create(sessions->access.tls, &k->tls) != NAV_OK) reason = "memory";
    }
    if (!l->is_pipe) uv_tcp_nodelay(&k->u.tcp, 1);
    nd_session_open(s, reason);
}
