// DESIGN. One connection of one client, by whatever carries it (transport.h). Bytes come in through np_reader, whole
// messages go to the methods one after the other, and responses and notifications go out in packets (output.h) at the
// end of each turn of the loop. Waiting output is counted:
//
//     0 ........ output_bytes ................ max_output_bytes
//       all flows  | tiles wait in their         | no more calls are read
//                  | subscription, newest only   |
//
// So a client that does not read costs a bounded amount, and nobody else's time. A client that reads fast gets a
// limited amount per turn and the rest in the next, so it does not keep the loop from the others. A call that needs
// a worker before the next one may be looked at holds the session meanwhile. Small meshes are gathered while others
// are at a worker, and the first call that is no mesh.put waits for them: an edit may name them. A closed session sends
// and receives nothing and is no longer found; but it and what others hold of it stay until the end of the turn, so
// whoever sends to it need not care whether that failed. Others name a session by its id. Loop thread only.
#ifndef ND_SESSION_H
#define ND_SESSION_H

#include "daemon/schedule/caller.h"
#include "daemon/session/axes.h"
#include "daemon/session/input.h"
#include "daemon/session/listing.h"
#include "daemon/session/sessions.h"
#include "daemon/session/transport.h"

struct nd_subscription;
struct nd_mesh_job;

typedef struct nd_upload {
    np_mesh_put_request head; // of the first part; data unused
    nav_buffer bytes;
    bool active;
} nd_upload;

// Meshes that are complete (methods/mesh.c).
typedef struct nd_puts {
    struct nd_mesh_job *first, *last; // gathered, for the next chain
    size_t bytes;                     // of those
    unsigned running;                 // at workers: the chain, or a large one
    bool chain;
    bool all; // what comes next waits for all of them, not for room alone
} nd_puts;

struct nd_session {
    nd_transport *transport;
    nd_node node;
    uint64_t id;
    nd_sessions *sessions;
    nd_principal principal;
    uint64_t accepted_ns, bytes_in, bytes_out;
    nd_namespace *space;                  // what it sees; borrowed. NULL: nobody yet
    char credential[ND_CREDENTIAL_BYTES]; // of the tokens file, by which it came in; "": another way
    char source_name[ND_SOURCE_BYTES];
    nd_source *source; // NULL: needs no login
    bool waiting;      // for the login
    nd_caller *caller; // a reference: whose work is whose
    np_reader reader;
    nd_input input;
    bool greeted, closing, held, reading, in_messages;
    // admission.h
    nd_peer *peer;
    struct nd_session *older_new, *newer_new;
    bool is_new;
    uint64_t opened_turn;
    // timeouts.h; in milliseconds of the loop
    bool keepalive; // wants the note `alive`
    bool message_begun;
    uint64_t opened_ms, heard_ms, message_began_ms, output_moved_ms, sent_ms;
    uint64_t seen_takes, calls_left;
    size_t seen_unsent;
    nd_output output;
    size_t reserved;                   // for notes that come from the disk; counts as if it were output already
    size_t turn_bytes;                 // sent in this turn of the loop
    struct nd_session *before, *after; // in the list of those that have sent something in this turn
    bool listed;
    uint64_t listed_turn;
    uint32_t waits, builds, subscription_count;
    uint64_t sent_count; // tiles that its subscriptions remember
    struct nd_subscription *subscriptions;
    nd_upload upload;
    nd_puts puts;
    nd_listing listing;
    nd_axes_list axes;
    struct nd_session *next_doomed; // closed: ends with the turn
};

// For its transport (transport.h), which owns its own memory. A new session, not open yet; free() it, or open it. NULL:
// no memory.
nd_session *nd_session_create(nd_sessions *sessions, nd_transport *t);
// The transport's peer is there, calls and door are set; or not, for that reason. False: it was refused, which is
// logged, and its transport is closing or closed.
bool nd_session_open(nd_session *s, const char *reason);
// So many bytes have come, as the transport counts them.
void nd_session_count_in(nd_session *s, size_t count);
// What they say, which nd_session_look() then handles. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_session_feed(nd_session *s, const void *bytes, size_t count);
void nd_session_look(nd_session *s); // it may be closed after
// The transport takes more again. status: below 0, it broke.
void nd_session_drained(nd_session *s, int status);
// The transport has something to send, with the turn.
void nd_session_flush_soon(nd_session *s);
// The transport is closed: frees the session.
void nd_session_closed(nd_session *s);

// Sends one message: head, and after it the blob's bytes where there is one (it takes its own reference).
void nd_session_send(nd_session *s, const void *head, size_t count, nd_blob *blob);
// The same for whole messages in a part of a blob.
void nd_session_send_messages(nd_session *s, nd_blob *blob, size_t from, size_t count);
// So many bytes will come, or have come: meanwhile less is sent besides.
void nd_session_reserve(nd_session *s, size_t bytes);
void nd_session_unreserve(nd_session *s, size_t bytes);
// May tiles be sent now?
bool nd_session_writable(const nd_session *s);
// It has said who it is: from now on its messages may be as large as hello says.
void nd_session_greeted(nd_session *s);
// No further message is looked at until it is released.
void nd_session_hold(nd_session *s);
void nd_session_release(nd_session *s);

// Handles what has been received, where something had kept it from that.
void nd_session_go_on(nd_session *s);

// Says why, with id 0 as no call can be named, and closes.
void nd_session_refuse(nd_session *s, nav_status status, const char *words, const char *reason);
// reason: one word for the log. Any number of times.
void nd_session_close(nd_session *s, const char *reason);

#endif
