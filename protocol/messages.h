// Every message of navd: what is in it, and how to write and read it. docs/protocol.md says the same to people who
// write clients in other languages; the field tables in messages_*.c are what the code follows.
//
// Each method NAME has two structs, np_NAME_request and np_NAME_response, and four functions (made by the macro at the
// end, typed, all of one form):
//
//   nav_status np_encode_NAME_request(nav_buffer *out, uint32_t id, const np_NAME_request *m);
//   nav_status np_decode_NAME_request(const np_message *in, np_NAME_request *m, np_error *err);
//   nav_status np_encode_NAME_response(nav_buffer *out, uint32_t id, const np_NAME_response *m);
//   nav_status np_decode_NAME_response(const np_message *in, np_NAME_response *m, np_error *err);
//
// and each notification NAME has np_NAME_note with
//
//   nav_status np_encode_NAME_note(nav_buffer *out, const np_NAME_note *m);
//   nav_status np_decode_NAME_note(const np_message *in, np_NAME_note *m, np_error *err);
//
// Encoders append one whole message to out, always the same bytes for the same struct: keys in the order of the struct,
// shortest integers, optional members that are absent or equal to their default left out. NAV_ERR_MEMORY,
// NAV_ERR_LIMIT; then out is as it was. They do not judge the values: the receiver does.
// The data of a tile note may be NULL with a size: then out ends with the header of those bytes, and the caller sends
// them behind it (they are the last of the message), without a copy.
//
// Decoders fill the struct completely (absent optional members get their default) or return NAV_ERR_ARGUMENT with err
// saying which key, which value, and what was expected; NAV_ERR_MEMORY. Unknown keys are ignored, except in settings.
// Strings, bins and arrays are borrowed: they live as long as the np_message and the bytes it was read from. A response
// that carries an error returns the error's own code, with err as the peer sent it.
//
// What a message says by itself is checked here: integers within their member's type, floating point finite, settings
// in their ranges, volumes convex, links and areas valid. What needs the world or the daemon's limits (does the mesh
// exist, are there too many tiles) is the daemon's to check. Units: metres, degrees, microseconds. Any thread.
#ifndef NP_MESSAGES_H
#define NP_MESSAGES_H

#include "core/base/key.h"
#include "core/geometry/mesh.h"
#include "core/geometry/settings.h"
#include "core/geometry/shapes.h"
#include "core/reach/goal.h"
#include "protocol/envelope.h"
#include "protocol/frame.h"

enum {
    NP_PROTOCOL_VERSION = 1,
    NP_MESH_PART_BYTES = 1 << 20, // default of limits.mesh_part_bytes
    NP_NAME_BYTES = 200,          // of a world or a profile, at most; at least 1
};

typedef struct np_none { // a message with nothing in it: an empty map
    uint8_t unused;
} np_none;

// hello: the first call of a session.
typedef struct np_hello_request {
    uint32_t version; // NP_PROTOCOL_VERSION of the client
    np_str client;    // name and version, for the log
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
    uint32_t dictionary; // id of the one that packed tiles are compressed with; 0 (default): none are to be had
} np_hello_response;

// world.open: find a world by name, or make it. The world's profiles are those it has and those given here: a name it
// has already must come with the same settings (NAV_ERR_EXISTS), a new name is added.
typedef struct np_profile {
    np_str name;
    nav_settings settings; // origin_m is the world's; absent members of the map have their defaults
} np_profile;

// What of a world shall be reachable, and what becomes of the rest.
typedef struct np_seed {
    float at[3]; // on the wire [x, y, z]
} np_seed;

typedef struct np_reach {
    nav_unreachable unreachable;
    uint32_t seed_count; // at most NAV_MAX_SEEDS
    const np_seed *seeds;
    double island_min_area_m2; // default 0; counts where there are no seeds
} np_reach;

typedef struct np_world_open_request {
    np_str name;
    bool create;        // default false: NAV_ERR_NOT_FOUND where there is none
    double origin_m[3]; // default 0; counts only where the world is made here; already copied into profiles[].settings
    uint32_t profile_count;
    const np_profile *profiles; // optional
    bool has_reach;
    np_reach reach; // counts only where the world is made here; later NP_OP_SET_REACH changes it
} np_world_open_request;

typedef struct np_world_open_response {
    uint64_t world; // id for all calls below, the same for all sessions while the daemon runs
    uint64_t revision;
    bool created;
    double origin_m[3];
    uint32_t profile_count;
    const np_profile *profiles; // all that the world has
    bool has_reach;             // it is set
    np_reach reach;
} np_world_open_response;

// world.reach: what can be reached at the moment, for each profile. While tiles are open it is what is known so far.
typedef struct np_world_reach_request {
    uint64_t world;
} np_world_reach_request;
typedef struct np_profile_reach {
    np_str name;
    uint32_t parts, unreachable_parts; // connected parts of tiles
    double area_m2, unreachable_m2;    // seen from above
    uint32_t lost_count;
    const uint32_t *seeds_without_ground; // indices of seeds that no ground is near
} np_profile_reach;
typedef struct np_world_reach_response {
    np_reach reach;
    uint64_t revision;
    uint32_t profile_count;
    const np_profile_reach *profiles; // none where nothing is looked for
} np_world_reach_response;

// world.list
typedef np_none np_world_list_request;
typedef struct np_world_entry {
    np_str name;
    uint64_t revision;
    uint64_t instances;
} np_world_entry;
typedef struct np_world_list_response {
    uint32_t world_count;
    const np_world_entry *worlds; // sorted by name
} np_world_list_response;

// world.close: the session is done with a world; its subscriptions there end. The world stays.
typedef struct np_world_close_request {
    uint64_t world;
} np_world_close_request;
typedef np_none np_world_close_response;

// mesh.have: which of these must be sent?
typedef struct np_mesh_have_request {
    uint32_t hash_count;
    const nav_key *hashes;
} np_mesh_have_request;
typedef struct np_mesh_have_response {
    uint32_t missing_count;
    const nav_key *missing; // in the order asked
} np_mesh_have_response;

// mesh.put: a mesh is one string of bytes, vertices (3 float32 each) then triangles (3 uint32 each), little-endian, of
// 12 * (vertices + triangles) bytes. It is sent in parts of at most limits.mesh_part_bytes, in order and without gaps;
// a small mesh is one part at offset 0. With the last part the hash is checked (else NAV_ERR_ARGUMENT) and the mesh
// exists. A part at offset 0 begins the session's one upload anew; where the mesh exists already the answer is complete
// at once. NAV_ERR_STATE: no upload of this mesh has begun. NAV_ERR_ARGUMENT: not the next part.
typedef struct np_mesh_put_request {
    nav_key hash;       // nav_mesh_hash()
    uint32_t vertices;  // how many
    uint32_t triangles; // how many
    uint64_t offset;    // default 0: where data stands in the string
    np_bin data;
} np_mesh_put_request;
typedef struct np_mesh_put_response {
    uint64_t received;          // bytes of the string so far
    bool complete;              // true: the mesh may be used now (it may have existed before)
    uint32_t skipped_triangles; // complete: those with an index out of range or a vertex that is not finite
} np_mesh_put_response;

// world.edit: operations in order, applied whole or not at all. An error names the operation in err->op.
typedef enum np_op_kind {
    NP_OP_PUT_INSTANCE, // new, or replaces the one of this id
    NP_OP_MOVE_INSTANCE,
    NP_OP_REMOVE_INSTANCE,
    NP_OP_PUT_VOLUME,
    NP_OP_REMOVE_VOLUME,
    NP_OP_PUT_LINK,
    NP_OP_REMOVE_LINK,
    NP_OP_DIRTY, // make the tiles of an area anew
    NP_OP_SET_REACH,
} np_op_kind;

typedef struct np_op {
    np_op_kind kind;
    uint64_t
        id; // chosen by the client; instances, volumes and links are three separate spaces; links: at most 2^32 - 1
    union {
        struct {
            nav_key mesh;        // put only
            float transform[12]; // put (default: identity) and move; 3 rows of 4
            uint8_t area;        // put only; 0 to 63, default NAV_AREA_DEFAULT (63)
        } instance;
        nav_volume volume; // put
        nav_link link;     // put; link.id is id; default area 63, one way, flags 1
        struct {
            double min[2], max[2]; // x z
        } dirty;
        np_reach reach; // replaces all of what the world had
    } u;
} np_op;

typedef struct np_world_edit_request {
    uint64_t world;
    bool has_base_revision;
    uint64_t base_revision; // where given and not the world's revision, the edit is refused with NAV_ERR_STATE
    uint32_t op_count;
    const np_op *ops;
} np_world_edit_request;
typedef struct np_world_edit_response {
    uint64_t revision;    // of the world, this edit included
    uint32_t dirty_tiles; // tiles of all profiles that this edit marked
} np_world_edit_response;

// tiles.*
typedef enum np_encoding {
    NP_ENCODING_NAVD,
    NP_ENCODING_DETOUR,
    NP_ENCODING_PACKED, // the Detour tile in its packed form (core/tile/detour_packed.h); its size is the tile's
} np_encoding;

typedef enum np_tile_status {
    NP_TILE_OK,
    NP_TILE_EMPTY,   // nothing to walk on: no data
    NP_TILE_FAILED,  // reason says why; the tile sent before stays valid
    NP_TILE_REMOVED, // there is no geometry any more: forget it
    NP_TILE_PENDING, // tiles.get only: still to be made, or made again
} np_tile_status;

typedef struct np_tile_xz {
    int32_t x, z;
} np_tile_xz;

typedef struct np_known_tile {
    int32_t x, z;
    nav_key key; // np_tile.key as received
} np_known_tile;

typedef struct np_tile {
    int32_t x, z;
    np_tile_status status;
    np_str reason;     // failed; else ""
    uint64_t revision; // of the world that this tile shows; never goes back
    nav_key key;       // content key; zero (left out) unless ok or empty
    uint64_t size;     // bytes unpacked; 0 without data
    np_encoding encoding;
    uint64_t queued_us; // edit received to generation begun
    uint64_t made_us;   // generation itself; 0 when it came from the cache
    np_bin data;        // zstd, of packed tiles with the dictionary; size 0 (nil on the wire): none
} np_tile;

// tiles.subscribe: from now on every tile of the profile inside the bounds comes as a notification, first those that
// exist already and differ from known.
typedef struct np_tiles_subscribe_request {
    uint64_t world;
    np_str profile;
    np_encoding encoding; // default navd
    bool has_bounds;
    double min[2], max[2]; // x z; on the wire one array, bounds: [min x, min z, max x, max z]
    bool has_focus;
    double focus[2]; // x z: the nearest tiles come first
    uint32_t known_count;
    const np_known_tile *known;
} np_tiles_subscribe_request;
typedef struct np_tiles_subscribe_response {
    uint64_t subscription; // unique while the daemon runs
    uint64_t revision;     // the world's
} np_tiles_subscribe_response;

typedef struct np_tiles_unsubscribe_request {
    uint64_t subscription;
} np_tiles_unsubscribe_request;
typedef np_none np_tiles_unsubscribe_response; // no tile of the subscription comes after it

typedef struct np_tiles_focus_request {
    uint64_t subscription;
    double focus[2];
} np_tiles_focus_request;
typedef np_none np_tiles_focus_response;

// tiles.get: the newest finished state of some tiles, at once.
typedef struct np_tiles_get_request {
    uint64_t world;
    np_str profile;
    np_encoding encoding;
    uint32_t tile_count;
    const np_tile_xz *tiles;
} np_tiles_get_request;
typedef struct np_tiles_get_response {
    uint32_t tile_count;
    const np_tile *tiles; // in the order asked
} np_tiles_get_response;

// tiles.build: stateless. The tiles first..last (inclusive) from geometry that comes along.
typedef struct np_tiles_build_request {
    nav_settings settings; // origin_m included; optional
    np_encoding encoding;
    int32_t first[2], last[2]; // tile x z
    uint8_t area;              // of all triangles, default NAV_AREA_DEFAULT
    np_bin vertices;           // 3 float32 each; a whole number of them
    np_bin indices;            // 3 uint32 a triangle; a whole number of triangles
    uint32_t volume_count;
    const nav_volume *volumes; // optional
    uint32_t link_count;
    const nav_link *links; // optional
} np_tiles_build_request;
typedef struct np_tiles_build_response {
    uint32_t tile_count;
    const np_tile *tiles; // by z, then x
} np_tiles_build_response;

// jobs.wait: answers when every tile up to a revision is out; the notifications of this session come before it.
typedef struct np_jobs_wait_request {
    uint64_t world;
    bool has_revision;
    uint64_t revision; // default: the world's at the time of the call
} np_jobs_wait_request;
typedef struct np_jobs_wait_response {
    uint64_t revision; // the world's now, at least the one waited for
} np_jobs_wait_response;

// jobs.cancel: queued tiles of a world are dropped and running ones stopped; they stay as they were until the next edit
// that touches them. Waiting jobs.wait calls are answered with NAV_ERR_CANCELLED.
typedef struct np_jobs_cancel_request {
    uint64_t world;
} np_jobs_cancel_request;
typedef struct np_jobs_cancel_response {
    uint32_t cancelled; // tiles
} np_jobs_cancel_response;

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

// Notifications, daemon to client.
typedef struct np_tile_note {
    uint64_t subscription, world;
    np_str profile;
    np_tile tile; // its keys stand in the same map
} np_tile_note;

typedef struct np_progress_note {
    uint64_t world;
    np_str profile;
    uint64_t done, total; // tiles since the profile was last idle
} np_progress_note;

// X(ID, name in C, name on the wire)
#define NP_METHOD_LIST(X)                                                                                              \
    X(HELLO, hello, "hello")                                                                                           \
    X(WORLD_OPEN, world_open, "world.open")                                                                            \
    X(WORLD_LIST, world_list, "world.list")                                                                            \
    X(WORLD_CLOSE, world_close, "world.close")                                                                         \
    X(WORLD_REACH, world_reach, "world.reach")                                                                         \
    X(WORLD_EDIT, world_edit, "world.edit")                                                                            \
    X(MESH_HAVE, mesh_have, "mesh.have")                                                                               \
    X(MESH_PUT, mesh_put, "mesh.put")                                                                                  \
    X(TILES_SUBSCRIBE, tiles_subscribe, "tiles.subscribe")                                                             \
    X(TILES_UNSUBSCRIBE, tiles_unsubscribe, "tiles.unsubscribe")                                                       \
    X(TILES_FOCUS, tiles_focus, "tiles.focus")                                                                         \
    X(TILES_GET, tiles_get, "tiles.get")                                                                               \
    X(TILES_BUILD, tiles_build, "tiles.build")                                                                         \
    X(DICTIONARY_GET, dictionary_get, "dictionary.get")                                                                \
    X(JOBS_WAIT, jobs_wait, "jobs.wait")                                                                               \
    X(JOBS_CANCEL, jobs_cancel, "jobs.cancel")                                                                         \
    X(STATS, stats, "stats")

#define NP_NOTE_LIST(X)                                                                                                \
    X(TILE, tile, "tile")                                                                                              \
    X(PROGRESS, progress, "progress")

typedef enum np_method {
    NP_UNKNOWN, // answer a request for it with NAV_ERR_NOT_FOUND; ignore a notification
#define NP_METHOD_ENUM(ID, name, wire) NP_##ID,
    NP_METHOD_LIST(NP_METHOD_ENUM) NP_NOTE_LIST(NP_METHOD_ENUM)
#undef NP_METHOD_ENUM
        NP_METHOD_COUNT
} np_method;

// Which one is it? Requests are looked up among the methods, notifications among the notifications, responses are
// NP_UNKNOWN (the caller knows by the id what it asked).
np_method np_method_of(const np_message *m);
// Name on the wire; "" for NP_UNKNOWN.
const char *np_method_name(np_method m);
const char *np_tile_status_name(np_tile_status s);

// What the typed functions below call: m is the struct that belongs to the method.
NAV_MUST_USE nav_status np_request_encode(nav_buffer *out, np_method method, uint32_t id, const void *m);
NAV_MUST_USE nav_status np_response_encode(nav_buffer *out, np_method method, uint32_t id, const void *m);
NAV_MUST_USE nav_status np_note_encode(nav_buffer *out, np_method method, const void *m);
NAV_MUST_USE nav_status np_request_decode(const np_message *in, np_method method, void *m, np_error *err);
NAV_MUST_USE nav_status np_response_decode(const np_message *in, np_method method, void *m, np_error *err);

#define NP_METHOD_FUNCTIONS(ID, name, wire)                                                                            \
    NAV_MUST_USE static inline nav_status np_encode_##name##_request(nav_buffer *out, uint32_t id,                     \
                                                                     const np_##name##_request *m)                     \
    {                                                                                                                  \
        return np_request_encode(out, NP_##ID, id, m);                                                                 \
    }                                                                                                                  \
    NAV_MUST_USE static inline nav_status np_decode_##name##_request(const np_message *in, np_##name##_request *m,     \
                                                                     np_error *err)                                    \
    {                                                                                                                  \
        return np_request_decode(in, NP_##ID, m, err);                                                                 \
    }                                                                                                                  \
    NAV_MUST_USE static inline nav_status np_encode_##name##_response(nav_buffer *out, uint32_t id,                    \
                                                                      const np_##name##_response *m)                   \
    {                                                                                                                  \
        return np_response_encode(out, NP_##ID, id, m);                                                                \
    }                                                                                                                  \
    NAV_MUST_USE static inline nav_status np_decode_##name##_response(const np_message *in, np_##name##_response *m,   \
                                                                      np_error *err)                                   \
    {                                                                                                                  \
        return np_response_decode(in, NP_##ID, m, err);                                                                \
    }
NP_METHOD_LIST(NP_METHOD_FUNCTIONS)

#define NP_NOTE_FUNCTIONS(ID, name, wire)                                                                              \
    NAV_MUST_USE static inline nav_status np_encode_##name##_note(nav_buffer *out, const np_##name##_note *m)          \
    {                                                                                                                  \
        return np_note_encode(out, NP_##ID, m);                                                                        \
    }                                                                                                                  \
    NAV_MUST_USE static inline nav_status np_decode_##name##_note(const np_message *in, np_##name##_note *m,           \
                                                                  np_error *err)                                       \
    {                                                                                                                  \
        return np_request_decode(in, NP_##ID, m, err);                                                                 \
    }
NP_NOTE_LIST(NP_NOTE_FUNCTIONS)

#endif
