// An area that is away: tiles of one block, and what became of them. Private to area*.c and coordinator.c, as is all
// here. Loop thread only.
#ifndef ND_AREA_H
#define ND_AREA_H

#include "daemon/base/fifo.h"
#include "daemon/farm/area_job.h"
#include "daemon/farm/coordinator.h"
#include "daemon/farm/gather.h"
#include "daemon/farm/pack_place.h"
#include "daemon/farm/wanted.h"

typedef enum nd_area_state {
    ND_AREA_ASKED,  // the shared cache is asked
    ND_AREA_READY,  // nobody has it: waits for its turn
    ND_AREA_MESHES, // until they are in the farm
    ND_AREA_SENT,   // the job is on its way to the server
    ND_AREA_OUT,    // the server has it, or a worker
    ND_AREA_OVER,   // a worker is done with it, or it came too late: what is missing is asked for once more
    ND_AREA_STATES
} nd_area_state;

typedef struct nd_area {
    nd_node node; // by number
    struct nd_area *newer, *older;
    uint64_t number;
    nd_area_state state;
    nd_block_name block;
    char space[ND_SPACE_BYTES]; // token
    nav_key key;                // of the area
    nav_key waits_for;          // a mesh; zero: any
    uint8_t form;
    uint64_t began_ns, deadline_ns;
    uint64_t sequence; // in the stream; 0: it is not known
    nd_bus_ear *ear;
    nd_coordinator *of;
    unsigned tasks;       // that will come back to it
    bool answered;        // the cache has
    bool dropped;         // nobody waits for it: freed with its last task
    bool over;            // a worker has said that it is done with it
    bool sent_again;      // its workers lacked a mesh
    uint32_t count, left; // tiles; that have not come back
    bool ended[ND_AREA_TILES];
    nd_away_tile tiles[ND_AREA_TILES];
} nd_area;

// What was found of an area, on its way to the builder: some tiles in each step, as a large one takes a while.
typedef struct nd_arrival {
    struct nd_arrival *next;
    uint64_t area; // it stays until this has arrived
    nd_wanted *found;
    uint32_t at; // the next tile
    bool made;   // by a worker; else it was asked for
    bool has_some;
} nd_arrival;

struct nd_coordinator {
    nd_coordinator_parts with;
    nd_away away;
    nd_table areas;
    nd_area *newest, *oldest;
    nd_area *spare; // by `older`: their memory is used again
    unsigned spares;
    unsigned in[ND_AREA_STATES]; // areas
    uint64_t next_number;
    nd_area_writer job;        // the one that is being written
    nd_blocks unasked, unsent; // for which there was no room when their turn came
    unsigned ticks;
    unsigned unfound, offers; // areas in a row of which the cache had nothing; all
    nd_gather gather;
    ND_FIFO(nd_arrival) arrivals;
    uv_timer_t clock;
    nd_bus_ear *news;
    bool up, closing;
    uint64_t down_ns;       // since when it is not up
    uint64_t asks_from_ns;  // not before, as there was trouble
    uint64_t sends_from_ns; // likewise
    uint64_t logged_ns, unlogged;
    void (*on_trouble)(void *user);
    void *user;
    nd_coordinator_stats stats;
};

// --- area.c ---

// A new one, without tiles. NULL: no memory.
nd_area *nd_area_create(nd_coordinator *c, nd_world *w, uint32_t profile, int32_t block_x, int32_t block_z);
nd_area *nd_area_find(const nd_coordinator *c, uint64_t number); // NULL: it is gone
void nd_area_set_state(nd_coordinator *c, nd_area *a, nd_area_state state);
// The tiles that it still has go back, as ND_AWAY_MISSED or ND_AWAY_NEVER; and it is dropped.
void nd_area_return(nd_coordinator *c, nd_area *a, nd_tile_away as);
void nd_area_return_tile(nd_coordinator *c, nd_area *a, uint32_t tile); // one of them, to be made here
// It has all its tiles back, or nobody needs them: gone, once its tasks are.
void nd_area_drop(nd_coordinator *c, nd_area *a);
// One of its tasks is back. False: nobody waits for the area any more, and it may be gone.
bool nd_area_end_task(nd_coordinator *c, nd_area *a);
// One of its tasks has found this, or nothing: its tiles arrive, and then the task is back. Takes found over, also
// where there is no memory.
void nd_area_arrive(nd_coordinator *c, nd_area *a, nd_wanted *found, bool made);
// Some of those tiles. False: there are none.
bool nd_area_arrive_some(nd_coordinator *c);
// Those of its tiles that have not come back. NULL: no memory.
nd_wanted *nd_area_wanted(const nd_area *a);
bool nd_area_is_needed(const nd_coordinator *c, const nd_area *a);
// The smallest anchor of a block's instances (nav_instance_key()).
nav_key nd_area_anchor_of(const nd_world *w, const nav_settings *s, int32_t block_x, int32_t block_z);

// --- area_ask.c ---

// False: no memory.
bool nd_area_ask(nd_coordinator *c, nd_area *a);
// --- area_send.c ---

// Its meshes, then its job, go to the server. is_open: the builder has just looked at its block.
void nd_area_send(nd_coordinator *c, nd_area *a, bool is_open);
// A mesh has come there, or not.
void nd_area_on_mesh(nd_coordinator *c, const char *space, nav_key hash, nav_status status);
// Takes the job out of the stream, and tells whoever has it.
void nd_area_cancel(nd_coordinator *c, nd_area *a);
void nd_area_on_news(void *coordinator, const nd_bus_message *m); // nd_done

// --- coordinator.c ---

// The cache has been asked: what is left goes on.
void nd_coordinator_tick(uv_timer_t *clock);
void nd_coordinator_route(nd_coordinator *c, nd_area *a);
// Something failed that would fail again at once.
void nd_coordinator_trouble(nd_coordinator *c, const char *what, nav_status status);

#endif
