// view.open: a token for the view, and where the view is. Those who came in with such a token get no other, so a token
// is worth what whoever asked for it may do, and no longer than he may do it.
#include "daemon/base/thread.h"
#include "daemon/methods/methods.h"

#include <inttypes.h>
#include <openssl/crypto.h>

static nav_status make_token(nd_call *c, np_role role, char token[ND_TOKEN_BYTES])
{
    const nd_session *s = c->session;
    nd_principal principal = s->principal;
    principal.role = role;
    nav_status status = nd_pass_create(&s->sessions->access.passes, &principal, s->space->name, s->credential,
                                       uv_now(s->sessions->loop), token);
    if (status == NAV_ERR_LIMIT)
        return np_error_set(&c->err, status,
                            "%d views of one user, or %d in all, are open, the limit: close some, or try again later",
                            ND_MAX_PASSES_OF_ONE, ND_MAX_PASSES);
    return status == NAV_OK ? NAV_OK
                            : np_error_set(&c->err, status, "cannot make a token: %s", nav_status_text(status));
}

nav_status nd_method_view_open(nd_call *c)
{
    np_view_open_request r;
    char token[ND_TOKEN_BYTES];
    nd_view_place place;
    const nd_session *s = c->session;
    np_role role = NP_ROLE_READER;
    nav_status status = np_decode_view_open_request(c->message, &r, &c->err);
    if (status != NAV_OK) return status;
    if (nd_passes_find(&s->sessions->access.passes, s->credential))
        return np_error_set(&c->err, NAV_ERR_FORBIDDEN,
                            "a session of the view cannot open another view: use navctl view");
    if (r.edit) {
        role = NP_ROLE_EDITOR;
        status = nd_call_needs(c, role, "edit");
    }
    if (status == NAV_OK) status = c->methods->open_view(c->methods->user, s, &place, &c->err);
    if (status == NAV_OK) status = make_token(c, role, token);
    if (status != NAV_OK) return status;
    nd_log(ND_LOG_INFO, "view.asked", "session=%" PRIu64 " principal=%s role=%s namespace=%s", s->id, s->principal.name,
           np_role_name(role), s->space->name);
    const np_view_open_response out = {.url = np_str_of(place.url),
                                       .token = np_str_of(token),
                                       .role = np_str_of(np_role_name(role)),
                                       .space = np_str_of(s->space->name),
                                       .valid_s = ND_PASS_VALID_S,
                                       .no_files = place.no_files};
    nd_reply(c->session, c->message->id, NP_VIEW_OPEN, &out);
    OPENSSL_cleanse(token, sizeof token);
    OPENSSL_cleanse(s->sessions->scratch.data, s->sessions->scratch.size);
    return NAV_OK;
}
