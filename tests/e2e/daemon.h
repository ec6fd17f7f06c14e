// A navd of the test's own, on a socket in the test's folder. Waiting is for what it says, never for time.
#ifndef TESTS_E2E_DAEMON_H
#define TESTS_E2E_DAEMON_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct daemon_process {
    pid_t pid;
    FILE *log;        // its stderr
    char socket[200]; // path
    int port;         // TCP on the loopback address
} daemon_process;

// Starts it and reads its log until it listens. option: one more argument, or NULL.
void daemon_start(daemon_process *d, const char *option);
// SIGTERM, and its exit code.
int daemon_stop(daemon_process *d);
// SIGKILL.
void daemon_kill(daemon_process *d);

#endif
