// Inside of a client: connection, calls under way, tiles kept. Private to the client library; its functions are named
// navd_ as the public ones are, since a static library shares the symbol table of its host. Owner: one thread at a
// time.
#ifndef NAVD_CLIENT_H
#define NAVD_CLIENT_H

#include "clients/c/decompress.h"
#include "clients/c/look_up.h"
#include "clients/c/resume.h"
#include "clients/c/system.h"
#include "clients/c/tile_queue.h"
#include "clients/c/tls.h"
#include "clients/c/watches.h"
#include "navd.h"
#include "protocol/messages.h"

typedef struct call call;

// Takes the answer: s is NAV_OK and in the response, or an error whose words are in the client. Reads the message into
// what the caller gave; its status is the call's.
typedef nav_status (*call_take)(navd_client *c, const np_message *in, np_error *err, void *out);

struct call {
    call *next;
    uint32_t id;
    call_take take;
    void *out;
    bool finished;
    bool over_ground; // path.cancel may end it
    nav_status status;
    // Calls that were started and not waited for: tells the user, then frees the call. NULL: somebody waits and owns
    // it.
    void (*finish)(navd_client *c, call *self);
    union {
        navd_edit_done edit;
        navd_wait_done wait;
        navd_change_done change;
    } done;
    union {
        navd_edit_result edit;
        uint64_t now;
        navd_change_result change;
    } result;
    void *user;
};

// How to come in, kept so that a connection can be made again. Texts are "" where nothing was given.
typedef struct client_access {
    char name[128], space[64];
    char token_file[1024], ca_file[1024], certificate_file[1024], key_file[1024];
    bool insecure_token;  // may go unencrypted, wherever the daemon is
    bool gave_token;      // with the last hello
    bool withheld_token;  // from the last hello: the connection is not encrypted, and nobody has asked
    bool asked_for_token; // the next hello has it
} client_access;

// A connection that is being made (opening.c).
typedef struct client_opening {
    enum { OPENING_DONE, OPENING_NAME, OPENING_SOCKET, OPENING_TLS } stage;
    client_look_up *look_up;     // NULL: none is under way; it outlives an attempt
    struct addrinfo *found;      // owned
    const struct addrinfo *next; // of these: the one that is tried
    int error;                   // of the last one, an errno
} client_opening;

// What the daemon keeps of the last navd_sync(), which named missing meshes.
typedef struct client_sync {
    bool kept;
    nav_key list; // what it was
} client_sync;

struct navd_client {
    int fd;
    client_opening opening;
    client_tls *tls;   // NULL: plain
    nav_buffer sealed; // of TLS, for the socket; [sealed_sent, size) is still to go
    size_t sealed_sent;
    client_access access;
    np_reader reader;
    nav_buffer out; // bytes to send; [sent, size) is still to go
    size_t sent;
    uint32_t next_id;
    call *calls;       // under way
    bool dispatching;  // inside of a callback
    nav_status broken; // once set, every call returns it
    int timeout_ms;
    char error[NP_ERROR_BYTES + 64];
    int64_t error_op;
    char address[256], server[NAVD_NAME_BYTES];
    np_server_limits limits;
    np_axes axes; // of worlds that are opened now
    navd_tile_callback on_tile;
    void *on_tile_user;
    navd_progress_callback on_progress;
    void *on_progress_user;
    bool has_sockets; // navd_system_begin() was called
    client_decompressor *decompressor;
    uint32_t dictionary_id; // of packed tiles, by hello; 0: the daemon has none
    nav_buffer unpacked;
    char why[NP_ERROR_BYTES]; // what is known of a failure, beside its status
    tile_queue queue;
    client_resume resume;
    client_watches watches;
    client_sync sync;
};

// opening.c
// Begins to connect to c->address; steps follow. NAV_ERR_* and a sentence; navd_connection_close() is due either way.
NAV_MUST_USE nav_status navd_connection_begin(navd_client *c, char *why, size_t why_bytes);
// Goes on without waiting. NAV_OK: it is open, TLS handshake included. NAV_ERR_AGAIN: when navd_fd() is ready.
NAV_MUST_USE nav_status navd_connection_step(navd_client *c, char *why, size_t why_bytes);
// It took too long: NAV_ERR_TIMEOUT and a sentence.
NAV_MUST_USE nav_status navd_connection_late(const navd_client *c, char *why, size_t why_bytes);
// All of it, within the deadline (in navd_clock_ms(); below 0: none).
NAV_MUST_USE nav_status navd_connection_open(navd_client *c, double deadline_ms, char *why, size_t why_bytes);
void navd_connection_close(navd_client *c); // accepts one that is not open

// connection.c
// Sends what TLS has for the socket.
NAV_MUST_USE nav_status navd_connection_send_sealed(navd_client *c);
// Sends what the socket takes, and feeds the reader with what is there.
NAV_MUST_USE nav_status navd_connection_move_bytes(navd_client *c);
// Waits until navd_fd() is ready, or the deadline has come (NAV_ERR_TIMEOUT).
NAV_MUST_USE nav_status navd_connection_wait_only(const navd_client *c, double deadline_ms);
// The same, and NAV_OK when something is due (resume.h).
NAV_MUST_USE nav_status navd_connection_wait(navd_client *c, double deadline_ms);

// login.c
// Of this machine: a Unix socket, or loopback.
bool navd_client_address_is_local(const struct sockaddr *address);
// Fills c->access from what the user gave, else from the environment. NAV_ERR_ARGUMENT with a sentence.
NAV_MUST_USE nav_status navd_client_access_fill(client_access *a, const navd_options *o, char *why, size_t why_bytes);
// The request hello, with the token where there is one. NAV_ERR_* and a sentence.
NAV_MUST_USE nav_status navd_client_encode_hello(navd_client *c, char *why, size_t why_bytes);
nav_status navd_client_take_hello(navd_client *c, const np_message *in, np_error *err, void *out);
// hello was answered so (s). True: the daemon, on this machine, requires the token that hello withheld; say hello once
// more.
bool navd_client_hello_again(navd_client *c, nav_status s);
// hello was answered, or was not (s): the token is nowhere any more. s and a sentence.
NAV_MUST_USE nav_status navd_client_end_hello(navd_client *c, nav_status s, char *why, size_t why_bytes);
// All three, one after the other.
NAV_MUST_USE nav_status navd_client_login(navd_client *c, char *why, size_t why_bytes);

// calls.c
NAV_PRINTF(3, 4) navd_status navd_client_fail(navd_client *c, nav_status s, const char *format, ...);
// Before a request is encoded: may one be made now?
NAV_MUST_USE nav_status navd_client_ready(navd_client *c, bool blocking);
// Waits for the answer of the request just encoded with id c->next_id - 1; take reads it.
navd_status navd_client_finish(navd_client *c, nav_status encoded, call_take take, void *out);
// The same for a call that is answered over a profile's tiles: the daemon gives it up, too, when its time is over.
navd_status navd_client_finish_over_ground(navd_client *c, nav_status encoded, call_take take, void *out);
// paths.c: asks the daemon to give up the call with this id.
navd_status navd_client_cancel_path(navd_client *c, uint32_t id);
// Puts a call on the list; it is told in navd_process().
navd_status navd_client_start(navd_client *c, nav_status encoded, call *k);
// Nobody will answer them.
void navd_client_end_calls(navd_client *c, nav_status s);
// Moves bytes and dispatches what has come. When the connection breaks, all calls end with what it returns.
NAV_MUST_USE nav_status navd_client_pump(navd_client *c);
uint32_t navd_client_next_id(navd_client *c);
// Reads and dispatches until `done` is true, or the deadline.
NAV_MUST_USE nav_status navd_client_run_until(navd_client *c, const bool *done, double deadline_ms);
double navd_client_deadline(const navd_client *c);

// unpack.c
// How a Detour tile is asked for over the wire. *lacks: the dictionary that this takes has to be fetched first.
NAV_MUST_USE nav_status navd_client_choose_encoding(navd_client *c, navd_encoding wanted, np_encoding *out,
                                                    bool *lacks);
NAV_MUST_USE nav_status navd_client_encode_dictionary(navd_client *c);
nav_status navd_client_take_dictionary(navd_client *c, const np_message *in, np_error *err, void *out);
// All of it, waiting for the daemon where that is needed.
navd_status navd_client_encoding(navd_client *c, navd_encoding wanted, np_encoding *out);
// The data of a tile, into c->unpacked. NAV_ERR_FORMAT with words in c->why; NAV_ERR_MEMORY.
NAV_MUST_USE nav_status navd_client_unpack(navd_client *c, const np_tile *in);

// tiles.c
// From the wire to what a user sees; strings and data are copied into *text and c->unpacked. NAV_ERR_FORMAT ...
NAV_MUST_USE nav_status navd_tile_unpack(navd_client *c, const np_tile *in, navd_tile *out);
NAV_MUST_USE nav_status navd_tile_note_dispatch(navd_client *c, const np_tile_note *note);

#endif
