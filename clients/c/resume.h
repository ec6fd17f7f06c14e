// Staying connected: what a client remembers so that it can come back, and the coming back. Private to the client
// library. Owner: one thread at a time.
#ifndef NAVD_RESUME_H
#define NAVD_RESUME_H

#include "navd.h"
#include "protocol/messages.h"

typedef struct client_subscription {
    struct client_subscription *next;
    uint64_t id;      // what the user knows it by; the daemon's differs, and changes
    uint64_t wire_id; // in this connection; 0: none
    uint64_t world;
    char profile[NAVD_NAME_BYTES];
    navd_subscription_options options; // its profile points to the one above
    uint64_t grid;                     // of the tiles that come now
    bool synced;                       // since is valid
    uint64_t since;
    np_known_tile *seen; // what came after that; a later one of a place counts
    uint32_t seen_count, seen_capacity;
    bool seen_lost; // too many, or no memory: everything is requested again
} client_subscription;

typedef struct client_world {
    struct client_world *next;
    uint64_t id;
    np_axes axes; // the same
    char name[];  // as it was opened
} client_world;

// What an attempt to come back is at. AXES for each world that has any; WORLD to SUBSCRIBE for each subscription.
typedef enum resume_stage {
    RESUME_PAUSE,
    RESUME_OPEN,
    RESUME_HELLO,
    RESUME_AXES,
    RESUME_WORLD,
    RESUME_DICTIONARY,
    RESUME_SUBSCRIBE,
} resume_stage;

typedef struct client_resume {
    bool keep; // stay connected
    bool lost; // no connection now
    resume_stage stage;
    const client_world *turned;   // RESUME_AXES: of which world
    client_subscription *at;      // of which
    bool asked, answered;         // the stage's request
    nav_status answer;            // to it
    uint64_t opened;              // RESUME_WORLD: the world's number now
    double deadline_ms;           // of the stage; later while something is heard
    double next_try_ms, pause_ms; // of the next attempt
    double heard_ms;
    uint32_t keepalive_s; // how often the daemon says something; 0: it need not
    uint64_t bye_ms;      // it said goodbye, and when to come back
    uint64_t last_subscription;
    client_subscription *subscriptions;
    client_world *worlds;
    navd_event_callback on_event;
    void *on_event_user;
} client_resume;

struct navd_client;

void navd_resume_deinit(struct navd_client *c);
// A world was opened. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status navd_resume_note_world(struct navd_client *c, const char *name, uint64_t id);
void navd_resume_forget_world(struct navd_client *c, uint64_t id); // and its subscriptions
// NULL where there is none.
client_subscription *navd_resume_find(const struct navd_client *c, uint64_t id);
client_subscription *navd_resume_find_wire(const struct navd_client *c, uint64_t wire_id);
// A new one. NULL: no memory.
client_subscription *navd_resume_add(struct navd_client *c, uint64_t world, const navd_subscription_options *o);
void navd_resume_drop(struct navd_client *c, client_subscription *s);
// A tile came / all up to a revision is here.
void navd_resume_note_tile(client_subscription *s, const np_tile *tile);
void navd_resume_note_synced(struct navd_client *c, const np_synced_note *note);
// Other settings / it is over.
void navd_resume_note_settings(struct navd_client *c, const np_settings_note *note);
void navd_resume_note_ended(struct navd_client *c, const np_ended_note *note);
void navd_resume_note_areas(struct navd_client *c, const np_areas_note *note);
void navd_resume_note_bye(struct navd_client *c, const np_bye_note *note);
// Sends tiles.subscribe, with what is here already, and takes its answer.
navd_status navd_resume_subscribe(struct navd_client *c, client_subscription *s);

// The connection broke: why is in the client's error. False: it is not to be kept.
bool navd_resume_lose(struct navd_client *c, nav_status why);
// Begins to come back if it is time, or goes on with that; never waits. NAV_OK: it is back, on its way, or the next
// attempt is later. Else the client is of no use any more: its credentials, or the daemon's version, do not fit.
NAV_MUST_USE nav_status navd_resume_go_on(struct navd_client *c);
// Tries until it is back or the deadline has come (NAV_ERR_CLOSED, with the last attempt's words).
NAV_MUST_USE nav_status navd_resume_wait(struct navd_client *c, double deadline_ms);
// When something must be done though nothing is readable (in navd_clock_ms()); below 0: never.
double navd_resume_due_ms(const struct navd_client *c);
// Has nothing been heard for too long?
bool navd_resume_is_silent(const struct navd_client *c);

#endif
