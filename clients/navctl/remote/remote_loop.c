#include "clients/navctl/remote/remote_loop.h"

#include "clients/navctl/arguments/exit_codes.h"
#include "clients/navctl/remote/remote.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static volatile sig_atomic_t interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

int remote_loop(navd_client *c, const char *doing, int (*step)(void *user), void *user)
{
    sigset_t blocked, open;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &open); // signals come while ppoll() waits, and only there
    struct sigaction action = {.sa_handler = interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    while (!interrupted) {
        navd_status s = navd_process(c);
        int code = step(user);
        if (code != REMOTE_GO_ON) return code;
        if (s != NAVD_OK) return remote_failed(c, s, doing);
        struct pollfd p = {.fd = navd_fd(c), .events = (short)(POLLIN | (navd_want_write(c) ? POLLOUT : 0))};
        int wait_ms = navd_wait_ms(c);
        struct timespec limit = {.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L};
        if (ppoll(&p, 1, wait_ms < 0 ? NULL : &limit, &open) < 0 && errno != EINTR) {
            fprintf(stderr, "navctl: %s\n", strerror(errno));
            return NAVCTL_FAILED;
        }
    }
    return NAVCTL_OK;
}

void remote_tell_connection(const navd_event *e)
{
    if (e->kind == NAVD_EVENT_LOST) fprintf(stderr, "navctl: %s; trying again\n", e->text);
    if (e->kind == NAVD_EVENT_RESTORED) fprintf(stderr, "navctl: connected again\n");
}
