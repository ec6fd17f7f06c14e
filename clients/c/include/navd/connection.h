/* A connection to a daemon: opening, errors, event loops, and coming back by itself. Part of navd.h. */
#ifndef NAVD_CONNECTION_H
#define NAVD_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum navd_status {
    NAVD_OK,
    NAVD_ERR_ARGUMENT,
    NAVD_ERR_MEMORY,
    NAVD_ERR_LIMIT,
    NAVD_ERR_FORMAT,
    NAVD_ERR_TRUNCATED,
    NAVD_ERR_VERSION,
    NAVD_ERR_NOT_FOUND,
    NAVD_ERR_EXISTS,
    NAVD_ERR_STATE,
    NAVD_ERR_CANCELLED,
    NAVD_ERR_AGAIN,
    NAVD_ERR_CLOSED,
    NAVD_ERR_IO,
    NAVD_ERR_TIMEOUT,
    NAVD_ERR_INTERNAL,
    NAVD_ERR_UNAUTHENTICATED, /* a token or a client certificate is needed, or was refused */
    NAVD_ERR_FORBIDDEN,       /* the role does not allow it, or the socket's mode */
    NAVD_ERR_UNTRUSTED,       /* the daemon's certificate is not trusted, or it does not trust the client's */
    NAVD_ERR_CRASHED,         /* of a tile: the generator crashed on it */
} navd_status;

/* Short name of a status ("limit"). Never NULL. */
const char *navd_status_name(navd_status s);

typedef struct navd_client navd_client;

/* ---- connection ---- */

/* address: "/path/to/socket" or "unix:/path", "host:port", "[::1]:port", "tls://host:port"; NULL: $NAVD_ADDRESS, else
 * the daemon's usual socket. name: who is calling, for the daemon's log. timeout_ms bounds connecting and the greeting;
 * below 0: no bound. On failure *out is NULL and why (which may be NULL) has a sentence that names the address. The
 * rest as navd_connect_with() has it by default. */
navd_status navd_connect(const char *address, const char *name, int timeout_ms, navd_client **out, char *why,
                         size_t why_bytes);

/* How to come in. Zeroed is a valid one: all as described behind "else". Texts are copied. */
typedef struct navd_options {
    const char *address, *name; /* as navd_connect() has them */
    int timeout_ms;
    const char *token_file;     /* its first line is the token; else $NAVD_TOKEN_FILE, else the token in $NAVD_TOKEN */
    const char *namespace_name; /* which one to look into, for admins; else $NAVD_NAMESPACE, else the token's */
    const char *ca_file;        /* TLS: authorities, PEM; else $NAVD_CA_FILE, else the system's */
    const char *certificate_file; /* TLS: the client's own, PEM, with its chain; else $NAVD_CERT_FILE, else none */
    const char *key_file;         /* TLS: the key of that; else $NAVD_KEY_FILE */
    bool keep_connected;          /* a connection that breaks is made again, see "staying connected" */
    bool insecure_token;          /* the token may go over plain TCP; see below */
} navd_options;
/* The daemon's certificate must be from one of the authorities, for the address's host, and valid now.
 * NAVD_ERR_UNTRUSTED otherwise. NAVD_ERR_UNAUTHENTICATED: the token, or its lack. Tokens are in files or the
 * environment only, so that no list of processes shows one. Over plain TCP ("host:port") no token is sent to another
 * machine (NAVD_ERR_ARGUMENT), and on this machine only to a daemon that requires one; insecure_token lifts both. */
navd_status navd_connect_with(const navd_options *options, navd_client **out, char *why, size_t why_bytes);
void navd_close(navd_client *c); /* accepts NULL */

/* The address that navd_connect(NULL) uses: $NAVD_ADDRESS, or the first of these sockets that exists:
 * $XDG_RUNTIME_DIR/navd.sock, /run/navd/navd.sock, $XDG_STATE_HOME/navd/navd.sock (~/.local/state). Written to text,
 * cut to size. */
void navd_default_address(char *text, size_t size);

/* What went wrong in the last call that failed; "" before the first. Valid until the next call on this client. */
const char *navd_error_text(const navd_client *c);
/* Index of the operation of navd_edit() that was refused, or -1. */
int64_t navd_error_operation(const navd_client *c);

/* Bound for each blocking request; below 0: none. 30 seconds at first. */
void navd_set_timeout(navd_client *c, int timeout_ms);

typedef struct navd_limits {
    uint32_t message_bytes, mesh_part_bytes, mesh_bytes, edit_operations, request_tiles;
} navd_limits;
/* What the daemon said it takes. */
navd_limits navd_get_limits(const navd_client *c);
/* Name and version of the daemon. */
const char *navd_server_name(const navd_client *c);

/* For event loops: call navd_process() when this descriptor is readable, and while navd_want_write() when it is
 * writable. */
int navd_fd(const navd_client *c);
bool navd_want_write(const navd_client *c);
/* Sends and receives what can be without waiting, and calls the callbacks. */
navd_status navd_process(navd_client *c);

/* ---- staying connected ---- */

/* With navd_options.keep_connected a connection that breaks (the daemon restarts, the network is gone, nothing is heard
 * any more) is made again by itself, from within navd_process() and blocking calls: at once, then after pauses that
 * grow to 5 seconds. navd_process() never waits for that, not for the name of a host either. Subscriptions go on where
 * they were, under their ids: only tiles come that changed meanwhile. Calls under way when it broke end with
 * NAVD_ERR_CLOSED (whether they took effect is not known); new blocking calls wait for the connection within their
 * timeout, others are refused with NAVD_ERR_CLOSED. navd_process() returns NAVD_OK meanwhile. */
typedef enum navd_event_kind {
    NAVD_EVENT_LOST,     /* the connection broke; text says why */
    NAVD_EVENT_RESTORED, /* it is there again */
    NAVD_EVENT_SYNCED,   /* a subscription has every tile as it is at revision, or newer; also without keep_connected */
    NAVD_EVENT_RESET,    /* all tiles of a subscription come again; one that has not come by the next SYNCED is gone */
    NAVD_EVENT_ENDED, /* a subscription could not go on (its world or profile is gone); text says why. Its id is void */
    NAVD_EVENT_SETTINGS, /* the profile of a subscription has these settings now; its tiles that come after were made
                            with them. Also when a connection was made again, as they may have changed meanwhile */
    NAVD_EVENT_AREAS,    /* the table of areas of a subscription's world: where it has one, and when it changes */
} navd_event_kind;

typedef struct navd_event {
    navd_event_kind kind;
    uint64_t subscription, world, revision; /* SYNCED, RESET, ENDED, SETTINGS */
    const char *text;                       /* never NULL; valid during the call; SETTINGS: the profile's name */
    /* SETTINGS. Where the grid is another one than that of the tiles before, (x, z) means another place: tiles of the
     * older grid may be shown until the next SYNCED of the subscription, which makes all of them void. */
    const struct navd_settings *settings; /* valid during the call */
    double origin_m[3];                   /* of the world */
    uint64_t grid;
    const struct navd_area_type *areas; /* AREAS: all of them, by id; valid during the call */
    size_t area_count;
} navd_event;
/* Must not call this library with the same client, other than navd_edit_start(), navd_wait_start() and
 * navd_cancel_paths(). */
typedef void (*navd_event_callback)(void *user, const navd_event *event);
void navd_on_event(navd_client *c, navd_event_callback callback, void *user);

bool navd_is_connected(const navd_client *c);
/* For event loops: navd_process() should be called within so many milliseconds, also where nothing is readable;
 * -1: no need. navd_fd() is -1 while there is no connection and none is being made; ask for it after each
 * navd_process(), since it changes with each step of making one. */
int navd_wait_ms(const navd_client *c);

#ifdef __cplusplus
}
#endif

#endif
