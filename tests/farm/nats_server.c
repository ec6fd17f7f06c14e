#include "tests/farm/nats_server.h"

#include "tests/check.h"
#include "tests/clients/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program(void)
{
    static const char *const places[] = {"/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (!access(places[i], X_OK)) return places[i];
    return NULL;
}

bool nats_server_is_there(void)
{
    if (program()) return true;
    printf("skipped: there is no nats-server on this machine (package nats-server)\n");
    return false;
}

static void become_server(const nats_server *n, int log)
{
    char port[16];
    snprintf(port, sizeof port, "%d", n->port ? n->port : -1);
    const char *argv[] = {program(), "-a", "127.0.0.1", "-p", port, "-js", "-sd", n->folder, NULL, NULL, NULL};
    if (n->config) {
        argv[8] = "-c";
        argv[9] = n->config;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv(argv[0], (char **)argv);
    _exit(127);
}

// Its log, so that it never waits for a reader.
static void *read_on(void *arg)
{
    const int log = *(int *)arg;
    char bytes[4096];
    ssize_t n;
    while ((n = read(log, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)) {
    }
    return NULL;
}

static void await_ready(nats_server *n)
{
    char log[16384] = "";
    size_t count = 0;
    while (!strstr(log, "Server is ready")) {
        ssize_t got = read(n->log_end, log + count, sizeof log - 1 - count);
        if (got < 0 && errno == EINTR) continue;
        ck_assert_msg(got > 0, "nats-server did not start:\n%s", log);
        log[count += (size_t)got] = 0;
    }
    const char *at = strstr(log, "Listening for client connections on ");
    ck_assert_msg(at != NULL, "nats-server did not say where it listens:\n%s", log);
    const char *port = strchr(strstr(at, "on ") + 3, 0x3a);
    ck_assert_ptr_nonnull(port);
    n->port = atoi(port + 1);
    snprintf(n->url, sizeof n->url, "nats://127.0.0.1:%d", n->port);
}

static void launch(nats_server *n)
{
    int log[2];
    ck_assert_int_eq(pipe(log), 0);
    n->pid = fork();
    ck_assert_int_ge(n->pid, 0);
    if (!n->pid) become_server(n, log[1]);
    close(log[1]);
    n->log_end = log[0];
    await_ready(n);
    ck_assert_int_eq(pthread_create(&n->reader, NULL, read_on, &n->log_end), 0);
}

void nats_server_start(nats_server *n, const char *name, const char *config)
{
    static int count;
    char own[64];
    *n = (nats_server){.config = config};
    snprintf(own, sizeof own, "%s-%d-%d", name, (int)getpid(), count++);
    snprintf(n->folder, sizeof n->folder, "%s", temp_path(own));
    launch(n);
}

void nats_server_kill(nats_server *n)
{
    kill(n->pid, SIGKILL);
    (void)waitpid(n->pid, NULL, 0);
    pthread_join(n->reader, NULL);
    close(n->log_end);
    n->pid = 0;
}

void nats_server_restart(nats_server *n)
{
    launch(n);
}

void nats_server_pause(const nats_server *n)
{
    kill(n->pid, SIGSTOP);
    (void)waitpid(n->pid, NULL, WUNTRACED); // a moment passes before it stands
}

void nats_server_go_on(const nats_server *n)
{
    kill(n->pid, SIGCONT);
}
