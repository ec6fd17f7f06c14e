// The log as it grows, message by message, in order and without gaps. Messages are read by their sequence, some at a
// time: consumers of nats-server 2.9 pass over some where others were purged. The leader rings a bell when it has
// written; who misses it looks once in a while. No more is read before all that was given is taken. Loop thread only.
#ifndef ND_FEED_H
#define ND_FEED_H

#include "daemon/bus/bus.h"
#include "daemon/replica/subjects.h"

typedef struct nd_feed_message {
    const char *subject;
    uint64_t sequence; // in the log
    const uint8_t *bytes;
    size_t count;
} nd_feed_message;

typedef struct nd_feed nd_feed;
typedef struct nd_feed_options {
    uv_loop_t *loop;
    nd_bus *bus; // borrowed, as is all else
    const char *farm;
    void (*on_message)(void *user, const nd_feed_message *m);
    void (*on_purged)(void *user); // some were gone before they could be read: states have them
    void (*on_empty)(void *user);  // nothing is there that was not given
    void (*on_gap)(void *user);    // the log is too far ahead, or shorter than it was: it has stopped
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
bool nd_feed_is_empty(const nd_feed *f);    // all was given that the server had a moment ago
uint64_t nd_feed_pending(const nd_feed *f); // about how many messages are to come

#endif
