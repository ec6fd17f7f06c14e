// What navd tells its service manager and gets from it: readiness, reload, status, the watchdog, passed sockets.
// Without a service manager (NOTIFY_SOCKET, LISTEN_FDS unset) all of it does nothing. Loop thread only.
#ifndef ND_SYSTEMD_H
#define ND_SYSTEMD_H

#include "daemon/service/service.h"

typedef struct nd_systemd {
    const nd_service *service;
    uv_timer_t pulse;
    bool open;
} nd_systemd;

// Sockets that were passed on, a Unix and a TCP stream that listen, become c->socket_fd and c->listen_fd. They are
// taken out of the environment. NAV_ERR_ARGUMENT and one sentence: one is of another kind, or there are more than these
// two.
NAV_MUST_USE nav_status nd_systemd_sockets(nd_config *c, char *why, size_t why_bytes);

// The server serves: says so, and keeps the watchdog content from then on.
void nd_systemd_init(nd_systemd *m, uv_loop_t *loop, const nd_service *s);
void nd_systemd_reloading(void);
void nd_systemd_reloaded(void);
void nd_systemd_stopping(void);
void nd_systemd_close(nd_systemd *m); // any number of times

#endif
