// A daemon of the bench's own: a process, a Unix socket in a folder of its own, and what the system knows of it.
#ifndef BENCH_SERVICE_H
#define BENCH_SERVICE_H

#include "navd.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct service {
    pid_t pid;
    char folder[32], socket[48];
    char state[48];
    const char *const *arguments; // more of navd's, NULL at the end; or NULL
} service;

// Starts navd, again where it was started and stopped before. durable: with a state folder, which stays until
// service_remove(). False with a line on stderr.
bool service_start(service *s, const char *navd, bool durable);
// Connects as soon as it listens.
bool service_connect(const service *s, navd_client **out);
// Ends it with SIGTERM, which lets it write what it has.
void service_stop(service *s);
// The folder and all that is in it.
void service_remove(service *s);

// A port of the loopback address that was free a moment ago; 0: there is none.
int service_free_port(void);

// MiB, by a line's name in /proc/PID/status.
double service_memory(const service *s, const char *key);
// Processor time of all its threads so far, milliseconds.
double service_cpu_ms(const service *s);

#endif
