#include "tests/e2e/daemon.h"
#include "tests/check.h"
#include "tests/clients/run.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void daemon_start(daemon_process *d, const char *option)
{
    int ends[2];
    snprintf(d->socket, sizeof d->socket, "%s", temp_path("navd.sock"));
    ck_assert_int_eq(pipe(ends), 0);
    d->pid = fork();
    ck_assert_int_ge(d->pid, 0);
    if (d->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails takes it along
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(NAVD_PATH, "navd", "--socket", d->socket, "--listen", "0", option, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    d->log = fdopen(ends[0], "r");
    ck_assert_ptr_nonnull(d->log);
    char line[1024];
    int listeners = 0;
    while (listeners < 2 && fgets(line, sizeof line, d->log)) {
        if (!strstr(line, "event=listener.opened")) continue;
        const char *port = strstr(line, "port=");
        if (port && atoi(port + 5) > 0) d->port = atoi(port + 5);
        listeners++;
    }
    ck_assert_msg(listeners == 2, "navd did not come up: %s", line);
}

static int reap(daemon_process *d, int signal_number)
{
    int status = 0;
    char line[1024];
    kill(d->pid, signal_number);
    while (fgets(line, sizeof line, d->log)) continue; // so that it never waits for a full pipe
    ck_assert_int_eq(waitpid(d->pid, &status, 0), d->pid);
    fclose(d->log);
    ck_assert_msg(WIFEXITED(status) || WTERMSIG(status) == signal_number, "navd died by signal %d", WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int daemon_stop(daemon_process *d)
{
    return reap(d, SIGTERM);
}

void daemon_kill(daemon_process *d)
{
    (void)reap(d, SIGKILL);
}
