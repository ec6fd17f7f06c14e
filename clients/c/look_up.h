// The addresses of a host, looked up on a thread of its own: the system's look-up waits, for many seconds where a name
// server is away, and whoever has an event loop must not. Private to the client library. Owner: one thread at a time.
#ifndef NAVD_LOOK_UP_H
#define NAVD_LOOK_UP_H

#include "clients/c/system.h"

typedef struct client_look_up client_look_up;

// NULL: no memory, descriptor or thread.
client_look_up *navd_look_up_begin(const char *host, const char *port);
void navd_look_up_drop(client_look_up *l);    // also one that is under way: it ends by itself; accepts NULL
int navd_look_up_fd(const client_look_up *l); // readable when it is done
// NAV_ERR_AGAIN: it is under way. NAV_OK: *out is the caller's to freeaddrinfo(). NAV_ERR_IO: *problem is a code of
// getaddrinfo().
NAV_MUST_USE nav_status navd_look_up_take(client_look_up *l, struct addrinfo **out, int *problem);

#endif
