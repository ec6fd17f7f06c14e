// Inside of a client: connection, calls under way, tiles kept. Private to the client library. Owner: one thread at a
// time.
#ifndef NAVD_CLIENT_H
#define NAVD_CLIENT_H

#include "clients/c/navd.h"
#include "clients/c/tile_queue.h"
#include "protocol/messages.h"

#include <zstd.h>

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
    nav_status status;
    // Calls that were started and not waited for: tells the user, then frees the call. NULL: somebody waits and owns
    // it.
    void (*finish)(navd_client *c, call *self);
    union {
        navd_edit_done edit;
        navd_wait_done wait;
    } done;
    union {
        navd_edit_result edit;
        uint64_t now;
    } result;
    void *user;
};

struct navd_client {
    int fd;
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
    navd_tile_callback on_tile;
    void *on_tile_user;
    navd_progress_callback on_progress;
    void *on_progress_user;
    ZSTD_DCtx *unpacker;
    uint32_t dictionary_id; // of packed tiles, by hello; 0: the daemon has none
    ZSTD_DDict *dictionary; // NULL until it is needed
    nav_buffer packed, unpacked;
    char why[160]; // of the last tile that could not be unpacked
    tile_queue queue;
};

// connection.c
double navd_clock_ms(void);
// Connects within the deadline (in navd_clock_ms(); below 0: none). The descriptor does not block. NAV_ERR_* and a
// sentence.
NAV_MUST_USE nav_status connection_open(const char *address, double deadline_ms, int *fd, char *why, size_t why_bytes);
// Sends what the socket takes, and feeds the reader with what is there.
NAV_MUST_USE nav_status connection_move_bytes(navd_client *c);
// Waits until the socket is ready or the deadline has come (NAV_ERR_TIMEOUT).
NAV_MUST_USE nav_status connection_wait(navd_client *c, double deadline_ms);

// calls.c
NAV_PRINTF(3, 4) navd_status client_fail(navd_client *c, nav_status s, const char *format, ...);
// Before a request is encoded: may one be made now?
NAV_MUST_USE nav_status client_ready(navd_client *c, bool blocking);
// Waits for the answer of the request just encoded with id c->next_id - 1; take reads it.
navd_status client_finish(navd_client *c, nav_status encoded, call_take take, void *out);
// Puts a call on the list; it is told in navd_process().
navd_status client_start(navd_client *c, nav_status encoded, call *k);
uint32_t client_next_id(navd_client *c);
// Reads and dispatches until `done` is true, or the deadline.
NAV_MUST_USE nav_status client_run_until(navd_client *c, const bool *done, double deadline_ms);
double client_deadline(const navd_client *c);

// unpack.c
// How a Detour tile is asked for over the wire; the dictionary that this takes is there when it returns NAVD_OK. May
// wait for the daemon.
navd_status client_encoding(navd_client *c, navd_encoding wanted, np_encoding *out);
// The data of a tile, into c->unpacked. NAV_ERR_FORMAT with words in c->why; NAV_ERR_MEMORY.
NAV_MUST_USE nav_status client_unpack(navd_client *c, const np_tile *in);

// tiles.c
// From the wire to what a user sees; strings and data are copied into *text and c->unpacked. NAV_ERR_FORMAT ...
NAV_MUST_USE nav_status tile_unpack(navd_client *c, const np_tile *in, navd_tile *out);
NAV_MUST_USE nav_status tile_note_dispatch(navd_client *c, const np_tile_note *note);

#endif
