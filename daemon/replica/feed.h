// The log as it comes from the server, message by message and without gaps: a consumer of the stream that is made anew
// wherever it breaks off. The server waits after some messages that were not taken. Loop thread only.
#ifndef ND_FEED_H
#define ND_FEED_H

#include "daemon/bus/bus.h"
#include "daemon/replica/subjects.h"

typedef struct nd_feed_message {
    const char *subject;
    uint64_t sequence; // in the log
    uint64_t pending;  // messages behind it that have not come yet
    const uint8_t *bytes;
    size_t count;
} nd_feed_message;

typedef struct nd_feed nd_feed;
typedef struct nd_feed_options {
    uv_loop_t *loop;
    nd_bus *bus; // borrowed, as is all else
    const char *farm, *id;
    void (*on_message)(void *user, const nd_feed_message *m);
    void (*on_empty)(void *user); // nothing is there that was not given
    void *user;
} nd_feed_options;

NAV_MUST_USE nav_status nd_feed_create(const nd_feed_options *o, nd_feed **out);
void nd_feed_close(nd_feed *f); // before the bus is. Accepts NULL
// From the first message behind this one on.
void nd_feed_start(nd_feed *f, uint64_t after);
void nd_feed_stop(nd_feed *f);
// All messages up to this one were taken.
void nd_feed_take(nd_feed *f, uint64_t sequence);
void nd_feed_note_server(nd_feed *f, bool up);
// Asks how far the log is; done hears the sequence of its end, once all up to there has been given to on_message.
void nd_feed_catch_up(nd_feed *f, void (*done)(void *user, uint64_t last), void *user);
uint64_t nd_feed_pending(const nd_feed *f);

#endif
