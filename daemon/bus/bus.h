// DESIGN. The connection to a NATS server, on threads of its own: the loop never waits for it. What takes an answer
// is a task that moves, as at the workers: the loop fills it and pushes it into a lane, the lane's thread owns it while
// run() is called and may wait for the server there, and the loop gets it back in done(). A lane does one task after
// the other, so that a slow mesh does not hold up a look-up.
//
//     loop: push ──► | lane's queue | ──► lane's thread: run ──► | finished | ──uv_async──► loop: done
//     server ──► subscription (a thread of the library's) ──► | arrived | ──uv_async──► loop: on_message
//
// It connects by itself, again and again, for as long as it is there; on_state tells. Nothing of the library runs and
// no thread is started before nd_bus_create(). Loop thread only, except for what a task's run() may use.
#ifndef ND_BUS_H
#define ND_BUS_H

#include "core/base/buffer.h"
#include "core/base/status.h"

#include <nats/nats.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

typedef enum nd_bus_lane {
    ND_BUS_ORDERS,  // small and often: jobs, cancels, news
    ND_BUS_LOOKUPS, // asks for tiles
    ND_BUS_BULK,    // meshes, tiles to be kept
    ND_BUS_RECORDS, // the log of edits, and the lease: those who edit wait for it
    ND_BUS_LANES
} nd_bus_lane;

typedef struct nd_bus nd_bus;

// For run(): borrowed, valid while it runs. Calls on them fail while the server cannot be reached; give each a timeout.
typedef struct nd_bus_link {
    natsConnection *connection;
    jsCtx *streams;
} nd_bus_link;

typedef struct nd_bus_task nd_bus_task;
struct nd_bus_task {
    nd_bus_task *next;
    void (*run)(nd_bus_task *task, const nd_bus_link *link); // the lane's thread
    void (*done)(nd_bus_task *task, bool ran);               // loop thread; ran is false where the bus closed before
};

typedef struct nd_bus_options {
    const char *url;                       // nats://HOST:PORT or tls://..., several with commas
    const char *name;                      // of the client, for the server's own lists
    const char *credentials;               // file of a JWT and its seed; "": none
    const char *nkey;                      // file of a seed; "": none
    const char *ca, *certificate, *key;    // files, PEM; "": none
    void (*on_state)(void *user, bool up); // loop thread: the server can be reached from now on, or no longer
    void *user;
} nd_bus_options;

// Would nd_bus_create() take these? No thread is started, and nobody connected to.
NAV_MUST_USE nav_status nd_bus_check(const nd_bus_options *o, char *why, size_t why_bytes);

// Does not wait for the server. A file that cannot be read, or a URL that is none: NAV_ERR_ARGUMENT and one sentence,
// which holds no password. NAV_ERR_MEMORY, NAV_ERR_IO (no thread).
NAV_MUST_USE nav_status nd_bus_create(uv_loop_t *loop, const nd_bus_options *o, char *why, size_t why_bytes,
                                      nd_bus **out);
// What runs now is waited for, a moment; done(false) for all that did not begin. No callback comes any more once it
// has returned. It is freed once its handle is closed: the loop must run on until then. Accepts NULL.
void nd_bus_close(nd_bus *b);

bool nd_bus_is_up(const nd_bus *b); // as on_state told it
// What runs in a lane and what waits there.
size_t nd_bus_waiting(const nd_bus *b, nd_bus_lane lane);
// The task is the bus's until done(), which is never called from inside of push.
void nd_bus_push(nd_bus *b, nd_bus_lane lane, nd_bus_task *task);
// Publishes a copy, without an answer; lost where the server cannot be reached. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_bus_tell(nd_bus *b, nd_bus_lane lane, const char *subject, const void *bytes, size_t count);

typedef struct nd_bus_message {
    const char *subject, *reply; // reply: "" for none
    const uint8_t *bytes;
    size_t count;
} nd_bus_message;

typedef struct nd_bus_ear nd_bus_ear;
// on_message is called for each message of the subject, which may hold wildcards, on the loop; what it points to is
// valid until it returns. It stands when what is pushed into the lane next is run. Subscriptions outlive lost
// connections; what was said meanwhile is lost. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_bus_listen(nd_bus *b, nd_bus_lane lane, const char *subject,
                                      void (*on_message)(void *user, const nd_bus_message *m), void *user,
                                      nd_bus_ear **out);
// Nothing of it arrives any more. Also from inside of on_message. Accepts NULL.
void nd_bus_hush(nd_bus *b, nd_bus_ear *ear);

typedef struct nd_bus_stats {
    uint64_t messages_in, messages_out, bytes_in, bytes_out, reconnects;
    uint64_t lost; // messages that came faster than the loop took them
} nd_bus_stats;
nd_bus_stats nd_bus_stats_of(const nd_bus *b);

// What a call of the library has just returned on this thread, in our terms: NAV_OK, NAV_ERR_NOT_FOUND,
// NAV_ERR_TIMEOUT, NAV_ERR_LIMIT (the stream is full), NAV_ERR_STATE (another sequence was expected), NAV_ERR_IO.
nav_status nd_bus_status(natsStatus s, jsErrCode code);

#endif
