// DESIGN. One connection of one client. Bytes come in through np_reader, whole messages go to the methods one after the
// other, and answers and notifications go out through libuv's write queue. What is queued is counted:
//
//     0 ........ output_bytes ................ max_output_bytes
//       all flows  | tiles wait in their         | no more calls are read
//                  | subscription, newest only   |
//
// So a client that does not read costs a bounded amount and nobody else's time. A call that needs a worker before the
// next one may be looked at (a large mesh.put: the edit behind it names the mesh) holds the session meanwhile. Closing
// is idempotent, lets go of everything the session holds in worlds and builder at once, and frees the session in
// libuv's close callback only. Others name a session by its id. Loop thread only.
#ifndef ND_SESSION_H
#define ND_SESSION_H

#include "daemon/server.h"

struct nd_subscription;

typedef struct nd_upload {
    np_mesh_put_request head; // of the first part; data unused
    nav_buffer bytes;
    bool active;
} nd_upload;

typedef struct nd_session {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    } u;
    nd_node node;
    uint64_t id;
    nd_server *server;
    np_reader reader;
    bool greeted, closing, held, reading, in_messages;
    size_t queued_bytes;
    uint32_t waits, builds, subscription_count;
    uint64_t sent_count; // tiles that its subscriptions remember
    struct nd_subscription *subscriptions;
    nd_upload upload;
} nd_session;

// Takes the next connection of a listener. Failures are logged.
void nd_session_accept(nd_listener *l);

// Sends one message: head, and after it the blob's bytes where there is one (it takes its own reference).
void nd_session_send(nd_session *s, const void *head, size_t count, nd_blob *blob);
// May tiles be sent now?
bool nd_session_writable(const nd_session *s);
// No further message is looked at until it is released.
void nd_session_hold(nd_session *s);
void nd_session_release(nd_session *s);

// reason: one word for the log. Any number of times.
void nd_session_close(nd_session *s, const char *reason);

#endif
