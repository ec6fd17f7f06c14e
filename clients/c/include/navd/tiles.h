/* Tiles: subscribing, reading, and encodings. Part of navd.h. */
#ifndef NAVD_TILES_H
#define NAVD_TILES_H

#include "navd/meshes.h"
#include "navd/worlds.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum navd_encoding { NAVD_ENCODING_NAVD, NAVD_ENCODING_DETOUR } navd_encoding;
typedef enum navd_tile_status {
    NAVD_TILE_OK,
    NAVD_TILE_EMPTY,   /* nothing to walk on */
    NAVD_TILE_FAILED,  /* `reason` says why; the tile of before stays valid */
    NAVD_TILE_REMOVED, /* forget it */
    NAVD_TILE_PENDING, /* navd_tiles_get() only: not made yet */
} navd_tile_status;
const char *navd_tile_status_name(navd_tile_status s);

/* A tile as it came. Borrowed: see the call that gives it. */
typedef struct navd_tile {
    uint64_t subscription, world; /* 0 from navd_tiles_get() */
    const char *profile;          /* "" from navd_tiles_get() */
    int32_t x, z;                 /* of the frame of the sheet */
    navd_sheet sheet;
    uint64_t grid; /* in which x and z count: it changes with the tile size, the origin and the sheets. 0 from
                      navd_tiles_build() */
    navd_tile_status status;
    const char *reason;
    uint64_t revision; /* of the world that it shows */
    navd_key key;      /* of its content */
    navd_encoding encoding;
    uint64_t queued_us, made_us; /* waited before and spent on generation; made_us 0: from the cache */
    const uint8_t *data;         /* decompressed */
    size_t size;
    size_t wire_size; /* bytes of data on the wire */
} navd_tile;

typedef struct navd_subscription_options {
    const char *profile;
    uint32_t sheets; /* of those that the profile has, bit s for sheet s; 0: all */
    navd_encoding encoding;
    bool has_bounds;
    double min[2], max[2]; /* x z */
    bool has_focus;
    double focus[2]; /* the nearest tiles come first */
    /* NAVD_BUILD_WATCHED: while it is open its world builds only what is watched. NAVD_BUILD_ALL: as the world says. */
    navd_build build;
    bool has_margin;
    double margin_m; /* around the bounds, built as well; else the world's */
} navd_subscription_options;

/* *subscription is set before the first tile comes, which may be before this returns. */
navd_status navd_subscribe(navd_client *c, uint64_t world, const navd_subscription_options *options,
                           uint64_t *subscription);
navd_status navd_unsubscribe(navd_client *c, uint64_t subscription);
navd_status navd_set_focus(navd_client *c, uint64_t subscription, const double focus[2]);
/* Other bounds, with the margin that the subscription has. Tiles in them that were outside before come; of those
 * outside now nothing comes any more, and they come again if the bounds come back. */
navd_status navd_set_bounds(navd_client *c, uint64_t subscription, const double min[2], const double max[2]);

/* The tile and what it points to are valid during the call. The callback must not call this library with the same
 * client, other than navd_edit_start(), navd_wait_start() and navd_cancel_paths(). */
typedef void (*navd_tile_callback)(void *user, const navd_tile *tile);
void navd_on_tile(navd_client *c, navd_tile_callback callback, void *user);
/* done and total: tiles since the profile was last idle. */
typedef void (*navd_progress_callback)(void *user, uint64_t world, const char *profile, uint64_t done, uint64_t total);
void navd_on_progress(navd_client *c, navd_progress_callback callback, void *user);

/* Without a callback: the oldest tile kept, waiting for one up to timeout_ms (0: not at all). NAVD_ERR_TIMEOUT: none.
 * Valid until the next call on this client. */
navd_status navd_next_tile(navd_client *c, int timeout_ms, const navd_tile **out);

/* The newest finished state of some tiles of the sheet up: visit is called for each, in the order asked. */
navd_status navd_tiles_get(navd_client *c, uint64_t world, const char *profile, navd_encoding encoding,
                           const int32_t (*xz)[2], size_t count, navd_tile_callback visit, void *user);
/* The same of a sheet other than up. */
navd_status navd_tiles_get_of(navd_client *c, uint64_t world, const char *profile, navd_sheet sheet,
                              navd_encoding encoding, const int32_t (*xz)[2], size_t count, navd_tile_callback visit,
                              void *user);

/* Stateless: generates the tiles first..last (inclusive) from geometry that comes along. */
typedef struct navd_build_request {
    navd_settings settings;
    double origin_m[3];
    navd_encoding encoding;
    navd_sheet sheet; /* of the tiles; one of settings.sheets */
    int32_t first[2], last[2];
    navd_mesh mesh;
    uint8_t area;
} navd_build_request;
navd_status navd_tiles_build(navd_client *c, const navd_build_request *request, navd_tile_callback visit, void *user);

#ifdef __cplusplus
}
#endif

#endif
