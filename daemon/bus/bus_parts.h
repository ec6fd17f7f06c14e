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

// References: the loop's until it is hushed, the library's until a subscription is complete, and each arrival's.
struct nd_bus_ear {
    nd_bus *bus;
    nd_bus_ear *next; // among all of the bus; loop thread only
    atomic_uint refs;
    nd_bus_lane lane;
    char *subject;
    natsSubscription *subscription; // the lane's, as the next
    struct nd_bus_line *line;       // which it is of: a reference
    nd_bus_task *leave;             // what ends it: there from the beginning, so that it cannot fail
    void (*on_message)(void *user, const nd_bus_message *m);
    void *user;
    bool hushed; // loop thread only
};

typedef struct nd_bus_thread {
    pthread_t id;
    nd_bus *bus;
    bool started;
    ND_FIFO(nd_bus_task) queue; // under the mutex, as the next
    size_t waiting;             // with what runs
    pthread_cond_t work;
} nd_bus_thread;

enum { ND_BUS_ENDED_AT_ONCE = 64 };

// A connection. References: the bus's while it is the one that is used, each task's that runs, and each ear's.
typedef struct nd_bus_line {
    nd_bus_link link; // the first: tasks get it
    atomic_uint refs;
    pthread_mutex_t mutex;                     // guards the next
    natsSubscription **ended;                  // that are still to be freed (bus_ears.c)
    size_t ended_count, ended_room, ended_due; // due: at so many they are freed
} nd_bus_line;

// References: the loop's until its handles are closed, each line's until its last callback, and each ear's.
struct nd_bus {
    uv_async_t wake;
    atomic_uint refs;
    pthread_mutex_t mutex; // guards what says so
    natsOptions *options;
    nd_bus_line *line;        // under the mutex; NULL: there has been none yet
    pthread_cond_t connected; // there is a line, or `closing`
    bool closing;             // under the mutex, as the next
    bool server_up;           // as the library told it last
    bool given_up;            // the library has closed the line by itself, or there could be none
    bool is_new;              // the line has come since the loop looked last
    bool jumped;              // the line was closed, as the time of day has jumped
    nd_bus_thread lanes[ND_BUS_LANES];
    ND_FIFO(nd_bus_task) finished;   // under the mutex
    ND_FIFO(nd_bus_arrival) arrived; // under the mutex, as the next two
    size_t arrived_bytes;
    uint64_t lost; // messages that came faster than the loop took them
    // Loop thread only.
    pthread_t connector;
    bool connecting; // it is to be joined
    uv_timer_t again, clock;
    int64_t offset_ms; // of the time of day, as it was
    unsigned handles;  // that are open
    bool up;
    nd_bus_ear *ears;
    void (*on_state)(void *user, bool up);
    void *user;
};

void nd_bus_unref(nd_bus *b);

// bus_line.c: connecting, and again where the library gives up.
bool nd_bus_set_callbacks(nd_bus *b);
// Begins to connect, on a thread of its own. False: there is no thread to be had.
bool nd_bus_connect(nd_bus *b);
void nd_bus_join_connector(nd_bus *b);
void nd_bus_watch_clock(nd_bus *b);        // from now on
void nd_bus_line_unref(nd_bus_line *line); // accepts NULL
// On the loop, when something of it may have changed.
void nd_bus_look_at_line(nd_bus *b);

// bus_options.c
NAV_MUST_USE nav_status nd_bus_options_make(const nd_bus_options *o, natsOptions **out, char *why, size_t why_bytes);
// nkey.c: the public key that belongs to the seed of a user in a file, as the library wants it. One sentence in why.
enum { ND_NKEY_BYTES = 57 };
NAV_MUST_USE nav_status nd_nkey_public(const char *file, char out[ND_NKEY_BYTES], char *why, size_t why_bytes);

// bus_ears.c: on the loop, what has arrived. True: there is more.
bool nd_bus_hand_over(nd_bus *b);
void nd_bus_ear_unref(nd_bus_ear *ear);
void nd_bus_drop_arrived(nd_bus *b);
// Once the connection is closed.
void nd_bus_free_ended(nd_bus_line *line);
// All subscribe again: the line is a new one.
void nd_bus_listen_again(nd_bus *b);

#endif
