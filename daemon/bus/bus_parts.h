// Private to bus*.c.
#ifndef ND_BUS_PARTS_H
#define ND_BUS_PARTS_H

#include "daemon/base/fifo.h"
#include "daemon/bus/bus.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct nd_bus_arrival nd_bus_arrival;
struct nd_bus_arrival {
    nd_bus_arrival *next;
    nd_bus_ear *ear; // a reference
    natsMsg *message;
};

// References: the loop's until it is hushed, the library's until its subscription is complete, and each arrival's.
struct nd_bus_ear {
    nd_bus *bus;
    nd_bus_ear *next; // among all of the bus; loop thread only
    atomic_uint refs;
    nd_bus_lane lane;
    natsSubscription *subscription; // the lane's
    nd_bus_task *leave;             // what ends it: there from the beginning, so that it cannot fail
    void (*on_message)(void *user, const nd_bus_message *m);
    void *user;
    bool hushed; // loop thread only
};

typedef struct nd_bus_thread {
    pthread_t id;
    nd_bus *bus;
    nd_bus_lane lane;
    bool started;
    ND_FIFO(nd_bus_task) queue; // under the mutex, as the next
    size_t waiting;             // with what runs
    pthread_cond_t work;
} nd_bus_thread;

// References: the loop's until its handle is closed, the connection's until its last callback, and each ear's.
struct nd_bus {
    uv_async_t wake;
    atomic_uint refs;
    pthread_mutex_t mutex; // guards what says so
    natsOptions *options;
    natsConnection *connection; // under the mutex until it is there; then it stays. NULL: it is not there yet
    jsCtx *streams;             // with it
    pthread_t connector;
    pthread_cond_t connected; // there is a connection, or `closing`
    bool closing;             // under the mutex
    bool server_up;           // under the mutex: as the library told it last
    nd_bus_thread lanes[ND_BUS_LANES];
    ND_FIFO(nd_bus_task) finished;   // under the mutex
    ND_FIFO(nd_bus_arrival) arrived; // under the mutex, as the next two
    size_t arrived_bytes;
    uint64_t lost; // messages that came faster than the loop took them
    // Loop thread only.
    bool up;
    nd_bus_ear *ears;
    void (*on_state)(void *user, bool up);
    void *user;
};

void nd_bus_unref(nd_bus *b);

// bus_options.c
NAV_MUST_USE nav_status nd_bus_options_make(const nd_bus_options *o, natsOptions **out, char *why, size_t why_bytes);
// nkey.c: the public key that belongs to the seed of a user in a file, as the library wants it. One sentence in why.
enum { ND_NKEY_BYTES = 57 };
NAV_MUST_USE nav_status nd_nkey_public(const char *file, char out[ND_NKEY_BYTES], char *why, size_t why_bytes);

// bus_ears.c: on the loop, what has arrived. True: there is more.
bool nd_bus_hand_over(nd_bus *b);
void nd_bus_ear_unref(nd_bus_ear *ear);
void nd_bus_drop_arrived(nd_bus *b);

#endif
