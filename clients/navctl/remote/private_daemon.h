// A navd of navctl's own: on a socket that nobody else may use, in a folder that goes with it, keeping nothing. It ends
// with navctl, however that ends.
#ifndef NAVCTL_PRIVATE_DAEMON_H
#define NAVCTL_PRIVATE_DAEMON_H

#include "clients/navctl/remote/remote.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct private_daemon {
    char folder[64], socket[96];
    pid_t process;       // 0: none
    const char *program; // as it was named; borrowed
    bool refused;        // it has ended, as what it was told makes no sense
} private_daemon;

// program: NULL for the navd beside navctl, else the one in PATH. more: further words of its command line, NULL behind
// the last; NULL: none. Clients may connect at once. Ctrl-C, SIGTERM and SIGCHLD wait for private_daemon_wait() from
// then on. Returns an exit code; one line on stderr.
int private_daemon_start(private_daemon *d, const char *program, const char *const *more);
// Connects to it, as remote.h has it for the rest of v. Returns an exit code, with words on stderr: NAVCTL_USAGE where
// it was told what makes no sense.
int private_daemon_connect(private_daemon *d, const remote_values *v, navd_client **out);
// Has it ended by itself? Without waiting.
bool private_daemon_has_ended(private_daemon *d);
// Until Ctrl-C or SIGTERM. Returns an exit code: it failed where the daemon ended by itself.
int private_daemon_wait(private_daemon *d);
void private_daemon_stop(private_daemon *d); // accepts one that was never started

#endif
