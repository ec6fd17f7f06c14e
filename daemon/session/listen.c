// Listening sockets. A Unix socket is guarded by a lock file beside it (PATH.lock): whoever holds the lock owns the
// path. So a socket file that a crash left behind is known to be stale, and two daemons that start at the same moment
// cannot take it from each other. The kernel drops the lock with its owner, however it ends.
#include "daemon/config/state_folder.h"
#include "daemon/session/session.h"
#include "daemon/session/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 128 };

static void on_connection(uv_stream_t *stream, int status)
{
    if (status == UV_EMFILE || status == UV_ENFILE)
        nd_admission_out_of_descriptors(((nd_listener *)stream->data)->sessions);
    else if (status < 0)
        nd_log(ND_LOG_WARN, "listener.failed", "reason=%s", uv_err_name(status));
    else
        nd_socket_accept(stream->data);
}

static nav_status say(char *why, size_t why_bytes, const char *where, const char *what, const char *advice)
{
    snprintf(why, why_bytes, "cannot listen on %s: %s; %s", where, what, advice);
    return NAV_ERR_IO;
}

static void lock_path(const char *path, char out[ND_PATH_BYTES + 8])
{
    snprintf(out, ND_PATH_BYTES + 8, "%s.lock", path);
}

// Is the file that we hold still the one of that name? Its former owner may have removed it between our open and lock.
static bool is_current(int fd, const char *lock)
{
    struct stat held, named;
    return !fstat(fd, &held) && !stat(lock, &named) && held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

// The folder of the usual socket is made where it is missing: without systemd nobody else makes it.
static void make_usual_folder(const char *path)
{
    nd_config usual;
    nd_config_default(&usual);
    char *slash = strrchr(usual.socket, '/');
    if (strcmp(path, usual.socket) != 0 || !slash) return;
    *slash = 0;
    (void)nd_folder_make(usual.socket, getuid() == 0 ? 0755 : 0700); // what is wrong the lock's file says
}

static const char *advice_for(int error)
{
    return error == ENOENT ? "create its folder, or choose another path with --socket"
                           : "choose another path with --socket";
}

static nav_status take_lock(nd_listener *l, const char *path, char *why, size_t why_bytes)
{
    char lock[ND_PATH_BYTES + 8];
    lock_path(path, lock);
    for (;;) {
        int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0) return say(why, why_bytes, path, strerror(errno), advice_for(errno));
        if (flock(fd, LOCK_EX | LOCK_NB)) {
            close(fd);
            (void)say(why, why_bytes, path, "another navd has it", "stop it, or choose another path with --socket");
            return NAV_ERR_EXISTS;
        }
        if (is_current(fd, lock)) {
            l->lock = fd;
            return NAV_OK;
        }
        close(fd);
    }
}

// Nobody of ours holds the lock, but another program may listen, or the service manager for us.
static bool is_listened_to(const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool refused = fd >= 0 && connect(fd, (struct sockaddr *)&a, sizeof a) && errno == ECONNREFUSED;
    if (fd >= 0) close(fd);
    return !refused;
}

static nav_status remove_stale(const char *path, char *why, size_t why_bytes)
{
    struct stat st;
    if (lstat(path, &st)) return NAV_OK;
    if (!S_ISSOCK(st.st_mode))
        return say(why, why_bytes, path, "a file that is not a socket is there",
                   "remove it, or choose another path with --socket");
    if (is_listened_to(path))
        return say(why, why_bytes, path, "another program is using it",
                   "stop it, or choose another path with --socket");
    if (unlink(path)) return say(why, why_bytes, path, strerror(errno), "remove the stale socket");
    return NAV_OK;
}

static nav_status start(nd_listener *l, const char *where, char *why, size_t why_bytes)
{
    int failed = uv_listen(&l->u.stream, BACKLOG, on_connection);
    if (failed) return say(why, why_bytes, where, uv_strerror(failed), "choose another address");
    if (l->is_pipe)
        nd_log(ND_LOG_INFO, "listener.opened", "at=%s", nd_log_quote(where, strlen(where)).text);
    else
        nd_log(ND_LOG_INFO, "listener.opened", "at=%s port=%d", nd_log_quote(where, strlen(where)).text,
               nd_sessions_port(l->sessions));
    return NAV_OK;
}

// Group and mode as configured; nobody can connect before, as it does not listen yet.
static nav_status let_in(const nd_sessions *s, const char *path, char *why, size_t why_bytes)
{
    const nd_config *c = s->config;
    if (c->socket_group[0]) {
        const struct group *g = getgrnam(c->socket_group);
        if (!g)
            return say(why, why_bytes, path, "socket_group is not a group of this system", "choose an existing group");
        if (chown(path, (uid_t)-1, g->gr_gid))
            return say(why, why_bytes, path, strerror(errno), "socket_group must be a group that navd's user is in");
    }
    if (chmod(path, (mode_t)c->socket_mode))
        return say(why, why_bytes, path, strerror(errno), "its mode cannot be set to socket_mode");
    return NAV_OK;
}

nav_status nd_listen_unix(nd_listener *l, const char *path, char *why, size_t why_bytes)
{
    make_usual_folder(path);
    nav_status status = take_lock(l, path, why, why_bytes);
    if (status == NAV_OK) status = remove_stale(path, why, why_bytes);
    if (status != NAV_OK) return status;
    l->is_pipe = true;
    if (uv_pipe_init(l->sessions->loop, &l->u.pipe, 0)) return say(why, why_bytes, path, "no pipe", "try again");
    l->u.pipe.data = l;
    l->open = true;
    mode_t before = umask(0077); // the owner's alone, from the first moment
    int failed = uv_pipe_bind(&l->u.pipe, path);
    umask(before);
    if (failed) return say(why, why_bytes, path, uv_strerror(failed), "choose another path with --socket");
    status = let_in(l->sessions, path, why, why_bytes);
    return status != NAV_OK ? status : start(l, path, why, why_bytes);
}

bool nd_split_address(const char *address, char host[256], const char **port)
{
    const char *colon = strrchr(address, ':');
    *port = colon ? colon + 1 : address;
    size_t length = colon ? (size_t)(colon - address) : 0;
    if (!length) {
        strcpy(host, "127.0.0.1");
    } else {
        if (address[0] == '[' && address[length - 1] == ']') {
            address++;
            length -= 2;
        }
        if (length >= 256) return false;
        memcpy(host, address, length);
        host[length] = 0;
    }
    char *end;
    unsigned long n = strtoul(*port, &end, 10);
    return **port >= '0' && **port <= '9' && *end == 0 && n <= 65535;
}

nav_status nd_listen_tcp(nd_listener *l, const char *address, char *why, size_t why_bytes)
{
    char host[256];
    const char *port;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    if (!nd_split_address(address, host, &port)) {
        say(why, why_bytes, address, "it is not an address", "--listen expects HOST:PORT, [HOST]:PORT or PORT");
        return NAV_ERR_ARGUMENT;
    }
    int failed = getaddrinfo(host, port, &hints, &found);
    if (failed)
        return say(why, why_bytes, address, gai_strerror(failed), "--listen expects HOST:PORT, [HOST]:PORT or PORT");
    if (uv_tcp_init(l->sessions->loop, &l->u.tcp)) {
        freeaddrinfo(found);
        return say(why, why_bytes, address, "no socket", "try again");
    }
    l->u.tcp.data = l;
    l->open = true;
    char wrong[256];
    if (nd_access_check_address(l->sessions, found->ai_addr, wrong, sizeof wrong) != NAV_OK) {
        freeaddrinfo(found);
        snprintf(why, why_bytes, "refusing to listen on %s: %s", address, wrong);
        return NAV_ERR_ARGUMENT;
    }
    failed = uv_tcp_bind(&l->u.tcp, found->ai_addr, 0);
    freeaddrinfo(found);
    if (failed) return say(why, why_bytes, address, uv_strerror(failed), "choose another address with --listen");
    return start(l, address, why, why_bytes);
}

nav_status nd_listen_inherited(nd_listener *l, int fd, bool is_pipe, char *why, size_t why_bytes)
{
    char where[64], wrong[256];
    struct sockaddr_storage address;
    socklen_t length = sizeof address;
    snprintf(where, sizeof where, "the %s socket of the service manager", is_pipe ? "Unix" : "TCP");
    l->is_pipe = is_pipe;
    int failed = is_pipe ? uv_pipe_init(l->sessions->loop, &l->u.pipe, 0) : uv_tcp_init(l->sessions->loop, &l->u.tcp);
    if (failed) return say(why, why_bytes, where, uv_strerror(failed), "try again");
    l->u.handle.data = l;
    l->open = true;
    failed = is_pipe ? uv_pipe_open(&l->u.pipe, fd) : uv_tcp_open(&l->u.tcp, fd);
    if (failed) return say(why, why_bytes, where, uv_strerror(failed), "check its socket unit");
    if (!is_pipe && getsockname(fd, (struct sockaddr *)&address, &length))
        return say(why, why_bytes, where, strerror(errno), "check its socket unit");
    if (!is_pipe && nd_access_check_address(l->sessions, (struct sockaddr *)&address, wrong, sizeof wrong) != NAV_OK) {
        snprintf(why, why_bytes, "refusing to listen on %s: %s", where, wrong);
        return NAV_ERR_ARGUMENT;
    }
    return start(l, where, why, why_bytes);
}

void nd_listener_close(nd_listener *l)
{
    if (l->open) uv_close(&l->u.handle, NULL); // libuv unlinks a pipe's path
    l->open = false;
    if (l->lock < 0) return;
    char lock[ND_PATH_BYTES + 8];
    lock_path(l->sessions->config->socket, lock);
    if (is_current(l->lock, lock)) unlink(lock); // while it is held
    close(l->lock);
    l->lock = -1;
}
