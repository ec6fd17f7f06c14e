// What systems do differently: sockets, the clock, a thread, files. The rest of the client library is C11 with the
// socket interface that they share. One file for each: system_posix.c, system_windows.c. Private to the client library.
//
// Sockets never wait; they are ints, -1 for none. Errors are numbers of errno.h on all systems.
#ifndef NAVD_SYSTEM_H
#define NAVD_SYSTEM_H

#include "core/base/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

// Milliseconds since some moment. It never goes back.
double navd_clock_ms(void);

// Before the first socket of a client, and after the last. 0, or an error.
int navd_system_begin(void);
void navd_system_end(void);

const char *navd_system_error_text(int error);        // valid until the next call of the thread
const char *navd_system_name_error_text(int problem); // of getaddrinfo()

// A socket for an address, which begins to connect: 0: it is connected. EINPROGRESS: not yet. Else an error, and *out
// may be a socket that is to be closed.
int navd_socket_connect(const struct addrinfo *to, int *out);
int navd_socket_ask(int fd); // the same later
void navd_socket_close(int fd);
// NAV_ERR_AGAIN: nothing now. NAV_ERR_CLOSED: the peer is gone, or has ended. NAV_ERR_IO.
NAV_MUST_USE nav_status navd_socket_send(int fd, const void *bytes, size_t size, size_t *sent);
NAV_MUST_USE nav_status navd_socket_receive(int fd, void *bytes, size_t room, size_t *count);
// Until bytes are there, or writing is wanted and possible. fd -1: only the time passes. timeout_ms -1: for ever.
// NAV_ERR_TIMEOUT, NAV_ERR_IO.
NAV_MUST_USE nav_status navd_socket_wait(int fd, bool write, int timeout_ms);
// A Unix socket, connected. Else a status and a sentence, which names the address as it was given.
NAV_MUST_USE nav_status navd_socket_connect_unix(const char *address, const char *path, int *out, char *why,
                                                 size_t why_bytes);

// A bell: readable once it has been rung, from any thread. False: there is none to be had.
typedef struct client_bell {
    int fd, other; // fd: what becomes readable. other: what rings it
} client_bell;
bool navd_bell_init(client_bell *b);
void navd_bell_deinit(client_bell *b);
void navd_bell_ring(const client_bell *b);

// A thread that nobody waits for, without signals. False: there is none to be had.
bool navd_system_start_thread(void (*run)(void *user), void *user);

// The begin of a file that only its owner should read, with a 0 behind it. NAV_ERR_ARGUMENT, and *wrong says why;
// others being able to read it is a reason, where the system shows that by modes.
NAV_MUST_USE nav_status navd_system_read_secret(const char *path, char *text, size_t room, size_t *size,
                                                const char **wrong);
void navd_system_wipe(void *bytes, size_t count); // the compiler keeps it

#endif
