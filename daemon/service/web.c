#include "daemon/service/web.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/service/web_socket.h"

#include <libwebsockets.h>
#include <netdb.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

// MAX_CONNECTIONS: fewer come in one turn of the loop than there may be, so none gives way before it was read.
enum { MAX_CONNECTIONS = 64, HEADER_BYTES = 4096, PATIENCE_S = 10, BACKLOG = 32 };
enum { LINES = 5, LINES_NS = 1000000000 }; // of the library, in the log
enum { HEAD_BYTES = 1536, RECEIVE_BYTES = 16 * 1024 };

struct nd_web {
    nd_sessions *sessions; // borrowed
    nd_web_calls calls;
    struct lws_context *context;
    struct lws_vhost *vhost;
    uv_tcp_t listener;
    struct lws *open[MAX_CONNECTIONS]; // those that are no WebSockets; the oldest first
    unsigned open_count, vhost_count, socket_count, most_sockets;
    bool has_listener, is_bound, listening; // what of it has succeeded
    bool open_to_others;
    unsigned char frame[LWS_PRE + ND_WEB_FRAME_BYTES]; // what is written next
};

// What the library keeps for a connection.
typedef struct connection {
    nd_web_answer answer;
    size_t sent;
    bool is_head;
    nd_web_socket *socket; // NULL: it is none
} connection;

// --- answers ---

nav_status nd_web_say(nd_web_answer *a, const char *text)
{
    return nav_buffer_append(&a->text, text, strlen(text));
}

bool nd_web_header_of(struct lws *wsi, int token, char *out, size_t room)
{
    out[0] = 0;
    return lws_hdr_total_length(wsi, (enum lws_token_indexes)token) <= 0 ||
           lws_hdr_copy(wsi, out, (int)room, (enum lws_token_indexes)token) >= 0;
}

void nd_web_source(struct lws *wsi, char out[ND_SOURCE_BYTES])
{
    struct sockaddr_storage peer;
    socklen_t bytes = sizeof peer;
    if (getpeername(lws_get_socket_fd(wsi), (struct sockaddr *)&peer, &bytes)) peer.ss_family = AF_UNSPEC;
    nd_source_name((struct sockaddr *)&peer, out);
}

static bool add_header(struct lws *wsi, const nd_web_header *h, unsigned char **at, unsigned char *end)
{
    return !lws_add_http_header_by_name(wsi, (const unsigned char *)h->name, (const unsigned char *)h->value,
                                        (int)strlen(h->value), at, end);
}

static bool add_headers(const nd_web *w, struct lws *wsi, const nd_web_answer *a, unsigned char **at,
                        unsigned char *end)
{
    // The library takes 0 bytes for "unknown", and a status without a body has no length.
    if (a->type ? lws_add_http_common_headers(wsi, a->status, a->type, a->size, at, end)
                : lws_add_http_header_status(wsi, a->status, at, end))
        return false;
    for (const nd_web_header *h = w->calls.headers; h && h->name; h++)
        if (!add_header(wsi, h, at, end)) return false;
    for (size_t i = 0; i < sizeof a->more / sizeof *a->more && a->more[i].name; i++)
        if (!add_header(wsi, &a->more[i], at, end)) return false;
    return true;
}

// -1: the connection is to be closed.
static int write_head(const nd_web *w, struct lws *wsi, const connection *c)
{
    unsigned char head[LWS_PRE + HEAD_BYTES], *at = head + LWS_PRE, *end = head + sizeof head - 1;
    if (!add_headers(w, wsi, &c->answer, &at, end) || lws_finalize_write_http_header(wsi, head + LWS_PRE, &at, end))
        return -1;
    if (c->is_head || !c->answer.size) return lws_http_transaction_completed(wsi) ? -1 : 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int begin_answer(const nd_web *w, struct lws *wsi, connection *c, const char *path)
{
    nd_web_answer *a = &c->answer;
    c->is_head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    if (!c->is_head && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) {
        (void)lws_return_http_status(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, NULL);
        return -1;
    }
    nav_buffer kept = a->text;
    kept.size = 0;
    *a = (nd_web_answer){.text = kept};
    c->sent = 0;
    uint64_t delay_ms = w->calls.answer(w->calls.user, wsi, path, a);
    if (!a->body) {
        a->body = a->text.data;
        a->size = a->text.size;
    }
    if (!delay_ms) return write_head(w, wsi, c);
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, (int)(delay_ms / 1000) + PATIENCE_S);
    lws_set_timer_usecs(wsi, (lws_usec_t)delay_ms * 1000);
    return 0;
}

static int write_body(nd_web *w, struct lws *wsi, connection *c)
{
    const nd_web_answer *a = &c->answer;
    size_t left = a->size - c->sent, bytes = left < ND_WEB_FRAME_BYTES ? left : ND_WEB_FRAME_BYTES;
    if (!bytes) return 0;
    memcpy(w->frame + LWS_PRE, a->body + c->sent, bytes);
    c->sent += bytes;
    bool last = c->sent == a->size;
    // What the socket does not take at once the library keeps.
    int written = lws_write(wsi, w->frame + LWS_PRE, bytes, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP);
    if (written < (int)bytes) return -1;
    if (last) return lws_http_transaction_completed(wsi) ? -1 : 0;
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, PATIENCE_S);
    lws_callback_on_writable(wsi);
    return 0;
}

// --- WebSockets ---

// Of a list of words with commas.
static bool names(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; *at;) {
        at += strspn(at, " \t,");
        size_t n = strcspn(at, " \t,");
        if (n == length && !memcmp(at, word, n)) return true;
        at += n;
    }
    return false;
}

// 0, or the HTTP status that refuses it.
static unsigned check_upgrade(const nd_web *w, struct lws *wsi, const char *to, const char **why)
{
    char path[256], protocols[256];
    *why = "there is no WebSocket here";
    if (!w->calls.may_open || strcasecmp(to, "websocket") != 0) return HTTP_STATUS_BAD_REQUEST;
    if (!nd_web_header_of(wsi, WSI_TOKEN_GET_URI, path, sizeof path)) return HTTP_STATUS_NOT_FOUND;
    unsigned status = w->calls.may_open(w->calls.user, wsi, path, why);
    if (status) return status;
    if (!nd_web_header_of(wsi, WSI_TOKEN_PROTOCOL, protocols, sizeof protocols) || !names(protocols, "navd")) {
        *why = "the WebSocket's subprotocol must be navd";
        return HTTP_STATUS_BAD_REQUEST;
    }
    if (w->socket_count < w->most_sockets) return 0;
    *why = "there are too many WebSockets (--max-sessions, and never more than 1024): close some, or try again later";
    return HTTP_STATUS_SERVICE_UNAVAILABLE;
}

static int confirm_upgrade(const nd_web *w, struct lws *wsi, const char *to)
{
    const char *why;
    unsigned status = check_upgrade(w, wsi, to, &why);
    if (!status) return 0;
    (void)lws_return_http_status(wsi, status, why);
    return -1;
}

static void forget(nd_web *w, const struct lws *wsi)
{
    for (unsigned i = 0; i < w->open_count; i++) {
        if (w->open[i] != wsi) continue;
        memmove(&w->open[i], &w->open[i + 1], (--w->open_count - i) * sizeof *w->open);
        return;
    }
}

static int begin_socket(nd_web *w, struct lws *wsi, connection *c)
{
    forget(w, wsi);
    c->socket = nd_web_socket_open(w->sessions, wsi, w->frame);
    if (!c->socket) return -1;
    w->socket_count++;
    return 0;
}

static void end_socket(nd_web *w, connection *c)
{
    if (!c->socket) return;
    nd_web_socket_gone(c->socket);
    c->socket = NULL;
    w->socket_count--;
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t count)
{
    nd_web *w = lws_context_user(lws_get_context(wsi));
    connection *c = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return begin_answer(w, wsi, c, in);
    case LWS_CALLBACK_TIMER: // a wrong token has waited for its answer
        return write_head(w, wsi, c);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return write_body(w, wsi, c);
    case LWS_CALLBACK_HTTP_BIND_PROTOCOL:
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: // whatever the case of its words, and h2c too
        return confirm_upgrade(w, wsi, in);
    case LWS_CALLBACK_ESTABLISHED:
        return begin_socket(w, wsi, c);
    case LWS_CALLBACK_RECEIVE:
        return c->socket ? nd_web_socket_received(c->socket, in, count) : -1;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return c->socket ? nd_web_socket_writable(c->socket) : -1;
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_CLOSED:
        if (!c) return 0;
        nav_buffer_deinit(&c->answer.text);
        end_socket(w, c);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        forget(w, wsi);
        return 0;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, count);
    }
}

// --- connections ---

static void on_refused(uv_handle_t *handle)
{
    free(handle);
}

// Who holds many connections and asks for nothing keeps nobody out: the oldest gives way.
static void make_room(nd_web *w)
{
    if (w->open_count < MAX_CONNECTIONS) return;
    struct lws *oldest = w->open[0];
    forget(w, oldest); // it may end later
    lws_set_timeout(oldest, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
}

static void on_connection(uv_stream_t *stream, int status)
{
    nd_web *w = stream->data;
    uv_os_fd_t fd;
    uv_tcp_t *incoming = status < 0 ? NULL : malloc(sizeof *incoming);
    if (!incoming) return;
    if (uv_tcp_init(w->sessions->loop, incoming)) {
        free(incoming);
        return;
    }
    if (!uv_accept(stream, (uv_stream_t *)incoming) && !uv_fileno((uv_handle_t *)incoming, &fd)) {
        make_room(w);
        int own = dup(fd); // the library closes its own, also where it fails
        struct lws *wsi = own >= 0 ? lws_adopt_socket_vhost(w->vhost, own) : NULL;
        if (wsi) w->open[w->open_count++] = wsi;
    }
    uv_close((uv_handle_t *)incoming, on_refused);
}

// The library complains of what strangers send: a few lines a second tell enough.
static void log_line(int level, const char *line)
{
    static _Thread_local uint64_t began_ns;
    static _Thread_local unsigned logged;
    uint64_t now = nd_now_ns();
    if (now - began_ns >= LINES_NS) {
        began_ns = now;
        logged = 0;
    }
    if (level == LLL_ERR && logged++ >= LINES) return;
    nd_log(level == LLL_ERR ? ND_LOG_WARN : ND_LOG_DEBUG, "http.library", "says=%s",
           nd_log_quote(line, strcspn(line, "\n")).text);
}

// The certificate belongs to the library's "virtual host"; a new one needs a new host.
static nav_status create_vhost(nd_web *w)
{
    static const struct lws_protocols protocols[] = {{.name = "navd",
                                                      .callback = on_event,
                                                      .per_session_data_size = sizeof(connection),
                                                      .rx_buffer_size = RECEIVE_BYTES},
                                                     {.name = NULL}};
    char name[32];
    snprintf(name, sizeof name, "navd-%u", ++w->vhost_count);
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .protocols = protocols,
        .vhost_name = name,
        .server_string = "navd",
        .alpn = "http/1.1",
        .timeout_secs = PATIENCE_S,
        .keepalive_timeout = PATIENCE_S,
    };
    if (w->open_to_others) {
        info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = w->sessions->config->tls_certificate;
        info.ssl_private_key_filepath = w->sessions->config->tls_key;
        info.ssl_options_set = (long)(SSL_OP_NO_SSL_MASK & ~SSL_OP_NO_TLSv1_3);
    }
    struct lws_vhost *made = lws_create_vhost(w->context, &info);
    if (!made) return NAV_ERR_IO;
    if (w->vhost) lws_vhost_destroy(w->vhost);
    w->vhost = made;
    return NAV_OK;
}

static nav_status create_context(nd_web *w)
{
    void *loops[] = {w->sessions->loop};
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
        .foreign_loops = loops,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .user = w,
        .fd_limit_per_thread = 4 * MAX_CONNECTIONS + w->most_sockets, // those that gave way end a turn later
        .max_http_header_pool = MAX_CONNECTIONS,
        .max_http_header_data = HEADER_BYTES,
        .pt_serv_buf_size = RECEIVE_BYTES,
    };
    if (w->open_to_others) info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    lws_set_log_level(LLL_ERR | LLL_WARN, log_line);
    w->context = lws_create_context(&info);
    return w->context ? NAV_OK : NAV_ERR_MEMORY;
}

static nav_status listen_at(nd_web *w, const struct sockaddr *address)
{
    if (!w->has_listener && uv_tcp_init(w->sessions->loop, &w->listener)) return NAV_ERR_IO;
    w->has_listener = true;
    w->listener.data = w;
    if (!w->is_bound && uv_tcp_bind(&w->listener, address, 0)) return NAV_ERR_IO;
    w->is_bound = true;
    w->listening = !uv_listen((uv_stream_t *)&w->listener, BACKLOG, on_connection);
    return w->listening ? NAV_OK : NAV_ERR_IO;
}

static nav_status resolve(const char *address, const char *option, struct addrinfo **found, char *why, size_t why_bytes)
{
    char host[256];
    const char *port;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    bool split = nd_split_address(address, host, &port);
    if (split && !getaddrinfo(host, port, &hints, found)) return NAV_OK;
    snprintf(why, why_bytes, "%s %s: expected HOST:PORT, [HOST]:PORT or PORT%s", option, address,
             split ? "; the host is unknown" : "");
    return NAV_ERR_ARGUMENT;
}

nav_status nd_web_create(nd_sessions *sessions, const char *address, const char *option, unsigned most_sockets,
                         const nd_web_calls *calls, char *why, size_t why_bytes, nd_web **out)
{
    ND_ASSERT_LOOP_THREAD();
    struct addrinfo *found = NULL;
    char wrong[256];
    nd_web *w = *out ? *out : calloc(1, sizeof *w);
    *out = w;
    nav_status status = w ? resolve(address, option, &found, why, why_bytes) : NAV_ERR_MEMORY;
    if (!w) snprintf(why, why_bytes, "no memory for HTTP");
    if (status != NAV_OK) goto done;
    w->sessions = sessions;
    w->calls = *calls;
    w->most_sockets = most_sockets;
    w->open_to_others = !nd_access_is_loopback(found->ai_addr);
    status = nd_access_check_address(sessions, found->ai_addr, wrong, sizeof wrong);
    if (status != NAV_OK) {
        snprintf(why, why_bytes, "refusing to listen on %s for HTTP: %s", address, wrong);
        goto done;
    }
    if (!w->context) status = create_context(w);
    if (status == NAV_OK && !w->vhost) status = create_vhost(w);
    if (status != NAV_OK) {
        snprintf(why, why_bytes,
                 "cannot serve HTTP: libwebsockets, or its plugin for libuv "
                 "(libwebsockets-evlib-uv), fails to start");
        goto done;
    }
    status = listen_at(w, found->ai_addr);
    if (status != NAV_OK)
        snprintf(why, why_bytes,
                 "cannot listen on %s for HTTP: it is in use or not an address of this machine; choose another "
                 "address with %s",
                 address, option);
done:
    if (found) freeaddrinfo(found);
    return status;
}

void nd_web_reload(nd_web *w)
{
    if (!w || !w->open_to_others || create_vhost(w) == NAV_OK) return;
    nd_log(ND_LOG_ERROR, "http.certificate", "why=%s", "\"it cannot be used; the old one stays\"");
}

int nd_web_port(const nd_web *w)
{
    struct sockaddr_storage a;
    int length = sizeof a;
    if (!w || !w->listening || uv_tcp_getsockname(&w->listener, (struct sockaddr *)&a, &length)) return 0;
    return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
                                         : ((struct sockaddr_in *)&a)->sin_port);
}

bool nd_web_open_to_others(const nd_web *w)
{
    return w->open_to_others;
}

void nd_web_close(nd_web *w)
{
    if (!w) return;
    if (w->has_listener) uv_close((uv_handle_t *)&w->listener, NULL);
    w->has_listener = w->listening = false;
    if (w->context) lws_context_destroy(w->context); // begins to close; its callbacks still come
}

void nd_web_destroy(nd_web *w)
{
    if (!w) return;
    if (w->context) lws_context_destroy(w->context); // on a loop that is not its own, the second call frees
    free(w);
}
