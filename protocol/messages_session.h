// Of a session and of the daemon itself: hello, ping, counters, who is connected, the end. Part of messages.h, which
// says how it is read and written.
#ifndef NP_MESSAGES_SESSION_H
#define NP_MESSAGES_SESSION_H

#include "protocol/envelope.h"

enum { NP_PROTOCOL_VERSION = 1 };

typedef struct np_none { // a message with nothing in it: an empty map
    uint8_t unused;
} np_none;

// hello: the first call of a session.
typedef enum np_priority { // how much of the workers the session gets beside others: as 4 to 1 to 16
    NP_PRIORITY_NORMAL,
    NP_PRIORITY_LOW,
    NP_PRIORITY_HIGH, // admins only
} np_priority;

typedef struct np_hello_request {
    uint32_t version; // NP_PROTOCOL_VERSION of the client
    np_str client;    // name and version, for the log
    np_str token;     // navd_ID_SECRET; "": none
    np_str space;     // on the wire `namespace`: the one to look into; "": the token's. Admins only
    bool keepalive;   // send `alive` where nothing else was sent for keepalive_s
    np_priority priority;
} np_hello_request;

// What the daemon takes; np_limits plus its own.
typedef struct np_server_limits {
    uint32_t message_bytes, depth, elements, container_elements;
    uint32_t mesh_part_bytes; // data of one mesh.put
    uint32_t mesh_bytes;      // vertices and indices of one mesh
    uint32_t edit_ops;        // operations in one world.edit
    uint32_t request_tiles;   // tiles of one tiles.get or tiles.build
} np_server_limits;

typedef struct np_hello_response {
    np_str server;    // name and version
    uint32_t version; // NP_PROTOCOL_VERSION of the daemon
    np_server_limits limits;
    uint32_t dictionary;  // id of the one that packed tiles are compressed with; 0 (default): none are to be had
    np_str role;          // of the session: "reader", "editor" or "admin"
    np_str space;         // on the wire `namespace`: what it sees
    uint32_t keepalive_s; // with keepalive: something comes that often; 0 (default): nothing of the kind
} np_hello_response;

// ping: nothing but the answer.
typedef np_none np_ping_request;
typedef np_none np_ping_response;

// dictionary.get: the bytes of a zstd dictionary. NAV_ERR_NOT_FOUND: the daemon does not have it.
typedef struct np_dictionary_get_request {
    uint32_t id; // as hello, or a frame, names it
} np_dictionary_get_request;
typedef struct np_dictionary_get_response {
    uint32_t id;
    np_bin data;
} np_dictionary_get_response;

// stats: counters by name.
typedef np_none np_stats_request;
typedef struct np_counter {
    np_str name;
    uint64_t value;
} np_counter;
typedef struct np_stats_response {
    uint32_t counter_count;
    const np_counter *counters; // on the wire: one map name -> value
} np_stats_response;

// sessions.list: who is connected, of all namespaces.
enum { NP_SESSIONS_DEFAULT = 1000, NP_SESSIONS_MAX = 10000 };
typedef struct np_sessions_list_request {
    uint32_t limit; // default NP_SESSIONS_DEFAULT, 1 to NP_SESSIONS_MAX
} np_sessions_list_request;
typedef struct np_session_entry {
    uint64_t id;        // as in the daemon's log
    np_str client;      // as hello named itself; "" before
    np_str name;        // who it acts for
    np_str role, space; // "nobody" and "" before it has logged in
    bool encrypted;     // TLS
    uint64_t age_ms;    // since it was accepted
    uint32_t subscriptions;
    uint64_t bytes_in, bytes_out;
    uint64_t bytes_queued; // what it has not read yet
} np_session_entry;
typedef struct np_sessions_list_response {
    uint64_t total; // sessions; the list ends at the limit
    uint32_t session_count;
    const np_session_entry *sessions; // oldest first
} np_sessions_list_response;

// namespaces.list: what each uses, and may use.
#define NP_UNBOUNDED UINT64_MAX
enum { NP_NAMESPACES_MAX = 4096 };
typedef np_none np_namespaces_list_request;
typedef struct np_namespace_entry {
    np_str name;
    uint64_t worlds, objects, tiles, mesh_bytes, sessions;
    // Quotas; default NP_UNBOUNDED.
    uint64_t max_worlds, max_objects, max_tiles, max_mesh_bytes, max_sessions, max_edits_per_second;
} np_namespace_entry;
typedef struct np_namespaces_list_response {
    uint32_t namespace_count;
    const np_namespace_entry *namespaces; // sorted by name
} np_namespaces_list_response;

// The daemon ends: it answers what it has read, reads no more, and closes.
typedef struct np_bye_note {
    np_str reason;     // a sentence
    uint64_t retry_ms; // a good time to wait before connecting again
} np_bye_note;

// Nothing else was sent for a while; only for sessions that asked for it with hello.
typedef np_none np_alive_note;

#endif
