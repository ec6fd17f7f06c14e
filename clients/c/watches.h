// Watched paths: what a client remembers of them, so that they go on over a new connection. Private to the client
// library. Owner: one thread at a time.
#ifndef NAVD_WATCHES_H
#define NAVD_WATCHES_H

#include "navd.h"
#include "protocol/messages.h"

typedef struct client_watch {
    struct client_watch *next;
    uint64_t id;                    // what the user knows it by; the daemon's differs, and changes
    uint64_t wire_id;               // in this connection; 0: none
    np_path_watch_request *request; // owned
} client_watch;

typedef struct client_watches {
    client_watch *first;
    navd_paths_callback on_paths;
    void *user;
} client_watches;

struct navd_client;

void navd_watches_deinit(struct navd_client *c);
// The connection is gone / is there again.
void navd_watches_lose(struct navd_client *c);
void navd_watches_resume(struct navd_client *c);
// Notes. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status navd_watches_note_paths(struct navd_client *c, const np_paths_note *note);
void navd_watches_note_synced(struct navd_client *c, const np_synced_note *note);
void navd_watches_note_ended(struct navd_client *c, const np_ended_note *note);

#endif
