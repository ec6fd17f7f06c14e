// DESIGN. The daemon as one object on one event loop: it owns the listeners, the sessions, the worlds, the mesh store,
// the cache, the workers and the builder, and wires them together. Nothing is global, so a test can run one in its own
// process, on a thread of its own.
//
//     listener ──► session ──message──► methods/*.c ──► world, mesh store ──► builder ──► workers
//                     ▲                                                          │
//                     └── subscription (pending tiles) ◄── on_tile ──────────────┘
//
// Everything here is the loop thread's, but for nd_server_stop() and nd_server_drain().
#ifndef ND_SERVER_H
#define ND_SERVER_H

#include "daemon/cache/memory.h"
#include "daemon/config/config.h"
#include "daemon/session/access.h"
#include "daemon/session/admission.h"
#include "daemon/session/input.h"
#include "daemon/store/mesh_loader.h"
#include "daemon/work/batch.h"
#include "daemon/work/builder.h"

#include <stdatomic.h>

enum { ND_LISTENERS = 2, ND_READ_BYTES = 65536 };

struct nd_session;
struct nd_http;

typedef struct nd_listener {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    } u;
    struct nd_server *server;
    bool is_pipe, open;
    bool owes; // a connection waits that there was no memory for; libuv takes no other before it
    int lock;  // file descriptor that holds the socket's lock file; -1: none
} nd_listener;

typedef struct nd_server_stats {
    uint64_t sessions_opened, sessions_refused, requests, errors, edits, edit_ops, tile_notes, tile_bytes, bytes_in,
        bytes_out;
    uint64_t protocol_errors, unstored;
} nd_server_stats;

typedef struct nd_server {
    uv_loop_t *loop;
    nd_config config;
    np_limits frame_limits;
    nd_world_limits world_limits;
    nd_access access;
    nd_mesh_store meshes;
    nd_cache cache;
    nd_tile_cache *disk;          // NULL without a state folder
    int state_lock;               // file descriptor; -1: none
    struct nd_world_store *store; // NULL: worlds are in memory only
    nd_mesh_loader loader;
    ZSTD_CDict *dictionary; // the protocol's, prepared for the level of compression
    nd_workers *workers;
    nd_worlds worlds;
    nd_builder builder;
    nd_listener listeners[ND_LISTENERS];
    struct nd_http *http; // NULL: none
    nd_table sessions;    // open ones, by id
    nd_admission admission;
    nd_inputs inputs;
    nd_memory memory;
    uv_timer_t timeouts;
    uint64_t next_session, next_subscription;
    struct nd_session *first_sender, *last_sender; // that have sent something in this turn of the loop
    uint64_t turn;
    bool sync_due;           // some world has its sync_due set
    uv_check_t after_events; // the two places where a turn ends, and what goes on without waiting for events
    uv_prepare_t before_waiting;
    uv_idle_t more_output;
    nd_histogram turns; // how long they take
    uint64_t turn_began_ns, idle_ns;
    size_t upload_bytes; // of all sessions' uploads
    nav_buffer scratch;  // messages are encoded here
    uv_timer_t progress;
    uv_async_t stop;
    atomic_bool stop_softly; // what `stop` is to do
    uv_timer_t drain;
    uint64_t drain_ends_ns;
    bool draining, stopping;
    uint64_t began_ns;
    nd_server_stats stats;
    uint64_t measured_ns, open_descriptors; // of the process, as they were then
    nd_memory_use memory_use;
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
// Any thread: finishes what was begun (drain.h), at most for drain_s, then stops.
void nd_server_drain(nd_server *s);
// Takes over what may change while it runs, and logs what changed and what needs a restart.
void nd_server_reload(nd_server *s, const nd_config *next);
// After the loop has ended. Accepts NULL.
void nd_server_destroy(nd_server *s);

// Ends everything that looks at the world, and frees it.
void nd_server_remove_world(nd_server *s, nd_world *w);
struct nd_session *nd_server_find_session(const nd_server *s, uint64_t id);
// The TCP port that it listens on, 0 without TCP.
int nd_server_port(const nd_server *s);
// Starts the timer of progress notes, if it does not run.
void nd_server_watch_progress(nd_server *s);

// listen.c
NAV_MUST_USE nav_status nd_listen_unix(nd_server *s, nd_listener *l, const char *path, char *why, size_t why_bytes);
NAV_MUST_USE nav_status nd_listen_tcp(nd_server *s, nd_listener *l, const char *address, char *why, size_t why_bytes);
// A socket that listens already; it is taken over.
NAV_MUST_USE nav_status nd_listen_inherited(nd_server *s, nd_listener *l, int fd, bool is_pipe, char *why,
                                            size_t why_bytes);
// "HOST:PORT", "[HOST]:PORT" or "PORT" (loopback); *port points into it. False: it is none of these.
bool nd_split_address(const char *address, char host[256], const char **port);
void nd_listener_close(nd_listener *l); // accepts one that is not open

#endif
