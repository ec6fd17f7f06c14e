// DESIGN. The daemon as one object on one event loop: it owns the listeners, the sessions, the worlds, the mesh store,
// the cache, the workers and the builder, and wires them together. Nothing is global, so a test can run one in its own
// process, on a thread of its own.
//
//     listener ──► session ──message──► methods_*.c ──► world, mesh store ──► builder ──► workers
//                     ▲                                                          │
//                     └── subscription (pending tiles) ◄── on_tile ──────────────┘
//
// Everything here is the loop thread's, but for nd_server_stop().
#ifndef ND_SERVER_H
#define ND_SERVER_H

#include "daemon/batch.h"
#include "daemon/builder.h"
#include "daemon/config.h"

enum { ND_LISTENERS = 2, ND_READ_BYTES = 65536 };

struct nd_session;

typedef struct nd_listener {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    } u;
    struct nd_server *server;
    bool is_pipe, open;
    int lock; // file descriptor that holds the socket's lock file; -1: none
} nd_listener;

typedef struct nd_server_stats {
    uint64_t sessions_opened, requests, errors, edits, edit_ops, tile_notes, tile_bytes, bytes_in, bytes_out;
    uint64_t protocol_errors;
} nd_server_stats;

typedef struct nd_server {
    uv_loop_t *loop;
    nd_config config;
    np_limits frame_limits;
    nd_world_limits world_limits;
    nd_mesh_store meshes;
    nd_cache cache;
    ZSTD_CDict *dictionary; // the protocol's, prepared for the level of compression
    nd_workers *workers;
    nd_builder builder; // its `worlds` are the server's
    nd_listener listeners[ND_LISTENERS];
    nd_table sessions; // open ones, by id
    uint64_t next_session, next_world, next_subscription;
    size_t upload_bytes; // of all sessions' uploads
    nav_buffer scratch;  // messages are encoded here
    uv_timer_t progress;
    uv_async_t stop;
    bool stopping;
    uint64_t began_ns;
    nd_server_stats stats;
    uint64_t failure_logged_ns, failures_unlogged; // at most one line a second
    char read_buffer[ND_READ_BYTES];
} nd_server;

// Listens and serves on the loop from then on. One sentence in why: what failed, where, what can be done.
// NAV_ERR_EXISTS: another navd holds the socket. NAV_ERR_IO, NAV_ERR_MEMORY, NAV_ERR_ARGUMENT.
// When it fails, the loop must be run once more before it is closed.
NAV_MUST_USE nav_status nd_server_create(uv_loop_t *loop, const nd_config *config, char *why, size_t why_bytes,
                                         nd_server **out);
// Any thread, once: closes everything; the loop ends when that is done.
void nd_server_stop(nd_server *s);
// After the loop has ended. Accepts NULL.
void nd_server_destroy(nd_server *s);

nd_world *nd_server_find_world(const nd_server *s, uint64_t id);
nd_world *nd_server_find_world_named(const nd_server *s, np_str name);
struct nd_session *nd_server_find_session(const nd_server *s, uint64_t id);
// The TCP port that it listens on, 0 without TCP.
int nd_server_port(const nd_server *s);
// Starts the timer of progress notes, if it does not run.
void nd_server_watch_progress(nd_server *s);

// listen.c
NAV_MUST_USE nav_status nd_listen_unix(nd_server *s, nd_listener *l, const char *path, char *why, size_t why_bytes);
NAV_MUST_USE nav_status nd_listen_tcp(nd_server *s, nd_listener *l, const char *address, char *why, size_t why_bytes);
void nd_listener_close(nd_listener *l); // accepts one that is not open

#endif
