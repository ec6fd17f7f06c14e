/* navd's client library: worlds, meshes, edits and tiles of a navd daemon, in one header.
 *
 * A navd_client is one connection. There is no global state: any number of clients may live at once, each used by one
 * thread at a time. Every call that can fail returns a navd_status; navd_error_text() then has one sentence. Nothing
 * here ends the process, and a broken connection is an error like any other: close the client and connect again, or
 * let the library do that (navd_options.keep_connected).
 *
 * Blocking use: each request returns with its answer, or with NAVD_ERR_TIMEOUT after navd_set_timeout().
 * Event loops: wait for navd_fd() to become readable (and writable while navd_want_write()), then call navd_process().
 * Requests whose name ends in _start return at once and tell their callback later, from within navd_process().
 *
 * Tiles of a subscription come to the callback of navd_on_tile(), from within any call that reads (blocking ones too).
 * With no callback they are kept, the newest of each place only, until navd_next_tile() takes them.
 *
 * Axes: right-handed, Y up. Units: metres, degrees, microseconds; timeouts in milliseconds. navd_set_axes() lets places
 * be in others.
 */
#ifndef NAVD_H
#define NAVD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum navd_status {
    NAVD_OK,
    NAVD_ERR_ARGUMENT,
    NAVD_ERR_MEMORY,
    NAVD_ERR_LIMIT,
    NAVD_ERR_FORMAT,
    NAVD_ERR_TRUNCATED,
    NAVD_ERR_VERSION,
    NAVD_ERR_NOT_FOUND,
    NAVD_ERR_EXISTS,
    NAVD_ERR_STATE,
    NAVD_ERR_CANCELLED,
    NAVD_ERR_AGAIN,
    NAVD_ERR_CLOSED,
    NAVD_ERR_IO,
    NAVD_ERR_TIMEOUT,
    NAVD_ERR_INTERNAL,
    NAVD_ERR_UNAUTHENTICATED, /* a token or a client certificate is needed, or was refused */
    NAVD_ERR_FORBIDDEN,       /* the role does not allow it, or the socket's mode */
    NAVD_ERR_UNTRUSTED,       /* the daemon's certificate is not trusted, or it does not trust the client's */
    NAVD_ERR_CRASHED,         /* of a tile: the generator crashed on it */
} navd_status;

/* Short name of a status ("limit"). Never NULL. */
const char *navd_status_name(navd_status s);

typedef struct navd_client navd_client;

/* ---- connection ---- */

/* address: "/path/to/socket" or "unix:/path", "host:port", "[::1]:port", "tls://host:port"; NULL: $NAVD_ADDRESS, else
 * the daemon's usual socket. name: who is calling, for the daemon's log. timeout_ms bounds connecting and the greeting;
 * below 0: no bound. On failure *out is NULL and why (which may be NULL) has a sentence that names the address. The
 * rest as navd_connect_with() has it by default. */
navd_status navd_connect(const char *address, const char *name, int timeout_ms, navd_client **out, char *why,
                         size_t why_bytes);

/* How to come in. Zeroed is a valid one: all as described behind "else". Texts are copied. */
typedef struct navd_options {
    const char *address, *name; /* as navd_connect() has them */
    int timeout_ms;
    const char *token_file;     /* its first line is the token; else $NAVD_TOKEN_FILE, else the token in $NAVD_TOKEN */
    const char *namespace_name; /* which one to look into, for admins; else $NAVD_NAMESPACE, else the token's */
    const char *ca_file;        /* TLS: authorities, PEM; else $NAVD_CA_FILE, else the system's */
    const char *certificate_file; /* TLS: the client's own, PEM, with its chain; else $NAVD_CERT_FILE, else none */
    const char *key_file;         /* TLS: the key of that; else $NAVD_KEY_FILE */
    bool keep_connected;          /* a connection that breaks is made again, see "staying connected" */
    bool insecure_token;          /* the token may go over plain TCP; see below */
} navd_options;
/* The daemon's certificate must be from one of the authorities, for the address's host, and valid now.
 * NAVD_ERR_UNTRUSTED otherwise. NAVD_ERR_UNAUTHENTICATED: the token, or its lack. Tokens are in files or the
 * environment only, so that no list of processes shows one. Over plain TCP ("host:port") no token is sent to another
 * machine (NAVD_ERR_ARGUMENT), and on this machine only to a daemon that requires one; insecure_token lifts both. */
navd_status navd_connect_with(const navd_options *options, navd_client **out, char *why, size_t why_bytes);
void navd_close(navd_client *c); /* accepts NULL */

/* The address that navd_connect(NULL) uses: $NAVD_ADDRESS, or the first of these sockets that exists:
 * $XDG_RUNTIME_DIR/navd.sock, /run/navd/navd.sock, $XDG_STATE_HOME/navd/navd.sock (~/.local/state). Written to text,
 * cut to size. */
void navd_default_address(char *text, size_t size);

/* What went wrong in the last call that failed; "" before the first. Valid until the next call on this client. */
const char *navd_error_text(const navd_client *c);
/* Index of the operation of navd_edit() that was refused, or -1. */
int64_t navd_error_operation(const navd_client *c);

/* Bound for each blocking request; below 0: none. 30 seconds at first. */
void navd_set_timeout(navd_client *c, int timeout_ms);

typedef struct navd_limits {
    uint32_t message_bytes, mesh_part_bytes, mesh_bytes, edit_operations, request_tiles;
} navd_limits;
/* What the daemon said it takes. */
navd_limits navd_get_limits(const navd_client *c);
/* Name and version of the daemon. */
const char *navd_server_name(const navd_client *c);

/* For event loops: call navd_process() when this descriptor is readable, and while navd_want_write() when it is
 * writable. */
int navd_fd(const navd_client *c);
bool navd_want_write(const navd_client *c);
/* Sends and receives what can be without waiting, and calls the callbacks. */
navd_status navd_process(navd_client *c);

/* ---- staying connected ---- */

/* With navd_options.keep_connected a connection that breaks (the daemon restarts, the network is gone, nothing is heard
 * any more) is made again by itself, from within navd_process() and blocking calls: at once, then after pauses that
 * grow to 5 seconds. navd_process() never waits for that, not for the name of a host either. Subscriptions go on where
 * they were, under their ids: only tiles come that changed meanwhile. Calls under way when it broke end with
 * NAVD_ERR_CLOSED (whether they took effect is not known); new blocking calls wait for the connection within their
 * timeout, others are refused with NAVD_ERR_CLOSED. navd_process() returns NAVD_OK meanwhile. */
typedef enum navd_event_kind {
    NAVD_EVENT_LOST,     /* the connection broke; text says why */
    NAVD_EVENT_RESTORED, /* it is there again */
    NAVD_EVENT_SYNCED,   /* a subscription has every tile as it is at revision, or newer; also without keep_connected */
    NAVD_EVENT_RESET,    /* all tiles of a subscription come again; one that has not come by the next SYNCED is gone */
    NAVD_EVENT_ENDED, /* a subscription could not go on (its world or profile is gone); text says why. Its id is void */
    NAVD_EVENT_SETTINGS, /* the profile of a subscription has these settings now; its tiles that come after were made
                            with them. Also when a connection was made again, as they may have changed meanwhile */
    NAVD_EVENT_AREAS,    /* the table of areas of a subscription's world: where it has one, and when it changes */
} navd_event_kind;

typedef struct navd_event {
    navd_event_kind kind;
    uint64_t subscription, world, revision; /* SYNCED, RESET, ENDED, SETTINGS */
    const char *text;                       /* never NULL; valid during the call; SETTINGS: the profile's name */
    /* SETTINGS. Where the grid is another one than that of the tiles before, (x, z) means another place: tiles of the
     * older grid may be shown until the next SYNCED of the subscription, which makes all of them void. */
    const struct navd_settings *settings; /* valid during the call */
    double origin_m[3];                   /* of the world */
    uint64_t grid;
    const struct navd_area_type *areas; /* AREAS: all of them, by id; valid during the call */
    size_t area_count;
} navd_event;
/* Must not call this library with the same client, other than navd_edit_start() and navd_wait_start(). */
typedef void (*navd_event_callback)(void *user, const navd_event *event);
void navd_on_event(navd_client *c, navd_event_callback callback, void *user);

bool navd_is_connected(const navd_client *c);
/* For event loops: navd_process() should be called within so many milliseconds, also where nothing is readable;
 * -1: no need. navd_fd() is -1 while there is no connection and none is being made; ask for it after each
 * navd_process(), since it changes with each step of making one. */
int navd_wait_ms(const navd_client *c);

/* ---- worlds ---- */

enum {
    NAVD_NAME_BYTES = 208,
    /* a name and its end */ NAVD_AREA_COUNT = 64,
    NAVD_AREA_NONE = 0,
    NAVD_AREA_DEFAULT = 63,
    NAVD_AREA_INHERIT = 255 /* of a triangle: the area of the instance */
};

typedef enum navd_partition { NAVD_PARTITION_WATERSHED, NAVD_PARTITION_MONOTONE, NAVD_PARTITION_CONVEX } navd_partition;

typedef enum navd_triangulation {
    NAVD_TRIANGULATION_EARS,
    NAVD_TRIANGULATION_MIN_AREA,
    NAVD_TRIANGULATION_DELAUNAY
} navd_triangulation;

/* One agent profile: how its navigation mesh is made. */
typedef struct navd_settings {
    float cell_size_m, cell_height_m;
    int32_t tile_cells;
    float agent_height_m, agent_radius_m, agent_climb_m, agent_slope_deg;
    uint64_t walkable_areas; /* bit a: this agent may walk on area a */
    navd_partition partition;
    float region_min_cells, region_merge_cells;
    float edge_max_length_m, edge_max_error_cells;
    int32_t polygon_max_vertices;
    navd_triangulation triangulation;
    float relaxation_m; /* how far a cell may deviate from convex; convex partition only */
    float detail_sample_cells, detail_max_error_voxels;
    uint16_t area_flags[NAVD_AREA_COUNT]; /* Detour polygon flags by area */
} navd_settings;

void navd_settings_default(navd_settings *s);

typedef struct navd_profile {
    char name[NAVD_NAME_BYTES];
    navd_settings settings;
    uint64_t grid; /* in answers: which grid its tiles are in, see navd_tile */
} navd_profile;

/* What of a world is built: all, or only what subscriptions and waits with bounds watch. NAVD_SET_BUILD gives it to a
 * world. */
typedef enum navd_build { NAVD_BUILD_ALL, NAVD_BUILD_WATCHED } navd_build;

typedef struct navd_world {
    uint64_t id, revision;
    bool created;
    double origin_m[3];
    size_t profile_count;
    navd_profile *profiles; /* all that the world has */
    navd_build build;
    double margin_m;      /* around the bounds of subscriptions that give none */
    double to_metres[12]; /* three rows of four: of navd_set_axes(), or the identity */
} navd_world;

/* In which axes and units the caller's places are: transforms, the points and heights of volumes, the ends of links,
 * seeds, bounds and focus, there and back. The daemon converts them; members whose name ends in _m are metres all the
 * same, and tiles are metres with Y up. Where Z is up, what is called "x z" here is x and y. */
typedef enum navd_up { NAVD_UP_Y, NAVD_UP_Z } navd_up;
typedef struct navd_axes {
    navd_up up;
    double unit_m; /* metres in one unit: 0.01 for centimetres. 0 counts as 1. The daemon refuses nonsense */
} navd_axes;
/* For the worlds that are opened after this call, until the next one, and for navd_tiles_build(). Metres with Y up at
 * first. A connection that is made again has the axes of each world that it had. */
void navd_set_axes(navd_client *c, const navd_axes *axes);

/* Finds the world, or makes it where create is set: with this origin (NULL: 0) and these profiles. Profiles that the
 * world lacks are added; one of the same name must have the same settings. Free the result with navd_world_free(). */
navd_status navd_world_open(navd_client *c, const char *name, bool create, const double origin_m[3],
                            const navd_profile *profiles, size_t profile_count, navd_world *out);
void navd_world_free(navd_world *w); /* accepts a zeroed one */
navd_status navd_world_close(navd_client *c, uint64_t world);
/* Deletes it for all users, with everything stored for it. */
navd_status navd_world_delete(navd_client *c, uint64_t world);

typedef struct navd_change_result {
    uint64_t revision;    /* of the world, this change included */
    uint32_t dirty_tiles; /* that are to be made */
    bool durable;         /* it survives a crash; false where the daemon keeps nothing on disk */
    uint64_t grid;        /* of the profile; 0 from navd_world_set_origin() */
} navd_change_result;
/* Gives a profile other settings, or adds it. Only its tiles are made again. out may be NULL, as below. */
navd_status navd_profile_set(navd_client *c, uint64_t world, const char *profile, const navd_settings *settings,
                             navd_change_result *out);
/* The same, at once, for a slider that is dragged: there is no need to wait for the answer before the next value. One
 * that a newer one overtakes ends with NAVD_ERR_CANCELLED. done is called exactly once, unless this returns an error.
 */
typedef void (*navd_change_done)(void *user, navd_status s, const char *text, const navd_change_result *result);
navd_status navd_profile_set_start(navd_client *c, uint64_t world, const char *profile, const navd_settings *settings,
                                   navd_change_done done, void *user);
/* Its subscriptions end. NAVD_ERR_NOT_FOUND: the world has no such profile. */
navd_status navd_profile_remove(navd_client *c, uint64_t world, const char *profile, navd_change_result *out);
/* Moves the corner of tile (0, 0), and with it the grids of all profiles. */
navd_status navd_world_set_origin(navd_client *c, uint64_t world, const double origin_m[3], navd_change_result *out);

/* What a world calls an area, and what it costs and allows. An agent walks on it where this and its profile's
 * walkable_areas allow it. Tiles depend on walkable and flags only. */
enum { NAVD_MAX_AREAS = 63, NAVD_AREA_NAME_BYTES = 72 };
typedef struct navd_area_type {
    uint8_t id;                      /* 1 to 63 */
    char name[NAVD_AREA_NAME_BYTES]; /* at most 64 bytes and the end; "": none */
    float cost;                      /* of a metre, above 0 */
    bool walkable;
    bool has_flags;
    uint16_t flags; /* of Detour's polygons; else the profile's area_flags */
    bool has_color;
    uint32_t color; /* 0xrrggbb */
} navd_area_type;
/* Without a name, cost 1, walkable. */
void navd_area_default(navd_area_type *a, uint8_t id);

typedef struct navd_areas { /* a world's table, by id */
    uint64_t revision;
    uint32_t dirty_tiles; /* made again by this change: only where walkable or flags changed */
    bool durable;
    size_t count;
    navd_area_type areas[NAVD_MAX_AREAS];
} navd_areas;
/* areas NULL: asks for the table. Else each takes the place of the one with its id; replace: the others go. An edit
 * like any other. Subscriptions tell of changes with NAVD_EVENT_AREAS. */
navd_status navd_world_areas(navd_client *c, uint64_t world, const navd_area_type *areas, size_t count, bool replace,
                             navd_areas *out);

typedef struct navd_world_entry {
    char name[NAVD_NAME_BYTES];
    uint64_t revision, instances;
} navd_world_entry;
/* *out is the caller's to free(). */
navd_status navd_world_list(navd_client *c, navd_world_entry **out, size_t *count);

/* ---- meshes ---- */

typedef struct navd_key {
    uint8_t bytes[16];
} navd_key;

typedef struct navd_mesh {
    const float *vertices; /* x y z */
    uint32_t vertex_count;
    const uint32_t *triangles; /* three vertices each, counter-clockwise seen from outside */
    uint32_t triangle_count;
    const uint8_t *areas; /* NULL, or one for each triangle: 0 to 63, or NAVD_AREA_INHERIT */
} navd_mesh;

/* A mesh's name: the hash of its content. */
navd_key navd_mesh_hash(const navd_mesh *mesh);
/* missing[i] becomes true where the daemon does not have keys[i]. */
navd_status navd_mesh_missing(navd_client *c, const navd_key *keys, size_t count, bool *missing);
/* Sends a mesh in parts of at most navd_limits.mesh_part_bytes. progress may be NULL. skipped may be NULL: triangles
 * that the daemon left out (index out of range, not finite). */
navd_status navd_mesh_put(navd_client *c, const navd_mesh *mesh,
                          void (*progress)(void *user, uint64_t sent, uint64_t total), void *user, uint32_t *skipped);

/* Sends several, without waiting for one before the next goes out. sent may be NULL: called after each mesh, with the
 * bytes of it. */
navd_status navd_meshes_put(navd_client *c, const navd_mesh *meshes, size_t count,
                            void (*sent)(void *user, size_t mesh, uint64_t bytes), void *user);

/* A mesh of the daemon, as it was sent. Free with navd_mesh_data_free(). NAVD_ERR_NOT_FOUND. NAVD_ERR_AGAIN: it is
 * still being read from disk. */
typedef struct navd_mesh_data {
    navd_mesh mesh; /* points into memory */
    void *memory;
} navd_mesh_data;
navd_status navd_mesh_get(navd_client *c, navd_key key, navd_mesh_data *out);
void navd_mesh_data_free(navd_mesh_data *m); /* accepts a zeroed one */

/* ---- what can be reached ---- */

enum { NAVD_MAX_SEEDS = 256 };

typedef enum navd_unreachable {
    NAVD_UNREACHABLE_KEEP, /* nobody looks for it */
    NAVD_UNREACHABLE_FLAG, /* marked: cells have the flag 2, Detour's polygons have the flags 0 */
    NAVD_UNREACHABLE_DROP, /* gone from the tiles */
} navd_unreachable;

/* What shall be reached, and what becomes of the rest. NAVD_SET_REACH gives it to a world. */
typedef struct navd_reach {
    navd_unreachable unreachable;
    const float (*seeds)[3]; /* places on walkable ground: what they lead to is reached */
    size_t seed_count;
    double island_min_area_m2; /* without seeds: connected ground below it is unreachable */
} navd_reach;

typedef struct navd_profile_reach {
    char name[NAVD_NAME_BYTES];
    uint32_t parts, unreachable_parts; /* connected pieces of ground, each within a tile */
    double area_m2, unreachable_m2;
    size_t lost_count;
    uint32_t seeds_without_ground[NAVD_MAX_SEEDS]; /* indices */
} navd_profile_reach;

typedef struct navd_reach_report {
    navd_reach reach; /* as the world has it */
    uint64_t revision;
    size_t profile_count; /* 0 where nothing is looked for */
    navd_profile_reach *profiles;
    float seeds[NAVD_MAX_SEEDS][3]; /* what reach.seeds points to */
} navd_reach_report;

/* While tiles are still to be made it says what is known so far: navd_wait() first. *out is the caller's to
 * navd_reach_report_free(). */
navd_status navd_world_reach(navd_client *c, uint64_t world, navd_reach_report **out);
void navd_reach_report_free(navd_reach_report *r); /* accepts NULL */

/* ---- edits ---- */

typedef enum navd_operation_kind {
    NAVD_PUT_INSTANCE, /* new, or replaces the one with this id */
    NAVD_MOVE_INSTANCE,
    NAVD_REMOVE_INSTANCE,
    NAVD_PUT_VOLUME,
    NAVD_REMOVE_VOLUME,
    NAVD_PUT_LINK,
    NAVD_REMOVE_LINK,
    NAVD_MARK_DIRTY, /* build the tiles of an area again */
    NAVD_SET_REACH,  /* replaces all of what the world had; has no id */
    NAVD_SET_BUILD,  /* the same */
} navd_operation_kind;

enum { NAVD_VOLUME_MAX_POINTS = 32 };

typedef struct navd_operation {
    navd_operation_kind kind;
    uint64_t id; /* the caller's choice; instances, volumes and links are three separate spaces; links: 32 bits */
    char source[NAVD_NAME_BYTES]; /* puts, and objects that are read: who owns it (see navd_sync()); "": nobody */
    char name[NAVD_NAME_BYTES];   /* the same: what people call it; "": nothing */
    union {
        struct {
            navd_key mesh;       /* put */
            float transform[12]; /* put and move: 3 rows of 4, p' = R p + t */
            uint8_t area;        /* put; of triangles without one of their own; NAVD_AREA_NONE: an obstacle */
        } instance;
        struct { /* a convex prism that sets an area, or blocks with NAVD_AREA_NONE */
            uint32_t point_count;
            float points[2 * NAVD_VOLUME_MAX_POINTS]; /* x z */
            float min_y, max_y;
            uint8_t area;
            bool include; /* neither: where a world has any such volume, ground exists inside of them alone */
        } volume;
        struct { /* an off-mesh link */
            float start[3], end[3], radius_m;
            uint8_t area;
            bool both_ways;
            uint16_t flags;
        } link;
        struct {
            double min[2], max[2]; /* x z */
        } dirty;
        navd_reach reach; /* seeds are borrowed during the call */
        struct {
            navd_build mode;
            double margin_m;
        } build;
    } u;
} navd_operation;

typedef struct navd_edit_result {
    uint64_t revision;    /* of the world, this edit included */
    uint32_t dirty_tiles; /* tiles of all profiles that it touches */
    bool durable;         /* it survives a crash; false where the daemon keeps nothing on disk */
} navd_edit_result;

/* Applied whole or not at all. base_revision: NULL, or the revision that the caller has seen: NAVD_ERR_STATE where the
 * world is at another. Where the daemon keeps worlds on disk the result comes when the edit is there. Tiles do not wait
 * for that: they may come before it, and name the revision that they show. NAVD_EVENT_SYNCED names durable revisions
 * only. */
navd_status navd_edit(navd_client *c, uint64_t world, const uint64_t *base_revision, const navd_operation *operations,
                      size_t count, navd_edit_result *out);
/* The same, at once. done is called exactly once, unless this returns an error. text: words for s; valid during the
 * call. */
typedef void (*navd_edit_done)(void *user, navd_status s, const char *text, const navd_edit_result *result);
navd_status navd_edit_start(navd_client *c, uint64_t world, const uint64_t *base_revision,
                            const navd_operation *operations, size_t count, navd_edit_done done, void *user);

/* ---- keeping a source in step ---- */

/* A source is whoever puts objects into a world: a scene file, an editor. Each instance that it puts has its name. A
 * source lists all instances that it wants to be there, and the daemon does what is different: puts, moves, removes.
 * What others have put is never touched. */
typedef struct navd_sync_object {
    uint64_t id;
    navd_key mesh;
    float transform[12];
    uint8_t area;     /* NAVD_AREA_DEFAULT, unless it is something else */
    const char *name; /* what people call it, at most 200 bytes of text. NULL in all: they keep the names they have */
} navd_sync_object;

typedef struct navd_sync_request {
    uint64_t world;
    const char *source;              /* 1 to 200 bytes */
    const navd_sync_object *objects; /* all of the source's; none of the same id */
    size_t count;
    const uint64_t *base_revision; /* as navd_edit() has it, or NULL */
    bool dry_run;                  /* only says what would change */
    bool adopt;                    /* instances of these ids that have no source become the source's */
} navd_sync_request;

typedef struct navd_ids {
    uint64_t *ids;
    size_t count;
} navd_ids;

typedef struct navd_sync_result {
    bool complete; /* always */
    bool applied;  /* false: a dry run, or meshes are missing: send them and call again */
    uint64_t revision;
    uint32_t dirty_tiles;
    bool durable;
    /* What is different, or would be. changed: another mesh or area, or adopted. renamed: the same under another id. */
    uint64_t added, changed, moved, renamed, removed, unchanged;
    size_t missing_count;
    navd_key *missing;
    /* Of a dry run, 4096 of each at most. renamed_from.ids[i] becomes renamed_to.ids[i]. */
    navd_ids added_ids, changed_ids, moved_ids, renamed_from, renamed_to, removed_ids;
} navd_sync_result;

/* One edit: applied whole or not at all, answered as navd_edit() is. NAVD_ERR_EXISTS: an id belongs to somebody else;
 * the words name it. Free the result with navd_sync_result_free(). */
navd_status navd_sync(navd_client *c, const navd_sync_request *request, navd_sync_result *out);
void navd_sync_result_free(navd_sync_result *r); /* accepts a zeroed one */

/* What stands in a world, a page at a time: each object as the operation that puts it there, in no order. */
typedef struct navd_objects {
    uint64_t revision, next; /* next: where the next page begins; 0: there is none */
    size_t count;
    navd_operation *objects;
} navd_objects;

/* after: NULL for the first page, else the page before (which may be freed then: its numbers count). limit: objects at
 * once, at most 16384; 0: what the daemon thinks right. All pages are of one revision: NAVD_ERR_STATE where the world
 * has moved on, start again. Free the result with navd_objects_free(). */
navd_status navd_world_objects(navd_client *c, uint64_t world, const navd_objects *after, uint32_t limit,
                               navd_objects *out);
void navd_objects_free(navd_objects *o); /* accepts a zeroed one */

/* ---- tiles ---- */

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
    int32_t x, z;
    uint64_t grid; /* in which x and z count: it changes with the tile size and the origin. 0 from navd_tiles_build() */
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

navd_status navd_subscribe(navd_client *c, uint64_t world, const navd_subscription_options *options,
                           uint64_t *subscription);
navd_status navd_unsubscribe(navd_client *c, uint64_t subscription);
navd_status navd_set_focus(navd_client *c, uint64_t subscription, const double focus[2]);
/* Other bounds, with the margin that the subscription has. Tiles in them that were outside before come; of those
 * outside now nothing comes any more, and they come again if the bounds come back. */
navd_status navd_set_bounds(navd_client *c, uint64_t subscription, const double min[2], const double max[2]);

/* The tile and what it points to are valid during the call. The callback must not call this library with the same
 * client, other than navd_edit_start() and navd_wait_start(). */
typedef void (*navd_tile_callback)(void *user, const navd_tile *tile);
void navd_on_tile(navd_client *c, navd_tile_callback callback, void *user);
/* done and total: tiles since the profile was last idle. */
typedef void (*navd_progress_callback)(void *user, uint64_t world, const char *profile, uint64_t done, uint64_t total);
void navd_on_progress(navd_client *c, navd_progress_callback callback, void *user);

/* Without a callback: the oldest tile kept, waiting for one up to timeout_ms (0: not at all). NAVD_ERR_TIMEOUT: none.
 * Valid until the next call on this client. */
navd_status navd_next_tile(navd_client *c, int timeout_ms, const navd_tile **out);

/* The newest finished state of some tiles: visit is called for each, in the order asked. */
navd_status navd_tiles_get(navd_client *c, uint64_t world, const char *profile, navd_encoding encoding,
                           const int32_t (*xz)[2], size_t count, navd_tile_callback visit, void *user);

/* Stateless: generates the tiles first..last (inclusive) from geometry that comes along. */
typedef struct navd_build_request {
    navd_settings settings;
    double origin_m[3];
    navd_encoding encoding;
    int32_t first[2], last[2];
    navd_mesh mesh;
    uint8_t area;
} navd_build_request;
navd_status navd_tiles_build(navd_client *c, const navd_build_request *request, navd_tile_callback visit, void *user);

/* ---- jobs ---- */

/* Answers when all tiles up to a revision are out; this client's tiles come before. revision NULL: the newest. */
navd_status navd_wait(navd_client *c, uint64_t world, const uint64_t *revision, uint64_t *now);
typedef void (*navd_wait_done)(void *user, navd_status s, const char *text, uint64_t now);
navd_status navd_wait_start(navd_client *c, uint64_t world, const uint64_t *revision, navd_wait_done done, void *user);
/* The same for the tiles in a rectangle (x z) alone, whatever is still to be built elsewhere; they are watched until
 * then. profile NULL: all. */
typedef struct navd_area {
    const char *profile;
    double min[2], max[2];
} navd_area;
navd_status navd_wait_in(navd_client *c, uint64_t world, const uint64_t *revision, const navd_area *area,
                         uint64_t *now);
navd_status navd_wait_in_start(navd_client *c, uint64_t world, const uint64_t *revision, const navd_area *area,
                               navd_wait_done done, void *user);
/* Drops the queued tiles of a world and stops the running ones. */
navd_status navd_cancel(navd_client *c, uint64_t world, uint32_t *cancelled);

/* The same for one edit: the tiles that wait since that revision and no older one. */
navd_status navd_cancel_edit(navd_client *c, uint64_t world, uint64_t revision, uint32_t *cancelled);
/* A call of navd_tiles_build(), by the id that navd_jobs_list() names: this client's own, an admin's any. */
navd_status navd_cancel_build(navd_client *c, uint64_t build, uint32_t *cancelled);

/* Who asked for work. session 0: the daemon itself. */
typedef struct navd_caller {
    uint64_t session;
    char client[NAVD_NAME_BYTES], principal[NAVD_NAME_BYTES];
} navd_caller;

typedef enum navd_job_class { NAVD_JOB_INTERACTIVE, NAVD_JOB_BACKGROUND } navd_job_class;

typedef struct navd_edit_job { /* all tiles that wait since one revision */
    uint64_t world, revision;
    char world_name[NAVD_NAME_BYTES];
    navd_job_class job_class;
    navd_caller caller;
    uint32_t tiles, running;
    uint64_t age_ms;
} navd_edit_job;

typedef struct navd_build_job { /* a call of navd_tiles_build() */
    uint64_t build;
    navd_job_class job_class;
    navd_caller caller;
    uint32_t tiles, finished;
    uint64_t age_ms;
} navd_build_job;

typedef struct navd_jobs {
    size_t edit_count, build_count;
    navd_edit_job *edits; /* oldest revision of each world first */
    navd_build_job *builds;
} navd_jobs;
/* What is not finished. world: NULL for all. Free the result with navd_jobs_free(). */
navd_status navd_jobs_list(navd_client *c, const uint64_t *world, navd_jobs *out);
void navd_jobs_free(navd_jobs *j); /* accepts a zeroed one */

typedef struct navd_failed_tile {
    char profile[NAVD_NAME_BYTES];
    int32_t x, z;
    char code[32], reason[256], stage[32]; /* stage: that it was at; "": none */
    char signal[32];   /* code "crashed": what the generator died of: "segmentation fault", ...; "": not known */
    uint64_t since_ms; /* ago */
    uint32_t tries;
    bool has_retry;
    uint64_t retry_ms; /* from now */
} navd_failed_tile;
/* The tiles of a world whose newest run failed, oldest first. *out is the caller's to free(). total may be NULL: how
 * many there are. */
navd_status navd_failed_tiles(navd_client *c, uint64_t world, uint32_t limit, navd_failed_tile **out, size_t *count,
                              uint64_t *total);

typedef struct navd_tile_story {
    const char *state;       /* "clean", "queued", "waiting", "resting", "running", "held" */
    navd_tile_status status; /* of the newest finished run; pending: none yet */
    uint64_t revision;       /* that it shows */
    uint64_t queued_us, made_us;
    const char *cause; /* of the newest mark: "instance", "volume", "link", "area", "reach", "profile", ... */
    bool has_object;
    uint64_t object; /* id of the instance, volume or link */
    navd_caller caller;
    uint64_t cause_revision, cause_ms; /* ago */
    bool is_open;                      /* not clean */
    uint64_t open_since;               /* the oldest revision that it waits for */
    navd_job_class job_class;
    bool has_failure;
    navd_failed_tile failure;
} navd_tile_story;
/* What a tile waits for, or why it is as it is and who made it so. */
navd_status navd_tile_why(navd_client *c, uint64_t world, const char *profile, int32_t x, int32_t z,
                          navd_tile_story *out);

/* ---- the cache of finished tiles on the daemon's disk; for admins ---- */

typedef struct navd_cache_counts {
    uint64_t entries, bytes;    /* good ones that it has */
    uint64_t dropped;           /* navd_cache_gc() */
    uint64_t damaged, outdated; /* navd_cache_verify(): these were removed */
} navd_cache_counts;
/* Drops the tiles used longest ago until the rest takes at most `bytes`. */
navd_status navd_cache_gc(navd_client *c, uint64_t bytes, navd_cache_counts *out);
/* Reads and checks all of it. */
navd_status navd_cache_verify(navd_client *c, navd_cache_counts *out);

enum { NAVD_CACHE_KEY_BYTES = 17, NAVD_CACHE_PAGE_ENTRIES = 4096 };

/* A tile as a cache has it. sum is checked by the daemon that takes it. */
typedef struct navd_cache_entry {
    uint8_t key[NAVD_CACHE_KEY_BYTES];
    uint64_t sum;
    const uint8_t *record;
    uint32_t size;
} navd_cache_entry;
/* visit is called for some of the entries behind a key (NULL: from the first), in the order of their keys; the entry is
 * valid during the call. *end: there are no more. */
navd_status navd_cache_export(navd_client *c, const uint8_t *after,
                              void (*visit)(void *user, const navd_cache_entry *entry), void *user, bool *end);
typedef struct navd_cache_import_result {
    uint32_t taken, refused;
    char reason[160]; /* of the first one refused */
} navd_cache_import_result;
/* At most NAVD_CACHE_PAGE_ENTRIES, and no more bytes than a message may have. */
navd_status navd_cache_import(navd_client *c, const navd_cache_entry *entries, size_t count,
                              navd_cache_import_result *out);

typedef struct navd_counter {
    char name[NAVD_NAME_BYTES];
    uint64_t value;
} navd_counter;
/* *out is the caller's to free(). */
navd_status navd_stats(navd_client *c, navd_counter **out, size_t *count);

/* ---- looking after a daemon: for the role admin ---- */

typedef struct navd_session_entry {
    uint64_t id; /* as in the daemon's log */
    char client[NAVD_NAME_BYTES], name[NAVD_NAME_BYTES], role[16], space[NAVD_NAME_BYTES];
    bool encrypted;
    uint64_t age_ms;
    uint32_t subscriptions;
    uint64_t bytes_in, bytes_out, bytes_queued; /* queued: what it has not read yet */
} navd_session_entry;
/* Who is connected, in all namespaces, oldest first, at most 10000. *out is the caller's to free(). total may be
 * NULL: how many there are. NAVD_ERR_FORBIDDEN. */
navd_status navd_sessions(navd_client *c, navd_session_entry **out, size_t *count, uint64_t *total);

typedef struct navd_namespace_entry {
    char name[NAVD_NAME_BYTES];
    uint64_t worlds, objects, tiles, mesh_bytes, sessions;
    /* Quotas; UINT64_MAX: none. */
    uint64_t max_worlds, max_objects, max_tiles, max_mesh_bytes, max_sessions, max_edits_per_second;
} navd_namespace_entry;
/* What each namespace uses and may use, by name. *out is the caller's to free(). NAVD_ERR_FORBIDDEN. */
navd_status navd_namespaces(navd_client *c, navd_namespace_entry **out, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
