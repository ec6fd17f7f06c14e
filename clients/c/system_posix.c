#include "clients/c/system.h"
#include "navd.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

double navd_clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int navd_system_begin(void)
{
    return 0;
}

void navd_system_end(void)
{
}

const char *navd_system_error_text(int error)
{
    return strerror(error);
}

const char *navd_system_name_error_text(int problem)
{
    return gai_strerror(problem);
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

// --- sockets ---

int navd_socket_connect(const struct addrinfo *to, int *out)
{
    *out = socket(to->ai_family, to->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, to->ai_protocol);
    if (*out < 0) return errno;
    int on = 1; // requests are small and each waits for its answer
    (void)setsockopt(*out, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connect(*out, to->ai_addr, to->ai_addrlen) == 0 ? 0 : errno;
}

int navd_socket_ask(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof error;
    if (poll(&p, 1, 0) <= 0) return EINPROGRESS;
    return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

void navd_socket_close(int fd)
{
    close(fd);
}

nav_status navd_socket_send(int fd, const void *bytes, size_t size, size_t *sent)
{
    ssize_t n;
    do n = send(fd, bytes, size, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    *sent = n < 0 ? 0 : (size_t)n;
    if (n >= 0) return NAV_OK;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return NAV_ERR_AGAIN;
    return errno == EPIPE || errno == ECONNRESET ? NAV_ERR_CLOSED : NAV_ERR_IO;
}

nav_status navd_socket_receive(int fd, void *bytes, size_t room, size_t *count)
{
    ssize_t n = recv(fd, bytes, room, 0);
    *count = n < 0 ? 0 : (size_t)n;
    if (n > 0) return NAV_OK;
    if (n == 0) return NAV_ERR_CLOSED;
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return NAV_ERR_AGAIN;
    return errno == ECONNRESET ? NAV_ERR_CLOSED : NAV_ERR_IO;
}

nav_status navd_socket_wait(int fd, bool write, int timeout_ms)
{
    struct pollfd p = {.fd = fd, .events = (short)(POLLIN | (write ? POLLOUT : 0))};
    int ready = poll(&p, 1, timeout_ms);
    if (ready > 0) return NAV_OK;
    if (ready == 0) return NAV_ERR_TIMEOUT;
    return errno == EINTR ? NAV_ERR_AGAIN : NAV_ERR_IO;
}

// Who may connect is who may write to the socket: its mode says so, as far as it can be seen.
static void explain_mode(const char *path, char *why, size_t why_bytes)
{
    struct stat st;
    char user_text[512], group_text[512];
    struct passwd user, *u = NULL;
    struct group group, *g = NULL;
    if (stat(path, &st)) {
        snprintf(why, why_bytes, "%s: permission denied: a folder above it is closed to you", path);
        return;
    }
    (void)getpwuid_r(st.st_uid, &user, user_text, sizeof user_text, &u);
    (void)getgrgid_r(st.st_gid, &group, group_text, sizeof group_text, &g);
    int n = snprintf(why, why_bytes, "%s: permission denied: its mode is %04o: ", path, (unsigned)(st.st_mode & 0777));
    size_t used = n < 0 ? 0 : (size_t)n < why_bytes ? (size_t)n : why_bytes - 1;
    why += used;
    why_bytes -= used;
    if (st.st_mode & S_IWGRP && g)
        snprintf(why, why_bytes,
                 "only its owner %s and the group %s may connect (usermod -aG %s YOU, then log in again)",
                 u ? u->pw_name : "?", g->gr_name, g->gr_name);
    else
        snprintf(why, why_bytes, "only its owner %s may connect (socket_mode and socket_group let others in)",
                 u ? u->pw_name : "?");
}

nav_status navd_socket_connect_unix(const char *address, const char *path, int *out, char *why, size_t why_bytes)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof to.sun_path) {
        snprintf(why, why_bytes, "%s: the path of a socket may have at most %zu bytes", path, sizeof to.sun_path - 1);
        return NAV_ERR_ARGUMENT;
    }
    memcpy(to.sun_path, path, strlen(path) + 1);
    *out = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*out >= 0 && connect(*out, (struct sockaddr *)&to, sizeof to) == 0) return NAV_OK;
    if (errno == EACCES) {
        explain_mode(path, why, why_bytes);
        return NAV_ERR_FORBIDDEN;
    }
    snprintf(why, why_bytes, "no navd at %s: %s", address, strerror(errno));
    return NAV_ERR_IO; // one whose queue is full says EAGAIN: as good as absent
}

// --- bells and threads ---

bool navd_bell_init(client_bell *b)
{
    int ends[2];
    *b = (client_bell){-1, -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK)) return false;
    *b = (client_bell){ends[0], ends[1]};
    return true;
}

void navd_bell_deinit(client_bell *b)
{
    if (b->fd >= 0) close(b->fd);
    if (b->other >= 0) close(b->other);
}

void navd_bell_ring(const client_bell *b)
{
    ssize_t written = write(b->other, "", 1);
    (void)written; // it has room for one
}

typedef struct errand {
    void (*run)(void *user);
    void *user;
} errand;

static void *run_errand(void *memory)
{
    errand e = *(errand *)memory;
    free(memory);
    e.run(e.user);
    return NULL;
}

bool navd_system_start_thread(void (*run)(void *user), void *user)
{
    pthread_t thread;
    sigset_t all, before; // signals are for the program's own threads
    errand *e = malloc(sizeof *e);
    if (!e) return false;
    *e = (errand){run, user};
    sigfillset(&all);
    int failed = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (!failed) {
        failed = pthread_create(&thread, NULL, run_errand, e);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (failed)
        free(e);
    else
        pthread_detach(thread);
    return !failed;
}

// --- secrets ---

nav_status navd_system_read_secret(const char *path, char *text, size_t room, size_t *size, const char **wrong)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    *wrong = NULL;
    if (fd < 0 || fstat(fd, &st))
        *wrong = strerror(errno);
    else if (S_ISREG(st.st_mode) && st.st_mode & S_IRWXO)
        *wrong = "every user can read it; run chmod 0600";
    else if ((n = read(fd, text, room - 1)) < 0)
        *wrong = strerror(errno);
    if (fd >= 0) close(fd);
    *size = n > 0 ? (size_t)n : 0;
    text[*size] = 0;
    return *wrong ? NAV_ERR_ARGUMENT : NAV_OK;
}

void navd_system_wipe(void *bytes, size_t count)
{
    explicit_bzero(bytes, count);
}
