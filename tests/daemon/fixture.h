// A daemon in the test's own process, on a thread of its own, and a client that speaks raw msgpack-rpc to it.
#ifndef TEST_DAEMON_FIXTURE_H
#define TEST_DAEMON_FIXTURE_H

#include "daemon/server.h"
#include "tests/check.h"

#include <pthread.h>
#include <semaphore.h>

typedef struct daemon_fixture {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ready;
    bool started;
    nd_config config;
    nd_server *server;
    nav_status status;
    char why[512];
    char folder[64];
    uv_async_t call; // what fixture_call() asks for; under the mutex, as the next three
    void (*function)(nd_server *s, void *user);
    void *user;
    bool called;
    sem_t gate; // where held workers wait
} daemon_fixture;

// change may adjust the configuration before the start; NULL for none. Two workers, socket in a new folder.
void fixture_start(daemon_fixture *f, void (*change)(nd_config *c));
void fixture_stop(daemon_fixture *f);
// Calls a function on the daemon's thread, between two of its turns, and waits for its end.
void fixture_call(daemon_fixture *f, void (*function)(nd_server *s, void *user), void *user);
// Edits and changes of settings take so many steps a turn from now on; 0: they stay where they are.
void fixture_pace(daemon_fixture *f, size_t steps);
// The daemon's workers do nothing until they are released: what is given to them waits.
void fixture_hold_workers(daemon_fixture *f);
// The same for a function of fixture_call(), which has seen that it is time; user: the gate, a semaphore at 0.
void fixture_push_holders(nd_server *s, void *user);
void fixture_release_workers(daemon_fixture *f);

typedef struct seen_tile {
    uint64_t subscription, revision, size, made_us;
    int32_t x, z;
    nav_sheet sheet;
    np_tile_status status;
    nav_key key;
    uint32_t data_bytes;
    bool compressed;           // the data is a zstd frame
    bool data_good;            // unpacks to `size` bytes that the encoding's reader accepts
    nav_key data_key;          // hash of them
    uint32_t cells, off_cells; // navd's: how many, and how many are marked as out of reach
    char reason[160];
} seen_tile;

// What carries a client's bytes, where that is not the socket itself (web_client.h).
typedef struct client_wire {
    void (*send)(int fd, void *state, const void *bytes, size_t count);
    ssize_t (*receive)(int fd, void *state, void *out, size_t room); // as recv()
} client_wire;

typedef struct client {
    int fd;
    const client_wire *wire; // NULL: the socket
    void *wire_state;        // client_close() frees it
    uint32_t next_id;
    bool gathering; // what is sent waits for client_send_gathered()
    np_reader reader;
    nav_buffer out, kept; // kept: the bytes of the last response
    np_message last;
    seen_tile *tiles; // all tile notes, in order
    size_t tile_count, tile_capacity;
    uint64_t progress_notes, synced_notes, bye_notes;
    np_synced_note last_synced;
    uint64_t settings_notes;
    np_settings_note last_settings; // numbers only
    size_t settings_at;             // tiles that had come before it
    np_progress_note last_progress; // numbers only
    uint64_t world;
} client;

void client_connect(client *c, const daemon_fixture *f);
void client_close(client *c);
void client_send_bytes(client *c, const void *bytes, size_t count);
// Sends a request, returns its id.
uint32_t client_send(client *c, np_method m, const void *request);
// At once, so that the daemon reads the requests one right behind the other.
void client_send_gathered(client *c);
// Waits for the response to id, filing the notes that come before it. The response's struct borrows from the client
// until the next wait. Returns the status that the daemon answered.
nav_status client_wait(client *c, np_method m, uint32_t id, void *response, np_error *err);
nav_status client_call(client *c, np_method m, const void *request, void *response, np_error *err);
// Reads one message of any kind. False: the daemon closed the connection.
bool client_read(client *c, np_message *m);
bool client_is_closed(client *c); // waits for the end of the connection

// hello, world.open "w" with one profile "walker" (small tiles), and its world id in c->world.
void client_greet(client *c);
void client_open(client *c);
// A box of the given half size, put under its hash.
nav_key client_put_box(client *c, float half_x, float half_y, float half_z);
// Sends it only, and returns the request's id.
uint32_t client_send_box(client *c, float half_x, float half_y, float half_z, nav_key *hash);
np_op op_put(uint64_t id, nav_key mesh, float x, float y, float z);
np_op op_move(uint64_t id, float x, float y, float z);
np_op op_remove(uint64_t id);
nav_status client_edit(client *c, const np_op *ops, uint32_t count, np_world_edit_response *r, np_error *err);
uint64_t client_subscribe(client *c, np_encoding e);
void client_settle(client *c); // jobs.wait for the newest revision
uint64_t client_stat(client *c, const char *name);
// The newest note of a tile since `from`, or NULL.
const seen_tile *client_last_tile(const client *c, int32_t x, int32_t z, size_t from);

#endif
