// The methods of the protocol. One handler each, on the loop thread; it answers with nd_reply(), or keeps the call's id
// and answers later, or returns an error that the dispatcher sends. Loop thread only.
#ifndef ND_METHODS_H
#define ND_METHODS_H

#include "daemon/session/session.h"

typedef struct nd_call {
    nd_server *server;
    nd_session *session;
    const np_message *message;
    np_error err; // what a handler that fails has to say
} nd_call;

// Handles one whole message. NAV_OK, also where the call failed and was answered so. Else the peer does not speak the
// protocol: close the session, err says why.
NAV_MUST_USE nav_status nd_methods_handle(nd_session *s, const uint8_t *bytes, size_t count, np_error *err);

// response: the np_*_response of the method.
void nd_reply(nd_session *s, uint32_t request, np_method method, const void *response);
void nd_reply_error(nd_session *s, uint32_t request, const np_error *e);

// What the builder calls back.
void nd_methods_batch_done(void *server, nd_batch *b);

// Answers the call of a tiles.build that is given up, with NAV_ERR_CANCELLED.
void nd_methods_batch_cancel(nd_server *server, nd_batch *b);

// NAV_ERR_FORBIDDEN with words, unless the session has that role at least. what: "make a world".
NAV_MUST_USE nav_status nd_call_needs(nd_call *c, np_role least, const char *what);

// May an answer have so many tiles with so many bytes together? NAV_ERR_LIMIT: more than a message may have, or than
// there is memory for.
NAV_MUST_USE nav_status nd_tiles_check_answer(nd_server *s, uint64_t bytes, uint32_t tiles, np_error *err);

// Finds what a call names in the session's namespace, or sets call->err.
NAV_MUST_USE nav_status nd_call_world(nd_call *c, uint64_t id, nd_world **out);
NAV_MUST_USE nav_status nd_call_profile(nd_call *c, const nd_world *w, np_str name, uint32_t *out);

#define ND_METHOD_DECLARATION(ID, name, wire, role) nav_status nd_method_##name(nd_call *c);
NP_METHOD_LIST(ND_METHOD_DECLARATION)
#undef ND_METHOD_DECLARATION

#endif
