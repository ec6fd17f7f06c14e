#include "daemon/session/login.h"

#include "daemon/base/thread.h"
#include "daemon/session/guesses.h"
#include "daemon/session/reply.h"
#include "daemon/world/usage.h"

#include <inttypes.h>
#include <string.h>
#include <sys/socket.h>

// --- in and out ---

static void set_waiting(nd_session *s, bool waiting)
{
    if (s->waiting == waiting || !s->source) return;
    s->waiting = waiting;
    s->source->waiting += waiting ? 1u : -1u;
}

// Changes nothing where the namespace has no room.
static nav_status move_to(nd_session *s, nd_namespace *space, char *why, size_t why_bytes)
{
    if (s->space == space) return NAV_OK;
    nav_status status = nd_usage_check_session(space, why, why_bytes);
    if (status != NAV_OK) return status;
    if (s->space) s->space->sessions--;
    s->space = space;
    space->sessions++;
    return NAV_OK;
}

static nav_status become(nd_session *s, const nd_credential *c, char *why, size_t why_bytes)
{
    nd_namespace *space;
    nav_status status = nd_namespaces_need(&s->sessions->access.spaces, c->space, &space);
    if (status != NAV_OK) {
        snprintf(why, why_bytes, "namespace %s: %s", c->space, nav_status_text(status));
        return status;
    }
    status = move_to(s, space, why, why_bytes);
    if (status != NAV_OK) return status;
    nd_passes_leave(&s->sessions->access.passes, s->credential, uv_now(s->sessions->loop)); // the one before
    s->principal = c->principal;
    memcpy(s->credential, c->id, sizeof s->credential);
    nd_passes_enter(&s->sessions->access.passes, s->credential);
    set_waiting(s, false);
    return NAV_OK;
}

bool nd_login_still_holds(const nd_sessions *sessions, const nd_session *s)
{
    if (nd_passes_find(&sessions->access.passes, s->credential)) return true; // the revoked ones are gone
    const nd_credential *c = nd_tokens_find(&sessions->access.tokens, s->credential);
    return c && c->principal.role == s->principal.role && !strcmp(c->principal.name, s->principal.name) &&
           (c->principal.role == NP_ROLE_ADMIN || !strcmp(c->space, s->space->name));
}

static const char *enter_unix(nd_session *s, int fd)
{
    struct ucred peer;
    socklen_t bytes = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes)) return "no_credentials";
    s->principal = nd_principal_of_user(peer.uid, s->sessions->config->socket_role);
    snprintf(s->source_name, sizeof s->source_name, "%.47s", s->principal.name);
    return NULL;
}

static const char *enter_tcp(nd_session *s, int fd)
{
    nd_sessions *sessions = s->sessions;
    bool wants_token = sessions->access.wants_token || s->transport->door == ND_DOOR_WEB;
    struct sockaddr_storage peer;
    socklen_t bytes = sizeof peer;
    if (getpeername(fd, (struct sockaddr *)&peer, &bytes)) return "gone";
    nd_source_name((struct sockaddr *)&peer, s->source_name);
    s->principal = (nd_principal){.name = "unknown"};
    if (!wants_token) s->principal = (nd_principal){.name = "loopback", .role = sessions->config->listen_role};
    if (wants_token || s->transport->encrypted) {
        if (nd_sources_need(&sessions->access.sources, s->source_name, &s->source) != NAV_OK) return "max_sources";
        set_waiting(s, true);
    }
    return NULL;
}

const char *nd_access_enter(nd_session *s)
{
    ND_ASSERT_LOOP_THREAD();
    char why[200];
    int fd = s->transport->calls->descriptor(s->transport);
    const char *reason = s->transport->door == ND_DOOR_UNIX ? enter_unix(s, fd) : enter_tcp(s, fd);
    if (reason || s->principal.role == NP_ROLE_NOBODY) return reason;
    nd_namespace *space = nd_namespaces_find(&s->sessions->access.spaces, ND_NAMESPACE_DEFAULT);
    return move_to(s, space, why, sizeof why) == NAV_OK ? NULL : "max_sessions_of_namespace";
}

void nd_access_leave(nd_session *s)
{
    set_waiting(s, false);
    if (s->space) s->space->sessions--;
    s->space = NULL;
    nd_passes_leave(&s->sessions->access.passes, s->credential, uv_now(s->sessions->loop));
    s->credential[0] = 0;
}

nav_status nd_access_handshaken(nd_session *s, const char *peer, char *why, size_t why_bytes)
{
    nd_sessions *sessions = s->sessions;
    char id[ND_CREDENTIAL_BYTES] = "";
    if (peer[0]) snprintf(id, sizeof id, "cert:%s", peer);
    const nd_credential *c = id[0] ? nd_tokens_find(&sessions->access.tokens, id) : NULL;
    if (c) return become(s, c, why, why_bytes);
    if (!sessions->access.wants_token) set_waiting(s, false);
    return NAV_OK; // a token may follow
}

// --- hello ---

// An admin may look into any namespace, others name their own or none.
static nav_status choose_space(nd_session *s, np_str name, np_error *err)
{
    char text[ND_NAMESPACE_BYTES], why[200];
    if (!name.size || np_str_equal(name, s->space->name)) return NAV_OK;
    if (s->principal.role != NP_ROLE_ADMIN)
        return np_error_set_key(err, NAV_ERR_FORBIDDEN, "namespace",
                                "the session's namespace is %s; only the role admin "
                                "may use another",
                                s->space->name);
    if (!nd_namespace_name_is_valid(name.data, name.size))
        return np_error_set_key(err, NAV_ERR_ARGUMENT, "namespace",
                                "a namespace is at most 63 letters, digits, '-', '_' and '.'");
    memcpy(text, name.data, name.size);
    text[name.size] = 0;
    nd_namespace *space;
    nav_status status = nd_namespaces_need(&s->sessions->access.spaces, text, &space);
    if (status != NAV_OK)
        return np_error_set_key(err, status, "namespace", "namespace %s: %s", text, nav_status_text(status));
    status = move_to(s, space, why, sizeof why);
    return status == NAV_OK ? NAV_OK : np_error_set(err, status, "%s", why);
}

// A wrong one is answered when its delay is over; until then the session is not read.
static nav_status try_token(nd_session *s, uint32_t request, np_str token, const nd_credential **out, np_error *err)
{
    uint64_t delay_ms;
    const char *over = s->transport->door == ND_DOOR_WEB ? "websocket" : s->transport->encrypted ? "tls" : "plain";
    nav_status status = nd_guess(s->sessions, token, s->source_name, over, s->id, request, out, &delay_ms);
    switch (status) {
    case NAV_OK:
        return NAV_OK;
    case NAV_ERR_UNAUTHENTICATED:
        nd_session_hold(s);
        return NAV_ERR_AGAIN;
    case NAV_ERR_LIMIT:
        np_error_set_key(err, status, "token", "too many wrong tokens from this address: try again later");
        nd_reply_error(s, request, err);
        nd_session_close(s, "auth");
        return NAV_ERR_AGAIN;
    default:
        nd_session_close(s, "memory");
        return NAV_ERR_AGAIN;
    }
}

nav_status nd_access_login(nd_session *s, uint32_t request, np_str token, np_str space, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    char why[200];
    if (token.size) {
        const nd_credential *c;
        nav_status status = try_token(s, request, token, &c, err);
        if (status != NAV_OK) return status;
        status = become(s, c, why, sizeof why);
        if (status != NAV_OK) return np_error_set(err, status, "%s", why);
        nd_log(ND_LOG_INFO, "auth.passed", "session=%" PRIu64 " source=%s principal=%s role=%s namespace=%s", s->id,
               s->source_name, s->principal.name, np_role_name(s->principal.role), s->space->name);
    }
    if (s->principal.role == NP_ROLE_NOBODY)
        return np_error_set_key(err, NAV_ERR_UNAUTHENTICATED, "token", "this daemon requires a token");
    return choose_space(s, space, err);
}
