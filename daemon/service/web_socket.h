// DESIGN. A session over a WebSocket (session/transport.h). Binary messages carry the protocol's bytes, cut anywhere:
// what a message or a frame is means nothing. libwebsockets reads frames, joins fragments, answers pings and closes;
// here a packet becomes frames of at most 64 KiB. The library writes one at a time and keeps what the socket does not
// take of it: until that is gone the packet is lent to it, so what waits is counted where all output is. Loop thread
// only.
#ifndef ND_WEB_SOCKET_H
#define ND_WEB_SOCKET_H

#include "daemon/session/sessions.h"

enum { ND_WEB_FRAME_BYTES = 64 * 1024 };

struct lws;
typedef struct nd_web_socket nd_web_socket;

// A connection became a WebSocket: it gets a session, or is refused and told why. frame: where
// its frames are made, LWS_PRE and ND_WEB_FRAME_BYTES large, shared by those of one listener. NULL: no memory.
nd_web_socket *nd_web_socket_open(nd_sessions *sessions, struct lws *wsi, unsigned char *frame);
// Of the library's callbacks: -1 closes the connection.
int nd_web_socket_received(nd_web_socket *w, const void *bytes, size_t count);
int nd_web_socket_writable(nd_web_socket *w);
// The connection is gone, once.
void nd_web_socket_gone(nd_web_socket *w);

#endif
