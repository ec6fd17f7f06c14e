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

#include "protocol/frame.h"
#include "protocol/messages_cache.h"
#include "protocol/messages_jobs.h"
#include "protocol/messages_session.h"
#include "protocol/messages_tiles.h"
#include "protocol/messages_world.h"

// X(ID, name in C, name on the wire)
#define NP_METHOD_LIST(X)                                                                                              \
    X(HELLO, hello, "hello")                                                                                           \
    X(WORLD_OPEN, world_open, "world.open")                                                                            \
    X(WORLD_LIST, world_list, "world.list")                                                                            \
    X(WORLD_CLOSE, world_close, "world.close")                                                                         \
    X(WORLD_DELETE, world_delete, "world.delete")                                                                      \
    X(WORLD_REACH, world_reach, "world.reach")                                                                         \
    X(WORLD_EDIT, world_edit, "world.edit")                                                                            \
    X(WORLD_OBJECTS, world_objects, "world.objects")                                                                   \
    X(MESH_HAVE, mesh_have, "mesh.have")                                                                               \
    X(MESH_PUT, mesh_put, "mesh.put")                                                                                  \
    X(MESH_GET, mesh_get, "mesh.get")                                                                                  \
    X(TILES_SUBSCRIBE, tiles_subscribe, "tiles.subscribe")                                                             \
    X(TILES_UNSUBSCRIBE, tiles_unsubscribe, "tiles.unsubscribe")                                                       \
    X(TILES_FOCUS, tiles_focus, "tiles.focus")                                                                         \
    X(TILES_GET, tiles_get, "tiles.get")                                                                               \
    X(TILES_FAILED, tiles_failed, "tiles.failed")                                                                      \
    X(TILES_WHY, tiles_why, "tiles.why")                                                                               \
    X(TILES_BUILD, tiles_build, "tiles.build")                                                                         \
    X(PING, ping, "ping")                                                                                              \
    X(DICTIONARY_GET, dictionary_get, "dictionary.get")                                                                \
    X(JOBS_WAIT, jobs_wait, "jobs.wait")                                                                               \
    X(JOBS_LIST, jobs_list, "jobs.list")                                                                               \
    X(JOBS_CANCEL, jobs_cancel, "jobs.cancel")                                                                         \
    X(CACHE_GC, cache_gc, "cache.gc")                                                                                  \
    X(CACHE_VERIFY, cache_verify, "cache.verify")                                                                      \
    X(CACHE_EXPORT, cache_export, "cache.export")                                                                      \
    X(CACHE_IMPORT, cache_import, "cache.import")                                                                      \
    X(SESSIONS_LIST, sessions_list, "sessions.list")                                                                   \
    X(NAMESPACES_LIST, namespaces_list, "namespaces.list")                                                             \
    X(STATS, stats, "stats")

#define NP_NOTE_LIST(X)                                                                                                \
    X(TILE, tile, "tile")                                                                                              \
    X(ENDED, ended, "ended")                                                                                           \
    X(PROGRESS, progress, "progress")                                                                                  \
    X(SYNCED, synced, "synced")                                                                                        \
    X(BYE, bye, "bye")                                                                                                 \
    X(ALIVE, alive, "alive")

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

// An object by itself, as files keep it: put_instance, put_volume or put_link, and nothing else. Decoding takes any
// bytes. NAV_ERR_FORMAT, NAV_ERR_LIMIT, NAV_ERR_ARGUMENT (a value out of its range), NAV_ERR_MEMORY, with err.
NAV_MUST_USE nav_status np_object_encode(nav_buffer *out, const np_op *op);
NAV_MUST_USE nav_status np_object_decode(const uint8_t *bytes, size_t count, np_op *op, np_error *err);

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
