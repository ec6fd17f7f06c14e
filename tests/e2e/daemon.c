#include "tests/e2e/daemon.h"
#include "navd.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 64 };

double clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

const char *path_into(char out[PATH_BYTES], const char *name)
{
    snprintf(out, PATH_BYTES, "%s", temp_path(name));
    return out;
}

uint64_t wanted_count(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

// --- its log ---

static void *read_log(void *arg)
{
    daemon_process *d = arg;
    char bytes[4096];
    struct pollfd log = {.fd = d->log_end, .events = POLLIN};
    for (;;) {
        while (poll(&log, 1, -1) < 0) {
        }
        pthread_mutex_lock(&d->mutex); // what is no longer in the pipe is in the log: await_said()
        ssize_t n = read(d->log_end, bytes, sizeof bytes);
        if (n <= 0) {
            d->log_ended = true;
        } else {
            if (d->log_bytes + (size_t)n >= d->log_capacity) {
                d->log_capacity = 2 * d->log_capacity + (size_t)n + 1;
                d->log = realloc(d->log, d->log_capacity);
                if (!d->log) abort();
            }
            memcpy(d->log + d->log_bytes, bytes, (size_t)n);
            d->log_bytes += (size_t)n;
            d->log[d->log_bytes] = 0;
        }
        pthread_cond_broadcast(&d->grew);
        pthread_mutex_unlock(&d->mutex);
        if (n <= 0) return NULL;
    }
}

// Until the log has all that navd has said up to now; under the mutex.
static void await_said(daemon_process *d)
{
    int left = 0;
    while (!d->log_ended && !ioctl(d->log_end, FIONREAD, &left) && left > 0) pthread_cond_wait(&d->grew, &d->mutex);
}

// The next whole line behind d->seen, or NULL; under the mutex.
static bool next_line(daemon_process *d, char *line, size_t line_bytes)
{
    if (d->seen >= d->log_bytes) return false;
    const char *begin = d->log + d->seen, *end = memchr(begin, '\n', d->log_bytes - d->seen);
    if (!end) return false;
    size_t n = (size_t)(end - begin);
    d->seen += n + 1;
    if (n >= line_bytes) n = line_bytes - 1;
    memcpy(line, begin, n);
    line[n] = 0;
    return true;
}

// Waits for one more line. False: the log has ended.
static bool await_line(daemon_process *d, char *line, size_t line_bytes)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE_MS / 1000;
    pthread_mutex_lock(&d->mutex);
    bool found;
    int timeout = 0;
    while (!(found = next_line(d, line, line_bytes)) && !d->log_ended && !timeout)
        timeout = pthread_cond_timedwait(&d->grew, &d->mutex, &until);
    pthread_mutex_unlock(&d->mutex);
    return found;
}

const char *daemon_await(daemon_process *d, const char *first, ...)
{
    static _Thread_local char line[2048];
    const char *words[8] = {first};
    size_t count = 1;
    va_list more;
    va_start(more, first);
    while (count < 8 && (words[count] = va_arg(more, const char *))) count++;
    va_end(more);
    while (await_line(d, line, sizeof line)) {
        size_t have = 0;
        while (have < count && strstr(line, words[have])) have++;
        if (have == count) return line;
    }
    pthread_mutex_lock(&d->mutex);
    size_t tail = d->log_bytes > 3000 ? d->log_bytes - 3000 : 0;
    ck_abort_msg("navd did not say \"%s\"; its log ends with:\n%s", first, d->log ? d->log + tail : "");
    return NULL;
}

bool daemon_said(daemon_process *d, const char *text)
{
    pthread_mutex_lock(&d->mutex);
    await_said(d);
    bool said = d->log && strstr(d->log, text);
    pthread_mutex_unlock(&d->mutex);
    return said;
}

int daemon_count(daemon_process *d, const char *text)
{
    int count = 0;
    pthread_mutex_lock(&d->mutex);
    await_said(d);
    for (const char *at = d->log; at && (at = strstr(at, text)); at++) count++;
    pthread_mutex_unlock(&d->mutex);
    return count;
}

// --- the process ---

static void become_navd(const daemon_options *o, const char *socket, int log)
{
    // A test's clients are as slow as the machine is busy, and so are tiles and paths; a test of a limit gives its own
    // behind these.
    static const char *const patient[] = {"--hello-s", "300",     "--message-s", "300",     "--stall-s",     "0",
                                          "--tile-ms", "3600000", "--stuck-ms",  "3600000", "--max-path-ms", "3600000"};
    const char *argv[MAX_ARGUMENTS] = {"navd", "--socket", socket};
    int count = 3;
    for (size_t i = 0; i < sizeof patient / sizeof *patient; i++) argv[count++] = patient[i];
    if (!o->no_tcp && !o->worker) {
        argv[count++] = "--listen";
        argv[count++] = "0";
    }
    if (o->worker) argv[count++] = "--worker";
    argv[count++] = "--state";
    argv[count++] = o->state ? o->state : "";
    for (const char *const *a = o->arguments; a && *a && count < MAX_ARGUMENTS - 1; a++) argv[count++] = *a;
    for (const char *const *e = o->environment; e && *e; e++) putenv((char *)*e);
    prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails takes it along
    dup2(log, STDERR_FILENO);
    if (o->prepare) o->prepare(o->user);
    execv(NAVD_PATH, (char *const *)argv);
    _exit(127);
}

static void spawn(daemon_process *d, const daemon_options *o)
{
    static const daemon_options none;
    int ends[2];
    memset(d, 0, sizeof *d);
    snprintf(d->socket, sizeof d->socket, "%s", o && o->socket ? o->socket : temp_path("navd.sock"));
    ck_assert_int_eq(pipe(ends), 0);
    d->pid = fork();
    ck_assert_int_ge(d->pid, 0);
    if (d->pid == 0) {
        close(ends[0]);
        become_navd(o ? o : &none, d->socket, ends[1]);
    }
    close(ends[1]);
    d->log_end = ends[0];
    pthread_mutex_init(&d->mutex, NULL);
    pthread_cond_init(&d->grew, NULL);
    ck_assert_int_eq(pthread_create(&d->reader, NULL, read_log, d), 0);
}

static int reap(daemon_process *d)
{
    int status = 0;
    ck_assert_int_eq(waitpid(d->pid, &status, 0), d->pid);
    pthread_join(d->reader, NULL);
    close(d->log_end);
    pthread_mutex_destroy(&d->mutex);
    pthread_cond_destroy(&d->grew);
    d->pid = 0;
    return status;
}

void daemon_launch(daemon_process *d, const daemon_options *o)
{
    const bool worker = o && o->worker;
    spawn(d, o);
    const char *ready = worker ? "event=farm.ready" : "event=listener.opened";
    daemon_await(d, o && o->ready ? o->ready : ready, NULL);
    if (worker || (o && o->no_tcp)) return;
    const char *line = daemon_await(d, "event=listener.opened", "port=", NULL);
    d->port = atoi(strstr(line, "port=") + 5);
}

void daemon_start(daemon_process *d, const char *option)
{
    const char *const arguments[] = {option, NULL};
    daemon_launch(d, &(daemon_options){.arguments = arguments});
}

int daemon_refused(const daemon_options *options, char *text, size_t text_bytes)
{
    daemon_process d;
    spawn(&d, options);
    char line[1024] = "";
    size_t at = 0;
    while (await_line(&d, line, sizeof line)) {
        ck_assert_msg(!strstr(line, "event=listener.opened"), "navd came up: %s", line);
        if (at < text_bytes) at += (size_t)snprintf(text + at, text_bytes - at, "%s\n", line);
    }
    int status = reap(&d);
    free(d.log);
    ck_assert_msg(WIFEXITED(status), "navd died by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

static int end(daemon_process *d, int signal_number)
{
    kill(d->pid, signal_number);
    int status = reap(d);
    if (!WIFEXITED(status) && WTERMSIG(status) != signal_number)
        ck_abort_msg("navd died by signal %d:\n%s", WTERMSIG(status), d->log ? d->log : "");
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0 && d->log)
        fprintf(stderr, "%s", d->log + (d->log_bytes > 6000 ? d->log_bytes - 6000 : 0));
    free(d->log);
    d->log = NULL;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int daemon_knock(const daemon_process *d)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strcpy(a.sun_path, d->socket);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ck_assert_msg(fd >= 0, "%s", strerror(errno));
    if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0) return fd;
    ck_assert_msg(errno == EAGAIN || errno == ECONNREFUSED || errno == ECONNRESET, "%s", strerror(errno));
    close(fd);
    return -1;
}

void daemon_ask_page(int port, const char *path, char *out, size_t out_bytes)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char request[256];
    size_t n = 0;
    ssize_t got;
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    int bytes = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", path);
    ck_assert_int_eq(send(fd, request, (size_t)bytes, MSG_NOSIGNAL), bytes);
    while ((got = recv(fd, out + n, out_bytes - 1 - n, 0)) > 0) n += (size_t)got;
    out[n] = 0;
    close(fd);
}

int daemon_stop(daemon_process *d)
{
    return end(d, SIGTERM);
}

void daemon_kill(daemon_process *d)
{
    (void)end(d, SIGKILL);
}

void daemon_launch_and_kill(const daemon_options *options, double after_ms)
{
    daemon_process d;
    spawn(&d, options);
    (void)poll(NULL, 0, (int)after_ms); // a moment of nobody's choice
    daemon_kill(&d);
}

// --- what it costs ---

// KiB on a line of /proc/PID/status.
static uint64_t status_kib(const daemon_process *d, const char *name)
{
    char path[64], line[256];
    unsigned long long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)d->pid);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    bool found = false;
    while (!found && fgets(line, sizeof line, f))
        found = !strncmp(line, name, strlen(name)) && sscanf(line + strlen(name), "%llu", &kib) == 1;
    fclose(f);
    ck_assert_msg(found, "%s has no %s", path, name);
    return kib;
}

uint64_t daemon_rss(const daemon_process *d)
{
    return status_kib(d, "VmRSS:") * 1024;
}

uint64_t daemon_own_memory(const daemon_process *d)
{
    return status_kib(d, "RssAnon:") * 1024;
}

uint64_t daemon_mapped_databases(const daemon_process *d)
{
    char path[64], line[512];
    unsigned long from, to, kib, sum = 0;
    bool database = false;
    snprintf(path, sizeof path, "/proc/%d/smaps", (int)d->pid);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "Rss: %lu", &kib) == 1)
            sum += database ? kib : 0;
        else if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            database = strstr(line, "/data.mdb") != NULL;
    }
    fclose(f);
    return (uint64_t)sum * 1024;
}

int daemon_descriptors(const daemon_process *d)
{
    char path[64], to[64];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)d->pid);
    DIR *folder = opendir(path);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *e; (e = readdir(folder));) {
        ssize_t n = readlinkat(dirfd(folder), e->d_name, to, sizeof to - 1);
        to[n > 0 ? n : 0] = 0;
        count += n > 0 && strncmp(to, "/proc/", 6) != 0; // a look at itself is open for a moment only
    }
    closedir(folder);
    return count;
}

uint64_t daemon_stat(const daemon_process *d, const char *name)
{
    navd_client *c;
    char why[256] = "";
    ck_assert_msg(navd_connect(d->socket, "e2e stat", PATIENCE_MS, &c, why, sizeof why) == NAVD_OK, "%s", why);
    navd_counter *counters;
    size_t count, i = 0;
    navd_set_timeout(c, PATIENCE_MS);
    ck_assert_int_eq(navd_stats(c, &counters, &count), NAVD_OK);
    while (i < count && strcmp(counters[i].name, name) != 0) i++;
    ck_assert_msg(i < count, "stats has no %s", name);
    uint64_t value = counters[i].value;
    free(counters);
    navd_close(c);
    return value;
}
