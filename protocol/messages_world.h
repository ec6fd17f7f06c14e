// Worlds, meshes and edits. Part of messages.h, which says how it is read and written.
#ifndef NP_MESSAGES_WORLD_H
#define NP_MESSAGES_WORLD_H

#include "core/base/key.h"
#include "core/geometry/heights.h"
#include "core/geometry/mesh.h"
#include "core/reach/goal.h"
#include "navcore/settings.h"
#include "navcore/shapes.h"
#include "protocol/axes.h"
#include "protocol/messages_areas.h"
#include "protocol/messages_session.h"

enum {
    NP_MESH_PART_BYTES = 1 << 20, // default of limits.mesh_part_bytes
    NP_NAME_BYTES = 200,          // of a world, a profile or a source, at most; at least 1
    NP_OBJECTS_PAGE = 4096,       // objects in one answer of world.objects, unless the request says
    NP_OBJECTS_PAGE_MAX = 16384,
    NP_MAX_EDIT_OPS = 1 << 16, // of lists in messages; limits that a daemon sets itself are not above them
    NP_MAX_PROFILES = 64,
    NP_MAX_STORED_PROFILES = NP_MAX_PROFILES * NAV_SHEET_COUNT, // on disk each has an entry for each of its sheets
    NP_MAX_SLOTS = 1 << 12,                                     // np_profile.slot
    NP_MAX_WORLDS = 1 << 16,
};

// world.open: find a world by name, or make it. The world's profiles are those it has and those given here: a name it
// has already must come with the same settings (NAV_ERR_EXISTS), a new name is added.
typedef struct np_profile {
    np_str name;
    nav_settings settings; // origin_m is the world's; absent members of the map have their defaults
    uint64_t grid;         // in answers: which of the profile's grids it is (messages_profile.h); default 0
    // On disk only: by which number the records of its tiles name the profile; absent: by its place in the list.
    bool has_slot;
    uint32_t slot;
    // On disk and in world files only: settings.outlines by themselves. Settings leave out what is as the default says,
    // and this default may change; absent: voxel, as it was written before there were others.
    bool has_stored_outlines;
    nav_outlines stored_outlines;
    // On disk only: settings.sheet, which settings on the wire do not say; absent: the first of settings.sheets.
    bool has_stored_sheet;
    nav_sheet stored_sheet;
} np_profile;

// Before a profile is written where it stays, and after it is read from there.
void np_profile_store(np_profile *p);
void np_profile_restore(np_profile *p);

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

// What of a world is built: all, or only what a subscription watches, with its margin.
typedef enum np_build_mode { NP_BUILD_ALL, NP_BUILD_WATCHED } np_build_mode;
typedef struct np_build {
    np_build_mode mode;
    double margin_m; // default 0: around the bounds of subscriptions that name none
} np_build;

typedef struct np_world_open_request {
    np_str name;
    bool create;        // default false: NAV_ERR_NOT_FOUND where there is none
    double origin_m[3]; // default 0; counts only where the world is made here; already copied into profiles[].settings
    uint32_t profile_count;
    const np_profile *profiles; // optional
    bool has_reach;
    np_reach reach; // counts only where the world is made here; later NP_OP_SET_REACH changes it
    np_build build; // on the wire build and margin_m; the same, NP_OP_SET_BUILD
    uint32_t area_count;
    const np_area *areas; // the table of areas; counts only where the world is made here; later world.areas changes it
    np_axes axes;         // in which the session talks about this world from now on; on the wire up and unit_m
} np_world_open_request;

typedef struct np_world_open_response {
    uint64_t world; // id for all calls below, the same for all sessions, and after a restart where worlds are stored
    uint64_t revision;
    bool created;
    double origin_m[3];
    uint32_t profile_count;
    const np_profile *profiles; // all that the world has
    bool has_reach;             // it is set
    np_reach reach;
    np_build build;
    uint32_t area_count;
    const np_area *areas; // by id
    bool has_to_metres;   // the session's axes are others than metres, Y up
    double to_metres[12]; // np_axes_to_metres()
    const np_axes *axes;  // not on the wire: in which it is written; NULL: metres, Y up
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
    const np_axes *axes;              // as np_world_open_response has it
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

// world.delete: the world and all that is stored of it is gone, for everybody. Subscriptions to it end with the note
// `ended`, calls of jobs.wait with NAV_ERR_CANCELLED. Its id is not given again.
typedef struct np_world_delete_request {
    uint64_t world;
} np_world_delete_request;
typedef np_none np_world_delete_response;

// mesh.have: which of these must be sent? A client that cannot compute a mesh's hash names it by the SHA-256 of its
// string of bytes, and is told its hash.
enum { NP_DIGEST_BYTES = 32 };
typedef struct np_digest {
    uint8_t bytes[NP_DIGEST_BYTES];
} np_digest;
typedef struct np_mesh_have_request {
    uint32_t hash_count;
    const nav_key *hashes;
    uint32_t digest_count;
    const np_digest *digests; // on the wire: sha256
} np_mesh_have_request;
typedef struct np_mesh_have_response {
    uint32_t missing_count;
    const nav_key *missing; // of hashes, in the order asked
    uint32_t key_count;     // digest_count
    const nav_key *keys;    // of the digests, in the order asked; zero (nil): it must be sent
} np_mesh_have_response;

// What a mesh's string holds: triangles, or a height grid (core/geometry/heights.h), and areas of them. A grid's
// vertices are its samples, and each of its cells counts as two triangles.
typedef uint8_t np_mesh_form; // a sum of:
enum { NP_MESH_AREAS = 1, NP_MESH_HEIGHTS_16 = 2, NP_MESH_HEIGHTS_FLOAT = 4, NP_MESH_HEIGHTS = 6, NP_MESH_FORMS = 6 };

static inline bool np_mesh_form_is_known(unsigned form)
{
    return form < NP_MESH_FORMS; // not both kinds of heights
}

static inline nav_height_format np_mesh_height_format(np_mesh_form form)
{
    return form & NP_MESH_HEIGHTS_16 ? NAV_HEIGHTS_16 : NAV_HEIGHTS_FLOAT;
}

// heights: bits of a sample, 0: triangles.
static inline np_mesh_form np_mesh_form_of(bool areas, uint8_t heights)
{
    return (areas ? NP_MESH_AREAS : 0) | (heights == 16   ? NP_MESH_HEIGHTS_16
                                          : heights == 32 ? NP_MESH_HEIGHTS_FLOAT
                                                          : 0);
}

static inline uint8_t np_mesh_height_bits(np_mesh_form form)
{
    return form & NP_MESH_HEIGHTS_16 ? 16 : form & NP_MESH_HEIGHTS_FLOAT ? 32 : 0;
}

// Bytes of a mesh's string.
static inline uint64_t np_mesh_bytes(uint32_t vertices, uint32_t triangles, np_mesh_form form)
{
    if (form & NP_MESH_HEIGHTS)
        return nav_heights_string_bytes(vertices, triangles / 2, np_mesh_height_format(form), form & NP_MESH_AREAS);
    return 12 * ((uint64_t)vertices + triangles) + (form & NP_MESH_AREAS ? triangles : 0);
}

// mesh.put: a mesh is one string of bytes, vertices (3 float32 each) then triangles (3 uint32 each), little-endian,
// then, where it has areas, one byte a triangle (nav_mesh_create_with_areas()): np_mesh_bytes() in all. It is sent in
// parts of at most limits.mesh_part_bytes, in order and without gaps; a small mesh is one part at offset 0. With the
// last part the hash is checked, where any part named it (else NAV_ERR_ARGUMENT), and the mesh exists; the answer has
// its hash. A part at offset 0 begins the session's
// one upload again; where the mesh exists already the answer is complete at once. NAV_ERR_STATE: no upload of this mesh
// has begun. NAV_ERR_ARGUMENT: not the next part.
typedef struct np_mesh_put_request {
    nav_key hash;       // nav_mesh_hash_with_areas(); zero (left out): the client does not know it
    uint32_t vertices;  // how many
    uint32_t triangles; // how many
    bool areas;         // default false: the triangles, or the cells, have areas
    uint64_t offset;    // default 0: where data stands in the string
    np_bin data;
    uint8_t heights; // default 0: triangles. 16 or 32: a height grid with samples of so many bits, 32: float
} np_mesh_put_request;
typedef struct np_mesh_put_response {
    uint64_t received;          // bytes of the string so far
    bool complete;              // true: the mesh may be used now (it may have existed before)
    uint32_t skipped_triangles; // complete: those with an index out of range or a vertex that is not finite
    nav_key hash;               // complete: the mesh's; else zero (left out)
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
    NP_OP_DIRTY, // make the tiles of an area again
    NP_OP_SET_REACH,
    NP_OP_SET_BUILD,
    NP_OP_SET_AREAS,     // the table of areas
    NP_OP_PATCH_HEIGHTS, // other samples in a rectangle of an instance's height grid
} np_op_kind;

typedef struct np_op {
    np_op_kind kind;
    uint64_t
        id; // chosen by the client; instances, volumes and links are three separate spaces; links: at most 2^32 - 1
    np_str source; // puts: who owns it, as a name is; "" (default): nobody
    np_str name;   // puts: what it is called, as a name is; "" (default): nothing. It names nothing here
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
        np_build build; // the same
        struct {
            uint32_t count;
            const np_area *list;
        } areas; // replaces all of the table
        struct {
            uint32_t column, row, columns, rows; // the rectangle, in samples; counted from the grid's first
            np_bin samples;                      // row by row, little-endian, as the grid has them
            np_bin areas;                        // optional: of the (columns - 1) * (rows - 1) cells between them
        } patch;
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
    bool durable;         // it survives a crash; false where the daemon keeps nothing on disk
} np_world_edit_response;

// world.objects: what stands in a world, in pages, as the operations that would put it there. The order means nothing.
// All pages are of one revision: the first answer names it, the requests that follow repeat it, and where the world has
// moved on meanwhile they are refused with NAV_ERR_STATE and the caller starts again.
typedef struct np_world_objects_request {
    uint64_t world;
    bool has_revision;
    uint64_t revision; // required with a cursor
    uint64_t cursor;   // default 0: the first page; else `next` of the page before
    uint32_t limit;    // objects, 1 to NP_OBJECTS_PAGE_MAX, default NP_OBJECTS_PAGE; a page may have a few more
} np_world_objects_request;
typedef struct np_world_objects_response {
    uint64_t revision;
    uint32_t object_count;
    const np_op *objects; // NP_OP_PUT_*
    uint64_t next;        // cursor of the next page; 0 (default): there is none
    const np_axes *axes;  // as np_world_open_response has it
} np_world_objects_response;

// mesh.get: a mesh as mesh.put brought it, a part of at most NP_MESH_PART_BYTES at a time.
typedef struct np_mesh_get_request {
    nav_key hash;
    uint64_t offset; // default 0; up to np_mesh_bytes()
} np_mesh_get_request;
typedef struct np_mesh_get_response {
    uint32_t vertices, triangles;
    bool areas;      // default false
    np_bin data;     // from offset on; empty at the end
    uint8_t heights; // default 0; as np_mesh_put_request
} np_mesh_get_response;

#endif
