// Settings that change: profiles and the origin of a world. Part of messages.h, which says how it is read and written.
//
// Where tile (x, z) lies follows from a profile's tile size and the world's origin: together its grid. A grid is named
// by the revision that began it, so a profile whose grid has never changed has the one that it was added with. When the
// grid changes, (x, z) means another place, and the tiles of the older grid are gone with the next `synced`.
#ifndef NP_MESSAGES_PROFILE_H
#define NP_MESSAGES_PROFILE_H

#include "protocol/messages_world.h"

// world.profile: adds a profile, gives one other settings, or removes one. The newest wins: one that is still being
// prepared is answered with NAV_ERR_CANCELLED when another one for the same profile comes.
typedef struct np_world_profile_request {
    uint64_t world;
    np_str name;
    bool has_settings;
    nav_settings settings; // origin_m is the world's. Absent: all defaults. Not with remove
    bool remove;           // default false. NAV_ERR_NOT_FOUND: there is no such profile
} np_world_profile_request;

typedef struct np_world_profile_response {
    uint64_t revision;    // of the world, this change included
    uint32_t dirty_tiles; // that are to be made
    bool durable;         // it survives a crash; false where the daemon keeps nothing on disk
    uint64_t grid;        // the profile's; 0 where it was removed
} np_world_profile_response;

// world.origin: moves the corner of tile (0, 0), and with it the grids of all profiles.
typedef struct np_world_origin_request {
    uint64_t world;
    double origin_m[3];
} np_world_origin_request;

typedef struct np_world_origin_response {
    uint64_t revision;
    uint32_t dirty_tiles;
    bool durable;
} np_world_origin_response;

// A subscription's profile has other settings. Every tile note of the subscription that comes after it was made with
// them, and is of this grid.
typedef struct np_settings_note {
    uint64_t subscription, world;
    np_str profile;
    nav_settings settings; // origin_m filled in
    double origin_m[3];
    uint64_t revision; // of the change
    uint64_t grid;
} np_settings_note;

#endif
