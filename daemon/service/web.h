// DESIGN. A listener for HTTP by libwebsockets, on the daemon's own loop. It accepts connections and hands them to the
// library, which reads the requests; it knows no page. GET and HEAD only; an answer is made as a whole and written as
// the socket takes it. Few connections with few bytes each: a client that is slow or sends nonsense is closed, and the
// oldest makes room for a new one. A connection that becomes a WebSocket is a session from then on (web_socket.h), with
// the limits of sessions. Beyond loopback there is TLS, with the daemon's certificate. Loop thread only.
#ifndef ND_WEB_H
#define ND_WEB_H

#include "core/base/buffer.h"
#include "daemon/session/sessions.h"

struct lws;
typedef struct nd_web nd_web;

typedef struct nd_web_header {
    const char *name, *value; // name: lower case, with its colon
} nd_web_header;

typedef struct nd_web_answer {
    unsigned status;
    const char *type;      // of the body; NULL: there is none
    nd_web_header more[4]; // besides those of all answers; up to the first without a name. They outlive the call.
    nav_buffer text;       // the body, where it is made for this answer
    const uint8_t *body;   // else it outlives the listener
    size_t size;
} nd_web_answer;

typedef struct nd_web_calls {
    const nd_web_header *headers; // of all answers; up to one without a name
    // Fills the (zeroed) answer to a GET or HEAD. Milliseconds until it is given.
    uint64_t (*answer)(void *user, struct lws *wsi, const char *path, nd_web_answer *a);
    // May a WebSocket with the subprotocol "navd" be opened? 0, or the HTTP status with one sentence. NULL: never.
    unsigned (*may_open)(void *user, struct lws *wsi, const char *path, const char **why);
    void *user;
} nd_web_calls;

// Listens on HOST:PORT, [HOST]:PORT or PORT (loopback). option: by which it was configured, for the words.
// most_sockets: WebSockets at a time. One sentence in why; what is in *out then is to be closed and destroyed, too, or
// tried again: *out is NULL, or what such a call has left.
// NAV_ERR_IO, NAV_ERR_MEMORY, NAV_ERR_ARGUMENT.
NAV_MUST_USE nav_status nd_web_create(nd_sessions *sessions, const char *address, const char *option,
                                      unsigned most_sockets, const nd_web_calls *calls, char *why, size_t why_bytes,
                                      nd_web **out);
int nd_web_port(const nd_web *w);            // 0 for NULL
bool nd_web_open_to_others(const nd_web *w); // beyond loopback
void nd_web_reload(nd_web *w);               // the certificate may have changed; accepts NULL
void nd_web_close(nd_web *w);                // its handles; accepts NULL
void nd_web_destroy(nd_web *w);              // after the loop has ended; accepts NULL

// For the calls above: a header of the request, "" where it is absent. False: it is longer than there is room.
bool nd_web_header_of(struct lws *wsi, int token, char *out, size_t room);
void nd_web_source(struct lws *wsi, char out[ND_SOURCE_BYTES]);         // as nd_source_name()
NAV_MUST_USE nav_status nd_web_say(nd_web_answer *a, const char *text); // appends to the text

#endif
