// A daemon played by a test: one thread that takes one connection and does what the test's `play` function says.
#ifndef TESTS_CLIENTS_PEER_H
#define TESTS_CLIENTS_PEER_H

#include "navd.h"
#include "protocol/messages.h"

#include <pthread.h>

typedef struct peer {
    int listener, fd;
    np_reader reader;
    np_message request; // what peer_take() gave last
    void (*play)(struct peer *p);
    pthread_t thread;
    void *user;
    uint32_t part_bytes, dictionary; // for the greeting
} peer;

// Listens on peer_address() and starts the thread.
void peer_listen(peer *p, void (*play)(peer *p));
const char *peer_address(void);
// The same, and a client that is connected to it.
navd_client *peer_connect(peer *p, void (*play)(peer *p));
// Closes the client and waits for the thread.
void peer_end(peer *p, navd_client *c);

// For `play`. Takes the next request into p->request; NP_UNKNOWN when the client has gone.
np_method peer_take(peer *p);
// Takes the greeting and answers it.
void peer_hello(peer *p);
// Sends what was encoded, and frees it.
void peer_send(peer *p, nav_buffer *b, nav_status encoded);

#endif
