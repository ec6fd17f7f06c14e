#include "clients/c/client.h"

#include <stdio.h>

// Milliseconds to wait: rounded up, -1 for ever.
static int left_ms(double deadline_ms)
{
    if (deadline_ms < 0) return -1;
    double left = deadline_ms - navd_clock_ms();
    return left <= 0 ? 0 : left > 1e9 ? 1000000000 : (int)left + 1;
}

static nav_status send_bytes(int fd, nav_buffer *out, size_t *sent)
{
    while (*sent < out->size) {
        size_t count;
        nav_status s = navd_socket_send(fd, out->data + *sent, out->size - *sent, &count);
        if (s != NAV_OK) return s == NAV_ERR_AGAIN ? NAV_OK : s;
        *sent += count;
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
    size_t count;
    s = navd_socket_receive(c->fd, to, c->tls ? sizeof sealed : READ_BYTES, &count);
    if (s != NAV_OK) return s == NAV_ERR_AGAIN ? NAV_OK : s;
    c->resume.heard_ms = navd_clock_ms();
    if (c->tls) return take_sealed(c, sealed, count);
    np_reader_received(&c->reader, count);
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
    nav_status s;
    do s = navd_socket_wait(navd_fd(c), navd_want_write(c), left_ms(deadline_ms));
    while (s == NAV_ERR_AGAIN);
    return s;
}

nav_status navd_connection_wait(navd_client *c, double deadline_ms)
{
    double due_ms = navd_resume_due_ms(c);
    bool is_due = due_ms >= 0 && (deadline_ms < 0 || due_ms < deadline_ms);
    nav_status s = navd_connection_wait_only(c, is_due ? due_ms : deadline_ms);
    return s == NAV_ERR_TIMEOUT && is_due ? NAV_OK : s;
}
