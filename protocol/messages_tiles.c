// tiles.* and the tile notification: what comes out.
#include "protocol/schema.h"

#include <stdio.h>

#define R(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = NP_REQUIRED, .offset = offsetof(T, member)                         \
    }
#define O(T, member, wire_type)                                                                                        \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .offset = offsetof(T, member)                                               \
    }
#define XZ(T, member, wire_type, want)                                                                                 \
    {                                                                                                                  \
        .key = #member, .type = wire_type, .flags = want, .count = 2, .offset = offsetof(T, member)                    \
    }
#define ENCODING(T, at)                                                                                                \
    {                                                                                                                  \
        .key = "encoding", .type = NP_T_ENUM, .offset = offsetof(T, at encoding), .names = np_encoding_names           \
    }

#define SHEET(T, at)                                                                                                   \
    {                                                                                                                  \
        .key = "sheet", .type = NP_T_ENUM, .offset = offsetof(T, at sheet), .names = np_sheet_names                    \
    }

#define COMPRESSION(T)                                                                                                 \
    {                                                                                                                  \
        .key = "compression", .type = NP_T_ENUM, .offset = offsetof(T, compression), .names = np_compression_names     \
    }

enum { MAX_SHAPES = 1 << 16 };

const char *const np_encoding_names[] = {
    [NP_ENCODING_NAVD] = "navd", [NP_ENCODING_DETOUR] = "detour", [NP_ENCODING_PACKED] = "packed", NULL};
const char *const np_compression_names[] = {[NP_COMPRESSION_ZSTD] = "zstd", [NP_COMPRESSION_NONE] = "none", NULL};
const char *const np_tile_status_names[] = {
    [NP_TILE_OK] = "ok",           [NP_TILE_EMPTY] = "empty",     [NP_TILE_FAILED] = "failed",
    [NP_TILE_REMOVED] = "removed", [NP_TILE_PENDING] = "pending", NULL,
};

static const np_field known_tile[] = {
    R(np_known_tile, x, NP_T_I32),
    R(np_known_tile, z, NP_T_I32),
    R(np_known_tile, key, NP_T_KEY),
    SHEET(np_known_tile, ),
};
static const np_schema known_tile_schema = {
    .bytes = sizeof(np_known_tile), NP_FIELDS(known_tile), .shape = NP_SHAPE_TUPLE};

static const np_field tile_xz[] = {
    R(np_tile_xz, x, NP_T_I32),
    R(np_tile_xz, z, NP_T_I32),
    SHEET(np_tile_xz, ),
};
static const np_schema tile_xz_schema = {.bytes = sizeof(np_tile_xz), NP_FIELDS(tile_xz), .shape = NP_SHAPE_TUPLE};

#define TILE_FIELDS(T, at)                                                                                             \
    {.key = "x", .type = NP_T_I32, .flags = NP_REQUIRED, .offset = offsetof(T, at x)},                                 \
        {.key = "z", .type = NP_T_I32, .flags = NP_REQUIRED, .offset = offsetof(T, at z)}, SHEET(T, at),               \
        {.key = "status",                                                                                              \
         .type = NP_T_ENUM,                                                                                            \
         .flags = NP_REQUIRED,                                                                                         \
         .offset = offsetof(T, at status),                                                                             \
         .names = np_tile_status_names},                                                                               \
        {.key = "reason", .type = NP_T_STR, .offset = offsetof(T, at reason)},                                         \
        {.key = "revision", .type = NP_T_U64, .flags = NP_REQUIRED, .offset = offsetof(T, at revision)},               \
        {.key = "key", .type = NP_T_KEY, .offset = offsetof(T, at key)},                                               \
        {.key = "size", .type = NP_T_U64, .offset = offsetof(T, at size)}, ENCODING(T, at),                            \
        {.key = "queued_us", .type = NP_T_U64, .offset = offsetof(T, at queued_us)},                                   \
        {.key = "made_us", .type = NP_T_U64, .offset = offsetof(T, at made_us)},                                       \
    {                                                                                                                  \
        .key = "data", .type = NP_T_BIN, .offset = offsetof(T, at data)                                                \
    }

static const np_field tile[] = {TILE_FIELDS(np_tile, )};
static const np_schema tile_schema = {.bytes = sizeof(np_tile), NP_FIELDS(tile)};

static const np_field tile_note[] = {
    R(np_tile_note, subscription, NP_T_U64),
    R(np_tile_note, world, NP_T_U64),
    R(np_tile_note, profile, NP_T_STR),
    TILE_FIELDS(np_tile_note, tile.),
};
const np_schema np_schema_tile_note = {.bytes = sizeof(np_tile_note), NP_FIELDS(tile_note)};

static const np_field ended_note[] = {
    R(np_ended_note, subscription, NP_T_U64),
    R(np_ended_note, world, NP_T_U64),
    R(np_ended_note, reason, NP_T_STR),
};
const np_schema np_schema_ended_note = {.bytes = sizeof(np_ended_note), NP_FIELDS(ended_note)};

static const np_field synced_note[] = {
    R(np_synced_note, subscription, NP_T_U64),
    R(np_synced_note, world, NP_T_U64),
    R(np_synced_note, revision, NP_T_U64),
};
const np_schema np_schema_synced_note = {.bytes = sizeof(np_synced_note), NP_FIELDS(synced_note)};

#define TILE_LIST(T, wanted)                                                                                           \
    {                                                                                                                  \
        .key = "tiles", .type = NP_T_LIST, .flags = NP_REQUIRED, .count = NP_MAX_TILES, .offset = offsetof(T, tiles),  \
        .count_offset = offsetof(T, tile_count), .item = &wanted                                                       \
    }

// min and max stand behind each other in the struct, so that bounds are one array of four.
_Static_assert(offsetof(np_tiles_focus_request, max) == offsetof(np_tiles_focus_request, min) + 16, "bounds");
_Static_assert(offsetof(np_tiles_subscribe_request, max) == offsetof(np_tiles_subscribe_request, min) + 16, "bounds");
static const np_field tiles_subscribe_request[] = {
    R(np_tiles_subscribe_request, world, NP_T_U64),
    R(np_tiles_subscribe_request, profile, NP_T_STR),
    {.key = "sheets", .type = NP_T_SHEETS, .offset = offsetof(np_tiles_subscribe_request, sheets)},
    ENCODING(np_tiles_subscribe_request, ),
    COMPRESSION(np_tiles_subscribe_request),
    {.key = "bounds",
     .type = NP_T_F64S,
     .count = 4,
     .offset = offsetof(np_tiles_subscribe_request, min),
     .has_offset = offsetof(np_tiles_subscribe_request, has_bounds),
     .place = NP_PLACE_BOUNDS},
    {.key = "focus",
     .type = NP_T_F64S,
     .count = 2,
     .offset = offsetof(np_tiles_subscribe_request, focus),
     .has_offset = offsetof(np_tiles_subscribe_request, has_focus),
     .place = NP_PLACE_GROUND},
    {.key = "build", .type = NP_T_ENUM, .offset = offsetof(np_tiles_subscribe_request, build), .names = np_build_names},
    {.key = "margin_m",
     .type = NP_T_F64,
     .offset = offsetof(np_tiles_subscribe_request, margin_m),
     .has_offset = offsetof(np_tiles_subscribe_request, has_margin)},
    {.key = "since",
     .type = NP_T_U64,
     .offset = offsetof(np_tiles_subscribe_request, since),
     .has_offset = offsetof(np_tiles_subscribe_request, has_since)},
    {.key = "known",
     .type = NP_T_LIST,
     .count = NP_MAX_TILES,
     .offset = offsetof(np_tiles_subscribe_request, known),
     .count_offset = offsetof(np_tiles_subscribe_request, known_count),
     .item = &known_tile_schema},
};

nav_status np_check_bounds(const double min[2], const double max[2], char *why, size_t why_bytes)
{
    if (min[0] <= max[0] && min[1] <= max[1]) return NAV_OK;
    snprintf(why, why_bytes, "bounds: [%g, %g, %g, %g], expected [min x, min z, max x, max z]", min[0], min[1], max[0],
             max[1]);
    return NAV_ERR_ARGUMENT;
}

static nav_status check_subscribe(void *m, char *why, size_t why_bytes)
{
    const np_tiles_subscribe_request *r = m;
    nav_status s = r->has_bounds ? np_check_bounds(r->min, r->max, why, why_bytes) : NAV_OK;
    return s == NAV_OK ? np_check_margin(r->margin_m, why, why_bytes) : s;
}

const np_schema np_schema_tiles_subscribe_request = {
    .bytes = sizeof(np_tiles_subscribe_request), NP_FIELDS(tiles_subscribe_request), .check = check_subscribe};

static const np_field tiles_subscribe_response[] = {
    R(np_tiles_subscribe_response, subscription, NP_T_U64),
    R(np_tiles_subscribe_response, revision, NP_T_U64),
    {.key = "resumed", .type = NP_T_BOOL, .offset = offsetof(np_tiles_subscribe_response, resumed)},
    {.key = "grid", .type = NP_T_U64, .offset = offsetof(np_tiles_subscribe_response, grid)},
};
const np_schema np_schema_tiles_subscribe_response = {.bytes = sizeof(np_tiles_subscribe_response),
                                                      NP_FIELDS(tiles_subscribe_response)};

static const np_field tiles_unsubscribe_request[] = {R(np_tiles_unsubscribe_request, subscription, NP_T_U64)};
const np_schema np_schema_tiles_unsubscribe_request = {.bytes = sizeof(np_tiles_unsubscribe_request),
                                                       NP_FIELDS(tiles_unsubscribe_request)};
const np_schema np_schema_tiles_unsubscribe_response = NP_SCHEMA_NONE;

static const np_field tiles_focus_request[] = {
    R(np_tiles_focus_request, subscription, NP_T_U64),
    {.key = "focus",
     .type = NP_T_F64S,
     .count = 2,
     .offset = offsetof(np_tiles_focus_request, focus),
     .has_offset = offsetof(np_tiles_focus_request, has_focus),
     .place = NP_PLACE_GROUND},
    {.key = "bounds",
     .type = NP_T_F64S,
     .count = 4,
     .offset = offsetof(np_tiles_focus_request, min),
     .has_offset = offsetof(np_tiles_focus_request, has_bounds),
     .place = NP_PLACE_BOUNDS},
    {.key = "margin_m",
     .type = NP_T_F64,
     .offset = offsetof(np_tiles_focus_request, margin_m),
     .has_offset = offsetof(np_tiles_focus_request, has_margin)},
};

static nav_status check_focus(void *m, char *why, size_t why_bytes)
{
    const np_tiles_focus_request *r = m;
    if (!r->has_focus && !r->has_bounds) {
        snprintf(why, why_bytes, "focus: missing, expected focus, or bounds, or both");
        return NAV_ERR_ARGUMENT;
    }
    if (r->has_margin && !r->has_bounds) {
        snprintf(why, why_bytes, "margin_m: expected together with bounds");
        return NAV_ERR_ARGUMENT;
    }
    nav_status s = r->has_bounds ? np_check_bounds(r->min, r->max, why, why_bytes) : NAV_OK;
    return s == NAV_OK ? np_check_margin(r->margin_m, why, why_bytes) : s;
}

const np_schema np_schema_tiles_focus_request = {
    .bytes = sizeof(np_tiles_focus_request), NP_FIELDS(tiles_focus_request), .check = check_focus};
const np_schema np_schema_tiles_focus_response = NP_SCHEMA_NONE;

static const np_field tiles_get_request[] = {
    R(np_tiles_get_request, world, NP_T_U64),
    R(np_tiles_get_request, profile, NP_T_STR),
    ENCODING(np_tiles_get_request, ),
    COMPRESSION(np_tiles_get_request),
    TILE_LIST(np_tiles_get_request, tile_xz_schema),
};
const np_schema np_schema_tiles_get_request = {.bytes = sizeof(np_tiles_get_request), NP_FIELDS(tiles_get_request)};

static const np_field tiles_get_response[] = {
    TILE_LIST(np_tiles_get_response, tile_schema),
    {.key = "grid", .type = NP_T_U64, .offset = offsetof(np_tiles_get_response, grid)},
};
const np_schema np_schema_tiles_get_response = {.bytes = sizeof(np_tiles_get_response), NP_FIELDS(tiles_get_response)};

static const np_field tiles_build_request[] = {
    {.key = "settings",
     .type = NP_T_MAP,
     .offset = offsetof(np_tiles_build_request, settings),
     .item = &np_schema_settings},
    ENCODING(np_tiles_build_request, ),
    COMPRESSION(np_tiles_build_request),
    SHEET(np_tiles_build_request, ),
    XZ(np_tiles_build_request, first, NP_T_I32S, NP_REQUIRED),
    XZ(np_tiles_build_request, last, NP_T_I32S, NP_REQUIRED),
    {.key = "area", .type = NP_T_U8, .count = NAV_AREA_COUNT - 1, .offset = offsetof(np_tiles_build_request, area)},
    {.key = "vertices",
     .type = NP_T_BIN,
     .flags = NP_REQUIRED,
     .count = 12,
     .offset = offsetof(np_tiles_build_request, vertices)},
    {.key = "indices",
     .type = NP_T_BIN,
     .flags = NP_REQUIRED,
     .count = 12,
     .offset = offsetof(np_tiles_build_request, indices)},
    {.key = "areas", .type = NP_T_BIN, .count = 1, .offset = offsetof(np_tiles_build_request, areas)},
    {.key = "volumes",
     .type = NP_T_LIST,
     .count = MAX_SHAPES,
     .offset = offsetof(np_tiles_build_request, volumes),
     .count_offset = offsetof(np_tiles_build_request, volume_count),
     .item = &np_schema_volume},
    {.key = "links",
     .type = NP_T_LIST,
     .count = MAX_SHAPES,
     .offset = offsetof(np_tiles_build_request, links),
     .count_offset = offsetof(np_tiles_build_request, link_count),
     .item = &np_schema_link},
    NP_AXES_FIELDS(np_tiles_build_request, axes.),
};

static void default_build(void *m)
{
    np_tiles_build_request *r = m;
    nav_settings_default(&r->settings);
    r->area = NAV_AREA_DEFAULT;
}

static nav_status check_build(void *m, char *why, size_t why_bytes)
{
    np_tiles_build_request *r = m;
    if (!(r->settings.sheets >> r->sheet & 1)) {
        snprintf(why, why_bytes, "sheet: \"%s\" is not one of the settings' sheets", nav_sheet_name(r->sheet));
        return NAV_ERR_ARGUMENT;
    }
    r->settings.sheet = r->sheet;
    if (np_axes_check(&r->axes, why, why_bytes) != NAV_OK) return NAV_ERR_ARGUMENT;
    if (r->areas.size && r->areas.size != r->indices.size / 12) {
        snprintf(why, why_bytes, "areas: %u bytes, expected one for each of the %u triangles", r->areas.size,
                 r->indices.size / 12);
        return NAV_ERR_ARGUMENT;
    }
    if (r->first[0] <= r->last[0] && r->first[1] <= r->last[1]) return NAV_OK;
    snprintf(why, why_bytes, "first: [%d, %d] is greater than last, [%d, %d]", r->first[0], r->first[1], r->last[0],
             r->last[1]);
    return NAV_ERR_ARGUMENT;
}

const np_schema np_schema_tiles_build_request = {.bytes = sizeof(np_tiles_build_request),
                                                 NP_FIELDS(tiles_build_request),
                                                 .defaults = default_build,
                                                 .check = check_build};

static const np_field tiles_build_response[] = {TILE_LIST(np_tiles_build_response, tile_schema)};
const np_schema np_schema_tiles_build_response = {.bytes = sizeof(np_tiles_build_response),
                                                  NP_FIELDS(tiles_build_response)};
