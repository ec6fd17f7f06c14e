#include "daemon/methods/methods.h"

#include "daemon/methods/axes.h"
#include "daemon/methods/edit.h"
#include "daemon/methods/profile.h"

#include "daemon/base/thread.h"
#include "protocol/dictionary.h"

#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

typedef nav_status (*handler)(nd_call *c);

static const handler handlers[NP_METHOD_COUNT] = {
#define HANDLER(ID, name, wire, role) [NP_##ID] = nd_method_##name,
    NP_METHOD_LIST(HANDLER)
#undef HANDLER
};

static nav_status call_handler(nd_call *c, np_method method)
{
    if (method == NP_UNKNOWN)
        return np_error_set(&c->err, NAV_ERR_NOT_FOUND, "there is no method \"%.*s\"",
                            c->message->method.size < 64 ? (int)c->message->method.size : 64, c->message->method.data);
    np_role least = np_method_role(method);
    if (!c->session->greeted && least != NP_ROLE_NOBODY)
        return np_error_set(&c->err, NAV_ERR_STATE, "%s before hello: say hello first", np_method_name(method));
    nav_status s = nd_call_needs(c, least, np_method_name(method));
    if (s == NAV_OK) s = nd_call_find_axes(c, method);
    return s == NAV_OK ? handlers[method](c) : s;
}

nav_status nd_call_needs(nd_call *c, np_role least, const char *what)
{
    np_role have = c->session->principal.role;
    if (have >= least) return NAV_OK;
    return np_error_set(&c->err, NAV_ERR_FORBIDDEN, "%s requires the role %s; this session has the role %s", what,
                        np_role_name(least), np_role_name(have));
}

// The token is nowhere in memory that is used again: not in the bytes as they came, nor in what was read from them.
static void cleanse(nd_session *s, const np_message *m, const uint8_t *bytes, size_t count)
{
    np_hello_request r;
    np_error err;
    if (np_decode_hello_request(m, &r, &err) == NAV_OK && r.token.size)
        OPENSSL_cleanse((char *)r.token.data, r.token.size);
    OPENSSL_cleanse((uint8_t *)bytes, count);
    OPENSSL_cleanse(s->sessions->read_buffer, sizeof s->sessions->read_buffer);
}

nav_status nd_methods_on_message(void *user, nd_session *s, const uint8_t *bytes, size_t count, np_error *err)
{
    ND_ASSERT_LOOP_THREAD();
    np_message m;
    nd_call c = {.methods = user, .session = s, .message = &m};
    nav_status status = np_message_read(bytes, count, &m, &c.err);
    if (status == NAV_ERR_FORMAT || status == NAV_ERR_MEMORY) {
        *err = c.err;
        goto done;
    }
    if (np_method_of(&m) != NP_MESH_PUT && nd_methods_await_puts(s)) {
        status = NAV_ERR_AGAIN;
        goto done;
    }
    s->sessions->stats.requests++;
    if (status == NAV_OK && m.kind == NP_REQUEST) status = call_handler(&c, np_method_of(&m));
    if (np_method_of(&m) == NP_HELLO) cleanse(s, &m, bytes, count);
    if (status != NAV_OK && m.kind == NP_REQUEST) {
        c.err.code = status;
        nd_log(ND_LOG_DEBUG, "call.failed", "session=%" PRIu64 " method=%s code=%s why=%s", s->id,
               np_method_name(np_method_of(&m)), nav_status_name(status),
               nd_log_quote(c.err.message, strlen(c.err.message)).text);
        nd_reply_error(s, m.id, &c.err);
    }
    status = NAV_OK; // notifications and responses ask for nothing
done:
    np_message_deinit(&m);
    return status;
}

void nd_methods_on_room(void *user, nd_session *s)
{
    nd_methods *methods = user;
    nd_delivery_go_on(methods->delivery, s);
}

static void cancel_batches(nd_builder *b, const nd_session *s)
{
    for (nd_batch *batch = b->batches, *next; batch; batch = next) {
        next = batch->next;
        if (batch->caller != s->caller) continue;
        nd_batch_cancel(batch);
        if (!nd_batch_is_done(batch)) continue; // comes back when its runs have ended
        nd_builder_remove_batch(b, batch);
        nd_batch_destroy(batch);
    }
}

void nd_methods_on_end(void *user, nd_session *s)
{
    nd_methods *methods = user;
    nd_methods_end_upload(methods, s);
    nd_methods_end_puts(s);
    nd_methods_end_listing(methods, s);
    nd_delivery_leave(methods->delivery, s);
    nd_paths_leave(methods->paths, s->id);
    cancel_batches(methods->builder, s);
    nd_builder_leave(methods->builder, s->caller);
}

void nd_methods_remove_world(nd_methods *methods, nd_world *w)
{
    nd_log(ND_LOG_INFO, "world.deleted", "world=%" PRIu64 " name=%s", w->id,
           nd_log_quote(w->name, strlen(w->name)).text);
    nd_edits_drop(methods, w);
    nd_profiles_drop(methods, w);
    nd_delivery_end_world(methods->delivery, w);
    nd_paths_end_world(methods->paths, w);
    nd_builder_remove_world(methods->builder, w);
    nd_worlds_delete(methods->worlds, w);
}

nav_status nd_call_world(nd_call *c, uint64_t id, nd_world **out)
{
    *out = nd_worlds_find_in(c->methods->worlds, c->session->space, id);
    if (*out && (*out)->edit) nd_edits_finish(c->methods, *out);
    if (*out) return NAV_OK;
    return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "world", "there is no world %" PRIu64, id);
}

nav_status nd_call_profile(nd_call *c, const nd_world *w, np_str name, uint32_t *out)
{
    *out = nd_world_find_profile(w, name);
    if (*out == UINT32_MAX && w->change) { // it may be on its way
        nd_profiles_finish(c->methods, w);
        *out = nd_world_find_profile(w, name);
    }
    if (*out != UINT32_MAX) return NAV_OK;
    return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "profile", "the world has no profile \"%.*s\"", (int)name.size,
                            name.data);
}

nav_status nd_call_sheet(nd_call *c, const nd_world *w, uint32_t profile, nav_sheet sheet, uint32_t *out)
{
    const np_str name = w->profiles[profile].wire.name;
    *out = nd_world_find_sheet(w, name, sheet);
    if (*out != UINT32_MAX) return NAV_OK;
    return np_error_set_key(&c->err, NAV_ERR_ARGUMENT, "sheet", "the profile \"%.*s\" has no sheet %s", (int)name.size,
                            name.data, nav_sheet_name(sheet));
}

nav_status nd_method_hello(nd_call *c)
{
    np_hello_request r;
    nav_status s = np_decode_hello_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    if (c->session->greeted)
        return np_error_set(&c->err, NAV_ERR_STATE,
                            "the session has already said hello; open another connection to use another identity");
    if (r.version != NP_PROTOCOL_VERSION)
        return np_error_set_key(&c->err, NAV_ERR_VERSION, "version", "unsupported protocol version %u; expected %d",
                                r.version, NP_PROTOCOL_VERSION);
    s = nd_access_login(c->session, c->message->id, r.token, r.space, &c->err);
    if (s != NAV_OK) return s == NAV_ERR_AGAIN ? NAV_OK : s; // it is answered later
    if (r.priority == NP_PRIORITY_HIGH) s = nd_call_needs(c, NP_ROLE_ADMIN, "priority high");
    if (s != NAV_OK) return s;
    const nd_config *cfg = c->methods->config;
    const np_limits *l = &c->methods->sessions->frame_limits;
    nd_session_greeted(c->session);
    nd_caller_set_name(c->session->caller->client, r.client);
    nd_caller_set_priority(c->session->caller, r.priority);
    nd_caller_set_name(c->session->caller->principal, np_str_of(c->session->principal.name));
    c->session->keepalive = r.keepalive;
    nd_admission_greeted(c->session);
    nd_log(ND_LOG_INFO, "session.hello", "id=%" PRIu64 " client=%s over=%s principal=%s role=%s", c->session->id,
           nd_log_quote(r.client.data, r.client.size).text, nd_door_name(c->session->transport->door),
           c->session->principal.name, np_role_name(c->session->principal.role));
    np_hello_response out = {.server = np_str_of("navd " NAVD_VERSION),
                             .version = NP_PROTOCOL_VERSION,
                             .limits = {.message_bytes = l->message_bytes,
                                        .depth = l->depth,
                                        .elements = l->elements,
                                        .container_elements = l->container_elements,
                                        .mesh_part_bytes = NP_MESH_PART_BYTES,
                                        .mesh_bytes = (uint32_t)cfg->max_mesh_bytes,
                                        .edit_ops = (uint32_t)cfg->max_edit_ops,
                                        .request_tiles = (uint32_t)cfg->max_request_tiles},
                             .dictionary = NP_DICTIONARY_ID,
                             .role = np_str_of(np_role_name(c->session->principal.role)),
                             .space = np_str_of(c->session->space->name),
                             .keepalive_s = (uint32_t)cfg->keepalive_s};
    nd_reply(c->session, c->message->id, NP_HELLO, &out);
    return NAV_OK;
}

nav_status nd_method_ping(nd_call *c)
{
    np_none out = {0};
    nd_reply(c->session, c->message->id, NP_PING, &out);
    return NAV_OK;
}

nav_status nd_method_dictionary_get(nd_call *c)
{
    np_dictionary_get_request r;
    nav_status s = np_decode_dictionary_get_request(c->message, &r, &c->err);
    if (s != NAV_OK) return s;
    if (r.id != NP_DICTIONARY_ID)
        return np_error_set_key(&c->err, NAV_ERR_NOT_FOUND, "id", "there is no dictionary %u; this daemon has %d", r.id,
                                NP_DICTIONARY_ID);
    np_dictionary_get_response out = {.id = r.id, .data = {np_dictionary, (uint32_t)np_dictionary_bytes}};
    nd_reply(c->session, c->message->id, NP_DICTIONARY_GET, &out);
    return NAV_OK;
}
