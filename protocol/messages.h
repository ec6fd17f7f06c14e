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
// exist, are there too many tiles) is the daemon's to check. Units: metres, degrees, microseconds; places in a message
// with other axes (np_message.axes) are converted. Any thread.
#ifndef NP_MESSAGES_H
#define NP_MESSAGES_H

#include "protocol/frame.h"
#include "protocol/messages_areas.h"
#include "protocol/messages_audit.h"
#include "protocol/messages_cache.h"
#include "protocol/messages_farm.h"
#include "protocol/messages_jobs.h"
#include "protocol/messages_paths.h"
#include "protocol/messages_places.h"
#include "protocol/messages_profile.h"
#include "protocol/messages_session.h"
#include "protocol/messages_sync.h"
#include "protocol/messages_tiles.h"
#include "protocol/messages_view.h"
#include "protocol/messages_world.h"

// What a message says about its axes, before the rest is decoded: `up` and `unit_m` of its params, metres with Y up
// where they are absent. NAV_ERR_ARGUMENT.
NAV_MUST_USE nav_status np_message_read_axes(const np_message *m, np_axes *out, np_error *err);
// A number of its params. False: there is none by that name, or it is something else.
bool np_message_read_number(const np_message *m, const char *key, uint64_t *out);

// What a session may do; each includes what stands before it. The words are those of hello's answer.
//
//     nobody ◄ reader ◄ editor ◄ admin
//     (only     looks   changes  looks after the daemon:
//      hello)           worlds   all namespaces, its caches, its jobs
typedef enum np_role { NP_ROLE_NOBODY, NP_ROLE_READER, NP_ROLE_EDITOR, NP_ROLE_ADMIN } np_role;

// Everything that is particular to a method stands in its row. X(ID, name in C, name on the wire, least role); the
// structs are np_NAME_request and np_NAME_response, their tables np_schema_NAME_request and np_schema_NAME_response,
// the daemon's handler nd_method_NAME(): what is missing does not compile or link. NOBODY: sessions may call it before
// hello. A handler may ask for more (a reader may open a world but not make one).
#define NP_METHOD_LIST(X)                                                                                              \
    X(HELLO, hello, "hello", NOBODY)                                                                                   \
    X(WORLD_OPEN, world_open, "world.open", READER)                                                                    \
    X(WORLD_LIST, world_list, "world.list", READER)                                                                    \
    X(WORLD_CLOSE, world_close, "world.close", READER)                                                                 \
    X(WORLD_DELETE, world_delete, "world.delete", EDITOR)                                                              \
    X(WORLD_REACH, world_reach, "world.reach", READER)                                                                 \
    X(WORLD_AREAS, world_areas, "world.areas", READER)                                                                 \
    X(WORLD_EDIT, world_edit, "world.edit", EDITOR)                                                                    \
    X(WORLD_SYNC, world_sync, "world.sync", EDITOR)                                                                    \
    X(WORLD_OBJECTS, world_objects, "world.objects", READER)                                                           \
    X(MESH_HAVE, mesh_have, "mesh.have", EDITOR)                                                                       \
    X(MESH_PUT, mesh_put, "mesh.put", EDITOR)                                                                          \
    X(MESH_GET, mesh_get, "mesh.get", READER)                                                                          \
    X(TILES_SUBSCRIBE, tiles_subscribe, "tiles.subscribe", READER)                                                     \
    X(TILES_UNSUBSCRIBE, tiles_unsubscribe, "tiles.unsubscribe", READER)                                               \
    X(TILES_FOCUS, tiles_focus, "tiles.focus", READER)                                                                 \
    X(TILES_GET, tiles_get, "tiles.get", READER)                                                                       \
    X(TILES_FAILED, tiles_failed, "tiles.failed", READER)                                                              \
    X(TILES_WHY, tiles_why, "tiles.why", READER)                                                                       \
    X(TILES_BUILD, tiles_build, "tiles.build", EDITOR)                                                                 \
    X(PING, ping, "ping", READER)                                                                                      \
    X(DICTIONARY_GET, dictionary_get, "dictionary.get", READER)                                                        \
    X(JOBS_WAIT, jobs_wait, "jobs.wait", READER)                                                                       \
    X(JOBS_LIST, jobs_list, "jobs.list", READER)                                                                       \
    X(JOBS_CANCEL, jobs_cancel, "jobs.cancel", EDITOR)                                                                 \
    X(CACHE_GC, cache_gc, "cache.gc", ADMIN)                                                                           \
    X(CACHE_VERIFY, cache_verify, "cache.verify", ADMIN)                                                               \
    X(CACHE_EXPORT, cache_export, "cache.export", ADMIN)                                                               \
    X(CACHE_IMPORT, cache_import, "cache.import", ADMIN)                                                               \
    X(SESSIONS_LIST, sessions_list, "sessions.list", ADMIN)                                                            \
    X(NAMESPACES_LIST, namespaces_list, "namespaces.list", ADMIN)                                                      \
    X(STATS, stats, "stats", READER)                                                                                   \
    X(VIEW_OPEN, view_open, "view.open", READER)                                                                       \
    X(WORLD_PROFILE, world_profile, "world.profile", EDITOR)                                                           \
    X(WORLD_ORIGIN, world_origin, "world.origin", EDITOR)                                                              \
    X(PATH_FIND, path_find, "path.find", READER)                                                                       \
    X(PATH_NEAREST, path_nearest, "path.nearest", READER)                                                              \
    X(PATH_RAYCAST, path_raycast, "path.raycast", READER)                                                              \
    X(PATH_WALL, path_wall, "path.wall", READER)                                                                       \
    X(PATH_RANDOM, path_random, "path.random", READER)                                                                 \
    X(PATH_REACH, path_reach, "path.reach", READER)                                                                    \
    X(PATH_WITHIN, path_within, "path.within", READER)                                                                 \
    X(PATH_WATCH, path_watch, "path.watch", READER)                                                                    \
    X(PATH_UNWATCH, path_unwatch, "path.unwatch", READER)                                                              \
    X(PATH_AUDIT, path_audit, "path.audit", READER)                                                                    \
    X(PATH_CANCEL, path_cancel, "path.cancel", READER)                                                                 \
    X(FARM_STATUS, farm_status, "farm.status", READER)                                                                 \
    X(FARM_CHECK, farm_check, "farm.check", READER)

#define NP_NOTE_LIST(X)                                                                                                \
    X(TILE, tile, "tile")                                                                                              \
    X(ENDED, ended, "ended")                                                                                           \
    X(PROGRESS, progress, "progress")                                                                                  \
    X(SYNCED, synced, "synced")                                                                                        \
    X(BYE, bye, "bye")                                                                                                 \
    X(ALIVE, alive, "alive")                                                                                           \
    X(SETTINGS, settings, "settings")                                                                                  \
    X(AREAS, areas, "areas")                                                                                           \
    X(PATHS, paths, "paths")

typedef enum np_method {
    NP_UNKNOWN, // answer a request for it with NAV_ERR_NOT_FOUND; ignore a notification
#define NP_ENUM(ID, ...) NP_##ID,
    NP_METHOD_LIST(NP_ENUM) NP_NOTE_LIST(NP_ENUM)
#undef NP_ENUM
        NP_METHOD_COUNT
} np_method;

// Which one is it? Requests are looked up among the methods, notifications among the notifications, responses are
// NP_UNKNOWN (the caller knows by the id what it asked).
np_method np_method_of(const np_message *m);
// Name on the wire; "" for NP_UNKNOWN.
const char *np_method_name(np_method m);
const char *np_tile_status_name(np_tile_status s);

// The least role that may call a method. NP_ROLE_ADMIN for what is none: nothing is opened by mistake.
np_role np_method_role(np_method m);
const char *np_role_name(np_role r); // never NULL
// "reader", "editor", "admin". NAV_ERR_ARGUMENT.
NAV_MUST_USE nav_status np_role_parse(const char *text, np_role *out);

// What the typed functions below call: m is the struct that belongs to the method.
NAV_MUST_USE nav_status np_request_encode(nav_buffer *out, np_method method, uint32_t id, const void *m);
NAV_MUST_USE nav_status np_response_encode(nav_buffer *out, np_method method, uint32_t id, const void *m);
NAV_MUST_USE nav_status np_note_encode(nav_buffer *out, np_method method, const void *m);
NAV_MUST_USE nav_status np_request_decode(const np_message *in, np_method method, void *m, np_error *err);
NAV_MUST_USE nav_status np_response_decode(const np_message *in, np_method method, void *m, np_error *err);

// An object by itself, as files keep it: put_instance, put_volume or put_link, and nothing else. Decoding takes any
// bytes; the source and the name point into them. NAV_ERR_FORMAT, NAV_ERR_LIMIT, NAV_ERR_ARGUMENT (a value out of its
// range), NAV_ERR_MEMORY, with err.
NAV_MUST_USE nav_status np_object_encode(nav_buffer *out, const np_op *op);
NAV_MUST_USE nav_status np_object_decode(const uint8_t *bytes, size_t count, np_op *op, np_error *err);

#define NP_METHOD_FUNCTIONS(ID, name, wire, role)                                                                      \
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
