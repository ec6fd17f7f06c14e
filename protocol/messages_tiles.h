// Tiles, asked for and as they come. Part of messages.h, which says how it is read and written.
#ifndef NP_MESSAGES_TILES_H
#define NP_MESSAGES_TILES_H

#include "protocol/messages_world.h"

enum { NP_MAX_TILES = 1 << 18 }; // of a list in a message

// tiles.*
typedef enum np_encoding {
    NP_ENCODING_NAVD,
    NP_ENCODING_DETOUR,
    NP_ENCODING_PACKED, // the Detour tile in its packed form (core/tile/detour_packed.h); its size is the tile's
} np_encoding;

// Of a tile's data on its way to a client. Caches hold tiles compressed.
typedef enum np_compression {
    NP_COMPRESSION_ZSTD, // of packed tiles with the dictionary
    NP_COMPRESSION_NONE, // the bytes of the encoding as they are
} np_compression;

typedef enum np_tile_status {
    NP_TILE_OK,
    NP_TILE_EMPTY,   // nothing to walk on: no data
    NP_TILE_FAILED,  // reason says why; the tile sent before stays valid
    NP_TILE_REMOVED, // there is no geometry any more: forget it
    NP_TILE_PENDING, // tiles.get only: still to be made, or made again
} np_tile_status;

typedef struct np_tile_xz {
    int32_t x, z;
    nav_sheet sheet; // default up
} np_tile_xz;

typedef struct np_known_tile {
    int32_t x, z;
    nav_key key;     // np_tile.key as received
    nav_sheet sheet; // default up
} np_known_tile;

typedef struct np_tile {
    int32_t x, z;    // of the sheet's frame
    nav_sheet sheet; // default up
    np_tile_status status;
    np_str reason;     // failed; else ""
    uint64_t revision; // of the world that this tile shows; never goes back
    nav_key key;       // content key; zero (left out) unless ok or empty
    uint64_t size;     // bytes unpacked; 0 without data
    np_encoding encoding;
    uint64_t queued_us; // edit received to generation begun
    uint64_t made_us;   // generation itself; 0 when it came from the cache
    np_bin data;        // compressed as the client asked (np_compression); size 0 (nil on the wire): none
} np_tile;

// tiles.subscribe: from now on every tile of the profile inside the bounds comes as a notification, first those that
// exist already and differ from known.
typedef struct np_tiles_subscribe_request {
    uint64_t world;
    np_str profile;
    uint32_t sheets;            // of the profile's, bits as nav_settings.sheets has them; 0: all
    np_encoding encoding;       // default navd
    np_compression compression; // default zstd
    bool has_bounds;
    double min[2], max[2]; // x z; on the wire one array, bounds: [min x, min z, max x, max z]
    bool has_focus;
    double focus[2]; // x z: the nearest tiles come first
    // NP_BUILD_WATCHED: as long as the subscription is there its world builds only what is watched, whatever its own
    // `build` says. NP_BUILD_ALL: as the world says.
    np_build_mode build;
    bool has_margin;
    double margin_m; // around bounds; default: the world's
    bool has_since;
    uint64_t since; // a revision that `synced` named: the client has all of it, and on top of it what known says
    uint32_t known_count;
    const np_known_tile *known;
} np_tiles_subscribe_request;
typedef struct np_tiles_subscribe_response {
    uint64_t subscription; // unique while the daemon runs
    uint64_t revision;     // the world's
    bool resumed;          // since holds; false: all tiles come, and what does not come until `synced` is gone
    uint64_t grid;         // the profile's (messages_profile.h)
} np_tiles_subscribe_response;

typedef struct np_tiles_unsubscribe_request {
    uint64_t subscription;
} np_tiles_unsubscribe_request;
typedef np_none np_tiles_unsubscribe_response; // no tile of the subscription comes after it

// tiles.focus: a subscription looks elsewhere: at least one of focus and bounds. Tiles that its new bounds have and its
// old ones had not come like those of a new subscription; of those outside nothing comes any more, and the daemon
// forgets that the client has them.
typedef struct np_tiles_focus_request {
    uint64_t subscription;
    bool has_focus;
    double focus[2];
    bool has_bounds;
    double min[2], max[2]; // as in tiles.subscribe
    bool has_margin;
    double margin_m; // with bounds; default: as it was
} np_tiles_focus_request;
typedef np_none np_tiles_focus_response;

// tiles.get: the newest finished state of some tiles, at once.
typedef struct np_tiles_get_request {
    uint64_t world;
    np_str profile;
    np_encoding encoding;
    np_compression compression;
    uint32_t tile_count;
    const np_tile_xz *tiles;
} np_tiles_get_request;
typedef struct np_tiles_get_response {
    uint32_t tile_count;
    const np_tile *tiles; // in the order asked
    uint64_t grid;        // that x and z count in (messages_profile.h)
} np_tiles_get_response;

// tiles.build: stateless. The tiles first..last (inclusive) from geometry that comes along.
typedef struct np_tiles_build_request {
    nav_settings settings; // origin_m included; optional
    np_encoding encoding;
    np_compression compression;
    nav_sheet sheet;           // of the tiles; default up
    int32_t first[2], last[2]; // tile x z of its frame
    uint8_t area;              // of the triangles without one of their own, default NAV_AREA_DEFAULT
    np_bin vertices;           // 3 float32 each; a whole number of them
    np_bin indices;            // 3 uint32 a triangle; a whole number of triangles
    np_bin areas;              // one byte a triangle, as mesh.put has them; empty: none
    uint32_t volume_count;
    const nav_volume *volumes; // optional
    uint32_t link_count;
    const nav_link *links; // optional
    np_axes axes;          // of the geometry, the volumes and the links; on the wire up and unit_m
} np_tiles_build_request;
typedef struct np_tiles_build_response {
    uint32_t tile_count;
    const np_tile *tiles; // by z, then x
} np_tiles_build_response;

// Notifications, daemon to client.
typedef struct np_tile_note {
    uint64_t subscription, world;
    np_str profile;
    np_tile tile; // its keys stand in the same map
} np_tile_note;

// A subscription is over, and the client did not ask for it.
typedef struct np_ended_note {
    uint64_t subscription, world;
    np_str
        reason; // "deleted": the world was; "profile removed"; "sheets removed": the profile has none of those any more
} np_ended_note;

typedef struct np_progress_note {
    uint64_t world;
    np_str profile;
    uint64_t done, total; // tiles since the profile was last idle
} np_progress_note;

// Every tile of the subscription is with the client as it is at this revision (and some may be newer).
typedef struct np_synced_note {
    uint64_t subscription, world, revision;
} np_synced_note;

#endif
