#include "daemon/service/site.h"

#include "daemon/base/thread.h"
#include "daemon/service/site_files.h"
#include "daemon/service/web.h"

#include <arpa/inet.h>
#include <libwebsockets.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum { MISDIRECTED = 421, HOST_BYTES = 256 };

struct nd_site {
    nd_service *service;
    nd_web *web;
};

#define POLICY                                                                                                         \
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; "                 \
    "img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

static const nd_web_header headers[] = {{"content-security-policy:", POLICY},
                                        {"x-content-type-options:", "nosniff"},
                                        {"referrer-policy:", "no-referrer"},
                                        {"cross-origin-opener-policy:", "same-origin"},
                                        {"cross-origin-resource-policy:", "same-origin"},
                                        {"cache-control:", "no-cache"}, // ask again, by the entity tag
                                        {NULL, NULL}};

// --- whom it answers ---

// The name in a Host header, without its port and its brackets. False: it has not the form of one.
static bool take_name(const char *host, char name[HOST_BYTES])
{
    const char *end = host[0] == '[' ? strchr(host, ']') : host + strcspn(host, ":");
    const char *from = host[0] == '[' ? host + 1 : host;
    if (!end || end == from || end - from >= HOST_BYTES) return false;
    memcpy(name, from, (size_t)(end - from));
    name[end - from] = 0;
    const char *port = host[0] == '[' ? end + 1 : end;
    if (!*port) return true;
    return *port == ':' && strspn(port + 1, "0123456789") == strlen(port + 1);
}

// An address cannot be made to point elsewhere, but only that of this connection is ours.
static bool is_own_address(struct lws *wsi, const char *name)
{
    struct sockaddr_storage own;
    socklen_t bytes = sizeof own;
    char text[INET6_ADDRSTRLEN];
    if (getsockname(lws_get_socket_fd(wsi), (struct sockaddr *)&own, &bytes)) return false;
    const void *address = &((struct sockaddr_in *)&own)->sin_addr;
    int family = own.ss_family;
    if (family == AF_INET6) {
        const struct in6_addr *six = &((struct sockaddr_in6 *)&own)->sin6_addr;
        bool is_four = IN6_IS_ADDR_V4MAPPED(six); // an IPv4 client of a socket that takes both
        address = is_four ? six->s6_addr + 12 : six->s6_addr;
        if (is_four) family = AF_INET;
    }
    return inet_ntop(family, address, text, sizeof text) && !strcasecmp(text, name);
}

static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at;) {
        at += strspn(at, ", ");
        size_t n = strcspn(at, ", ");
        if (n && n == length && !strncasecmp(at, name, n)) return true;
        at += n;
    }
    return false;
}

// Does this listener serve the name that the browser believes it speaks to?
static bool serves(const nd_site *t, struct lws *wsi, char host[HOST_BYTES])
{
    static const char *const loopback[] = {"localhost", "127.0.0.1", "::1"};
    const nd_config *c = t->service->methods->config;
    char name[HOST_BYTES], own[HOST_BYTES];
    const char *port;
    if (!nd_web_header_of(wsi, WSI_TOKEN_HOST, host, HOST_BYTES) || !take_name(host, name)) return false;
    for (size_t i = 0; i < sizeof loopback / sizeof *loopback; i++)
        if (!strcasecmp(name, loopback[i])) return true;
    if (c->view[0] && nd_split_address(c->view, own, &port) && !strcasecmp(name, own)) return true;
    return is_listed(c->view_host, name) || is_own_address(wsi, name);
}

// http://HOST or https://HOST with the same HOST. A proxy in front may speak TLS where we do not.
static bool is_same_origin(const nd_site *t, struct lws *wsi, const char *host)
{
    char origin[HOST_BYTES + 8];
    if (!nd_web_header_of(wsi, WSI_TOKEN_ORIGIN, origin, sizeof origin)) return false;
    const char *rest = !strncasecmp(origin, "https://", 8)                                    ? origin + 8
                       : !strncasecmp(origin, "http://", 7) && !nd_web_open_to_others(t->web) ? origin + 7
                                                                                              : "";
    return *rest && !strcasecmp(rest, host);
}

static const char wrong_host[] =
    "this navd does not serve that name; if a proxy or another name leads here, start navd "
    "with --view-host NAME\n";

static unsigned may_open(void *user, struct lws *wsi, const char *path, const char **why)
{
    const nd_site *t = user;
    char host[HOST_BYTES];
    *why = wrong_host;
    if (!serves(t, wsi, host)) return MISDIRECTED;
    *why = "the WebSocket is at /socket";
    if (strcmp(path, "/socket") != 0) return HTTP_STATUS_NOT_FOUND;
    *why = "the page that asks for this WebSocket is not this navd's (wrong Origin)";
    return is_same_origin(t, wsi, host) ? 0 : HTTP_STATUS_FORBIDDEN;
}

// --- files ---

static const nd_site_file *find_file(const char *path)
{
    if (!strcmp(path, "/")) path = "/index.html";
    for (const nd_site_file *f = nd_site_files; f->path; f++)
        if (!strcmp(f->path, path)) return f;
    return NULL;
}

static void say(nd_web_answer *a, unsigned status, const char *text)
{
    a->status = nd_web_say(a, text) == NAV_OK ? status : HTTP_STATUS_SERVICE_UNAVAILABLE;
    a->type = "text/plain; charset=utf-8";
}

static bool accepts_gzip(struct lws *wsi)
{
    char accepted[256];
    return nd_web_header_of(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, accepted, sizeof accepted) &&
           strcasestr(accepted, "gzip") != NULL;
}

static bool has_it(struct lws *wsi, const nd_site_file *f)
{
    char known[256];
    return nd_web_header_of(wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, known, sizeof known) && strstr(known, f->etag) != NULL;
}

static uint64_t answer(void *user, struct lws *wsi, const char *path, nd_web_answer *a)
{
    const nd_site *t = user;
    char host[HOST_BYTES];
    const nd_site_file *f = find_file(path);
    if (!serves(t, wsi, host)) {
        say(a, MISDIRECTED, wrong_host);
    } else if (!nd_site_has_files()) {
        say(a, HTTP_STATUS_NOT_FOUND,
            "this navd was built without the view: it needs Node.js and scripts/setup view when it is built\n");
    } else if (!f) {
        say(a, HTTP_STATUS_NOT_FOUND, "not found\n");
    } else if (has_it(wsi, f)) {
        a->status = HTTP_STATUS_NOT_MODIFIED;
        a->more[0] = (nd_web_header){"etag:", f->etag};
    } else if (!accepts_gzip(wsi)) {
        say(a, HTTP_STATUS_NOT_ACCEPTABLE,
            "the view is served compressed: send Accept-Encoding: gzip (curl --compressed)\n");
    } else {
        a->status = HTTP_STATUS_OK;
        a->type = f->type;
        a->body = f->gzip;
        a->size = (size_t)(f->end - f->gzip);
        a->more[0] = (nd_web_header){"etag:", f->etag};
        a->more[1] = (nd_web_header){"content-encoding:", "gzip"};
        a->more[2] = (nd_web_header){"vary:", "accept-encoding"};
    }
    return 0;
}

// --- life ---

nav_status nd_site_create(nd_service *s, const char *address, char *why, size_t why_bytes, nd_site **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_site *t = *out ? *out : calloc(1, sizeof *t);
    *out = t;
    if (!t) {
        snprintf(why, why_bytes, "no memory for the view");
        return NAV_ERR_MEMORY;
    }
    t->service = s;
    const nd_web_calls calls = {.headers = headers, .answer = answer, .may_open = may_open, .user = t};
    uint64_t most = s->methods->config->max_sessions;
    nav_status status = nd_web_create(s->methods->sessions, address, "--view", most < 1024 ? (unsigned)most : 1024,
                                      &calls, why, why_bytes, &t->web);
    if (status == NAV_OK)
        nd_log(ND_LOG_INFO, "view.opened", "at=%s port=%d files=%s", nd_log_quote(address, strlen(address)).text,
               nd_site_port(t), nd_site_has_files() ? "yes" : "no");
    return status;
}

bool nd_site_has_files(void)
{
    return nd_site_files[0].path != NULL;
}

// A listener on all addresses is reached by name.
static void find_name(const nd_site *t, char name[HOST_BYTES])
{
    const nd_config *c = t->service->methods->config;
    const char *port;
    size_t listed = strcspn(c->view_host, ", ");
    if (listed)
        snprintf(name, HOST_BYTES, "%.*s", (int)listed, c->view_host);
    else if (!c->view[0] || !nd_split_address(c->view, name, &port))
        strcpy(name, "127.0.0.1");
    else if (!strcmp(name, "0.0.0.0") || !strcmp(name, "::"))
        strcpy(name, "localhost");
}

void nd_site_url(const nd_site *t, char *out, size_t room)
{
    char name[HOST_BYTES];
    find_name(t, name);
    bool six = strchr(name, ':') != NULL;
    snprintf(out, room, "http%s://%s%s%s:%d/", nd_web_open_to_others(t->web) ? "s" : "", six ? "[" : "", name,
             six ? "]" : "", nd_site_port(t));
}

int nd_site_port(const nd_site *t)
{
    return t ? nd_web_port(t->web) : 0;
}

void nd_site_reload(nd_site *t)
{
    if (t) nd_web_reload(t->web);
}

void nd_site_close(nd_site *t)
{
    if (t) nd_web_close(t->web);
}

void nd_site_destroy(nd_site *t)
{
    if (!t) return;
    nd_web_destroy(t->web);
    free(t);
}
