#include "clients/c/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

double navd_clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void navd_default_address(char *text, size_t size)
{
    const char *given = getenv("NAVD_ADDRESS"), *runtime = getenv("XDG_RUNTIME_DIR");
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char own[PATH_BYTES] = "", service[] = "/run/navd/navd.sock", kept[PATH_BYTES] = "";
    if (given && *given) {
        snprintf(text, size, "%s", given);
        return;
    }
    if (runtime && *runtime) snprintf(own, sizeof own, "%s/navd.sock", runtime);
    if (state && *state == '/')
        snprintf(kept, sizeof kept, "%s/navd/navd.sock", state);
    else if (home && *home == '/')
        snprintf(kept, sizeof kept, "%s/.local/state/navd/navd.sock", home);
    const char *const places[] = {own, service, kept}; // the first that is there
    const char *first = own[0] ? own : service;
    for (size_t i = 3; i-- > 0;) {
        if (places[i][0] && access(places[i], F_OK) == 0) first = places[i];
    }
    snprintf(text, size, "%s", first);
}

// Milliseconds for poll(): rounded up, -1 for ever.
static int left_ms(double deadline_ms)
{
    if (deadline_ms < 0) return -1;
    double left = deadline_ms - navd_clock_ms();
    return left <= 0 ? 0 : left > 1e9 ? 1000000000 : (int)left + 1;
}

static nav_status send_bytes(int fd, nav_buffer *out, size_t *sent)
{
    while (*sent < out->size) {
        ssize_t n = send(fd, out->data + *sent, out->size - *sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return NAV_OK;
        if (n < 0) return errno == EPIPE || errno == ECONNRESET ? NAV_ERR_CLOSED : NAV_ERR_IO;
        *sent += (size_t)n;
    }
    out->size = *sent = 0;
    return NAV_OK;
}

// What TLS has for the socket.
nav_status navd_connection_send_sealed(navd_client *c)
{
    nav_status s = navd_client_tls_take(c->tls, &c->sealed);
    return s == NAV_OK ? send_bytes(c->fd, &c->sealed, &c->sealed_sent) : s;
}

static nav_status send_some(navd_client *c)
{
    if (!c->tls) return send_bytes(c->fd, &c->out, &c->sent);
    nav_status s = navd_client_tls_write(c->tls, c->out.data + c->sent, c->out.size - c->sent);
    if (s != NAV_OK) return s;
    c->out.size = c->sent = 0;
    return navd_connection_send_sealed(c);
}

static nav_status take_sealed(navd_client *c, const uint8_t *bytes, size_t count)
{
    uint8_t plain[1 << 15];
    size_t size, fed = 0;
    nav_status s = navd_client_tls_feed(c->tls, bytes, count);
    while (s == NAV_OK) {
        s = navd_client_tls_read(c->tls, plain, sizeof plain, &size);
        if (s == NAV_OK) s = np_reader_feed(&c->reader, plain, size);
        fed += size;
    }
    if (s == NAV_ERR_CLOSED && fed) return NAV_OK; // what came before the end is looked at first
    if (s == NAV_ERR_IO || s == NAV_ERR_UNTRUSTED) snprintf(c->why, sizeof c->why, "%s", navd_client_tls_why(c->tls));
    return s == NAV_ERR_AGAIN ? navd_connection_send_sealed(c) : s;
}

// So much at a time, so that a fast peer cannot keep the caller from its own work.
static nav_status receive_some(navd_client *c)
{
    enum { READ_BYTES = 1 << 18 };
    uint8_t sealed[1 << 16], *to = sealed;
    nav_status s = c->tls ? NAV_OK : np_reader_room(&c->reader, READ_BYTES, &to);
    if (s != NAV_OK) return s;
    ssize_t n = recv(c->fd, to, c->tls ? sizeof sealed : READ_BYTES, 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return NAV_OK;
    if (n < 0) return errno == ECONNRESET ? NAV_ERR_CLOSED : NAV_ERR_IO;
    if (n == 0) return NAV_ERR_CLOSED;
    c->resume.heard_ms = navd_clock_ms();
    if (c->tls) return take_sealed(c, sealed, (size_t)n);
    np_reader_received(&c->reader, (size_t)n);
    return NAV_OK;
}

nav_status navd_connection_move_bytes(navd_client *c)
{
    nav_status sent = send_some(c);
    nav_status received = receive_some(c); // even when sending failed: the peer may have said why it closed
    return received != NAV_OK ? received : sent;
}

nav_status navd_connection_wait_only(const navd_client *c, double deadline_ms)
{
    struct pollfd p = {.fd = navd_fd(c), .events = (short)(POLLIN | (navd_want_write(c) ? POLLOUT : 0))};
    for (;;) {
        int ready = poll(&p, 1, left_ms(deadline_ms));
        if (ready > 0) return NAV_OK;
        if (ready == 0) return NAV_ERR_TIMEOUT;
        if (errno != EINTR) return NAV_ERR_IO;
    }
}

nav_status navd_connection_wait(navd_client *c, double deadline_ms)
{
    double due_ms = navd_resume_due_ms(c);
    bool is_due = due_ms >= 0 && (deadline_ms < 0 || due_ms < deadline_ms);
    nav_status s = navd_connection_wait_only(c, is_due ? due_ms : deadline_ms);
    return s == NAV_ERR_TIMEOUT && is_due ? NAV_OK : s;
}
