// DESIGN. Worlds on disk. The database is not queried while the daemon runs: worlds live in memory, are read once at
// the start, and every change goes to the writer's thread (writer.h) as a list of puts and deletes.
//
//     edit ──► world in memory ──► tiles at once
//        └───► records ──► writer: group commit ──► durable ──► answer to the client
//                                       └─ fails ──► the edit is taken back, and answered with the reason
//
// The results of tiles are written later, in batches: they save work at the next start, and nothing depends on them.
// A daemon that ends cleanly says so in its last record. If that is missing at the start, revisions continue a
// little higher, since clients may have seen some that were never written, and returning clients get all tiles' keys
// again. Loop thread only.
#ifndef ND_WORLD_STORE_H
#define ND_WORLD_STORE_H

#include "daemon/disk/writer.h"
#include "daemon/store/records.h"
#include "daemon/world/worlds.h"

enum { ND_REVISION_GAP = 65536 }; // more than can be under way when a daemon is killed

typedef struct nd_world_store_stats {
    uint64_t worlds_read, objects_read, tiles_read, meshes_read; // at the start
    uint64_t damaged_records, damaged_pages;
    uint64_t tiles_written, read_us;
} nd_world_store_stats;

typedef struct nd_world_store {
    char *folder; // .../worlds
    nd_writer *writer;
    nd_worlds *worlds; // borrowed, as are the others
    nd_mesh_store *meshes;
    nd_namespaces *spaces;
    uint64_t next_world;
    bool was_clean;   // the last daemon ended as it should
    bool follows;     // its worlds are those of a log (replica/)
    nav_key log_id;   // of the log whose worlds these are; zero: of none
    bool tiles_gap;   // what is written of tiles is not all
    nav_buffer tiles; // a change that waits for its batch
    uint64_t tiles_waiting;
    uv_timer_t timer;
    bool closing;
    void (*on_durable)(void *user, nd_world *w);
    void *user;
    nd_world_store_stats stats;
    char damage[200]; // what could not be read; "" for nothing
} nd_world_store;

typedef struct nd_world_store_options {
    const char *state; // the state folder; it gets a folder "worlds"
    uint64_t commit_ms, map_bytes;
    bool follows;                                                     // see nd_world_store
    void (*on_state)(void *user, nav_status status, const char *why); // as the writer's
    void (*on_durable)(void *user, nd_world *w);                      // w->durable has risen
    void *user;
} nd_world_store_options;

// The caller has locked the state folder. Reads all worlds, meshes as what is known of them, and
// starts the writer. NAV_ERR_IO, NAV_ERR_MEMORY. One sentence in why. A damaged file is no failure: what could be read
// is there, and the writer refuses everything.
NAV_MUST_USE nav_status nd_world_store_open(uv_loop_t *loop, const nd_world_store_options *o, nd_worlds *worlds,
                                            nd_mesh_store *meshes, nd_namespaces *spaces, char *why, size_t why_bytes,
                                            nd_world_store **out);
// Can changes be stored at the moment? why: borrowed, one sentence.
nav_status nd_world_store_failure(const nd_world_store *s, const char **why);
// A tile is finished, or gone: written behind.
void nd_world_store_note_tile(nd_world_store *s, nd_world *w, nd_tile *t);
// What waits of tiles goes to the writer, before what is pushed next.
void nd_world_store_flush(nd_world_store *s);
// Commits succeed again: revisions that edits taken back have left, and that no later edit writes, go to disk.
void nd_world_store_catch_up(nd_world_store *s);
// Whose worlds these are, written behind.
void nd_world_store_set_log(nd_world_store *s, nav_key id);
// A mesh leaves memory.
void nd_world_store_forget_mesh(nd_world_store *s, const nd_mesh *m);
// More is known of these, which are in the mesh store: what is on disk of those that are durable is written again,
// behind.
void nd_world_store_note_meshes(nd_world_store *s, nd_mesh *const *meshes, size_t count);
// Writes what waits, and that this was a clean end; closes all. The worlds are still there. The loop must
// run on until its handles are closed. Accepts NULL.
void nd_world_store_close(nd_world_store *s);

// Private to world_store.c and world_load.c.
// What nd_tile.stored is where this is on disk.
uint64_t nd_stored_mark(const nd_tile_result *r);
// Fills the worlds, the mesh store, and s->stats, s->damage, s->was_clean,
// s->next_world. NAV_ERR_FORMAT: pages of the file are damaged; what could be read is there, meshes whole.
NAV_MUST_USE nav_status nd_world_load(nd_world_store *s);

#endif
