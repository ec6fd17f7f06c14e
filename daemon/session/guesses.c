#include "daemon/session/guesses.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/session/reply.h"

#include <inttypes.h>
#include <stdlib.h>

// A wrong token whose answer waits. It counts until then, also where its sender has gone.
struct nd_refusal {
    uv_timer_t timer;
    nd_refusal *next;
    nd_sessions *sessions;
    nd_source *source; // NULL: the table of sources is full
    uint64_t session;
    uint32_t request;
};

static void free_handle(uv_handle_t *handle)
{
    free(handle->data);
}

static void close_refusal(nd_refusal *r)
{
    nd_refusal **at = &r->sessions->access.refusals;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
    if (r->source) r->source->refusals--;
    uv_close((uv_handle_t *)&r->timer, free_handle);
}

void nd_guesses_drop(nd_sessions *sessions)
{
    ND_ASSERT_LOOP_THREAD();
    while (sessions->access.refusals) close_refusal(sessions->access.refusals);
}

static void on_due(uv_timer_t *timer)
{
    nd_refusal *r = timer->data;
    nd_session *s = nd_sessions_find(r->sessions, r->session);
    np_error err = {0};
    if (s) {
        np_error_set_key(&err, NAV_ERR_UNAUTHENTICATED, "token", "the token is not valid");
        nd_reply_error(s, r->request, &err);
        nd_session_close(s, "auth");
    }
    close_refusal(r);
}

static nav_status begin_refusal(nd_sessions *sessions, nd_source *source, uint64_t delay_ms, uint64_t session,
                                uint32_t request)
{
    nd_refusal *r = calloc(1, sizeof *r);
    if (!r || uv_timer_init(sessions->loop, &r->timer)) {
        free(r);
        return NAV_ERR_MEMORY;
    }
    r->timer.data = r;
    r->sessions = sessions;
    r->source = source;
    r->session = session;
    r->request = request;
    r->next = sessions->access.refusals;
    sessions->access.refusals = r;
    if (source) source->refusals++;
    uv_timer_start(&r->timer, on_due, delay_ms, 0);
    return NAV_OK;
}

nav_status nd_guess(nd_sessions *sessions, np_str token, const char *source, const char *over, uint64_t session,
                    uint32_t request, const nd_credential **out, uint64_t *delay_ms)
{
    ND_ASSERT_LOOP_THREAD();
    nd_access *a = &sessions->access;
    char name[ND_GUESSED_BYTES];
    const nd_credential *named = nd_tokens_named(&a->tokens, token);
    if (!named) named = nd_passes_named(&a->passes, token);
    snprintf(name, sizeof name, "%s %.*s", source, ND_TOKEN_ID_CHARS, named ? named->id : "?");
    nd_source *s = nd_sources_find(&a->sources, name);
    if (s && s->refusals >= sessions->config->max_unauthenticated) {
        nd_admission_log_refusal(sessions, "max_unauthenticated", source);
        return NAV_ERR_LIMIT;
    }
    *out = nd_tokens_verify(&a->tokens, token);
    if (!*out) *out = nd_passes_verify(&a->passes, token, uv_now(sessions->loop));
    if (*out) return NAV_OK;

    a->failed_logins++;
    *delay_ms = sessions->config->auth_delay_ms;
    if (nd_sources_need(&a->sources, name, &s) == NAV_OK)
        *delay_ms = nd_source_fail(&a->sources, s, *delay_ms, nd_now_ns() / 1000000);
    else
        s = NULL;
    nd_log(ND_LOG_WARN, "auth.failed", "source=%s over=%s failures=%u delay_ms=%" PRIu64, source, over,
           s ? s->failures : 1, *delay_ms);
    nav_status begun = begin_refusal(sessions, s, *delay_ms, session, request);
    return begun == NAV_OK ? NAV_ERR_UNAUTHENTICATED : begun;
}
