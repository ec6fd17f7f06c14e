#include "clients/navctl/remote/private_daemon.h"

#include "clients/navctl/arguments/exit_codes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// SOCKET_FD: where a service's first socket is. WRONG_WORDS: navd's exit code for a wrong command line.
enum { SOCKET_FD = 3, WRONG_WORDS = 2, END_TRIES = 100 };

static int fail(const char *what)
{
    fprintf(stderr, "navctl: cannot start a navd: %s: %s\n", what, strerror(errno));
    return NAVCTL_FAILED;
}

// Listening before the daemon is there: who connects waits for it.
static int listen_in_folder(private_daemon *d)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strcpy(d->folder, "/tmp/navctl-XXXXXX");
    if (!mkdtemp(d->folder)) {
        d->folder[0] = 0;
        return -1;
    }
    snprintf(d->socket, sizeof d->socket, "%s/navd.sock", d->folder);
    strcpy(a.sun_path, d->socket);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && (bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, 16))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

// The navd that was installed, or built, with this navctl.
static bool find_beside(char out[PATH_MAX])
{
    ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 8);
    if (n <= 0) return false;
    out[n] = 0;
    char *slash = strrchr(out, '/');
    if (!slash) return false;
    strcpy(slash + 1, "navd");
    return !access(out, X_OK);
}

static void watched_signals(sigset_t *out)
{
    sigemptyset(out);
    sigaddset(out, SIGINT);
    sigaddset(out, SIGTERM);
    sigaddset(out, SIGCHLD);
}

// As a service manager would: with the socket at descriptor 3. Returns only where it fails.
static void become_daemon(int socket, const char *program, const char *const *more, pid_t parent)
{
    enum { MOST_WORDS = 64 };
    char pid[16], beside[PATH_MAX];
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(0); // it has ended already
    setpgid(0, 0);                     // Ctrl-C is navctl's
    if (socket == SOCKET_FD ? fcntl(socket, F_SETFD, 0) < 0 : dup2(socket, SOCKET_FD) < 0) return;
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    setenv("LISTEN_PID", pid, 1);
    setenv("LISTEN_FDS", "1", 1);
    unsetenv("NOTIFY_SOCKET");
    const char *words[MOST_WORDS] = {"navd", "--socket", "", "--state", "", "--log-level", "error"};
    int count = 7;
    for (; more && *more && count < MOST_WORDS - 1; more++) words[count++] = *more;
    if (!program && find_beside(beside)) program = beside;
    execvp(program ? program : "navd", (char *const *)words);
}

// The program runs, or the errno that says why it does not.
static int await_start(int from)
{
    int failed = 0;
    ssize_t n;
    do n = read(from, &failed, sizeof failed);
    while (n < 0 && errno == EINTR);
    return n == sizeof failed ? failed : 0;
}

int private_daemon_start(private_daemon *d, const char *program, const char *const *more)
{
    sigset_t signals;
    int started[2]; // closed when the program runs; before that, an errno
    *d = (private_daemon){.program = program ? program : "navd"};
    watched_signals(&signals);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    int fd = listen_in_folder(d);
    if (fd < 0) return fail(d->folder[0] ? d->socket : "a folder in /tmp");
    if (pipe2(started, O_CLOEXEC)) {
        close(fd);
        return fail("a pipe");
    }
    pid_t parent = getpid();
    d->process = fork();
    if (!d->process) {
        become_daemon(fd, program, more, parent);
        const int failed = errno;
        _exit(write(started[1], &failed, sizeof failed) == sizeof failed ? 1 : 2);
    }
    int code = d->process < 0 ? fail("a process") : NAVCTL_OK;
    close(started[1]);
    int failed = d->process > 0 ? await_start(started[0]) : 0;
    if (failed) {
        if (program)
            fprintf(stderr, "navctl: cannot start %s: %s (--navd FILE)\n", program, strerror(failed));
        else
            fprintf(stderr, "navctl: cannot start navd, beside navctl or in PATH: %s (--navd FILE names another)\n",
                    strerror(failed));
        code = NAVCTL_FAILED;
    }
    close(started[0]);
    close(fd);
    return code;
}

bool private_daemon_has_ended(private_daemon *d)
{
    int status;
    if (d->process > 0 && waitpid(d->process, &status, WNOHANG) == d->process) {
        d->process = 0;
        d->refused = WIFEXITED(status) && WEXITSTATUS(status) == WRONG_WORDS;
    }
    return d->process <= 0;
}

int private_daemon_connect(private_daemon *d, const remote_values *v, navd_client **out)
{
    remote_values own = *v;
    char why[600];
    own.address = d->socket;
    const int code = remote_try(&own, out, why, sizeof why);
    if (code == NAVCTL_OK) return code;
    // It closes its sockets a moment before it has ended.
    for (int i = 0; i < END_TRIES && !private_daemon_has_ended(d); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    if (d->refused) return NAVCTL_USAGE; // it has said why
    if (d->process <= 0)
        fprintf(stderr, "navctl: %s has ended before it answered: is it a navd of this version?\n", d->program);
    else
        fprintf(stderr, "navctl: %s\n", why);
    return code;
}

int private_daemon_wait(private_daemon *d)
{
    sigset_t signals;
    int number;
    watched_signals(&signals);
    while (!sigwait(&signals, &number)) {
        if (number != SIGCHLD) return NAVCTL_OK;
        if (!private_daemon_has_ended(d)) continue;
        fprintf(stderr, "navctl: the navd that was started has ended\n");
        break;
    }
    return NAVCTL_FAILED;
}

void private_daemon_stop(private_daemon *d)
{
    if (d->process > 0) {
        kill(d->process, SIGTERM);
        waitpid(d->process, NULL, 0);
    }
    if (d->socket[0]) unlink(d->socket);
    if (d->folder[0]) rmdir(d->folder);
    *d = (private_daemon){.process = 0};
}
