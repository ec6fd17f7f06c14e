// A nats-server of the test's own on the loopback address, with JetStream in the test's folder. It dies with the test.
#ifndef TESTS_FARM_NATS_SERVER_H
#define TESTS_FARM_NATS_SERVER_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

typedef struct nats_server {
    pid_t pid;
    int port;
    char url[64];       // nats://127.0.0.1:PORT
    char folder[256];   // of its store
    const char *config; // a configuration file; NULL: none
    int log_end;
    pthread_t reader;
} nats_server;

// Is there a nats-server on this machine? Else the test skips with a word.
bool nats_server_is_there(void);
// Starts it and waits until it is ready. Its folder in the test's begins with `name` and is its own: no other server's,
// nor that of another test of the suite.
void nats_server_start(nats_server *n, const char *name, const char *config);
// SIGKILL.
void nats_server_kill(nats_server *n);
// Again, on the same port and with what it had stored.
void nats_server_restart(nats_server *n);
// It answers nothing, and keeps its connections, until it may go on.
void nats_server_pause(const nats_server *n);
void nats_server_go_on(const nats_server *n);

#endif
