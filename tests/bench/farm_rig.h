// A farm of the bench's own: a nats-server with its store in a folder of its own, daemons and workers as processes,
// each kept to one processor where that is asked for, and what the system counts for them.
#ifndef BENCH_FARM_RIG_H
#define BENCH_FARM_RIG_H

#include "tests/bench/bench.h"
#include "tests/bench/site.h"

enum { RIG_ARGUMENTS = 24, RIG_ANYWHERE = -1 };
#define FARM_RADIUS_STEP_M 0.05 // from one profile's agent to the next one's

typedef struct farm_rig {
    pid_t server;
    char folder[40], url[64];
    const bench_options *options;
} farm_rig;

typedef struct farm_member {
    service process;
    session session; // of a daemon
    const char *arguments[RIG_ARGUMENTS];
    int count;
} farm_member;

// Is there a nats-server on this machine? Else a line says that `what` is skipped.
bool farm_rig_is_there(const char *what);
// False with a line on stderr: it could not be started.
bool farm_rig_start(farm_rig *r, const bench_options *o);
void farm_rig_stop(farm_rig *r); // accepts a zeroed one

// A zeroed member gets one more argument of navd's.
void farm_member_say(farm_member *m, const char *argument);
// Starts navd, on the farm where the rig has a server; `processor` or RIG_ANYWHERE. A daemon (not a worker) is
// connected to.
bool farm_member_start(farm_member *m, const farm_rig *r, bool worker, int processor);
// Waits until a daemon has its server, and knows of so many workers.
bool farm_member_await(farm_member *m, uint64_t workers);
void farm_member_stop(farm_member *m);
// Processor time of its threads and of its helpers so far, milliseconds.
double farm_member_cpu_ms(const farm_member *m);
// Of its threads alone.
double farm_member_own_cpu_ms(const farm_member *m);
double farm_server_cpu_ms(const farm_rig *r);
// Keeps the calling process to one processor, or to all.
void farm_pin_self(int processor);

// Puts the scene into a new world of the daemon's, which has no profiles yet.
bool farm_upload(farm_member *m, const scene *s);
// Gives it `profiles` profiles, one after the other, for agents of different radii, and waits until all of their tiles
// are finished. seconds: that took; tiles: of the world.
bool farm_build(farm_member *m, const navd_settings *settings, int profiles, double *seconds, uint64_t *tiles);
// Waits until what it has built is in the farm's cache as well, or was given up.
bool farm_await_shared(farm_member *m);

#endif
