// DESIGN. The daemon as one object on one event loop. It owns the parts, makes them known to each other, and begins and
// ends them in order; what a part does is told in its own header. Nothing is global, so a test can run a daemon in its
// own process, on a thread of its own. Nobody outside of server.c sees what is in it.
//
//     listener ──► session ──message──► methods/*.c ──► worlds, meshes ──► builder ──► workers
//                     ▲                                                       │
//                     └── delivery (subscriptions, waits) ◄── finished tile ──┘
//
// Everything here is the loop thread's, but for nd_server_stop() and nd_server_drain().
#ifndef ND_SERVER_H
#define ND_SERVER_H

#include "daemon/config/config.h"
#include "daemon/service/service.h"

typedef struct nd_server nd_server;

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

const nd_service *nd_server_service(const nd_server *s);
// The TCP ports that it listens on; 0: none.
int nd_server_port(const nd_server *s);
int nd_server_http_port(const nd_server *s);
int nd_server_view_port(const nd_server *s);

#endif
