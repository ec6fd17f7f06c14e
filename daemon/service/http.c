#include "daemon/service/http.h"

#include "daemon/base/thread.h"
#include "daemon/service/measure.h"
#include "daemon/service/ready.h"
#include "daemon/service/web.h"
#include "daemon/session/guesses.h"

#include <libwebsockets.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TOO_MANY_REQUESTS = 429 }; // a status

struct nd_http {
    nd_service *service;
    nd_web *web;
};

// --- pages ---

static nav_status write_metrics(nd_http *h, nd_web_answer *a)
{
    nd_measures measures;
    nd_measure(h->service, NULL, &measures);
    return nd_metrics_print(&measures, &a->text);
}

// Fills the text; the HTTP status. access: NAV_OK, or what became of the token (nd_guess()).
static unsigned make_page(nd_http *h, const char *path, nav_status access, nd_web_answer *a)
{
    nav_status s;
    unsigned status = HTTP_STATUS_OK;
    if (access == NAV_ERR_UNAUTHENTICATED) {
        status = HTTP_STATUS_UNAUTHORIZED;
        s = nd_web_say(a, "/metrics requires a token: Authorization: Bearer TOKEN\n");
    } else if (access == NAV_ERR_LIMIT) {
        status = TOO_MANY_REQUESTS;
        s = nd_web_say(a, "too many wrong tokens from this address: try again later\n");
    } else if (access != NAV_OK) {
        status = HTTP_STATUS_SERVICE_UNAVAILABLE;
        s = nd_web_say(a, "no memory\n");
    } else if (!strcmp(path, "/metrics")) {
        s = write_metrics(h, a);
    } else if (!strcmp(path, "/healthz")) {
        s = nd_web_say(a, "ok\n");
    } else if (!strcmp(path, "/readyz")) {
        const char *reason = nd_unready(h->service);
        if (reason) status = HTTP_STATUS_SERVICE_UNAVAILABLE;
        s = nd_web_say(a, reason ? reason : "ok");
        if (s == NAV_OK) s = nd_web_say(a, "\n");
    } else {
        status = HTTP_STATUS_NOT_FOUND;
        s = nd_web_say(a, "not found; try /healthz, /readyz or /metrics\n");
    }
    return s == NAV_OK ? status : HTTP_STATUS_SERVICE_UNAVAILABLE;
}

// --- requests ---

// Authorization: Bearer TOKEN. NAV_OK, or as nd_guess(); *delay_ms: until a wrong one is answered.
static nav_status check_token(const nd_http *h, struct lws *wsi, uint64_t *delay_ms)
{
    static const char scheme[] = "Bearer ";
    char given[256], source[ND_SOURCE_BYTES];
    const nd_credential *c;
    nav_status s = NAV_ERR_UNAUTHENTICATED;
    if (nd_web_header_of(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, given, sizeof given) &&
        !strncasecmp(given, scheme, sizeof scheme - 1)) {
        np_str token = np_str_of(given + sizeof scheme - 1);
        nd_web_source(wsi, source);
        s = nd_guess(h->service->methods->sessions, token, source, "http", 0, 0, &c, delay_ms);
    }
    OPENSSL_cleanse(given, sizeof given);
    return s;
}

static uint64_t answer(void *user, struct lws *wsi, const char *path, nd_web_answer *a)
{
    static const char realm[] = "Bearer";
    nd_http *h = user;
    uint64_t delay_ms = 0;
    bool needs_token = nd_web_open_to_others(h->web) && !strcmp(path, "/metrics");
    a->type = "text/plain; version=0.0.4; charset=utf-8";
    a->status = make_page(h, path, needs_token ? check_token(h, wsi, &delay_ms) : NAV_OK, a);
    if (a->status == HTTP_STATUS_UNAUTHORIZED) a->more[0] = (nd_web_header){"www-authenticate:", realm};
    return delay_ms;
}

nav_status nd_http_create(nd_service *s, const char *address, char *why, size_t why_bytes, nd_http **out)
{
    ND_ASSERT_LOOP_THREAD();
    nd_http *h = *out = calloc(1, sizeof *h);
    if (!h) {
        snprintf(why, why_bytes, "no memory for HTTP");
        return NAV_ERR_MEMORY;
    }
    h->service = s;
    const nd_web_calls calls = {.answer = answer, .user = h};
    nav_status status =
        nd_web_create(s->methods->sessions, address, "--http-listen", 0, &calls, why, why_bytes, &h->web);
    if (status == NAV_OK)
        nd_log(ND_LOG_INFO, "http.opened", "at=%s port=%d", nd_log_quote(address, strlen(address)).text,
               nd_http_port(h));
    return status;
}

void nd_http_reload(nd_http *h)
{
    if (h) nd_web_reload(h->web);
}

int nd_http_port(const nd_http *h)
{
    return h ? nd_web_port(h->web) : 0;
}

void nd_http_close(nd_http *h)
{
    if (h) nd_web_close(h->web);
}

void nd_http_destroy(nd_http *h)
{
    if (!h) return;
    nd_web_destroy(h->web);
    free(h);
}
