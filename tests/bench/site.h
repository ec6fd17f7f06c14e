// A city in a daemon of its own, an editor that is connected to it, and its edits: a box moves to anywhere, and back.
// An edit is timed from the moment before it is sent to the moment its last tile has been unpacked and checked here.
#ifndef BENCH_SITE_H
#define BENCH_SITE_H

#include "tests/bench/bench.h"
#include "tests/bench/scenes.h"
#include "tests/bench/service.h"

enum { MOVES = 200 };

typedef struct session {
    navd_client *client;
    uint64_t world;
    const char *outlines;                   // of the worlds that it makes; NULL: as by default
    float edge_error;                       // likewise; 0: as by default
    const navd_settings *settings;          // likewise
    uint64_t tiles, cached, unpacked_bytes; // since they were reset
    uint64_t made_us, queued_us;
    double last_tile_s;
    bool broken, answered;
} session;

typedef struct city {
    const char *name;
    uint32_t boxes; // that move
    double side_m;
    bool seeds; // and what they do not reach, as the roofs, is dropped
} city;

// What a series of edits came to.
typedef struct series {
    double ms[MOVES];
    uint32_t count; // that changed a tile
    uint64_t tiles, cached, made_us, queued_us;
    double cpu_ms; // the daemon's
} series;

typedef struct site {
    const city *city;
    float corner[2]; // x and z, from which its side counts
    bool durable;    // with a state folder; the caller may set it before site_open(), and more arguments of the daemon
    service daemon;
    session session;
    scene scene;
    bench_random random;
    series moves, undos;
} site;

// Makes the city's own scene.
void site_init(site *at, const city *c);
// The same on the ground of a scene file, whose name and size the city gets. False with a line on stderr.
bool site_init_from(site *at, city *c, const char *path, uint32_t boxes);
// Starts the daemon, sends the scene, and takes all tiles. A row for `fill`, whose columns are FILL_COLUMNS.
bool site_open(site *at, const bench_options *o, table *fill);
#define FILL_COLUMNS                                                                                                   \
    "scene,boxes,km2,tiles,sent_s,built_s,tiles_per_s,jobs,streamed_s,tiles_mib,cache_mib,rss_mib,peak_rss_mib"
void site_close(site *at); // accepts a zeroed one

// One edit, timed as above.
bool site_edit(site *at, series *into, const navd_operation *op);
bool site_edit_all(site *at, series *into, const navd_operation *ops, size_t count);
// One box to anywhere and back: the tiles of both places come again.
bool site_move_and_undo(site *at);
// Where a box (`id`) may be put next.
uint32_t site_next_move(site *at, float to[12]);

void series_sort(series *s);
// Of a sorted one: the milliseconds of that percentile.
double series_percentile(const series *s, uint32_t percent);
// Sorts, and adds a row to a table of EDIT_COLUMNS.
void series_report(table *t, const city *c, const char *what, series *s);
#define EDIT_COLUMNS                                                                                                   \
    "edit,scene,boxes,km2,edits,p50_ms,p99_ms,max_ms,tiles_each,made_ms_each,queued_ms_each,daemon_cpu_ms,from_cache"

// False with a line on stderr where it is not NAVD_OK.
bool session_did(const session *s, navd_status status, const char *doing);
// Opens a world, new where there is none of that name, and puts the scene into it.
bool session_open(session *s, const char *name);
bool session_send(session *s, const scene *from);
void session_take_tiles(session *s);                          // counts those that come
uint64_t session_counter(const session *s, const char *name); // of the daemon's stats

#endif
