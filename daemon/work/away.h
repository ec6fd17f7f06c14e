// DESIGN. Tiles that others may have, or make: how the builder gives them away and takes them back. It knows nothing of
// who they are: a table of functions, which whoever speaks to them has set (farm/coordinator.h).
//
//     queued ──missed in our caches──► offer ──► nd_builder_take() of its whole block ──► runs without a job
//        ▲                                                                                  │          │
//        └────── nd_builder_return(): made here ◄──────────── nobody has it, or makes it ◄──┤          │
//     finished ◄──────────────────────────────── nd_builder_arrive() ◄──────────────────────┘          │
//     queued, with another input, at once ◄──────────────────────── a mark: never waits for others ◄───┘
//
// Background tiles only. A tile with links is asked for without them (link_job.h): they are added here. Worlds with a
// goal keep theirs: a base tile is bytes as they lie in memory (core/reach/packed.h). Loop thread only.
#ifndef ND_AWAY_H
#define ND_AWAY_H

#include "daemon/work/builder.h"

// A tile that is away, by numbers: it may be gone, or have another input, when it is back.
typedef struct nd_away_tile {
    nd_run run;
    nav_key source; // of what is asked for
    bool bare;      // that is the tile without its links
} nd_away_tile;

typedef struct nd_away {
    void *user;
    // A tile is in none of our caches, and nobody was asked. True: it was taken.
    bool (*offer)(void *user, nd_world *w, nd_tile *t);
    // The workers have what they can take. True: something was done, and there may be more.
    bool (*step)(void *user);
    // Must background tiles that no cache was asked for wait a moment? Else they would be made here before others were
    // asked.
    bool (*is_full)(void *user);
    // A background tile was made here. j: what it has made is in it.
    void (*made)(void *user, const nd_run *run, const nd_tile_job *j);
    // The world is about to go, and is whole for the last time.
    void (*leave)(void *user, const nd_world *w);
} nd_away;

// Which forms of a profile's tiles others would make, as bits (nd_encoding); 0: none.
uint8_t nd_away_form(const nd_world *w, uint32_t profile);

typedef struct nd_taking {
    nd_world *world; // no edit is half in it
    uint32_t profile;
    int32_t x, z;    // the first tile of a block of ND_BLOCK_SIDE x ND_BLOCK_SIDE
    bool missed_too; // those that nobody has, as well
    // The place for the next one, filled afterwards. NULL: there is none.
    nd_away_tile *(*place)(void *user);
    void *user;
} nd_taking;

// Takes the tiles of a block that may be made elsewhere: queued background ones that our caches do not have. How many.
// anchor: the block's (block.h), where there are some.
uint32_t nd_builder_take(nd_builder *b, const nd_taking *what, nav_key *anchor);
// Does anybody still wait for it?
bool nd_builder_needs(const nd_builder *b, const nd_away_tile *a);
// For nd_builder_view() of tiles of this block. NAV_ERR_MEMORY.
NAV_MUST_USE nav_status nd_builder_open_block(nd_builder *b, const nd_world *w, uint32_t profile, int32_t x, int32_t z);
// What it is made from, as when it was taken, without links; valid until the next call. NULL: nobody waits for it.
const nd_view *nd_builder_view(nd_builder *b, const nd_away_tile *a);
// It will arrive soon: makes that faster, and nothing else.
void nd_builder_expect(const nd_builder *b, const nd_away_tile *a);
// It was found, or made: into the caches, and on with the tile, where it is still the newest. form: what out has, which
// stays the caller's.
void nd_builder_arrive(nd_builder *b, const nd_away_tile *a, uint8_t form, const nd_cached out[ND_ENCODINGS]);
// Nobody has it. as: ND_AWAY_MISSED or ND_AWAY_NEVER.
void nd_builder_return(nd_builder *b, const nd_away_tile *a, nd_tile_away as);
// How many background tiles wait in the queues of all worlds.
size_t nd_builder_backlog(const nd_builder *b);
// Is there a worker for background tiles with nothing to do, and no tile for it?
bool nd_builder_is_idle(const nd_builder *b);

#endif
