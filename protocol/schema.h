// Internal: a message as a table of fields, walked by one encoder and one decoder, so that the two directions cannot
// disagree and a new message is a struct and a table.
//
//     struct ──► schema_encode.c ──► msgpack map          msgpack map ──► schema_decode.c ──► struct
//                      └── np_schema: key, type, offset, default ──┘
//
// A field is required, or optional with a bool beside it that says whether it was there, or optional with a default
// (the struct as `defaults` fills it; all zero without). Encoders leave out what is absent or equal to its default;
// decoders take nil for absent. The tables are constant. Any thread.
#ifndef NP_SCHEMA_H
#define NP_SCHEMA_H

#include "protocol/axes.h"
#include "protocol/messages.h"
#include "protocol/writer.h"

#include <stddef.h>

typedef enum np_type {
    NP_T_BOOL, // bool, or uint8_t of 0 and 1
    NP_T_U8,
    NP_T_U16,
    NP_T_U32,
    NP_T_U64,
    NP_T_I32,
    NP_T_F32,    // finite; integers and doubles are taken too
    NP_T_F64,    // finite
    NP_T_STR,    // np_str
    NP_T_BIN,    // np_bin; `count` > 1: its size must be a multiple of it
    NP_T_KEY,    // nav_key; a bin of 16 bytes
    NP_T_DIGEST, // uint8_t[NP_DIGEST_BYTES]; a bin of as many
    NP_T_ENUM,   // an enum counted from 0; on the wire its name out of `names`
    NP_T_U16S,   // array of exactly `count`
    NP_T_I32S,
    NP_T_F32S,
    NP_T_F64S,
    NP_T_PACKED,   // float[count]: written as a bin of little-endian float32, read as that or as an array
    NP_T_POINTS,   // the same with at most `count` floats; their number halved is a uint32_t at count_offset
    NP_T_AREAS,    // uint64_t, a bit for each area type; on the wire an array of their numbers
    NP_T_SHEETS,   // uint32_t, a bit for each sheet; on the wire an array of their names, or "all"
    NP_T_COUNTERS, // list of np_counter; on the wire one map
    NP_T_MAP,      // a struct of `item`
    NP_T_LIST,     // pointer to structs of `item`, their number a uint32_t at count_offset, at most `count`
} np_type;

enum {
    NP_REQUIRED = 1,
    NP_NULLABLE = 2, // a key of a list that may be nil, and is zero then
    NP_SWITCH = 4,   // an enum of two: false and true are taken for the first and the second name
};

typedef struct np_schema np_schema;

typedef struct np_field {
    const char *key;
    np_type type;
    unsigned flags;
    uint32_t count; // as the types say; integers: the largest value, 0 for all that the type holds
    size_t offset;
    size_t has_offset; // of the bool "it is there"; 0: none
    size_t count_offset;
    const np_schema *item;
    const char *const *names; // NULL at the end
    np_place place;           // what its numbers mean: they are converted where the message is in other axes
} np_field;

typedef enum np_shape {
    NP_SHAPE_MAP,
    NP_SHAPE_TUPLE, // an array of the fields in order; those that are not required may be missing at its end
    NP_SHAPE_BARE,  // one field, by itself
} np_shape;

struct np_schema {
    size_t bytes; // of the struct
    const np_field *fields;
    uint32_t field_count; // at most 64
    np_shape shape;
    bool strict; // unknown keys are an error
    void (*defaults)(void *m);
    // Fills in what follows from which keys were there: bit i of `given` is field i's.
    void (*imply)(const np_schema *s, uint64_t given, void *m);
    // The rest of what makes a struct valid by itself, after all fields are in it; may fill in what follows from them.
    nav_status (*check)(void *m, char *why, size_t why_bytes);
    // Its lists and maps, or itself, are written in the axes to which a member here points (const np_axes *; NULL: as
    // they are). 0: there is no such member.
    size_t axes_offset;
    // Field 0 is an enum, and its value v says that the rest of the map is of variants[v] (same struct).
    const np_schema *const *variants;
};

#define NP_FIELDS(table) .fields = (table), .field_count = sizeof(table) / sizeof *(table)

// m starts out with the schema's defaults.
void np_schema_defaults(const np_schema *s, void *m);

void np_schema_encode(np_writer *w, const np_schema *s, const void *m);

// value NULL stands for an empty map. Lists are allocated from the zone. axes: of the value; NULL: metres, Y up.
// NAV_ERR_ARGUMENT, NAV_ERR_MEMORY with err.
NAV_MUST_USE nav_status np_schema_decode(const np_schema *s, const msgpack_object *value, msgpack_zone *zone,
                                         const np_axes *axes, void *m, np_error *err);

// The places in m, which is of this schema, by themselves: those of its maps and lists are theirs. NAV_ERR_ARGUMENT
// with words: a number is too large. (schema_places.c)
NAV_MUST_USE nav_status np_schema_to_metres(const np_schema *s, const np_axes *axes, void *m, char *why,
                                            size_t why_bytes);
void np_schema_from_metres(const np_schema *s, const np_axes *axes, void *m);
bool np_schema_has_places(const np_schema *s);

// Rows for axes: `up`, and `unit_m` with its flag, in the np_axes under `at` of T (which ends in a dot, or is empty).
extern const char *const np_up_names[];
#define NP_AXES_FIELDS(T, at)                                                                                          \
    {.key = "up", .type = NP_T_ENUM, .offset = offsetof(T, at up), .names = np_up_names},                              \
    {                                                                                                                  \
        .key = "unit_m", .type = NP_T_F64, .offset = offsetof(T, at unit_m), .has_offset = offsetof(T, at has_unit)    \
    }

// The tables of all messages, each in the messages_*.c of its topic.
#define NP_DECLARE_METHOD(ID, name, wire, role)                                                                        \
    extern const np_schema np_schema_##name##_request, np_schema_##name##_response;
#define NP_DECLARE_NOTE(ID, name, wire) extern const np_schema np_schema_##name##_note;
NP_METHOD_LIST(NP_DECLARE_METHOD)
NP_NOTE_LIST(NP_DECLARE_NOTE)
#undef NP_DECLARE_METHOD
#undef NP_DECLARE_NOTE
// A message with nothing in it; its struct is an np_none.
#define NP_SCHEMA_NONE                                                                                                 \
    {                                                                                                                  \
        .bytes = sizeof(np_none)                                                                                       \
    }

// What stands in several messages.
extern const np_schema np_schema_settings, np_schema_profile_settings; // messages_settings.c
extern const np_schema np_schema_reach;                                // messages_reach.c
extern const np_schema np_schema_area;                                 // messages_areas.c
extern const np_schema np_schema_volume, np_schema_link;               // messages_edit.c
extern const char *const np_build_names[];                             // messages_edit.c
extern const char *const np_outlines_names[], *const np_sheet_names[]; // messages_settings.c
// A length from 0 to most: else NAV_ERR_ARGUMENT with words that name the key.
NAV_MUST_USE nav_status np_check_metres(const char *key, double value, double most, char *why, size_t why_bytes);
// A distance around bounds, key margin_m: NAV_ERR_ARGUMENT with words.
NAV_MUST_USE nav_status np_check_margin(double margin_m, char *why, size_t why_bytes);
NAV_MUST_USE nav_status np_check_bounds(const double min[2], const double max[2], char *why, size_t why_bytes);
NAV_MUST_USE nav_status np_areas_check(const np_area *areas, uint32_t count, char *why,
                                       size_t why_bytes); // each id once
// A row for the table of areas: `areas` and `area_count` in T.
#define NP_AREA_LIST(T)                                                                                                \
    {                                                                                                                  \
        .key = "areas", .type = NP_T_LIST, .count = NP_MAX_AREAS, .offset = offsetof(T, areas),                        \
        .count_offset = offsetof(T, area_count), .item = &np_schema_area                                               \
    }
extern const char *const np_encoding_names[], *const np_compression_names[];
extern const char *const np_tile_status_names[];

#endif
