// DESIGN. What carries a session's bytes: a socket, plain or with TLS (socket.h), or a WebSocket
// (service/web_socket.h).
//
//     peer ──► transport ──nd_session_receive()──► reader ──► methods
//     peer ◄── transport ◄──────flush()─────────── output ◄── methods
//
// A session knows its transport by these calls alone, so what holds for sessions (limits, login, timeouts, slow
// readers) holds for all of them. A transport that is full takes nothing more and calls nd_session_drained() when it
// does again. One that breaks calls nd_session_close(). Its memory is its own. Loop thread only.
#ifndef ND_TRANSPORT_H
#define ND_TRANSPORT_H

#include "daemon/session/output.h"

struct nd_session;
typedef struct nd_transport nd_transport;

// By which door a session came in: what is known of its peer.
typedef enum nd_door {
    ND_DOOR_UNIX, // the kernel says whose it is
    ND_DOOR_TCP,
    ND_DOOR_WEB, // any page of any browser may have opened it: always a token
} nd_door;

typedef struct nd_transport_calls {
    // Takes from the output what the peer takes now. 0, or libuv's error: the session closes.
    int (*flush)(nd_transport *t, nd_output *o);
    // From now on bytes come, or none do. 0, or libuv's error.
    int (*set_reading)(nd_transport *t, bool reading);
    // Sends bytes to a peer that gets no session; what it does not take at once is lost.
    void (*tell)(nd_transport *t, const void *bytes, size_t count);
    // After the last flush: says the end as the transport does. reason: one word.
    void (*end)(nd_transport *t, nd_output *o, const char *reason);
    // Closes; calls nd_session_closed() once it uses neither session nor output any more, possibly before it returns.
    void (*close)(nd_transport *t);
    // Changes while the peer reads, though no packet was taken.
    size_t (*unsent)(const nd_transport *t);
    int (*descriptor)(const nd_transport *t); // -1: gone
} nd_transport_calls;

struct nd_transport {
    const nd_transport_calls *calls;
    struct nd_session *session;
    nd_door door;
    bool encrypted;
};

const char *nd_door_name(nd_door door);

#endif
