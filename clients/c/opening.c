// How a connection comes about, in steps of which none waits:
//
//     OPENING_NAME ──► OPENING_SOCKET ──► OPENING_TLS ──► OPENING_DONE
//     look_up.h        each address       handshake
//
// What a step waits for is navd_fd() and navd_want_write(). navd_connection_open() waits for them in one go.
#include "clients/c/client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static nav_status refuse(const navd_client *c, int error, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "no navd at %s: %s", c->address, navd_system_error_text(error));
    return error == ETIMEDOUT ? NAV_ERR_TIMEOUT : NAV_ERR_IO;
}

static nav_status open_unix(navd_client *c, const char *path, char *why, size_t why_bytes)
{
    c->opening.stage = OPENING_DONE;
    return navd_socket_connect_unix(c->address, path, &c->fd, why, why_bytes);
}

// "host:port", "[::1]:port".
static bool split_host(const char *address, char *host, size_t host_bytes, const char **port)
{
    const char *colon = strrchr(address, ':');
    if (!colon || colon == address || colon[1] == '\0') return false;
    size_t length = (size_t)(colon - address);
    if (address[0] == '[' && colon[-1] == ']') {
        address++;
        length -= 2;
    }
    if (length >= host_bytes) return false;
    memcpy(host, address, length);
    host[length] = '\0';
    *port = colon + 1;
    return true;
}

static void found(navd_client *c, struct addrinfo *list)
{
    c->opening.found = list;
    c->opening.next = list;
    c->opening.error = ENOENT;
    c->opening.stage = OPENING_SOCKET;
}

static nav_status begin_name(navd_client *c, const char *host, const char *port, char *why, size_t why_bytes)
{
    const struct addrinfo plain = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *list;
    if (!getaddrinfo(host, port, &plain, &list)) { // numbers: nobody has to be asked
        found(c, list);
        return NAV_OK;
    }
    c->opening.stage = OPENING_NAME;
    if (!c->opening.look_up) c->opening.look_up = navd_look_up_begin(host, port); // else of the attempt before
    if (c->opening.look_up) return NAV_OK;
    snprintf(why, why_bytes, "no memory to look up %s", host);
    return NAV_ERR_MEMORY;
}

nav_status navd_connection_begin(navd_client *c, char *why, size_t why_bytes)
{
    const char *address = c->address, *port;
    const client_access *a = &c->access;
    char host[256];
    bool tls = !strncmp(address, "tls://", 6);
    if (!strncmp(address, "unix:", 5)) return open_unix(c, address + 5, why, why_bytes);
    if (!tls && strchr(address, '/')) return open_unix(c, address, why, why_bytes);
    if (!split_host(address + (tls ? 6 : 0), host, sizeof host, &port)) {
        snprintf(why, why_bytes,
                 tls ? "%s: the address of TLS is tls://host:port"
                     : "%s: an address is /path/to/socket (here: ./socket) or host:port",
                 address);
        return NAV_ERR_ARGUMENT;
    }
    nav_status s = NAV_OK;
    if (tls) s = navd_client_tls_create(host, a->ca_file, a->certificate_file, a->key_file, why, why_bytes, &c->tls);
    return s == NAV_OK ? begin_name(c, host, port, why, why_bytes) : s;
}

static nav_status step_name(navd_client *c, char *why, size_t why_bytes)
{
    struct addrinfo *list;
    int problem;
    nav_status s = navd_look_up_take(c->opening.look_up, &list, &problem);
    if (s == NAV_ERR_AGAIN) return s;
    navd_look_up_drop(c->opening.look_up);
    c->opening.look_up = NULL;
    if (s == NAV_OK)
        found(c, list);
    else
        snprintf(why, why_bytes, "no navd at %s: %s", c->address, navd_system_name_error_text(problem));
    return s;
}

static nav_status step_socket(navd_client *c, char *why, size_t why_bytes)
{
    for (; c->opening.next; c->opening.next = c->opening.next->ai_next) {
        int error = c->fd < 0 ? navd_socket_connect(c->opening.next, &c->fd) : navd_socket_ask(c->fd);
        if (error == EINPROGRESS) return NAV_ERR_AGAIN;
        if (!error) {
            c->opening.stage = c->tls ? OPENING_TLS : OPENING_DONE;
            return NAV_OK;
        }
        if (c->fd >= 0) navd_socket_close(c->fd);
        c->fd = -1;
        c->opening.error = error;
    }
    return refuse(c, c->opening.error, why, why_bytes);
}

// NAV_OK: there may be more. NAV_ERR_AGAIN: wait first.
static nav_status read_handshake(navd_client *c)
{
    uint8_t bytes[4096];
    size_t count;
    nav_status s = navd_socket_receive(c->fd, bytes, sizeof bytes, &count);
    if (s == NAV_OK) return navd_client_tls_feed(c->tls, bytes, count);
    return s == NAV_ERR_AGAIN ? s : NAV_ERR_CLOSED;
}

static nav_status shake_hands(navd_client *c)
{
    for (;;) {
        nav_status s = navd_client_tls_shake(c->tls), sent = navd_connection_send_sealed(c);
        if (s != NAV_ERR_AGAIN) return s == NAV_OK ? sent : s;
        if (sent != NAV_OK) return sent;
        s = read_handshake(c);
        if (s != NAV_OK) return s;
    }
}

static nav_status explain_tls(const navd_client *c, nav_status s, char *why, size_t why_bytes)
{
    const char *words = navd_client_tls_why(c->tls);
    if (!words[0])
        words = s == NAV_ERR_CLOSED ? "the daemon closed the connection during the TLS handshake" : nav_status_text(s);
    snprintf(why, why_bytes, "%s: %s", c->address, words);
    return s;
}

static nav_status step_tls(navd_client *c, char *why, size_t why_bytes)
{
    nav_status s = shake_hands(c);
    if (s == NAV_OK) c->opening.stage = OPENING_DONE;
    return s == NAV_OK || s == NAV_ERR_AGAIN ? s : explain_tls(c, s, why, why_bytes);
}

nav_status navd_connection_step(navd_client *c, char *why, size_t why_bytes)
{
    nav_status s = NAV_OK;
    while (s == NAV_OK && c->opening.stage != OPENING_DONE) {
        s = c->opening.stage == OPENING_NAME     ? step_name(c, why, why_bytes)
            : c->opening.stage == OPENING_SOCKET ? step_socket(c, why, why_bytes)
                                                 : step_tls(c, why, why_bytes);
    }
    return s;
}

nav_status navd_connection_late(const navd_client *c, char *why, size_t why_bytes)
{
    if (c->opening.stage == OPENING_TLS) return explain_tls(c, NAV_ERR_TIMEOUT, why, why_bytes);
    return refuse(c, ETIMEDOUT, why, why_bytes);
}

nav_status navd_connection_open(navd_client *c, double deadline_ms, char *why, size_t why_bytes)
{
    nav_status s = navd_connection_begin(c, why, why_bytes);
    while (s == NAV_OK || s == NAV_ERR_AGAIN) {
        s = navd_connection_step(c, why, why_bytes);
        if (s != NAV_ERR_AGAIN) return s;
        s = navd_connection_wait_only(c, deadline_ms);
        if (s == NAV_ERR_TIMEOUT) return navd_connection_late(c, why, why_bytes);
    }
    return s;
}

void navd_connection_close(navd_client *c)
{
    if (c->fd >= 0) navd_socket_close(c->fd);
    c->fd = -1;
    if (c->opening.found) freeaddrinfo(c->opening.found);
    c->opening.found = NULL;
    c->opening.next = NULL;
    c->opening.stage = OPENING_DONE;
    navd_client_tls_destroy(c->tls);
    c->tls = NULL;
    nav_buffer_deinit(&c->sealed);
    c->sealed_sent = 0;
}

int navd_fd(const navd_client *c)
{
    return c->opening.stage == OPENING_NAME ? navd_look_up_fd(c->opening.look_up) : c->fd;
}

bool navd_want_write(const navd_client *c)
{
    return c->opening.stage == OPENING_SOCKET || c->sent < c->out.size || c->sealed_sent < c->sealed.size;
}
