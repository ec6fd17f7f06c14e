// A client for load: many of them in one thread, none of which waits. It keeps of each tile what was said last (state,
// key, revision), and not its bytes. Owner: one thread.
//
//   peer_connect() ──► hello, world.open ──► tiles.subscribe ──► PEER_LIVE ... PEER_CLOSED ──► peer_connect()
//
// What comes goes to the hooks; what is sent is sent by peers_run(), which polls all of them.
#ifndef TESTS_E2E_PEER_H
#define TESTS_E2E_PEER_H

#include "protocol/messages.h"

typedef struct peer peer;

typedef struct peer_tile {
    uint64_t revision;
    nav_key key;
    np_tile_status status; // NP_TILE_PENDING: nothing was said
} peer_tile;

typedef enum peer_state { PEER_CLOSED, PEER_GREETING, PEER_LIVE } peer_state;

typedef struct peer_request {
    np_method method;
    uint32_t id;
    uint64_t tag;
    double sent_ms;
} peer_request;

enum { PEER_REQUESTS = 256 };

struct peer {
    int fd;
    peer_state state;
    bool deaf;       // reads nothing any more
    bool no_tiles;   // subscribes to nothing: LIVE once the world is open
    const char *who; // its name; NULL: "peer"
    np_reader reader;
    nav_buffer out;
    size_t sent;
    uint32_t next_id;
    peer_request open[PEER_REQUESTS]; // asked and not answered, in no order
    uint32_t open_count;
    // the world
    const char *world_name;
    uint64_t world, opened_revision, subscription;
    uint64_t synced; // it has all of the world up to this revision; 0: nothing is known
    bool resumed;    // the last subscription went on from there
    bool by_known;   // comes back with a list of its tiles, not with a revision
    int32_t side;    // tiles 0..side-1 in x and z
    peer_tile *tiles;
    uint64_t notes, bytes; // of all its life
    // Hooks; each may be NULL. error: NULL when the call was answered well.
    void (*on_tile)(peer *p, const np_tile *t, const peer_tile *before);
    void (*on_answer)(peer *p, const peer_request *r, const np_message *m, const np_error *error);
    void *user;
};

void peer_init(peer *p, const char *world_name, int32_t side);
void peer_deinit(peer *p);
// Connects (again) and asks for the world. False: nobody listens. What it knows of tiles stays, and is given as
// `known`.
bool peer_connect(peer *p, const char *socket);
// Connects and asks for nothing: the caller's are the first calls.
bool peer_dial(peer *p, const char *socket);
void peer_close(peer *p);
// It knows nothing of any tile.
void peer_forget(peer *p);
// Waits until it is live. False: the daemon closed the connection before.
bool peer_greeted(peer *p);
// Queues a request. tag comes back with the answer.
void peer_ask(peer *p, np_method method, const void *request, uint64_t tag);
// Sends what the socket takes now.
void peer_flush(peer *p);

// Sends and receives for all of them, once, waiting up to timeout_ms (< 0: for ever) for something to happen.
void peers_run(peer *const *peers, size_t count, int timeout_ms);

// One call, and its answer read into response (NULL: not wanted); hooks are called for what comes before it. Fails the
// test when the connection closes or nothing comes for PATIENCE_MS. Strings of the response are gone.
nav_status peer_call(peer *p, np_method method, const void *request, void *response, np_error *err);
// A counter of the method stats. Fails the test where there is none of this name.
uint64_t peer_stat(peer *p, const char *name);
// Until it is live, and then until all tiles of the newest revision are there.
void peer_settle(peer *p);

// How many tiles two of them know differently (key or state).
uint32_t peer_differences(const peer *a, const peer *b);

#endif
