// Connections are accepted here and handed to libwebsockets, which reads the requests. An answer is made as a whole and
// written as the socket takes it.
#include "daemon/service/http.h"

#include "daemon/base/thread.h"
#include "daemon/service/measure.h"
#include "daemon/service/ready.h"
#include "daemon/session/guesses.h"

#include <libwebsockets.h>
#include <netdb.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// Fewer come in one turn of the loop than there may be: none gives way before it was read.
enum { MAX_CONNECTIONS = 64, HEADER_BYTES = 4096, PATIENCE_S = 10, BACKLOG = 32 };
enum { TOO_MANY_REQUESTS = 429 }; // a status

struct nd_http {
    nd_service *service;
    struct lws_context *context;
    struct lws_vhost *vhost;
    uv_tcp_t listener;
    struct lws *open[MAX_CONNECTIONS]; // the oldest first
    unsigned open_count, vhost_count;
    bool listening;
    bool open_to_others; // beyond loopback: TLS, and a token for the metrics
};

// One connection's answer. body: LWS_PRE bytes, which the library writes to, and the text.
typedef struct answer {
    nav_buffer body;
    unsigned status;
    bool is_head;
} answer;

// --- pages ---

static nav_status append(answer *a, const char *text)
{
    return nav_buffer_append(&a->body, text, strlen(text));
}

static nav_status write_metrics(nd_http *h, answer *a)
{
    nd_measures measures;
    nd_measure(h->service, NULL, &measures);
    return nd_metrics_print(&measures, &a->body);
}

// Fills the body; the HTTP status. access: NAV_OK, or what became of the token (nd_guess()).
static unsigned make_page(nd_http *h, const char *path, nav_status access, answer *a)
{
    static const char room[LWS_PRE];
    nav_status s;
    unsigned status = HTTP_STATUS_OK;
    a->body.size = 0;
    s = nav_buffer_append(&a->body, room, sizeof room);
    if (s != NAV_OK) return HTTP_STATUS_SERVICE_UNAVAILABLE;
    if (access == NAV_ERR_UNAUTHENTICATED) {
        status = HTTP_STATUS_UNAUTHORIZED;
        s = append(a, "/metrics requires a token: Authorization: Bearer TOKEN\n");
    } else if (access == NAV_ERR_LIMIT) {
        status = TOO_MANY_REQUESTS;
        s = append(a, "too many wrong tokens from this address: try again later\n");
    } else if (access != NAV_OK) {
        status = HTTP_STATUS_SERVICE_UNAVAILABLE;
        s = append(a, "no memory\n");
    } else if (!strcmp(path, "/metrics")) {
        s = write_metrics(h, a);
    } else if (!strcmp(path, "/healthz")) {
        s = append(a, "ok\n");
    } else if (!strcmp(path, "/readyz")) {
        const char *reason = nd_unready(h->service);
        if (reason) status = HTTP_STATUS_SERVICE_UNAVAILABLE;
        s = append(a, reason ? reason : "ok");
        if (s == NAV_OK) s = append(a, "\n");
    } else {
        status = HTTP_STATUS_NOT_FOUND;
        s = append(a, "not found; try /healthz, /readyz or /metrics\n");
    }
    return s == NAV_OK ? status : HTTP_STATUS_SERVICE_UNAVAILABLE;
}

// --- requests ---

static void name_source(struct lws *wsi, char out[ND_SOURCE_BYTES])
{
    struct sockaddr_storage peer;
    socklen_t bytes = sizeof peer;
    if (getpeername(lws_get_socket_fd(wsi), (struct sockaddr *)&peer, &bytes)) peer.ss_family = AF_UNSPEC;
    nd_source_name((struct sockaddr *)&peer, out);
}

// Authorization: Bearer TOKEN. NAV_OK, or as nd_guess(); *delay_ms: until a wrong one is answered.
static nav_status check_token(nd_http *h, struct lws *wsi, uint64_t *delay_ms)
{
    static const char scheme[] = "Bearer ";
    char given[256], source[ND_SOURCE_BYTES];
    const nd_credential *c;
    nav_status s = NAV_ERR_UNAUTHENTICATED;
    int n = lws_hdr_copy(wsi, given, sizeof given, WSI_TOKEN_HTTP_AUTHORIZATION);
    if (n > (int)sizeof scheme - 1 && !strncasecmp(given, scheme, sizeof scheme - 1)) {
        np_str token = {given + sizeof scheme - 1, (uint32_t)n - (sizeof scheme - 1)};
        name_source(wsi, source);
        s = nd_guess(h->service->methods->sessions, token, source, "http", 0, 0, &c, delay_ms);
    }
    OPENSSL_cleanse(given, sizeof given);
    return s;
}

// -1: the connection is to be closed.
static int write_head(struct lws *wsi, const answer *a)
{
    static const char realm[] = "Bearer";
    unsigned char head[LWS_PRE + 512], *at = head + LWS_PRE, *end = head + sizeof head - 1;
    size_t bytes = a->body.size - LWS_PRE;
    if (lws_add_http_common_headers(wsi, a->status, "text/plain; version=0.0.4; charset=utf-8", bytes, &at, end) ||
        (a->status == HTTP_STATUS_UNAUTHORIZED &&
         lws_add_http_header_by_name(wsi, (const unsigned char *)"www-authenticate:", (const unsigned char *)realm,
                                     sizeof realm - 1, &at, end)) ||
        lws_finalize_write_http_header(wsi, head + LWS_PRE, &at, end))
        return -1;
    if (a->is_head) return lws_http_transaction_completed(wsi) ? -1 : 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int begin_answer(nd_http *h, struct lws *wsi, answer *a, const char *path)
{
    uint64_t delay_ms = 0;
    a->is_head = lws_hdr_total_length(wsi, WSI_TOKEN_HEAD_URI) > 0;
    if (!a->is_head && lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) <= 0) {
        (void)lws_return_http_status(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, NULL);
        return -1;
    }
    bool needs_token = h->open_to_others && !strcmp(path, "/metrics");
    a->status = make_page(h, path, needs_token ? check_token(h, wsi, &delay_ms) : NAV_OK, a);
    if (a->body.size < LWS_PRE) return -1;
    if (!delay_ms) return write_head(wsi, a);
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, (int)(delay_ms / 1000) + PATIENCE_S);
    lws_set_timer_usecs(wsi, (lws_usec_t)delay_ms * 1000);
    return 0;
}

static int write_body(struct lws *wsi, answer *a)
{
    size_t bytes = a->body.size > LWS_PRE ? a->body.size - LWS_PRE : 0;
    if (!bytes) return 0;
    // What the socket does not take at once the library keeps.
    int written = lws_write(wsi, a->body.data + LWS_PRE, bytes, LWS_WRITE_HTTP_FINAL);
    a->body.size = 0;
    return written < (int)bytes || lws_http_transaction_completed(wsi) ? -1 : 0;
}

static void forget(nd_http *h, const struct lws *wsi)
{
    for (unsigned i = 0; i < h->open_count; i++) {
        if (h->open[i] != wsi) continue;
        memmove(&h->open[i], &h->open[i + 1], (--h->open_count - i) * sizeof *h->open);
        return;
    }
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t count)
{
    nd_http *h = lws_context_user(lws_get_context(wsi));
    answer *a = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return begin_answer(h, wsi, a, in);
    case LWS_CALLBACK_TIMER: // a wrong token has waited for its answer
        return write_head(wsi, a);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return write_body(wsi, a);
    case LWS_CALLBACK_HTTP_BIND_PROTOCOL:
        return 0;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: // these are pages: no WebSocket, whatever its case, and no h2c
        (void)lws_return_http_status(wsi, HTTP_STATUS_BAD_REQUEST, NULL);
        return -1;
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
    case LWS_CALLBACK_CLOSED_HTTP:
        if (a) nav_buffer_deinit(&a->body);
        return 0;
    case LWS_CALLBACK_WSI_DESTROY:
        forget(h, wsi);
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
static void make_room(nd_http *h)
{
    if (h->open_count < MAX_CONNECTIONS) return;
    struct lws *oldest = h->open[0];
    forget(h, oldest); // it may end later
    lws_set_timeout(oldest, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_SYNC);
}

static void on_connection(uv_stream_t *stream, int status)
{
    nd_http *h = stream->data;
    uv_os_fd_t fd;
    uv_tcp_t *incoming = status < 0 ? NULL : malloc(sizeof *incoming);
    if (!incoming) return;
    if (uv_tcp_init(h->service->methods->sessions->loop, incoming)) {
        free(incoming);
        return;
    }
    if (!uv_accept(stream, (uv_stream_t *)incoming) && !uv_fileno((uv_handle_t *)incoming, &fd)) {
        make_room(h);
        int own = dup(fd); // the library closes its own, also where it fails
        struct lws *wsi = own >= 0 ? lws_adopt_socket_vhost(h->vhost, own) : NULL;
        if (wsi) h->open[h->open_count++] = wsi;
    }
    uv_close((uv_handle_t *)incoming, on_refused);
}

static void log_line(int level, const char *line)
{
    nd_log(level == LLL_ERR ? ND_LOG_WARN : ND_LOG_DEBUG, "http.library", "says=%s",
           nd_log_quote(line, strcspn(line, "\n")).text);
}

// The certificate belongs to the library's "virtual host"; a new one needs a new host.
static nav_status create_vhost(nd_http *h)
{
    static const struct lws_protocols protocols[] = {
        {.name = "navd", .callback = on_event, .per_session_data_size = sizeof(answer)}, {.name = NULL}};
    char name[32];
    snprintf(name, sizeof name, "navd-%u", ++h->vhost_count);
    struct lws_context_creation_info info = {
        .port = CONTEXT_PORT_NO_LISTEN_SERVER,
        .protocols = protocols,
        .vhost_name = name,
        .server_string = "navd",
        .alpn = "http/1.1",
        .timeout_secs = PATIENCE_S,
        .keepalive_timeout = PATIENCE_S,
    };
    if (h->open_to_others) {
        info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
        info.ssl_cert_filepath = h->service->methods->config->tls_certificate;
        info.ssl_private_key_filepath = h->service->methods->config->tls_key;
        info.ssl_options_set = (long)(SSL_OP_NO_SSL_MASK & ~SSL_OP_NO_TLSv1_3);
    }
    struct lws_vhost *made = lws_create_vhost(h->context, &info);
    if (!made) return NAV_ERR_IO;
    if (h->vhost) lws_vhost_destroy(h->vhost);
    h->vhost = made;
    return NAV_OK;
}

static nav_status create_context(nd_http *h)
{
    void *loops[] = {h->service->methods->sessions->loop};
    struct lws_context_creation_info info = {
        .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
        .foreign_loops = loops,
        .gid = (gid_t)-1,
        .uid = (uid_t)-1,
        .user = h,
        .fd_limit_per_thread = 4 * MAX_CONNECTIONS, // those that gave way end a turn later
        .max_http_header_pool = MAX_CONNECTIONS,
        .max_http_header_data = HEADER_BYTES,
    };
    if (h->open_to_others) info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    lws_set_log_level(LLL_ERR | LLL_WARN, log_line);
    h->context = lws_create_context(&info);
    return h->context ? create_vhost(h) : NAV_ERR_MEMORY;
}

static nav_status listen_at(nd_http *h, const struct sockaddr *address)
{
    int failed = uv_tcp_init(h->service->methods->sessions->loop, &h->listener);
    h->listening = !failed;
    h->listener.data = h;
    if (!failed) failed = uv_tcp_bind(&h->listener, address, 0);
    if (!failed) failed = uv_listen((uv_stream_t *)&h->listener, BACKLOG, on_connection);
    return failed ? NAV_ERR_IO : NAV_OK;
}

static nav_status resolve(const char *address, struct addrinfo **found, char *why, size_t why_bytes)
{
    char host[256];
    const char *port;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    bool split = nd_split_address(address, host, &port);
    if (split && !getaddrinfo(host, port, &hints, found)) return NAV_OK;
    snprintf(why, why_bytes, "--http-listen %s: expected HOST:PORT, [HOST]:PORT or PORT%s", address,
             split ? "; the host is unknown" : "");
    return NAV_ERR_ARGUMENT;
}

nav_status nd_http_create(nd_service *s, const char *address, char *why, size_t why_bytes, nd_http **out)
{
    ND_ASSERT_LOOP_THREAD();
    struct addrinfo *found = NULL;
    char wrong[256];
    nd_http *h = *out = calloc(1, sizeof *h);
    nav_status status = h ? resolve(address, &found, why, why_bytes) : NAV_ERR_MEMORY;
    if (!h) snprintf(why, why_bytes, "no memory for HTTP");
    if (status != NAV_OK) goto done;
    h->service = s;
    h->open_to_others = !nd_access_is_loopback(found->ai_addr);
    status = nd_access_check_address(s->methods->sessions, found->ai_addr, wrong, sizeof wrong);
    if (status != NAV_OK) {
        snprintf(why, why_bytes, "refusing to listen on %s for HTTP: %s", address, wrong);
        goto done;
    }
    status = create_context(h);
    if (status != NAV_OK) {
        snprintf(why, why_bytes,
                 "cannot serve HTTP: libwebsockets, or its plugin for libuv "
                 "(libwebsockets-evlib-uv), fails to start");
        goto done;
    }
    status = listen_at(h, found->ai_addr);
    if (status != NAV_OK)
        snprintf(why, why_bytes,
                 "cannot listen on %s for HTTP: it is in use or not an address of this machine; choose another "
                 "address with --http-listen",
                 address);
    else
        nd_log(ND_LOG_INFO, "http.opened", "at=%s port=%d", nd_log_quote(address, strlen(address)).text,
               nd_http_port(h));
done:
    if (found) freeaddrinfo(found);
    return status;
}

void nd_http_reload(nd_http *h)
{
    if (!h || !h->open_to_others || create_vhost(h) == NAV_OK) return;
    nd_log(ND_LOG_ERROR, "http.certificate", "why=%s", "\"it cannot be used; the old one stays\"");
}

int nd_http_port(const nd_http *h)
{
    struct sockaddr_storage a;
    int length = sizeof a;
    if (!h || uv_tcp_getsockname(&h->listener, (struct sockaddr *)&a, &length)) return 0;
    return ntohs(a.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&a)->sin6_port
                                         : ((struct sockaddr_in *)&a)->sin_port);
}

void nd_http_close(nd_http *h)
{
    if (!h) return;
    if (h->listening) uv_close((uv_handle_t *)&h->listener, NULL);
    h->listening = false;
    if (h->context) lws_context_destroy(h->context); // begins to close; its callbacks still come
}

void nd_http_destroy(nd_http *h)
{
    if (!h) return;
    if (h->context) lws_context_destroy(h->context); // on a loop that is not its own, the second call frees
    free(h);
}
