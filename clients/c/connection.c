#include "clients/c/client.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

double navd_clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void navd_default_address(char *text, size_t size)
{
    const char *given = getenv("NAVD_ADDRESS"), *runtime = getenv("XDG_RUNTIME_DIR");
    if (given && *given) {
        snprintf(text, size, "%s", given);
    } else if (runtime && *runtime) {
        snprintf(text, size, "%s/navd.sock", runtime);
    } else {
        snprintf(text, size, "/run/navd/navd.sock");
    }
}

// Milliseconds for poll(): rounded up, -1 for ever.
static int left_ms(double deadline_ms)
{
    if (deadline_ms < 0) return -1;
    double left = deadline_ms - navd_clock_ms();
    return left <= 0 ? 0 : left > 1e9 ? 1000000000 : (int)left + 1;
}

// 0 when it is connected; else an errno.
static int connect_one(int fd, const struct sockaddr *to, socklen_t bytes, double deadline_ms)
{
    if (connect(fd, to, bytes) == 0) return 0;
    if (errno != EINPROGRESS) return errno; // a Unix socket whose queue is full says EAGAIN: as good as absent
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    for (;;) {
        int ready = poll(&p, 1, left_ms(deadline_ms));
        if (ready > 0) break;
        if (ready == 0) return ETIMEDOUT;
        if (errno != EINTR) return errno;
    }
    int error = 0;
    socklen_t size = sizeof error;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

static nav_status refuse(int error, const char *address, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "no navd at %s: %s", address, strerror(error));
    return error == ETIMEDOUT ? NAV_ERR_TIMEOUT : NAV_ERR_IO;
}

static nav_status open_unix(const char *path, double deadline_ms, int *out, char *why, size_t why_bytes)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof to.sun_path) {
        snprintf(why, why_bytes, "%s: a socket's path may have %zu bytes", path, sizeof to.sun_path - 1);
        return NAV_ERR_ARGUMENT;
    }
    memcpy(to.sun_path, path, strlen(path) + 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int error = fd < 0 ? errno : connect_one(fd, (struct sockaddr *)&to, sizeof to, deadline_ms);
    if (error) {
        if (fd >= 0) close(fd);
        return refuse(error, path, why, why_bytes);
    }
    *out = fd;
    return NAV_OK;
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

static nav_status open_tcp(const char *address, double deadline_ms, int *out, char *why, size_t why_bytes)
{
    char host[256];
    const char *port;
    if (!split_host(address, host, sizeof host, &port)) {
        snprintf(why, why_bytes, "%s: an address is /path/to/socket or host:port", address);
        return NAV_ERR_ARGUMENT;
    }
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM}, *found = NULL;
    int problem = getaddrinfo(host, port, &wanted, &found);
    if (problem) {
        snprintf(why, why_bytes, "no navd at %s: %s", address, gai_strerror(problem));
        return NAV_ERR_IO;
    }
    int fd = -1, error = ENOENT;
    for (const struct addrinfo *a = found; a && fd < 0; a = a->ai_next) {
        fd = socket(a->ai_family, a->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, a->ai_protocol);
        error = fd < 0 ? errno : connect_one(fd, a->ai_addr, a->ai_addrlen, deadline_ms);
        if (error && fd >= 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    if (fd < 0) return refuse(error, address, why, why_bytes);
    int on = 1; // requests are small and each waits for its answer
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    *out = fd;
    return NAV_OK;
}

nav_status connection_open(const char *address, double deadline_ms, int *fd, char *why, size_t why_bytes)
{
    if (!strncmp(address, "unix:", 5)) return open_unix(address + 5, deadline_ms, fd, why, why_bytes);
    if (strchr(address, '/')) return open_unix(address, deadline_ms, fd, why, why_bytes);
    return open_tcp(address, deadline_ms, fd, why, why_bytes);
}

static nav_status send_some(navd_client *c)
{
    while (c->sent < c->out.size) {
        ssize_t n = send(c->fd, c->out.data + c->sent, c->out.size - c->sent, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return NAV_OK;
        if (n < 0) return errno == EPIPE || errno == ECONNRESET ? NAV_ERR_CLOSED : NAV_ERR_IO;
        c->sent += (size_t)n;
    }
    c->out.size = c->sent = 0;
    return NAV_OK;
}

// At most 1 MiB at a time, so that a fast peer cannot keep the caller from its own work.
static nav_status receive_some(navd_client *c)
{
    uint8_t bytes[1 << 16];
    for (int i = 0; i < 16; i++) {
        ssize_t n = recv(c->fd, bytes, sizeof bytes, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return NAV_OK;
        if (n < 0) return errno == ECONNRESET ? NAV_ERR_CLOSED : NAV_ERR_IO;
        if (n == 0) return NAV_ERR_CLOSED;
        nav_status s = np_reader_feed(&c->reader, bytes, (size_t)n);
        if (s != NAV_OK) return s;
        if ((size_t)n < sizeof bytes) return NAV_OK;
    }
    return NAV_OK;
}

nav_status connection_move_bytes(navd_client *c)
{
    nav_status sent = send_some(c);
    nav_status received = receive_some(c); // even when sending failed: the peer may have said why it closed
    return received != NAV_OK ? received : sent;
}

nav_status connection_wait(navd_client *c, double deadline_ms)
{
    struct pollfd p = {.fd = c->fd, .events = (short)(POLLIN | (navd_want_write(c) ? POLLOUT : 0))};
    for (;;) {
        int ready = poll(&p, 1, left_ms(deadline_ms));
        if (ready > 0) return NAV_OK;
        if (ready == 0) return NAV_ERR_TIMEOUT;
        if (errno != EINTR) return NAV_ERR_IO;
    }
}
