#include "daemon/service/systemd.h"

#include "daemon/base/clock.h"
#include "daemon/base/thread.h"
#include "daemon/service/ready.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

enum { STATUS_MS = 5000 };

nav_status nd_systemd_sockets(nd_config *c, char *why, size_t why_bytes)
{
    int count = sd_listen_fds(1);
    for (int i = 0; i < count; i++) {
        int fd = SD_LISTEN_FDS_START + i;
        int *place = sd_is_socket_unix(fd, SOCK_STREAM, 1, NULL, 0) > 0        ? &c->socket_fd
                     : sd_is_socket_inet(fd, AF_UNSPEC, SOCK_STREAM, 1, 0) > 0 ? &c->listen_fd
                                                                               : NULL;
        if (!place || *place) {
            snprintf(why, why_bytes,
                     "socket %d of the service manager %s: expected one listening Unix and one listening TCP stream "
                     "socket",
                     i + 1, place ? "is a second one of its kind" : "is of another kind");
            return NAV_ERR_ARGUMENT;
        }
        *place = fd;
    }
    return NAV_OK;
}

// That the loop comes here is the sign of life.
static void on_pulse(uv_timer_t *timer)
{
    const nd_systemd *m = timer->data;
    const char *reason = nd_unready(m->service);
    (void)sd_notifyf(0, "WATCHDOG=1\nSTATUS=%s%s%zu sessions, %zu worlds", reason ? reason : "", reason ? "; " : "",
                     m->service->methods->sessions->table.count, m->service->methods->worlds->count);
}

void nd_systemd_init(nd_systemd *m, uv_loop_t *loop, const nd_service *s)
{
    ND_ASSERT_LOOP_THREAD();
    uint64_t us = 0, ms = STATUS_MS;
    if (sd_watchdog_enabled(0, &us) > 0 && us / 2000 < ms) ms = us / 2000 ? us / 2000 : 1; // twice as often as it must
    *m = (nd_systemd){.service = s};
    if (!getenv("NOTIFY_SOCKET")) return;
    if (uv_timer_init(loop, &m->pulse)) abort(); // it cannot: a timer is memory only
    m->open = true;
    m->pulse.data = m;
    uv_unref((uv_handle_t *)&m->pulse);
    uv_timer_start(&m->pulse, on_pulse, ms, ms);
    (void)sd_notifyf(0, "READY=1\nMAINPID=%ld", (long)getpid());
    on_pulse(&m->pulse);
}

void nd_systemd_reloading(void)
{
    // Type=notify-reload wants to know since when.
    (void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, nd_now_ns() / 1000);
}

void nd_systemd_reloaded(void)
{
    (void)sd_notify(0, "READY=1");
}

void nd_systemd_stopping(void)
{
    (void)sd_notify(0, "STOPPING=1\nSTATUS=navd is finishing its work");
}

void nd_systemd_close(nd_systemd *m)
{
    if (m->open) uv_close((uv_handle_t *)&m->pulse, NULL);
    m->open = false;
}
