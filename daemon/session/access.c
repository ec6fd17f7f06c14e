#include "daemon/session/access.h"

#include "daemon/base/thread.h"
#include "daemon/session/guesses.h"
#include "daemon/session/login.h"
#include "daemon/session/session.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SETTLE_MS = 100 };

// --- files ---

static nav_status load_tokens(nd_sessions *sessions, nd_tokens *out, char *why, size_t why_bytes)
{
    nav_status s = nd_tokens_load(sessions->config->tokens, out, why, why_bytes);
    nd_namespace *space;
    for (size_t i = 0; s == NAV_OK && i < out->count; i++) {
        s = nd_namespaces_need(&sessions->access.spaces, out->list[i].space, &space);
        if (s == NAV_OK) continue;
        snprintf(why, why_bytes, "tokens: namespace %s: %s", out->list[i].space, nav_status_text(s));
        nd_tokens_deinit(out);
    }
    return s;
}

static void close_revoked(void *user, nd_node *n)
{
    nd_sessions *sessions = user;
    nd_session *s = ND_HOLDER(n, nd_session, node);
    if (s->credential[0] && !nd_login_still_holds(sessions, s)) {
        nd_log(ND_LOG_INFO, "auth.revoked", "session=%" PRIu64 " principal=%s", s->id, s->principal.name);
        nd_session_refuse(s, NAV_ERR_UNAUTHENTICATED, "the credential was revoked or changed", "revoked");
    }
}

static void reload_tokens(nd_sessions *sessions)
{
    nd_tokens fresh;
    char why[512];
    if (!sessions->config->tokens[0]) return;
    if (load_tokens(sessions, &fresh, why, sizeof why) != NAV_OK) {
        nd_log(ND_LOG_ERROR, "tokens.refused", "why=%s", nd_log_quote(why, strlen(why)).text);
        return;
    }
    nd_tokens_deinit(&sessions->access.tokens);
    sessions->access.tokens = fresh;
    nd_log(ND_LOG_INFO, "tokens.loaded", "count=%zu", fresh.count);
    nd_passes_drop_revoked(&sessions->access.passes, &fresh);
    nd_table_each(&sessions->table, close_revoked, sessions);
}

static void warn_of_certificate(const nd_sessions *sessions)
{
    char why[200];
    const char *path = sessions->config->tls_certificate;
    if (nd_tls_context_warns(sessions->access.tls, why, sizeof why))
        nd_log(ND_LOG_WARN, "tls.certificate", "certificate=%s why=%s", nd_log_quote(path, strlen(path)).text,
               nd_log_quote(why, strlen(why)).text);
}

static void reload_tls(nd_sessions *sessions)
{
    nd_tls_context *fresh;
    char why[512];
    const nd_config *c = sessions->config;
    if (!c->tls_certificate[0]) return;
    if (nd_tls_context_create(c->tls_certificate, c->tls_key, c->tls_client_ca, why, sizeof why, &fresh) != NAV_OK) {
        nd_log(ND_LOG_ERROR, "tls.refused", "why=%s", nd_log_quote(why, strlen(why)).text);
        return;
    }
    nd_tls_context_destroy(sessions->access.tls);
    sessions->access.tls = fresh;
    nd_log(ND_LOG_INFO, "tls.loaded", "certificate=%s",
           nd_log_quote(c->tls_certificate, strlen(c->tls_certificate)).text);
    warn_of_certificate(sessions);
}

static nav_status load_quotas(nd_sessions *sessions, char *why, size_t why_bytes)
{
    nd_quotas fresh;
    if (!sessions->config->namespaces[0]) return NAV_OK;
    nav_status s = nd_quotas_load(sessions->config->namespaces, &fresh, why, why_bytes);
    if (s == NAV_OK) nd_namespaces_set_quotas(&sessions->access.spaces, &fresh);
    return s;
}

static void reload_quotas(nd_sessions *sessions)
{
    char why[512];
    if (load_quotas(sessions, why, sizeof why) != NAV_OK)
        nd_log(ND_LOG_ERROR, "namespaces.refused", "why=%s", nd_log_quote(why, strlen(why)).text);
}

void nd_access_reload(nd_sessions *sessions)
{
    ND_ASSERT_LOOP_THREAD();
    reload_quotas(sessions);
    reload_tokens(sessions);
    reload_tls(sessions);
}

// --- watching the tokens file ---

static void on_settled(uv_timer_t *timer)
{
    nd_sessions *sessions = timer->data;
    if (nd_tokens_is_outdated(&sessions->access.tokens, sessions->config->tokens)) reload_tokens(sessions);
}

static void on_change(uv_fs_event_t *watch, const char *name, int events, int status)
{
    nd_sessions *sessions = watch->data;
    const char *slash = strrchr(sessions->config->tokens, '/');
    (void)events;
    if (status < 0 || (name && strcmp(name, slash ? slash + 1 : sessions->config->tokens) != 0)) return;
    uv_timer_start(&sessions->access.settle, on_settled, SETTLE_MS, 0);
}

// The folder, as a file that is replaced by another of its name is not the one that was watched.
static void watch_tokens(nd_sessions *sessions)
{
    nd_access *a = &sessions->access;
    char folder[sizeof sessions->config->tokens] = ".";
    const char *slash = strrchr(sessions->config->tokens, '/');
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - sessions->config->tokens + 1), sessions->config->tokens);
    if (uv_fs_event_init(sessions->loop, &a->watch)) abort(); // memory only
    if (uv_timer_init(sessions->loop, &a->settle)) abort();
    a->watch.data = a->settle.data = sessions;
    a->watching = true;
    int failed = uv_fs_event_start(&a->watch, on_change, folder, 0);
    if (failed)
        nd_log(ND_LOG_WARN, "tokens.unwatched", "why=%s advice=%s", uv_err_name(failed),
               "\"send SIGHUP after changes\"");
}

// --- life ---

static nav_status open_tls(nd_sessions *sessions, char *why, size_t why_bytes)
{
    const nd_config *c = sessions->config;
    if (!c->tls_certificate[0] && !c->tls_key[0] && !c->tls_client_ca[0]) return NAV_OK;
    if (!c->tls_certificate[0] || !c->tls_key[0]) {
        snprintf(why, why_bytes, "TLS requires both tls_certificate and tls_key");
        return NAV_ERR_ARGUMENT;
    }
    return nd_tls_context_create(c->tls_certificate, c->tls_key, c->tls_client_ca, why, why_bytes,
                                 &sessions->access.tls);
}

nav_status nd_access_init(nd_sessions *sessions, char *why, size_t why_bytes)
{
    ND_ASSERT_LOOP_THREAD();
    nd_access *a = &sessions->access;
    nd_namespace *space;
    nav_status s = nd_namespaces_need(&a->spaces, ND_NAMESPACE_DEFAULT, &space);
    if (s != NAV_OK) snprintf(why, why_bytes, "no memory");
    if (s == NAV_OK) s = load_quotas(sessions, why, why_bytes);
    if (s == NAV_OK) s = open_tls(sessions, why, why_bytes);
    if (s == NAV_OK && a->tls) warn_of_certificate(sessions);
    if (s != NAV_OK || !sessions->config->tokens[0]) return s;
    a->wants_token = true;
    s = load_tokens(sessions, &a->tokens, why, why_bytes);
    if (s == NAV_OK) watch_tokens(sessions);
    return s;
}

void nd_access_close(nd_sessions *sessions)
{
    nd_access *a = &sessions->access;
    nd_guesses_drop(sessions);
    if (!a->watching) return;
    a->watching = false;
    uv_close((uv_handle_t *)&a->watch, NULL);
    uv_close((uv_handle_t *)&a->settle, NULL);
}

void nd_access_deinit(nd_sessions *sessions)
{
    nd_access *a = &sessions->access;
    nd_tokens_deinit(&a->tokens);
    nd_passes_deinit(&a->passes);
    nd_tls_context_destroy(a->tls);
    nd_sources_deinit(&a->sources);
    nd_namespaces_deinit(&a->spaces);
    *a = (nd_access){0};
}

bool nd_access_is_loopback(const struct sockaddr *a)
{
    if (a->sa_family == AF_INET) return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
    if (a->sa_family != AF_INET6) return a->sa_family == AF_UNIX;
    const struct in6_addr *six = &((const struct sockaddr_in6 *)a)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(six) || (IN6_IS_ADDR_V4MAPPED(six) && six->s6_addr[12] == 127);
}

nav_status nd_access_check_address(const nd_sessions *sessions, const struct sockaddr *address, char *why,
                                   size_t why_bytes)
{
    if (nd_access_is_loopback(address)) return NAV_OK;
    if (!sessions->access.tls) {
        snprintf(why, why_bytes,
                 "other machines can reach it, and it is not encrypted: set tls_certificate and tls_key, "
                 "or listen on 127.0.0.1");
        return NAV_ERR_ARGUMENT;
    }
    if (!sessions->access.wants_token) {
        snprintf(why, why_bytes,
                 "other machines can reach it without logging in: set tokens, or listen on "
                 "127.0.0.1");
        return NAV_ERR_ARGUMENT;
    }
    return NAV_OK;
}
