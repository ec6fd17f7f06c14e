// DESIGN. All open sessions, what they share, and the sockets that they come in by. What is told to higher floors goes
// through nd_session_calls, so that a session knows neither methods nor subscriptions. Loop thread only.
#ifndef ND_SESSIONS_H
#define ND_SESSIONS_H

#include "daemon/base/table.h"
#include "daemon/cache/memory.h"
#include "daemon/config/config.h"
#include "daemon/session/access.h"
#include "daemon/session/admission.h"
#include "daemon/session/input.h"
#include "protocol/envelope.h"

enum { ND_LISTENERS = 2, ND_READ_BYTES = 65536 };

typedef struct nd_sessions nd_sessions;
typedef struct nd_session nd_session;

typedef struct nd_listener {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    } u;
    nd_sessions *sessions;
    bool is_pipe, open;
    bool owes; // a connection waits that there was no memory for; libuv takes no other before it
    int lock;  // file descriptor that holds the socket's lock file; -1: none
} nd_listener;

// What those above do with a session; user is nd_sessions.user.
typedef struct nd_session_calls {
    // Handles one whole message. NAV_OK, also where the call failed and was answered so. NAV_ERR_AGAIN: not yet, the
    // session is held meanwhile. Else the peer does not speak the protocol: the session is closed, err says why.
    nav_status (*on_message)(void *user, nd_session *s, const uint8_t *bytes, size_t count, np_error *err);
    // Its output has drained: what waited for that goes on.
    void (*on_room)(void *user, nd_session *s);
    // It has ended: everything that others hold of it goes.
    void (*on_end)(void *user, nd_session *s);
} nd_session_calls;

typedef struct nd_session_stats {
    uint64_t opened, refused, requests, errors, protocol_errors, bytes_in, bytes_out;
} nd_session_stats;

struct nd_sessions {
    uv_loop_t *loop; // borrowed, as is all up to user
    const nd_config *config;
    nd_memory *memory;
    nd_session_calls calls;
    void *user;

    nd_table table; // open ones, by id
    uint64_t next_id;
    nd_access access;
    nd_admission admission;
    nd_inputs inputs;
    nd_listener listeners[ND_LISTENERS]; // a Unix socket, TCP
    np_limits frame_limits;
    uv_timer_t timeouts;
    nd_session *first_sender, *last_sender; // that have sent something in this turn of the loop
    nd_session *doomed;                     // that are closed, and end with the turn; by next_doomed
    uint64_t turn;
    size_t upload_bytes; // of all sessions' uploads
    bool draining;       // no further message is looked at
    nd_session_stats stats;
    nav_buffer scratch; // messages are encoded here
    char read_buffer[ND_READ_BYTES];
};

// The members up to `user` are set. Files are read and sockets opened by nd_access_init() and nd_listen_*().
void nd_sessions_init(nd_sessions *all);
// The configuration has changed.
void nd_sessions_reload(nd_sessions *all);
// Nobody new comes in.
void nd_sessions_stop_listening(nd_sessions *all);
// Ends all sessions and closes all handles; reason: as for nd_session_close().
void nd_sessions_close(nd_sessions *all, const char *reason);
// After the loop has ended.
void nd_sessions_deinit(nd_sessions *all);

// The end of a turn: sends what the sessions have, lets them go on with what waited for that, and ends those that are
// closed. True: some have more.
bool nd_sessions_end_turn(nd_sessions *all);
// NULL: none that is open has this id.
nd_session *nd_sessions_find(const nd_sessions *all, uint64_t id);
// The TCP port that it listens on, 0 without TCP.
int nd_sessions_port(const nd_sessions *all);

// listen.c: l is one of nd_sessions.listeners.
// One sentence in why. NAV_ERR_EXISTS: another navd holds the socket. NAV_ERR_IO, NAV_ERR_ARGUMENT.
NAV_MUST_USE nav_status nd_listen_unix(nd_listener *l, const char *path, char *why, size_t why_bytes);
NAV_MUST_USE nav_status nd_listen_tcp(nd_listener *l, const char *address, char *why, size_t why_bytes);
// A socket that listens already; it is taken over.
NAV_MUST_USE nav_status nd_listen_inherited(nd_listener *l, int fd, bool is_pipe, char *why, size_t why_bytes);
// "HOST:PORT", "[HOST]:PORT" or "PORT" (loopback); *port points into it. False: it is none of these.
bool nd_split_address(const char *address, char host[256], const char **port);
void nd_listener_close(nd_listener *l); // accepts one that is not open

#endif
