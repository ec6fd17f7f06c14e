#include "daemon/service/web_socket.h"

#include "daemon/base/thread.h"
#include "daemon/session/session.h"

#include <libwebsockets.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

// CLOSE_S: how long the last bytes and the closing handshake may take.
enum { CLOSE_S = 5, REASON_BYTES = 64 };

// Freed when both the connection and the session have let go of it.
struct nd_web_socket {
    nd_transport base;
    struct lws *wsi; // NULL: gone
    unsigned char *frame;
    size_t lent; // bytes of the oldest packet that the library keeps
    bool ending; // the session is gone
    enum lws_close_status code;
    char reason[REASON_BYTES];
};

static nd_web_socket *socket_of(const nd_transport *t)
{
    return (nd_web_socket *)t;
}

// --- out ---

static size_t gather(const nd_web_socket *w, const uv_buf_t *parts, unsigned count)
{
    size_t used = 0;
    for (unsigned i = 0; i < count && used < ND_WEB_FRAME_BYTES; i++) {
        size_t n = parts[i].len < ND_WEB_FRAME_BYTES - used ? parts[i].len : ND_WEB_FRAME_BYTES - used;
        memcpy(w->frame + LWS_PRE + used, parts[i].base, n);
        used += n;
    }
    return used;
}

static int write_frame(const nd_web_socket *w, size_t bytes)
{
    return lws_write(w->wsi, w->frame + LWS_PRE, bytes, LWS_WRITE_BINARY) < (int)bytes ? UV_EPIPE : 0;
}

static int flush(nd_transport *t, nd_output *o)
{
    ND_ASSERT_LOOP_THREAD();
    nd_web_socket *w = socket_of(t);
    if (!w->wsi) return UV_EPIPE;
    while (!o->lent) {
        unsigned count;
        const uv_buf_t *parts = nd_output_oldest(o, &count);
        if (!parts) return 0;
        if (lws_partial_buffered(w->wsi)) { // an answer to a ping, or the handshake's
            lws_callback_on_writable(w->wsi);
            return 0;
        }
        size_t bytes = gather(w, parts, count);
        int failed = write_frame(w, bytes);
        if (failed) return failed;
        if (!lws_partial_buffered(w->wsi)) {
            nd_output_take(o, bytes);
            continue;
        }
        w->lent = bytes;
        o->lent = true;
        lws_callback_on_writable(w->wsi);
    }
    return 0;
}

// With the frame that closes; then it waits for the peer's, at most a few seconds. -1 would end it without one: a debug
// build of the library, as Debian's is, closes twice what a callback wants closed.
static int say_end(nd_web_socket *w)
{
    lws_close_reason(w->wsi, w->code, (unsigned char *)w->reason, strlen(w->reason));
    lws_set_timeout(w->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
    return 0;
}

int nd_web_socket_writable(nd_web_socket *w)
{
    nd_session *s = w->base.session;
    if (w->ending) return say_end(w);
    if (w->lent) {
        s->output.lent = false;
        nd_output_take(&s->output, w->lent);
        w->lent = 0;
    }
    nd_session_drained(s, 0);
    return 0;
}

static void tell(nd_transport *t, const void *bytes, size_t count)
{
    const nd_web_socket *w = socket_of(t);
    if (count > ND_WEB_FRAME_BYTES) return;
    memcpy(w->frame + LWS_PRE, bytes, count);
    (void)write_frame(w, count);
}

static void end(nd_transport *t, nd_output *o, const char *reason)
{
    (void)o;
    snprintf(socket_of(t)->reason, REASON_BYTES, "%s", reason);
}

// --- in ---

int nd_web_socket_received(nd_web_socket *w, const void *bytes, size_t count)
{
    ND_ASSERT_LOOP_THREAD();
    nd_session *s = w->base.session;
    if (!s || s->closing) return 0;
    nd_session_count_in(s, count);
    if (!lws_frame_is_binary(w->wsi)) {
        w->code = LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE;
        nd_session_refuse(s, NAV_ERR_FORMAT, "messages must be binary, this one is text", "protocol");
    } else if (nd_session_feed(s, bytes, count) == NAV_OK) {
        nd_session_look(s);
    } else {
        nd_session_close(s, "memory");
    }
    return 0;
}

static int set_reading(nd_transport *t, bool reading)
{
    nd_web_socket *w = socket_of(t);
    return !w->wsi || lws_rx_flow_control(w->wsi, reading) >= 0 ? 0 : UV_EPIPE;
}

// --- life ---

static void free_unused(nd_web_socket *w)
{
    if (!w->wsi && !w->base.session) free(w);
}

static void close_socket(nd_transport *t)
{
    nd_web_socket *w = socket_of(t);
    nd_session_closed(t->session);
    t->session = NULL;
    w->ending = true;
    if (w->wsi) {
        (void)lws_rx_flow_control(w->wsi, 1); // for the closing handshake
        lws_set_timeout(w->wsi, PENDING_TIMEOUT_USER_REASON_BASE, CLOSE_S);
        lws_callback_on_writable(w->wsi);
    }
    free_unused(w);
}

void nd_web_socket_gone(nd_web_socket *w)
{
    w->wsi = NULL;
    if (w->base.session) nd_session_close(w->base.session, "end");
    free_unused(w);
}

static size_t unsent(const nd_transport *t)
{
    int bytes = 0, fd = t->calls->descriptor(t);
    return fd < 0 || ioctl(fd, SIOCOUTQ, &bytes) ? 0 : (size_t)bytes;
}

static int descriptor(const nd_transport *t)
{
    const nd_web_socket *w = socket_of(t);
    return w->wsi ? lws_get_socket_fd(w->wsi) : -1;
}

static const nd_transport_calls calls = {.flush = flush,
                                         .set_reading = set_reading,
                                         .tell = tell,
                                         .end = end,
                                         .close = close_socket,
                                         .unsent = unsent,
                                         .descriptor = descriptor};

nd_web_socket *nd_web_socket_open(nd_sessions *sessions, struct lws *wsi, unsigned char *frame)
{
    ND_ASSERT_LOOP_THREAD();
    nd_web_socket *w = calloc(1, sizeof *w);
    nd_session *s = w ? nd_session_create(sessions, &w->base) : NULL;
    if (!s) {
        nd_admission_log_refusal(sessions, "memory", "");
        free(w);
        return NULL;
    }
    w->wsi = wsi;
    w->frame = frame;
    w->code = LWS_CLOSE_STATUS_NORMAL;
    snprintf(w->reason, sizeof w->reason, "refused");
    w->base.calls = &calls;
    w->base.door = ND_DOOR_WEB;
    w->base.encrypted = lws_is_ssl(wsi);
    (void)nd_session_open(s, NULL);
    return w;
}
